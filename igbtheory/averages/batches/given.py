"""Mean of s^2/(s^2 + eps), s^2 the variance of n independent values x of a unit, as a sum of positive terms.

With S = sum_i (x_i - w)^2 over the batch, exp(-t s^2) = sqrt(t/pi) int exp(-(t/n) S) dw is a product over the data.
So is, by symmetry, s^2 exp(-t s^2). In terms of A_k = E x^k exp(-(t/n) (x - w)^2) of one datum

    E s^2/(s^2 + eps) = (n - 1)/n int_0^inf dt exp(-eps t) sqrt(t/pi) int dw A_0^(n-2) (A_2 A_0 - A_1^2):

nothing cancels, whether eps is small or large, and a batch that does not vary adds 0. The integral over t is a
trapezoidal sum in y, t = exp(y - exp(-y))/(2 (v + eps)), v the usual s^2, that over w has panels about the values where
x has no smooth density, of the scale 1/sqrt(2 t) and growing.
"""

import numpy as np
from numpy.typing import NDArray

from igbtheory.averages.batches.stretch import REACH, Array
from igbtheory.averages.batches.terms import terms
from igbtheory.averages.batches.unit import Unit
from igbtheory.numbers import FLOAT64

Moments = tuple[Array, Array, Array]
"""Means and variances of x, and mean fourth powers of its deviations, as of `Unit.moments`."""
Rule = tuple[int, float]
RULES: tuple[Rule, Rule] = ((13, 0.28), (15, 0.25))
"""Orders of the panels, and steps of the trapezoidal sum in y, of a coarser and of the finer rule."""
START, END = -3.6, 45.0
"""Least y, where exp(-exp(-y)) = 1e-16, and the largest eps t."""
PRUNED = 1e-17
"""Share of the largest panel's part below which a panel is left out."""
ROUGH, FULL, LARGE = 4, 13, 256
"""Orders of the panels in z in that test, and the batch from which on a power A_0^n needs the larger one."""
EVEN = 0.1
"""Least variance of x that places panels in w, relative to the largest: z may have several means."""
SPREADS = 3.0
"""Panels in w, in standard deviations of the mean of a batch, within MIDDLE of them."""
MIDDLE = 12.0
CLOSE = 2.5
"""The same between values of phi at whole z, where panels end as well: there x is denser than at large."""
TINY = 1e-300
"""Variance that keeps a ratio in range."""


def given(unit: Unit, size: int, eps: float, rule: Rule, shifts: Array) -> Array:
    """Means of s^2/(s^2 + eps) over batches of `size` independent data, for z of the means `shifts`, by one rule."""
    if unit.constant and not unit.mix.noise:
        return 0 * shifts
    t, left, half, factor = _panels(unit, size, eps, rule, shifts)
    nodes, weights = (column[:, None] for column in FLOAT64.legendre(rule[0]))
    found = terms(unit, size, shifts, t, left + half * (1 + nodes), rule[0])
    return np.asarray(np.einsum("ij,jik->k", weights * half * factor, found))


def usual(unit: Unit, size: int, moments: Moments) -> float:
    """Usual s^2: the variance over a batch is that of x, or comes from one datum that is rarely far from the others."""
    _, variance, fourth = moments
    found = float(np.maximum(variance, fourth / (size * variance + TINY)).max()) + float(unit.mix.noise)
    if not np.isfinite(found):
        raise ValueError(
            f"expected an activation whose fourth moment is in range, got {unit.phi.name!r} of h of the standard "
            f"deviation {unit.scale:.3g}; use a smaller sigma_w2, or clip the formula"
        )
    return found


def times(v: float, last: float, step: float) -> tuple[Array, Array]:
    """Points t and weights of an integral over t, v that of s^2 + eps, up to the last t."""
    y = np.arange(START, np.log(2 * last * v) + step, step)
    t = np.exp(y - np.exp(-y)) / (2 * v)
    return t, step * (1 + np.exp(-y)) * t


def _panels(unit: Unit, size: int, eps: float, rule: Rule, shifts: Array) -> tuple[Array, Array, Array, Array]:
    """Panels in w: their t, left ends and half widths, and the factor that t brings."""
    moments = unit.moments(shifts)
    t, of_t = times(usual(unit, size, moments) + eps, END / eps, rule[1])
    factor = (size - 1) / size * of_t * np.exp(-eps * t) * unit.mix.factor(t, size)
    ends = ends_of(unit, size, t, moments)
    kept = counting(ends, factor * at_ends(unit, size, shifts, t, ends))
    t, factor = (np.broadcast_to(each, kept.shape)[kept] for each in (t, factor))
    return t, ends[:-1][kept], np.diff(ends, axis=0)[kept] / 2, factor


def counting(ends: Array, there: Array) -> NDArray[np.bool_]:
    """Which panels count, by the terms at their ends."""
    widths = np.diff(ends, axis=0)
    part = np.maximum(there[1:], there[:-1]) * widths
    return np.asarray((widths > 0) & (part > PRUNED * part.max()))


def ends_of(unit: Unit, size: int, t: Array, moments: Moments) -> Array:
    """Ends of panels in w, in order, a column for every t."""
    mean, seen, _ = moments
    scale = unit.mix.width(t, size) / np.sqrt(size)
    least, largest = unit.range
    growing = 2.5 * 2.0 ** np.arange(max(4.0, np.ceil(np.log2((largest - least) / scale.min()))))
    around = np.concatenate([-growing[::-1], [0.0], growing])
    # the mean of a batch scatters about that of x
    variance = max(seen.min(), EVEN * seen.max())
    spread = np.sqrt(scale**2 + variance / size)
    first, last = mean.min(), mean.max()
    count = 1 + np.ceil((last - first) / (SPREADS * spread.min()))
    between = np.minimum(first + np.multiply.outer(np.arange(count), SPREADS * spread), last)
    beyond = np.concatenate([np.arange(SPREADS, MIDDLE, SPREADS), MIDDLE * 2.0 ** np.arange(4)])
    values, rises = unit.steps
    dense = values[rises < CLOSE * np.sqrt(variance / size)]
    cuts = [
        between,
        first - np.multiply.outer(beyond, spread),
        last + np.multiply.outer(beyond, spread),
        np.add.outer(dense, 0 * scale),
        *(x + np.multiply.outer(around, scale) for x in unit.features),
    ]
    low, high = least - REACH * scale, largest + REACH * scale
    return np.sort(np.clip(np.concatenate([*cuts, low[None], high[None]]), low, high), axis=0)


def at_ends(unit: Unit, size: int, shifts: Array, t: Array, ends: Array) -> Array:
    """Largest terms, roughly, at the ends of panels; those of ends that coincide are computed once."""
    order = FULL if size > LARGE else ROUGH
    distinct = np.diff(ends, axis=0, prepend=-np.inf) > 0
    found = np.zeros(ends.shape)
    t = np.broadcast_to(t, ends.shape)[distinct]
    found[distinct] = terms(unit, size, shifts, t, ends[distinct][None], order).max(axis=(1, 2))
    first = np.maximum.accumulate(np.where(distinct, np.arange(len(ends))[:, None], 0), axis=0)
    return np.take_along_axis(found, first, axis=0)
