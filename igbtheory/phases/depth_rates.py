"""How gamma approaches its limit over depth, from the map of the share 1 - c at a fixed point of the variance.

With share' = share (chi_1 - k share^s + ...), where s = 1 for smooth f and s = 1/2 for f with kinks, after l layers

    chi_1 < 1              gamma grows like chi_1^-l
    chi_1 = 1              gamma ~ (s k l)^(1/s): k l for smooth f and (k l)^2/4 for f with kinks
    chi_1 = 1, q ~ l       gamma ~ (s k l/(1 - s))^(1/s): (k l)^2 for f with kinks; gamma ~ l for linear f or jumps
    chi_1 = 1, q ~ l^2     gamma ~ l^2 for f with kinks; for linear f the limit is not known
    chi_1 = 1 + a/sqrt(q)  gamma grows faster than any power if a < 0 (softplus), and like q if a > 0 (ELU)
    c < 1                  gamma settles, and its distance from the limit is multiplied by dc'/dc in every layer

For smooth f, k = sigma_w2 q E phi''^2/2. A kink at which phi' jumps by J adds J^2 p(kink) sqrt(q/pi) 2/3 sigma_w2 to k,
where p is the density of N(0, q). For ReLU at sigma_w2 = 2 this is k = 2 sqrt(2)/(3 pi), so gamma ~ 2 l^2/(9 pi^2).
"""

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from igbtheory.phases.block import Block
from igbtheory.phases.fixed_points import FixedPoint
from igbtheory.phases.variance import MARGIN, Variance

SIZE = 1e-4
"""Larger one of the two values of share^s from which k is extrapolated; the other is half of it."""
SMOOTH, KINKED = 1.0, 0.5
"""The two values of the exponent s: a kink makes the spread a power series in the root of the share."""
FLAT = 1e-8
"""Constant k below which it counts as 0."""
LARGE, SHIFT = 1e8, 1e-3
"""Variance at which a shift is looked for, and its size relative to a standard deviation, above rounding errors."""
SAME = 1e-12
"""Relative change of gamma in a layer that counts as rounding error."""


@final
@dataclass(frozen=True)
class Rate:
    """Where gamma goes with depth, and how fast.

    form: "exponential" (gamma is multiplied by `rate` in every layer), "power" (gamma ~ constant * depth^rate),
    "settles" (the distance from the limit is multiplied by `rate` in every layer), "none" (gamma keeps the value that
    it has after the first layers) or "undecided". limit: of gamma, from 0 to inf, NaN if it is not known. constant: NaN
    except for powers, and for powers NaN if it depends on the inputs (linear networks).

    rate: a factor or a power, as above.

    >>> igb.phases.classify("relu", 2.0, 0.0).rate.form
    'power'
    """

    form: str
    rate: float = np.nan
    constant: float = np.nan
    limit: float = np.nan

    def __str__(self) -> str:
        match self.form:
            case "exponential":
                return f"grows exponentially, by the factor {self.rate:.8g} a layer"
            case "power":
                constant = "" if np.isnan(self.constant) else f"{self.constant:.8g} "
                return f"grows like {constant}depth^{self.rate:.3g}"
            case "settles" if self.limit == 0:
                return f"tends to 0, exponentially: by the factor {self.rate:.6g} a layer"
            case "settles":
                return f"tends to {self.limit:.7g}, the distance falling by the factor {self.rate:.6g} a layer"
            case "none" if self.limit == 0:
                return "stays 0"
            case "none":
                to = "" if np.isnan(self.limit) else f" {self.limit:.6g}"
                return f"tends to a value{to} that the first layers decide"
            case _ if self.limit == np.inf:
                return "grows without bound, as fast as the variance decides, which has no fixed point"
            case _:
                return "has no limit that a fixed point of the variance decides"


def kept(gamma: NDArray[np.float64]) -> Rate:
    """Return the rate of a network that becomes linear over depth; its limit is extrapolated by Aitken's method."""
    before, last = np.diff(gamma[-3:]) if len(gamma) > 2 else (np.nan, np.nan)
    ratio = last / before if abs(last) > SAME * gamma[-1] else 0.0
    return Rate("none", limit=float(gamma[-1] + last * ratio / (1 - ratio)) if abs(ratio) < 1 else np.nan)


def rate_at(point: FixedPoint, at: Variance, block: Block) -> Rate:
    """Return the rate at which gamma approaches its value at the fixed point, whose share is not NaN.

    at: the fixed point of the variance; block: the block of the network. A variance whose growth factor tends to 1
    grows in proportion to the depth, unless the block `is_shifted`.
    """
    if point.share > 0:
        return Rate("settles", abs(point.slope_c), limit=point.gamma)
    if point.chi_1 < 1 - MARGIN:
        return Rate("exponential", 1 / point.chi_1, limit=np.inf)
    far = at.block or block
    s, k = curvature(far, at.at)
    grows = np.isinf(point.q) and point.growth == 1
    if grows and is_shifted(block, far):
        return Rate("undecided") if abs(k) <= FLAT else Rate("power", 1 / s, limit=np.inf)
    excess = excess_slope(block, far) if grows and not block.jumps else 0.0
    if excess:
        return Rate("undecided", limit=np.inf if excess < 0 or abs(k) > FLAT else np.nan)
    # biases add up in a linear network; a jump keeps the difference of two units at about 1, so that their share is 1/q
    if grows and (abs(k) <= FLAT or block.jumps):
        return Rate("power", 1.0, limit=np.inf)
    return Rate("power", 1 / s, float((s * k / (1 - s if grows else 1)) ** (1 / s)), np.inf)


def is_shifted(block: Block, far: Block) -> bool:
    """Return whether E f^2 differs from that of the asymptote by a multiple of sqrt(q), as for f = relu(x) + 1.

    If the growth factor tends to 1, the variance then grows like depth^2, whether there are biases or not.
    """
    return bool(abs(block.square(LARGE) - far.square(LARGE)) > SHIFT * np.sqrt(LARGE))


def excess_slope(block: Block, far: Block) -> float:
    """Return a, where E f'^2 exceeds that of the asymptote by the factor 1 + a/sqrt(q); 0: by less.

    In every layer the share then changes by a/sqrt(q), which is more than by the next layers of the asymptote. If
    a < 0, as for softplus, gamma grows faster than any power of the depth. If a > 0, as for ELU, the share settles
    where the kink of the asymptote makes up for it, so that gamma grows like q.
    """
    excess = float(np.sqrt(LARGE) * (block.slope(LARGE) / far.slope(LARGE) - 1))
    return excess if abs(excess) > SHIFT else 0.0


def curvature(block: Block, q: float) -> tuple[float, float]:
    """Return the exponent s and the constant k of spread(q, share)/slope(q) = 1 - k share^s + ..."""
    slope = float(block.slope(q))

    def missing(share: float) -> float:
        return 1 - float(block.spread(q, share)) / slope

    with np.errstate(all="ignore"):
        exponent = np.log2(np.divide(missing(4 * SIZE**2), missing(SIZE**2))) / 2
    s = KINKED if exponent < (SMOOTH + KINKED) / 2 else SMOOTH
    first, second = (missing(size ** (1 / s)) / size for size in (SIZE, SIZE / 2))
    return s, 2 * second - first  # without the next term of the series
