"""Batch-normalised values as functions of an angle, and panels of angles.

B = sqrt(n - 1) sin t for a datum normalised with its batch of n, sqrt(n) tan t for one normalised by the n - 1 others.
With eps > 0 the angle is smaller: `caps`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from igbtheory.averages.mesh import Mesh, mesh, span
from igbtheory.formulas.function import Function
from igbtheory.numbers import FLOAT64, Kind
from igbtheory.numerics.panels import WIDTH, Panels, farthest

FARTHEST = 60.0
"""Standard deviations that matter at most."""
WHOLE = 64
"""Degrees of freedom up to which panels cover every angle."""
SPAN = 2.0**12
"""Value from which on a function under the proxy's tail has no length of its own: it varies with the angle."""


@final
@dataclass(frozen=True)
class Sphere:
    """Function phi(B) of an angle t, B the value of one of `size` normalised data.

    offset: n eps/v, v the variance of a unit over its batch.
    """

    n: Kind
    phi: Function
    size: int
    proxy: bool
    offset: float = 0.0

    @property
    def free(self) -> int:
        """Degrees of freedom n - 1 of the direction."""
        return self.size - 1

    @property
    def root(self) -> Any:
        """Root of n - 1, or of n under the proxy."""
        return self.n.sqrt(self.n.number(self.size if self.proxy else self.free))

    def __call__(self, sine: Any) -> Any:
        """Values phi(B), from sin t."""
        ratio = sine / self.n.sqrt((1 - sine) * (1 + sine)) if self.proxy else sine
        return self.phi(self.n, self.root * ratio)

    def at(self, t: Any) -> Any:
        """Values phi(B) at the angles t."""
        return self.phi(self.n, self.root * (self.n.tan(t) if self.proxy else self.n.sin(t)))

    def slope(self, t: Any) -> Any:
        """Derivative of phi(B) by the angle."""
        n, root, cosine = self.n, self.root, self.n.cos(t)
        if self.proxy:
            return self.phi.slope(n, root * n.tan(t)) * root / (cosine * cosine)
        return self.phi.slope(n, root * n.sin(t)) * root * cosine

    def sines(self, points: Iterable[Any]) -> list[Any]:
        """Sines of the angles at which B takes the values `points`, those that it takes."""
        ratios = [self.n.number(x) / self.root for x in points]
        found = [y / self.n.sqrt(1 + y * y) if self.proxy else y for y in ratios]
        return [y for y in found if abs(y) < 1]

    def reach(self) -> Any:
        """Angle beyond which phi^2 times the density is negligible."""
        n, free = self.n, self.free + self.offset
        root = float(np.sqrt(free))
        if free <= WHOLE:
            return n.pi / 2
        z = np.linspace(-1, 1, 4097)[1:-1] * min(FARTHEST, root * np.pi / 2)
        sine, tangent = np.sin(z / root), np.tan(z / root)
        b = float(self.root) * (tangent if self.proxy else sine)
        with np.errstate(all="ignore"):
            density = np.exp((self.free - 2) / 4 * np.log1p(-sine * sine) - self.offset / 4 * tangent * tangent)
            size = np.abs(self.phi(FLOAT64, b)) * density
        seen = size > np.sqrt(n.epsilon) * np.max(size[np.isfinite(size)], initial=0.0)
        if not np.isfinite(size).all() or (root * np.pi / 2 > FARTHEST and (seen[0] or seen[-1])):
            raise ValueError(
                f"expected an activation whose second moment is within range under batches of {self.size}, got "
                f"{self.phi.name!r}, which grows too fast; clip the formula"
            )
        least = farthest(n)
        return min(n.number(float(np.max(np.abs(z[seen]), initial=least)) / root), n.pi / 2)

    def grid(self, reach: Any) -> Any:
        """Panel ends on [-reach, reach], three standard deviations apart at most."""
        return grid(self.n, reach, self.free + self.offset)

    def mesh(self, reach: Any) -> list[float]:
        """Points of the mesh of phi as far as B goes."""
        return list(self.resolved(reach).points)

    def resolved(self, reach: Any) -> Mesh:
        """Mesh of phi as far as B goes."""
        far = np.tan(min(float(reach), 1.57)) if self.proxy else np.sin(float(reach))
        largest = min(float(self.root) * far, SPAN if self.proxy else np.inf)
        return mesh(self.phi, span(largest))


def power(n: Kind, sine: Any, exponent: int) -> Any:
    """Power cos(t)^exponent from sin t; through the logarithm, since rounding of cos t would count as often."""
    if not exponent:
        return 1 + 0 * sine
    with np.errstate(divide="ignore"):  # at a right angle, where rounding puts a node
        return n.exp(n.number(exponent) / 2 * n.log1p(-sine * sine))


def density(n: Kind, t: Any, exponent: int) -> Any:
    """Density cos(t)^exponent, also near a right angle, where the sine has lost it."""
    if not exponent:
        return 1 + 0 * t
    sine, cosine = n.sin(t), n.cos(t)
    flat = np.abs(sine) < cosine
    with np.errstate(divide="ignore"):
        logarithm = np.where(flat, n.log1p(-sine * sine) / 2, n.log(np.maximum(cosine, 0 * cosine)))
    return n.exp(exponent * logarithm)


def grid(n: Kind, reach: Any, free: float) -> Any:
    """Panel ends on [-reach, reach], three standard deviations 1/sqrt(free) apart at most."""
    count = 2 * int(np.ceil(float(reach) * np.sqrt(free + 2) / WIDTH))
    return reach * (2 * n.number(np.arange(count + 1)) / count - 1)


def density_reach(n: Kind, free: int) -> Any:
    """Angle beyond which cos^free is negligible."""
    if free <= WHOLE:
        return n.pi / 2
    return n.number(float(min(1.5, (np.sqrt(-2 * np.log(n.epsilon)) + 1) / np.sqrt(free))))


def thinned(points: list[Any]) -> list[Any]:
    """A few of the points, ends included: enough of them where only a smoothed image of a length is seen."""
    return [points[i] for i in sorted({round(x) for x in np.linspace(0, len(points) - 1, 6)})] if points else []


def rounded(n: Kind, panels: Panels, order: int) -> Panels:
    """Panels in y, x = sin(pi y/2): at their ends functions may go as half-integer powers."""
    y, weights = (part.reshape(-1, *(1,) * (panels.half.ndim - 1)) for part in n.legendre(order))
    bent = n.pi / 2 * n.cos(n.pi / 2 * y) * weights
    x = panels.left[:, None] + panels.half[:, None] * 2 * n.sin(n.pi / 4 * (1 + y)) ** 2
    return Panels(x, panels.half[:, None] * bent, panels.half, panels.left)
