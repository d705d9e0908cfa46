"""The page of the report: one HTML file that needs no other."""

import base64
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from igbtheory.claims.runner import STANDINGS
from igbtheory.claims.runner import Outcome as Examined
from igbtheory.report.cases import INPUTS, NORMS
from igbtheory.report.classes import ClassStudy
from igbtheory.report.study import Outcome


def write_page(
    outcomes: list[Outcome], classes: list[ClassStudy], claims: list[Examined], folder: Path, about: dict[str, Any]
) -> None:
    """Write the page index.html, with the pictures that lie in the folder inside it."""
    environment = Environment(
        loader=PackageLoader("igbtheory.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["picture"] = lambda name: _data_uri(folder / f"{name}.png")
    environment.filters |= {"number": _number, "with_error": _with_error}
    scores = [row.z for outcome in outcomes for row in (outcome.gamma, outcome.variance)]
    page = environment.get_template("index.html.j2").render(
        outcomes=outcomes,
        plain=[outcome for outcome in outcomes if outcome.case.norm is None],
        placements=placements(outcomes),
        inputs=INPUTS,
        disagreeing=[outcome for outcome in outcomes if not outcome.comparison.agrees()],
        scores=len(scores),
        outside=sum(abs(z) > 2 for z in scores),
        expected=len(scores) * 0.0455,
        classes=classes,
        claims=claims,
        papers=by_paper(claims),
        **about,
    )
    (folder / "index.html").write_text(page, encoding="utf-8")


def placements(outcomes: list[Outcome]) -> list[tuple[str, list[Outcome]]]:
    """Return the name of every norm in every placement, and of none, with the outcomes by depth on Gaussian inputs."""
    normed = [outcome for outcome in outcomes if outcome.case.norm is not None]
    depths = {outcome.case.depth for outcome in normed}
    found: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        case = outcome.case
        if case.inputs == "gaussian" and case.depth in depths and case.activation == normed[0].case.activation:
            name = "none" if case.norm is None else f"{NORMS[case.norm]} {case.placement}"
            found.setdefault(name, []).append(outcome)
    return list(found.items())


def by_paper(claims: list[Examined]) -> dict[str, dict[str, int]]:
    """Return the number of claims of every paper with each standing."""
    counts: dict[str, dict[str, int]] = {}
    for claim in claims:
        paper = counts.setdefault(claim.claim.id.split("-")[0], dict.fromkeys(STANDINGS, 0))
        paper[claim.standing] += 1
    return dict(sorted(counts.items()))


def _data_uri(path: Path) -> str:
    return "data:image/png;base64," + base64.b64encode(path.read_bytes()).decode("ascii")


def _number(value: float, digits: int = 4) -> Markup:
    """Return a number to read, small ones with a power of ten."""
    power = _power(value)
    return _times_power(f"{value / 10.0**power:.{digits}g}", power)


def _with_error(value: float, error: float) -> Markup:
    """Return a value and its error, both to the second digit of the error, small ones with a common power of ten.

    An error in digits that nobody reads stands alone.
    """
    if not (np.isfinite(value) and error > 0):
        return _number(value)
    if error < 1e-4 * abs(value):
        return _number(value) + Markup(" ± ") + _number(error, 2)
    power = _power(max(abs(value), error))
    places = max(0, 1 - int(np.floor(np.log10(error))) + power)
    text = f"{value / 10.0**power:.{places}f} ± {error / 10.0**power:.{places}f}"
    return _times_power(f"({text})" if power else text, power)


def _power(value: float) -> int:
    """Return the power of ten that numbers below a thousandth are written with."""
    return int(np.floor(np.log10(abs(value)))) if 0 < abs(value) < 1e-3 else 0


def _times_power(text: str, power: int) -> Markup:
    shown = Markup(text.replace("-", "\N{MINUS SIGN}"))  # noqa: S704 - a number, no text of others
    return shown + Markup("·10<sup>\N{MINUS SIGN}{}</sup>").format(-power) if power else shown
