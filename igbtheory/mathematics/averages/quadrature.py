"""Gaussian moments and kernels by quadrature, on panels that end at every kink and resolve every length scale.

With h = mean + sqrt(var_mu) u + sqrt(var_chi) z, both variances are variances of a function of one normal variable,
so that `numerics.panels.variance` loses nothing when var_chi/var_mu is 1e-12 or 1e12:
var_chi = E_u Var_z phi(h), var_mu = Var_u E_z phi(h), with d/du E_z phi = sqrt(var_mu) E_z phi' (jumps included).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from igbtheory.mathematics.averages.resolved import Resolved, images, resolved
from igbtheory.mathematics.averages.state import stated
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.numbers import Kind
from igbtheory.mathematics.numerics.limits import TINY
from igbtheory.mathematics.numerics.panels import split_normal, variance

PLAIN = 1e-4
"""Share of the second moment above which a variance is computed as a mean of squares; at most two digits are lost."""


def moments(n: Kind, phi: Function, mean: Any, var_mu: Any, var_chi: Any) -> tuple[Any, Any, Any, Any]:
    """Return mean, var_mu, var_chi of phi(h) and their estimated relative error, at one point of a sweep.

    The error is the difference from a coarser rule, which overstates it.
    """
    meshed = resolved(n, phi, float(mean), float(n.sqrt(var_mu + var_chi)))
    coarse, fine = (_moments(meshed, mean, var_mu, var_chi, order) for order in orders(n))
    return *fine, meshed.doubt * stated(n, fine, gaps(coarse, fine)) + 100 * n.epsilon


def of_one_variance(n: Kind, phi: Function, mean: Any, scales: NDArray[Any]) -> tuple[Any, Any, Any]:
    """Return means and variances of phi(mean + scale z) at similar scales, and their estimated relative errors."""
    meshed = resolved(n, phi, float(mean), float(scales.min()), float(scales.max()))
    coarse, fine = (_of_one_variance(meshed, mean, scales, order) for order in orders(n))
    (mean_gap, gap), none = gaps(coarse, fine), 0 * scales
    error = stated(n, (fine[0], none, fine[1]), (mean_gap, none, gap))
    return *fine, meshed.doubt * error + 100 * n.epsilon


def gaps(coarse: tuple[Any, ...], fine: tuple[Any, ...]) -> Any:
    """Return the absolute differences of the results of two rules."""
    return tuple(abs(a - b) for a, b in zip(coarse, fine, strict=True))


def orders(n: Kind) -> tuple[int, int]:
    """Return the orders of the coarser and the finer rule."""
    least = int(np.ceil(-np.log10(n.goal)))
    return least, least + least // 3


@np.errstate(over="ignore", under="ignore")
def _moments(meshed: Resolved, mean: Any, var_mu: Any, var_chi: Any, order: int) -> tuple[Any, Any, Any]:
    n, phi = meshed.n, meshed.phi
    scale_u, scale_z, scale = n.sqrt(var_mu), n.sqrt(var_chi), n.sqrt(var_mu + var_chi)
    if not var_chi or not var_mu:
        average, total = _of_one_variance(meshed, mean, scale, order)
        return average, total if var_mu else 0 * total, total if var_chi else 0 * total
    average = _average(meshed, mean, scale, order)
    u = meshed.around(mean, scale_u, order, [n.number(0), *meshed.sides(scale_z)])
    some = u.above(n.number(0)) if phi.parity and not mean else u
    # variances as means of squared deviations
    given, inside = meshed.at_each(meshed.averaged, mean + scale_u * some.x, scale_z, order)
    var_mu, var_chi = (some.integral(part * n.npdf(some.x)) for part in ((given - average) ** 2, inside))
    if phi.pieces.infinite or min(var_mu, var_chi) > PLAIN * (average * average + var_mu + var_chi):
        return average, var_mu, var_chi
    # of a small variance, deviations are differences of nearly equal values: take the slopes
    drift, inside = meshed.at_each(meshed.smoothed, mean + scale_u * u.x, scale_z, order)
    return average, variance(n, u, scale_u * drift, []), u.integral(inside * n.npdf(u.x))


@np.errstate(over="ignore", under="ignore")
def _of_one_variance(meshed: Resolved, mean: Any, scale: Any, order: int) -> tuple[Any, Any]:
    """Return the mean and variance of phi(mean + scale z); scale: one number, or an array."""
    return _average(meshed, mean, scale, order), meshed.smoothed(mean + 0 * scale, scale, order)[1]


def _average(meshed: Resolved, mean: Any, scale: Any, order: int) -> Any:
    whole = meshed.around(mean + 0 * scale, scale, order)
    average = whole.integral(meshed.phi(meshed.n, mean + scale * whole.x) * meshed.n.npdf(whole.x))
    # exactly 0 for an odd phi, so that gamma is exactly 0 in every layer
    return 0 * average if meshed.phi.parity < 0 and not mean else average


def product(n: Kind, phi: Function, mean: Any, q_a: Any, q_b: Any, q_ab: Any) -> tuple[Any, Any]:
    """Return E phi(h_a) phi(h_b) for one pair of units with one mean, and its estimated relative error."""
    meshed = resolved(n, phi, float(mean), float(n.sqrt(q_a)), float(n.sqrt(q_b)))
    coarse, fine = (_product(meshed, q_a, q_b, q_ab, mean, order) for order in orders(n))
    return fine[0], meshed.doubt * abs(coarse[0] - fine[0]) / (fine[1] + n.number(TINY)) + 100 * n.epsilon


@np.errstate(over="ignore", under="ignore")
def _product(meshed: Resolved, q_a: Any, q_b: Any, q_ab: Any, mean: Any, order: int) -> tuple[Any, Any]:
    """Return the means of the product and of its absolute value: phi(h_a) times the mean of phi(h_b) given h_a."""
    n, phi = meshed.n, meshed.phi
    scale_a, along = n.sqrt(q_a), q_ab / n.sqrt(q_a)
    across = n.sqrt(np.maximum(q_b - along * along, 0 * q_b))
    given_cuts = images(n, meshed.cuts + meshed.sides(across), mean, along)
    u = split_normal(n, np.concatenate([images(n, meshed.cuts, mean, scale_a), given_cuts]), meshed.reach, order)
    centre = mean + along * np.ravel(u.x)
    z = meshed.around(centre, across, order)
    given = z.integral(phi(n, centre + across * z.x) * n.npdf(z.x)).reshape(u.x.shape)
    values = phi(n, mean + scale_a * u.x) * given * n.npdf(u.x)
    return u.integral(values), u.integral(np.abs(values))
