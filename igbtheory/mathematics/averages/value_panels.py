"""Nodes for averages of any formula, in double precision, on panels that are bisected until they resolve its values.

A formula such as floor(x) has jumps or kinks that its text does not show. A first search finds them where its panels
are narrowest; the panels of a second search end there from the beginning.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import final

import numpy as np
from numpy.typing import NDArray

from igbtheory.mathematics.averages.resolved import reach_of
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.numbers import FLOAT64

FINE, COARSE = 24, 12
"""Numbers of nodes on a panel of the rule, and of the coarser rule that it is compared with."""
WIDEST = 0.4
"""Largest width of a panel in standard deviations: the coarser rule integrates the density on it to rounding errors."""
DEEP, LEVELS = 8, 900
"""A panel that was halved DEEP times counts as next to a break. No panel is halved more than LEVELS times, which lead
from a width of 1e20 to AT_ZERO."""
MOST, FIRST, AT_ONCE = 2**15, 2**18, 2**13
"""Approximate limits of the panels of the second search, of the first search, and of those bisected at once."""
NARROWEST, AT_ZERO = 1e-15, 1e-250
"""Smallest width of a panel relative to its distance from the mean; width and error that count as zero."""
HIDDEN = 1e-10
"""Share of a panel, at either end, in which a jump is not looked for; at the end phi may have either value."""
IMPROBABLE = 1e-120
"""Probability that counts as zero; far out, rounding errors look like jumps."""
ROUNDS = 14
"""Number of times that the interval around a break is divided by 16 to find a jump: 16^14 = 2^56 exceeds the digits of
a float."""
STRIPS, INSIDE = 256, 0.1
"""Number of narrow strips between breaks in which a value is checked, and its position in the strip."""
ROUNDED = 1e-6
"""Relative difference between a value in double and in extended precision above which it is a rounding error."""
UNRESOLVED = 2.0
"""Factor of the errors where MOST panels did not suffice: an end of a panel may be next to a break that its neighbour
has inside, unseen."""
NEGLIGIBLE = 1e-17
"""Error allowed on a panel: of E phi relative to sqrt(E phi^2), and of E phi^2 relative to itself."""

Array = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class Nodes:
    """Points z in standard deviations, weights that include the Gaussian density, and values of phi.

    missed: estimated errors of the averages of phi and of phi^2.
    """

    z: Array
    weights: Array
    values: Array
    missed: Array


def nodes(phi: Function, mean: float, scale: float) -> Nodes:
    """Return nodes for averages of phi(mean + scale z), z standard normal.

    A value out of range counts as 0, and the error then includes its weight times the largest other value.
    """
    try:  # similar scales share their panels
        low, high, strips = _panels(phi, mean, float(2.0 ** (np.ceil(4 * np.log2(scale)) / 4)))
    except ValueError:  # the formula grows too fast for a larger scale
        low, high, strips = _panels(phi, mean, scale)
    gaps, at = _rule(phi, mean, scale, low, high)
    z, weights, values = (part.ravel() for part in at)
    infinite, largest = ~np.isfinite(values), float(np.max(np.abs(values), where=np.isfinite(values), initial=0.0))
    of_panels = np.nansum(gaps, axis=1) * (UNRESOLVED if low.size >= MOST else 1.0)
    missed = of_panels + weights[infinite].sum() * largest ** np.arange(1, 3)
    # on every panel, the position of a break may have a rounding error
    second = float(np.nansum(weights * values**2))
    missed = missed + FLOAT64.epsilon * low.size * np.array([np.sqrt(second), second])
    for left, right, *wrong in strips:
        missed = missed + np.sum(weights, where=(z * scale > left) & (z * scale < right)) * np.array(wrong)
    never = weights * np.maximum(np.abs(values), 1) ** 2 < IMPROBABLE
    return Nodes(z, weights, np.where(infinite | never, 0.0, values), missed)


@lru_cache(maxsize=64)
def _panels(phi: Function, mean: float, scale: float) -> tuple[Array, Array, list[tuple[float, ...]]]:
    """Return left and right ends of panels, relative to the mean, and the strips from `_made_by_rounding`."""
    reach = reach_of(FLOAT64, phi, mean, scale)
    ends = scale * np.linspace(-reach, reach, 1 + 2 * int(np.ceil(reach / WIDEST)))
    kinks = np.array(phi.pieces.kinks, dtype=float) - mean
    ends = np.union1d(ends, kinks[np.abs(kinks) < scale * reach])
    low, high, levels = _search(phi, mean, scale, ends, FIRST)
    breaks = _breaks(phi, mean, low, high, levels)
    if breaks.size or low.size > MOST:
        low, high, _ = _search(phi, mean, scale, np.union1d(ends, breaks), MOST)
    return low, high, list(_made_by_rounding(phi, mean, breaks))


@np.errstate(all="ignore")
def _made_by_rounding(phi: Function, mean: float, breaks: Array) -> Iterator[tuple[float, ...]]:
    """Yield left and right ends of strips in which the values are rounding errors, with the errors of phi and of phi^2.

    For example, cos(x) is 1 in double precision for |x| < 1e-8, and so is floor(cos(x)).
    """
    widths = np.diff(breaks)
    narrow = np.argsort(widths)[:STRIPS]
    x = mean + breaks[narrow] + INSIDE * widths[narrow]
    values, true = phi(FLOAT64, x), np.asarray(phi(FLOAT64, x.astype(np.longdouble)), dtype=float)
    gaps = np.abs(values - true), np.abs(values**2 - true**2)
    wrong = (gaps[0] > ROUNDED * np.maximum(np.abs(values), np.abs(true))) & np.isfinite(gaps[1])
    yield from zip(breaks[narrow][wrong], breaks[narrow + 1][wrong], *(gap[wrong] for gap in gaps), strict=True)


def _search(phi: Function, mean: float, scale: float, ends: Array, most: int) -> tuple[Array, Array, NDArray[np.intp]]:
    """Return left and right ends of the panels, ascending, and how often each has been bisected.

    most: approximate limit of the number of panels; the worst ones are bisected first.
    """
    low, high = ends[:-1], ends[1:]
    kept: list[tuple[Array, Array, NDArray[np.intp]]] = []
    total, room = 0.0, int(most - low.size)
    for level in range(LEVELS):
        gaps, (_, weights, values) = _rule(phi, mean, scale, low, high)
        total = max(total, float(np.nansum(weights * values**2)))
        allowed = np.maximum(NEGLIGIBLE * np.array([np.sqrt(total), total]), AT_ZERO)
        excess = np.nan_to_num(np.max(gaps.T / allowed, axis=1), nan=np.inf)
        excess *= high - low > np.maximum(NARROWEST * np.abs(low), AT_ZERO)
        if most == FIRST and np.count_nonzero(excess > 1) > AT_ONCE:
            room = 0  # phi oscillates: so many breaks would not be found with all panels either
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
    """Return the places of breaks: in or next to a panel that is narrower than its neighbours.

    The interval around such a panel is divided into 16 parts, then the part over which phi changes most, and so on. At
    a jump the change does not shrink, and the place is the jump. At a kink it does, and the place is the middle of the
    panel.
    """
    width = high - low
    left, right = np.append(np.inf, width[:-1]), np.append(width[1:], np.inf)
    narrow = (levels >= DEEP) & (width < left) & (width <= right)
    middles = (low[narrow] + high[narrow]) / 2
    ends = low[narrow] - width[narrow], high[narrow] + width[narrow]
    gaps = []
    for _ in range(ROUNDS):
        x = ends[0] + (ends[1] - ends[0]) * np.linspace(0, 1, 17)[:, None]
        rises = np.nan_to_num(np.abs(np.diff(phi(FLOAT64, mean + x), axis=0)))
        place = np.argmax(rises, axis=0)[None]
        gaps.append(np.take_along_axis(rises, place, 0)[0])
        ends = np.take_along_axis(x, place, 0)[0], np.take_along_axis(x, place + 1, 0)[0]
    return np.unique(np.where(2 * gaps[-1] > gaps[0], (ends[0] + ends[1]) / 2, middles))


@np.errstate(all="ignore")
def _rule(
    phi: Function, mean: float, scale: float, low: Array, high: Array
) -> tuple[Array, tuple[Array, Array, Array]]:
    """Return the estimated errors of the averages of phi and of phi^2 on the panels, and the nodes of the finer rule.

    The errors are differences of two rules. Neither rule sees a jump between an end and the first node, so that the
    difference of phi at the ends from the polynomial through the nodes is added.
    """
    sums = []
    for order in (COARSE, FINE):
        z, weights, values = _at(phi, mean, scale, low, high, order)
        terms = weights * values
        sums.append(np.array([terms.sum(axis=1), (terms * values).sum(axis=1)]))
    inside = np.maximum(
        HIDDEN * (high - low), 8 * FLOAT64.epsilon * (np.maximum(np.abs(low), np.abs(high)) + abs(mean))
    )
    gaps = np.abs(sums[1] - sums[0])
    nodes, of_nodes = _barycentric()
    for end, sign in ((low, 1), (high, -1)):
        at_end = phi(FLOAT64, mean + end + sign * inside)
        barycentric = of_nodes / (-sign + sign * 2 * (inside / (high - low))[:, None] - nodes)
        jump = np.abs(at_end - (barycentric * values).sum(axis=1) / barycentric.sum(axis=1))
        share = (1 - nodes[-1]) / 2 * (high - low) / scale * FLOAT64.npdf(end / scale) * jump
        gaps += share, share * (np.abs(at_end) + jump)
    return gaps, (z, weights, values)


@lru_cache
def _barycentric() -> tuple[Array, Array]:
    """Return the nodes of the finer rule, and the weights of the barycentric interpolation formula."""
    x, weights = FLOAT64.legendre(FINE)
    return x, (-1.0) ** np.arange(FINE) * np.sqrt((1 - x * x) * weights)


@np.errstate(all="ignore")
def _at(phi: Function, mean: float, scale: float, low: Array, high: Array, order: int) -> tuple[Array, Array, Array]:
    """Return points, weights and values on the panels, shape (panels, order)."""
    x, weights = FLOAT64.legendre(order)
    half = (high - low)[:, None] / 2
    t = low[:, None] + half * (1 + x)
    return t / scale, half / scale * weights * FLOAT64.npdf(t / scale), phi(FLOAT64, mean + t)
