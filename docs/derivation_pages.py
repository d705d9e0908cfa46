"""Write a page of derivations for each section of a paper. Sphinx calls this when it builds the documentation.

python docs/derivation_pages.py     # writes docs/errors.rst from the claims; a test compares it with them
"""

import re
import textwrap
from pathlib import Path

from changed_files import write_changed

from igbtheory.claims import PAPERS, Claim
from igbtheory.claims.claim import INSTEAD, LISTS
from igbtheory.claims.library import library
from igbtheory.claims.runner import FOR_STAND_IN, UNTESTED, standing
from igbtheory.claims.tally import tally

SAID = {"holds": "holds", FOR_STAND_IN: FOR_STAND_IN, "fails": "fails as printed", UNTESTED: UNTESTED}
ERRORS = """\
What we found in the papers
===========================

``igb verify`` checks the claims of five papers by algebra, quadrature and simulation. {tally} This page lists what
readers of the papers should know of: {counts}. A limit of validity is a statement that is right under the assumptions
of its paper. Each entry names the document that we read and the place in it, then what stands there, then what is
right, or what happens outside the assumptions.
``igb verify --out claims`` writes the evidence and a counter-example for each, and :doc:`derivations` has a page for
each section of a paper. This page is written from the claims by ``python docs/derivation_pages.py``.

What we read, by the first letter of an id (:doc:`references` has the papers):

{papers}

The words of C and D are those of summaries by others, and those of A of a version that the authors have replaced: what
is said of them here is not said of the papers.
"""


def write_pages(folder: Path) -> None:
    """Write a page for every section of claims into the folder."""
    sections: dict[str, list[Claim]] = {}
    for claim in library().claims.values():
        sections.setdefault(claim.section, []).append(claim)
    write_changed(folder, {f"{_slug(title)}.rst": _page(title, claims) for title, claims in sections.items()})


def errors_page(claims: list[Claim]) -> str:
    """Return the page that lists false statements, limits of validity and misprints."""
    lists = {title: [claim for claim in claims if claim.listed == title] for title in LISTS}
    counts = ", ".join(f"{len(members)} {title.lower()}" for title, members in lists.items())
    papers = "\n".join(f"- **{letter}**: {inline(str(paper))}." for letter, paper in PAPERS.items())
    head, *rest = ERRORS.format(tally=tally(claims), counts=counts, papers=papers).split("\n\n")
    page = [head, textwrap.fill(rest[0], 140), *rest[1:]]
    for title, members in lists.items():
        page += [_heading(title, "-"), *map(_entry, members)]
    return "\n\n".join(page) + "\n"


def _entry(claim: Claim) -> str:
    """Return the list item of a claim: its place, the statement, what is right or holds outside, and the formulas."""
    right = claim.correction
    if right is None:
        raise ValueError(f"{claim.id} says nothing of what is right")
    pieces = [
        f"- **{claim.id}** ({inline(claim.place)}): {_sentence(claim)}",
        f"**{INSTEAD[claim.kind]}**: {_sentence(right)}",
    ]
    return "\n\n  ".join(map(_wrapped, pieces))


def _wrapped(text: str) -> str:
    return textwrap.fill(text, 140, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def _sentence(claim: Claim) -> str:
    """Return the statement with its assumptions and its formula."""
    return inline(claim.sentence) + (f" :math:`{claim.formula}`" if claim.formula else "")


def _slug(title: str) -> str:
    return re.sub(r"\W+", "-", title.lower()).strip("-")


def _page(title: str, claims: list[Claim]) -> str:
    counts = ", ".join(
        f"{sum(standing(claim, claim.verdict) == v for claim in claims)} {said}" for v, said in SAID.items()
    )
    parts = [
        _heading(title, "="),
        f"{len(claims)} claims: {counts}. The code of these derivations is in {_file(claims)}.",
    ]
    for claim in claims:
        parts += [_heading(f"{claim.id}: {SAID[standing(claim, claim.verdict)]}", "-"), *_claim(claim)]
    return "\n\n".join(parts) + "\n"


def _file(claims: list[Claim]) -> str:
    files = {claim.derivation.__code__.co_filename for claim in claims if claim.derivation is not None}
    names = sorted(f"``derivations/{Path(file).name}``" for file in files)
    return " and ".join(names) if names else "no file"


def _claim(claim: Claim) -> list[str]:
    place = [f"In the {plain(claim.place)}."] if claim.place else []
    parts = [*place, *_stated("Claim", claim), *_why(claim)]
    if claim.correction is not None:
        parts += _stated(INSTEAD[claim.kind], claim.correction)
    return parts + ([_code(claim.counter_example)] if claim.counter_example else [])


def _stated(label: str, claim: Claim) -> list[str]:
    """Return the paragraphs of a claim: the statement, the formula and the derivation."""
    formula = [f".. math:: {claim.formula}"] if claim.formula else []
    return [f"**{label}.** {plain(claim.sentence)}", *formula, *([plain(claim.steps)] if claim.steps else [])]


def _why(claim: Claim) -> list[str]:
    return [f"Not tested: {plain(claim.reason)}."] if claim.reason else []


def _code(text: str) -> str:
    return "A counter-example:\n\n.. code-block:: python\n\n" + "\n".join(f"   {line}" for line in text.splitlines())


def _heading(text: str, line: str) -> str:
    return f"{plain(text)}\n{line * (2 * len(text))}"


def inline(text: str) -> str:
    """Return text that stands inside a paragraph, with inline markup of reStructuredText escaped."""
    return re.sub(r"([\\*`_|])", r"\\\1", text)


def plain(text: str) -> str:
    """Return the text in paragraphs, with reStructuredText escaped."""
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n", text)]
    return "\n\n".join(re.sub(r"([\\*`_|<>\[\]#:.+~-])", r"\\\1", part) for part in paragraphs)


if __name__ == "__main__":
    page = errors_page(list(library().claims.values()))
    (Path(__file__).parent / "errors.rst").write_text(page, encoding="utf-8")
