"""Moments of functions of batch-normalised Gaussian units: of one unit or of the largest of m, with or without eps."""

from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from igbtheory.layers.batches.directions import Directions
from igbtheory.mathematics.averages import gaussian
from igbtheory.mathematics.averages.maximum_law import LEVELS
from igbtheory.mathematics.averages.quadrature import PLAIN, orders
from igbtheory.mathematics.averages.state import Moments
from igbtheory.mathematics.formulas.function import Function, composed, formula
from igbtheory.mathematics.numbers import FLOAT64, Kind
from igbtheory.mathematics.numerics.limits import TINY
from igbtheory.mathematics.numerics.panels import beyond, of_rises

OF_TWO = formula("of_two", "tanh(asinh(x))", "")
"""The function y/sqrt(1 + y^2), written so that its slope keeps its digits where it saturates."""


@lru_cache(maxsize=1024)
def moments(
    n: Kind, phi: Function, m: int, size: int, estimator: str = "exact", variance: Any = 1, eps: Any = 0
) -> Moments:
    """Return the moments of phi(M), M the largest of m units (z - <z>)/sqrt(s^2 + eps) over batches of `size` data.

    variance: the variance of z over its batch, which matters only if eps > 0. estimator: "exact", or "proxy" for data
    that are normalised by the other data of their batch, with eps = 0. Data of different batches are independent:
    var_mu = 0. The error of `within` is relative to the variance; `within` of a maximum is NaN.
    """
    variance, eps = n.number(variance), n.number(eps)
    if estimator == "proxy":
        _refuse_heavy_tails(phi, size)
    if not variance:
        value = phi(n, 0 * variance)
        return Moments(value, 0 * value, 0 * value, 4 * n.epsilon, 0 * value)
    if size == 2:
        return _of_two_with_eps(n, phi, m, variance / eps) if eps else _of_two(n, phi, m)
    unit = Directions(n, phi, size, estimator == "proxy", size * eps / variance)
    if m == 1:
        return _compared(unit, *((_with_eps if eps else _without_eps)(unit, order) for order in orders(n)))
    if eps and n is not FLOAT64:
        raise ValueError(
            f"BatchNorm({size}, eps={eps}) in front of a maximum of {m} units is computed in double precision; predict "
            "without `digits`"
        )
    return _largest(unit, m)


def _compared(unit: Directions, coarse: Any, fine: Any) -> Moments:
    """Return the moments from mean, variance and covariance by two rules, whose difference is the error."""
    tiny, (mean, variance, within) = unit.n.number(TINY), fine
    second = mean**2 + variance
    errors = (
        abs(coarse[0] ** 2 + coarse[1] - second) / (second + tiny),
        abs(coarse[1] - variance) / (variance + tiny),
        abs(coarse[2] - within) / (variance + tiny),
    )
    error = unit.mesh().doubt * (float(max(errors)) + 100 * unit.n.epsilon)
    return Moments(mean, 0 * variance, variance, error, within)


def _of_two(n: Kind, phi: Function, m: int) -> Moments:
    """Return the moments for batches of two, B = +-1; the maximum is 1 at both data unless all m units agree."""
    low, high = phi(n, n.number(-1)), phi(n, n.number(1))
    alone, square = n.number(2) ** -m, (high - low) ** 2
    variance = alone * (1 - alone) * square
    return Moments(alone * low + (1 - alone) * high, 0 * variance, variance, 8 * n.epsilon, -(alone * alone) * square)


def _of_two_with_eps(n: Kind, phi: Function, m: int, ratio: Any) -> Moments:
    """Return the moments for batches of two: B = y/sqrt(1 + y^2), with y Gaussian of variance ratio/2, and -B."""
    of_y, q = composed(phi, OF_TWO), ratio / 2
    moments = gaussian.moments(n, of_y, m, Moments(n.number(0), 0 * q, q))
    if m == 1 and phi.parity:
        return Moments(moments.mean, 0 * q, moments.var_chi, moments.error, phi.parity * moments.var_chi)
    if m > 1 and n is not FLOAT64:  # in many digits the double integral takes minutes
        return Moments(moments.mean, 0 * q, moments.var_chi, moments.error, n.number(np.nan))
    product, error = gaussian.product(n, of_y, m, (q, q, -q))
    return Moments(moments.mean, 0 * q, moments.var_chi, moments.error + float(error), product - moments.mean**2)


def _without_eps(unit: Directions, order: int) -> tuple[Any, Any, Any]:
    """Return mean, variance and covariance of two data for one unit, by rules of one order."""
    n, phi = unit.n, unit.phi
    mean, variance, _ = _one_datum(unit, 1, order)
    if not unit.proxy and has_closed_form(phi):
        return mean, variance, closed_product(n, phi, unit.free) - mean * mean
    weights, a, b = unit.two_data(order)
    return mean, variance, (weights * (a - mean) * (b - mean)).sum()


