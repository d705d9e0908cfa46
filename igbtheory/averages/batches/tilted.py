"""Mean of s^2/(s^2 + eps) over a batch of n data with a negative covariance, down to a sum that is fixed.

With M(t) = E exp(-t s^2) and P the probability that a batch does not vary,

    E s^2/(s^2 + eps) = int_0^inf dt exp(-eps t) (-M'(t)) = 1 - P - int_0^inf dt (1 - exp(-eps t)) (-M'(t))

by the trapezoidal sum of `batches.given`. Where eps is small beside s^2 the second form takes few digits of -M' (see
`batches.turned`). Its large t see nothing but where all values of phi nearly agree, within 1/sqrt(t): -M' is a half-
integer power of 1/t there, times a series in 1/sqrt(t), which is fitted as soon as it has settled.

With sigma^2 the variance of the h themselves, of a fixed sum, exp(-u eta sigma^2) makes h smaller by the root of
D = 1 + u/T, T = n/(2 eta own^2). A phi of degree 1 follows, and t = u/D runs up to T only:

    E s^2/(s^2 + eps + eta sigma^2) = int_0^T dt (1 - t/T)^((n - 3)/2) exp(-eps t/(1 - t/T)) (-M'(t)).
"""

from typing import NamedTuple

import numpy as np

from igbtheory.averages.batches.given import END, Rule, times, usual
from igbtheory.averages.batches.mix import PLAIN, Mix
from igbtheory.averages.batches.stretch import Array
from igbtheory.averages.batches.turned import Turned
from igbtheory.formulas.function import Function

LADDER: tuple[Rule, ...] = ((12, 0.32), (15, 0.27), (18, 0.23))
"""Orders of the panels and steps of the trapezoidal sum, each the check of the next."""
SETTLED = 1e-12
"""Relative difference of two rules in turn with which the finer one is taken."""
SHARE, GOAL = 3e-14, 1e-12
"""Errors of the sum over k at every t, and of what is left of that over t, relative to the usual s^2/(s^2 + eps)."""
FREE = 5e8
"""Numbers exp(i k z) after which what may be left of the sum over t is e times as large, and so on: some 15 s each."""
BEYOND = 1e26
"""Last t of the second form, relative to that of the first: even t^(-1/2) leaves nothing."""
SPARE = 3.0
"""Factor to spare for the error of what is fitted."""
EARLY = 30.0
"""Value of t s^2 from which on large t are seen."""
ROUNDED, NOTHING = 1e-16, 1e-18
"""Distance from the last t, relative to that, which is rounding, and weight that leaves nothing."""
FITS = ((12, 8), (14, 10))
"""Values of -M' that are fitted, and the degree."""
APART = 1.05
"""Ratio of two t in turn from which on they show how -M' falls; near the last one they crowd."""
ORDERS = (1, 2, 3)
"""Orders to which phi may differ from the value at which all agree: 2 where it turns, 3 where it halts."""


class Rest(NamedTuple):
    """Part of a sum that is extrapolated, and its error."""

    value: float
    error: float


class Nodes(NamedTuple):
    """Nodes t, weights of -M' in the second form, and in the first one, which has fewer nodes."""

    t: Array
    lacking: Array
    kept: Array


def tilted(
    phi: Function,
    size: int,
    scales: tuple[float, float, float],
    eps: float,
    mix: Mix = PLAIN,
    eta: float = 0.0,
) -> tuple[float, float]:
    """The mean and its absolute error; scales: mean, common, own."""
    value = error = np.inf
    for order, step in LADDER:
        coarse = value
        value, lost = _by(Turned(phi, size, scales, order, mix), eps, eta, step)
        error = abs(coarse - value) + lost
        if abs(coarse - value) <= max(SETTLED * value, lost):
            break
    return value, error


@np.errstate(under="ignore")
def _by(batch: Turned, eps: float, eta: float, step: float) -> tuple[float, float]:
    """The mean by one rule, and the error of what it leaves out."""
    if batch.unit.constant and not batch.mix.noise:
        return 0.0, 0.0
    v, eta = usual(batch.unit, batch.size, batch.moments), eta * batch.scales[2] ** 2
    least = v / (v + eps + eta)
    t, lacking, kept = _nodes(v, eps, eta, batch.size, step)
    slopes, rests, before, took = np.zeros(t.size), np.zeros(t.size), np.inf, 0
    for i in range(kept.size):
        slopes[i], rests[i], numbers = batch.mean(t[i], SHARE * least / (kept[i] + lacking[i]))
        took += numbers
        if t[i] * v < EARLY or i < FITS[-1][0] or t[i] < APART * t[i - 1]:
            continue
        rest = _rest(t, slopes, lacking, i, least)
        value = 1 - batch.still[0] - float(slopes @ lacking) - rest.value
        error, before = SPARE * max(rest.error, abs(value - before)), value
        if error <= GOAL * np.exp(took / FREE) * least:
            return value, error + batch.still[1] + float(rests @ lacking)
    return float(kept @ slopes[: kept.size]), float(kept @ rests[: kept.size])


def _nodes(v: float, eps: float, eta: float, size: int, step: float) -> Nodes:
    """Nodes in increasing order, eta in units of own^2."""
    if not eta:
        t, dt = times(v + eps, BEYOND * END / eps, step)
        return _of_weights(t, dt, -eps * t)
    last = size / (2 * eta)
    u, du = times(v + eps + eta, last / ROUNDED, step)
    spread = np.log1p(u / last)
    before = _of_weights(last * u / (last + u), du * np.exp(-2 * spread), -eps * u - (size - 3) / 2 * spread)
    beyond, weights = times(1 / (2 * last), BEYOND * last, step)
    return Nodes(np.append(before.t, last + beyond), np.append(before.lacking, weights), before.kept)


def _of_weights(t: Array, dt: Array, logarithm: Array) -> Nodes:
    """Nodes of a weight function from its logarithm, which falls."""
    kept = dt * np.exp(logarithm)
    return Nodes(t, -np.expm1(logarithm) * dt, kept[: 1 + np.flatnonzero(kept > NOTHING * kept.max())[-1]])


def _rest(t: Array, slopes: Array, weights: Array, i: int, least: float) -> Rest:
    """Sum over all t after the i-th, from the values up to there, by the series that settles best."""
    if abs(slopes[i]) * t[i] < SHARE * least:
        return Rest(0.0, SHARE * least)
    if min(slopes[i - 1 : i + 1]) <= 0:
        return Rest(0.0, np.inf)
    falling = -np.log(slopes[i] / slopes[i - 1]) / np.log(t[i] / t[i - 1])
    return min((_fitted(t / t[i], slopes, weights, i, falling, order) for order in ORDERS), key=lambda rest: rest.error)


def _fitted(t: Array, slopes: Array, weights: Array, i: int, falling: float, order: int) -> Rest:
    """The same by a series in t^(-1/(2 order)), times the power of that nearest to how the slopes are `falling`."""
    power = np.rint(2 * order * falling) / (2 * order)
    if power <= 1:
        return Rest(0.0, np.inf)
    sums = []
    for count, degree in FITS:
        first = i + 1 - count
        seen = slice(first, i + 1)
        x = 2 * (t[first] / t[first:]) ** (1 / (2 * order)) - 1
        series = np.polynomial.chebyshev.chebvander(x, degree)
        found = np.linalg.lstsq(series[:count], slopes[seen] * t[seen] ** power, rcond=None)[0]
        sums.append(float((weights[i + 1 :] * t[i + 1 :] ** -power) @ (series[count:] @ found)))
    return Rest(sums[1], abs(sums[1] - sums[0]))
