"""The verdict on an activation: whether it biases, why, what depth makes of it, and which shift would remove it."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from igbtheory import checks
from igbtheory.accuracy import AccuracyWarning
from igbtheory.formulas import Function, function_of
from igbtheory.formulas.shift import shifted
from igbtheory.formulas.text import number_text, pieces_text
from igbtheory.guesses import GuessLaw
from igbtheory.inputs import GaussianInputs
from igbtheory.layers import Dense
from igbtheory.network import PROMISED
from igbtheory.numbers import FLOAT64
from igbtheory.phases.block import block_of, one_input, units
from igbtheory.phases.course import ROUNDING, Course, course
from igbtheory.phases.points import one_dense
from igbtheory.phases.rates import Rate
from igbtheory.text import table

SHOWN = (1, 2, 3, 5, 10, 30, 100, 300, 1000, 3000, 10_000)
"""Depths in the table of a verdict as text, besides the last one."""
LEVELS = (0.1, 1)
"""Bias ratios at which the text says how deep a shift helps."""
EFFECTS = {
    "amplifies": "Depth amplifies the bias",
    "saturates": "Depth saturates the bias",
    "removes": "Depth removes the bias",
    "none": "Depth brings no bias",
    "undecided": "What depth does to the bias is open",
}
PARITIES = {1: "even", -1: "odd", 0: "neither even nor odd"}
DIRECTIONS = {1: "increasing", -1: "decreasing", 0: "not monotonic"}
REGIMES = {
    "neutral": "neutral, the law of G0 has one peak, at 1/2",
    "uniform": "uniform, every share of the data is as likely",
    "prejudiced": "prejudiced, the law of G0 has two peaks, at 0 and 1",
}


@final
@dataclass(frozen=True)
class Cause:
    """A cause of bias at depth 1, and its share of var_mu there, from 0 to 1."""

    name: str
    share: float


@final
@dataclass(frozen=True, eq=False)
class Verdict:
    """Verdict on an activation in mlp(depth, phi, sigma_w2, sigma_b2). As text, all that `igb activation` prints.

    mean = E phi(h), h the first pre-activation, N(0, sigma_w2 (variance + shift^2) + sigma_b2), as every node and
    datum sees it; causes: what makes var_mu at depth 1; course: the moments over depth, where they go, the law of G0.
    Source: initial-guessing-bias, Theorem 5.1 (centred inputs, no biases: no bias at depth 1 if and only if mean = 0).
    """

    phi: Function
    sigma_w2: float
    sigma_b2: float
    depth: int
    inputs: GaussianInputs
    mean: float
    causes: tuple[Cause, ...]
    course: Course

    @property
    def gamma(self) -> float:
        """Bias ratio at depth 1."""
        return float(self.course.gamma[1])

    @property
    def is_biased(self) -> bool:
        """Whether there is a bias at depth 1, beyond what rounding leaves of none."""
        return self.gamma > ROUNDING

    @property
    def effect(self) -> str:
        """What depth does to the bias: "amplifies", "saturates", "removes", "none" (there is none) or "undecided"."""
        match self.course.rate:
            case Rate("none", limit=0):
                return "none"
            case Rate(limit=0):
                return "removes"
            case Rate(limit=limit) if not np.isnan(limit):
                return "saturates" if limit < np.inf else "amplifies"
            case _:
                return "undecided"

    @property
    def shift(self) -> float:
        """Constant s = E phi(h): phi - s has mean 0 at depth 1."""
        return self.mean

    @cached_property
    def shifted(self) -> Course:
        """Course of phi - s with the one s for all depths; that of phi itself where s = 0."""
        if self.shift == 0:
            return self.course
        return course(block_of(shifted(self.phi, self.shift)), self.course.dense, self.inputs, self.depth)

    def __str__(self) -> str:
        parts = [self._formula(), self._first_depth(), self._deeper(), self._table(), self._guesses()]
        return "\n\n".join([*parts, self._shift()] if self.shift else parts)

    def _formula(self) -> str:
        phi = self.phi
        lines = [f"{phi.name}   ({phi.source})" if phi.source else phi.name]
        lines += [f"  {formula:<24} {where}".rstrip() for where, formula in pieces_text(phi.pieces)]
        kinks = f"kinks at {', '.join(map(number_text, phi.pieces.kinks))}" if phi.pieces.kinks else "no kinks"
        degree = "not homogeneous" if phi.degree is None else f"homogeneous of degree {phi.degree}"
        closed = "moments in closed form" if phi.closed else "moments by quadrature"
        growth = phi.growth if phi.growth == "bounded" else f"{phi.growth} growth"
        lines.append("; ".join((PARITIES[phi.parity], DIRECTIONS[phi.monotonicity], kinks, degree, growth, closed)))
        bias = f", sigma_b2={self.sigma_b2:g}" if self.sigma_b2 else ""
        law = f"N({self.inputs.shift:g}, {self.inputs.variance:g})"
        return "\n".join([*lines, f"in mlp({self.depth}, sigma_w2={self.sigma_w2:g}{bias}), Gaussian inputs {law}"])

    def _first_depth(self) -> str:
        law = f"the first pre-activation, N(0, {self.course.q[0]:.6g})"
        mean = f"E phi = {self.mean:.10g} under {law}" if self.mean else f"E phi = 0 under {law}"
        if not self.is_biased:
            none = "At depth 1 it is not biased: gamma = 0."
            return f"{none}\n  {mean}: no bias (initial-guessing-bias, Theorem 5.1)."
        scatter = [name for name, x in (("shifted inputs", self.inputs.shift), ("biases", self.sigma_b2)) if x]
        reasons = {
            "mean": f"{mean}, is not zero (initial-guessing-bias, Theorem 5.1)",
            "centres": f"the centres of the first pre-activations scatter, by {' and '.join(scatter)}",
            "biases": f"the biases of the output, sigma_b2 = {self.sigma_b2:g}, shift every centre",
        }
        lines = [f"At depth 1 it is biased: gamma = {self.gamma:.10g}."]
        lines += [f"  {cause.share:>6.1%} of var_mu: {reasons[cause.name]}" for cause in self.causes]
        innocent = all(cause.name != "mean" for cause in self.causes)
        return "\n".join([*lines, f"  {mean}: phi itself does not bias."] if innocent else lines)

    def _deeper(self) -> str:
        found = self.course
        lines = [
            f"{EFFECTS[self.effect]}: gamma {found.rate}.",
            f"  q, the second moment before phi, {found.variance}.",
        ]
        if found.still is not None:
            lines.append(f"  From depth {found.still} on both variances stay the same to 13 digits.")
        if found.stopped:
            lines.append(f"  The table ends at depth {found.reached} of {self.depth}: {found.stopped}.")
        return "\n".join(lines)

    def _table(self) -> str:
        depths = sorted({depth for depth in (*SHOWN, self.course.reached) if depth <= self.course.reached})
        law = (f"{GuessLaw(self.course.gamma[depth]).majority():.2%}" for depth in depths)
        columns = {"depth": map(str, depths), "gamma": _gammas(self.course, depths), "favoured class gets": law}
        if self.shift:
            columns["gamma of phi - s"] = _gammas(self.shifted, depths)
        return table(columns, zip(*columns.values(), strict=True))

    def _guesses(self) -> str:
        found = self.course.prediction
        kind = REGIMES[found.regime] if found.gamma else "neutral, all networks share the data equally"
        return (
            f"At depth {self.course.reached} it is {kind}; standard deviation {found.G0.std():.6g} over "
            f"initialisations.\n  Estimated relative error of the variances: {float(found.error):.1g}."
        )

    def _shift(self) -> str:
        other = self.shifted
        left = "removes the bias at depth 1" if len(self.causes) == 1 else "takes the mean's part of it away"
        gamma = next(_gammas(other, [1]))
        lines = [
            f"The shift: phi - s with s = {self.shift:.15g} {left} (gamma = {gamma}).",
            f"  With this s at all depths gamma {other.rate}.",
        ]
        for level in LEVELS:
            depth = other.first_beyond(level)
            lines.append(f"  gamma exceeds {level:g} at {f'depth {depth}' if depth else 'no depth seen'}.")
        return "\n".join([*lines, f"  It ends at depth {other.reached}: {other.stopped}."] if other.stopped else lines)


def _gammas(found: Course, depths: list[int]) -> Iterator[str]:
    """Gamma at these depths as text; where it is rounding of 0, it is 0."""
    for gamma in found.at(tuple(depths)):
        yield "out of range" if np.isnan(gamma) else f"{gamma:.8g}" if gamma > ROUNDING else "0"


def verdict(
    activation: Any, sigma_w2: float = 2.0, sigma_b2: float = 0.0, depth: int = 100, inputs: Any = None
) -> Verdict:
    """Verdict on an activation: a name, a formula in x, a SymPy expression or a Function.

    sigma_w2, sigma_b2: variances, single numbers; depth: hidden layers followed; inputs: GaussianInputs, by default
    N(0, 1). Raises ValueError or TypeError where one of these is no such thing, where the data do not vary or where
    nothing is left after the first activation; AccuracyWarning as `Network.predict`.
    """
    phi, dense, inputs = function_of(activation), one_dense(sigma_w2, sigma_b2), one_input(inputs)
    found = course(block_of(phi), dense, inputs, checks.whole("depth", depth, 1))
    error = float(np.max(found.prediction.per_layer.error))
    if not error <= PROMISED:
        message = f"the estimated relative error of the variances reaches {error:.1g}, more than {PROMISED:g}"
        warnings.warn(message, AccuracyWarning, stacklevel=2)
    mean, causes = _first(phi, dense, inputs)
    return Verdict(phi, float(sigma_w2), float(sigma_b2), int(depth), inputs, mean, causes, found)


def _first(phi: Function, dense: Dense, inputs: GaussianInputs) -> tuple[float, tuple[Cause, ...]]:
    """Mean after the first activation, and the causes of bias there: the parts of var_mu after the next Dense."""
    with np.errstate(all="ignore"):
        x = dense.law(units(inputs.moments(FLOAT64))).then(phi).averaged()
    parts = {
        "mean": dense.sigma_w2 * x.mean**2,
        "centres": dense.sigma_w2 * x.var_mu,  # of the first pre-activations: shifted inputs and biases scatter them
        "biases": dense.sigma_b2,
    }
    noise = ROUNDING * (x.mean**2 + x.var_mu + x.var_chi) * dense.sigma_w2
    whole = sum(parts.values())
    return float(x.mean), tuple(Cause(name, float(part / whole)) for name, part in parts.items() if part > noise)
