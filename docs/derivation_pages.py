"""Write a page of derivations for each section of a paper. Sphinx calls this when it builds the documentation."""

import re
from pathlib import Path

from igbtheory.claims import Claim
from igbtheory.claims.library import library

SAID = {"holds": "holds", "fails": "fails as printed", "undecided": "not tested"}


def write_pages(folder: Path) -> None:
    """Write a page for every section of claims into the folder."""
    sections: dict[str, list[Claim]] = {}
    for claim in library().claims.values():
        sections.setdefault(claim.section, []).append(claim)
    write_changed(folder, {f"{_slug(title)}.rst": _page(title, claims) for title, claims in sections.items()})


def write_changed(folder: Path, texts: dict[str, str]) -> None:
    """Write files with these names and texts, and remove all others. Sphinx skips unchanged files, so leave those."""
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        if old.is_file() and old.name not in texts:
            old.unlink()
    for name, text in texts.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def _slug(title: str) -> str:
    return re.sub(r"\W+", "-", title.lower()).strip("-")


def _page(title: str, claims: list[Claim]) -> str:
    counts = ", ".join(f"{sum(claim.verdict == v for claim in claims)} {said}" for v, said in SAID.items())
    parts = [
        _heading(title, "="),
        f"{len(claims)} claims: {counts}. The code of these derivations is in {_file(claims)}.",
    ]
    for claim in claims:
        parts += [_heading(f"{claim.id}: {SAID[claim.verdict]}", "-"), *_claim(claim)]
    return "\n\n".join(parts) + "\n"


def _file(claims: list[Claim]) -> str:
    files = {claim.derivation.__code__.co_filename for claim in claims if claim.derivation is not None}
    names = sorted(f"``derivations/{Path(file).name}``" for file in files)
    return " and ".join(names) if names else "no file"


def _claim(claim: Claim) -> list[str]:
    parts = [*_stated("Claim", claim), *_why(claim)]
    if claim.correction is not None:
        parts += _stated("What is right", claim.correction)
    return parts + ([_code(claim.counter_example)] if claim.counter_example else [])


def _stated(label: str, claim: Claim) -> list[str]:
    """Return the paragraphs of a claim: the statement, the formula and the derivation."""
    says = claim.says + (f" ({claim.assumes})" if claim.assumes else "")
    formula = [f".. math:: {claim.formula}"] if claim.formula else []
    return [f"**{label}.** {plain(says)}", *formula, *([plain(claim.steps)] if claim.steps else [])]


def _why(claim: Claim) -> list[str]:
    return [f"Not tested: {plain(claim.reason)}."] if claim.reason else []


def _code(text: str) -> str:
    return "A counter-example:\n\n.. code-block:: python\n\n" + "\n".join(f"   {line}" for line in text.splitlines())


def _heading(text: str, line: str) -> str:
    return f"{plain(text)}\n{line * (2 * len(text))}"


def plain(text: str) -> str:
    """Return the text in paragraphs, with reStructuredText escaped."""
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n", text)]
    return "\n\n".join(re.sub(r"([\\*`_|<>\[\]#:.+~-])", r"\\\1", part) for part in paragraphs)
