"""Gaussian moments of any formula by composite Gauss-Legendre: panels end at every kink and resolve every length.

With h = mean + sqrt(var_mu) u + sqrt(var_chi) z, both variances are variances of a function of one normal variable, and
for those Hoeffding's identity has only products of slopes and positive weights:

    Var f(z) = 2 iint_{x<y} f'(x) f'(y) Phi(x) Phi(-y) dx dy        (a jump of f is an atom of f')

so that nothing cancels when var_chi/var_mu is 1e-12 or 1e12:
var_chi = E_u Var_z phi(h), var_mu = Var_u E_z phi(h), with d/du E_z phi = sqrt(var_mu) E_z phi'.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.activations.function import Function
from igbtheory.activations.mesh import mesh
from igbtheory.numbers import FLOAT64, Kind

WIDTH = 3.0
"""Standard deviations that a panel of the normal density spans at most."""
SIDES = (1.5, 3.0, 5.0)
"""Ends, in standard deviations, of the panels around a smoothed feature; the last one ends at the reach."""


@final
@dataclass(frozen=True)
class Panels:
    """Nodes x, weights, and left ends of panels, shapes (panels, order, *points) and (panels, *points)."""

    x: Any
    weights: Any
    half: Any
    left: Any


def moments(n: Kind, phi: Function, mean: Any, var_mu: Any, var_chi: Any) -> tuple[Any, Any, Any, Any]:
    """Mean, var_mu, var_chi of phi(h) and their estimated relative error, at one point of a sweep.

    The error is the difference from a coarser rule, which overstates that of the result.
    """
    order = int(np.ceil(-np.log10(n.goal)))
    with np.errstate(over="ignore", under="ignore"):
        coarse, fine = (_moments(n, phi, mean, var_mu, var_chi, k) for k in (order, order + order // 3))
    floor = n.epsilon * (fine[0] ** 2 + fine[1] + fine[2])
    pairs = ((coarse[0] ** 2 + coarse[1], fine[0] ** 2 + fine[1]), (coarse[2], fine[2]))
    error = max(abs(a - b) / (b + floor) if floor else floor for a, b in pairs)
    return *fine[:3], error + 100 * n.epsilon + fine[3]


def _moments(n: Kind, phi: Function, mean: Any, var_mu: Any, var_chi: Any, order: int) -> tuple[Any, Any, Any, float]:
    scale_u, scale_z, scale = n.sqrt(var_mu), n.sqrt(var_chi), n.sqrt(var_mu + var_chi)
    reach = _reach(n, phi, float(mean), float(scale))
    points, resolved = mesh(phi, _span(abs(float(mean)) + reach * float(scale)))
    kinks = [n.number(kink) for kink in phi.pieces.kinks]
    jumps = [(kink, jump) for kink, jump in zip(kinks, phi.pieces.jumps(n), strict=True) if jump]
    cuts = [n.number(x) for x in points] + kinks
    whole = _panels(n, _images(n, cuts, mean, scale), reach, order)
    average = _integral(whole, phi(n, mean + scale * whole.x) * n.npdf(whole.x))
    if not var_chi or not var_mu:
        total = _variance(n, whole, scale * phi.slope(n, mean + scale * whole.x), _atoms(jumps, mean, scale))
        return average, total if var_mu else 0 * total, total if var_chi else 0 * total, 1.0 - resolved
    us = _panels(n, _images(n, cuts + _sides(cuts, kinks, scale_z, reach), mean, scale_u), reach, order)
    centre = mean + scale_u * np.ravel(us.x)
    zs = _panels(n, _images(n, cuts, centre, scale_z), reach, order)
    slopes = phi.slope(n, centre + scale_z * zs.x)
    atoms = _atoms(jumps, centre, scale_z)
    drift = _integral(zs, slopes * n.npdf(zs.x)) + sum(j * n.npdf(z) / scale_z for z, j in atoms)
    inside = _variance(n, zs, scale_z * slopes, atoms)
    spread = _integral(us, inside.reshape(us.x.shape) * n.npdf(us.x))
    return average, _variance(n, us, scale_u * drift.reshape(us.x.shape), []), spread, 1.0 - resolved


def product(n: Kind, phi: Function, q_a: Any, q_b: Any, q_ab: Any) -> tuple[Any, Any]:
    """Mean E phi(h_a) phi(h_b) of one centred pair and its estimated relative error."""
    order = int(np.ceil(-np.log10(n.goal)))
    with np.errstate(over="ignore", under="ignore"):
        coarse, fine = (_product(n, phi, q_a, q_b, q_ab, k) for k in (order, order + order // 3))
    return fine[0], abs(coarse[0] - fine[0]) / fine[1] + 100 * n.epsilon + fine[2]


def second_moment(n: Kind, phi: Function, q: Any) -> Any:
    """Mean E phi(h)^2 of one centred pre-activation h of variance q."""
    scale = n.sqrt(q)
    reach = _reach(n, phi, 0.0, float(scale))
    cuts = [n.number(x) for x in mesh(phi, _span(reach * float(scale)))[0]] + [n.number(k) for k in phi.pieces.kinks]
    whole = _panels(n, _images(n, cuts, n.number(0), scale), reach, int(np.ceil(-4 * np.log10(n.goal) / 3)))
    return _integral(whole, phi(n, scale * whole.x) ** 2 * n.npdf(whole.x))


def _span(distance: float) -> float:
    """Next power of two, so that nearby points of a sweep share a mesh."""
    return float(2.0 ** np.ceil(np.log2(distance + 1e-300)))


def _product(n: Kind, phi: Function, q_a: Any, q_b: Any, q_ab: Any, order: int) -> tuple[Any, Any, float]:
    """Mean of the product and of its absolute value, and 1 where the slope is not resolved."""
    scale_a, along = n.sqrt(q_a), q_ab / n.sqrt(q_a)
    across = n.sqrt(np.maximum(q_b - along * along, 0 * q_b))
    reach = max(_reach(n, phi, 0.0, float(scale)) for scale in (scale_a, n.sqrt(q_b)))
    points, resolved = mesh(phi, _span(reach * float(max(scale_a, n.sqrt(q_b)))))
    kinks = [n.number(kink) for kink in phi.pieces.kinks]
    cuts, zero = [n.number(x) for x in points] + kinks, n.number(0)
    smoothed = cuts + _sides(cuts, kinks, across, reach)
    images = np.concatenate([_images(n, cuts, zero, scale_a), _images(n, smoothed, zero, along)])
    us = _panels(n, images, reach, order)
    centre = along * np.ravel(us.x)
    zs = _panels(n, _images(n, cuts, centre, across), reach, order)
    given = _integral(zs, phi(n, centre + across * zs.x) * n.npdf(zs.x)).reshape(us.x.shape)
    values = phi(n, scale_a * us.x) * given * n.npdf(us.x)
    return _integral(us, values), _integral(us, np.abs(values)), 1.0 - resolved


def _reach(n: Kind, phi: Function, mean: float, scale: float) -> float:
    """Standard deviations beyond which phi and its slope, weighted with the density, are negligible."""
    least = float(np.sqrt(-2 * np.log(n.epsilon))) + 0.5
    z = np.linspace(-4 * least, 4 * least, 513)
    x = mean + scale * z
    with np.errstate(all="ignore"):
        size = (np.abs(phi(FLOAT64, x)) + scale * np.abs(phi.slope(FLOAT64, x))) * np.exp(-z * z / 4)
    beyond = np.abs(z)[size > np.sqrt(n.epsilon) * np.max(size[np.isfinite(size)])]
    if not np.all(np.isfinite(size)) or np.max(beyond, initial=0.0) > 3.9 * least:
        raise ValueError(
            f"the activation {phi.name!r} grows too fast for a pre-activation of standard deviation {scale:.3g}: "
            "its second moment is out of range. Use a smaller sigma_w2, a norm before it, or clip the formula"
        )
    return float(np.max(beyond, initial=least))


def _sides(cuts: list[Any], kinks: list[Any], scale: Any, reach: float) -> list[Any]:
    """Panel ends around kinks, and around the stretch where the slope varies, once smoothed with width `scale`."""
    features = {min(cuts), max(cuts), *kinks} if cuts else set[Any]()
    return [x + s * side * scale for x in features for side in (*SIDES, reach) for s in (-1, 1)]


def _images(n: Kind, points: list[Any], centre: Any, scale: Any) -> Any:
    """Positions (x - centre)/scale, axis of points in front; a scale of zero sends them to infinity."""
    shape = (len(points), *(1,) * np.ndim(centre))
    column = np.array(points, dtype=np.asarray(scale).dtype).reshape(shape)
    return (column - centre) / (scale + n.number(1e-290))


def _atoms(jumps: list[tuple[Any, Any]], centre: Any, scale: Any) -> list[tuple[Any, Any]]:
    return [((kink - centre) / scale, jump) for kink, jump in jumps]


def _panels(n: Kind, cuts: Any, reach: float, order: int) -> Panels:
    """Panels on [-reach, reach], at most WIDTH wide, that also end at the cuts; empty ones are dropped."""
    low, high = n.number(-reach), n.number(reach)
    base = n.number(np.linspace(-reach, reach, 1 + int(np.ceil(2 * reach / WIDTH))))
    grid = np.broadcast_to(base.reshape(-1, *(1,) * (cuts.ndim - 1)), (base.size, *cuts.shape[1:]))
    ends = np.sort(np.concatenate([grid, np.minimum(np.maximum(cuts, low), high)]), axis=0)
    widths = ends[1:] - ends[:-1]
    full = widths > 0
    kept = np.argsort(~full, axis=0, kind="stable")[: np.max(np.sum(full, axis=0))]
    left = np.take_along_axis(ends[:-1], kept, axis=0)
    half = np.take_along_axis(widths, kept, axis=0) / 2
    nodes, weights = (_column(part, cuts.ndim) for part in n.legendre(order))
    return Panels(
        left[:, None] + half[:, None] * (1 + nodes),
        half[:, None] * weights,
        half,
        np.where(half > 0, left, high),
    )


def _column(values: NDArray[Any], ndim: int) -> NDArray[Any]:
    return values.reshape(-1, *(1,) * (ndim - 1))


def _integral(panels: Panels, values: Any) -> Any:
    return (panels.weights * values).sum(axis=(0, 1))


def _variance(n: Kind, panels: Panels, slopes: Any, atoms: list[tuple[Any, Any]]) -> Any:
    """Variance of f(z), z standard normal, from its slopes at the nodes and its atoms (position, jump)."""
    below, above = n.ncdf(panels.x), n.ncdf(-panels.x)
    rising, falling = slopes * below, slopes * above
    gained, lost = ((panels.weights * part).sum(axis=1) for part in (rising, falling))
    before = np.add.accumulate(gained, axis=0) - gained
    within = np.tensordot(_cumulative(n, slopes.shape[1]), rising, axes=(1, 1)).swapaxes(0, 1)
    total = 2 * (panels.weights * falling * (before[:, None] + panels.half[:, None] * within)).sum(axis=(0, 1))
    for i, (z, jump) in enumerate(atoms):
        left = panels.left < z
        under = (gained * left).sum(axis=0) + sum(j * n.ncdf(y) for y, j in atoms[:i])
        over = (lost * ~left).sum(axis=0)
        total = total + jump * (jump * n.ncdf(z) * n.ncdf(-z) + 2 * n.ncdf(-z) * under + 2 * n.ncdf(z) * over)
    return total


@lru_cache
def _cumulative(n: Kind, order: int) -> NDArray[Any]:
    """Matrix of int_{-1}^{x_j} l_i over the Lagrange polynomials l_i of the Gauss-Legendre nodes."""
    x, weights = n.legendre(order)
    rows = [0 * x + 1, x]
    for k in range(1, order):
        rows.append(((2 * k + 1) * x * rows[k] - k * rows[k - 1]) / (k + 1))
    integrals = [x + 1] + [(rows[k + 1] - rows[k - 1]) / (2 * k + 1) for k in range(1, order)]
    terms = [(2 * k + 1) * np.multiply.outer(integrals[k], weights * rows[k]) / 2 for k in range(order)]
    return np.asarray(np.sum(terms, axis=0))
