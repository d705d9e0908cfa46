"""Gaussian moments of any formula by panels that end at every kink and resolve every length.

With h = mean + sqrt(var_mu) u + sqrt(var_chi) z, both variances are variances of a function of one normal variable,
so that `numbers.panels.variance` loses nothing when var_chi/var_mu is 1e-12 or 1e12:
var_chi = E_u Var_z phi(h), var_mu = Var_u E_z phi(h), with d/du E_z phi = sqrt(var_mu) E_z phi' (jumps included).
"""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from igbtheory.activations.function import Function
from igbtheory.activations.mesh import mesh
from igbtheory.numbers import FLOAT64, Kind
from igbtheory.numbers.panels import Panels, split_normal, variance

SIDES = (1.5, 3.0, 5.0)
"""Ends, in standard deviations, of the panels around a smoothed feature; the last one ends at the reach."""
BLOCK = 2**20
"""Nodes held at once."""


@final
@dataclass(frozen=True)
class Resolved:
    """Function phi as a Gaussian of the given mean and standard deviation sees it.

    reach: standard deviations that matter; kinks, jumps: in the kind n; cuts: kinks and the points of the mesh.
    """

    n: Kind
    phi: Function
    reach: float
    kinks: list[Any]
    jumps: list[tuple[Any, Any]]
    cuts: list[Any]

    def around(self, centre: Any, scale: Any, order: int, more: list[Any] | None = None) -> Panels:
        """Panels of a normal variable z between the positions of the cuts (and more) in x = centre + scale z."""
        return split_normal(self.n, images(self.n, self.cuts + (more or []), centre, scale), self.reach, order)

    def sides(self, scale: Any) -> list[Any]:
        """Panel ends around kinks, and around the stretch where the slope varies, once smoothed with width `scale`."""
        features = {min(self.cuts), max(self.cuts), *self.kinks} if self.cuts else set[Any]()
        return [x + s * side * scale for x in features for side in (*SIDES, self.reach) for s in (-1, 1)]

    def atoms(self, centre: Any, scale: Any) -> list[tuple[Any, Any]]:
        """Positions z of the kinks at which phi jumps, and the jumps."""
        return [((kink - centre) / scale, jump) for kink, jump in self.jumps]

    def smoothed(self, centre: Any, scale: Any, order: int) -> tuple[Any, Any]:
        """Derivative by x of E_z phi(x + scale z), and Var_z phi(x + scale z), at the points x = `centre`."""
        n, z = self.n, self.around(centre, scale, order)
        slopes, atoms = self.phi.slope(n, centre + scale * z.x), self.atoms(centre, scale)
        drift = z.integral(slopes * n.npdf(z.x)) + sum(jump * n.npdf(y) / scale for y, jump in atoms)
        return drift, variance(n, z, scale * slopes, atoms)


def resolved(n: Kind, phi: Function, mean: float, scale: float) -> Resolved:
    """Reach, kinks and mesh of phi for a pre-activation of that mean and standard deviation."""
    reach = _reach(n, phi, mean, scale)
    points = mesh(phi, _span(abs(mean) + reach * scale))
    kinks = [n.number(kink) for kink in phi.pieces.kinks]
    jumps = [(kink, jump) for kink, jump in zip(kinks, phi.pieces.jumps(n), strict=True) if jump]
    return Resolved(n, phi, reach, kinks, jumps, [n.number(x) for x in points] + kinks)


def _span(distance: float) -> float:
    """Next power of two, beyond 512, where no exponential function reaches, of sixteen: nearby points share a mesh."""
    step = 1 if distance <= 512 else 4
    return float(2.0 ** (9 + step * np.ceil((np.log2(distance + 1e-300) - 9) / step)))


def images(n: Kind, points: list[Any], centre: Any, scale: Any) -> Any:
    """Positions (x - centre)/scale, axis of points in front; a scale of zero sends them to infinity."""
    column = np.array(points, dtype=np.asarray(scale).dtype).reshape(len(points), *(1,) * np.ndim(centre))
    return (column - centre) / (scale + n.number(1e-290))


def moments(n: Kind, phi: Function, mean: Any, var_mu: Any, var_chi: Any) -> tuple[Any, Any, Any, Any]:
    """Mean, var_mu, var_chi of phi(h) and their estimated relative error, at one point of a sweep.

    The error is the difference from a coarser rule, which overstates that of the result.
    """
    coarse, fine = (_moments(n, phi, mean, var_mu, var_chi, order) for order in _orders(n))
    # a product of that size is what rounding leaves of zero
    floor = (1e5 * n.epsilon) ** 2 * (fine[0] ** 2 + fine[1] + fine[2])
    pairs = ((coarse[0] ** 2 + coarse[1], fine[0] ** 2 + fine[1]), (coarse[2], fine[2]))
    error = max(abs(a - b) / (b + floor) if floor else floor for a, b in pairs)
    return *fine, error + 100 * n.epsilon


