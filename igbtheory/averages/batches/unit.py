"""Values x = phi(centre + scale z) under a narrow kernel exp(-(x - w)^2/(2 width^2)): panels in z that follow it.

Between its kinks and turning points phi is monotone, and a table of z by x says where x is within the kernel's reach.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, final

import numpy as np
import scipy

from igbtheory.averages.batches.mix import PLAIN, Mix
from igbtheory.averages.batches.stretch import Array, Stretch, monotone
from igbtheory.averages.resolved import Resolved, resolved
from igbtheory.formulas.function import Function
from igbtheory.numbers import FLOAT64

SATURATED = 0.1
"""Share of its range over which phi moves in the outer half of z where it saturates."""
MERGED = 1e-9
"""Share of its range within which two values of phi are one."""
TABLE = 2049
"""Entries of the table of a stretch: they place panels, and need not be exact."""


@final
@dataclass(frozen=True)
class Unit:
    """Unit phi(centre + scale z) in double precision, and the mix of its values.

    reach: largest |z|; cuts: ends of panels in z; flat: values of phi where it is constant, with the ends in z;
    stretches: the others.
    """

    phi: Function
    centre: float
    scale: float
    reach: float
    cuts: Array
    flat: list[tuple[float, float, float]]
    stretches: list[Stretch]
    seen: Resolved
    mix: Mix

    def values(self, z: Any) -> Any:
        return self.phi(FLOAT64, self.centre + self.scale * z)

    @cached_property
    def range(self) -> tuple[float, float]:
        """Smallest and largest x."""
        ends = [*self._alone, *(x for part in self.stretches for x in part.values[[0, -1]])]
        return float(min(ends)), float(max(ends))

    @property
    def constant(self) -> bool:
        """Whether x is one value."""
        return not self.stretches and len(self._alone) == 1

    @cached_property
    def _alone(self) -> set[float]:
        """Values of x that have a probability."""
        return {value for value, _, _ in self.flat} | ({float(self.mix.at)} if self.mix.dropped else set())

    @cached_property
    def features(self) -> Array:
        """Values about which x has no smooth density: where phi is constant, has a kink, turns or saturates."""
        least, largest = self.range
        found = set(self._alone)
        for part in self.stretches:
            for x, z in zip(part.values[[0, -1]], part.z[[0, -1]], strict=True):
                outermost = abs(z) > self.reach - 1e-6
                if not outermost or abs(x - self.values(z / 2)) < SATURATED * (largest - least):
                    found.add(float(x))
        values = np.array(sorted(found))
        return values[np.diff(values, prepend=-np.inf) > MERGED * (largest - least)]

    @cached_property
    def steps(self) -> tuple[Array, Array]:
        """Values of phi at likely whole z, and its rise over the unit of z about them."""
        farthest = np.ceil(3 + self.reach - self.seen.reach)
        z = np.arange(-farthest, farthest + 1)
        return self.values(z), np.abs(self.values(z + 0.5) - self.values(z - 0.5))

    @np.errstate(over="ignore", invalid="ignore")
    def moments(self, shifts: Array) -> tuple[Array, Array, Array]:
        """Means and variances of x, and mean fourth powers of its deviations, for z of the means `shifts`."""
        centre = self.centre + self.scale * shifts
        z = self.seen.around(centre, self.scale, 16)
        x, weights = self.phi(FLOAT64, centre + self.scale * z.x), self.mix.density(z.x)
        at, dropped = self.mix.at, self.mix.dropped
        mean = z.integral(x * weights) + dropped * at
        square, alone = np.square(x - mean), np.square(at - mean)
        second, fourth = (z.integral(square**k * weights) + dropped * alone**k for k in (1, 2))
        return mean, second, fourth

    def turned_masses(self, k: Array) -> tuple[Array, Any]:
        """Values where phi is constant, and the integrals of exp(i k z) times the density of z there, (values, k)."""
        mix, values = self.mix, [value for value, _, _ in self.flat]
        masses = [mix.kept * (_tail(low, self.reach, k) - _tail(high, self.reach, k)) for _, low, high in self.flat]
        if mix.dropped:
            values, masses = [*values, mix.at], [*masses, mix.dropped * np.exp(-k * k / 2)]
        return np.array(values), np.reshape(masses, (-1, k.size)) + 0j

    def shifted_masses(self, shifts: Array) -> list[tuple[float, Array]]:
        """Values where phi is constant, and the probabilities of z there for the means `shifts` of z."""
        found = [(value, self.mix.mass(low - shifts, high - shifts)) for value, low, high in self.flat]
        return [*found, (self.mix.at, self.mix.dropped + 0 * shifts)] if self.mix.dropped else found

    def nodes(self, first: Array, last: Array, width: Array, order: int, across: int) -> tuple[Array, Array, Array]:
        """Nodes z, values x and weights for kernels at points w from `first` to `last`; flat parts are left out.

        A column for every such range of w; the weights have the density of z and not the kernels.
        """
        parts = [(np.zeros((0, width.size)),) * 3]
        for stretch in self.stretches:
            panels = stretch.panels(self.cuts, first, last, width, order, across)
            each = panels.x, self.values(panels.x), panels.weights * self.mix.density(panels.x)
            parts.append(tuple(part.reshape(-1, width.size) for part in each))
        z, x, weights = (np.concatenate(part) for part in zip(*parts, strict=True))
        return z, x, weights


def _tail(low: float, reach: float, k: Array) -> Any:
    """Integral of exp(i k z) times the density of z above `low`, all of it below -reach and nothing above reach."""
    if low >= reach:
        return 0j * k
    above = np.exp(-low * low / 2 + 1j * abs(low) * k) * scipy.special.wofz((k + 1j * abs(low)) / np.sqrt(2)) / 2
    if low >= 0:
        return above
    return np.exp(-k * k / 2) - (np.conj(above) if low > -reach else 0)


def unit_of(phi: Function, centre: float, scale: float, step: float, shift: float = 0.0, mix: Mix = PLAIN) -> Unit:
    """Unit whose panels span at most `step` in z, for z of means up to `shift`."""
    seen = resolved(FLOAT64, phi, centre, scale)
    reach = seen.reach + shift
    kinks = [(float(kink) - centre) / scale for kink in seen.kinks]
    flat, stretches = [], []
    for low, high in pairwise([-reach, *(z for z in kinks if -reach < z < reach), reach]):
        z = np.linspace(low, high, TABLE)
        z[0], z[-1] = np.nextafter(low, high), np.nextafter(high, low)  # the right side of a kink
        x = phi(FLOAT64, centre + scale * z)
        if x.min() == x.max():
            flat.append((float(x[0]), low, high))
        else:
            stretches += monotone(phi, (centre, scale), (low, high), z, x)
    grid = np.linspace(-reach, reach, 1 + int(np.ceil(2 * reach / step)))
    cuts = np.concatenate([grid, (np.array(seen.cuts, dtype=float) - centre) / scale])
    return Unit(phi, centre, scale, reach, cuts, flat, stretches, seen, mix)
