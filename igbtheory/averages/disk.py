"""Moments of a batch-normalised unit with eps > 0, as averages over the disk of two data.

The values of two data are B_a = R cos(x), B_b = R cos(x - a), cos a = -1/(n - 1), R = sqrt(n - 1) tau/sqrt(1 + tau^2):
with o = n eps/v, v the variance of a unit over its batch, the angle x is uniform and tau exceeds y with the probability
(1 + y^2)^(-(n - 3)/2) exp(-o y^2/2) (see `caps`). Batches of two have one length and no angle, and a rule of their own.
"""

from typing import Any

import numpy as np

from igbtheory.averages.sphere import Sphere, rounded
from igbtheory.formulas.function import Function
from igbtheory.numbers import Kind
from igbtheory.numerics.panels import WIDTH, Panels, split

GROWTH = 2.0
"""Ratio of the ends of panels in tau."""
RARE = 100.0
"""Logarithm of what is rare and counts, as phi may be large there or nothing elsewhere; what is rarer is left out."""
TINY, LEAST, FARTHEST = 1e-3, 1e-8, 600.0
"""Least n - 3, least share of tau in a table, and largest logarithm of its square."""
STRIP = 1.0
"""Equal steps over half a turn, per order, times the strip of the mesh."""


def of_order(n: Kind, phi: Function, size: int, offset: Any, order: int) -> tuple[Any, Any, Any]:
    """Mean and variance of phi(B), and its covariance at two data, by rules of one order; size: three or more."""
    unit = Sphere(n, phi, size, proxy=False, offset=float(offset))
    tau = _lengths(unit, offset, order)
    square = tau.x * tau.x
    fall = n.number(unit.size - 3) / 2 * n.log1p(square) + offset * square / 2
    weights = tau.weights * tau.x * ((unit.size - 3) / (1 + square) + offset) * n.exp(-fall)
    radii = np.ravel(unit.root * tau.x / n.sqrt(1 + square))
    apart = n.acos(-1 / n.number(unit.free))
    # in the other half of all angles B_a and B_b change places, and up to their signs in the other half of those
    range_x = n.pi / 2 if unit.phi.parity else n.pi
    x, of_x = _angles(unit, radii, apart / 2, range_x, order)
    values = [unit.phi(n, radii * n.cos(x - turn)) for turn in (0 * apart, apart)]
    weights = of_x * np.ravel(weights / weights.sum()) / range_x
    mean = (weights * (values[0] + values[1])).sum() / 2
    if unit.phi.parity < 0:
        mean = 0 * mean  # exactly, so that gamma = 0 stays 0 in every layer
    first, second = (part - mean for part in values)
    return mean, (weights * (first * first + second * second)).sum() / 2, (weights * first * second).sum()


def _lengths(unit: Sphere, offset: Any, order: int) -> Panels:
    """Panels in tau, at whose ends the disk begins to reach a kink or two at once: as a half-integer power there."""
    n, free, o = unit.n, unit.size - 3, float(offset)
    lost = RARE - np.log(n.epsilon)
    # the probability beyond tau is exp(-level): at equal steps of its root, and in proportion
    last = np.sqrt(min(2 * lost / o, np.expm1(min(2 * lost / max(free, TINY), FARTHEST))))
    grid = np.geomspace(LEAST * last, last, 4096)
    levels = (free * np.log1p(grid * grid) + o * grid * grid) / 2
    even = np.interp(np.arange(1, np.sqrt(lost)) ** 2, levels, grid)
    growing = last * GROWTH ** -np.arange(np.ceil(np.log(2 * last * np.sqrt(unit.size + o)) / np.log(GROWTH)))
    steps = np.arange(WIDTH / 2, float(unit.root), WIDTH / 2)
    met = [*_entries(unit), *(abs(n.number(x)) / unit.root for x in (*steps, *unit.mesh(unit.reach())))]
    ends = [n.number(x) for x in (0.0, *even, *growing)] + [y / n.sqrt((1 - y) * (1 + y)) for y in met if y < 1]
    outer = (3 * order) // 2
    return rounded(n, split(n, np.array(ends), n.number(0), n.number(last), outer), outer)


def _entries(unit: Sphere) -> list[Any]:
    """Radii at which a kink begins to be reached, by one datum or, two kinks at once, by two; 1 is that of the disk."""
    kinks, r = [unit.n.number(kink) for kink in unit.phi.pieces.kinks], -1 / unit.n.number(unit.free)
    pairs = [unit.n.sqrt((a * a + b * b - 2 * r * a * b) / (1 - r * r)) for a in kinks for b in kinks]
    return [abs(x) / unit.root for x in (*kinks, *pairs)]


def _angles(unit: Sphere, radii: Any, low: Any, width: Any, order: int) -> tuple[Any, Any]:
    """Angles from `low` on and weights, an axis of panels and one of nodes in front.

    Panels end where B_a or B_b meets a kink or a point of the mesh of phi. Of an analytic phi all is even about both
    ends, so that equal steps converge geometrically: at the rate of the strip in which phi is as smooth as its mesh.
    """
    n, apart, largest = unit.n, 2 * low, float(np.max(radii))
    marks: list[Any] = [*unit.phi.pieces.kinks, *unit.mesh(unit.reach())]
    count = 2 + int(np.ceil(float(width) * largest / WIDTH))
    least = np.diff(sorted({-largest, largest, *(float(x) for x in marks if abs(x) < largest)})).min()
    steps = int(np.ceil(float(width) / np.pi * order * (1 + STRIP / np.arcsinh(least / largest))))
    if not unit.phi.pieces.kinks and steps < order * (count + 4 * len(marks)):
        weights = np.where(np.arange(steps + 1) % steps, n.number(1), n.number(0.5)) * width / steps
        return (low + width * n.number(np.arange(steps + 1)) / steps)[:, None, None], weights[:, None, None]
    ends = [low + width * n.number(i) / count + 0 * radii for i in range(count + 1)]
    for x in map(n.number, marks):
        angle = n.acos(np.minimum(np.maximum(x / radii, -1), 1))
        ends += [turn + side * angle for turn in (0, apart, 2 * n.pi, apart + 2 * n.pi) for side in (-1, 1)]
    panels = split(n, np.array(ends), low, low + width, order)
    return panels.x, panels.weights
