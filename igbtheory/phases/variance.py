"""Fixed points of the variance q of the units over depth, including the limits 0 and infinity."""

from dataclasses import dataclass
from functools import partial
from typing import final

import numpy as np

from igbtheory.layers.dense import Dense
from igbtheory.phases.asymptotes import far, near
from igbtheory.phases.block import EXACT, Block
from igbtheory.phases.roots import roots, scanned

MARGIN = 1e-9
"""Distance from 1 below which a slope counts as 1."""
NOTHING = 1e-24
"""Variance so small that of a function only its value and its slopes at 0 matter: the standard deviation is 1e-12."""
SMALL = 1e-18
"""Mean square and mean squared slope at the variance NOTHING below which they count as 0."""
NEAR = 1e-4
"""Small variance at which the map of q shows whether q = 0 attracts although its slope is 1."""


@final
@dataclass(frozen=True)
class Variance:
    """Fixed point q of the variance, or its limit 0 or inf; NaN if every q is fixed, as for ReLU at sigma_w2 = 2.

    growth = q'/q there, which is 1 at a finite q > 0; slope = dq'/dq; stable: whether q attracts. block, at: the block
    that describes a layer there, and the variance at which to evaluate it. At q = 0 and at infinity that is the
    asymptote of the block, or None if there is none. Without an asymptote growth is 0 at q = 0, and at infinity it is
    q'/q at the largest variance `at` that quadrature resolves.
    """

    q: float
    growth: float
    slope: float
    stable: bool
    block: Block | None = None
    at: float = 1.0

    @property
    def settles(self) -> bool:
        """Whether a variance that has arrived here keeps its size: it does not grow, nor vanish exponentially."""
        return abs(self.growth - 1) <= MARGIN and not np.isinf(self.q)

    def __str__(self) -> str:
        """Return what the variance q does, as the predicate of a sentence."""
        if np.isnan(self.q):
            return "keeps the value that it has"
        if np.isfinite(self.q) and self.q > 0:
            return f"tends to {self.q:.8g}"
        if self.q == 0:
            fast = "faster than exponentially" if self.block is None else f"by the factor {self.growth:.6g} a layer"
            return f"vanishes, {'slower than exponentially' if self.growth > 1 - MARGIN else fast}"
        if self.block is None:
            return f"grows without bound, by the factor {self.growth:.4g} a layer at q = {self.at:.3g}"
        factor = f"by the factor {self.growth:.6g} a layer"
        return f"grows without bound, {'slower than exponentially' if self.growth == 1 else factor}"


def variances(block: Block, dense: Dense) -> list[Variance]:
    """Return the fixed points of q' = sigma_w2 E f^2 + sigma_b2, ascending, including the limits 0 and infinity."""
    sigma_w2, sigma_b2 = dense.sigma_w2, dense.sigma_b2
    low, high = near(block), far(block)
    last = 0.0 if high is None else sigma_w2 * float(high.square(1.0))
    if sigma_b2 == 0 and block.proportional and abs(sigma_w2 * float(block.square(1.0)) - 1) <= MARGIN:
        return [Variance(np.nan, 1.0, 1.0, stable=True, block=block)]
    biases = partial(block.biases, sigma_w2=sigma_w2)
    fixed = []
    if sigma_b2 == 0 and (low is not None or block.square(NOTHING) < SMALL):
        fixed.append(at_zero(block, sigma_w2))
    log_q, values = scanned(biases, np.inf if last > 1 - MARGIN else sigma_b2)
    for q in roots(biases, log_q, values, np.array(sigma_b2)).tolist():
        slope = float(sigma_w2 * block.square_slope(q))
        fixed.append(Variance(q, 1.0, slope, stable=abs(slope) < 1, block=block, at=q))
    if high is not None and (last > 1 + MARGIN or (last > 1 - MARGIN and not values[-1] > sigma_b2)):
        growth = last if last > 1 + MARGIN else 1.0
        fixed.append(Variance(np.inf, growth, growth, stable=True, block=high))
    finite = np.flatnonzero(np.isfinite(values))
    if high is None and not values[finite[-1]] > sigma_b2:
        end = float(np.exp(log_q[finite[-1]]))
        fixed.append(Variance(np.inf, 1 - float(values[finite[-1]]) / end, np.nan, stable=True, at=end))
    return fixed


def at_zero(block: Block, sigma_w2: float) -> Variance:
    """Return the fixed point q = 0 of a block with f(0) = 0 without biases."""
    low = near(block)
    growth = 0.0 if low is None else sigma_w2 * float(low.square(1.0))
    stable = growth < 1 - MARGIN or (growth < 1 + MARGIN and block.biases(NEAR, sigma_w2) >= -EXACT * NEAR)
    return Variance(0.0, growth, growth, stable=bool(stable), block=low)
