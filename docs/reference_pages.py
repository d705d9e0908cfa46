"""Write a page for each public name, whose docstring becomes lists of parameters, errors and sources, and symbols."""

import inspect
import re
from collections.abc import Iterable, Iterator
from functools import cache, reduce
from itertools import accumulate
from pathlib import Path
from typing import Any

from changed_files import write_changed

import igbtheory
from igbtheory import Layer
from igbtheory.foundations.symbols import typeset

PAGES = 8
"""Largest number of pages that are named as using a name."""

ERROR = r"[A-Z]\w*Error"
SHORT = (
    (r"(?:~?numpy\.)?ndarray\[.*\]", "array"),
    (r"~?(?:[\w]+\.)+(\w+)", r"\1"),
    (r"\bNone \| (.*)$", r"\1 | None"),
    (r"Optional\[(.*)\]", r"\1 | None"),
    (r"Literal\[([^]]*)\]", r"\1"),
)
"""Patterns in the text of a type, and what a reader needs of them."""


def write_pages(docs: Path) -> None:
    """Write a page into the folder api for every name that api.rst lists, with the others of its list."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted(docs.glob("*.rst"))}
    names = listed(texts.pop("api"))
    files = {name: _file(name, names) for group in names.values() for name in group}
    using = {page: set(_used(text)) for page, text in texts.items()}
    write_changed(
        docs / "api",
        {
            f"{files[name]}.rst": _page(name, title, [files[other] for other in group], using)
            for title, group in names.items()
            for name in group
        },
    )


def listed(reference: str) -> dict[str, list[str]]:
    """Return the public names, without the package, by the titles of their lists in api.rst."""
    sections = re.split(r"^(.+)\n-+\n", reference, flags=re.MULTILINE)[1:]
    return {
        title: re.findall(r"^   ~igbtheory\.([\w.]+)$", text, re.MULTILINE)
        for title, text in zip(sections[::2], sections[1::2], strict=True)
    }


def public(name: str) -> Any:
    """Return the object of a public name."""
    return reduce(getattr, name.split("."), igbtheory)


def _file(name: str, names: dict[str, list[str]]) -> str:
    """Return the name of a page: some disks take phases.verdict and phases.Verdict for the same one."""
    alike = name.lower() != name and any(name.lower() in group for group in names.values())
    return f"{name}.class" if alike else name


def _page(name: str, title: str, group: list[str], using: dict[str, set[str]]) -> str:
    """Return the page of a name in the list with this title; group: the files of its names; using: see `_used`."""
    last = name.rpartition(".")[2]
    kind = _kind(public(name))
    results = "   :members:\n   :inherited-members: Result, Layer, ABC, Warning\n"
    members = "" if kind == "function" or _is_known_layer(public(name)) else results
    told = ", ".join(f":doc:`/{page}`" for page in [page for page, names in using.items() if name in names][:PAGES])
    return "\n".join(
        (
            ":orphan:\n",
            f"{last}\n{'=' * len(last)}\n",
            f".. auto{kind}:: igbtheory.{name}",
            members,
            f".. rubric:: Pages with more examples\n\n{told}\n" if told else "",
            f".. rubric:: {title}\n\n:doc:`All public names </api>`: {', '.join(f':doc:`{file}`' for file in group)}\n",
        )
    )


def _is_known_layer(thing: Any) -> bool:
    """Return whether it is a layer with the methods of all layers, which only those who write one call."""
    return inspect.isclass(thing) and issubclass(thing, Layer) and thing is not Layer


def _used(text: str) -> Iterator[str]:
    """Yield the names that a page uses, such as phases and phases.verdict for igb.phases.verdict."""
    for path in re.findall(r"\bigb\.(\w+(?:\.\w+)*)", text):
        yield from accumulate(path.split("."), "{}.{}".format)


def _kind(thing: Any) -> str:
    if not inspect.isclass(thing):
        return "function"
    return "exception" if issubclass(thing, Exception) else "class"


def described(thing: Any, lines: list[str]) -> list[str]:
    """Return the lines of a docstring in reStructuredText, with lists of the parameters, the errors and the sources.

    A docstring has "name, name: text" for parameters, "ValueError: text" for errors and "Source: text".
    """
    signature = _signature(thing)
    page: list[str] = []
    entries: dict[str, list[str]] = {"Parameters": [], "Errors": [], "Source": []}
    for paragraph in "\n".join(lines).strip().split("\n\n"):
        if paragraph.lstrip().startswith(">>>"):
            page += ["", ".. rubric:: Example", "", ".. doctest::", *_skipped(thing), ""]
            page += [f"   {line}" for line in paragraph.strip("\n").splitlines()]
        elif re.search(r"^\s", paragraph, re.MULTILINE):
            page += ["", *map(symbols, paragraph.splitlines()), ""]
        else:
            prose = _sorted(" ".join(paragraph.split()), signature, entries)
            page += ["", symbols(prose), ""]
    entries["Parameters"].sort(key=lambda block: [*signature].index(block.partition("``")[2].partition("``")[0]))
    told = [block for title, members in entries.items() if members for block in (f".. rubric:: {title}", "", *members)]
    example = page.index(".. rubric:: Example") if ".. rubric:: Example" in page else len(page)
    return [*page[:example], *"\n".join(told).splitlines(), "", *page[example:]]


def _skipped(thing: Any) -> list[str]:
    """Return the option that leaves out an example for which PyTorch is missing."""
    return ["   :skipif: torch is None"] if ".torch." in f"{getattr(thing, '__module__', '')}." else []


def undescribed(thing: Any) -> set[str]:
    """Return the names of the parameters that the docstring of a function or class does not describe."""
    names = _signature(thing)
    text = " ".join((inspect.getdoc(thing) or "").split())
    heads = (re.split(r", | and ", head) for head, _ in _cut(text, names) if head)
    return set(names) - {name for head in heads for name in head}


def symbols(text: str) -> str:
    """Return a sentence with its symbols as formulas; names between backticks are code, and lead to their pages."""
    pieces = re.split(r"(`[^`]+`|(?:\w+=)?\"[^\"\s]+\")", text)
    return "".join(f"\\ {_code(piece)}\\ " if i % 2 else _typeset(piece) for i, piece in enumerate(pieces))


def _code(piece: str) -> str:
    """Return a name between backticks as a link to its page if it has one, and any other text as code."""
    name = piece.strip("`").removeprefix("igbtheory.").removesuffix("()")
    if piece.startswith("`") and {name, name.rpartition(".")[0]} & _names():
        return f":py:obj:`{piece.strip('`')} <igbtheory.{name}>`"
    return f"``{piece.strip('`')}``"


@cache
def _names() -> set[str]:
    reference = Path(__file__).with_name("api.rst").read_text(encoding="utf-8")
    return {name for group in listed(reference).values() for name in group}


def _typeset(text: str) -> str:
    return typeset(text, lambda latex: rf"\ :math:`{latex}`\ ", lambda plain: re.sub(r"([*|_\\])", r"\\\1", plain))


def _signature(thing: Any) -> dict[str, inspect.Parameter]:
    """Return the parameters of a function or class by their names, or none."""
    try:
        parameters = inspect.signature(thing).parameters
    except (TypeError, ValueError):
        return {}
    return {name: parameter for name, parameter in parameters.items() if name not in {"self", "args", "kwargs"}}


def _sorted(text: str, signature: dict[str, inspect.Parameter], entries: dict[str, list[str]]) -> str:
    """Return the prose of a paragraph, and add what it says of parameters, errors and sources to their lists."""
    prose = []
    for head, said in _cut(text, signature):
        if not head:
            prose.append(said)
        elif head.startswith("Source"):
            source = re.sub("^Sources? ?", "", head) + f" {said}"
            entries["Source"].append(symbols(source.strip()) + "\n")
        else:
            names = re.split(r", | and ", head)
            title = "Errors" if re.fullmatch(ERROR, names[0]) else "Parameters"
            entries[title].append(f"{_head(names, signature)}\n    {symbols(said)}\n")
    return " ".join(prose)


def _cut(text: str, names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield pairs of a head and what it says; the head of prose is empty."""
    one = rf"(?:{'|'.join([*map(re.escape, names), ERROR])})"
    head = rf"(?:^|(?<=[.;:?)] ))((?:{one}(?:(?:, | and ){one})*|Sources?(?: of [\w ]+)?)): "
    pieces = re.split(head, text)
    yield from ((head, said.strip()) for head, said in zip(["", *pieces[1::2]], pieces[::2], strict=True) if said)


def _head(names: list[str], signature: dict[str, inspect.Parameter]) -> str:
    """Return the term of a list: names, their types where they are told, and defaults."""
    parameters = [signature[name] for name in names if name in signature]
    types = list(dict.fromkeys(filter(None, map(_type, parameters))))
    defaults = list(dict.fromkeys(repr(one.default) for one in parameters if one.default is not one.empty))
    if len(defaults) == 1 and len(defaults[0]) < 40:
        types.append(f"default ``{defaults[0]}``")
    about = f" : {', '.join(types)}".replace("*", r"\*").replace("|", "or") if types else ""
    return ", ".join(f"``{name}``" for name in names) + about


def _type(parameter: inspect.Parameter) -> str:
    """Return the type of a parameter in few words, or "" for any."""
    if parameter.annotation in {parameter.empty, Any, "Any"}:
        return ""
    text = inspect.formatannotation(parameter.annotation)
    for pattern, replacement in SHORT:
        text = re.sub(pattern, replacement, text)
    forward = re.fullmatch(r"'([^']*)'", text)
    return forward[1] if forward else re.sub(r"'[^']*'", r"``\g<0>``", text)
