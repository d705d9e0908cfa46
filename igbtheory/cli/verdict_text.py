"""The verdict in words."""

from typing import Any

import igbtheory as igb
from igbtheory.cli import output
from igbtheory.formulas import Function
from igbtheory.verdict import ROUNDING, Course, Verdict
from igbtheory.verdict.formula_text import number_text, pieces_text

SHOWN = (1, 2, 3, 5, 10, 30, 100, 300, 1000, 3000, 10_000)
"""Depths in the table, besides the last one."""
LEVELS = (0.1, 1)
"""Bias ratios by which the fate of a shift is told."""
PARITIES = {1: "even", -1: "odd", 0: "neither even nor odd"}
DIRECTIONS = {1: "increasing", -1: "decreasing", 0: "not monotonic"}


def lines(found: Verdict) -> list[Any]:
    """Lines and tables of the verdict."""
    parts = [
        *_formula(found.phi),
        _network(found),
        "",
        *_first_depth(found),
        "",
        *_depth(found),
        "",
        _table(found),
        "",
        *_guesses(found.course),
    ]
    return [*parts, "", *_shift(found)] if found.shift else parts


def _formula(phi: Function) -> list[str]:
    pieces = pieces_text(phi.pieces)
    source = f"   ({phi.source})" if phi.source else ""
    head = [f"{phi.name}{source}"] + [f"  {formula:<24} {where}".rstrip() for where, formula in pieces]
    kinks = f"kinks at {', '.join(map(number_text, phi.pieces.kinks))}" if phi.pieces.kinks else "no kinks"
    degree = "not homogeneous" if phi.degree is None else f"homogeneous of degree {phi.degree}"
    closed = "moments in closed form" if phi.closed else "moments by quadrature"
    growth = phi.growth if phi.growth == "bounded" else f"{phi.growth} growth"
    words = (PARITIES[phi.parity], DIRECTIONS[phi.monotonicity], kinks, degree, growth, closed)
    return [*head, "; ".join(words)]


def _network(found: Verdict) -> str:
    bias = f", sigma_b2={found.sigma_b2:g}" if found.sigma_b2 else ""
    law = f"N({found.inputs.shift:g}, {found.inputs.variance:g})"
    return f"in mlp({found.depth}, sigma_w2={found.sigma_w2:g}{bias}), Gaussian inputs {law}"


def _first_depth(found: Verdict) -> list[str]:
    law = f"the first pre-activation, N(0, {found.course.q[0]:.6g})"
    mean = f"E phi = {found.mean:.10g} under {law}" if found.mean else f"E phi = 0 under {law}"
    if not found.is_biased:
        return ["At depth 1 it is not biased: gamma = 0.", f"  {mean}: no bias (initial-guessing-bias, Theorem 5.1)."]
    reasons = {
        "mean": f"{mean}, is not zero (initial-guessing-bias, Theorem 5.1)",
        "centres": f"the centres of the first pre-activations scatter, by {_scatter(found)}",
        "biases": f"the biases of the output, sigma_b2 = {found.sigma_b2:g}, shift every centre",
    }
    shares = [f"  {cause.share:>6.1%} of var_mu: {reasons[cause.name]}" for cause in found.causes]
    innocent = [] if any(cause.name == "mean" for cause in found.causes) else [f"  {mean}: phi itself does not bias."]
    return [f"At depth 1 it is biased: gamma = {found.gamma:.10g}.", *shares, *innocent]


def _scatter(found: Verdict) -> str:
    names = [("shifted inputs", found.inputs.shift), ("biases", found.sigma_b2)]
    return " and ".join(name for name, value in names if value)


def _depth(found: Verdict) -> list[str]:
    course = found.course
    verbs = {
        "amplifies": "Depth amplifies the bias",
        "saturates": "Depth saturates the bias",
        "removes": "Depth removes the bias",
        "none": "Depth brings no bias",
        "undecided": "What depth does to the bias is open",
    }
    told = [
        f"{verbs[found.effect]}: gamma {course.tendency}.",
        f"  q, the second moment before phi, {course.q_tendency}.",
    ]
    if course.still is not None:
        told.append(f"  From depth {course.still} on both variances stand still to 13 digits.")
    if course.stopped:
        told.append(f"  The table ends at depth {course.reached} of {found.depth}: {course.stopped}.")
    return told


def _table(found: Verdict) -> Any:
    course, other = found.course, found.shifted
    depths = sorted({depth for depth in (*SHOWN, course.reached) if depth <= course.reached})
    columns = ["depth", "gamma", "favoured class gets", *(["gamma of phi - s"] if found.shift else [])]
    rows = []
    for depth in depths:
        row = [str(depth), _gamma(course, depth), f"{igb.GuessLaw(course.gamma[depth]).majority():.2%}"]
        rows.append([*row, _gamma(other, depth)] if found.shift else row)
    return output.table(columns, rows)


def _gamma(course: Course, depth: int) -> str:
    """Gamma at a depth, rounding of 0 as the 0 that it means."""
    if depth > course.reached:
        return "out of range"
    gamma = float(course.gamma[depth])
    return f"{gamma:.8g}" if gamma > ROUNDING else "0"


def _guesses(course: Course) -> list[str]:
    law, prediction = course.prediction.G0, course.prediction
    words = {
        "neutral": "neutral, the law of G0 has one peak, at 1/2",
        "uniform": "uniform, every share of the data is as likely",
        "prejudiced": "prejudiced, the law of G0 has two peaks, at 0 and 1",
    }
    kind = words[prediction.regime] if prediction.gamma else "neutral, all networks share the data equally"
    return [
        f"At depth {course.reached} it is {kind}; standard deviation {law.std():.6g} over initialisations.",
        f"  Estimated relative error of the variances: {float(prediction.error):.1g}.",
    ]


def _shift(found: Verdict) -> list[str]:
    other = found.shifted
    left = "removes the bias at depth 1" if len(found.causes) == 1 else "takes the mean's part of it away"
    head = f"The shift: phi - s with s = {found.shift:.15g} {left} (gamma = {_gamma(other, 1)})."
    fate = [f"  {_passing(other, level)}" for level in LEVELS]
    end = f"  With this s at all depths gamma {other.tendency}."
    return [head, end, *fate, *([f"  It ends at depth {other.reached}: {other.stopped}."] if other.stopped else [])]


def _passing(course: Course, level: float) -> str:
    depth = course.first_beyond(level)
    return f"gamma exceeds {level:g} {f'at depth {depth}' if depth else 'at no depth seen'}."
