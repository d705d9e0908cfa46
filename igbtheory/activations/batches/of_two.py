"""Mean of s^2/(s^2 + eps) over batches of two, x = phi(c + b z) and phi(c - b z): s is half their difference.

A plain integral over z, and over the centre c where it varies, by panels that are bisected until two rules agree: the
integrand has its poles where s = sqrt(-eps), at z = 0 and wherever phi has the same value twice.
"""

import numpy as np
from numpy.typing import NDArray

from igbtheory.activations.function import Function
from igbtheory.activations.resolved import resolved
from igbtheory.numbers import FLOAT64
from igbtheory.numbers.bisected import Array, bisected
from igbtheory.numbers.panels import WIDTH

LEAST = 1e-7
"""Width of the centre below which it counts as none: its square is rounding."""


def share_of_two(phi: Function, mean: float, q: float, within: float, eps: float) -> tuple[float, float]:
    """The mean and its absolute error; mean, q, within: mean, variance and covariance of the two values h."""
    scale, own = np.sqrt(max(q + within, 0) / 2), np.sqrt((q - within) / 2)
    seen = resolved(FLOAT64, phi, mean, float(np.hypot(scale, own)))
    kinks, reach = np.array(seen.kinks, dtype=float), seen.reach
    grid = np.linspace(-reach, reach, 2 * int(np.ceil(reach / WIDTH)) + 1)

    def given(c: Array) -> tuple[Array, Array]:
        """Means given the centres c, and their errors."""
        ends = np.concatenate([np.abs(kinks[:, None] - c) / own, grid[grid >= 0, None] + 0 * c])

        def density(z: Array, column: NDArray[np.intp]) -> Array:
            s = (phi(FLOAT64, c[column] + own * z) - phi(FLOAT64, c[column] - own * z)) / 2
            return np.asarray(2 * FLOAT64.npdf(z) * s * s / (s * s + eps))

        return bisected(density, np.sort(np.minimum(ends, reach), axis=0))

    if scale <= LEAST * own:
        values, errors = given(np.array([mean]))
        return float(values[0]), float(errors[0])
    ends = np.concatenate([grid, np.clip((kinks - mean) / scale, -reach, reach)])
    values, errors = bisected(
        lambda v, _: FLOAT64.npdf(v) * given(mean + scale * v.ravel())[0].reshape(v.shape), np.sort(ends)[:, None]
    )
    return float(values[0]), float(errors[0])
