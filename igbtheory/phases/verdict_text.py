"""The verdict on an activation as text and as plain values: what `igb activation` prints."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from igbtheory.foundations.text import table
from igbtheory.guesses import GuessLaw
from igbtheory.mathematics.formulas.text import number_text, pieces_text
from igbtheory.phases.course import ROUNDING, Course
from igbtheory.phases.judgement import Judgement

SHOWN = (1, 2, 3, 5, 10, 30, 100, 300, 1000, 3000, 10_000)
"""Depths in the table of a verdict, in addition to the last one."""
LEVELS = (0.1, 1)
"""Bias ratios for which the text states the depth at which phi - s exceeds them."""
EFFECTS = {
    "amplifies": "Depth amplifies the bias",
    "saturates": "Depth saturates the bias",
    "removes": "Depth removes the bias",
    "none": "Depth adds no bias",
    "undecided": "What depth does to the bias is open",
}
PARITIES = {1: "even", -1: "odd", 0: "neither even nor odd"}
DIRECTIONS = {1: "increasing", -1: "decreasing", 0: "not monotonic"}
REGIMES = {
    "neutral": "neutral, the law of G0 has one peak, at 1/2",
    "uniform": "uniform, all shares of the data are equally likely",
    "prejudiced": "prejudiced, the law of G0 has two peaks, at 0 and 1",
}
UNBIASED = "neutral, every network gives both classes one half of infinitely many data"
"""What takes the place of the regime if gamma is 0."""
MOST = 12
"""Largest number of pieces or kinks that are listed, so that the text fits a screen."""


def text_of(judgement: Judgement) -> str:
    """Return the verdict in words, with a table of gamma over depth."""
    passages = [
        _formula(judgement),
        _first_depth(judgement),
        _deeper(judgement),
        _table(judgement),
        _guesses(judgement),
    ]
    return "\n\n".join([*passages, _shift(judgement)] if judgement.shift else passages)


def _formula(judgement: Judgement) -> str:
    phi = judgement.phi
    lines = [f"{phi.name}   ({phi.source})" if phi.source else phi.name]
    pieces = len(phi.pieces.formulas)
    if phi.doubt:
        within = max(phi.doubt.between(-8, 8))
        lines.append(f"  approximated by {pieces} polynomials, to {within:.1g} for |x| < 8")
    elif pieces > MOST:
        lines.append(f"  {pieces} pieces")
    else:
        lines += [f"  {formula:<24} {where}".rstrip() for where, formula in pieces_text(phi.pieces)]
    shown = [*map(number_text, phi.kinks[:MOST]), *(["..."] if len(phi.kinks) > MOST else [])]
    kinks = f"kinks at {', '.join(shown)}" if shown else "no kinks"
    degree = "not homogeneous" if phi.degree is None else f"homogeneous of degree {phi.degree}"
    closed = "moments in closed form" if phi.closed else "moments by quadrature"
    growth = phi.growth if phi.growth == "bounded" else f"{phi.growth} growth"
    lines.append("; ".join((PARITIES[phi.parity], DIRECTIONS[phi.monotonicity], kinks, degree, growth, closed)))
    bias = f", sigma_b2={judgement.sigma_b2:g}" if judgement.sigma_b2 else ""
    law = f"N({judgement.inputs.shift:g}, {judgement.inputs.variance:g})"
    return "\n".join(
        [*lines, f"in mlp({judgement.depth}, sigma_w2={judgement.sigma_w2:g}{bias}), Gaussian inputs {law}"]
    )


def _first_depth(judgement: Judgement) -> str:
    law = f"the first pre-activation, N(0, {judgement.course.q[0]:.6g})"
    mean = f"E phi = {judgement.mean:.10g} under {law}" if judgement.mean else f"E phi = 0 under {law}"
    if not judgement.is_biased:
        none = "At depth 1 it is not biased: gamma = 0."
        return f"{none}\n  {mean}: no bias (initial-guessing-bias, Theorem 5.1)."
    scatter = [name for name, x in (("shifted inputs", judgement.inputs.shift), ("biases", judgement.sigma_b2)) if x]
    reasons = {
        "mean": f"{mean}, is not zero (initial-guessing-bias, Theorem 5.1)",
        "centres": f"the centres of the first pre-activations scatter, by {' and '.join(scatter)}",
        "biases": f"the biases of the output, sigma_b2 = {judgement.sigma_b2:g}, shift every centre",
    }
    lines = [f"At depth 1 it is biased: gamma = {judgement.gamma:.10g}."]
    lines += [f"  {cause.share:>6.1%} of var_mu: {reasons[cause.name]}" for cause in judgement.causes]
    innocent = all(cause.name != "mean" for cause in judgement.causes)
    return "\n".join([*lines, f"  {mean}: phi itself does not bias."] if innocent else lines)


def _deeper(judgement: Judgement) -> str:
    course = judgement.course
    lines = [
        f"{EFFECTS[judgement.effect]}: gamma {course.rate}.",
        f"  q, the second moment before phi, {course.variance}.",
    ]
    if course.still is not None:
        lines.append(f"  From depth {course.still} on both variances stay the same to 13 digits.")
    if course.stopped:
        lines.append(f"  The table ends at depth {course.reached} of {judgement.depth}: {course.stopped}.")
    return "\n".join(lines)


def _table(judgement: Judgement) -> str:
    depths = sorted({depth for depth in (*SHOWN, judgement.course.reached) if depth <= judgement.course.reached})
    law = (f"{GuessLaw(judgement.course.gamma[depth]).majority():.2%}" for depth in depths)
    columns = {"depth": map(str, depths), "gamma": _gammas(judgement.course, depths), "favoured class gets": law}
    if judgement.shift:
        columns["gamma of phi - s"] = _gammas(judgement.shifted, depths)
    return table(columns, zip(*columns.values(), strict=True))


def _guesses(judgement: Judgement) -> str:
    prediction = judgement.course.prediction
    kind = REGIMES[prediction.regime] if prediction.gamma else UNBIASED
    return (
        f"At depth {judgement.course.reached} it is {kind}; standard deviation {prediction.G0.std():.6g} over "
        f"initialisations.\n  Estimated relative error of the variances: {float(prediction.error):.1g}."
    )


def _shift(judgement: Judgement) -> str:
    other = judgement.shifted
    whole = "" if len(judgement.causes) == 1 else "part of "
    gamma = next(_gammas(other, [1]))
    lines = [
        f"The shift: phi - s with s = {judgement.shift:.15g} removes {whole}the bias at depth 1 (gamma = {gamma}).",
        f"  With this s at all depths gamma {other.rate}.",
    ]
    for level in LEVELS:
        depth = other.first_beyond(level)
        never = f"does not exceed {level:g} down to depth {other.reached}"
        lines.append(f"  gamma {f'exceeds {level:g} at depth {depth}' if depth else never}.")
    return "\n".join([*lines, f"  It ends at depth {other.reached}: {other.stopped}."] if other.stopped else lines)


def _gammas(trajectory: Course, depths: list[int]) -> Iterator[str]:
    """Yield gamma at these depths as text, and 0 if it is 0 up to rounding error."""
    for gamma in trajectory.at(tuple(depths)):
        yield "out of range" if np.isnan(gamma) else f"{gamma:.8g}" if gamma > ROUNDING else "0"


def dict_of(judgement: Judgement) -> dict[str, Any]:
    """Return the verdict as plain values, with all depths."""
    phi = judgement.phi
    return {
        "activation": phi.name,
        "formula": [{"where": where, "formula": formula} for where, formula in pieces_text(phi.pieces)],
        "source": phi.source,
        "kinks": [float(kink) for kink in phi.kinks],
        "parity": phi.parity,
        "degree": None if phi.degree is None else float(phi.degree),
        "growth": phi.growth,
        "closed_forms": phi.closed is not None,
        **{name: getattr(judgement, name) for name in ("sigma_w2", "sigma_b2", "depth", "mean", "effect", "shift")},
        "inputs": vars(judgement.inputs),
        "biased": judgement.is_biased,
        "causes": {cause.name: cause.share for cause in judgement.causes},
        **_course(judgement.course),
        "shifted": _course(judgement.shifted),
    }


def _course(course: Course) -> dict[str, Any]:
    """Return a course as plain values: entry d of a list belongs to depth d, entry 0 to the first Dense."""
    law = GuessLaw(course.gamma[-1])
    return {
        **{name: getattr(course, name) for name in ("reached", "stopped", "still", "gamma", "q")},
        "tendency": {**vars(course.rate), "text": str(course.rate)},
        "q_tendency": {"limit": course.variance.q, "growth": course.variance.growth, "text": str(course.variance)},
        "regime": course.prediction.regime,
        "G0": {"std": law.std(), "majority": law.majority()},
        "error": course.prediction.error,
    }
