"""The number of positive variables in a batch of exchangeable normal variables, given a common threshold.

The n variables of a batch have unit variance and correlation rho from -1/(n-1) to 1. For rho >= 0 they are
Y_a = sqrt(rho) V + sqrt(1 - rho) xi_a, independent given the normal variable V. For rho < 0 the same integral over V
holds with an imaginary sqrt(rho), because the integrand is entire and both sides are analytic in rho.
"""

from collections.abc import Callable

import numpy as np
import scipy
from numpy.typing import NDArray

from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.mathematics.numerics.limits import DEPTH, TINY
from igbtheory.mathematics.numerics.log_binomial import log_binomial
from igbtheory.mathematics.numerics.panels import split

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

_ORDER = 20  # nodes of a panel
_WIDTHS = 6.0  # 20 nodes integrate a Gaussian over 6 of its standard deviations to 1e-17
_NOISE = 2e-17  # smaller probabilities are rounding errors, which would add up over thousands of batches
_FEW = 10  # up to this batch size n the integrand, which decays like |v|^-n, may need a bent contour
_LINE = 0.4 * np.arange(300.0)  # nodes of the trapezoidal rule on a straight contour
_HYPERBOLA = 0.05 * np.arange(900.0)  # and on a bent one
_BEND = np.tan(np.pi / 8.0)  # halfway between the vertical and the directions in which Phi grows


def graded_rule(end: float, length: Callable[[float], float]) -> tuple[Array, Array]:
    """Return nodes and weights of composite Gauss-Legendre quadrature on [0, end]; a panel at t has length(t)."""
    bounds = [0.0]
    while bounds[-1] < end:
        bounds.append(min(bounds[-1] + length(bounds[-1]), end))
    panels = split(FLOAT64, np.asarray(bounds), 0.0, end, _ORDER)
    return panels.x.ravel(), panels.weights.ravel()


def saturation(count: int) -> float:
    """Return the threshold that any of `count` normal variables exceeds with probability 1e-17 at most."""
    return float(-scipy.special.ndtri(1e-17 / count))


def panel_length(t: float, n: int, share: float, width: float) -> float:
    """Return the length over which n guesses of variance share Phi(t) Phi(-t) each and a normal density vary."""
    p, q = scipy.special.ndtr([t, -t])
    sharpness = n * np.exp(-t * t) / (2.0 * np.pi * max(share * p * q, TINY)) + width**-2.0
    return float(min(_WIDTHS / np.sqrt(sharpness), 1.0))


def _window(n: int, low: float, high: float) -> Array:
    """Return the counts k that binomials with p from Phi(low) to Phi(high) reach with probability above exp(-40).

    The bound is Bernstein's inequality, which also holds for negatively correlated normal variables.
    """
    (p_low, q_low), (p_high, q_high) = scipy.special.ndtr([[low, -low], [high, -high]])
    third = DEPTH / 3.0
    first = n * p_low - third - np.sqrt(third**2 + 2.0 * DEPTH * n * p_low * q_low)
    last = n * p_high + third + np.sqrt(third**2 + 2.0 * DEPTH * n * p_high * q_high)
    return np.arange(max(np.floor(first), 0.0), min(np.ceil(last), float(n)) + 1.0)


def counts_above(size: int, rho: float, t: Array) -> Array:
    """Return the probabilities, shape (t.size, size + 1), that k of the `size` variables t + Y_a are positive.

    pmf(k | t) = C(n, k) E_v Phi(x)^k Phi(-x)^(n-k), x = (t + sqrt(rho) v)/sqrt(1 - rho). The absolute error is 1e-15.
    """
    if rho * size > 1.0 - rho:
        table = _counts_of_wide(size, rho, t)
    else:
        table = np.zeros((t.size, size + 1))
        for row, threshold in zip(table, t, strict=True):
            _add_counts_of_narrow(row, size, rho, threshold / np.sqrt(1.0 - rho))
    table = np.where(table > _NOISE, table, 0.0)  # also drops an exact 0 that rounding made negative
    return np.asarray(table / table.sum(axis=1, keepdims=True))


def _counts_of_wide(size: int, rho: float, t: Array) -> Array:
    """Return the table of `counts_above` if V moves the variables by more than the width 1/sqrt(n) of a binomial.

    One set of nodes x serves every t: the table is the product of the density of x given t and binomial probabilities.
    """
    specific, shared = np.sqrt(1.0 - rho), np.sqrt(rho)
    end = saturation(size)
    half, half_weights = graded_rule(end, lambda x: panel_length(x, size, 1.0, shared / max(specific, TINY)))
    x, weights = np.concatenate([-half[::-1], half]), np.concatenate([half_weights[::-1], half_weights])
    binomials = np.zeros((x.size, size + 1))
    for row, node in zip(binomials, x, strict=True):
        k = _window(size, node, node)
        row[k.astype(int)] = np.exp(log_binomial(size, k, node))
    v = (specific * x - t[:, None]) / shared
    table = (weights * (specific / shared) * np.exp(-0.5 * v * v) / np.sqrt(2.0 * np.pi)) @ binomials
    table[:, -1] += scipy.special.ndtr((t - specific * end) / shared)
    table[:, 0] += scipy.special.ndtr((-t - specific * end) / shared)
    return np.asarray(table)


