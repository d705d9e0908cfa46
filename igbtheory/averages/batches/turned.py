"""Mean of s^2 exp(-t s^2) over a batch of n data with a negative covariance, down to a sum that is fixed.

With independent z_i, h_i = mean + i common V + own z_i has the covariance -common^2: the common part is imaginary, and
all there is to it is a factor exp(i k z), k = V common/own, in the moments A_j of `batches.given`:

    E s^2 exp(-t s^2) = (n - 1)/n sqrt(t/pi) int dw int dk own/(common sqrt(2 pi))
                        exp(-(k^2/2) ((own/common)^2 - n)) A_0^(n - 2) (A_2 A_0 - A_1^2).

Behind one BatchNorm and a Dense without biases (own/common)^2 = n. The sum over k ends where the terms do: they fall as
a normal density at the scale of the kernel exp(-(t/n) (x - w)^2), and as k^-n or faster at the kinks of phi. Summed,
they are smooth in w on the scale 1/sqrt(2 t), that of a batch with one value.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, final

import numpy as np

from igbtheory.averages.batches.given import Moments, at_ends, counting, ends_of
from igbtheory.averages.batches.mix import PLAIN, Mix
from igbtheory.averages.batches.stretch import REACH, Array
from igbtheory.averages.batches.terms import ACROSS
from igbtheory.averages.batches.unit import MERGED, Unit, unit_of
from igbtheory.formulas.function import Function
from igbtheory.numbers import FLOAT64
from igbtheory.numerics.panels import WIDTH

STEP = 0.7
"""Step in V: the trapezoidal sum errs by exp(-2 (pi/STEP)^2) = 3e-18."""
LARGEST, GROWTH, LEVELS = 8.0, 1.7, 10
"""Largest k of a first part of the sum, ratio of those of the next ones, and parts at most."""
FARTHEST = 20000.0
"""Largest k in the probability that all data have one value: it falls as k^-n."""
PHASE = 12.0
"""Phase by which exp(i k z) turns in a panel at most."""
SCALES = 4.0
"""Panels in w, in units of 1/sqrt(2 t), at most."""
STILL = np.zeros(1)
"""Shifts of z: none."""
TOGETHER = 32
"""Values of k computed at once."""
BLOCK = 2**19
"""Complex numbers held at once, roughly."""


@final
@dataclass(frozen=True)
class Turned:
    """Batch of `size` values of phi, panels of the given order; scales: mean, common and own."""

    phi: Function
    size: int
    scales: tuple[float, float, float]
    order: int
    mix: Mix = PLAIN

    @property
    def unit(self) -> Unit:
        """One value of the batch."""
        return self._unit(LARGEST)

    @cached_property
    def moments(self) -> Moments:
        """Moments of one value."""
        return self.unit.moments(STILL)

    def mean(self, t: float, goal: float) -> tuple[float, float, int]:
        """The mean, what the sum over k leaves out, by estimate, and the numbers it took.

        What is left out is more than the goal where the sum is too long.
        """
        w, weights = self._points(t)
        weights *= (self.size - 1) / self.size * self.mix.factor(t, self.size)
        total, rest, first, took = 0.0, np.inf, 0, 0
        for largest in np.minimum(LARGEST * GROWTH ** np.arange(LEVELS), self._reach).tolist():
            k = self._up_to(largest)[first:]
            sums, numbers = self._sums(self._unit(largest), t, w, weights, k)
            part = self._density(k) * sums
            total, first, took = total + float(part.sum()), first + k.size, took + numbers
            rest = _rest(part) if largest < self._reach else 0.0
            if rest <= goal:
                break
        return total, rest, took

    @cached_property
    def still(self) -> tuple[float, float]:
        """Probability that all values are one, where phi is constant, and its error."""
        k = self._up_to(min(FARTHEST, self._reach))
        values, masses = self.unit.turned_masses(k)
        if not values.size or self.mix.noise:
            return 0.0, 0.0
        alike = np.isclose(values[:, None], values, rtol=0, atol=MERGED * np.ptp(self.unit.range))
        sums = (alike[np.unique(alike.argmax(axis=1))] @ masses) ** self.size
        terms = self._density(k) * sums.real.sum(axis=0)
        return float(terms.sum()), _rest(terms) if self._reach > FARTHEST else 0.0

    @cached_property
    def _step(self) -> float:
        return STEP * self.scales[1] / self.scales[2]

    @cached_property
    def _reach(self) -> float:
        """Value of k beyond which the normal density of a sum that varies is negligible."""
        return REACH / np.sqrt(self._free) if self._free else np.inf

    @cached_property
    def _free(self) -> float:
        """Variance of the sum, in units of common^2/n: 0 where it is fixed."""
        return max((self.scales[2] / self.scales[1]) ** 2 - self.size, 0.0)

    def _unit(self, largest: float) -> Unit:
        """One value of the batch, for k up to the largest."""
        return _unit(self.phi, self.scales[0], self.scales[2], largest, self.mix)

    def _up_to(self, largest: float) -> Array:
        """Values of k, from 0 on."""
        return np.asarray(self._step * np.arange(1 + np.ceil(largest / self._step)))

    def _density(self, k: Array) -> Array:
        """Factors of the terms for +-k."""
        return np.asarray(np.exp(-np.square(k) / 2 * self._free) * STEP / np.sqrt(2 * np.pi) * np.where(k == 0, 1, 2))

    def _points(self, t: float) -> tuple[Array, Array]:
        """Points w and their weights, a row for every panel."""
        scale = self.mix.width(t, self.size) / np.sqrt(self.size)
        ends = ends_of(self.unit, self.size, np.array([t]), self.moments)
        kept = counting(ends, at_ends(self.unit, self.size, STILL, np.array([t]), ends))
        left, wide = ends[:-1][kept], np.diff(ends, axis=0)[kept]
        count = np.ceil(wide / (SCALES * scale)).astype(int)
        left, half = np.repeat(left, count), np.repeat(wide / count / 2, count)
        left += 2 * half * (np.arange(left.size) - np.repeat(np.cumsum(count) - count, count))
        nodes, weights = FLOAT64.legendre(self.order)
        return left[:, None] + half[:, None] * (1 + nodes), half[:, None] * weights

    def _sums(self, unit: Unit, t: float, w: Array, weights: Array, k: Array) -> tuple[Array, int]:
        """Sums over w, one for every k, and the numbers exp(i k z) in them."""
        width, excess = float(self.mix.width(t, self.size)), self.mix.excess(t, self.size)
        nodes = unit.nodes(w[:, 0], w[:, -1], np.full(len(w), width), self.order, ACROSS)
        flat = unit.turned_masses(k)
        found, took = np.zeros(k.size), 0
        for rows, z, x, density in _blocks(*nodes, self.order):
            points, near = w[rows], np.clip(w[rows].mean(axis=1), *unit.range)[:, None]
            of_x, of_flat = (_kernels(y - near, points - near, width) for y in (x, flat[0] + 0 * near))
            turn = np.exp(1j * self._step * z)
            powers = np.cumprod(np.repeat(turn[..., None], TOGETHER, axis=2), axis=2)
            turned = density * np.exp(1j * (k[0] - self._step) * z)
            for first in range(0, k.size, TOGETHER):
                part = slice(first, first + TOGETHER)
                masses = flat[1][:, part]
                columns = (turned[..., None] * powers[..., : masses.shape[1]]).view(float)
                a0, a1, a2 = np.split((of_x @ columns).view(complex) + of_flat @ masses, 3, axis=1)
                terms = (a0 ** (self.size - 2) * (a2 * a0 - a1 * a1 + excess * a0 * a0)).real
                found[part] += np.tensordot(weights[rows], terms, 2)
                turned *= powers[..., -1]
            took += z.size * k.size
        return found, took


def _blocks(z: Array, x: Array, density: Array, order: int) -> Iterator[tuple[Any, ...]]:
    """Rows of about as many nodes, and their z, x and density, those of empty panels left out; nodes: a column each."""
    panels = [part.T.reshape(part.shape[1], -1, order) for part in (z, x, density)]
    full = np.asarray(panels[2].any(axis=2))
    by_count = np.argsort(full.sum(axis=1))
    first = 0
    while first < by_count.size:
        count = int(full[by_count[first]].sum())
        last = first + max(1, BLOCK // (max(count, 1) * order * TOGETHER))
        rows = by_count[first:last]
        chosen = np.argsort(~full[rows], axis=1, kind="stable")[:, : full[rows].sum(axis=1).max()]
        yield rows, *(part[rows[:, None], chosen].reshape(rows.size, -1) for part in panels)
        first = last


def _kernels(x: Array, w: Array, width: float) -> Array:
    """Kernels, and kernels times x and x^2, one above the other: shape (panels, 3 points w, values x)."""
    kernel = np.exp(-np.square((x[:, None] - w[..., None]) / width) / 2)
    return np.concatenate([kernel, kernel * x[:, None], kernel * np.square(x)[:, None]], axis=1)


def _rest(terms: Array) -> float:
    """What a sum leaves out, from the largest of the last half of its terms, as if these fell as k^-2."""
    return float(np.abs(terms[terms.size // 2 :]).max() * terms.size)


@lru_cache(maxsize=64)
def _unit(phi: Function, mean: float, own: float, largest: float, mix: Mix) -> Unit:
    return unit_of(phi, mean, own, min(PHASE / largest, WIDTH), mix=mix)
