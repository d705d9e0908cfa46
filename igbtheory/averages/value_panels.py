"""Nodes for averages of the values of any formula, in double precision: panels that are bisected where they must be.

Where a formula jumps or has a kink that its text does not show, as floor does, the panels beside are the narrowest.
They tell the place, at which a second search ends its panels from the beginning.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import final

import numpy as np
from numpy.typing import NDArray

from igbtheory.averages.resolved import reach_of
from igbtheory.formulas.function import Function
from igbtheory.numbers import FLOAT64

FINE, COARSE = 24, 12
"""Nodes of a panel, and those of the coarser rule that it is compared with."""
WIDEST = 0.4
"""Standard deviations that a panel spans at most."""
DEEP, LEVELS = 8, 900
"""Bisections from which on a panel is taken to be beside a break, and bisections at most."""
MOST, FIRST, AT_ONCE = 2**15, 2**18, 2**13
"""Panels at most, roughly, those of the first search, and those that are bisected at once."""
NARROWEST, AT_ZERO = 1e-15, 1e-250
"""Width of a panel at least, relative to the distance from the mean; width, and error, that counts as zero."""
HIDDEN = 1e-10
"""Share of a panel at its ends in which a jump is overlooked."""
IMPROBABLE = 1e-120
"""Probability that counts as none: rounding makes jumps of its own far out."""
ROUNDS = 14
"""Divisions of the interval around a break by 16, in search of a jump."""
STRIPS, INSIDE = 256, 0.1
"""Narrowest strips between breaks, at most, of which a value is computed again, and its place in a strip."""
ROUNDED = 1e-6
"""Relative difference between values in double and in extended precision from which on rounding makes them."""
NEGLIGIBLE = 1e-17
"""Error allowed on a panel: that of E phi relative to the root of E phi^2, and that of E phi^2 relative to E phi^2."""

Array = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class Nodes:
    """Points z in standard deviations, weights with the Gaussian density, values of phi there.

    missed: estimated errors of averages of phi, and of phi^2.
    """

    z: Array
    weights: Array
    values: Array
    missed: Array


def nodes(phi: Function, mean: float, scale: float) -> Nodes:
    """Return nodes for averages of phi(mean + scale z), z standard normal.

    Where the formula leaves the range of the numbers, it counts as 0, and as missed with its largest other value.
    """
    try:  # nearby scales share their panels
        low, high, strips = _panels(phi, mean, float(2.0 ** (np.ceil(4 * np.log2(scale)) / 4)))
    except ValueError:  # the formula grows too fast for a larger scale
        low, high, strips = _panels(phi, mean, scale)
    z, weights, values = (part.ravel() for part in _at(phi, mean, scale, low, high, FINE))
    lost, largest = ~np.isfinite(values), float(np.max(np.abs(values), where=np.isfinite(values), initial=0.0))
    missed = np.nansum(_rule(phi, mean, scale, low, high)[1], axis=1) + weights[lost].sum() * largest ** np.arange(1, 3)
    # every panel may miss a last digit of the place of a break
    second = float(np.nansum(weights * values**2))
    missed = missed + FLOAT64.epsilon * low.size * np.array([np.sqrt(second), second])
    for left, right, *wrong in strips:
        missed = missed + np.sum(weights, where=(z * scale > left) & (z * scale < right)) * np.array(wrong)
    never = weights * np.maximum(np.abs(values), 1) ** 2 < IMPROBABLE
    return Nodes(z, weights, np.where(lost | never, 0.0, values), missed)


@lru_cache(maxsize=64)
def _panels(phi: Function, mean: float, scale: float) -> tuple[Array, Array, list[tuple[float, ...]]]:
    """Return left and right ends of panels, as distances from the mean, and the strips of `_made_by_rounding`."""
    reach = reach_of(FLOAT64, phi, mean, scale)
    ends = scale * np.linspace(-reach, reach, 1 + 2 * int(np.ceil(reach / WIDEST)))
    kinks = np.array(phi.pieces.kinks, dtype=float) - mean
    ends = np.union1d(ends, kinks[np.abs(kinks) < scale * reach])
    breaks = _breaks(phi, mean, *_search(phi, mean, scale, ends, FIRST))
    low, high, _ = _search(phi, mean, scale, np.union1d(ends, breaks), MOST)
    return low, high, list(_made_by_rounding(phi, mean, breaks))


@np.errstate(all="ignore")
def _made_by_rounding(phi: Function, mean: float, breaks: Array) -> Iterator[tuple[float, ...]]:
    """Yield left and right ends of strips where rounding makes the values, with the errors of phi and of phi^2.

    In double precision cos(x) is 1 within 1e-8 of 0, and floor(cos(x)) with it.
    """
    widths = np.diff(breaks)
    narrow = np.argsort(widths)[:STRIPS]
    x = mean + breaks[narrow] + INSIDE * widths[narrow]
    values, true = phi(FLOAT64, x), np.asarray(phi(FLOAT64, x.astype(np.longdouble)), dtype=float)
    gaps = np.abs(values - true), np.abs(values**2 - true**2)
    wrong = (gaps[0] > ROUNDED * np.maximum(np.abs(values), np.abs(true))) & np.isfinite(gaps[1])
    yield from zip(breaks[narrow][wrong], breaks[narrow + 1][wrong], *(gap[wrong] for gap in gaps), strict=True)


def _search(phi: Function, mean: float, scale: float, ends: Array, most: int) -> tuple[Array, Array, NDArray[np.intp]]:
    """Return left and right ends of the panels in order, and how often each has been bisected, for averages at a scale.

    most: of them, roughly; the worst are bisected first.
    """
    low, high = ends[:-1], ends[1:]
    kept: list[tuple[Array, Array, NDArray[np.intp]]] = []
    total, room = 0.0, int(most - low.size)
    for level in range(LEVELS):
        second, gaps = _rule(phi, mean, scale, low, high)
        total = max(total, float(np.nansum(second)))
        allowed = np.maximum(NEGLIGIBLE * np.array([np.sqrt(total), total]), AT_ZERO)
        excess = np.nan_to_num(np.max(gaps.T / allowed, axis=1), nan=np.inf)
        excess *= high - low > np.maximum(NARROWEST * np.abs(low), AT_ZERO)
        worst = np.argsort(-excess, kind="stable")[: max(min(room, AT_ONCE), 0)]
        rough = np.zeros(low.size, dtype=bool)
        rough[worst[excess[worst] > 1]] = True
        room -= int(np.count_nonzero(rough))
        kept.append((low[~rough], high[~rough], np.full(np.count_nonzero(~rough), level)))
        middle = (low[rough] + high[rough]) / 2
        low, high = np.concatenate([low[rough], middle]), np.concatenate([middle, high[rough]])
        if not low.size:
            break
    lows, highs, levels = (np.concatenate(part) for part in zip(*kept, strict=True))
    order = np.argsort(lows)
    return lows[order], highs[order], levels[order]


@np.errstate(all="ignore")
def _breaks(phi: Function, mean: float, low: Array, high: Array, levels: NDArray[np.intp]) -> Array:
    """Places of breaks: at or beside a panel that is narrower than its neighbours.

    Of 16 parts of the interval around such a panel the one over which phi changes most is divided again. At a jump the
    change does not shrink, and the place is the jump; at a kink it does, and the place is the middle of the panel.
    """
    width = high - low
    left, right = np.append(np.inf, width[:-1]), np.append(width[1:], np.inf)
    found = (levels >= DEEP) & (width < left) & (width <= right)
    middles = (low[found] + high[found]) / 2
    ends = low[found] - width[found], high[found] + width[found]
    gaps = []
    for _ in range(ROUNDS):
        x = ends[0] + (ends[1] - ends[0]) * np.linspace(0, 1, 17)[:, None]
        rises = np.nan_to_num(np.abs(np.diff(phi(FLOAT64, mean + x), axis=0)))
        place = np.argmax(rises, axis=0)[None]
        gaps.append(np.take_along_axis(rises, place, 0)[0])
        ends = np.take_along_axis(x, place, 0)[0], np.take_along_axis(x, place + 1, 0)[0]
    return np.unique(np.where(2 * gaps[-1] > gaps[0], (ends[0] + ends[1]) / 2, middles))


@np.errstate(all="ignore")
def _rule(phi: Function, mean: float, scale: float, low: Array, high: Array) -> tuple[Array, Array]:
    """Return averages of phi^2 on the panels, and estimated errors there of averages of phi and of phi^2.

    They are differences of two rules, and what a jump between an end and the first node hides from both: there the
    values must be those of the polynomial through the nodes.
    """
    sums = []
    for order in (COARSE, FINE):
        _, weights, values = _at(phi, mean, scale, low, high, order)
        terms = weights * values
        sums.append(np.array([terms.sum(axis=1), (terms * values).sum(axis=1)]))
    inside = np.maximum(
        HIDDEN * (high - low), 8 * FLOAT64.epsilon * (np.maximum(np.abs(low), np.abs(high)) + abs(mean))
    )
    gaps = np.abs(sums[1] - sums[0])
    nodes, of_nodes = _barycentric()
    for end, sign in ((low, 1), (high, -1)):
        found = phi(FLOAT64, mean + end + sign * inside)
        parts = of_nodes / (-sign + sign * 2 * (inside / (high - low))[:, None] - nodes)
        jump = np.abs(found - (parts * values).sum(axis=1) / parts.sum(axis=1))
        share = (1 - nodes[-1]) / 2 * (high - low) / scale * FLOAT64.npdf(end / scale) * jump
        gaps += share, share * (np.abs(found) + jump)
    return sums[1][1], gaps


@lru_cache
def _barycentric() -> tuple[Array, Array]:
    """Return the nodes of the finer rule, and the weights of the barycentric formula through them."""
    x, weights = FLOAT64.legendre(FINE)
    return x, (-1.0) ** np.arange(FINE) * np.sqrt((1 - x * x) * weights)


@np.errstate(all="ignore")
def _at(phi: Function, mean: float, scale: float, low: Array, high: Array, order: int) -> tuple[Array, Array, Array]:
    """Points, weights and values on panels, shape (panels, order)."""
    x, weights = FLOAT64.legendre(order)
    half = (high - low)[:, None] / 2
    t = low[:, None] + half * (1 + x)
    return t / scale, half / scale * weights * FLOAT64.npdf(t / scale), phi(FLOAT64, mean + t)
