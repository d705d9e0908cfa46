"""D data in batches that BatchNorm couples: the law of the number of them that class 0 gets, and draws of outputs."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
import scipy
from numpy.typing import NDArray

from igbtheory.guesses.arguments import checked_correlation, checked_data_count, one_number
from igbtheory.mathematics.numerics.exchangeable import counts_above, graded_rule, panel_length, saturation
from igbtheory.mathematics.numerics.limits import BLOCK, DEPTH

Array = NDArray[np.float64]

_LAST = 8.6  # largest latent variable that is not neglected: Phi(-8.6) = 4e-18
_NOTHING = 1e-60  # a smaller c changes no digit, although the law may depend on sqrt(c)


def _checked_batch_size(batch_size: Any, count: int) -> int:
    """Return the batch size n as an int; refuse anything but a whole number that divides the number of data."""
    number = one_number("batch_size", batch_size, "make one law for each value")
    if not (1 <= number <= count and count % number == 0):
        raise ValueError(
            f"batch_size: expected a whole number that divides D = {count}, got {batch_size!r}; "
            "take D as a multiple of the batch size (drop or add data), or batch_size=D for the full batch"
        )
    return int(number)


def _convolution_power(table: Array, batches: int, jump: float) -> Array:
    """Return the laws of the sum of `batches` independent counts, whose laws are the rows of the table.

    The power is computed by repeated squaring, and entries that can only be rounding errors are set to 0 after every
    step. A power of the characteristic function would multiply its rounding errors by the number of batches. `jump`
    bounds how far a single variable can move the sum.
    """
    first = np.arange(table.shape[1])
    mean = table @ first
    variance = np.sum(table * (first - mean[:, None]) ** 2, axis=1)
    third = np.where(variance > 0.0, DEPTH * jump / 3.0, 0.0)

    def possible(rows: Array, terms: int) -> Array:
        # by Bernstein's inequality the entries further off have a probability of at most exp(-40)
        reach = third + np.sqrt(third**2 + 2.0 * DEPTH * terms * variance)
        off = np.abs(np.arange(rows.shape[1]) - terms * mean[:, None])
        rows = np.where(off <= reach[:, None] + 0.5, np.maximum(rows, 0.0), 0.0)
        return np.asarray(rows / rows.sum(axis=1, keepdims=True))

    power, terms = table, 1
    for bit in f"{batches:b}"[1:]:
        terms = 2 * terms + int(bit)
        length = terms * (table.shape[1] - 1) + 1
        period = scipy.fft.next_fast_len(length, real=True)
        transform = scipy.fft.rfft(power, period) ** 2
        if bit == "1":
            transform *= scipy.fft.rfft(table, period)
        power = possible(scipy.fft.irfft(transform, period)[:, :length], terms)
    return np.asarray(power)


def _latent_rule(scale: float, rho: float, size: int, batches: int) -> tuple[Array, Array, float]:
    """Return nodes t = scale U, U > 0, their weights, and the probability of larger U, for which all data agree.

    The panels resolve the standard deviation of the counts given t, which vanishes at t = 0 for n = 2 and rho = -1.
    There the law of a batch given t has a kink in its derivative of order n - 1, smoothed over the length `smoothing`.
    """
    if scale == 0.0:
        return np.zeros(1), np.full(1, 0.5), 0.0
    count = size * batches
    smoothing = np.sqrt(max(1.0 + (size - 1.0) * rho, 0.0) / size)
    kink = max(smoothing, (1e-17 / batches) ** (1.0 / size))

    def length(t: float) -> float:
        share = 1.0 if rho >= 0.0 else 1.0 / 3.0
        if size == 2 and rho < 0.0:
            p, q = scipy.special.ndtr([t, -t])
            share = min(share, (p - q + 0.6 * kink) / p)
        return float(min(panel_length(t, count, share, scale), max(2.0 * t, 3.0 * kink)))

    end = min(saturation(count), _LAST * scale)
    t, weights = graded_rule(end, length)
    density = np.exp(-0.5 * (t / scale) ** 2) / (scale * np.sqrt(2.0 * np.pi))
    return t, weights * density, float(scipy.special.ndtr(-end / scale))


def _count_probabilities(scale: float, rho: float, size: int, batches: int) -> Array:
    """Return the probabilities of the counts 0, ..., D: means over U of convolution powers of the law of one batch."""
    count = size * batches
    t, weights, beyond = _latent_rule(scale, rho, size, batches)
    # negatively correlated normal variables obey the bounds for independent ones; otherwise only batches obey them
    jump = 1.0 if rho <= 0.0 else float(size)
    half = np.zeros(count + 1)
    # the rows of a block have at most BLOCK entries
    for part in np.array_split(np.arange(t.size), 1 + t.size * count // BLOCK):
        half += weights[part] @ _convolution_power(counts_above(size, rho, t[part]), batches, jump)
    half[-1] += beyond
    total = half + half[::-1]
    return np.asarray(total / total.sum())


@final
@dataclass(frozen=True)
class CoupledData:
    """D data in D/n batches of n = `size`, which batch normalisation couples.

    The outputs X_a are a centred Gaussian vector of unit variance. Their correlation is c for two data of different
    batches and c_within for two data of one batch. Datum a goes to class 0 if X_a > 0. Given the latent variable U of
    the network, which all data share, the batches are independent:

        X_a = sqrt(c) U + sqrt(1 - c) Y_a,    corr(Y_a, Y_b) = rho = (c_within - c)/(1 - c) in a batch
        pmf = E_U [law of the number of Y_a > -sqrt(c/(1 - c)) U in a batch, convolved D/n times]

    If c_within = c, data are independent given U. c has no effect if n = D (the full batch), and c_within has none if
    n = 1. With BatchNorm after the last activation c = 0 and c_within = -1/(n-1): the values of a batch sum to zero.

    `c` from 0 to 1, `c_within` from c - (1 - c)/(n - 1) (for n = D from -1/(D-1)) to 1, D and its divisor n are one
    number each.

    Absolute errors of pmf and cdf are below 1e-13 for D <= 10,000, if the float rho counts as exact. If rho is near 1,
    or near -1 with n = 2, the law changes with the square root of the distance, and by up to 1e-8 with the last digit
    of rho. For n = 2, D = 10,000, c near 0 and rho near -1, errors reach 2e-12. Small probabilities have no relative
    accuracy: a value below 1e-17 shows only that the probability is tiny.

    ValueError: a number is outside its range, D is not a multiple of n, or an argument is an array. TypeError: an
    argument is not a real number.

    Source: where-you-place-the-norm, Eqs. 6-9, before the limit D -> infinity, with two correlations in place of one.
    """

    c: float
    c_within: float
    D: int
    size: int

    def __post_init__(self) -> None:
        c, count = checked_correlation("c", self.c, 0.0), checked_data_count(self.D)
        size = _checked_batch_size(self.size, count)
        shared = 0.0 if size == count else c
        least = shared - (1.0 - shared) / (size - 1.0) if size > 1 else -1.0
        c_within = checked_correlation("c_within", self.c_within, least)
        for name, value in {"c": c, "c_within": c_within, "D": count, "size": size}.items():
            object.__setattr__(self, name, value)

    @cached_property
    def _shared(self) -> float:
        """Correlation of two data of different batches, or 0 if there is one batch."""
        return 0.0 if self.size == self.D else self.c

    @cached_property
    def _rho(self) -> float:
        """Correlation of two Y_a of a batch, or 0 if there is no pair in a batch or no Y_a."""
        if self.size == 1 or self._shared == 1.0:
            return 0.0
        return max((self.c_within - self._shared) / (1.0 - self._shared), -1.0 / (self.size - 1.0))

    @cached_property
    def pmf(self) -> Array:
        """Probabilities of the counts 0, ..., D of data that go to class 0."""
        with np.errstate(divide="ignore"):
            odds = np.divide(self._shared, 1.0 - self._shared) if self._shared > _NOTHING else 0.0
        return _count_probabilities(float(np.sqrt(odds)), self._rho, self.size, self.D // self.size)

    def outputs(self, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
        """Return independent draws of the Gaussian vector X of unit variance, shape (*shape, D)."""
        n, c, rho = self.size, self._shared, self._rho
        latent = rng.standard_normal((*shape, 1, 1))
        noise = rng.standard_normal((*shape, self.D // n, n))
        centre = noise.mean(axis=-1, keepdims=True)
        # the deviations and the mean of a batch are independent; scaling both gives any correlation rho
        y = np.sqrt(1.0 - rho) * (noise - centre) + np.sqrt(max(1.0 + (n - 1.0) * rho, 0.0)) * centre
        return np.asarray(np.sqrt(c) * latent + np.sqrt(1.0 - c) * y).reshape(*shape, self.D)

    def draws(
        self, count: int, outputs: int, counts: Callable[[Array], NDArray[np.int64]], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Return so many draws of counts(X), X the outputs at all data, shape (outputs, draws, D)."""
        rows = max(1, BLOCK // (self.D * outputs))
        sizes = [min(rows, count - start) for start in range(0, count, rows)] or [0]
        return np.concatenate([counts(self.outputs((outputs, size), rng)) for size in sizes])

    def over_pairs(self, function: Callable[[Any], Any]) -> float:
        """Return the sum over ordered pairs of different data, over D, of a function of the angle arcsin(c)."""
        within, across = (float(function(np.arcsin(c))) for c in (self.c_within, self._shared))
        return (self.size - 1.0) * within + (self.D - float(self.size)) * across


def coupled_data(source: Any, D: int) -> CoupledData | None:  # noqa: N803 - the papers' letter
    """Return D data of a source if batches couple them, else None. ValueError: D does not fit them."""
    batches = getattr(source, "batches", None)
    return None if batches is None else CoupledData(batches.c, batches.c_within, D, batches.size)
