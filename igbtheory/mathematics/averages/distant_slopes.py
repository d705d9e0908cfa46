"""Mean slopes of a smooth function that bends near 0 alone, at variances far beyond the bend.

Such a phi tends to two straight lines through the origin. K1 of the lines depends on theta alone, and

    K1 = K1 of the lines + D(s, 1/q)/sqrt(q),  s = sqrt(q) tan(theta)

The bend matters only if one unit of the pair is near it, which has a probability of about 1/sqrt(q). The other unit is
then normal, with the standard deviation s cos(theta). D is smooth in 1/q, so that the polynomial in 1/q through its
values at a few variances also gives it at all larger variances.
"""

from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import final

import numpy as np
from numpy.polynomial import chebyshev

from igbtheory.mathematics.averages import mean_slopes
from igbtheory.mathematics.averages.angles import PLACES, angle_at, place_of
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.mathematics.numerics.chebyshev import Array, transform

NUMBERS = (12, 13, 14, 15)
"""Binary logarithms of the variances whose D are known. Beyond the last one, K1 of silu and mish has errors up to
4e-15, and with variances eight times smaller up to 1e-12."""
CHECKED = 17
"""Binary logarithm of the variance at which the rule is compared with `mean_slopes.Slopes`, a quadrature."""
BEYOND = 16
"""Number of the last octave of variances in which K1 comes from this quadrature."""
FAR = 2.0**60
"""Distance at which phi has the slopes of its lines."""
TOLERANCE = 5e-14
"""Largest difference from this quadrature, with which moments reach the goal of 1e-13. A phi whose lines do not meet
in the origin has far more."""
ROUNDING, LONGEST = 4e-15, 129
"""Size of the last coefficients of K1 in the place, and their largest number; silu has 38."""


@final
@dataclass(frozen=True, eq=False)
class Distant:
    """The mean slopes of one phi at variances q beyond those that are known.

    left, right: the slopes of its lines; series: Chebyshev coefficients of K1 at the variances `NUMBERS`; missed: the
    largest difference from circles at the variance 2^CHECKED.
    """

    left: float
    right: float
    series: tuple[Array, ...]
    q: Array
    missed: float = 0.0

    def of_lines(self, theta: Array) -> Array:
        """Return K1 of the lines, whose slope is (right + left)/2 + (right - left)/2 sign(x)."""
        return (self.left**2 + self.right**2) / 2 - (self.right - self.left) ** 2 * theta / (2 * np.pi)

    def error(self, _: Array) -> float:
        """Return the absolute error of K1 at any angles; that of D grows nowhere, and this one falls like 1/sqrt(q)."""
        return self.missed * min(1.0, float(np.sqrt(2.0**CHECKED / self.q.min())))

    def at(self, theta: Array) -> Array:
        """Return K1 at angles, shape (q, theta)."""
        root, x, inverses = np.sqrt(self.q)[:, None], 1 / self.q[:, None], 2.0 ** -np.array(NUMBERS)
        s, bend = root * np.tan(np.minimum(theta, np.pi / 2)), 0.0
        for i, (number, coefficients) in enumerate(zip(NUMBERS, self.series, strict=True)):
            others = np.delete(inverses, i)
            weight = np.prod((x[..., None] - others) / (inverses[i] - others), axis=-1)
            nearer = np.arctan(s * inverses[i] ** 0.5)
            k1 = chebyshev.chebval(PLACES.position(place_of(nearer, number)), coefficients)
            bend = bend + weight * (k1 - self.of_lines(nearer)) / inverses[i] ** 0.5
        return np.asarray(self.of_lines(theta) + bend / root)


@lru_cache(maxsize=64)
def distant(phi: Function) -> Distant | None:
    """Return the mean slopes of phi, or None if it does not tend to two lines with different slopes and no offset."""
    with np.errstate(all="ignore"):
        left, right = map(float, phi.slope(FLOAT64, np.array([-FAR, FAR])))
    meshed = mean_slopes.on_mesh(phi, 1, 2.0**CHECKED)
    if meshed is None or left == right or not np.isfinite(left + right):
        return None

    def on_circles(place: Array, number: int) -> Array:
        return np.asarray(mean_slopes.Slopes(meshed, 1, np.array([2.0**number])).at(angle_at(place, number))[0])

    series = []
    for number in NUMBERS:
        values, length = PLACES.sampled(partial(on_circles, number=number), ROUNDING, LONGEST)
        series.append((transform(len(values)) @ values)[:length])
    slopes = Distant(left, right, tuple(series), np.array([2.0**CHECKED]))
    places = np.linspace(0, 1, 9)
    missed = float(np.max(np.abs(slopes.at(angle_at(places, CHECKED))[0] - on_circles(places, CHECKED))))
    return replace(slopes, missed=missed) if missed <= TOLERANCE else None
