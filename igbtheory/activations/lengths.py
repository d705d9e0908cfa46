"""Moments of a batch-normalised unit with eps > 0: an average over the length of the batch's deviations."""

from typing import Any

import numpy as np

from igbtheory.activations.function import Function
from igbtheory.activations.panels import orders
from igbtheory.activations.sphere import Sphere, rounded
from igbtheory.activations.spherical import compared, moments, of_order
from igbtheory.numbers import Kind
from igbtheory.numbers.panels import split


def moments_with_eps(
    n: Kind, phi: Function, size: int, v: Any, eps: Any, law: str = "exact"
) -> tuple[Any, Any, Any, float]:
    """Moments, as `moments`, of phi((z - zbar)/sqrt(s^2 + eps)), s^2 = v chi2/n the variance over the batch.

    v: variance of a value less its covariance within the batch. Direction and length s are independent, and two data
    of a batch share s: its mean given s varies, which adds to variance and covariance within the batch.
    """
    if law != "exact":
        raise ValueError(f'expected law="exact" with eps > 0, got {law!r}: the proxy\'s lengths depend on the datum')
    v, eps = n.number(v), n.number(eps)
    if not eps:
        return moments(n, phi, size)
    if not v:
        value = phi(n, 0 * v)
        return value, 0 * value, 0 * value, 4 * n.epsilon
    return compared(n, *(_mixed(n, phi, size, size * eps / v, order) for order in orders(n)))


def homogeneous(phi: Function) -> bool:
    """Whether one set of moments serves all lengths."""
    return phi.degree is not None and phi.degree.denominator == 1


def _mixed(n: Kind, phi: Function, size: int, offset: Any, order: int) -> tuple[Any, Any, Any]:
    """Mean over the length x = s sqrt(n/v) of moments at the scale x/sqrt(x^2 + offset)."""
    x, weights = _lengths(n, phi, size, offset, order)
    scales = x / n.sqrt(x * x + offset)
    if homogeneous(phi):
        first, second, within, _ = moments(n, phi, size)
        powers = scales ** int(phi.degree or 0)
        means, variances, covariances = first * powers, second * powers**2, within * powers**2
    else:
        found = [_at_scale(n, phi, size, scale, order) for scale in scales]
        means, variances, covariances = (np.array(part) for part in zip(*found, strict=True))
    mean = (weights * means).sum()
    shared = (weights * (means - mean) ** 2).sum()
    return mean, (weights * variances).sum() + shared, (weights * covariances).sum() + shared


def _at_scale(n: Kind, phi: Function, size: int, scale: Any, order: int) -> tuple[Any, Any, Any]:
    """Moments at a scale by rules of one order."""
    if size == 2:
        return moments(n, phi, size, scale=scale)[:3]
    sphere = Sphere(n, phi, size, proxy=False, scale=scale)
    return of_order(sphere, sphere.reach(), order)


def _lengths(n: Kind, phi: Function, size: int, offset: Any, order: int) -> tuple[Any, Any]:
    """Lengths x, chi with n - 1 degrees of freedom, and weights of sum 1.

    Panels end at sqrt(offset) and in proportion, where the scale varies, and where a kink, or two of them, begin to be
    reached, as a half-integer power of the distance.
    """
    free, root, bend = size - 1, n.sqrt(n.number(size - 1)), n.sqrt(offset)
    least = n.number(float(np.sqrt(-2 * np.log(n.epsilon)) + 0.5))
    low, high = max(root - least, 0 * root), root + least
    entering = [share for share in _entries(n, phi, free) if 0 < share < 1]
    marks = [bend * share / n.sqrt((1 - share) * (1 + share)) for share in entering]
    steps = bend * n.number(3) ** np.arange(-1, 1 + max(1, int(np.ceil(np.log(float(high / bend)) / np.log(3)))))
    base = low + (high - low) * n.number(np.arange(9)) / 8
    outer = (3 * order) // 2
    panels = rounded(n, split(n, np.array([*base, *steps, *marks]), low, high, outer), outer)
    x = np.ravel(panels.x)
    y = x / root - 1
    # about the peak, where the two terms of the exponent cancel
    weights = np.ravel(panels.weights) * n.exp(free * (n.log1p(y) - y - y * y / 2) - n.log1p(y))
    return x, weights / weights.sum()


def _entries(n: Kind, phi: Function, free: int) -> list[Any]:
    """Scales at which a kink begins to be reached, by one datum or, two kinks at once, by two data of a batch."""
    kinks, r = [n.number(kink) for kink in phi.pieces.kinks], -1 / n.number(free)
    single = [abs(kink) / n.sqrt(n.number(free)) for kink in kinks]
    if free == 1:
        return single
    squares = [(a * a + b * b - 2 * r * a * b) / (1 - r * r) for a in kinks for b in kinks]
    return single + [n.sqrt(square / free) for square in squares]
