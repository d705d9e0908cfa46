"""Slope of a kernel over directions: Price's theorem on the sphere.

K(r) = E f(B_a) f(B_b), directions in d dimensions with the inner product r = cos theta, has K' = E f'(B_a) f'(B_b) over
directions in d + 2 dimensions times the same root of d.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, final

import numpy as np

from igbtheory.averages.angles import PARTS
from igbtheory.averages.sphere import WHOLE, Sphere, density_reach, grid, power, rounded, thinned
from igbtheory.formulas.function import Function
from igbtheory.numbers import Kind
from igbtheory.numerics.panels import split

RADII = (1.5, 4.0)
"""Distances from the origin at which a length of the formula is turned into an angle."""


@final
@dataclass(frozen=True)
class Series:
    """Function of an angle by its Legendre coefficients (panels, order) in y, between `left` and left + 2 half.

    sine: whether the coefficients are already those of the function times sin theta.
    """

    n: Kind
    left: Any
    half: Any
    terms: Any
    sine: bool

    def __call__(self, theta: Any) -> Any:
        """Function times sin theta."""
        n = self.n
        at = np.clip(np.searchsorted(self.left, theta, side="right") - 1, 0, len(self.left) - 1)
        share = np.minimum(np.maximum((theta - self.left[at]) / (2 * self.half[at]), 0), 1)
        y = 4 / n.pi * n.asin(n.sqrt(share)) - 1
        terms = self.terms[at]
        before, value = 0 * y + 1, y
        total = terms[..., 0] + terms[..., 1] * y
        for k in range(2, terms.shape[-1]):
            before, value = value, ((2 * k - 1) * y * value - (k - 1) * before) / k
            total = total + terms[..., k] * value
        return total if self.sine else total * n.sin(theta)


@lru_cache(maxsize=64)
def kernel_slope(n: Kind, phi: Function, size: int, order: int) -> Series:
    """Slope K'(r) of the kernel times sin theta, r = cos theta, for groups of `size`."""
    free, jumps = size - 1, bool(any(phi.pieces.jumps(n)))
    cuts = np.array([*(n.pi * n.number(np.arange(PARTS + 1)) / PARTS), *tangent(n, phi, free)])
    outer = (3 * order) // 2
    panels = rounded(n, split(n, cuts, 0 * n.pi, n.pi, outer), outer)
    theta = np.ravel(panels.x)
    sphere = Sphere(n, phi, size, proxy=False)
    values = np.concatenate([_smooth(sphere, part, order) for part in np.array_split(theta, len(panels.x) * 2)])
    if jumps:
        values = values * n.sin(theta) + _jumping(sphere, theta, order)
    nodes, weights = n.legendre(outer)
    rows = [0 * nodes + 1, nodes]
    for k in range(2, outer):
        rows.append(((2 * k - 1) * nodes * rows[-1] - (k - 1) * rows[-2]) / k)
    transform = np.array([(2 * k + 1) * weights * row / 2 for k, row in enumerate(rows)])
    return Series(n, panels.left, panels.half, values.reshape(panels.x.shape) @ transform.T, jumps)


def tangent(n: Kind, phi: Function, free: int) -> list[Any]:
    """Angles theta at which the images of two kinks touch: the kernel has half-integer powers of the distance there."""
    if free > WHOLE:
        return []
    places = [n.acos(y) for y in Sphere(n, phi, free + 1, proxy=False).sines(phi.pieces.kinks)]
    found = [angle for a in places for b in places for angle in (abs(a - b), a + b, 2 * n.pi - a - b)]
    return [angle for angle in found if 0 < angle < n.pi]


def _smooth(sphere: Sphere, theta: Any, order: int) -> Any:
    """Mean of f'(B_a) f'(B_b) off the jumps: coordinates R cos v and R cos(v - theta) of a direction, R = sin a.

    v is uniform, the density of a is d sin(a) cos(a)^(d - 1).
    """
    n, free = sphere.n, sphere.free
    kinks, points = sphere.sines(sphere.phi.pieces.kinks), sphere.sines(sphere.mesh(n.pi / 2))
    outer = (3 * order) // 2
    v = rounded(n, split(n, _circle(sphere, theta, kinks, points), 0 * n.pi, 2 * n.pi, outer), outer)
    along = (n.cos(v.x), n.cos(v.x - theta))
    reach = density_reach(n, free)
    base = grid(n, reach, free + 2)
    flat = [np.ravel(part) for part in along]
    ratios = [np.minimum(np.maximum(y / part, 0), 1) for y in kinks + points for part in flat]
    marks = n.asin(np.array(ratios, dtype=flat[0].dtype)) if ratios else np.empty((0, flat[0].size), flat[0].dtype)
    a = split(n, np.concatenate([base[base >= 0][:, None] + 0 * flat[0], marks]), 0 * reach, reach, order)
    radius = n.sin(a.x)
    weights = a.weights * radius * power(n, radius, free - 1)
    product = sphere.phi.slope(n, sphere.root * radius * flat[0]) * sphere.phi.slope(n, sphere.root * radius * flat[1])
    inside = (weights * product).sum(axis=(0, 1)).reshape(v.x.shape)
    return free * v.integral(inside) / (2 * n.pi)


