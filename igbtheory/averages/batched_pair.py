"""Covariance of phi(M) at two data of one batch, M the largest of m independent batch-normalised units.

With f(t) the value of phi at the angle t, and P(t_a <= a, t_b <= b) = F(a) F(b) + C(a, b) of one unit,

    Cov = iint f'(a) f'(b) [(F(a) F(b) + C(a, b))^m - F(a)^m F(b)^m] da db,

jumps of f being point masses of f'. At eps = 0, C goes as a half-integer power of the distance from straight lines of
the plane of the angles, beyond which the two data are never found at once; eps > 0 rounds it within o = n eps/v.
"""

from typing import Any

import numpy as np

from igbtheory.averages.caps import cap, dependence, log_below
from igbtheory.averages.maximum_law import LEVELS
from igbtheory.averages.sphere import Sphere, rounded
from igbtheory.numerics.panels import split

FAINT = 60.0
"""Logarithm of what does not count beside the most frequent values."""
BLUNT = 0.3
"""Value of o from which on C is smooth."""


@np.errstate(over="ignore", under="ignore")
def covariance(unit: Sphere, m: int, order: int) -> Any:
    """Covariance at two data of a batch by rules of one order, in double precision."""
    points, right, tilt = ends(unit, m, LEVELS[8::2]), np.pi / 2, _tilt(unit)
    kinks = [*np.arcsin(unit.sines(unit.phi.pieces.kinks)), -right, right]
    crossings = [line for b in kinks for line in (right - abs(b - tilt), abs(b + tilt) - right)]
    a, rise = _rise(unit, [*points, *crossings, (right + tilt) / 2, -(right + tilt) / 2], -unit.reach(), order)
    below = log_below(a, own := cap(unit, a))
    seen = (rise != 0) & (m * below > m * np.max(below[rise != 0], initial=-np.inf) - FAINT)
    if not seen.any():
        return 0.0
    a, rise, own = a[seen], rise[seen], own[seen]
    at, weights = _rise(unit, _second(unit, a, points), a, order)
    # one of two equal halves, a jump at both data on their border
    weights = rise * weights * np.where(at > a, 2.0, np.where(at == a, 1.0, 0.0))
    # the same nodes come back at most angles of the first datum
    nodes, places = np.unique(at, return_inverse=True)
    other = cap(unit, nodes)[places.reshape(at.shape)]
    bound = np.abs(weights) * np.minimum(m * np.minimum(own, other), np.exp(m * log_below(a, own)))
    kept = bound > unit.n.epsilon / 100 * bound.mean()
    a, at, own, other = (x[kept] for x in np.broadcast_arrays(a, at, own, other))
    apart = dependence(unit, a, at, (own, other))
    return weights[kept] @ _powers_apart(m, log_below(a, own) + log_below(at, other), apart)


def ends(unit: Sphere, m: int, levels: Any) -> Any:
    """Ends of panels that resolve phi, the law of one unit, and that of the largest of m at -log F^m = `levels`."""
    n, reach = unit.n, unit.reach()
    images = [n.asin(y) for y in unit.sines([*unit.phi.pieces.kinks, *unit.mesh(reach)])]
    return np.array([*unit.grid(reach), *images, *(n.number(t) for t in (*_edges(unit), *_rises(unit, m, levels)))])


def jumps(unit: Sphere) -> list[tuple[Any, Any]]:
    """Angles at which phi jumps, and by how much."""
    found = zip(unit.phi.pieces.kinks, unit.phi.pieces.jumps(unit.n), strict=True)
    return [(unit.n.asin(y), jump) for kink, jump in found if jump for y in unit.sines([kink])]


def _tilt(unit: Sphere) -> Any:
    """Angle whose sine is the inner product r = -1/(n - 1) of two data."""
    return np.arcsin(-1 / unit.free)


def _lengths(least: float, ratio: float) -> Any:
    """Lengths in proportion from the least one, if that is not 0, up to 1."""
    return least * ratio ** np.arange(np.ceil(-np.log(least) / np.log(ratio))) if least else np.zeros(0)


def _edges(unit: Sphere) -> Any:
    """Angles about which the density falls off, like exp(-o/(2 x^2)) at the distance x from a right angle."""
    inside = np.pi / 2 - _lengths(np.sqrt(unit.offset) / 9, 3.0)
    return np.concatenate([inside, -inside])


def _rises(unit: Sphere, m: int, levels: Any) -> Any:
    """Angles between which the distribution function of the largest of m rises."""
    if m == 1:
        return []
    t = np.linspace(0, np.pi / 2, 513)
    t = np.unique(np.abs([*t, *(t / np.sqrt(unit.free + unit.offset)), *_edges(unit)]))[::-1]
    above = -np.expm1(-levels / m)
    found = np.interp(np.minimum(above, 1 - above), cap(unit, t), t)
    return np.where(above < 0.5, found, -found)


def _second(unit: Sphere, a: Any, points: Any) -> Any:
    """Ends of panels of the second datum, given the first: lines beyond which it is not found, lengths about them."""
    right, tilt = np.pi / 2, _tilt(unit)
    lines = [right + tilt - a, right - tilt + a, -right - tilt - a]
    # what lies within the distance o is of the order o^((n + 1)/2)
    seen = min(unit.offset, 1.0) ** ((unit.size + 1) / 2) > unit.n.epsilon
    steps = [sign * length for length in _lengths(unit.offset / 25, 7.0) for sign in (-1, 1)] if seen else []
    return [*(point + 0 * a for point in points), *(line + step for line in lines for step in (0, *steps))]


def _rise(unit: Sphere, cuts: Any, low: Any, order: int) -> tuple[Any, Any]:
    """Nodes and weights of an integral over the rise of f beyond `low`, its jumps behind the nodes."""
    whole = unit.reach() == np.pi / 2
    order += 4 if whole else 2
    t = split(unit.n, np.array(cuts), low, unit.reach(), order)
    t = rounded(unit.n, t, order) if whole and unit.offset < BLUNT else t
    x, weights = (part.reshape(-1, *np.shape(low)) for part in (t.x, t.weights))
    found = np.array(jumps(unit), dtype=float).reshape(-1, 2, *(1,) * np.ndim(low)) + np.zeros((1, 2, *np.shape(low)))
    return np.concatenate([x, found[:, 0]]), np.concatenate([weights * unit.slope(x), found[:, 1]])


def _powers_apart(m: int, logarithm: Any, gain: Any) -> Any:
    """Difference (x + gain)^m - x^m, from log x."""
    with np.errstate(divide="ignore"):
        return np.exp(m * logarithm) * np.expm1(m * np.log1p(np.maximum(gain * np.exp(-logarithm), -1)))
