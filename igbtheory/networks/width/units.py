"""Units phi(h) of one layer, h = mean + sqrt(A) u + sqrt(B) z: u differs between units, z also between data.

For two data A is the covariance of h, and B = q - A. Every quantity of the expansion in 1/width is a mean over u of
means over z, so that nothing cancels when data are alike (B -> 0).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.mathematics.averages.resolved import Resolved, resolved
from igbtheory.mathematics.formulas.calculus import derivative
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.formulas.pieces import Pieces
from igbtheory.mathematics.numbers import FLOAT64

ORDER = 8
"""Nodes of a panel: averages have relative errors of about 1e-6, far below those of the expansion."""
NEARER = 0.8
"""Reach of the quadrature, as a share of that at which a normal variable is negligible in double precision."""

Array = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class Units:
    """Units at nodes of z (first axis) and u (last axis).

    q, y: the variance of h, and the coordinate log((1 - c)/(1 + c)) of its correlation c between data. u, z: weights of
    the nodes. h, phi, slope, bent: the pre-activation, phi(h), phi'(h) and the regular part of phi''(h). kinks: of each
    kink of phi its position, the value of phi, and the mean over z of its delta function in phi''. parity: 1 or -1 if
    phi is even or odd and h has mean 0: then means over u are of even functions, for which nodes u > 0 are enough.
    """

    q: float
    y: float
    u: Array
    z: Array
    h: Array
    phi: Array
    slope: Array
    bent: Array
    kinks: tuple[tuple[float, float, Array], ...]
    parity: int

    def given(self, values: Array) -> Array:
        """Return the means over z, at every u; more axes of values come first."""
        return np.asarray(np.einsum("zu,...zu->...u", self.z, values))

    def mean(self, given: Array) -> float:
        """Return the mean over u of what is known at every u."""
        return float(self.u @ given)

    def covariance(self, x: Array, y: Array) -> float:
        """Return the mean over u of the covariances over z."""
        a = x - self.given(x)
        b = a if y is x else y - self.given(y)
        return self.mean(self.given(a * b))

    def bends(self, factor: Callable[[Any, Any], Any]) -> Array:
        """Return the means over z of factor(h, phi) phi'', in which a kink is a delta function, at every u."""
        smooth = self.given(factor(self.h, self.phi) * self.bent) if self.bent.any() else 0 * self.u
        return np.asarray(smooth + sum(factor(at, value) * mass for at, value, mass in self.kinks))

    @cached_property
    def m(self) -> Array:
        """The means of phi at every u."""
        return self.given(self.phi)

    @cached_property
    def growth(self) -> Array:
        """The derivative h phi'/2 of phi by log q."""
        return self.h * self.slope / 2

    @cached_property
    def deviation(self) -> Array:
        """The values of phi less their means over z."""
        return self.phi - self.m

    @cached_property
    def variance(self) -> Array:
        """The variances of phi over z, at every u."""
        return self.given(self.deviation**2)

    @cached_property
    def cube(self) -> Array:
        """The third central moments of phi over z, at every u."""
        return self.given(self.deviation**2 * self.deviation)

    @property
    def centred(self) -> "Units":
        """The units less their mean over u and z, as behind a LayerNorm, with `growth` less its mean too."""
        if self.parity < 0:
            return self
        mean, growth = self.mean(self.m), self.mean(self.given(self.growth))
        kinks = tuple((at, value - mean, mass) for at, value, mass in self.kinks)
        centred = replace(self, phi=self.phi - mean, kinks=kinks)
        vars(centred)["growth"] = self.growth - growth
        return centred


def units(phi: Function, mean: float, shared: float, apart: float) -> Units:
    """Return the units phi(mean + sqrt(shared) u + sqrt(own) z) at the nodes of a quadrature."""
    q, scale = shared + apart, np.sqrt(apart)
    at = _resolved(phi, mean, float(np.ceil(np.log2(q))))
    u, parity = at.around(mean, np.sqrt(shared), ORDER, [0.0, *at.sides(scale)]), 0 if mean else phi.parity
    u = u.above(0.0) if parity else u
    centre = mean + np.sqrt(shared) * u.x.ravel()
    z = at.around(centre, scale, ORDER)
    h = (centre + scale * z.x).reshape(-1, centre.size)
    of_u = (u.weights * FLOAT64.npdf(u.x)).ravel()
    of_z = (z.weights * FLOAT64.npdf(z.x)).reshape(h.shape)
    of_u, of_z = of_u / of_u.sum(), of_z / of_z.sum(axis=0)
    values, slope, bent = (np.asarray(part(FLOAT64, h)) for part in (phi.pieces, phi.slope, _bent(phi)))
    y = float(np.log(apart / (q + shared)))
    return Units(q, y, of_u, of_z, h, values, slope, bent, tuple(_kinks(at, centre, scale)), parity)


@lru_cache(maxsize=64)
def _resolved(phi: Function, mean: float, octave: float) -> Resolved:
    """Return phi with its reach, kinks and mesh for variances up to 2^octave, which layers of a deep network share."""
    resolution = resolved(FLOAT64, phi, mean, float(2 ** (octave / 2)))
    return replace(resolution, reach=NEARER * resolution.reach)


def _kinks(at: Resolved, centre: Array, scale: Any) -> list[tuple[float, float, Array]]:
    """Return the kinks, as in `Units`."""
    return [(kink, value, rise * FLOAT64.npdf((kink - centre) / scale) / scale) for kink, value, rise in _rises(at.phi)]


@lru_cache(maxsize=64)
def _rises(phi: Function) -> list[tuple[float, float, float]]:
    """Return the position, the value of phi, and the jump of its slope at each kink."""
    jumps = zip(map(float, phi.slope.kinks), phi.slope.jumps(FLOAT64), strict=True)
    return [(kink, float(phi(FLOAT64, kink)), float(rise)) for kink, rise in jumps if rise]


@lru_cache(maxsize=64)
def _bent(phi: Function) -> Pieces:
    """Return phi'', piece by piece, without the delta functions at kinks."""
    return Pieces(phi.slope.kinks, tuple(map(derivative, phi.slope.formulas)))