def _with_eps(unit: Directions, order: int) -> tuple[Any, Any, Any]:
    """Return mean, variance and covariance from the law of two data only, which is simple even if eps > 0."""
    weights, a, b = unit.two_data(order)
    mean = (weights * (a + b)).sum() / 2
    if unit.phi.parity < 0:
        mean = 0 * mean  # exactly 0, so that gamma is exactly 0 in every layer
    a, b = a - mean, b - mean
    return mean, (weights * (a * a + b * b)).sum() / 2, (weights * a * b).sum()


def _largest(unit: Directions, m: int) -> Moments:
    """Return the moments of the largest of m units."""
    n = unit.n
    coarse, fine = (_one_datum(unit, m, order + 8) for order in orders(n))
    moments = _compared(unit, (*coarse[:2], 0 * coarse[1]), (*fine[:2], n.number(0)))
    # the rounding error of the angle matters if all maxima are near one angle
    error = moments.error + 4 * n.epsilon / float(fine[2])
    return Moments(moments.mean, moments.var_mu, moments.var_chi, error, n.number(np.nan))


@np.errstate(over="ignore", under="ignore")
def _one_datum(unit: Directions, m: int, order: int) -> tuple[Any, Any, Any]:
    """Return mean and variance of phi(M), and the standard deviation of the angle, of density m F^(m - 1) F'."""
    n = unit.n
    t, weights = unit.one_datum(order, _rises(unit, m))
    if m > 1:
        above = np.minimum(beyond(n, t, weights / t.weights), 1 - n.number(n.epsilon))
        weights = weights * n.exp((m - 1) * n.log1p(-above))
        weights = weights / weights.sum()
    values = unit.at(n.sin(t.x), n.cos(t.x))
    mean = (weights * values).sum()
    if m == 1 and unit.phi.parity < 0:
        mean = 0 * mean
    variance = (weights * (values - mean) ** 2).sum()
    if variance <= PLAIN * mean * mean:
        variance = of_rises(n, t, unit.slope(t.x), unit.jumps(), weights)
    return mean, variance, n.sqrt((weights * (t.x - (weights * t.x).sum()) ** 2).sum())


def _rises(unit: Directions, m: int) -> Any:
    """Return the angles at which -log F is at LEVELS, F the distribution function of the largest of m units."""
    if m == 1:
        return []
    rough = Directions(FLOAT64, unit.phi, unit.size, unit.proxy, float(unit.offset))
    t, weights = rough.one_datum(16)
    above = 1 - np.cumsum(weights)
    return np.interp(np.expm1(-LEVELS / m), -above, np.ravel(t.x))


def has_closed_form(phi: Function) -> bool:
    """Return whether mean products over directions follow from Gaussian ones: E chi^(2 p) is rational, p the degree."""
    return phi.closed is not None and phi.degree is not None and phi.degree.denominator == 1 and phi.degree >= 0


def closed_product(n: Kind, phi: Function, free: int) -> Any:
    """Return the mean product of a homogeneous phi at two data of a batch: directions with the inner product -1/d.

    The mean product of Gaussian units is (1 + 2/d) (1 + 4/d) ... = E chi^(2 p)/d^p times as large.
    """
    assert phi.closed is not None  # noqa: S101 - for the type checker: `has_closed_form` says so
    one, ratio = n.number(1), Fraction(1)
    for k in range(int(phi.degree or 0)):
        ratio *= 1 + Fraction(2 * k, free)
    return (phi.closed.covariance(n, one, one, -1 / n.number(free)) + phi.closed.mean(n, one) ** 2) / n.number(ratio)


def _refuse_heavy_tails(phi: Function, size: int) -> None:
    """Raise ValueError if the proxy, whose tail is b^-(n - 1), has no second moment."""
    order = tail_order(phi)
    if size <= 2 * order + 2 + 1e-9:
        raise ValueError(
            f"expected an activation that grows more slowly than |x|^{size / 2 - 1:g} under the proxy with batches of "
            f'{size}, got {phi.name!r} of order {order:g}: its second moment is infinite; use law="exact" or a larger '
            "batch"
        )


@lru_cache(maxsize=256)
def tail_order(phi: Function) -> float:
    """Return the order p of |phi| ~ |x|^p at large |x|, which is infinite if phi grows faster than any power."""
    if phi.growth == "bounded":
        return 0.0
    if phi.growth != "polynomial":
        return np.inf
    if phi.degree is not None:
        return float(phi.degree)
    x = np.array([[2.0**40, 2.0**41]]) * np.array([[-1.0], [1.0]])
    with np.errstate(all="ignore"):
        near, far = np.abs(phi(FLOAT64, x)).T
        powers = np.log2(far / near)
    # x log x counts as a little more than x, and a side on which phi is constant or vanishes as 0
    return max(0.0, float(np.max(np.where(near > 0, powers, 0.0))))
