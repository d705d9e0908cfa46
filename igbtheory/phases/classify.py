"""The phase of deep networks: the row of the table of bias and gradients that they belong to, or why to none."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from igbtheory.foundations import checks
from igbtheory.foundations.result import Result
from igbtheory.foundations.text import table
from igbtheory.layers.inputs import GaussianInputs
from igbtheory.networks.network import Norm, Placement
from igbtheory.phases.block import Array, block_of, one_dense, one_input
from igbtheory.phases.course import Course, course
from igbtheory.phases.critical_lines import edges_of_chaos, neutrality_line, no_edge_of_chaos
from igbtheory.phases.depth_rates import Rate
from igbtheory.phases.fixed_points import FixedPoint, fixed_points
from igbtheory.phases.variance import MARGIN

DEPTHS = (10, 30, 100)
"""Depths at which gamma is given, in addition to its limit."""
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
    "kept bias": "the network becomes linear over depth, and gamma keeps the value that it has after the first layers",
    "undecided": "the variance vanishes more slowly than exponentially, and its limit does not determine gamma",
    "bias without chaos": "gamma has a finite limit although gradients do not explode: two equal data become different",
    "no limit": "the variance of the units grows without bound or vanishes by a factor that has no limit",
}
"""Cases that are not in the table."""
UNSETTLED = (
    "gamma -> inf, gradients neither grow nor vanish: the backward threshold, but no edge of chaos, as the variance "
    "does not settle"
)
"""Meaning of the row of the edge of chaos if the variance grows without bound or vanishes."""
COLUMNS = ("q", "c", "gamma", "slope_q", "slope_c", "chi_1", "chi_tilde_1")
"""Columns of the table of fixed points in the text of a `Phase`."""
NOWHERE = "at no sigma_w2"


@final
@dataclass(frozen=True, eq=False, repr=False)
class Phase(Result):
    """Phase of deep networks: see `classify`. Its text is what `igb phase` prints.

    name: a row of the table, or a case outside it; meaning: the name in words. point: the fixed point that the network
    approaches with depth, or None. rate: where gamma goes, and how fast. depths, gamma: bias ratios at some depths, NaN
    if the variance is beyond double precision there. remark: what a variance does that does not settle, else "".
    course: the moments layer by layer.

    >>> phase = igb.classify("relu", 2.0, 0.0)
    >>> print(phase.rate)
    grows like 0.022515819 depth^2
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
        """True if the table of the paper has this phase."""
        return self.name in TABLE

    @cached_property
    def fixed_points(self) -> tuple[FixedPoint, ...]:
        """Fixed points at these variances of weights and biases: see `fixed_points`; empty if there is no limit."""
        block, dense = self.course.block, self.course.dense
        return () if self.name == "no limit" else fixed_points(block, dense.sigma_w2, dense.sigma_b2)

    @cached_property
    def edges_of_chaos(self) -> Array:
        """Edges of chaos at this sigma_b2, ascending; empty if f jumps or a norm divides sigma_w2 out."""
        try:
            edges = edges_of_chaos(self.course.block, self.course.dense.sigma_b2)
        except ValueError:
            return np.array([])
        return edges[np.isfinite(edges)]

    @cached_property
    def no_edge(self) -> str:
        """The condition of an edge of chaos that fails at this sigma_b2, in words; "" if there is an edge."""
        return no_edge_of_chaos(self.course.block, self.course.dense.sigma_b2)

    @cached_property
    def neutrality_line(self) -> float:
        """Variance sigma_w2 on the neutrality line at this sigma_b2, or NaN if there is none."""
        return float(neutrality_line(self.course.block, self.course.dense.sigma_b2))

    def to_dict(self) -> dict[str, Any]:
        """Return the phase as plain values, with the fixed points and the critical lines."""
        lines = ("edges_of_chaos", "no_edge", "neutrality_line")
        names = ("name", "meaning", "depths", "gamma", "remark", "in_table")
        return {
            **vars(self.course.dense),
            **{name: getattr(self, name) for name in (*lines, *names)},
            "point": None if self.point is None else self.point.to_dict(),
            "rate": vars(self.rate),
            "fixed_points": [point.to_dict() for point in self.fixed_points],
        }

    def __str__(self) -> str:
        dense, point = self.course.dense, self.point
        outside = "" if self.in_table else " (a case that the table of phases leaves out)"
        gammas = ("out of range" if np.isnan(gamma) else f"{gamma:.6g}" for gamma in self.gamma)
        at_depths = ", ".join(f"{gamma} at {depth}" for gamma, depth in zip(gammas, self.depths, strict=True))
        edges, line = ", ".join(f"{value:.12g}" for value in self.edges_of_chaos), self.neutrality_line
        edge = f"{NOWHERE}: {self.no_edge}" if self.no_edge else f"sigma_w2 = {edges} (gradients keep their size)"
        lines = [
            f"sigma_w2 = {dense.sigma_w2:.12g}, sigma_b2 = {dense.sigma_b2:g}",
            f"phase    {self.name}{outside}: {self.meaning}",
            *([f"variance {self.course.variance}"] if self.remark else []),
            f"gamma    {at_depths} hidden layers",
            f"         {self.rate}",
        ]
        if point is not None:
            lines.append(
                f"depths   {_layers(point.correlation_depth)} layers of correlations,"
                f" {_layers(point.gradient_depth)} of squared gradients, whose factor is {point.factor:.8g}"
            )
        lines += [
            f"edge     {edge}",
            f"neutral  {NOWHERE if np.isnan(line) else f'sigma_w2 = {line:.12g}'} (gamma = 1 in deep networks)",
        ]
        rows = [[*(_cell(getattr(at, x)) for x in COLUMNS), "yes" if at.stable else "no"] for at in self.fixed_points]
        return "\n".join([*lines, "", table((*COLUMNS, "stable"), rows)] if rows else lines)


