"""The page of the report: one HTML file that contains its pictures."""

import base64
import math
import re
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup

from igbtheory.claims.claim import LISTS
from igbtheory.claims.papers import PAPERS
from igbtheory.claims.report import mathml
from igbtheory.claims.runner import STANDINGS
from igbtheory.claims.runner import Outcome as Examined
from igbtheory.foundations.text import measured
from igbtheory.guesses.bias_of_guesses import MEANING
from igbtheory.presentation.report.cases import INPUTS, NORMS
from igbtheory.presentation.report.classes import ClassStudy
from igbtheory.presentation.report.study import Outcome
from igbtheory.presentation.report.tables import TABLES

CONTENTS = {
    "results": "The results in short",
    "simulation": "Theory beside simulation",
    "gaussian": "Gaussian inputs",
    "digits": "Handwritten digits",
    "norms": "Where the norm is placed",
    "classes": "Ten classes, and what a loss makes of them",
    "claims": "What the papers claim",
    "setting": "Setting and definitions",
    "computation": "How it was computed",
    "references": "The papers",
}
"""The sections by their anchors."""


def write_page(
    outcomes: list[Outcome], classes: list[ClassStudy], claims: list[Examined], folder: Path, about: dict[str, Any]
) -> None:
    """Write the page index.html, which contains the pictures that lie in the folder."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.globals |= {"picture": lambda name: _data_uri(folder / f"{name}.png"), "heading": _heading}
    environment.globals |= {"caption": lambda name: _caption(folder / f"{name}.txt")}
    environment.filters |= {"number": _number, "with_error": _with_error, "chance": _chance}
    environment.filters |= {"percent": "{:.0%}".format}
    plain = [outcome for outcome in outcomes if outcome.case.norm is None]
    relu = [outcome for outcome in plain if (outcome.case.inputs, outcome.case.activation) == ("gaussian", "relu")]
    papers = by_paper(claims)
    scores = [row.z for outcome in outcomes for row in (outcome.gamma, outcome.variance)]
    page = _template(environment).render(
        contents=CONTENTS,
        tables=TABLES,
        references=PAPERS,
        outcomes=outcomes,
        biased=sum(outcome.prediction.gamma > 0 for outcome in outcomes),
        plain=plain,
        relu=relu,
        key=[(outcome, study) for outcome in relu for study in classes if study.case == outcome.case],
        pi=math.pi,
        placements=placements(outcomes),
        inputs=INPUTS,
        meaning=MEANING,
        disagreeing=[outcome for outcome in outcomes if not outcome.comparison.agrees()],
        scores=len(scores),
        beyond={limit: sum(abs(z) > limit for z in scores) for limit in (2, 3)},
        classes=classes,
        claims=claims,
        papers=papers,
        counts={standing: sum(paper[standing] for paper in papers.values()) for standing in STANDINGS},
        lists=LISTS,
        **about,
    )
    (folder / "index.html").write_text(page, encoding="utf-8")


def _template(environment: Environment) -> Template:
    """Return the template of the page, with its LaTeX formulas between $ or $$ replaced by MathML."""
    source = (Path(__file__).parent / "templates" / "index.html.j2").read_text(encoding="utf-8")
    source = re.sub(r"\$\$(.+?)\$\$", lambda match: mathml(match[1]), source)
    return environment.from_string(re.sub(r"\$(.+?)\$", lambda match: mathml(match[1], "inline"), source))


def _heading(section: str) -> Markup:
    return Markup('<h2 id="{}">{}</h2>').format(section, CONTENTS[section])


def _chance(count: int, limit: float) -> float:
    """Return how many of `count` standard normal variables lie beyond +-limit on average."""
    return count * math.erfc(limit / math.sqrt(2))


def placements(outcomes: list[Outcome]) -> list[tuple[str, list[Outcome]]]:
    """Return the outcomes by depth on Gaussian inputs of every norm in every placement, with their names."""
    normed = [outcome for outcome in outcomes if outcome.case.norm is not None]
    depths = {outcome.case.depth for outcome in normed}
    by_name: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        case = outcome.case
        if case.inputs == "gaussian" and case.depth in depths and case.activation == normed[0].case.activation:
            name = "none" if case.norm is None else f"{NORMS[case.norm]} {case.placement}"
            by_name.setdefault(name, []).append(outcome)
    return list(by_name.items())


def by_paper(claims: list[Examined]) -> dict[str, dict[str, int]]:
    """Return how many claims of every paper have each standing."""
    counts: dict[str, dict[str, int]] = {}
    for claim in claims:
        paper = counts.setdefault(claim.claim.id.split("-")[0], dict.fromkeys(STANDINGS, 0))
        paper[claim.standing] += 1
    return dict(sorted(counts.items()))


def _data_uri(path: Path) -> str:
    return "data:image/png;base64," + base64.b64encode(path.read_bytes()).decode("ascii")


def _caption(path: Path) -> tuple[str, str]:
    """Return the title of a caption and its other sentences."""
    title, _, about = path.read_text(encoding="utf-8").partition("\n\n")
    return title, about


def _number(value: float, digits: int = 4) -> Markup:
    return _as_html(f"{value:.{digits}g}")


def _with_error(value: float, error: float) -> Markup:
    """Return the value ± its standard error; a power of ten that they need stands behind both."""
    text = measured(value, error)
    if "e" not in text:
        return _as_html(text)
    power = int(text.partition("e")[2].split()[0])
    return _as_html(f"({measured(value / 10.0**power, error / 10.0**power)})e{power:+d}")


def _as_html(numbers: str) -> Markup:
    """Return numbers with minus signs instead of hyphens, and with powers of ten as superscripts."""
    powers = re.sub(r"e([+-])0*(\d+)", lambda e: f"·10<sup>{e[1].lstrip('+')}{e[2]}</sup>", numbers)
    return Markup(powers.replace("-", "\N{MINUS SIGN}"))  # noqa: S704 - numbers, no text of others