def _orders(n: Kind) -> tuple[int, int]:
    """Orders of the coarser and of the finer rule."""
    least = int(np.ceil(-np.log10(n.goal)))
    return least, least + least // 3


@np.errstate(over="ignore", under="ignore")
def _moments(n: Kind, phi: Function, mean: Any, var_mu: Any, var_chi: Any, order: int) -> tuple[Any, Any, Any]:
    scale_u, scale_z, scale = n.sqrt(var_mu), n.sqrt(var_chi), n.sqrt(var_mu + var_chi)
    seen = resolved(n, phi, float(mean), float(scale))
    whole = seen.around(mean, scale, order)
    average = whole.integral(phi(n, mean + scale * whole.x) * n.npdf(whole.x))
    if phi.parity < 0 and not mean:
        average = 0 * average  # exactly, so that gamma = 0 stays 0 in every layer
    if not var_chi or not var_mu:
        total = variance(n, whole, scale * phi.slope(n, mean + scale * whole.x), seen.atoms(mean, scale))
        return average, total if var_mu else 0 * total, total if var_chi else 0 * total
    u = seen.around(mean, scale_u, order, seen.sides(scale_z))
    centre = mean + scale_u * np.ravel(u.x)
    blocks = np.array_split(centre, 1 + centre.size * order * (len(seen.cuts) + 8) // BLOCK)
    parts = zip(*(seen.smoothed(block, scale_z, order) for block in blocks), strict=True)
    drift, inside = (np.concatenate(part).reshape(u.x.shape) for part in parts)
    return average, variance(n, u, scale_u * drift, []), u.integral(inside * n.npdf(u.x))


def second_moment(n: Kind, phi: Function, q: Any, mean: Any) -> Any:
    """Mean E phi(h)^2 of one pre-activation h of variance q."""
    scale = n.sqrt(q)
    whole = resolved(n, phi, float(mean), float(scale)).around(mean, scale, _orders(n)[1])
    return whole.integral(phi(n, mean + scale * whole.x) ** 2 * n.npdf(whole.x))


def product(n: Kind, phi: Function, q_a: Any, q_b: Any, q_ab: Any, mean: Any) -> tuple[Any, Any]:
    """Mean E phi(h_a) phi(h_b) of one pair with that mean and its estimated relative error."""
    coarse, fine = (_product(n, phi, q_a, q_b, q_ab, mean, order) for order in _orders(n))
    return fine[0], abs(coarse[0] - fine[0]) / fine[1] + 100 * n.epsilon


@np.errstate(over="ignore", under="ignore")
def _product(n: Kind, phi: Function, q_a: Any, q_b: Any, q_ab: Any, mean: Any, order: int) -> tuple[Any, Any]:
    """Mean of the product and of its absolute value: phi(h_a) times the mean of phi(h_b) given h_a."""
    scale_a, along = n.sqrt(q_a), q_ab / n.sqrt(q_a)
    across = n.sqrt(np.maximum(q_b - along * along, 0 * q_b))
    seen = resolved(n, phi, float(mean), float(max(scale_a, n.sqrt(q_b))))
    given_cuts = images(n, seen.cuts + seen.sides(across), mean, along)
    u = split_normal(n, np.concatenate([images(n, seen.cuts, mean, scale_a), given_cuts]), seen.reach, order)
    centre = mean + along * np.ravel(u.x)
    z = seen.around(centre, across, order)
    given = z.integral(phi(n, centre + across * z.x) * n.npdf(z.x)).reshape(u.x.shape)
    values = phi(n, mean + scale_a * u.x) * given * n.npdf(u.x)
    return u.integral(values), u.integral(np.abs(values))


def _reach(n: Kind, phi: Function, mean: float, scale: float) -> float:
    """Standard deviations beyond which phi and its slope, weighted with the density, are negligible."""
    least = float(np.sqrt(-2 * np.log(n.epsilon))) + 0.5
    z = np.linspace(-4 * least, 4 * least, 513)
    x = mean + scale * z
    with np.errstate(all="ignore"):
        slope = np.abs(phi.slope(FLOAT64, x))
        size = (np.abs(phi(FLOAT64, x)) + scale * np.where(np.isfinite(slope), slope, 0)) * np.exp(-z * z / 4)
    largest = np.max(size[np.isfinite(size)], initial=0.0)
    seen = size > max(np.sqrt(n.epsilon) * largest, 1e-120)  # a step 30 standard deviations away is no step
    beyond = np.abs(z)[seen]
    if not np.all(np.isfinite(size)) or seen[0] or seen[-1]:
        raise ValueError(
            f"the activation {phi.name!r} grows too fast for a pre-activation of standard deviation {scale:.3g}: "
            "its second moment is out of range. Use a smaller sigma_w2, a norm before it, or clip the formula"
        )
    return float(np.max(beyond, initial=least))
