"""The course of a network over depth: its moments layer by layer, and the fixed point that gamma approaches."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, final

import numpy as np

from igbtheory.foundations.result import Result
from igbtheory.layers.dense import Dense
from igbtheory.layers.inputs import GaussianInputs
from igbtheory.mathematics.averages.state import Moments
from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.phases.block import SCALES, Array, Block, units
from igbtheory.phases.depth_rates import Rate, kept, rate_at
from igbtheory.phases.fixed_points import FixedPoint, correlations
from igbtheory.phases.variance import MARGIN, Variance, variances
from igbtheory.theory.gaussian_inputs import stacked
from igbtheory.theory.prediction import Prediction
from igbtheory.theory.refusals import RANGE

FEWEST = 200
"""Number of layers from which the limit of the variance is judged."""
SAME, TIMES = 1e-13, 3
"""Largest relative change of var_mu and var_chi, in each of TIMES layers in a row, that counts as none."""
REACHED = 1e-6
"""Relative distance from a stable fixed point below which a variance has reached it."""
LEAST = 1e-8
"""Variance q below which the values of f may be rounding errors, as for sigmoid(x) - 1/2."""
ALIKE = 1e-6
"""Difference below which two powers of q count as equal at a small or large q."""
ROUNDING = 1e-24
"""Bias ratio below which gamma counts as 0: the square of a relative rounding error of 1e-12 in a mean."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class Course(Result):
    """Moments after every Dense: entry d belongs to the output of a network of depth d, entry 0 to the first Dense.

    prediction: of the deepest network within the range of double precision; stopped: why that is not the depth asked
    for, or ""; still: depth from which the moments no longer change, or None.

    block, dense, inputs: a hidden layer, the output layer, and the inputs.

    >>> course = igb.phases.verdict("gelu", depth=5).course
    >>> np.round(course.gamma[:3], 4)
    array([0.    , 0.2989, 0.5679])
    """

    block: Block
    dense: Dense
    inputs: GaussianInputs
    prediction: Prediction
    stopped: str
    still: int | None

    def to_dict(self) -> dict[str, Any]:
        """Return the variance q and gamma over depth, and why the course stopped early, or ""."""
        return {"depth": np.arange(len(self.q)), "q": self.q, "gamma": self.gamma, "stopped": self.stopped}

    @property
    def reached(self) -> int:
        """Depth of the deepest network within the range of double precision."""
        return len(self.q) - 1

    @cached_property
    def gamma(self) -> Array:
        """Bias ratio, shape (reached + 1,); 0 at every depth if it never exceeds the rounding error of 0."""
        return np.asarray(self.prediction.per_layer.gamma) * self.is_biased

    @cached_property
    def q(self) -> Array:
        """Second moment var_mu + var_chi of the pre-activations, shape (reached + 1,)."""
        return np.asarray(self.prediction.per_layer.var_mu + self.prediction.per_layer.var_chi)

    def at(self, depths: tuple[int, ...]) -> Array:
        """Return the bias ratio at these depths, NaN at depths beyond the end of the course."""
        return np.array([self.gamma[depth] if depth <= self.reached else np.nan for depth in depths])

    def first_beyond(self, level: float) -> int | None:
        """Return the smallest depth at which gamma exceeds `level`, or None if it never does."""
        depths = np.flatnonzero(self.gamma[1:] > level)
        return int(depths[0]) + 1 if depths.size else None

    @cached_property
    def variance(self) -> Variance:
        """Fixed point of the variance that q approaches.

        There are no cycles, because sqrt(q) E f^2 grows with q, so that dq'/dq > -1/2 at a fixed point.
        """
        ends, q = variances(self.block, self.dense), self._deep.q
        if np.isnan(ends[0].q):
            return replace(ends[0], at=float(q[-1]))
        last, step = q[-1], q[-1] - q[-2]
        nearest = min(ends, key=lambda at: abs(at.q - last) if np.isfinite(at.q) else np.inf)
        if nearest.stable and abs(nearest.q - last) <= REACHED * last:
            return nearest
        ahead = [at for at in ends if (at.q > last if step > 0 else at.q < last)]
        return min(ahead, key=lambda at: abs(at.q - last)) if ahead else nearest

    @cached_property
    def point(self) -> FixedPoint | None:
        """Fixed point that the network approaches, or None if gamma depends on a variance without a limit."""
        at = self.variance
        if at.block is None:
            q = at.at / SCALES.max() if at.q > 0 else LEAST**2
            if not np.isnan(self.block.power(q, ALIKE)):  # a power of q: correlations do not depend on q
                growth = float(self.dense.sigma_w2 * self.block.square(q) / q)
                at = replace(at, block=self.block, growth=growth, at=q)
        return next(correlations(at, self.dense.sigma_w2), None)  # c < 1 attracts where there is one

    @cached_property
    def is_biased(self) -> bool:
        """True if gamma exceeds the rounding error of 0 at some depth of at least 1."""
        return bool(self.trusted[1:].max() > ROUNDING)

    @cached_property
    def rate(self) -> Rate:
        """Where gamma goes with depth, and how fast."""
        point, at = self.point, self.variance
        if not self._deep.is_biased:
            return Rate("none", limit=0.0)
        if point is None or (np.isnan(point.share) and at.q == 0 and at.growth > 1 - MARGIN):
            return Rate("undecided")
        if np.isnan(point.share):
            return kept(self._deep.trusted)
        return rate_at(point, at, self.block)

    @property
    def trusted(self) -> Array:
        """Gamma of the layers at which q is so large that rounding errors of f near 0 do not matter."""
        return np.asarray(self.prediction.per_layer.gamma[self.q >= min(LEAST, self.q[1])])

    @cached_property
    def _deep(self) -> "Course":
        """The course of these layers to a depth of at least FEWEST, unless it stops before."""
        if self.stopped or self.reached >= FEWEST:
            return self
        return course(self.block, self.dense, self.inputs, FEWEST)


