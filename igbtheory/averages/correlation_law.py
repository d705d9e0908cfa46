"""Law of the angle between two data in a group of units: Hotelling's law of a sample correlation.

The density of r = cos theta is proportional to (1 - r^2)^((d - 3)/2) (1 - c r)^(1/2 - d) H((1 + c r)/2) with H(x) =
int_0^(pi/2) cos(y)^(2 d - 1)/sqrt(1 - x sin(y)^2) dy (Hotelling 1953, New light on the correlation coefficient). With
tan(theta/2) = sqrt((1 - c)/(1 + c)) tan(eta/2) the density of eta is proportional to sin(eta)^(d - 2) sqrt(1 + c cos
eta) H: no small length is left in it.
"""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from igbtheory.averages.directions_panels import WHOLE, cosine_power, grid, rounded
from igbtheory.averages.panels import orders
from igbtheory.numbers import Kind
from igbtheory.numerics.panels import Panels, farthest, split

NEARBY = 3.0 ** -np.arange(1, 14)
"""Distances of panel ends from pi/2 in H, which is all but singular there at x = 1 and small d."""
PARTS = 8
"""Panels of the half circle at least."""


@final
@dataclass(frozen=True)
class Angles:
    """Law of the angle theta between two data of correlation c in d = `free` dimensions, on the half circle of eta."""

    n: Kind
    free: int
    c: Any
    less: Any

    @property
    def more(self) -> Any:
        """Sum 1 + c; at c = -1 as little as no result sees."""
        return np.maximum(1 + self.c, self.n.number(self.n.epsilon) ** 2)

    def theta(self, eta: Any) -> Any:
        """Angle theta."""
        n = self.n
        return 2 * n.atan2(n.sqrt(self.less) * n.sin(eta / 2), n.sqrt(self.more) * n.cos(eta / 2))

    def eta(self, theta: Any) -> Any:
        """Angle eta."""
        n = self.n
        return 2 * n.atan2(n.sqrt(self.more) * n.sin(theta / 2), n.sqrt(self.less) * n.cos(theta / 2))

    def panels(self, tangent: list[Any], order: int) -> Panels:
        """Panels of eta: about the peaks at c and at c = 0, at the angles `tangent`, and tapering towards an end."""
        n = self.n
        least = farthest(n)
        around = grid(n, n.number(min(np.pi / 2, least / np.sqrt(self.free))), self.free) + n.pi / 2
        evenly = n.pi * n.number(np.arange(PARTS + 1)) / PARTS
        ratio = self.less / self.more
        length = n.sqrt(np.minimum(ratio, 1 / ratio))
        taper = length * n.number(4) ** np.arange(-2, 2 + int(-np.log(float(length)) / np.log(4)))
        if ratio < 1:
            taper = n.pi - taper
        images = [self.eta(theta) for theta in (*around, *evenly, *tangent)]
        ends = np.array([*around, *evenly, *taper, *images])
        return rounded(n, split(n, ends, 0 * n.pi, n.pi, 2 * order), 2 * order)

    def density(self, panels: Panels) -> Any:
        """Weights of the law at the nodes, of sum 1."""
        n, eta = self.n, panels.x
        law = (
            cosine_power(n, n.cos(eta), n.sin(eta), self.free - 2)
            * n.sqrt(self.one_plus_c_cos(eta))
            * self._mixture(eta)
        )
        return panels.weights * law / panels.integral(law)

    def change(self, panels: Panels) -> Any:
        """Density at c less that at c = 0, times weights; a common factor is taken out while the two overlap."""
        n, c, eta = self.n, self.c, panels.x
        away = self.one_plus_c_cos(eta)
        r = n.cos(self.theta(eta))
        plain = panels.weights * cosine_power(n, r, n.sin(self.theta(eta)), self.free - 2) / away
        plain = plain / plain.sum()
        if self.free * float(c) ** 2 > 0.25:
            return self.density(panels) - plain
        common = self.free * n.log1p(-c * c) / 2 + (n.number(1) / 2 - self.free) * n.log1p(-c * r)
        return plain * n.expm1(common + n.log1p(self._excess(c * r)))

    def one_plus_c_cos(self, eta: Any) -> Any:
        """Sum 1 + c cos eta."""
        n = self.n
        return self.less * n.sin(eta / 2) ** 2 + self.more * n.cos(eta / 2) ** 2

    def _mixture(self, eta: Any) -> Any:
        """Integral H(x) at 1 - x = (1 - c r)/2 = (1 - c^2)/(2 (1 + c cos eta))."""
        y, weights = self._heights()
        rest = np.ravel(self.less * self.more / (2 * self.one_plus_c_cos(eta)))
        sine = self.n.sin(y)[:, None] ** 2
        cosine = self.n.cos(y)[:, None] ** 2
        return (weights[:, None] / self.n.sqrt(cosine + rest * sine)).sum(axis=0).reshape(eta.shape)

    def _excess(self, cr: Any) -> Any:
        """Quotient H((1 + c r)/2)/H(1/2) - 1, as a sum that does not cancel."""
        n = self.n
        y, weights = self._heights()
        square = n.sin(y)[:, None] ** 2
        at_zero = n.sqrt(1 - square / 2)
        root = n.sqrt(n.cos(y)[:, None] ** 2 + (1 - np.ravel(cr)) / 2 * square)
        excess = np.ravel(cr) / 2 * square / (root * at_zero * (root + at_zero))
        whole = (weights[:, None] / at_zero).sum()
        return ((weights[:, None] * excess).sum(axis=0) / whole).reshape(cr.shape)

    def _heights(self) -> tuple[Any, Any]:
        """Nodes y and weights of int_0^(pi/2) cos(y)^(2 d - 1) dy."""
        n, order = self.n, orders(self.n)[1]
        free = 2 * self.free + 1
        reach = n.pi / 2 if free <= WHOLE else n.number(min(1.5, (farthest(n) + 0.5) / float(np.sqrt(free))))
        ends = np.array([*grid(n, reach, free), *(n.pi / 2 - n.number(NEARBY))])
        panels = split(n, ends, 0 * reach, reach, order)
        y = np.ravel(panels.x)
        return y, np.ravel(panels.weights) * cosine_power(n, n.sin(y), n.cos(y), free - 2)
