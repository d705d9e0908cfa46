"""Mean and variance over all data of phi(M) at given weights, M the largest of h_k = centre_k + sqrt(var_chi) z_k.

The centres are numbers of the weights, z_k of the datum: P(M < x) = prod_k Phi((x - centre_k)/sqrt(var_chi)).
Hoeffding's identity keeps the digits of a variance far below the squared mean. In double precision.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from igbtheory.averages.maximum import IDENTITY
from igbtheory.averages.resolved import images, resolved
from igbtheory.formulas.function import Function
from igbtheory.numbers import FLOAT64
from igbtheory.numerics.panels import WIDTH, hoeffding, split

ORDER, KNOTS = 12, 64
"""Nodes of a panel over the data, and over the weights where a spline joins them."""
FLAT = 1e-26
"""Variance, relative to the largest, that stands for none: its logarithm is finite."""
Array = NDArray[np.float64]


def given_weights(phi: Function | None, u: Array, mean: float, var_mu: float, var_chi: float) -> Array:
    """Rows mean and variance of phi(M), centres mean + sqrt(var_mu) u; u: shape (m, count)."""
    centres, phi = mean + np.sqrt(var_mu) * u, phi or IDENTITY
    if not var_chi or (phi is IDENTITY and len(u) == 1):
        return np.array([phi(FLOAT64, centres.max(axis=0)), np.full(u.shape[1], var_chi)])
    if len(u) == 1:
        return _spline(phi, mean, var_mu, var_chi)(u[0])
    return _integrated(phi, (mean, float(np.sqrt(var_mu + var_chi))), centres, var_chi)


@lru_cache(maxsize=256)
def _spline(phi: Function, mean: float, var_mu: float, var_chi: float) -> Callable[[Array], Array]:
    """The same for m = 1, a function of one u: splines of the mean and of the logarithm of the variance."""
    along, across, whole = (float(np.sqrt(part)) for part in (var_mu, var_chi, var_mu + var_chi))
    seen = resolved(FLOAT64, phi, mean, whole)
    u = np.unique(seen.around(np.float64(mean), along, KNOTS, seen.sides(across)).x)
    inside, variance = _integrated(phi, (mean, whole), mean + along * u[None], var_chi)
    floor = FLAT * variance.max() + np.finfo(float).tiny
    joined = scipy.interpolate.CubicSpline(u, np.array([inside, np.log(variance + floor)]), axis=1)

    def at(new: Array) -> Array:
        inside, logarithm = joined(np.clip(new, u[0], u[-1]))
        return np.array([inside, np.maximum(np.exp(logarithm) - floor, 0)])

    return at


@np.errstate(over="ignore", under="ignore")
def _integrated(phi: Function, scales: tuple[float, float], centres: Array, var_chi: float) -> Array:
    """Rows mean and variance at the centres, shape (m, count); scales: mean and standard deviation of a unit."""
    n, scale, top = FLOAT64, float(np.sqrt(var_chi)), centres.max(axis=0)
    seen, breadth = resolved(n, phi, *scales), float(np.log(len(centres)))
    behind = (top - centres) / scale

    def law(t: Any) -> tuple[Any, Any]:
        # P(M < top + scale t) and P(M > top + scale t)
        log = scipy.special.log_ndtr(t[..., None, :] + behind).sum(axis=-2)
        return np.exp(log), -np.expm1(log)

    # beyond, m units have m times the probability of one; their largest scatters less than one
    reach = seen.reach + breadth / seen.reach
    ends = np.linspace(-reach, reach, 1 + int(np.ceil(2 * reach * np.sqrt(1 + breadth) / WIDTH)))
    grid = np.broadcast_to(ends[:, None], (ends.size, top.size))
    low = ends[np.maximum(np.argmax(law(grid)[0] > np.exp(-(reach**2)), axis=0) - 1, 0)]
    x = split(n, np.concatenate([grid, images(n, seen.cuts, top, scale)]), low, n.number(reach), ORDER)
    slopes, at_nodes = scale * phi.slope(n, top + scale * x.x), law(x.x)
    atoms = [(z, jump, *law(z)) for z, jump in seen.atoms(top, scale)]
    rise = x.integral(slopes * at_nodes[1]) + sum(np.where(z > low, jump * above, 0) for z, jump, _, above in atoms)
    return np.array([phi(n, top + scale * low) + rise, hoeffding(n, x, slopes, at_nodes, atoms)])