def _layers(depth: float) -> str:
    return "infinitely many" if np.isinf(depth) else f"{depth:.6g}"


def _cell(value: float) -> str:
    return "-" if np.isnan(value) else f"{value:.8g}"


def classify(  # noqa: PLR0913 - the contract of the public name
    activation: Any,
    sigma_w2: float = 2.0,
    sigma_b2: float = 0.0,
    *,
    inputs: GaussianInputs | None = None,
    depths: Any = DEPTHS,
    pool: Any = None,
    norm: Norm | None = None,
    placement: Placement = "before",
) -> Phase:
    """Return the phase of `mlp(depth, activation, ...)` in the limit of depth, and gamma at some depths.

    pool, norm, placement: as in `mlp`. inputs: default N(0, 1); they matter if several q attract. A phase is
    defined by the limit of gamma and by the factor of the squared gradient per layer: see `TABLE`, and `OTHERS` for the
    cases outside the table. Source: bias-meets-trainability, Table 1.

    activation, sigma_w2, sigma_b2: as in `mlp`, single numbers. depths: those at which gamma is computed.

    >>> print(igb.classify("tanh", 1.5, 0.1).name)
    ordered deep prejudice
    """
    dense, block = one_dense(sigma_w2, sigma_b2), block_of(activation, pool, norm, placement)
    depths = tuple(
        checks.whole("depths", depth, 1, checks.DEEPEST) for depth in checks.several("depths", depths, "(10, 30, 100)")
    )
    trajectory = course(block, dense, one_input(inputs), max(depths))
    name, at = _name(trajectory), trajectory.variance
    point = None if name == "no limit" else trajectory.point
    remark = "" if 0 < at.q < np.inf else f"the variance of the units {at}"
    meaning = (TABLE | OTHERS)[name] if at.settles or name != "transient deep prejudice" else UNSETTLED
    return Phase(name, meaning, point, trajectory.rate, depths, trajectory.at(depths), remark, trajectory)


def _name(trajectory: Course) -> str:
    point = trajectory.point
    if trajectory.variance.block is None or point is None:
        return "no limit"
    if trajectory.rate.limit == 0 and trajectory.rate.form == "none":
        return "no bias"
    if np.isnan(point.share):
        return "undecided" if trajectory.rate.form == "undecided" else "kept bias"
    if point.share > 0:
        if point.factor <= 1 + MARGIN:
            return "bias without chaos"
        return "border" if abs(point.gamma - 1) <= MARGIN else "prejudice" if point.gamma > 1 else "neutrality"
    if abs(point.factor - 1) <= MARGIN:
        return "transient deep prejudice"
    return "ordered deep prejudice" if point.factor < 1 else "chaotic deep prejudice"
