"""Reports of claims as text, JSON, Markdown, HTML with MathML, and LaTeX; the same seed gives the same bytes."""

import json
import textwrap
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from latex2mathml.converter import convert
from markupsafe import Markup, escape

from igbtheory.claims.claim import INSTEAD, LISTS, Claim
from igbtheory.claims.finding import HOLDS, Finding
from igbtheory.claims.papers import PAPERS
from igbtheory.claims.runner import STANDINGS, UNTESTED, Outcome, standing
from igbtheory.foundations.symbols import typeset
from igbtheory.foundations.whole_files import whole_files

FORMATS = {"md": "report.md.j2", "html": "report.html.j2", "tex": "report.tex.j2"}
_TEX = {
    "\\": r"\textbackslash{}",
    **{c: "\\" + c for c in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "±": r"\ensuremath{\pm}",
}


def as_dict(outcome: Outcome) -> dict[str, Any]:
    """Return everything that a report says about a claim."""
    claim = outcome.claim
    return {
        "id": claim.id,
        "section": claim.section,
        "place": claim.place,
        "kind": claim.kind,
        "listed": claim.listed,
        "verdict": outcome.standing,
        "recorded": standing(claim, claim.verdict),
        "reason": outcome.trouble or claim.reason,
        **_statement(claim, outcome.findings),
        "document": None if claim.transcription is None else claim.transcription.quote,
        "bound": list(map(_shown, outcome.bound)),
        "counter_example": claim.program or None,
        "correction": None
        if claim.correction is None
        else {"verdict": outcome.correction_verdict, **_statement(claim.correction, outcome.corrected)},
    }


def _statement(claim: Claim, findings: Sequence[Finding]) -> dict[str, Any]:
    """Return the part of a report that claims and corrections have in common."""
    return {
        "claim": claim.says,
        "assumptions": claim.assumes,
        "where": claim.where,
        "stand_in": claim.stand_in,
        "formula": claim.formula,
        "derivation": " ".join(claim.steps.split()),
        "source": claim.source,
        "evidence": list(map(_shown, findings)),
    }


def _shown(finding: Finding) -> dict[str, str]:
    """Return a finding without the places of what was filled in."""
    return {name: value for name, value in vars(finding).items() if name != "filled"}


def about(claims: Sequence[dict[str, Any]], seed: int, *, quick: bool) -> dict[str, Any]:
    """Return the head of a report: the numbers of verdicts, the version, the seed, and the papers."""
    letters = sorted({claim["id"].split("-")[0] for claim in claims})
    return {
        "igbtheory": version("igbtheory"),
        "seed": seed,
        "quick": quick,
        "counts": {one: sum(claim["verdict"] == one for claim in claims) for one in STANDINGS},
        "papers": {letter: str(PAPERS[letter]) for letter in letters if letter in PAPERS},
    }


def write_reports(
    outcomes: Sequence[Outcome], folder: Path, *, seed: int, quick: bool, problems: dict[str, str]
) -> None:
    """Write claims.md, claims.html, claims.tex and claims.json into the folder, which is created if it is missing.

    problems: error messages by the names of the files of claims that caused them.
    """
    claims = [as_dict(outcome) for outcome in outcomes]
    head = about(claims, seed, quick=quick) | {"problems": problems}
    lists = {title: [claim for claim in claims if claim["listed"] == title] for title in LISTS}
    texts = {"json": json.dumps({**head, "claims": claims}, indent=2, ensure_ascii=False) + "\n"}
    sections = [(title, list(part)) for title, part in groupby(claims, lambda claim: claim["section"])]
    environment = _environment()
    for name, template in FORMATS.items():
        texts[name] = environment.get_template(template).render(sections=sections, lists=lists, instead=INSTEAD, **head)
    with whole_files(folder, "--out") as work:
        for name, text in texts.items():
            (work / f"claims.{name}").write_text(text, encoding="utf-8")


def summary(outcomes: Sequence[Outcome], width: int) -> str:
    """Return a paragraph on every claim with its verdict, and the numbers of verdicts; width: characters in a line."""
    counts = {one: sum(o.standing == one for o in outcomes) for one in STANDINGS}
    why = " (definitions, or what needs training runs or other data)" if counts[UNTESTED] else ""
    paragraphs = [
        *map(_paragraph, outcomes),
        ", ".join(f"{count} {one}" for one, count in counts.items()) + why,
        *(f"{o.claim.id}: {o.verdict}, recorded {o.claim.verdict}. {_why(o)}" for o in outcomes if not o.as_recorded),
    ]
    lines = textwrap.TextWrapper(width, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
    return "\n".join(map(lines.fill, paragraphs))


def _paragraph(outcome: Outcome) -> str:
    """Return the id, the verdict, the place and the whole statement of a claim, and what is right or holds outside."""
    claim = outcome.claim
    place = f" ({claim.place})" if claim.place else ""
    text = f"{claim.id}: {outcome.standing}{'' if outcome.as_recorded else '!'}{place}. {claim.sentence}"
    return text if claim.correction is None else f"{text} {INSTEAD[claim.kind]}: {claim.correction.sentence}"


def _why(outcome: Outcome) -> str:
    findings = [f for f in (*outcome.findings, *outcome.corrected, *outcome.bound) if f.verdict != HOLDS]
    return outcome.trouble or "; ".join(f"{f.label}: {f.verdict}, {f.detail}" for f in findings[:3])


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=select_autoescape(("html.j2",)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"mathml": mathml, "symbols": symbols, "tex": _tex, "right": _right}
    return environment


def _right(claim: dict[str, Any]) -> str:
    """Return the correction of a claim with its assumptions, or "" if there is none."""
    right = claim["correction"] or {"claim": "", "assumptions": ""}
    return f"{right['claim']} ({right['assumptions']})" if right["assumptions"] else str(right["claim"])


@cache  # symbols recur
def mathml(formula: str, display: str = "block") -> Markup:
    """Return a formula in MathML; display: block or inline."""
    return Markup(convert(formula, display=display))  # noqa: S704 - the library converts our own LaTeX


def symbols(text: str) -> Markup:
    """Return a text as HTML, with the symbols in it in MathML."""
    html = typeset(text, lambda latex: str(mathml(latex, "inline")), lambda plain: str(escape(plain)))
    return Markup(html)  # noqa: S704 - the text is escaped, and the library converts our own LaTeX


def _tex(text: str) -> str:
    return "".join(_TEX.get(character, character) for character in text)
