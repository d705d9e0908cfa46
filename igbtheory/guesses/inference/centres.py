"""Centres of the outputs of a network from the shares of its classes: the inverse of `guesses.centred.fractions`.

The shares G(m) are the gradient of the convex function E max_c (m_c + z_c). So the centres m with given positive shares
are unique up to a constant. With h_c = phi/Phi at t - m_c and P = prod_c Phi(t - m_c),

    G_c = int h_c P dt,    dG_c/dm_d = -int h_c h_d P dt for d != c,    sum_d dG_c/dm_d = 0.

Newton's method solves for log G, so that small shares have the same relative errors as large ones.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfcx, log_ndtr, ndtri

from igbtheory.guesses.centred import REACH, STEP
from igbtheory.mathematics.numerics.limits import BLOCK

Array = NDArray[np.float64]
STEPS = 200
"""Largest number of Newton steps; shares of 2 to 1000 classes took three to six."""
LONGEST = 2.0
"""Largest change of a centre in one step, as centres with very small shares may overshoot."""
CONVERGED = 1e-11
"""Tolerance of the relative error of every share: a hundred times the error of the integrals, see `centred`."""
NODES = 100
"""Approximate number of nodes for one network: twice REACH, and the range of the centres, over STEP."""


def centres(shares: Array) -> Array:
    """Return centres with the sum 0, in units of the spread over the data, from shares (networks, classes)."""
    blocks = np.array_split(shares, 1 + shares.size * max(NODES, shares.shape[1]) // BLOCK)
    return np.concatenate([_solved(part) for part in blocks if len(part)])


def _solved(shares: Array) -> Array:
    m = _level(ndtri(shares))
    for _ in range(STEPS):
        reached, slope = _shares(m)
        miss = np.log(shares / reached)
        if np.all(np.abs(miss) <= CONVERGED):
            return m
        # a common constant changes no share; adding 1 makes the matrix regular, and the step has no such constant
        step = np.linalg.solve(slope / reached[..., None] + 1.0, miss[..., None])[..., 0]
        longest = np.abs(step).max(axis=1, keepdims=True)
        m = _level(m + step * (LONGEST / np.maximum(longest, LONGEST)))
    raise ValueError(
        f"expected shares that are not too small to find the centres of the outputs, got {shares.min():g}; pass D, the "
        "number of data that were counted"
    )


def _level(m: Array) -> Array:
    return np.asarray(m - m.mean(axis=1, keepdims=True))


def _shares(m: Array) -> tuple[Array, Array]:
    """Return the shares, (networks, classes), and their derivatives by the centres, (networks, classes, classes)."""
    top, least = m.max(axis=1, keepdims=True), m.min(axis=1, keepdims=True)
    low, step = 0.5 * (top + least) - REACH, STEP / max(1.0, np.log10(m.shape[1]))
    t = low + step * np.arange(np.ceil(np.max(top + REACH - low) / step) + 1)
    x = t[:, None, :] - m[:, :, None]
    h = np.sqrt(2 / np.pi) / erfcx(-x / np.sqrt(2))
    with np.errstate(under="ignore"):
        part = h * (step * np.exp(log_ndtr(x).sum(axis=1)))[:, None, :]
        slope = -part @ h.transpose(0, 2, 1)
    diagonal = np.arange(m.shape[1])
    slope[:, diagonal, diagonal] = 0.0
    slope[:, diagonal, diagonal] = -slope.sum(axis=2)
    return part.sum(axis=2), slope
