"""Fixed points over depth: of the variance q of the units and of the correlation c of two data."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from scipy.optimize import brentq

from igbtheory.foundations.result import Result
from igbtheory.networks.network import Norm, Placement
from igbtheory.phases.block import EXACT, STEP, Block, block_of, one_dense
from igbtheory.phases.variance import MARGIN, Variance, variances

CLOSE = 1e-24
"""The value of 1 - c at which two data count as equal: the angle between them is then about 1e-12."""
BACKWARD = np.array([25, -48, 36, -16, 3]) / 12
"""Weights of the backward difference quotient of fourth order, at 0, -1, ..., -4 steps."""


@final
@dataclass(frozen=True, eq=False)
class FixedPoint(Result):
    """Fixed point (q, c) over depth of the variance of the units and of the correlation of two data.

    q: variance, 0 or inf if it vanishes or grows without bound, NaN if every variance stays. share = 1 - c without the
    rounding of a difference, NaN if a linear network keeps every c. growth = q'/q, slope_q = dq'/dq, slope_c = dc'/dc
    at this q and c. chi_1 = dc'/dc and chi_tilde_1 = dq_ab'/dq_ab at this q and c = 1: inf for an activation that
    jumps, NaN behind a BatchNorm, where c = 1 is not a fixed point. factor: of the squared gradient per layer, which
    is chi_tilde_1 without BatchNorm. stable: whether both q and c attract.
    Source: bias-meets-trainability (chi_1, chi~_1); bias-and-trainability-slides (order parameter c).

    share: 1 - c. growth, slope_q, slope_c, chi_1, chi_tilde_1: ratios and derivatives, as above.

    >>> point = igb.phases.fixed_points("tanh", 1.5, 0.1)[-1]
    >>> point.stable
    True
    """

    q: float
    share: float
    growth: float
    slope_q: float
    slope_c: float
    chi_1: float
    chi_tilde_1: float
    factor: float
    stable: bool

    @property
    def c(self) -> float:
        """Correlation of two data."""
        return 1 - self.share

    @property
    def gamma(self) -> float:
        """Bias ratio c/(1 - c)."""
        return (1 - self.share) / self.share if self.share != 0 else np.inf

    @property
    def correlation_depth(self) -> float:
        """Layers in which the distance from c falls by the factor e, -1/log slope_c, or inf if it does not fall."""
        return _depth(self.slope_c) if self.slope_c < 1 - MARGIN else np.inf

    @property
    def gradient_depth(self) -> float:
        """Layers in which squared gradients change by the factor e, 1/abs(log factor), or inf on the edge of chaos."""
        return np.inf if abs(self.factor - 1) <= MARGIN else _depth(self.factor)

    def to_dict(self) -> dict[str, float]:
        """Return the fields and the derived numbers."""
        derived = ("c", "gamma", "correlation_depth", "gradient_depth")
        return {**vars(self), **{name: getattr(self, name) for name in derived}}


def _depth(factor: float) -> float:
    with np.errstate(divide="ignore"):
        return float(1 / np.abs(np.log(np.abs(factor))))


def fixed_points(
    activation: Any,
    sigma_w2: float,
    sigma_b2: float = 0.0,
    *,
    pool: Any = None,
    norm: Norm | None = None,
    placement: Placement = "before",
) -> tuple[FixedPoint, ...]:
    """Return the fixed points of deep networks, stable or not, ordered by q and then by c.

    pool, norm, placement: as in `mlp`. At every q there is at most one fixed point c < 1, and it attracts,
    because the map of c is a power series with positive coefficients. A point with q = inf describes a variance that
    grows without bound by a factor that tends to `growth`. ValueError: there is no fixed point, because the variance
    grows from every start by a factor without a limit.

    activation, sigma_w2, sigma_b2: as in `mlp`, single numbers.

    >>> [round(float(point.q), 4) for point in igb.phases.fixed_points("tanh", 1.5, 0.1)]
    [0.5202]
    """
    dense = one_dense(sigma_w2, sigma_b2)
    ends = variances(block_of(activation, pool, norm, placement), dense)
    points = tuple(point for at in ends for point in correlations(at, dense.sigma_w2))
    if not points:
        raise ValueError(
            f"expected a network with a fixed point, got {activation!r} at sigma_w2 = {sigma_w2:g}, sigma_b2 = "
            f"{sigma_b2:g}: the variance q of its units {ends[-1]}; use another sigma_w2, sigma_b2 > 0 or a norm"
        )
    return points


def correlations(at: Variance, sigma_w2: float) -> Iterator[FixedPoint]:
    """Yield the fixed points of the correlation at a fixed point of the variance: c < 1 if there is one, then c = 1.

    The map is share' = (sigma_w2/growth) spread(q, share) share, and the spread never increases with the share.
    """
    block, q, growth = at.block, at.at, at.growth
    if block is None:
        return
    weight = sigma_w2 / growth
    try:
        chi = float(sigma_w2 * block.slope(q))
    except ValueError:  # it jumps
        chi = np.inf
    equal = weight * block.spread(q, CLOSE) * CLOSE < MARGIN
    linear = abs(chi / growth - 1) <= MARGIN and abs(weight * block.spread(q, 0.5) - 1) <= MARGIN
    kept = linear and not (np.isinf(at.q) and growth == 1)  # there biases add up, and c tends to 1
    chi_1 = chi / growth if equal else np.nan
    common = {"q": at.q, "growth": growth, "slope_q": at.slope, "chi_1": chi_1}
    common["chi_tilde_1"] = chi if equal else np.nan
    inside = not chi_1 <= 1 + MARGIN
    if kept:
        yield FixedPoint(**common, share=np.nan, slope_c=chi_1, factor=chi, stable=at.stable)
    elif inside:
        share = _share(block, q, weight)
        factor = chi if not block.forgets else float(sigma_w2 * block.slope(q, share))
        steps = np.log(weight * block.spread(q, share * np.exp(-STEP * np.arange(5))))
        slope = float(np.exp(steps[0]) * (1 + BACKWARD @ steps / STEP))
        yield FixedPoint(**common, share=share, slope_c=slope, factor=factor, stable=at.stable)
    if equal and not kept:
        yield FixedPoint(**common, share=0.0, slope_c=chi_1, factor=chi, stable=at.stable and not inside)


def _share(block: Block, q: float, weight: float) -> float:
    """Return the fixed point of the share 1 - c above 0."""

    def growth(log: float) -> float:
        return float(np.log(weight * block.spread(q, np.exp(log))))

    if growth(0.0) >= -EXACT:  # c = 0 is a fixed point up to rounding
        return 1.0
    if not growth(np.log(CLOSE)) > 0:
        raise ValueError(
            f"expected an activation whose averages over nearly equal data are resolved, got {block.title} at the "
            f"variance {q:.3g} of its units, where it jumps too often; use another sigma_w2 or sigma_b2, or clip it"
        )
    return float(np.exp(brentq(growth, np.log(CLOSE), 0.0, xtol=1e-15)))
