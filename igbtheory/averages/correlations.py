"""Moments of functions of a group-normalised Gaussian unit: two data are directions at a random angle theta.

A group of s units of two data with correlation c gives two normalised vectors of d = s - 1 dimensions with the inner
product cos theta, the sample correlation of s normal pairs. With D(theta) = E (phi_a - phi_b)^2/2 of two directions,
the averages var_chi = E_c D and cov = E_0 D - E_c D cancel nowhere.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, final

import numpy as np

from igbtheory.averages.correlation_law import PARTS, Angles
from igbtheory.averages.directions import has_closed_form, one, radial
from igbtheory.averages.directions_panels import WHOLE, Directions, rounded
from igbtheory.averages.panels import orders
from igbtheory.formulas.function import Function
from igbtheory.numbers import Kind
from igbtheory.numerics.panels import Panels, split


def grouped(n: Kind, phi: Function, size: int, c: Any, less: Any) -> tuple[Any, Any, Any, float]:
    """Return mean, covariance of two data and var_chi = E f^2 - E f_a f_b of phi over groups, and their relative error.

    c: correlation of two data over the weights, -1 to 1; less = 1 - c, given apart because rounding c would lose it.
    """
    c, less = n.number(c), n.number(less)
    mean, variance, error = one(n, phi, size)
    if size == 2:
        # r = 1 with probability 1/2 + asin(c)/pi, else -1; the variance is (f(1) - f(-1))^2/4
        apart = 2 * n.asin(n.sqrt(less / 2)) / n.pi
        return mean, variance * 2 * n.asin(c) / n.pi, 2 * variance * apart, error
    if not less:
        return mean, variance, 0 * variance, error
    coarse, fine = (_parts(n, phi, size, c, less, variance, order) for order in orders(n))
    lost = max(float(abs(a - b) / abs(b)) for a, b in zip(coarse, fine, strict=True) if b)
    return mean, *fine, lost + error


@np.errstate(over="ignore", under="ignore")
def _parts(n: Kind, phi: Function, size: int, c: Any, less: Any, variance: Any, order: int) -> tuple[Any, Any]:
    """Covariance and var_chi by rules of one order: one is integrated, the other is the rest of the variance."""
    law = Angles(n, size - 1, c, less)
    panels = law.panels(tangent(n, phi, size - 1), order)
    apart = _apart(n, phi, size, law.theta(panels.x), order)
    if float(c) > 0.5:
        inside = (law.density(panels) * apart).sum()
        return variance - inside, inside
    shared = -(law.change(panels) * apart).sum() if c else 0 * variance
    return shared, variance - shared


def _apart(n: Kind, phi: Function, size: int, theta: Any, order: int) -> Any:
    """Half the mean square D(theta) of phi_a - phi_b at angles theta."""
    if not has_closed_form(phi):
        return _difference(n, phi, size, order)(theta)
    assert phi.closed is not None  # noqa: S101 - for the type checker: `has_closed_form` says so
    less = 2 * n.sin(theta / 2) ** 2
    return phi.closed.spread(n, 1 - less, less) / radial(n, phi, size - 1)


@final
@dataclass(frozen=True)
class Difference:
    """D(theta) as (2 sin(theta/2))^power times a Legendre series on each panel; power is 2, or 1 where phi jumps.

    terms: coefficients of the series, shape (panels, order), in a variable y that makes half-integer powers of the
    distance from either end smooth, but for 0.
    """

    n: Kind
    panels: Panels
    terms: Any
    power: int

    def __call__(self, theta: Any) -> Any:
        n, left, half = self.n, self.panels.left, self.panels.half
        at = np.clip(np.searchsorted(left, theta, side="right") - 1, 0, len(left) - 1)
        share = np.minimum(np.maximum((theta - left[at]) / (2 * half[at]), 0), 1)
        y = np.where(at, 4 / n.pi * n.asin(n.sqrt(share)) - 1, 1 - 2 * n.sqrt(1 - share))
        terms = np.moveaxis(self.terms[at], -1, 0)
        rows = legendre_polynomials(y, len(terms))
        return (2 * n.sin(theta / 2)) ** self.power * sum(map(np.multiply, terms, rows))


def legendre_polynomials(y: Any, order: int) -> list[Any]:
    """Return the Legendre polynomials of y of degree less than `order`, lowest first."""
    rows = [0 * y + 1, y]
    for k in range(2, order):
        rows.append(((2 * k - 1) * y * rows[-1] - (k - 1) * rows[-2]) / k)
    return rows


@lru_cache(maxsize=64)
def _difference(n: Kind, phi: Function, size: int, order: int) -> Difference:
    """D(theta) for groups of `size`, from averages over two data at nodes of theta."""
    unit, outer = Directions(n, phi, size), (3 * order) // 2
    power = 1 if any(phi.pieces.jumps(n)) else 2
    cuts = np.array([*(n.pi * n.number(np.arange(PARTS + 1)) / PARTS), *tangent(n, phi, size - 1)])
    panels, (nodes, weights) = rounded(n, split(n, cuts, 0 * n.pi, n.pi, outer), outer), n.legendre(outer)
    # no node too close to 0, where phi_a - phi_b is rounded
    panels.x[0] = 2 * panels.half[0] * (1 - ((1 - nodes) / 2) ** 2)
    transform = [(2 * k + 1) * weights * row / 2 for k, row in enumerate(legendre_polynomials(nodes, outer))]
    values = []
    for theta in np.ravel(panels.x):
        of_node, a, b = unit.two_data(theta, order)
        values.append((of_node * (a - b) ** 2).sum() / 2 / (2 * n.sin(theta / 2)) ** power)
    return Difference(n, panels, np.array(values).reshape(panels.x.shape) @ np.array(transform).T, power)


def tangent(n: Kind, phi: Function, free: int) -> list[Any]:
    """Return the angles theta at which images of two kinks touch: D has half-integer powers of the distance there."""
    if free > WHOLE:
        return []
    places = [n.acos(y) for y in Directions(n, phi, free + 1).sines(phi.pieces.kinks)]
    found = [angle for a in places for b in places for angle in (abs(a - b), a + b, 2 * n.pi - a - b)]
    return [angle for angle in found if 0 < angle < n.pi]
