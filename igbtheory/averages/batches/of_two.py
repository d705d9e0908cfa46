"""Mean of s^2/(s^2 + eps) over batches of two, x = phi(c + b z) and phi(c - b z): s is half their difference.

A plain integral over z, and over the centre c where it varies, by panels that are bisected until two rules agree: the
integrand has its poles where s = sqrt(-eps), at z = 0 and wherever phi has the same value twice.
"""

import numpy as np
import scipy
from numpy.polynomial.hermite_e import hermegauss
from numpy.typing import NDArray

from igbtheory.averages.batches.mix import PLAIN, Mix
from igbtheory.averages.resolved import resolved
from igbtheory.formulas.function import Function
from igbtheory.numbers import FLOAT64
from igbtheory.numerics.bisected import Array, bisected
from igbtheory.numerics.panels import WIDTH

LITTLE = 1 / 32
"""Variance of the noise, in units of eps, up to which that is little: its poles are 8 standard deviations away."""
NODES, WEIGHTS = (part / scale for part, scale in zip(hermegauss(40), (1.0, np.sqrt(2 * np.pi)), strict=True))
LEAST = 1e-7
"""Width of the centre below which it counts as none: its square is rounding."""


def share_of_two(
    phi: Function, mean: float, q: float, within: float, eps: float, mix: Mix = PLAIN
) -> tuple[float, float]:
    """The mean and its absolute error; mean, q, within: mean, variance and covariance of the two values h.

    mix: one that takes no maximum.
    """
    scale, own = np.sqrt(max(q + within, 0) / 2), np.sqrt((q - within) / 2)
    seen = resolved(FLOAT64, phi, mean, float(np.hypot(scale, own)))
    kinks, reach = np.array(seen.kinks, dtype=float), seen.reach
    grid = np.linspace(-reach, reach, 2 * int(np.ceil(reach / WIDTH)) + 1)

    none = float(_noisy(np.zeros(()), mix.noise, eps))

    def given(c: Array) -> tuple[Array, Array]:
        """Means given the centres c, and their errors."""
        ends = np.concatenate([np.abs(kinks[:, None] - c) / own, grid[grid >= 0, None] + 0 * c])

        def density(z: Array, column: NDArray[np.intp]) -> Array:
            x, y = (phi(FLOAT64, c[column] + side * own * z) for side in (1, -1))
            both = _noisy(x - y, mix.noise, eps)
            if mix.dropped:
                one = (_noisy(x - mix.at, mix.noise, eps) + _noisy(y - mix.at, mix.noise, eps)) / 2
                both = mix.kept**2 * both + 2 * mix.kept * mix.dropped * one + mix.dropped**2 * none
            return np.asarray(2 * FLOAT64.npdf(z) * both)

        return bisected(density, np.sort(np.minimum(ends, reach), axis=0))

    if scale <= LEAST * own:
        values, errors = given(np.array([mean]))
        return float(values[0]), float(errors[0])
    ends = np.concatenate([grid, np.clip((kinks - mean) / scale, -reach, reach)])
    values, errors = bisected(
        lambda v, _: FLOAT64.npdf(v) * given(mean + scale * v.ravel())[0].reshape(v.shape), np.sort(ends)[:, None]
    )
    return float(values[0]), float(errors[0])


def _noisy(apart: Array, noise: float, eps: float) -> Array:
    """Mean of s^2/(s^2 + eps) over the noise of two values that differ by `apart` without it, s half the difference.

    With s normal of variance v = noise/2 about a: 1 - sqrt(pi eps/(2 v)) Re w((a + i sqrt(eps))/sqrt(2 v)), w the
    Faddeeva function; of little noise, where that cancels, by Gauss-Hermite quadrature, the poles being far.
    """
    a, scale = apart / 2, np.sqrt(noise)
    if noise > LITTLE * eps:
        return np.asarray(1 - np.sqrt(np.pi * eps) / scale * scipy.special.wofz((a + 1j * np.sqrt(eps)) / scale).real)
    square = np.square(a[..., None] + scale / np.sqrt(2) * NODES)
    return np.asarray((square / (square + eps)) @ WEIGHTS) if noise else a * a / (a * a + eps)
