"""Covariance of phi(M) at two data of one batch, M the largest of m independent batch-normalised units.

The two values of a unit are sines of angles with the joint distribution function G, and P(M_a <= a, M_b <= b) = G^m.
With the sign of a - r b the direction of the second datum is known from the first: P(T_a <= a | T_b = b) = H(s),
sin a = r sin b + sqrt(1 - r^2) cos b sin s, H the distribution function of a density cos^(n - 4). Then

    Cov = -int f'(a) E[1(M_a <= a) (f(M_b) - E f)] da,   d_b G^m = m G^(m - 1) density(b) H(s),

in which no two large numbers cancel. G vanishes to a half-integer power on straight lines of the plane of the angles.
"""

from typing import Any

import numpy as np
import scipy

from igbtheory.activations.maxima_law import LEVELS
from igbtheory.activations.sphere import Sphere, density, grid, rounded, thinned
from igbtheory.numbers import Kind
from igbtheory.numbers.panels import beyond, split


@np.errstate(over="ignore", under="ignore", divide="ignore")
def covariance(unit: Sphere, m: int, mean: Any, order: int) -> Any:
    """Covariance of phi(M) at two data of a batch of three or more, phi of the mean E phi(M), by rules of one order."""
    n, reach, tilt = unit.n, unit.reach(), _tilt(unit)
    kinks, points = unit.sines(unit.phi.pieces.kinks), unit.sines(unit.mesh(reach))
    rises, right = list(ends(unit, m)), [-n.pi / 2, n.pi / 2]
    own = [n.asin(y) for y in points + kinks] + rises
    seen = [n.asin(y) for y in (points if unit.free == 2 else thinned(points)) + kinks] + rises + right
    lines = [line for b in seen for line in (n.pi / 2 - abs(b - tilt), abs(b + tilt) - n.pi / 2)]
    order = 2 * order
    t = rounded(n, split(n, np.array([*grid(n, reach, unit.free), *own, *lines]), -reach, reach, order), order)
    at, rise = np.ravel(t.x), np.ravel(t.weights * _slope(unit, t.x))
    jumps = [(angle, jump) for angle, jump in _jumps(unit) if jump]
    at = np.concatenate([at[rise != 0], np.array([angle for angle, _ in jumps], dtype=at.dtype)])
    rise = np.concatenate([rise[rise != 0], np.array([jump for _, jump in jumps], dtype=at.dtype)])
    return -(rise * _below(unit, m, mean, at, seen, order)).sum()


def ends(unit: Sphere, m: int) -> Any:
    """Angles between which the distribution function of the largest of m rises: there panels end."""
    if m == 1:
        return unit.n.number(np.zeros(0))
    above = -np.expm1(-LEVELS / m)
    squares = scipy.special.betaincinv((unit.free - 1) / 2, 0.5, 2 * np.minimum(above, 1 - above))
    angles = np.pi / 2 - np.arcsin(np.sqrt(squares))
    return unit.n.number(np.where(above < 0.5, angles, -angles))


def _tilt(unit: Sphere) -> Any:
    """Angle whose sine is the inner product r = -1/(n - 1) of two data."""
    return unit.n.asin(-1 / unit.n.number(unit.free))


def _slope(unit: Sphere, t: Any) -> Any:
    """Derivative of phi by the angle."""
    n, scale = unit.n, unit.scale * unit.root
    return unit.phi.slope(n, scale * n.sin(t)) * scale * n.cos(t)


def _jumps(unit: Sphere) -> list[tuple[Any, Any]]:
    """Angles at which phi jumps, and by how much."""
    n, scale = unit.n, unit.scale * unit.root
    kinks = [n.number(kink) / scale for kink in unit.phi.pieces.kinks]
    return [(n.asin(y), jump) for y, jump in zip(kinks, unit.phi.pieces.jumps(n), strict=True) if abs(y) < 1]


def _below(unit: Sphere, m: int, mean: Any, a: Any, seen: list[Any], order: int) -> Any:
    """Mean of 1(M_a <= a) (phi(M_b) - mean) at every angle a."""
    n, reach, tilt, right = unit.n, unit.reach(), _tilt(unit), unit.n.pi / 2
    fixed = [end + 0 * a for end in (*grid(n, reach, unit.free), *seen)]
    lines = [tilt + s * (right - a) for s in (-1, 1)] + [s * (right + a) - tilt for s in (-1, 1)]
    plain = split(n, np.array([*fixed, *lines]), -reach, reach, order)
    b = rounded(n, plain, order)
    nodes = n.legendre(order)[0].reshape(-1, 1)
    joint = density(n, b.x, unit.free - 2) / _mass(n, unit.free - 2) * _given(unit, a, b.x)
    # both from small probabilities, so that many units lose nothing
    above = beyond(n, plain, joint * (right * n.cos(right * nodes)))
    outside = share(n, n.sin(-a), n.cos(a), -a, unit.free - 2) + above
    powers = n.exp((m - 1) * n.log1p(-np.minimum(outside, 1 - n.number(n.epsilon))))
    return (b.weights * m * powers * joint * (unit.at(b.x) - mean)).sum(axis=(0, 1))


def _given(unit: Sphere, a: Any, b: Any) -> Any:
    """Probability that the angle of one datum is at most a, given that b of the other."""
    n, tilt, right = unit.n, _tilt(unit), unit.n.pi / 2
    along = n.sin(a) - n.sin(tilt) * n.sin(b)
    # (1 - r^2) cos(b)^2 - along^2 as a product of distances from the lines
    product = (
        4
        * n.sin((right + tilt + a + b) / 2)
        * n.sin((right + tilt - a - b) / 2)
        * n.cos((right + tilt + a - b) / 2)
        * n.cos((right + tilt - a + b) / 2)
    )
    across = n.sqrt(np.maximum(product, 0 * product))
    if unit.free == 2:
        return np.where(product > 0, (1 + 0 * product) / 2, (1 + np.sign(along)) / 2)
    scale = n.sqrt(along * along + across * across)
    scale = scale + (scale == 0)  # where lines cross
    return share(n, along / scale, across / scale, n.atan2(along, across), unit.free - 3)


def _mass(n: Kind, exponent: int) -> Any:
    """Integral of cos^exponent over all angles."""
    mass = n.pi if exponent % 2 == 0 else n.number(2)
    for k in range(2 + exponent % 2, exponent + 1, 2):
        mass = mass * (k - 1) / k
    return mass


def share(n: Kind, sine: Any, cosine: Any, angle: Any, exponent: int) -> Any:
    """Share of the integral of cos^exponent that lies below an angle, given with its sine and cosine."""
    half = _mass(n, exponent % 2) / 2
    total = angle / half if exponent % 2 == 0 else sine
    term = (cosine if exponent % 2 == 0 else cosine * cosine) * sine
    for k in range(2 + exponent % 2, exponent + 1, 2):
        half = half * (k - 1) / k
        total = total + term / (k * half)
        term = term * cosine * cosine
    return (1 + total) / 2
