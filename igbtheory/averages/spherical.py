"""Moments of functions of a batch-normalised Gaussian unit: B = sqrt(n - 1) sin t, t with density cos(t)^(n - 3).

A batch of n exchangeable Gaussian values, centred and divided by its standard deviation, is sqrt(n) times a uniform
unit vector orthogonal to (1, ..., 1), whatever their mean, variance and correlation. The proxy, every datum normalised
by the n - 1 others, is sqrt(n) tan t of the same angle: its density is (1 + b^2/n)^(-(n - 1)/2). Two data of a batch
are directions with the inner product r = -1/(n - 1): sin t' = r sin t + sqrt(1 - r^2) cos t sin s, the density of s
being cos(s)^(n - 4). Source: where-you-place-the-norm, appendix E, Eqs. 27 to 61.
"""

from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from igbtheory.averages.panels import orders
from igbtheory.averages.sphere import Sphere, density_reach, grid, power, rounded, thinned
from igbtheory.formulas.function import Function
from igbtheory.numbers import FLOAT64, Kind
from igbtheory.numerics.panels import split


def moments(n: Kind, phi: Function, size: int, law: str = "exact") -> tuple[Any, Any, Any, float]:
    """Mean and variance of phi(B), its covariance at two data of a batch, and their estimated relative error.

    The error of the covariance is relative to the variance.
    """
    check(phi, size, law)
    sphere = Sphere(n, phi, size, law == "proxy")
    if size == 2:
        low, high = (phi(n, n.number(sign)) for sign in (-1, 1))
        return (low + high) / 2, (high - low) ** 2 / 4, -((high - low) ** 2) / 4, 4 * n.epsilon
    reach = sphere.reach()
    *found, error = compared(n, *(of_order(sphere, reach, order) for order in orders(n)))
    return *found, sphere.resolved(reach).doubt * error


def one(n: Kind, phi: Function, size: int) -> tuple[Any, Any, float]:
    """Mean and variance of phi(B) under the exact law, and their estimated relative error."""
    if size == 2:
        mean, variance, _, error = moments(n, phi, size)
        return mean, variance, error
    sphere = Sphere(n, phi, size, proxy=False)
    reach = sphere.reach()
    coarse, fine = ((*_single(sphere, reach, _cuts(sphere, reach), order), n.number(0)) for order in orders(n))
    mean, variance, _, error = compared(n, coarse, fine)
    return mean, variance, sphere.resolved(reach).doubt * error


def compared(n: Kind, coarse: Any, fine: Any) -> tuple[Any, Any, Any, float]:
    """Results of the finer rule and their difference from the coarser one, which overstates their error."""
    tiny = n.number(1e-300)
    second = fine[0] ** 2 + fine[1]
    errors = (
        abs(coarse[0] ** 2 + coarse[1] - second) / (second + tiny),
        abs(coarse[1] - fine[1]) / (fine[1] + tiny),
        abs(coarse[2] - fine[2]) / (fine[1] + tiny),
    )
    return *fine, float(max(errors)) + 100 * n.epsilon


def check(phi: Function, size: int, law: str) -> None:
    """Refusal of a law without a second moment: the proxy's tail is b^-(n - 1)."""
    if law == "exact":
        return
    order = tail_order(phi)
    if size <= 2 * order + 2 + 1e-9:
        raise ValueError(
            f"expected an activation that grows more slowly than |x|^{size / 2 - 1:g} under the proxy with batches of "
            f'{size}, got {phi.name!r} of order {order:g}: its second moment is infinite; use law="exact" or a larger '
            "batch"
        )


@lru_cache(maxsize=256)
def tail_order(phi: Function) -> float:
    """Order p of |phi| ~ |x|^p at large |x|: infinite where phi grows faster than a power."""
    if phi.growth == "bounded":
        return 0.0
    if phi.growth != "polynomial":
        return np.inf
    if phi.degree is not None:
        return float(phi.degree)
    x = np.array([[2.0**40, 2.0**41]]) * np.array([[-1.0], [1.0]])
    with np.errstate(all="ignore"):
        near, far = np.abs(phi(FLOAT64, x)).T
        found = np.log2(far / near)
    # x log x and the like count as a little more than x; a side that is constant or vanishes as 0
    return max(0.0, float(np.max(np.where(near > 0, found, 0.0))))


def _cuts(sphere: Sphere, reach: Any) -> Any:
    """Panel ends of the angle t."""
    points = sphere.sines([*sphere.phi.pieces.kinks, *sphere.mesh(reach)])
    return np.array([*grid(sphere.n, reach, sphere.free), *(sphere.n.asin(y) for y in points)])


@np.errstate(over="ignore", under="ignore")
def _single(sphere: Sphere, reach: Any, cuts: Any, order: int) -> tuple[Any, Any]:
    """Mean and variance by a rule of one order."""
    n = sphere.n
    t = split(n, cuts, -reach, reach, order)
    weights = t.weights * power(n, n.sin(t.x), sphere.free - 2)
    values, mass = sphere.at(t.x), weights.sum()
    mean = (weights * values).sum() / mass
    if sphere.phi.parity < 0:
        mean = 0 * mean  # exactly, so that gamma = 0 stays 0 in every layer
    return mean, (weights * (values - mean) ** 2).sum() / mass


