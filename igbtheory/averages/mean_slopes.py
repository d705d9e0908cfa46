"""Mean slopes K1 = E phi'(u) phi'(v) of centred pairs of equal variances q, circle by circle, in double precision.

At u = r cos a, v = r cos(a - theta), theta = acos c, the density does not depend on the angle a:

    K1(q, theta) = int_0^oo A(r, theta) exp(-r^2/2q) r dr/q,   A(r, theta) = 1/(2 pi) int phi'(u) phi'(v) da

so that one A serves all variances. Between the lines on which u or v is at a kink all is analytic.
"""

from itertools import combinations_with_replacement, pairwise

import numpy as np
from numpy.typing import NDArray

from igbtheory.averages.resolved import Resolved
from igbtheory.formulas.function import Function
from igbtheory.formulas.pieces import Pieces
from igbtheory.formulas.tree import ZERO, evaluate
from igbtheory.numbers import FLOAT64
from igbtheory.numerics.panels import WIDTH, Panels, split

ORDERS = ((14, 18), (16, 22))
"""Orders in r and in the angle of a coarser and of the finer rule: means over angles are smoother than phi'."""
FEW = 5
"""Angles theta at which they are compared."""
MERGED = 3
"""Panels of the mesh in one of these: a Gauss rule is exact to twice the degree that its nodes interpolate."""
MOST = 32
"""Points of the mesh within reach beyond which panels of one pair take less time than all circles."""
GROWTH = 4.0 ** np.arange(30)
"""Ends of panels, in units of the distance from a singularity."""
ROWS = 512
"""Panels evaluated at once: their arrays stay in the cache."""

Array = NDArray[np.float64]


def mean_slopes(seen: Resolved, q: Array, theta: Array) -> tuple[Array, float]:
    """Return the mean slopes, shape (q, theta), and their absolute error: the largest difference from a coarser rule.

    seen: phi as the largest of the variances q sees it.
    """
    values = _integrals(seen, q, theta, *ORDERS[1])
    some = np.unique(np.linspace(0, theta.size - 1, FEW).astype(int))
    return values, float(np.max(np.abs(_integrals(seen, q, theta[some], *ORDERS[0]) - values[:, some])))


def few(seen: Resolved, q: float) -> bool:
    """Return whether the mesh has few points where a pre-activation of variance q is."""
    return bool(np.count_nonzero(np.abs(np.array(seen.cuts, dtype=float)) < seen.reach * np.sqrt(q)) <= MOST)


@np.errstate(all="ignore")
def _integrals(seen: Resolved, q: Array, theta: Array, order: int, order_angle: int) -> Array:
    """Mean slopes by rules of these orders: rings between the radii of kinks."""
    last, total = seen.reach * float(np.sqrt(np.max(q))), np.zeros((q.size, theta.size))
    kinks, cuts = np.array(seen.kinks, dtype=float), _cuts(seen)
    radii = sorted({0.0, *(r for r in np.abs(kinks).tolist() if r < last)})
    for inner, outer in pairwise([*radii, last]):
        ring = _ring((inner, outer), kinks, cuts, WIDTH * float(np.sqrt(np.min(q))), theta, order)
        for t, weights in zip(ring.x, ring.weights, strict=True):
            squares = inner**2 + t * t
            means = _means(seen.phi, cuts, np.sqrt(squares), theta, order_angle)
            density = np.exp(squares / (-2 * q[:, None, None])) / q[:, None, None]
            total += (density * (weights * t * means)).sum(axis=1)
    return total


def _cuts(seen: Resolved) -> Array:
    """Kinks, and every third point of the mesh, counted outwards."""
    kinks = np.array(seen.kinks, dtype=float)
    points = np.setdiff1d(np.array(seen.cuts, dtype=float), kinks)
    parts = np.split(points, np.searchsorted(points, kinks))
    parts[0] = parts[0][::-1]
    return np.concatenate([kinks, *(part[MERGED - 1 :: MERGED] for part in parts)])


