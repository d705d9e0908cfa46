"""A formula of a Gaussian variable: its reach, its kinks, and panels that resolve every length scale."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from igbtheory.mathematics.averages.mesh import UnresolvedError, mesh, span
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.numbers import FLOAT64, Kind
from igbtheory.mathematics.numerics.limits import BLOCK
from igbtheory.mathematics.numerics.panels import Panels, farthest, split_normal, variance

SIDES = (3.0,)
"""Ends, in standard deviations, of the panels around a smoothed feature, on which it varies as the normal distribution
function does; the reach is one more end."""
Rule = Callable[[Any, Any, int], tuple[Any, Any]]


@final
@dataclass(frozen=True)
class Resolved:
    """Function phi of a Gaussian variable, with what a quadrature must know of it.

    reach: number of standard deviations that matter; kinks, jumps: as numbers of the kind n; cuts: the kinks and the
    points of the mesh; doubt: as in `Mesh`.
    """

    n: Kind
    phi: Function
    reach: float
    kinks: list[Any]
    jumps: list[tuple[Any, Any]]
    cuts: list[Any]
    doubt: float

    def around(self, centre: Any, scale: Any, order: int, more: list[Any] | None = None) -> Panels:
        """Return panels of a normal variable z that end where x = centre + scale z is a cut or one of `more` points."""
        return split_normal(self.n, images(self.n, self.cuts + (more or []), centre, scale), self.reach, order)

    def sides(self, scale: Any) -> list[Any]:
        """Return panel ends around the kinks and the interval where the slope varies, for phi smoothed over `scale`."""
        features = {min(self.cuts), max(self.cuts), *self.kinks} if self.cuts else set[Any]()
        return [x + s * side * scale for x in features for side in (*SIDES, self.reach) for s in (-1, 1)]

    def atoms(self, centre: Any, scale: Any) -> list[tuple[Any, Any]]:
        """Return the positions z of the jumps of phi, and their heights."""
        return [((kink - centre) / scale, jump) for kink, jump in self.jumps]

    def averaged(self, centre: Any, scale: Any, order: int) -> tuple[Any, Any]:
        """Return E_z phi(x + scale z) and Var_z phi(x + scale z) at the points x = `centre`, from the values of phi."""
        n, z = self.n, self.around(centre, scale, order)
        values, density = self.phi(n, centre + scale * z.x), n.npdf(z.x)
        inside = z.integral(values * density)
        return inside, z.integral((values - inside) ** 2 * density)

    def smoothed(self, centre: Any, scale: Any, order: int) -> tuple[Any, Any]:
        """Return d/dx E_z phi(x + scale z) and Var_z phi(x + scale z) at x = `centre`, from the slopes of phi."""
        n, z = self.n, self.around(centre, scale, order)
        slopes, atoms = self.phi.slope(n, centre + scale * z.x), self.atoms(centre, scale)
        drift = z.integral(slopes * n.npdf(z.x)) + sum(jump * n.npdf(y) / scale for y, jump in atoms)
        return drift, variance(n, z, scale * slopes, atoms)

    def at_each(self, rule: Rule, centre: Any, scale: Any, order: int) -> tuple[Any, Any]:
        """Return both results of a `rule` at an array of centres, computed in blocks."""
        blocks = np.array_split(np.ravel(centre), 1 + centre.size * order * (len(self.cuts) + 8) // BLOCK)
        both = zip(*(rule(block, scale, order) for block in blocks), strict=True)
        first, second = (np.concatenate(part).reshape(centre.shape) for part in both)
        return first, second


def resolved(n: Kind, phi: Function, mean: float, *scales: float) -> Resolved:
    """Return phi with its reach, kinks and mesh for pre-activations of one mean and these standard deviations."""
    reach = max(reach_of(n, phi, mean, scale) for scale in scales)
    slope_mesh = mesh(phi, span(abs(mean) + reach * max(scales)))
    ends = [n.number(kink) for kink in phi.pieces.kinks]
    jumps = [(kink, jump) for kink, jump in zip(ends, phi.pieces.jumps(n), strict=True) if jump]
    cuts = [n.number(x) for x in slope_mesh.points] + ends
    return Resolved(n, phi, reach, [n.number(kink) for kink in phi.kinks], jumps, cuts, slope_mesh.doubt)


def is_rough(phi: Function, mean: float, scale: float) -> bool:
    """Return whether the slope of phi is singular beside a kink, or takes too many panels."""
    try:
        return resolved(FLOAT64, phi, mean, scale).doubt > 1
    except UnresolvedError:
        return True


def images(n: Kind, points: list[Any], centre: Any, scale: Any) -> Any:
    """Return the positions (x - centre)/scale, axis of points in front; a scale of zero sends them to infinity."""
    column = np.array(points, dtype=np.asarray(scale).dtype).reshape(len(points), *(1,) * np.ndim(centre))
    return (column - centre) / (scale + n.number(1e-290))


def reach_of(n: Kind, phi: Function, mean: float, scale: float) -> float:
    """Return the number of standard deviations beyond which phi and its slope, times the density, are negligible.

    Points at which phi is NaN, because a part of it overflows, are ignored.
    """
    least = farthest(n)
    z = np.linspace(-4 * least, 4 * least, 512)
    x = mean + scale * z
    with np.errstate(all="ignore"):
        # the root of the density, since averages contain squares of phi
        slope = np.abs(phi.slope(FLOAT64, x))
        size = (np.abs(phi(FLOAT64, x)) + scale * np.where(np.isfinite(slope), slope, 0)) * np.exp(-z * z / 4)
        size = np.where(np.isnan(size) & ~np.all(np.isnan(size)), 0, size)
    largest = np.max(size[np.isfinite(size)], initial=0.0)
    matters = size > max(np.sqrt(n.epsilon) * largest, 1e-120)  # a step 30 standard deviations away does not count
    beyond = np.abs(z)[matters]
    if not np.all(np.isfinite(size)) or matters[0] or matters[-1]:
        raise ValueError(
            f"the activation {phi.name!r} grows too fast for a pre-activation of standard deviation {scale:.3g}: "
            "its second moment is out of range. Use a smaller sigma_w2, a norm before it, or clip the formula"
        )
    return float(np.max(beyond, initial=least))
