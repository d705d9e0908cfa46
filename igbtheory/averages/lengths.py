"""Moments of a batch-normalised unit with eps > 0: where a batch has one length or one law at all lengths, over those.

Elsewhere over the `disk` of two data.
"""

from typing import Any

import numpy as np

from igbtheory.averages import disk
from igbtheory.averages.mesh import mesh, span
from igbtheory.averages.panels import orders
from igbtheory.averages.sphere import rounded
from igbtheory.averages.spherical import compared, moments
from igbtheory.formulas.function import Function
from igbtheory.numbers import Kind
from igbtheory.numerics.panels import farthest, split


def moments_with_eps(n: Kind, phi: Function, size: int, v: Any, eps: Any) -> tuple[Any, Any, Any, float]:
    """Mean and variance of phi((z - <z>)/sqrt(s^2 + eps)), covariance at two data of a batch, estimated relative error.

    eps > 0; s^2 = v chi^2/n is the variance over the batch, v that of z less its covariance within the batch. Two data
    share s: their mean given s varies, which adds to both. The error of the covariance is relative to the variance.
    """
    v, eps = n.number(v), n.number(eps)
    if not v:
        value = phi(n, 0 * v)
        return value, 0 * value, 0 * value, 4 * n.epsilon
    homogeneous = phi.degree is not None and phi.degree.denominator == 1
    rule = _over_lengths if size == 2 or homogeneous else disk.of_order
    *found, error = compared(n, *(rule(n, phi, size, size * eps / v, order) for order in orders(n)))
    return *found, mesh(phi, span(float(n.sqrt(n.number(size))))).doubt * error


def _over_lengths(n: Kind, phi: Function, size: int, offset: Any, order: int) -> tuple[Any, Any, Any]:
    """Moments over the length x = s sqrt(n/v) of those at the scale x/sqrt(x^2 + offset)."""
    x, weights = _lengths(n, phi, size, offset, order)
    scales = x / n.sqrt(x * x + offset)
    if size == 2:
        low, high = phi(n, -scales), phi(n, scales)
        means, variances = (low + high) / 2, (high - low) ** 2 / 4
        covariances = -variances
    else:
        first, second, within, _ = moments(n, phi, size)
        powers = scales ** int(phi.degree or 0)
        means, variances, covariances = first * powers, second * powers**2, within * powers**2
    mean = (weights * means).sum()
    shared = (weights * (means - mean) ** 2).sum()
    return mean, (weights * variances).sum() + shared, (weights * covariances).sum() + shared


def _lengths(n: Kind, phi: Function, size: int, offset: Any, order: int) -> tuple[Any, Any]:
    """Lengths x, chi with n - 1 degrees of freedom, and weights of sum 1.

    Panels end at sqrt(offset) and in proportion, where the scale varies, and where two data reach a kink.
    """
    free, root, bend = size - 1, n.sqrt(n.number(size - 1)), n.sqrt(offset)
    least = n.number(farthest(n))
    low, high = max(root - least, 0 * root), root + least
    kinks = [abs(n.number(kink)) for kink in phi.pieces.kinks]
    marks = [bend * kink / n.sqrt((1 - kink) * (1 + kink)) for kink in kinks if kink < 1]
    steps = bend * n.number(3) ** np.arange(-1, 1 + max(1, int(np.ceil(np.log(float(high / bend)) / np.log(3)))))
    base = low + (high - low) * n.number(np.arange(9)) / 8
    outer = (3 * order) // 2
    panels = rounded(n, split(n, np.array([*base, *steps, *marks]), low, high, outer), outer)
    x = np.ravel(panels.x)
    y = x / root - 1
    # about the peak, where the two terms of the exponent cancel
    weights = np.ravel(panels.weights) * n.exp(free * (n.log1p(y) - y - y * y / 2) - n.log1p(y))
    return x, weights / weights.sum()