@np.errstate(over="ignore", under="ignore")
def of_order(sphere: Sphere, reach: Any, order: int) -> tuple[Any, Any, Any]:
    """Mean, variance and covariance within a batch by rules of one order."""
    n, phi, cuts = sphere.n, sphere.phi, _cuts(sphere, reach)
    mean, variance = _single(sphere, reach, cuts, order)
    r = -1 / n.number(sphere.free)
    if not sphere.proxy and has_closed_form(phi):
        within = closed_product(n, phi, sphere.free, r) - mean * mean
    else:
        within = _covariance(sphere, mean, reach, cuts, order)
    return mean, variance, within


def has_closed_form(phi: Function) -> bool:
    """Whether products of phi over a sphere follow from those over a Gaussian: E chi^(2 p) is rational."""
    return phi.closed is not None and phi.degree is not None and phi.degree.denominator == 1 and phi.degree >= 0


def radial(n: Kind, phi: Function, free: int) -> Any:
    """Ratio E chi^(2 p)/d^p = (1 + 2/d) (1 + 4/d) ... of Gaussian to spherical products, d = `free`, p the degree."""
    ratio = Fraction(1)
    for k in range(int(phi.degree or 0)):
        ratio *= 1 + Fraction(2 * k, free)
    return n.number(ratio)


def closed_product(n: Kind, phi: Function, free: int, r: Any) -> Any:
    """Mean product of a homogeneous phi at two directions with the inner product r."""
    assert phi.closed is not None  # noqa: S101 - for the type checker: `has_closed_form` says so
    one = n.number(1)
    return (phi.closed.covariance(n, one, one, r) + phi.closed.mean(n, one) ** 2) / radial(n, phi, free)


def _covariance(sphere: Sphere, mean: Any, reach: Any, cuts: Any, order: int) -> Any:
    """Covariance of two data of a batch, at directions with the inner product r = -1/(n - 1).

    Panels of t also end where a kink of the second datum leaves the sphere, as a half-integer power of the distance.
    """
    n = sphere.n
    r = -1 / n.number(sphere.free)
    tilt = n.asin(r)
    kinks, points = sphere.sines(sphere.phi.pieces.kinks), sphere.sines(sphere.mesh(reach))
    seen = kinks + (points if sphere.free == 2 else thinned(points))
    ends = [sign * (tilt + s * n.acos(sign * y)) for y in seen for s in (-1, 1) for sign in (-1, 1)]
    across = n.sqrt((1 - r) * (1 + r))
    if sphere.proxy:
        ends += [s * n.atan(across / (1 + sign * r)) for s in (-1, 1) for sign in (-1, 1)]
        ends += [0 * r, *(-n.asin(y) for y in kinks)]
    outer = (3 * order) // 2
    t = rounded(n, split(n, np.concatenate([cuts, np.array(ends, dtype=cuts.dtype)]), -reach, reach, outer), outer)
    sine, cosine = n.sin(t.x), n.cos(t.x)
    given = _given(sphere, mean, r * sine, across * cosine, sine, order, kinks + points)
    weights = t.weights * power(n, sine, sphere.free - 2)
    return (weights * (sphere.at(t.x) - mean) * given).sum() / weights.sum()


def _given(sphere: Sphere, mean: Any, along: Any, across: Any, sine: Any, order: int, points: list[Any]) -> Any:
    """Mean of phi - mean at the sines along + across sin s, given the first datum.

    Under the proxy twice that of the sines smaller than the first, which leaves out where both data diverge.
    """
    n, first = sphere.n, np.abs(sine)
    if sphere.free == 2:
        return sum(_smaller(sphere, mean, along + sign * across, first) for sign in (-1, 1)) / 2
    reach = density_reach(n, sphere.free)
    ends = [y + 0 * sine for y in points] + ([first, -first] if sphere.proxy else [])
    marks = [n.asin(np.minimum(np.maximum((y - along) / across, -1), 1)) for y in ends]
    base = [end + 0 * sine for end in grid(n, reach, sphere.free)]
    s = split(n, np.array([*base, *marks], dtype=np.asarray(sine).dtype).reshape(-1, sine.size), -reach, reach, order)
    up = n.sin(s.x)
    weights = s.weights * power(n, up, sphere.free - 3)
    values = _smaller(sphere, mean, along.ravel() + across.ravel() * up, first.ravel())
    return ((weights * values).sum(axis=(0, 1)) / weights.sum(axis=(0, 1))).reshape(sine.shape)


def _smaller(sphere: Sphere, mean: Any, sine: Any, first: Any) -> Any:
    """Values phi - mean; under the proxy twice those at sines smaller than the `first`, else 0."""
    if not sphere.proxy:
        return sphere(sine) - mean
    below = np.abs(sine) < first
    return 2 * (sphere(np.where(below, sine, 0 * sine)) - mean) * below
