"""Reports of claims: one content in JSON, Markdown, HTML with MathML, and LaTeX; the same bytes for the same seed."""

import json
from collections.abc import Sequence
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from latex2mathml.converter import convert
from markupsafe import Markup

from igbtheory.claims.claim import Claim
from igbtheory.claims.finding import Finding
from igbtheory.claims.papers import PAPERS
from igbtheory.claims.runner import STANDINGS, Outcome
from igbtheory.whole_files import whole_files

FORMATS = {"md": "report.md.j2", "html": "report.html.j2", "tex": "report.tex.j2"}
_TEX = {
    "\\": r"\textbackslash{}",
    **{c: "\\" + c for c in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "±": r"\ensuremath{\pm}",
}


def as_dict(outcome: Outcome) -> dict[str, Any]:
    """Return all that a report says of a claim."""
    claim = outcome.claim
    return {
        "id": claim.id,
        "section": claim.section,
        "verdict": outcome.standing,
        "recorded": claim.verdict if claim.derivation is not None else outcome.standing,
        "reason": outcome.trouble or claim.reason,
        **_statement(claim, outcome.findings),
        "counter_example": claim.program or None,
        "correction": None
        if claim.correction is None
        else {"verdict": outcome.correction_verdict, **_statement(claim.correction, outcome.corrected)},
    }


def _statement(claim: Claim, findings: Sequence[Finding]) -> dict[str, Any]:
    """Return what is said of a claim and of a correction alike."""
    return {
        "claim": claim.says,
        "assumptions": claim.assumes,
        "formula": claim.formula,
        "derivation": " ".join(claim.steps.split()),
        "source": claim.source,
        "evidence": [vars(finding) for finding in findings],
    }


def about(found: Sequence[dict[str, Any]], seed: int, *, quick: bool) -> dict[str, Any]:
    """Return what stands at the head of a report: counts of verdicts, the version, the seed, and the papers."""
    letters = sorted({claim["id"].split("-")[0] for claim in found})
    return {
        "igbtheory": version("igbtheory"),
        "seed": seed,
        "quick": quick,
        "counts": {standing: sum(claim["verdict"] == standing for claim in found) for standing in STANDINGS},
        "papers": {letter: str(PAPERS[letter]) for letter in letters if letter in PAPERS},
    }


def write_reports(
    outcomes: Sequence[Outcome], folder: Path, *, seed: int, quick: bool, problems: dict[str, str]
) -> None:
    """Write claims.md, claims.html, claims.tex and claims.json into the folder, which is made.

    problems: what was wrong with a file of claims, by its name.
    """
    claims = [as_dict(outcome) for outcome in outcomes]
    head = about(claims, seed, quick=quick) | {"problems": problems}
    texts = {"json": json.dumps({**head, "claims": claims}, indent=2, ensure_ascii=False) + "\n"}
    sections = [(title, list(part)) for title, part in groupby(claims, lambda claim: claim["section"])]
    environment = _environment()
    for name, template in FORMATS.items():
        texts[name] = environment.get_template(template).render(sections=sections, claims=claims, **head)
    with whole_files(folder, "--out") as work:
        for name, text in texts.items():
            (work / f"claims.{name}").write_text(text, encoding="utf-8")


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("igbtheory.claims", "templates"),
        autoescape=select_autoescape(("html.j2",)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"mathml": mathml, "tex": _tex, "right": _right}
    return environment


def _right(claim: dict[str, Any]) -> str:
    """Return what is right instead of a claim and what it assumes; nothing where the claim has no correction."""
    right = claim["correction"] or {"claim": "", "assumptions": ""}
    return f"{right['claim']} ({right['assumptions']})" if right["assumptions"] else str(right["claim"])


def mathml(formula: str, display: str = "block") -> Markup:
    """Return a formula in MathML; display: block or inline."""
    return Markup(convert(formula, display=display))  # noqa: S704 - of the library, from our own LaTeX


def _tex(text: str) -> str:
    return "".join(_TEX.get(character, character) for character in text)
