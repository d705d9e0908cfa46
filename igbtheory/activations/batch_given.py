"""Mean of s^2/(s^2 + eps), s^2 the variance of n independent values x of a unit, as a sum of positive terms.

With S = sum_i (x_i - w)^2 over the batch, exp(-t s^2) = sqrt(t/pi) int exp(-(t/n) S) dw is a product over the data.
So is, by symmetry, s^2 exp(-t s^2). In terms of A_k = E x^k exp(-(t/n) (x - w)^2) of one datum

    E s^2/(s^2 + eps) = (n - 1)/n int_0^inf dt exp(-eps t) sqrt(t/pi) int dw A_0^(n-2) (A_2 A_0 - A_1^2):

nothing cancels, whether eps is small or large, and a batch that does not vary adds 0. The integral over t is a
trapezoidal sum in y, t = exp(y - exp(-y))/(2 (Var x + eps)), that over w has panels about the values where x has no
smooth density, of the scale 1/sqrt(2 t) and growing.
"""

import numpy as np
from numpy.typing import NDArray

from igbtheory.activations.batch_unit import REACH, Array, Unit
from igbtheory.numbers import FLOAT64

Rule = tuple[int, float]
RULES: tuple[Rule, Rule] = ((13, 0.28), (15, 0.25))
"""Orders of the panels, and steps of the trapezoidal sum in y, of a coarser and of the finer rule."""
START, END = -3.6, 45.0
"""Least y, where exp(-exp(-y)) = 1e-16, and the largest eps t."""
PRUNED = 1e-17
"""Share of the largest panel's part below which a panel is left out."""
ROUGH, LARGE = 4, 256
"""Order of the panels in z in that test, and the batch from which on a power A_0^n needs the full order."""
SPREADS = 3.0
"""Panels in w, in standard deviations of the mean of a batch, within MIDDLE of them."""
MIDDLE = 12.0
CLOSE = 2.5
"""The same between values of phi at whole z, where panels end as well: there x is denser than at large."""
BLOCK = 2**18
"""Nodes held at once, roughly."""


def given(unit: Unit, size: int, eps: float, rule: Rule) -> float:
    """Mean of s^2/(s^2 + eps) over batches of `size` independent data, by one rule."""
    if unit.constant:
        return 0.0
    t, w, weights = points(unit, size, eps, rule)
    return float(weights @ _terms(unit, size, t, w, rule[0]))


def points(unit: Unit, size: int, eps: float, rule: Rule, spreads: float = SPREADS) -> tuple[Array, Array, Array]:
    """Points t and w, and their weights."""
    order, step = rule
    rate = 0.5 / (unit.moments[1] + eps)
    y = np.arange(START, np.log(END / eps / rate) + step, step)
    t = rate * np.exp(y - np.exp(-y))
    factor = (size - 1) / size * step * (1 + np.exp(-y)) * t * np.exp(-eps * t) * np.sqrt(t / np.pi)
    ends = _ends(unit, size, 1 / np.sqrt(2 * t), spreads)
    widths = ends[1:] - ends[:-1]
    there = factor * _at_ends(unit, size, t, ends, order if size > LARGE else ROUGH)
    part = np.maximum(there[1:], there[:-1]) * widths
    kept = (widths > 0) & (part > PRUNED * part.max())
    t, factor = (np.broadcast_to(each, part.shape)[kept] for each in (t, factor))
    left, half = ends[:-1][kept], widths[kept] / 2
    nodes, weights = (column[:, None] for column in FLOAT64.legendre(order))
    w = left + half * (1 + nodes)
    return np.broadcast_to(t, w.shape).ravel(), w.ravel(), (half * weights * factor).ravel()


def blocks(unit: Unit, count: int, order: int) -> list[NDArray[np.intp]]:
    """Indices of `count` points in parts small enough for their nodes to be held at once."""
    nodes = order * len(unit.stretches) * (unit.cuts.size + 6)
    return np.array_split(np.arange(count), 1 + count * nodes // BLOCK)


def _ends(unit: Unit, size: int, scale: Array, spreads: float) -> Array:
    """Ends of panels in w, in order, a column for every t, scale = 1/sqrt(2 t)."""
    mean, variance = unit.moments
    least, largest = unit.range
    growing = 2.5 * 2.0 ** np.arange(max(4.0, np.ceil(np.log2((largest - least) / scale.min()))))
    around = np.concatenate([-growing[::-1], [0.0], growing])
    # the mean of a batch scatters about that of x
    spread = np.sqrt(scale**2 + variance / size)
    farther = MIDDLE * 2.0 ** np.arange(4)
    middle = np.concatenate([-farther[::-1], np.arange(spreads - MIDDLE, MIDDLE, spreads), farther])
    values, rises = unit.steps
    dense = values[rises < CLOSE * np.sqrt(variance / size)]
    cuts = [
        mean + np.multiply.outer(middle, spread),
        np.add.outer(dense, 0 * scale),
        *(x + np.multiply.outer(around, scale) for x in unit.features),
    ]
    low, high = least - REACH * scale, largest + REACH * scale
    return np.sort(np.clip(np.concatenate([*cuts, low[None], high[None]]), low, high), axis=0)


def _at_ends(unit: Unit, size: int, t: Array, ends: Array, order: int) -> Array:
    """Terms at the ends of panels; those of ends that coincide are computed once."""
    distinct = np.diff(ends, axis=0, prepend=-np.inf) > 0
    found = np.zeros(ends.shape)
    found[distinct] = _terms(unit, size, np.broadcast_to(t, ends.shape)[distinct], ends[distinct], order)
    first = np.maximum.accumulate(np.where(distinct, np.arange(len(ends))[:, None], 0), axis=0)
    return np.take_along_axis(found, first, axis=0)


@np.errstate(under="ignore", invalid="ignore", divide="ignore")
def _terms(unit: Unit, size: int, t: Array, w: Array, order: int) -> Array:
    """Terms A_0^(n - 2) (A_2 A_0 - A_1^2) = A_0^n times the variance of x under the kernel."""
    flat = unit.flat_masses(0.0, order)
    found = []
    for block in blocks(unit, t.size, order):
        width = np.sqrt(size / (2 * t[block]))
        _, x, weights = unit.under(w[block], width, order)
        for value, mass in flat:
            kernel = mass * np.exp(-np.square((value - w[block]) / width) / 2)
            x, weights = np.vstack([x, np.full_like(kernel, value)]), np.vstack([weights, kernel])
        mass = weights.sum(axis=0)
        mean = (weights * x).sum(axis=0) / mass
        found.append(np.where(mass > 0, mass ** (size - 1) * (weights * np.square(x - mean)).sum(axis=0), 0))
    return np.concatenate(found)
