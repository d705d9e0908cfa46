"""Shares of the classes in one network, given the centres of its outputs in units of their spread over the data.

Class c gets G_c = int phi(t - m_c) prod_{d != c} Phi(t - m_d) dt, by the trapezoidal rule: the integrand is entire, and
a step that narrows as the largest of many outputs does leaves errors below 1e-13.
"""

from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

REACH = 8.5
"""Standard deviations around the largest centre: beyond them lies 1e-17."""
STEP = 0.3
"""Step of the trapezoidal rule for up to ten classes."""
FAR = 60.0
"""Gap below the largest centre at which a class gets nothing, not even in the smallest floats."""
BLOCK = 2**20
"""Numbers held at once."""

Array = NDArray[np.float64]


def checked_centres(centres: Any, n_classes: int) -> Array:
    """Return the centres of the outputs as an array of shape (..., n_classes); ValueError for any others."""
    mu = np.asarray(centres, dtype=float)
    if mu.shape[-1:] != (n_classes,) or not np.all(np.isfinite(mu)):
        raise ValueError(f"expected finite centres of shape (..., {n_classes}), one a class, got shape {mu.shape}")
    return mu


def blocks(rows: Array) -> list[Array]:
    """Return the rows of centres in parts small enough for all nodes of each to be held at once."""
    return np.array_split(rows, 1 + rows.size * _offsets(rows.shape[1]).size // BLOCK)


def fractions(centres: Array) -> Array:
    """Share of every class, (draws, classes): in every row they sum to one. Equal centres have equal shares."""
    found = np.ones(centres.shape)
    apart = differ(centres)
    if apart.any():
        found[apart] = np.concatenate([_rates(part)[1].sum(axis=2) for part in blocks(centres[apart])])
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def differ(centres: Array) -> NDArray[np.bool_]:
    """Return the rows whose centres are not all equal, (draws,)."""
    return np.asarray((centres != centres[:, :1]).any(axis=1))


def maximum(centres: Array) -> tuple[Array, Array]:
    """Return the nodes and weights, (draws, nodes), of the law of the largest output over the data."""
    nodes, rates = _rates(centres)
    weights = rates.sum(axis=1)
    return nodes, weights / weights.sum(axis=1, keepdims=True)


def _offsets(n_classes: int) -> Array:
    step = STEP / max(1.0, np.log10(n_classes))
    return np.arange(-REACH, REACH + step, step)


def _rates(centres: Array) -> tuple[Array, Array]:
    """Nodes t, (draws, nodes), and in proportion the density there of the largest output being that of each class."""
    top = centres.max(axis=1, keepdims=True)
    offsets = _offsets(centres.shape[1])
    # no class lies above the largest centre: Phi(x) >= Phi(-REACH) has a quotient
    x = offsets + np.minimum(top - centres, FAR)[:, :, None]
    below = scipy.special.ndtr(x)
    with np.errstate(under="ignore"):
        return top + offsets, np.exp(-0.5 * x * x) / below * below.prod(axis=1, keepdims=True)
