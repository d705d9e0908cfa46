"""Shares of the classes in one network, given the centres of its outputs in units of their spread over the data.

Class c gets the share G_c = int phi(t - m_c) prod_{d != c} Phi(t - m_d) dt. The trapezoidal rule has errors below
1e-13, since the integrand is entire and the step decreases with the spread of the largest output. For vocabularies,
log Phi(t - m) and the logarithm of the share are Chebyshev series in m.
"""

from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from igbtheory.guesses.arguments import MOST_CLASSES
from igbtheory.mathematics.numerics.chebyshev import Axis, Line
from igbtheory.mathematics.numerics.limits import BLOCK

REACH = 8.5
"""Standard deviations on either side of the largest centre, outside which the integral is 1e-17."""
STEP = 0.3
"""Step of the trapezoidal rule for up to ten classes; the largest of more outputs varies over a shorter range."""
FAR = 60.0
"""Distance below the largest centre at which the share of a class is smaller than the smallest float."""
BESIDE = 20.0
"""Distance below the largest centre at which a class leaves the other shares as they are."""
BESIDE_ERROR, SHARE_ERROR, LONGEST = 1e-14, 1e-9, 513
"""Errors of the Chebyshev series of log Phi, which add up over the classes, and of log shares; their largest length."""

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
    if apart.any() and centres.shape[1] > MOST_CLASSES:
        shares[apart] = [_of_many(row) for row in centres[apart]]
    elif apart.any():
        shares[apart] = np.concatenate([_rates(part)[1].sum(axis=2) for part in blocks(centres[apart])])
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def _of_many(centres: Array) -> Array:
    """Return the shares of many classes up to one factor, shape (classes,), with relative errors below 1e-7.

    A share depends on the centre of its class and on the law of the largest output, which all classes have in common.
    """
    top = centres.max()
    t = top + _offsets(len(centres))
    axis, logs = _series(
        lambda m: scipy.special.log_ndtr(t - m[:, None]), max(centres.min(), top - BESIDE), top, BESIDE_ERROR
    )
    beside = centres[centres >= axis.low]
    log_below = sum(axis.polynomials(part).sum(axis=1) for part in _short(beside)) @ logs

    def log_share(m: Array) -> Array:
        x = t - m[:, None]
        return np.asarray(scipy.special.logsumexp(log_below - 0.5 * x * x - scipy.special.log_ndtr(x), axis=1))

    axis, logs = _series(log_share, max(centres.min(), top - FAR), top, SHARE_ERROR)
    shares = [
        np.exp(logs @ axis.polynomials(np.maximum(part, axis.low)) - log_share(centres.max(keepdims=True)))
        for part in _short(centres)
    ]
    return np.concatenate(shares)


def _series(line: Line, low: float, high: float, tolerance: float) -> tuple[Axis, Array]:
    """Return Chebyshev polynomials on an interval, and the coefficients of a line in them."""
    values, length = Axis(low, high).sampled(line, tolerance, LONGEST)
    return Axis(low, high, length), Axis(low, high, len(values)).coefficients(values)[:length]


def _short(centres: Array) -> list[Array]:
    """Return the centres in parts that are small enough to hold all polynomials of a part."""
    return np.array_split(centres, 1 + centres.size * LONGEST // BLOCK)


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
