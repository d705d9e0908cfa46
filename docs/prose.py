"""The prose of README and of the pages: passages without code and mathematics, and the numbers in them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

NUMBER = re.compile(r"(?<![\w^.\-/])-?(?:\d+(?:,\d{3})*(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?(?![\w^])")
"""A number in prose; not a part of a name such as ResNet18 or of a fraction such as 1/2."""
NAMES = {"0", "1"}
"""Numbers that need no source: they name classes, means, variances and the line between neutrality and prejudice."""
ANSWER = re.compile(r"(?:(?<=\| )|(?<=\[))(?:yes|no)\b")
"""Yes or no in a cell of a table."""
CODE = re.compile(r"\s*\.\. (code|doctest|test|math|image|figure|toctree|literalinclude|raw|plot|auto|current|_|\|)")
"""First line of what is no prose on a page."""
INLINE = re.compile(r":[\w:]+:`[^`]*`|``[^`]*``|`[^`]*`_*|\]\([^)]*\)|https?://\S+")
"""Roles, literals and links, in which numbers are parts of names."""
EXAMPLE = re.compile(r"(?<!\w)(?:\d+(?:,\d{3})*(?:\.\d+)?|\.\d+)")
"""A number in an example, also one that stands in brackets or before a unit."""


@dataclass(frozen=True)
class Passage:
    """A paragraph, list or table; examples: the numbers in the code and the output of its section."""

    text: str
    examples: frozenset[str]


def facts(text: str) -> Iterator[re.Match[str]]:
    """Yield the numbers of a passage, and what a row of a table answers with yes or no."""
    yield from (match for match in NUMBER.finditer(text) if match[0] not in NAMES)
    if text.startswith("|"):
        yield from ANSWER.finditer(text)


def passages(page: str) -> Iterator[Passage]:
    """Yield the passages of a page in reStructuredText or Markdown."""
    for section in re.split(r"\n(?=[^\n]+\n[=\-~]{4,}\n)|\n(?=#+ )", page):
        prose, code = _apart(section.splitlines())
        examples = frozenset(EXAMPLE.findall("\n".join(code)))
        for block in re.split(r"\n\s*\n", "\n".join(prose)):
            text = " ".join(INLINE.sub("~", block).split())
            if text:
                yield Passage(text, examples)


def _apart(lines: list[str]) -> tuple[list[str], list[str]]:
    """Return the lines of prose of a section, with an empty line in front of every item and row of a table, and
    those of its examples and formulas.
    """
    prose: list[str] = []
    code: list[str] = []
    fenced, tabled, row, indent = False, False, False, -1
    for line in lines:
        depth = len(line) - len(line.lstrip())
        if line.startswith("```"):
            fenced = not fenced
        elif fenced or (indent >= 0 and (not line.strip() or depth > indent)):
            code.append(line)
        elif CODE.match(line) or (line.rstrip().endswith("::") and not line.lstrip().startswith("..")):
            indent = depth
        elif not re.match(r"\s*(:\w[\w-]*:( |$)|<!--|!\[|\[[^\]]+\]: )", line):
            indent = -1
            border = re.match(r"\s*=+( +=+)+\s*$", line) is not None
            tabled = border or (tabled and bool(line.strip()))
            cell = row and re.match(r"\s*- ", line) is not None  # of a list-table: one passage is a row
            row = re.match(r"\s*\* - ", line) is not None or (row and bool(line.strip()))
            apart = tabled or (not cell and re.match(r"\s*([*|\-]|\d+\.|\+) ", line) is not None)
            prose += [""] * apart + ([] if border else [re.sub(r"^\s*\.\. [\w-]+::", "", line)])
    return prose, code
