"""The page of the report: one HTML file that contains its pictures."""

import base64
import math
import re
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, final

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup

from igbtheory.claims.claim import LISTS
from igbtheory.claims.papers import PAPERS
from igbtheory.claims.report import mathml
from igbtheory.claims.runner import STANDINGS
from igbtheory.claims.runner import Outcome as Examined
from igbtheory.foundations.text import measured
from igbtheory.presentation.report.cases import DATA, GAUSSIAN, INPUTS, NORMS, WIDTH
from igbtheory.presentation.report.differences import deviation
from igbtheory.presentation.report.jobs import Jobs
from igbtheory.presentation.report.study import Expected
from igbtheory.presentation.report.tables import TABLES

PAGE = "index.html"
RUNNING, INTERRUPTED, COMPLETE = "running", "interrupted", "complete"
"""States of a report."""
TOLD = 0.002
"""Relative error of a prediction from which on the error is shown: smaller ones do not change four digits."""
CONTENTS = {
    "simulation": "Theory beside simulation, case by case",
    "gaussian": "Gaussian inputs",
    "digits": "Handwritten digits",
    "norms": "Where the norm is placed",
    "classes": "Ten classes, and what a loss makes of them",
    "claims": "What the papers claim",
    "setting": "Setting and definitions",
    "computation": "How it was computed",
    "references": "The papers",
}
"""The sections behind the two first screens, by their anchors."""


@final
@dataclass(frozen=True)
class Shown:
    """A picture on the page: the image as the text of its source, its title, and what it shows."""

    source: str
    title: str
    about: str


def shown_in(folder: Path, name: str) -> Shown:
    """Return a picture that lies in a folder, with its caption."""
    image = base64.b64encode((folder / f"{name}.png").read_bytes()).decode("ascii")
    title, _, about = (folder / f"{name}.txt").read_text(encoding="utf-8").partition("\n\n")
    return Shown(f"data:image/png;base64,{image}", title, about)


def write_page(jobs: Jobs, pictures: dict[str, Shown], state: str, file: Path, about: dict[str, Any]) -> None:
    """Write the page of the results that are there, and of all predictions."""
    outcomes = {outcome.case: outcome for outcome in jobs.outcomes}
    plain = [one for one in jobs.expected if one.case.norm is None]
    relu = [one for one in plain if one.case.law_shown and one.case.activation == "relu"]
    papers = by_paper(jobs.verdicts)
    scores = [row.z for outcome in jobs.outcomes for row in (outcome.gamma, outcome.variance)]
    page = _template().render(
        contents=CONTENTS,
        tables=TABLES,
        references=PAPERS,
        pictures=pictures,
        state=state,
        at=time.strftime("%H:%M:%S"),
        expected=jobs.expected,
        outcomes=outcomes,
        biased=sum(one.limit.gamma > 0 for one in jobs.expected),
        plain=plain,
        relu=relu,
        studies={study.case: study for study in jobs.studies},
        placements=placements(jobs.expected),
        inputs=INPUTS,
        size=jobs.size,
        width=WIDTH,
        data=DATA,
        disagreeing=[outcome for outcome in jobs.outcomes if not outcome.agrees],
        farthest=max(jobs.outcomes, key=lambda one: abs(one.comparison.largest_z.z), default=None),
        at_this_width=[one for one in jobs.expected if one.at_width],
        beyond=max(one.beyond for one in jobs.expected),
        scores=len(scores),
        over={limit: sum(abs(z) > limit for z in scores) for limit in (2, 3)},
        claims=jobs.claims,
        verdicts=jobs.verdicts,
        papers=papers,
        counts={standing: sum(paper[standing] for paper in papers.values()) for standing in STANDINGS},
        lists=LISTS,
        **about,
    )
    file.write_text(page, encoding="utf-8")


@cache
def _template() -> Template:
    """Return the template of the page, with its LaTeX formulas between $ or $$ replaced by MathML."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.globals |= {"heading": _heading, "pi": math.pi}
    environment.filters |= {"number": _number, "with_error": _with_error, "predicted": _predicted, "chance": _chance}
    environment.filters |= {"percent": "{:.0%}".format, "deviation": deviation}
    source = (Path(__file__).parent / "templates" / "index.html.j2").read_text(encoding="utf-8")
    source = re.sub(r"\$\$(.+?)\$\$", lambda match: mathml(match[1]), source)
    return environment.from_string(re.sub(r"\$(.+?)\$", lambda match: mathml(match[1], "inline"), source))


def _heading(section: str) -> Markup:
    return Markup('<h2 id="{}">{}</h2>').format(section, CONTENTS[section])


def _chance(count: int, limit: float) -> float:
    """Return how many of `count` standard normal variables lie beyond +-limit on average."""
    return count * math.erfc(limit / math.sqrt(2))


def placements(expected: list[Expected]) -> list[tuple[str, list[Expected]]]:
    """Return what is expected by depth on Gaussian inputs of every norm in every placement, with their names."""
    depths = {one.case.depth for one in expected if one.case.norm is not None}
    by_name: dict[str, list[Expected]] = {}
    for one in expected:
        case = one.case
        if case.inputs == GAUSSIAN and case.depth in depths and case.activation == "relu":
            name = "none" if case.norm is None else f"{NORMS[case.norm]} {case.placement}"
            by_name.setdefault(name, []).append(one)
    return list(by_name.items())


def by_paper(claims: list[Examined]) -> dict[str, dict[str, int]]:
    """Return how many claims of every paper have each standing."""
    counts: dict[str, dict[str, int]] = {}
    for claim in claims:
        paper = counts.setdefault(claim.claim.id.split("-")[0], dict.fromkeys(STANDINGS, 0))
        paper[claim.standing] += 1
    return dict(sorted(counts.items()))


def _number(value: float, digits: int = 4) -> Markup:
    return _as_html(f"{value:.{digits}g}")


def _with_error(value: float, error: float) -> Markup:
    """Return the value ± its standard error; a power of ten that they need stands behind both."""
    text = measured(value, error)
    if "e" not in text:
        return _as_html(text)
    power = int(text.partition("e")[2].split()[0])
    return _as_html(f"({measured(value / 10.0**power, error / 10.0**power)})e{power:+d}")


def _predicted(value: float, error: float) -> Markup:
    """Return a prediction, with its error if it changes the digits that are shown."""
    return _with_error(value, error) if error > TOLD * abs(value) else _number(value)


def _as_html(numbers: str) -> Markup:
    """Return numbers with minus signs instead of hyphens, and with powers of ten as superscripts."""
    powers = re.sub(r"e([+-])0*(\d+)", lambda e: f"·10<sup>{e[1].lstrip('+')}{e[2]}</sup>", numbers)
    return Markup(powers.replace("-", "\N{MINUS SIGN}"))  # noqa: S704 - numbers, no text of others
