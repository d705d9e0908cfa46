"""Values x = phi(centre + scale z), z normal, under a narrow kernel exp(-(x - w)^2/(2 width^2)): panels that follow it.

Between its kinks and turning points phi is monotone, and a table of z by x says where x is within the kernel's reach.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.activations.function import Function
from igbtheory.activations.resolved import Resolved, resolved
from igbtheory.numbers import FLOAT64
from igbtheory.numbers.panels import split

Array = NDArray[np.float64]
REACH = 9.0
"""Widths of the kernel that matter: exp(-40)."""
STEPS = np.linspace(-REACH, REACH, 5)[:, None]
SATURATED = 0.1
"""Share of its range over which phi moves in the outer half of z where it saturates."""
MERGED = 1e-9
"""Share of its range within which two values of phi are one."""
NOISE = 1e-14
"""Share of the largest value within which a rise is rounding."""
HALTING = 1e-2
"""Share of its median to which the slope falls at an inflection that counts."""
TABLE = 2049
"""Entries of the table of a stretch: they place panels, and need not be exact."""


@final
@dataclass(frozen=True)
class Stretch:
    """Stretch of z on which phi is monotone: its ends, and z by increasing values x."""

    low: float
    high: float
    values: Array
    z: Array

    def panels(self, cuts: Array, w: Array, width: Array, order: int) -> Any:
        """Panels in z for the kernels at the points w, which also end at the `cuts`."""
        near = np.sort(np.interp(w + STEPS * width, self.values, self.z), axis=0)
        # the table lacks the very ends
        low = np.where(near[0] <= self.z.min(), self.low, near[0])
        high = np.where(near[-1] >= self.z.max(), self.high, near[-1])
        inside = cuts[(cuts > self.low) & (cuts < self.high)]
        return split(FLOAT64, np.concatenate([near, inside[:, None] + 0 * w, low[None], high[None]]), low, high, order)


@final
@dataclass(frozen=True)
class Unit:
    """Unit phi(centre + scale z) in double precision.

    cuts: ends of panels in z; flat: values of phi where it is constant, with the ends in z; stretches: the others.
    """

    phi: Function
    centre: float
    scale: float
    cuts: Array
    flat: list[tuple[float, float, float]]
    stretches: list[Stretch]
    seen: Resolved

    def values(self, z: Any) -> Any:
        return self.phi(FLOAT64, self.centre + self.scale * z)

    @cached_property
    def range(self) -> tuple[float, float]:
        """Smallest and largest x."""
        ends = [value for value, _, _ in self.flat] + [x for part in self.stretches for x in part.values[[0, -1]]]
        return float(min(ends)), float(max(ends))

    @property
    def constant(self) -> bool:
        """Whether x is one value."""
        return not self.stretches and len({value for value, _, _ in self.flat}) == 1

    @cached_property
    def features(self) -> Array:
        """Values about which x has no smooth density: where phi is constant, has a kink, turns or saturates."""
        least, largest = self.range
        found = {value for value, _, _ in self.flat}
        for part in self.stretches:
            for x, z in zip(part.values[[0, -1]], part.z[[0, -1]], strict=True):
                outermost = abs(z) > self.seen.reach - 1e-6
                if not outermost or abs(x - self.values(z / 2)) < SATURATED * (largest - least):
                    found.add(float(x))
        values = np.array(sorted(found))
        return values[np.diff(values, prepend=-np.inf) > MERGED * (largest - least)]

    @cached_property
    def steps(self) -> tuple[Array, Array]:
        """Values of phi at likely whole z, and its rise over the unit of z about them."""
        z = np.arange(-3.0, 4.0)
        return self.values(z), np.abs(self.values(z + 0.5) - self.values(z - 0.5))

    @cached_property
    def moments(self) -> tuple[float, float]:
        """Mean and variance of x."""
        mean, variance = self.seen.averaged(np.array([self.centre]), self.scale, 16)
        return float(mean[0]), float(variance[0])

    def flat_masses(self, tilt: float, order: int) -> list[tuple[float, Any]]:
        """Values where phi is constant, and the integrals of exp(i tilt z) times the density of z there."""
        found: list[tuple[float, Any]] = []
        for value, low, high in self.flat:
            z = split(FLOAT64, np.concatenate([self.cuts, [low, high]]), low, high, order)
            density = FLOAT64.npdf(z.x)
            found.append((value, z.integral(density * np.exp(1j * tilt * z.x) if tilt else density)))
        return found

    def under(self, w: Array, width: Array, order: int) -> tuple[Array, Array, Array]:
        """Nodes z, values x and weights, density times kernel, a column for every w; flat parts are left out."""
        parts = [(np.zeros((0, w.size)),) * 3]
        for stretch in self.stretches:
            panels = stretch.panels(self.cuts, w, width, order)
            x = self.values(panels.x)
            weights = panels.weights * FLOAT64.npdf(panels.x) * np.exp(-np.square((x - w) / width) / 2)
            parts.append(tuple(part.reshape(-1, w.size) for part in (panels.x, x, weights)))
        z, x, weights = (np.concatenate(part) for part in zip(*parts, strict=True))
        return z, x, weights


def unit_of(phi: Function, centre: float, scale: float, step: float) -> Unit:
    """Unit whose panels span at most `step` in z."""
    seen = resolved(FLOAT64, phi, centre, scale)
    reach = seen.reach
    kinks = [(float(kink) - centre) / scale for kink in seen.kinks]
    flat, stretches = [], []
    for low, high in pairwise([-reach, *(z for z in kinks if -reach < z < reach), reach]):
        z = np.linspace(low, high, TABLE)
        z[0], z[-1] = np.nextafter(low, high), np.nextafter(high, low)  # the right side of a kink
        x = phi(FLOAT64, centre + scale * z)
        if x.min() == x.max():
            flat.append((float(x[0]), low, high))
        else:
            stretches += _monotone(low, high, z, x)
    grid = np.linspace(-reach, reach, 1 + int(np.ceil(2 * reach / step)))
    cuts = np.concatenate([grid, (np.array(seen.cuts, dtype=float) - centre) / scale])
    return Unit(phi, centre, scale, cuts, flat, stretches, seen)


def _monotone(low: float, high: float, z: Array, x: Array) -> list[Stretch]:
    """Stretches of a table between the points where phi turns, or has an inflection with a slope of zero."""
    rises = np.diff(x)
    steps = np.flatnonzero(np.abs(rises) > NOISE * np.abs(x).max())
    rises = rises[steps]
    before, there, after = rises[:-2], rises[1:-1], rises[2:]
    bound = np.minimum(np.abs(after), HALTING * np.median(np.abs(rises)))
    slow = (np.abs(there) < np.abs(before)) & (np.abs(there) <= bound)
    halting, turning = slow & (before * after > 0), there * after < 0
    found = []
    for i, j in pairwise([0, *(steps[1:-1][halting | turning] + 1).tolist(), x.size - 1]):
        values, at = x[i : j + 1], z[i : j + 1]
        if x[j] < x[i]:
            values, at = values[::-1], at[::-1]
        ends = low if i == 0 else z[i], high if j == x.size - 1 else z[j]
        found.append(Stretch(float(ends[0]), float(ends[1]), np.maximum.accumulate(values), at))
    return found
