"""Mean of s^2/(s^2 + eps) over batches of two, x = phi(c + b z) and phi(c - b z): s is half their difference.

A plain integral over z, and over the centre c where it varies, by panels that are bisected until two orders agree: the
integrand has its poles where s = sqrt(-eps), at z = 0 and wherever phi has the same value twice.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from igbtheory.activations.function import Function
from igbtheory.activations.resolved import resolved
from igbtheory.numbers import FLOAT64
from igbtheory.numbers.panels import WIDTH

Array = NDArray[np.float64]
ORDERS = 10, 16
"""Orders of the two rules."""
GOAL = 1e-15
"""Absolute error of a panel, of integrands up to 1."""
ROUNDS = 60
"""Bisections at most."""
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


def bisected(f: Callable[[Array, NDArray[np.intp]], Array], ends: Array) -> tuple[Array, Array]:
    """Integrals of f between the ends, a column each, and their estimated errors; f(x, columns) knows the columns."""
    total, error = np.zeros(ends.shape[1]), np.zeros(ends.shape[1])
    left, right = ends[:-1].ravel(), ends[1:].ravel()
    column = np.tile(np.arange(ends.shape[1]), len(ends) - 1)
    for _ in range(ROUNDS):
        wide = right > left
        left, right, column = left[wide], right[wide], column[wide]
        if not left.size:
            break
        coarse, fine = (_panels(f, left, right, column, order) for order in ORDERS)
        lost = np.abs(coarse - fine)
        done = lost <= GOAL
        np.add.at(total, column[done], fine[done])
        np.add.at(error, column[done], lost[done])
        middle = (left + right)[~done] / 2
        left, right = np.concatenate([left[~done], middle]), np.concatenate([middle, right[~done]])
        column = np.tile(column[~done], 2)
    return total, error


def _panels(f: Any, left: Array, right: Array, column: NDArray[np.intp], order: int) -> Array:
    """Integrals over the panels by a rule of one order."""
    nodes, weights = FLOAT64.legendre(order)
    half = (right - left) / 2
    return np.asarray(half * (weights @ f(left + half * (1 + nodes[:, None]), column)))
