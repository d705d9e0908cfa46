"""Moments of a function of a batch-normalised unit: over the sphere, over its radius where eps > 0, over a maximum."""

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from igbtheory.activations.function import Function
from igbtheory.activations.moments import Moments
from igbtheory.activations.panels import orders
from igbtheory.activations.spherical import largest, one, pair, sphere
from igbtheory.numbers import Kind
from igbtheory.numbers.panels import WIDTH, split

REACH = 10.0
"""Standard deviations of a chi law that matter: exp(-50) is left out."""


@lru_cache(maxsize=1024)
def moments(n: Kind, phi: Function, m: int, size: int, *, proxy: bool) -> Moments:
    """Moments of phi(M), M the largest of m batch-normalised units; two data of different batches are independent."""
    _refuse_growth(phi, size, proxy=proxy)
    unit = sphere(n, phi, size, proxy=proxy)
    if m > 1:
        mean, variance, error = largest(unit, m)
        # the law of two maxima in one batch has no rule beyond two data
        within = _of_two(unit, m, mean) if size == 2 else n.number(np.nan)
        return Moments(mean, 0 * variance, variance, error, within)
    mean, variance, error = one(unit)
    product, _ = pair(unit, n.number(-1) / (size - 1))
    return Moments(mean, 0 * variance, variance, error, product - mean * mean)


def with_eps(n: Kind, phi: Function, size: int, variance: Any, eps: Any) -> Moments:
    """Moments of phi(sqrt(s^2/(s^2 + eps)) B), s^2 = variance chi^2/n the variance of a batch, chi of n - 1 degrees.

    Two data of a batch share s.
    """
    coarse, fine = (_with_eps(n, phi, size, variance, eps, order) for order in orders(n))
    error = abs(coarse.var_chi - fine.var_chi) / fine.var_chi
    return replace(fine, error=fine.error + float(error))


def _with_eps(n: Kind, phi: Function, size: int, variance: Any, eps: Any, order: int) -> Moments:
    d = size - 1
    low, high = max(0.0, np.sqrt(d) - REACH), np.sqrt(d) + REACH
    bend = float(n.sqrt(eps * size / variance))  # where s^2 is eps
    steps = np.linspace(low, high, 1 + int(np.ceil((high - low) / WIDTH)))
    ends = n.number(np.concatenate([steps, np.clip(bend * 2.0 ** np.arange(-3, 40), low, high)]))
    chi = split(n, ends, ends[0], ends[len(steps) - 1], order)
    x = np.ravel(chi.x)
    # the logarithm of the density about its largest value, which does not overflow
    peak = n.sqrt(n.number(max(d - 1, 1)))
    weights = np.ravel(chi.weights) * n.exp((d - 1) * n.log(x / peak) - (x * x - peak * peak) / 2)
    weights = weights / weights.sum()
    s2 = variance * x * x / size
    units = [sphere(n, phi, size, scale=scale) for scale in n.sqrt(s2 / (s2 + eps))]
    means, variances, errors = (np.array(part) for part in zip(*map(one, units), strict=True))
    products = np.array([pair(unit, n.number(-1) / d)[0] for unit in units])
    mean = (weights * means).sum()
    spread = (weights * (variances + (means - mean) ** 2)).sum()
    return Moments(mean, 0 * spread, spread, float(errors.max()), (weights * products).sum() - mean * mean)


def _of_two(unit: Any, m: int, mean: Any) -> Any:
    """Covariance of the maxima at the two data of a batch: one is the greatest value where not all units agree."""
    low, high = unit.values(unit.n.number(np.array([-1, 1])))
    alone = unit.n.number(2) ** -m
    return 2 * alone * low * high + (1 - 2 * alone) * high * high - mean * mean


def _refuse_growth(phi: Function, size: int, *, proxy: bool) -> None:
    """Refuse what has no variance under the proxy, whose density falls like |b|^-(n - 1)."""
    if not proxy or phi.growth == "bounded":
        return
    degree = 1 if phi.degree is None else float(phi.degree)
    if phi.growth != "polynomial" or size <= 2 * degree + 2:
        raise ValueError(
            f"the proxy of BatchNorm({size}) gives {phi.name!r} no finite variance: its density falls like "
            f'|b|^{1 - size}; use law="exact" or a larger batch_size'
        )
