"""The phase of a network: which row of the table of bias and gradients it belongs to, or why it belongs to none."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from igbtheory import checks
from igbtheory.inputs import GaussianInputs
from igbtheory.phases.block import Array, block_of, one_dense, one_input
from igbtheory.phases.course import Course, course
from igbtheory.phases.lines import edges_of_chaos, neutrality_line
from igbtheory.phases.points import FixedPoint, fixed_points
from igbtheory.phases.rates import Rate
from igbtheory.phases.variance import MARGIN
from igbtheory.result import Result
from igbtheory.text import table

DEPTHS = (10, 30, 100)
"""Depths whose gamma is given beside the limit."""
TABLE = {
    "ordered deep prejudice": "gamma -> inf, gradients vanish: the bias persists",
    "transient deep prejudice": "gamma -> inf, gradients neither grow nor vanish: the edge of chaos",
    "chaotic deep prejudice": "gamma -> inf, gradients explode",
    "prejudice": "1 < gamma < inf, gradients explode",
    "neutrality": "gamma < 1, gradients explode",
}
"""The rows of the table. Source: bias-meets-trainability, Table 1."""
OTHERS = {
    "no bias": "gamma = 0 at every depth: no biases, centred inputs, an activation of mean 0",
    "border": "gamma -> 1: between prejudice and neutrality",
    "kept bias": "the network becomes linear over depth, and gamma keeps what the first layers gave it",
    "undecided": "the variance of the units vanishes, slower than exponentially, and its limit does not decide gamma",
    "bias without chaos": "gamma settles though gradients do not explode: equal data are no fixed point",
    "no limit": "the variance of the units grows without bound or vanishes, by a factor that has no limit",
}
"""Cases that the table leaves out."""
UNSETTLED = (
    "gamma -> inf, gradients neither grow nor vanish: the backward threshold, but no edge of chaos, as the variance "
    "does not settle"
)
"""Meaning of the row of the edge of chaos where the variance grows without bound or vanishes."""
COLUMNS = ("q", "c", "gamma", "slope_q", "slope_c", "chi_1", "chi_tilde_1")
"""Numbers of a fixed point in the table of `Phase` as text."""
NOWHERE = "at no sigma_w2"


@final
@dataclass(frozen=True, eq=False, repr=False)
class Phase(Result):
    """Phase of a network: see `classify`. As text, all that `igb phase` prints.

    name: a row of the table, or a case that it leaves out (in_table says which); meaning: in words. point: the fixed
    point that depth takes the network to, None where there is none; rate: where gamma goes, and how fast. depths,
    gamma: bias ratios of networks so deep, NaN where the variance leaves double precision. remark: what becomes of a
    variance that does not settle, or "". course: the moments layer by layer.
    """

    name: str
    meaning: str
    point: FixedPoint | None
    rate: Rate
    depths: tuple[int, ...]
    gamma: Array
    remark: str
    course: Course

    @property
    def in_table(self) -> bool:
        """Whether the table of the paper has this phase."""
        return self.name in TABLE

    @cached_property
    def fixed_points(self) -> tuple[FixedPoint, ...]:
        """Fixed points at these variances of weights and biases: see `fixed_points`; none where there is no limit."""
        block, dense = self.course.block, self.course.dense
        return () if self.name == "no limit" else fixed_points(block, dense.sigma_w2, dense.sigma_b2)

    @cached_property
    def edges_of_chaos(self) -> Array:
        """Edges of chaos at this sigma_b2, ascending; none where f jumps or a norm divides sigma_w2 out."""
        try:
            found = edges_of_chaos(self.course.block, self.course.dense.sigma_b2)
        except ValueError:
            return np.array([])
        return found[np.isfinite(found)]

    @cached_property
    def neutrality_line(self) -> float:
        """Variance sigma_w2 on the neutrality line at this sigma_b2, or NaN."""
        return float(neutrality_line(self.course.block, self.course.dense.sigma_b2))

    def to_dict(self) -> dict[str, Any]:
        """Return the phase as plain values."""
        names = ("edges_of_chaos", "neutrality_line", "name", "meaning", "depths", "gamma", "remark", "in_table")
        return {
            **vars(self.course.dense),
            **{name: getattr(self, name) for name in names},
            "point": None if self.point is None else self.point.to_dict(),
            "rate": vars(self.rate),
            "fixed_points": [point.to_dict() for point in self.fixed_points],
        }

    def __str__(self) -> str:
        dense, point = self.course.dense, self.point
        outside = "" if self.in_table else " (a case that the table of phases leaves out)"
        gammas = ("out of range" if np.isnan(gamma) else f"{gamma:.6g}" for gamma in self.gamma)
        seen = ", ".join(f"{gamma} at {depth}" for gamma, depth in zip(gammas, self.depths, strict=True))
        edge, line = ", ".join(f"{value:.12g}" for value in self.edges_of_chaos), self.neutrality_line
        edge = f"sigma_w2 = {edge}" if edge else NOWHERE
        said = [
            f"sigma_w2 = {dense.sigma_w2:.12g}, sigma_b2 = {dense.sigma_b2:g}",
            f"phase    {self.name}{outside}: {self.meaning}",
            *([f"variance {self.remark}"] if self.remark else []),
            f"gamma    {seen} hidden layers",
            f"         {self.rate}",
        ]
        if point is not None:
            said.append(
                f"depths   {_layers(point.correlation_depth)} layers of correlations,"
                f" {_layers(point.gradient_depth)} of squared gradients, whose factor is {point.factor:.8g}"
            )
        said += [
            f"edge     {edge} (backward threshold: squared gradients keep their size)",
            f"neutral  {NOWHERE if np.isnan(line) else f'sigma_w2 = {line:.12g}'} (gamma = 1 in deep networks)",
        ]
        rows = [
            [*(_cell(getattr(at, name)) for name in COLUMNS), "yes" if at.stable else "no"] for at in self.fixed_points
        ]
        return "\n".join([*said, "", table((*COLUMNS, "stable"), rows)] if rows else said)


def _layers(depth: float) -> str:
    return "infinitely many" if np.isinf(depth) else f"{depth:.6g}"


def _cell(value: float) -> str:
    return "-" if np.isnan(value) else f"{value:.8g}"


def classify(
    activation: Any,
    sigma_w2: float = 2.0,
    sigma_b2: float = 0.0,
    *,
    inputs: GaussianInputs | None = None,
    depths: Any = DEPTHS,
    **network: Any,
) -> Phase:
    """Phase of `mlp(depth, activation, ...)` in the limit of depth, and gamma at some depths beside it.

    network: pool, norm and placement as in `mlp`; inputs: default N(0, 1), which decide where several q attract.
    The table of phases goes by gamma and by the factor of the squared gradient per layer (the backward pass): see
    `TABLE`, and `OTHERS` for what it leaves out. Source: bias-meets-trainability, Table 1.
    """
    dense, block = one_dense(sigma_w2, sigma_b2), block_of(activation, **network)
    depths = tuple(checks.whole("depths", depth, 1) for depth in depths)
    found = course(block, dense, one_input(inputs), max(depths))
    name, at = _name(found), found.variance
    point = None if name == "no limit" else found.point
    remark = "" if 0 < at.q < np.inf else f"the variance of the units {at}"
    meaning = UNSETTLED if at.q in {0.0, np.inf} and name == "transient deep prejudice" else (TABLE | OTHERS)[name]
    return Phase(name, meaning, point, found.rate, depths, found.at(depths), remark, found)


def _name(found: Course) -> str:
    point = found.point
    if found.variance.block is None or point is None:
        return "no limit"
    if found.rate.limit == 0 and found.rate.form == "none":
        return "no bias"
    if np.isnan(point.share):
        return "undecided" if found.rate.form == "undecided" else "kept bias"
    if point.share > 0:
        if point.factor <= 1 + MARGIN:
            return "bias without chaos"
        return "border" if abs(point.gamma - 1) <= MARGIN else "prejudice" if point.gamma > 1 else "neutrality"
    if abs(point.factor - 1) <= MARGIN:
        return "transient deep prejudice"
    return "ordered deep prejudice" if point.factor < 1 else "chaotic deep prejudice"
