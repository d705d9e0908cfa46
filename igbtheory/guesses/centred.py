"""Shares of the classes in one network, given the centres of its outputs in units of their spread over the data.

Class c gets the share G_c = int phi(t - m_c) prod_{d != c} Phi(t - m_d) dt. The trapezoidal rule has errors below
1e-13, since the integrand is entire and the step decreases with the spread of the largest output.
"""

from functools import lru_cache
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from igbtheory.mathematics.numerics.limits import BLOCK
from igbtheory.mathematics.numerics.many_factors import ManyFactors

REACH = 8.5
"""Standard deviations on either side of the largest centre, outside which the integral is 1e-17."""
STEP = 0.3
"""Step of the trapezoidal rule for up to ten classes; the largest of more outputs varies over a shorter range."""
FAR = 60.0
"""Distance below the largest centre at which the share of a class is smaller than the smallest float."""
FEW = 12
"""Largest number of classes for which every class is integrated alone, which then takes less time."""

Array = NDArray[np.float64]


def checked_centres(centres: Any, n_classes: int) -> Array:
    """Return the centres of the outputs as an array of shape (..., n_classes); ValueError unless they are finite."""
    mu = np.asarray(centres, dtype=float)
    if mu.shape[-1:] != (n_classes,) or not np.all(np.isfinite(mu)):
        raise ValueError(f"expected finite centres of shape (..., {n_classes}), one a class, got shape {mu.shape}")
    return mu


def blocks(rows: Array) -> list[Array]:
    """Return the rows of centres in blocks that are small enough to hold all nodes of a block."""
    return np.array_split(rows, 1 + rows.size * _offsets(rows.shape[1]).size // BLOCK)


def fractions(centres: Array) -> Array:
    """Return the share of every class, shape (draws, classes). Rows sum to one, and equal centres have equal shares."""
    shares = np.ones(centres.shape)
    apart = differ(centres)
    if apart.any() and centres.shape[1] > FEW:
        shares[apart] = _of_many(centres.shape[1])(centres.max(axis=1, keepdims=True)[apart] - centres[apart])
    elif apart.any():
        shares[apart] = np.concatenate([_rates(part)[1].sum(axis=2) for part in blocks(centres[apart])])
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


@lru_cache(maxsize=8)
def _of_many(n_classes: int) -> ManyFactors:
    """Return the shares up to one factor, as a function of the distances of the centres from the largest one."""
    t, log_ndtr = _offsets(n_classes), scipy.special.log_ndtr
    return ManyFactors(lambda d: log_ndtr(t + d), lambda d: -0.5 * (t + d) ** 2 - log_ndtr(t + d), FAR, 1.0)


def differ(centres: Array) -> NDArray[np.bool_]:
    """Return whether the centres of a row are not all equal, shape (draws,)."""
    return np.asarray((centres != centres[:, :1]).any(axis=1))


def maximum(centres: Array) -> tuple[Array, Array]:
    """Return quadrature nodes and weights, shape (draws, nodes), of the law of the largest output over the data."""
    nodes, rates = _rates(centres)
    weights = rates.sum(axis=1)
    return nodes, weights / weights.sum(axis=1, keepdims=True)


def _offsets(n_classes: int) -> Array:
    step = STEP / max(1.0, np.log10(n_classes))
    return np.arange(-REACH, REACH + step, step)


def _rates(centres: Array) -> tuple[Array, Array]:
    """Return the nodes t, (draws, nodes), and densities, (draws, classes, nodes), up to one constant factor.

    The density of class c at t is that of its output being the largest one and equal to t.
    """
    top = centres.max(axis=1, keepdims=True)
    offsets = _offsets(centres.shape[1])
    # x >= -REACH, so that Phi(x) is large enough to divide by
    x = offsets + np.minimum(top - centres, FAR)[:, :, None]
    below = scipy.special.ndtr(x)
    with np.errstate(under="ignore"):
        return top + offsets, np.exp(-0.5 * x * x) / below * below.prod(axis=1, keepdims=True)