def course(block: Block, dense: Dense, inputs: GaussianInputs, depth: int) -> Course:
    """Return the course down to `depth`, or to the last layer at which q is within the range of double precision.

    ValueError: the data do not vary behind the first Dense, or q is out of range behind the first block.
    """
    moments: list[Moments] = []
    stopped = ""
    try:
        with np.errstate(all="ignore"):  # numbers out of range are reported below
            node = units(inputs.moments(FLOAT64)).through((dense,))
            while 1 / RANGE < node.averaged().variance < RANGE:
                moments.append(node.averaged())
                if len(moments) > depth or _stands(moments):
                    break
                node = node.through((*block.layers, dense))
            else:
                size = "large" if node.averaged().variance > 1 else "small"
                stopped = f"the variance q of the pre-activations is too {size} for the numbers at depth {len(moments)}"
    except ValueError as error:  # quadrature refuses a formula that it cannot resolve at this q
        stopped = str(error)
        if len(moments) < 2:
            raise
    if not moments or not moments[0].var_chi > 0:
        raise ValueError("expected data that vary after the first Dense; use sigma_w2 > 0 and a variance > 0")
    if len(moments) < 2:
        raise ValueError(f"{block.title!r} leaves nothing to guess by: {stopped}")
    still = len(moments) - 1 if not stopped and len(moments) <= depth else None
    moments += moments[-1:] * (0 if stopped else depth + 1 - len(moments))
    return Course(block, dense, inputs, Prediction(stacked(FLOAT64, moments)), stopped, still)


def _stands(moments: list[Moments]) -> bool:
    """Return whether the last layers have the same moments."""
    last = np.array([(x.var_mu, x.var_chi) for x in moments[-TIMES - 1 :]], float)
    return len(last) > TIMES and bool(np.all(np.abs(np.diff(last, axis=0)) <= SAME * last[1:]))