def _ring(ends: tuple[float, float], kinks: Array, cuts: Array, widest: float, theta: Array, order: int) -> Panels:
    """Panels of t, r^2 = inner^2 + t^2, at each theta.

    A kink is reached as a square root of r - inner, which t is not. Panels end where lines of kinks meet on the circle,
    and grow with the distance from the imaginary t at which lines begin that have begun inside.
    """
    square, width = ends[0] ** 2, np.sqrt(ends[1] ** 2 - ends[0] ** 2)
    inside = {np.sqrt(square - k * k) for k in (0.0, *np.abs(kinks)) if abs(k) < ends[0]}
    marks = np.concatenate([[0, width], np.sqrt(np.maximum(cuts**2 - square, 0)), *(GROWTH * d for d in inside)])
    gaps = pairwise(np.unique(np.minimum(marks, width)))
    fixed = np.concatenate([np.linspace(a, b, 1 + int(np.ceil((b - a) / widest))) for a, b in gaps])
    meeting = [
        np.sqrt(np.maximum(k * k - square + ((other - k * np.cos(theta)) / np.sin(theta)) ** 2, 0))[None]
        for k, other in combinations_with_replacement(kinks, 2)
    ]
    everywhere = np.broadcast_to(fixed[:, None], (fixed.size, theta.size))
    return split(FLOAT64, np.nan_to_num(np.concatenate([everywhere, *meeting])), 0.0, width, order)


def _means(phi: Function, cuts: Array, r: Array, theta: Array, order: int) -> Array:
    """Means of phi'(u) phi'(v) over circles of the radii r, shape (*, theta).

    With a = b + theta/2, -b stands for v and u, and where phi has a parity pi - b stands for -v and -u. The variable is
    x = tan(b/2 - pi/4), whose functions take less time than cosines.
    """
    high = 0.0 if phi.parity else 1.0
    ends = np.tan(_lines(phi, cuts, r, theta) / 2 - np.pi / 4)
    ends = np.concatenate([ends, np.multiply.outer([-1, 0, high], np.ones_like(r))])
    ends = np.sort(np.minimum(ends, high), axis=0)
    full = ends[1:] > ends[:-1]
    along, across = (np.broadcast_to(r * part, full.shape)[full] for part in (np.cos(theta / 2), np.sin(theta / 2)))
    panels = np.array([ends[:-1][full], ends[1:][full], along, across])
    blocks = np.array_split(panels, 1 + panels.shape[1] // ROWS, axis=1)
    found = np.zeros(full.shape)
    found[full] = np.concatenate([_integral(phi.slope, block, order) for block in blocks]) * (2 - high) / np.pi
    return np.asarray(found.sum(axis=0))


def _lines(phi: Function, cuts: Array, r: Array, theta: Array) -> Array:
    """Angles b at which u or v is at a cut, of the two the one nearer to a kink; 0 instead of what is not met."""
    x, kinks = cuts[np.abs(cuts) < np.max(r), None, None], np.array(phi.pieces.kinks, dtype=float)
    angle, rest = np.arccos(np.clip(x / r, -1, 1)), np.sin(theta) * np.sqrt(np.maximum(r * r - x * x, 0))
    b = np.stack([np.abs(angle - theta / 2), np.pi - np.abs(np.pi - angle - theta / 2)])
    other = x * np.cos(theta) + np.multiply.outer([1, -1], rest)
    own, others = (np.min(np.abs(part[..., None] - kinks), axis=-1) for part in (x, other))
    return np.where((np.abs(x) < r) & ((own == 0) | (own <= others)), b, 0).reshape(-1, *r.shape)


def _integral(slope: Pieces, panels: Array, order: int) -> Array:
    """Integrals of phi'(u) phi'(v) over b; panels: rows low and high end in x, r cos(theta/2), r sin(theta/2)."""
    low, high, *scales = panels
    nodes, weights = FLOAT64.legendre(order)
    middle, half = (low + high) / 2, (high - low) / 2
    *inside, _ = _pair(middle, *scales)
    *pair, rate = _pair(middle[:, None] + half[:, None] * nodes, *(scale[:, None] for scale in scales))
    product = rate * np.prod([_slopes(slope, *part) for part in zip(inside, pair, strict=True)], axis=0)
    return np.asarray(half * (product @ weights))


def _pair(x: Array, along: Array, across: Array) -> tuple[Array, Array, Array]:
    """Values u, v and db/dx: cos b = -2 x/(1 + x^2), sin b = (1 - x^2)/(1 + x^2)."""
    rate = 2 / (1 + x * x)
    cosine, sine = along * (x * -rate), across * (rate - 1)
    return cosine - sine, cosine + sine, rate


def _slopes(slope: Pieces, inside: Array, x: Array) -> Array:
    """Slopes at rows of points, each of one piece, as of the point inside."""
    piece = np.searchsorted(np.array(slope.kinks, dtype=float), inside)
    values = np.zeros_like(x)
    for i, formula in enumerate(slope.formulas):
        if formula != ZERO:
            rows = np.flatnonzero(piece == i)
            values[rows] = evaluate(formula, FLOAT64, x[rows])
    return values
