"""Stretches of z on which phi is monotone, between its kinks, turning points and flat inflections.

A table of z by x = phi(centre + scale z) says where x is within the reach of a narrow kernel.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.formulas.function import Function
from igbtheory.numbers import FLOAT64
from igbtheory.numerics.panels import split

Array = NDArray[np.float64]
REACH = 9.0
"""Widths of the kernel that matter: exp(-40)."""
NOISE = 1e-14
"""Share of the largest value within which a rise is rounding."""
HALTING = 1e-2
"""Share of its median to which the slope falls at an inflection that counts."""
STEP, NEWTON = 1.0, 5
"""Steps of a table in x, in widths of the kernel, from which on z is improved, and steps of Newton then."""
HALVES = 2.0 ** np.arange(-40, 0)
"""Further entries of a table between the last two, as shares of their distance."""
ZOOM, ZOOMS = 32, 8
"""Points to either side, and repetitions, in the search for a slope of zero."""


@final
@dataclass(frozen=True)
class Stretch:
    """Stretch of z on which phi is monotone: its ends, and z by increasing values x.

    at: centre and scale of x = phi(centre + scale z).
    """

    phi: Function
    at: tuple[float, float]
    low: float
    high: float
    values: Array
    z: Array

    def panels(self, cuts: Array, first: Array, last: Array, width: Array, order: int, across: int) -> Any:
        """Panels in z for the kernels at points w from `first` to `last`, which also end at the `cuts`."""
        x = np.linspace(first - REACH * width, last + REACH * width, across + 1)
        near = np.sort(self._inverse(x, width), axis=0)
        # the table lacks the very ends
        low = np.where(near[0] <= self.z.min(), self.low, near[0])
        high = np.where(near[-1] >= self.z.max(), self.high, near[-1])
        inside = cuts[(cuts > self.low) & (cuts < self.high)]
        ends = np.concatenate([near, inside[:, None] + 0 * width, low[None], high[None]])
        return split(FLOAT64, ends, low, high, order)

    @cached_property
    def _step(self) -> float:
        """Largest step of the table in x."""
        return float(np.diff(self.values).max())

    def _inverse(self, x: Array, width: Array) -> Array:
        """Points z of the values x: those of the table, and where a kernel is as narrow as its steps Newton's."""
        found = np.interp(x, self.values, self.z)
        if self._step <= STEP * width.min():
            return found
        after = np.clip(np.searchsorted(self.values, x), 1, self.values.size - 1)
        narrow = self.values[after] - self.values[after - 1] > STEP * width
        if not narrow.any():
            return found
        centre, scale = self.at
        x, z, after = x[narrow], found[narrow], after[narrow]
        ends = np.sort([self.z[after - 1], self.z[after]], axis=0)
        for _ in range(NEWTON):
            h = centre + scale * z
            slope = scale * self.phi.slope(FLOAT64, h)
            missed = np.divide(self.phi(FLOAT64, h) - x, slope, out=0 * z, where=slope != 0)
            z = np.clip(z - missed, *ends)
        found[narrow] = z
        return found


def monotone(phi: Function, at: tuple[float, float], span: tuple[float, float], z: Array, x: Array) -> list[Stretch]:
    """Stretches of a table between the points where phi turns, or has an inflection with a slope of zero."""
    middle = _halting(x)
    z[middle], x[middle] = _halts(phi, at, z[middle - 1], z[middle + 1])
    found = []
    for i, j in pairwise([0, *middle.tolist(), x.size - 1]):
        where = _graded(z[i : j + 1])
        values = phi(FLOAT64, at[0] + at[1] * where)
        if x[j] < x[i]:
            values, where = values[::-1], where[::-1]
        ends = span[0] if i == 0 else z[i], span[1] if j == x.size - 1 else z[j]
        found.append(Stretch(phi, at, float(ends[0]), float(ends[1]), np.maximum.accumulate(values), where))
    return found


def _graded(z: Array) -> Array:
    """Entries of a table, and more towards its ends: at a slope of zero equal steps in z are none in x."""
    first, last = np.multiply.outer([z[1] - z[0], z[-1] - z[-2]], HALVES)
    return np.concatenate([z[:1], z[0] + first, z[1:-1], z[-1] - last[::-1], z[-1:]])


def _halting(x: Array) -> NDArray[np.intp]:
    """Indices of a table's entries nearest to where it turns, or nearly halts."""
    rises = np.diff(x)
    steps = np.flatnonzero(np.abs(rises) > NOISE * np.abs(x).max())
    rises = rises[steps]
    if rises.size < 3:
        return steps[:0]
    before, there, after = rises[:-2], rises[1:-1], rises[2:]
    bound = np.minimum(np.abs(after), HALTING * np.median(np.abs(rises)))
    slow = (np.abs(there) < np.abs(before)) & (np.abs(there) <= bound)
    halting, turning = slow & (before * after > 0), there * after < 0
    return np.asarray(steps[1:-1][halting | turning] + 1)


def _halts(phi: Function, at: tuple[float, float], low: Array, high: Array) -> tuple[Array, Array]:
    """Points z of the least slope between those given, and their values x: turns of one height are one feature."""
    centre, scale = at
    for _ in range(ZOOMS):
        z = np.linspace(low, high, 2 * ZOOM + 1)
        least = np.abs(phi.slope(FLOAT64, centre + scale * z)).argmin(axis=0)
        around = np.clip([least - 1, least + 1], 0, 2 * ZOOM)
        low, high = np.take_along_axis(z, around, axis=0)
    z = (low + high) / 2
    return z, phi(FLOAT64, centre + scale * z)