def _add_counts_of_narrow(row: Array, size: int, rho: float, edge: float) -> None:
    """Write one row of `counts_above` by an integral over x = edge + z on a contour, relative to the value at z = 0."""
    reach = 9.0 * np.sqrt(max(rho, 0.0) / (1.0 - rho))
    k = _window(size, edge - reach, edge + reach)
    if rho < 0.0 and size <= _FEW:
        z, weight = _hyperbola(size, rho, size * edge, size * edge**2)
        above, below = _log_scaled_ndtr(edge + z), _log_scaled_ndtr(-edge - z)
        start = scipy.special.gammaln(size + 1) - scipy.special.gammaln(k + 1) - scipy.special.gammaln(size - k + 1)
    else:
        z, weight = _line(size, rho)
        above = _log_ndtr(edge + z) - scipy.special.log_ndtr(edge)
        below = _log_ndtr(-edge - z) - scipy.special.log_ndtr(-edge)
        start = log_binomial(size, k, np.asarray(edge))
    terms = np.exp(start[:, None] + k[:, None] * (above - below) + (size * below + weight))
    row[k.astype(int)] = terms.real.sum(axis=1)


def _line(size: int, rho: float) -> tuple[Complex, Complex]:
    """Return shifts z = sqrt(rho/(1 - rho)) v and log weights of the trapezoidal rule in v with the step h = 0.4.

    For rho < 0 the rule errs by 2 exp(-(2 pi/h)^2/2) at most, because the aliased integral is this factor times the
    probability for a shifted threshold. With y = sigma v and the Faddeeva function w, the integrand is at most
    |w(y/sqrt(2))|^n exp(-(1/n - sigma^2) n v^2/2).
    """
    v = _LINE
    if rho < 0.0:
        loading = np.sqrt(-rho / (1.0 - rho))
        depth = 0.5 * (1.0 - size * loading**2) * v * v - size * np.log(
            np.abs(scipy.special.wofz(loading * v / np.sqrt(2.0)))
        )
        v = v[depth < DEPTH]
        # the negative v give the complex conjugates
        z, multiple = 1j * loading * v, np.where(v == 0.0, 1.0, 2.0)
    else:
        v = v[0.5 * v * v < DEPTH]
        v = np.concatenate([-v[:0:-1], v])
        z, multiple = np.sqrt(rho / (1.0 - rho)) * v + 0j, np.ones(v.size)
    return z, np.log(_LINE[1] * multiple / np.sqrt(2.0 * np.pi)) - 0.5 * v * v + 0j


def _hyperbola(size: int, rho: float, drift: float, energy: float) -> tuple[Complex, Complex]:
    """Return shifts z and log weights of a contour for rho < 0, for `size` factors exp(x^2/2) Phi(x), x = e + z.

    The remaining Gaussian factor is exp((1/sigma^2 - n) z^2/2 - drift z - energy/2), drift = sum e, energy = sum e^2.
    It has no quadratic term at rho = -1/(n-1). The integrand then decays only like |z|^-n and, on a contour bent to
    the side of the drift, like exp(-drift z), so that z must grow exponentially along the contour.
    """
    w = _HYPERBOLA
    w = w[w < 5.0 + DEPTH / (size - 1.0)]
    loading = np.sqrt(-rho / (1.0 - rho))
    bend = np.copysign(_BEND, drift)
    y = bend * (np.cosh(w) - 1.0) + 1j * np.sinh(w)
    z = loading * y
    slope = np.cosh(w) - 1j * bend * np.sinh(w)
    step = _HYPERBOLA[1] * np.where(w == 0.0, 1.0, 2.0) / np.sqrt(2.0 * np.pi)
    left = max(1.0 + (size - 1.0) * rho, 0.0) / (1.0 - rho)
    return z, np.log(step * slope) + 0.5 * left * y * y - drift * z - 0.5 * energy


def _log_ndtr(x: Complex) -> Complex:
    """Return log Phi(x) of complex x, with all its digits also where Phi is near 1, unlike SciPy's log_ndtr."""
    tail = 0.5 * scipy.special.erfc(np.where(x.real > 0.0, x, -x) / np.sqrt(2.0))
    return np.asarray(np.where(x.real > 0.0, scipy.special.log1p(-tail), np.log(tail)))


def _log_scaled_ndtr(x: Complex) -> Complex:
    """Return the logarithm of exp(x^2/2) Phi(x)."""
    return np.asarray(np.log(0.5 * scipy.special.wofz(-1j * x / np.sqrt(2.0))))
