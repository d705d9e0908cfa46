"""Units phi(h) of one layer at many data, h = mean + sqrt(A) u + sqrt(B) z: u differs between units, z also between data.

For two data A is the covariance of h and B = q - A. Every quantity of the expansion in 1/width is a mean over u of means
over z, so that nothing cancels when data are alike (B -> 0).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.averages.maximum import IDENTITY
from igbtheory.averages.resolved import Resolved, resolved
from igbtheory.formulas.calculus import derivative
from igbtheory.formulas.function import Function
from igbtheory.formulas.pieces import Pieces
from igbtheory.numbers import FLOAT64

ORDER = 10
"""Nodes of a panel: averages have errors of about 1e-9."""

Array = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class Units:
    """Units at nodes of u (last axis) and z (first axis), with the weights of both.

    q, y: the variance of h, and the coordinate y = log((1 - c)/(1 + c)) of its correlation c. h, phi, slope, bent: the pre-activation, phi(h), phi'(h) and the regular part of phi''(h) at the nodes. kinks: of each
    kink of phi its position, the value of phi, and the mean over z of its delta function in phi''.
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

    def given(self, values: Array) -> Array:
        """Return the means over z, at every u."""
        return np.asarray((self.z * values).sum(axis=0))

    def mean(self, given: Array) -> float:
        """Return the mean over u of what is known at every u."""
        return float(self.u @ given)

    def covariance(self, x: Array, y: Array) -> float:
        """Return the mean over u of the covariances over z."""
        return self.mean(self.given((x - self.given(x)) * y))

    def bends(self, factor: Callable[[Any, Any], Any]) -> Array:
        """Return the means over z of factor(h, phi) phi'', in which a kink is a delta function, at every u."""
        return self.given(factor(self.h, self.phi) * self.bent) + sum(
            factor(at, value) * mass for at, value, mass in self.kinks
        )

    @cached_property
    def m(self) -> Array:
        """The means of phi at every u."""
        return self.given(self.phi)

    @cached_property
    def v(self) -> Array:
        """The values of phi less their means at every u."""
        return self.phi - self.m

    @cached_property
    def growth(self) -> Array:
        """The derivative h phi'/2 of phi by log q."""
        return self.h * self.slope / 2

    @property
    def centred(self) -> "Units":
        """The units less their mean over u and z, as behind a LayerNorm; `growth` follows phi."""
        mean, growth = self.mean(self.m), self.mean(self.given(self.growth))
        kinks = tuple((at, value - mean, mass) for at, value, mass in self.kinks)
        found = replace(self, phi=self.phi - mean, kinks=kinks)
        vars(found)["growth"] = self.growth - growth
        return found


def units(phi: Function, mean: float, shared: float, own: float) -> Units:
    """Return the units phi(mean + sqrt(shared) u + sqrt(own) z) at the nodes of a quadrature."""
    q = shared + own
    at, bent = resolved(FLOAT64, phi, mean, float(np.sqrt(q))), _bent(phi)
    scale_u, scale_z = np.sqrt(shared), np.sqrt(own)
    u = at.around(mean, scale_u, ORDER, [0.0, *at.sides(scale_z)])
    centre = mean + scale_u * u.x.ravel()
    z = at.around(centre, scale_z, ORDER)
    h = (centre + scale_z * z.x).reshape(-1, centre.size)
    of_u, of_z = ((part.weights * FLOAT64.npdf(part.x)).reshape(-1, *part.x.shape[2:]) for part in (u, z))
    return Units(
        q,
        float(np.log(own / (q + shared))),
        of_u / of_u.sum(),
        of_z / of_z.sum(axis=0),
        h,
        *(np.asarray(part(FLOAT64, h)) for part in (phi.pieces, phi.slope, bent)),
        tuple(_kinks(at, centre, scale_z)),
    )


def _kinks(at: Resolved, centre: Array, scale: Any) -> list[tuple[float, float, Array]]:
    """Return the kinks, as in `Units`."""
    rises = zip(at.phi.slope.kinks, at.phi.slope.jumps(FLOAT64), strict=True)
    return [
        (float(kink), float(at.phi(FLOAT64, float(kink))), rise * FLOAT64.npdf((float(kink) - centre) / scale) / scale)
        for kink, rise in rises
        if rise
    ]


@lru_cache(maxsize=64)
def _bent(phi: Function) -> Pieces:
    """Return phi'', piece by piece, without the delta functions at kinks."""
    return Pieces(phi.slope.kinks, tuple(map(derivative, phi.slope.formulas)))