def _circle(sphere: Sphere, theta: Any, kinks: list[Any], points: list[Any]) -> Any:
    """Panel ends on the circle of v: where kinks reach it, where two kinks meet, where lengths of the formula lie."""
    n = sphere.n
    lengths = [y * sphere.root / radius for y in kinks + thinned(points) for radius in RADII]
    near = [n.acos(y) for y in (*kinks, *(y for y in lengths if abs(y) < 1))] + [n.pi / 2]
    places = [side * angle + shift for angle in near for side in (-1, 1) for shift in (0 * theta, theta)]
    meeting = [
        n.atan2(b - a * n.cos(theta), a * n.sin(theta)) + half for a in kinks for b in kinks if a for half in (0, n.pi)
    ]
    turn = 2 * n.pi
    base = [turn * k / PARTS + 0 * theta for k in range(PARTS + 1)]
    return np.array([*base, *(place - turn * np.floor(place / turn) for place in places + meeting)])


def _jumping(sphere: Sphere, theta: Any, order: int) -> Any:
    """Share of K' sin theta that the jumps of f add: densities of one or both data at the jumps.

    In d + 2 dimensions the first datum lies at an angle with the density cos^d, the second, given it, at one with
    cos^(d - 1) in the direction across.
    """
    n, free = sphere.n, sphere.free
    places = [
        (n.number(k) / sphere.root, j) for k, j in zip(sphere.phi.pieces.kinks, sphere.phi.pieces.jumps(n), strict=True)
    ]
    found = [(y, jump) for y, jump in places if jump and abs(y) < 1]
    total = 0 * theta
    for y, jump in found:
        here = jump * power(n, y, free - 1) / (_mass(n, free, order) * sphere.root)
        total = total + 2 * here * _across(sphere, y, theta, order) * n.sin(theta)
        for other, step in found:
            # sin s = (other - y cos theta)/(sin theta cos) without cancellation at small theta
            up = (other - y + 2 * y * n.sin(theta / 2) ** 2) / (n.sin(theta) * n.sqrt((1 - y) * (1 + y)))
            seen = np.abs(up) < 1
            density = power(n, np.where(seen, up, 0 * up), free - 2) * seen / _mass(n, free - 1, order)
            total = total + here * step * density / (n.sqrt((1 - y) * (1 + y)) * sphere.root)
    return total


def _mass(n: Kind, exponent: int, order: int) -> Any:
    """Integral of cos(t)^exponent over the half circle."""
    panels = split(n, grid(n, n.pi / 2, exponent), -n.pi / 2, n.pi / 2, order)
    return panels.integral(power(n, n.sin(panels.x), exponent))


def _across(sphere: Sphere, y: Any, theta: Any, order: int) -> Any:
    """Mean slope of f at the second datum, given the sine y of the first, in d + 2 dimensions."""
    n, free = sphere.n, sphere.free
    ends = sphere.sines(sphere.phi.pieces.kinks) + sphere.sines(sphere.mesh(n.pi / 2))
    along, wide = y * n.cos(theta), n.sin(theta) * n.sqrt((1 - y) * (1 + y))
    marks = [n.asin(np.minimum(np.maximum((end - along) / wide, -1), 1)) for end in ends]
    base = [end + 0 * theta for end in grid(n, n.pi / 2, free + 1)]
    s = split(n, np.array([*base, *marks]), -n.pi / 2, n.pi / 2, order)
    up = n.sin(s.x)
    weights = s.weights * power(n, up, free - 1)
    slope = sphere.phi.slope(n, sphere.root * (along + wide * up))
    return (weights * slope).sum(axis=(0, 1)) / weights.sum(axis=(0, 1))
