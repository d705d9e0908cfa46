"""Mean of s^2/(s^2 + eps) over a batch of n data with a negative covariance, down to a sum that is fixed.

With independent z_i, h_i = mean + i common V + own z_i has the covariance -common^2: the common part is imaginary, and
all there is to it is a factor exp(i k z), k = V common/own, in the moments A_k of `batches.given`, and

    int dk own/(common sqrt(2 pi)) exp(-(k^2/2) ((own/common)^2 - n)).

Behind one BatchNorm and a Dense without biases (own/common)^2 = n. The integrand in k falls like exp(-n k^2/2) for a
smooth phi, once it is averaged over w, as k^-n or so where phi has a kink, and as 1/k at worst.
"""

from typing import Any

import numpy as np

from igbtheory.activations.batches.cells import tells
from igbtheory.activations.batches.given import RULES, SPREADS, Rule, blocks, points
from igbtheory.activations.batches.stretch import Array
from igbtheory.activations.batches.unit import Unit, unit_of
from igbtheory.activations.function import Function
from igbtheory.numbers.panels import WIDTH

FARTHEST = 20.0
"""Largest k."""
REST = 3e-12
"""Share of the sum over k that may be left out, by estimate, before FARTHEST."""
PHASE = 12.0
"""Phase by which exp(i k z) turns in a panel at most."""
STEP = 2.8
"""Step in V, in units of the step of a rule: that of the finer one errs by exp(-2 (pi/0.7)^2) = 3e-18."""
TOGETHER = 8
"""Values of k computed at once."""


def tilted(phi: Function, size: int, scales: tuple[float, float, float], eps: float) -> tuple[float, float]:
    """The mean and its absolute error; scales: mean, common, own."""
    apart = tells(phi, size, scales[0], scales[2])
    largest = 10 / np.sqrt(size)
    while True:
        coarse, rest = _by(phi, size, scales, eps, RULES[0], largest, apart=apart)
        if rest <= REST * coarse or 1.5 * largest > FARTHEST:
            break
        largest *= 1.5
    fine, rest = _by(phi, size, scales, eps, RULES[1], largest, apart=apart)
    return fine, abs(coarse - fine) + rest


@np.errstate(under="ignore", invalid="ignore")
def _by(
    phi: Function, size: int, scales: tuple[float, float, float], eps: float, rule: Rule, largest: float, *, apart: bool
) -> tuple[float, float]:
    """The mean from k up to the largest, by one rule, and an estimate of what is left out.

    apart: whether data agree only where they are equal.
    """
    mean, common, own = scales
    order, step = rule[0], STEP * rule[1] * common / own
    k = step * np.arange(1 + np.ceil(largest / step))
    density = np.exp(-np.square(k) / 2 * max((own / common) ** 2 - size, 0)) * STEP * rule[1] / np.sqrt(2 * np.pi)
    unit = unit_of(phi, mean, own, min(PHASE / largest, WIDTH))
    if unit.constant:
        return 0.0, 0.0
    masses = np.array([[mass for _, mass in unit.flat_masses(tilt, order)] for tilt in k]).T
    t, w, weights = points(unit, size, eps, rule, min(SPREADS, PHASE / largest / np.sqrt(size)))
    sums = np.zeros(k.size)
    for block in blocks(unit, t.size, order):
        sums += _sums(unit, size, step, masses, (t[block], w[block], weights[block]), order)
    sums *= 2 * density
    sums[0] /= 2
    if apart:  # a tail that falls as k^-n, with a factor two to spare
        return float(sums.sum()), float(np.max(np.abs(sums[-3:])) * k.size * 2 / (size - 1))
    # one that falls as 1/k until k resolves the scale of eps, as where data agree by twos, and may turn in phase
    variance = unit.moments(np.zeros(1))[1][0]
    octaves = 1 + np.log1p(np.sqrt(variance / eps) / largest)
    return float(sums.sum()), float(np.max(np.abs(sums[-(k.size // 3) :])) * k.size * octaves)


def _sums(unit: Unit, size: int, step: float, masses: Any, at: tuple[Array, Array, Array], order: int) -> Array:
    """Sums over some points (t, w, weights), one for every k; masses: of the flat parts, a column for every k."""
    t, w, weights = at
    width = np.sqrt(size / (2 * t))
    z, x, density = (np.ascontiguousarray(part.T) for part in unit.under(w, width, order))
    # products of moments cancel where these are large: x counts from w, or from the end of its range nearest to w
    near = np.clip(w, *unit.range)
    x = x - near[:, None]
    turns = np.exp(1j * step * z)[..., None] ** np.arange(TOGETHER)
    onward = (turns[..., -1] * turns[..., 1])[:, None]
    moments = np.stack([density, density * x, density * x * x], axis=1) + 0j
    kernels = [(value - near, np.exp(-np.square((value - w) / width) / 2)) for value, _, _ in unit.flat]
    found = []
    for first in range(0, masses.shape[1], TOGETHER):
        a = np.moveaxis(moments @ turns, 1, 0)[..., : masses.shape[1] - first]
        for (value, kernel), mass in zip(kernels, masses[:, first : first + TOGETHER], strict=True):
            a = a + np.multiply.outer([kernel, kernel * value, kernel * value * value], mass)
        found.append(weights @ (a[0] ** (size - 2) * (a[2] * a[0] - a[1] * a[1])).real)
        moments *= onward
    return np.concatenate(found)
