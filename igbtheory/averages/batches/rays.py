"""Integrals of r^(n - 2) exp(-r^2/2) s^2/(s^2 + eps), s^2 the variance of n values phi(mean + slope r), along rays.

Panels in r are bisected: the integrand has poles at the distance sqrt(eps) from wherever all values of phi agree.
"""

from dataclasses import dataclass, field
from typing import final

import numpy as np
from numpy.typing import NDArray

from igbtheory.averages.resolved import Resolved
from igbtheory.numbers import FLOAT64
from igbtheory.numerics.bisected import ORDER, Array, bisected
from igbtheory.numerics.panels import WIDTH

GOAL = 1e-14
"""Absolute error of a panel, of integrands that are 1 at most or so."""
FREE = 4e7
"""Values of phi after which the goal is e times as large, and so on."""
CLOSE = 0.1
"""Points of the mesh of phi end panels if two of them are closer than that, in standard deviations."""
STEEP = 1e-9
"""Share of r at least that counts as a deviation."""
BLOCK = 2**18
"""Values of phi held at once, roughly."""


@final
@dataclass
class Rays:
    """Rays to batches of `size` data, r in units of own.

    unit: unit of the integrals; used: values of phi so far. Work is counted, since the goal grows with it: what is
    found depends on what was asked before, within its error.
    """

    seen: Resolved
    size: int
    own: float
    eps: float
    unit: float
    used: int = field(default=0, init=False)
    cuts: list[float] = field(init=False)

    def __post_init__(self) -> None:
        points = np.sort(np.array(self.seen.cuts, dtype=float))
        fine = np.diff(points).min(initial=np.inf) < CLOSE * self.own
        self.cuts = [float(cut) for cut in (self.seen.cuts if fine else self.seen.kinks)]

    def goal(self) -> float:
        """Absolute error of a panel, which grows as the work does."""
        return float(GOAL * np.exp(self.used / FREE))

    def over(self, u: Array, means: Array) -> tuple[Array, float]:
        """Integrals in the directions u, a column each, times |u|^(1 - n), and the largest error."""
        length = np.sqrt(np.square(u).sum(axis=0))
        slopes, factor = self.own * u / length, length ** (1.0 - self.size) / self.unit
        nodes = (len(self.cuts) * self.size + 4) * (2 * ORDER + 1) * self.size
        values, error = np.zeros(means.size), 0.0
        for part in np.array_split(np.arange(means.size), 1 + means.size * nodes // BLOCK):
            found, lost = self._along(slopes[:, part], means[part])
            values[part] = factor[part] * found
            error = max(error, float(np.max(factor[part] * lost, initial=0.0)))
        return values, error

    def _along(self, slopes: Array, means: Array) -> tuple[Array, Array]:
        """Integrals and their errors; slopes: of the data in r, a column for every integral."""
        reach = self.seen.reach + self.size / 3  # r^(n - 2) adds to it
        off = np.array([cut - means for cut in self.cuts]).reshape(-1, 1, means.size)
        radii = off / np.where(np.abs(slopes) > STEEP * self.own, slopes, STEEP * self.own)
        grid = np.linspace(0, reach, 1 + int(np.ceil(reach / WIDTH)))[:, None] + 0 * means
        ends = np.sort(np.clip(np.concatenate([grid, radii.reshape(-1, means.size)]), 0, reach), axis=0)

        def density(r: Array, column: NDArray[np.intp]) -> Array:
            x = self.seen.phi(FLOAT64, means[column] + slopes[:, None, column] * r)
            self.used += x.size
            x = x - x.mean(axis=0)
            square = np.einsum("i...,i...->...", x, x) / self.size
            return np.asarray(r ** (self.size - 2) * np.exp(-r * r / 2) * square / (square + self.eps))

        return bisected(density, ends, self.goal)
