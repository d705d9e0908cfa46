"""Reports of claims: one text in Markdown, HTML with MathML and LaTeX, the same bytes for the same seed."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from latex2mathml.converter import convert
from markupsafe import Markup

from igbtheory.claims.claim import Claim
from igbtheory.claims.runner import STANDINGS, Outcome
from igbtheory.whole_files import whole_files

FORMATS = {"md": "report.md.j2", "html": "report.html.j2", "tex": "report.tex.j2"}
_TEX = {
    "\\": r"\textbackslash{}",
    **{c: "\\" + c for c in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def as_dict(outcome: Outcome) -> dict[str, Any]:
    """The outcome as JSON has it."""
    claim = outcome.claim
    return {
        "id": claim.id,
        "section": claim.section,
        "claim": claim.says,
        "assumptions": claim.assumes,
        "verdict": outcome.verdict,
        "recorded": claim.verdict,
        "reason": outcome.trouble or claim.reason,
        "evidence": [vars(finding) for finding in outcome.findings],
        "correction": None if claim.correction is None else claim.correction.says,
        "correction_verdict": None if claim.correction is None else outcome.correction_verdict,
        "correction_evidence": [vars(finding) for finding in outcome.corrected],
        "counter_example": claim.counter_example or None,
    }


def write_reports(outcomes: Sequence[Outcome], folder: Path, about: dict[str, Any]) -> None:
    """Write claims.md, claims.html, claims.tex and claims.json into the folder, which is made."""
    listed = {**about, "claims": [as_dict(outcome) for outcome in outcomes]}
    texts = {"json": json.dumps(listed, indent=2, ensure_ascii=False) + "\n"}
    context = _context(outcomes, about)
    texts |= {name: _environment().get_template(template).render(**context) for name, template in FORMATS.items()}
    with whole_files(folder, "--out") as work:
        for name, text in texts.items():
            (work / f"claims.{name}").write_text(text, encoding="utf-8")


def _context(outcomes: Sequence[Outcome], about: dict[str, Any]) -> dict[str, Any]:
    sections: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        sections.setdefault(outcome.claim.section, []).append(outcome)
    counts = {standing: sum(o.standing == standing for o in outcomes) for standing in STANDINGS}
    wrong = [outcome for outcome in outcomes if outcome.verdict == "fails"]
    return {"sections": sections, "counts": counts, "wrong": wrong, **about}


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("igbtheory.claims", "templates"),
        autoescape=select_autoescape(("html.j2",)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"mathml": mathml, "tex": _tex, "paragraph": lambda text: " ".join(text.split())}
    return environment


def mathml(claim: Claim) -> Markup:
    """The formula of a claim in MathML, its words where it has none."""
    if not claim.formula:
        return Markup.escape(claim.says)
    return Markup(convert(claim.formula, display="block"))  # noqa: S704 - of the library, from our own LaTeX


def _tex(text: str) -> str:
    return "".join(_TEX.get(character, character) for character in text)
