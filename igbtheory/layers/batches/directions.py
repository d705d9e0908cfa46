"""Nodes and weights for averages of a batch-normalised unit at one datum and at two data of a batch.

A batch of n exchangeable Gaussian values, centred and divided by its standard deviation, is sqrt(n) times a uniform
unit vector orthogonal to (1, ..., 1): a direction in d = n - 1 dimensions, for any mean, variance and correlation. One
datum has B = sqrt(d) sin t, where t has the density cos(t)^(d - 2); a datum normalised by the n - 1
others (the proxy) has sqrt(n) tan t. Two data of a batch are at the angle a, cos a = -1/d, and lie on a disk: sin t =
sin(s) cos(x) and sin t' = sin(s) cos(x - a), x uniform and P(angle > s) = cos(s)^(d - 2). With eps > 0, o = n eps/v and
v the variance of a unit over its batch, that probability is cos(s)^(d - 2) exp(-o tan(s)^2/2).
Source: where-you-place-the-norm, appendix E, Eqs. 27 to 61.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from igbtheory.mathematics.averages.mesh import Mesh, mesh, span
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.numbers import FLOAT64, Kind
from igbtheory.mathematics.numerics.panels import WIDTH, Panels, farthest, split

FARTHEST = 60.0
"""Largest number of standard deviations that are integrated over: exp(-60^2/2) is no float."""
WHOLE = 64
"""Number of degrees of freedom up to which panels cover every angle."""
SPAN = 2.0**12
"""Largest B for which the proxy uses the mesh of phi; beyond, panels of the angle resolve phi."""
STRIP = 1.0
"""Number of equal steps over half a turn, per order of the rule and per inverse width of the strip of analyticity."""
LADDER = 2.0 ** np.arange(-28, 1)
"""Distances from a singularity at which panels end, each twice the one before."""
DIGITS = 37.0
"""Logarithm of 1/epsilon in double precision, 36.7, rounded up: terms exp(-DIGITS) are negligible."""


@final
@dataclass(frozen=True)
class Directions:
    """Function phi(B) of a batch-normalised unit, with B its value at one of `size` data; offset: o = n eps/v."""

    n: Kind
    phi: Function
    size: int
    proxy: bool = False
    offset: Any = 0

    @property
    def free(self) -> int:
        """Dimensions d = n - 1 of the directions."""
        return self.size - 1

    @property
    def apart(self) -> Any:
        """Angle between two data of a batch."""
        return self.n.acos(-1 / self.n.number(self.free))

    @property
    def root(self) -> Any:
        """Square root of n - 1, or of n for the proxy."""
        return self.n.sqrt(self.n.number(self.size if self.proxy else self.free))

    def at(self, sine: Any, cosine: Any) -> Any:
        """Return phi(B) from the sine and cosine of the angle t."""
        return self.phi(self.n, self.root * (sine / cosine if self.proxy else sine))

    def slope(self, t: Any) -> Any:
        """Return the derivative of phi(B) with respect to the angle."""
        n, root, cosine = self.n, self.root, self.n.cos(t)
        if self.proxy:
            return self.phi.slope(n, root * n.tan(t)) * root / (cosine * cosine)
        return self.phi.slope(n, root * n.sin(t)) * root * cosine

    def sines(self, points: Iterable[Any]) -> list[Any]:
        """Return the sines of the angles at which B takes the values `points`, without values that B never takes."""
        ratios = [self.n.number(x) / self.root for x in points]
        sines = [y / self.n.sqrt(1 + y * y) if self.proxy else y for y in ratios]
        return [y for y in sines if abs(y) < 1]

    def jumps(self) -> list[tuple[Any, Any]]:
        """Return the angles at which phi jumps, and the heights of the jumps."""
        pairs = zip(self.phi.pieces.kinks, self.phi.pieces.jumps(self.n), strict=True)
        return [(self.n.asin(y), jump) for kink, jump in pairs if jump for y in self.sines([kink])]

    def reach(self) -> Any:
        """Return the angle beyond which phi^2 times the density is negligible."""
        n, offset = self.n, float(self.offset)
        root = float(np.sqrt(self.free + offset))
        if self.free + offset <= WHOLE:
            return n.pi / 2
        z = np.linspace(-1, 1, 4097)[1:-1] * min(FARTHEST, root * np.pi / 2)
        sine, tangent = np.sin(z / root), np.tan(z / root)
        b = float(self.root) * (tangent if self.proxy else sine)
        with np.errstate(all="ignore"):
            density = np.exp((self.free - 2) / 4 * np.log1p(-sine * sine) - offset / 4 * tangent * tangent)
            size = np.abs(self.phi(FLOAT64, b)) * density
        matters = size > np.sqrt(n.epsilon) * np.max(size[np.isfinite(size)], initial=0.0)
        if not np.isfinite(size).all():
            raise ValueError(
                f"expected an activation whose second moment is within range under batches of {self.size}, got "
                f"{self.phi.name!r}, which grows too fast; clip the formula"
            )
        least = farthest(n)
        return min(n.number(float(np.max(np.abs(z[matters]), initial=least)) / root), n.pi / 2)

    def mesh(self) -> Mesh:
        """Return the mesh of phi over the range of B."""
        reach = min(float(self.reach()), 1.57)
        largest = float(self.root) * (np.tan(reach) if self.proxy else np.sin(reach))
        return mesh(self.phi, span(min(largest, SPAN) if self.proxy else largest))

    def ends(self) -> list[Any]:
        """Return ends of panels of the angle t: a grid, and angles that approach the right angle geometrically.

        At the distance x from the right angle, the density falls like exp(-o/(2 x^2)); for the proxy, phi may diverge.
        """
        least = max(np.sqrt(float(self.offset)) / 9, LADDER[0]) if self.offset or self.proxy else 1.0
        edges = self.n.pi / 2 - self.n.number(LADDER[least <= LADDER])
        return [*grid(self.n, self.reach(), float(self.free + self.offset)), *edges, *-edges]

    def one_datum(self, order: int, more: Iterable[Any] = ()) -> tuple[Panels, Any]:
        """Return panels of the angle t of one datum, which also end at `more` angles, and the nodes' probabilities."""
        n, reach = self.n, self.reach()
        images = [n.asin(y) for y in self.sines([*self.phi.pieces.kinks, *self.mesh().points])]
        t = split(n, np.array([*self.ends(), *images, *map(n.number, more)]), -reach, reach, order)
        weights = t.weights * self.density(t.x)
        return t, weights / weights.sum()

    @np.errstate(over="ignore", under="ignore", divide="ignore")
    def density(self, t: Any) -> Any:
        """Return a multiple of the density: cos(t)^(d - 2) exp(-o tan(t)^2/2) E sqrt(W + 2 u), u = o/(2 cos(t)^2).

        W is chi^2 of d - 1 degrees of freedom. If eps > 0, in double precision only: the mean is int cosh(x)^(2 - d)
        exp(-u sinh(x)^2) ((d - 1)/cosh(x)^2 + 2 u) dx. The integrand is even, and analytic for |Im x| < pi/4, so that
        equal steps converge geometrically.
        """
        plain, free = cosine_power(self.n, self.n.sin(t), self.n.cos(t), self.free - 2), self.free
        if not self.offset:
            return plain
        cosine, offset = np.cos(t), float(self.offset)
        u = np.asarray(offset / 2 / (cosine * cosine))
        step = 1 / np.sqrt((DIGITS * 2 / np.pi**2) ** 2 + (free + 2 * u) * DIGITS / (2 * np.pi**2))
        last = np.minimum(np.arcsinh(np.sqrt(DIGITS / u)), 1 + DIGITS / free)
        x = np.multiply.outer(np.arange(1 + np.ceil(np.max(last / step))), step)
        terms = np.exp((2 - free) * np.log(np.cosh(x)) - u * np.sinh(x) ** 2) * ((free - 1) / np.cosh(x) ** 2 + 2 * u)
        return plain * np.exp(-offset / 2 * np.tan(t) ** 2) * step * (terms.sum(axis=0) - terms[0] / 2)

    @np.errstate(over="ignore", under="ignore", divide="ignore")
    def two_data(self, order: int) -> tuple[Any, Any, Any]:
        """Return probabilities of nodes for two data of a batch, and the values of phi at both data.

        The nodes cover half of all directions. In the other half, the data change places or both change their signs.
        """
        n, apart = self.n, self.apart
        sine, cosine, of_radius = self._radii(order)
        width = n.pi / 2 if self.phi.parity else n.pi
        x, of_x = self._turns(sine, width, order)
        values = []
        for turned in (x, x - apart):
            across = sine * n.sin(turned)  # to form 1 - (sine cos)^2 without cancellation
            values.append(self.at(sine * n.cos(turned), n.sqrt(cosine * cosine + across * across)))
        return of_radius * of_x / width, values[0], values[1]

    def _radii(self, order: int) -> tuple[Any, Any, Any]:
        """Return sines and cosines of the angles s, and weights of sum 1.

        Panels end where the disk begins to reach a kink, or kinks at both data at once: there the integrand varies like
        a half-integer power.
        """
        n, free, o = self.n, self.free, self.offset
        if free == 2 and not o:
            one = n.number(np.ones(1))
            return one, 0 * one, one
        kinks, apart = self.sines(self.phi.pieces.kinks), self.apart
        squares = [(a * a + b * b - 2 * n.cos(apart) * a * b) / n.sin(apart) ** 2 for a in kinks for b in kinks]
        met = [abs(y) for y in (*kinks, *self.sines(self.mesh().points))]
        met += [n.sqrt(square) for square in squares if 0 < square < 1]
        ends = np.array([*self.ends(), *map(n.asin, met)])
        s = rounded(n, split(n, ends, 0 * n.pi, self.reach(), (3 * order) // 2), (3 * order) // 2)
        sine, cosine = n.sin(s.x), n.cos(s.x)
        tangent = sine / cosine
        weights = s.weights * tangent * cosine_power(n, sine, cosine, free - 2) * (free - 2 + o / (cosine * cosine))
        weights = np.ravel(weights * n.exp(-o * tangent * tangent / 2))
        return np.ravel(sine), np.ravel(cosine), weights / weights.sum()

    def _turns(self, radii: Any, width: Any, order: int) -> tuple[Any, Any]:
        """Return angles x, from half of the angle between the data on, and weights; first axes: panels and nodes.

        Panels end where a datum meets a kink or a point of the mesh of phi. For an analytic phi, the integrand is even
        about both ends, so that equal steps converge geometrically; the rate follows from the mesh.
        """
        n, apart = self.n, self.apart
        low, largest = apart / 2, float(self.root * np.max(radii))
        points: list[Any] = [*self.phi.pieces.kinks, *self.mesh().points]
        count = 2 + int(np.ceil(float(width) * largest / WIDTH))
        least = np.diff(sorted({-largest, largest, *(float(x) for x in points if abs(x) < largest)})).min()
        equal = int(np.ceil(float(width) / np.pi * order * (1 + STRIP / np.arcsinh(least / largest))))
        if not (self.phi.pieces.kinks or self.proxy) and equal < order * (count + 4 * len(points)):
            weights = np.where(np.arange(equal + 1) % equal, n.number(1), n.number(0.5)) * width / equal
            return (low + width * n.number(np.arange(equal + 1)) / equal)[:, None, None], weights[:, None, None]
        turns = [turn + half for turn in (0 * apart, apart) for half in (0 * n.pi, n.pi, 2 * n.pi)]
        ends = [low + width * n.number(i) / count + 0 * radii for i in range(count + 1)]
        for y in self.sines(points):
            angle = n.acos(np.minimum(np.maximum(y / radii, -1), 1))
            ends += [turn + side * angle for turn in turns for side in (-1, 1)]
        if self.proxy:
            steps = n.number(np.concatenate([-LADDER[::2], [0.0], LADDER[::2]]))
            ends += [turn + step + 0 * radii for turn in turns for step in steps]
        panels = split(n, np.array(ends), low, low + width, order)
        return panels.x, panels.weights


def cosine_power(n: Kind, sine: Any, cosine: Any, exponent: int) -> Any:
    """Return cos(t)^exponent by logarithms: a rounding error of cos t would be multiplied by the exponent."""
    if not exponent:
        return 1 + 0 * sine
    flat = np.abs(sine) < cosine
    with np.errstate(divide="ignore"):  # rounding may put a node at a right angle
        near, far = n.log1p(-(np.where(flat, sine, 0 * sine) ** 2)) / 2, n.log(np.maximum(cosine, 0 * cosine))
    return n.exp(exponent * np.where(flat, near, far))


def grid(n: Kind, reach: Any, free: float) -> Any:
    """Return panel ends on [-reach, reach] that are at most three standard deviations 1/sqrt(free) apart."""
    count = 2 * int(np.ceil(float(reach) * np.sqrt(free + 2) / WIDTH))
    return reach * (2 * n.number(np.arange(count + 1)) / count - 1)


def rounded(n: Kind, panels: Panels, order: int) -> Panels:
    """Return panels in y, with x = sin(pi y/2), for functions like half-integer powers at the ends of panels."""
    y, weights = (part.reshape(-1, *(1,) * (panels.half.ndim - 1)) for part in n.legendre(order))
    bent = n.pi / 2 * n.cos(n.pi / 2 * y) * weights
    x = panels.left[:, None] + panels.half[:, None] * 2 * n.sin(n.pi / 4 * (1 + y)) ** 2
    return Panels(x, panels.half[:, None] * bent, panels.half, panels.left)
