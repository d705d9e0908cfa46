"""Comparison of two architectures: the ratio of their gammas."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.special import chdtrc, chdtri, fdtr, fdtrc, fdtri

from igbtheory.foundations.result import Result
from igbtheory.guesses.inference.gamma import GammaEstimate, checked_level, interval
from igbtheory.guesses.inference.infinite_data import Scores
from igbtheory.guesses.inference.observed import end_of_interval
from igbtheory.guesses.inference.several_classes import WIDE, Votes
from igbtheory.guesses.inference.two_classes import Counts
from igbtheory.mathematics.numerics.limits import TINY

AfterRatio = tuple[float, float, float, float, float]
"""The fields of a `GammaComparison` after the ratio."""
STEP = 0.2
"""Step of log gamma in the table of likelihoods, which a spline interpolates."""
FINE = 0.02
"""Step of log gamma at which the sum of two log-likelihoods is maximised, for one network."""
FAR = 100.0
"""Absolute value of the logarithm of a ratio that counts as 0 or infinite: counts tell gammas from 1e-8 to 1e8 apart,
whose ratios have logarithms up to 37."""


@final
@dataclass(frozen=True, eq=False)
class GammaComparison(Result):
    """Ratio of the gamma of a first architecture to the gamma of a second one, with a test that the ratio is 1.

    Both are gamma_guess, since they come from guesses.
    The interval (low, high) contains the ratio with the probability `level`. ratio: NaN if both gammas are 0 or both
    are inf. statistic: for counts of two classes, twice the logarithm of the likelihood ratio; otherwise the ratio.

    low, high: the ends of the interval. level: its probability. pvalue: of the test that the ratio is 1.

    >>> first, second = igb.infer([0.31, 0.72, 0.55, 0.08]), igb.infer([0.01, 0.97, 0.85, 0.04])
    >>> print(f"{igb.compare(first, second).ratio:.4f}")
    0.1968
    """

    ratio: float
    low: float
    high: float
    level: float
    statistic: float
    pvalue: float

    def __str__(self) -> str:
        ratio = interval(self.ratio, self.low, self.high, self.level)
        return f"ratio of the gammas of the guesses   {ratio}\ntest that it is 1   p = {self.pvalue:.3g}"


def compare(first: GammaEstimate, second: GammaEstimate, *, level: float = 0.95) -> GammaComparison:
    """Compare gamma_guess of two estimates from `infer`, of independent networks.

    For infinitely many data the result is exact: the ratio of two mean squares, divided by gamma1/gamma2, has an F law.
    For D data and two classes it is a likelihood-ratio test, scaled by its mean for two normal variances. For D data
    and more classes it comes from the coincidences of both by simulation, and p-values are at least 0.001.
    ValueError: the estimates are of different kinds.

    first, second: the two estimates. level: the probability that the interval contains the ratio.

    >>> first, second = igb.infer([0.31, 0.72, 0.55, 0.08]), igb.infer([0.01, 0.97, 0.85, 0.04])
    >>> print(f"{igb.compare(first, second).pvalue:.3f}")
    0.144
    """
    for one in (first, second):
        if not isinstance(one, GammaEstimate):
            raise TypeError(f"expected two estimates of igbtheory.infer, got {type(one).__name__}")
    level = checked_level(level)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = float(np.divide(first.gamma, second.gamma))
    match first.observed, second.observed:
        case Scores() as a, Scores() as b:
            return GammaComparison(ratio, *_of_scores(a, b, ratio, level))
        case Counts() as a, Counts() as b:
            return GammaComparison(ratio, *_of_counts(a, b, ratio, level))
        case Votes() as a, Votes() as b:
            return GammaComparison(ratio, *_of_votes(a, b, ratio, level))
    raise ValueError(
        "expected two estimates of one kind (shares without D, two classes with D, or more classes with D), got "
        f"{first.observed.kind} and {second.observed.kind}; infer both from the same kind of shares"
    )


def _of_scores(a: Scores, b: Scores, ratio: float, level: float) -> AfterRatio:
    m, n = a.values.size, b.values.size
    tail = (1 - level) / 2
    low, high = (float(ratio / fdtri(m, n, p)) for p in (1 - tail, tail))
    return low, high, level, ratio, min(1.0, 2 * float(min(fdtr(m, n, ratio), fdtrc(m, n, ratio))))


def _of_counts(a: Counts, b: Counts, ratio: float, level: float) -> AfterRatio:
    profile = _profile(a, b)
    centre = 0.0 if np.isnan(ratio) else float(np.clip(np.log(max(ratio, TINY)), -FAR / 2, FAR / 2))
    highest = profile(centre)
    # the mean of twice the logarithm of the likelihood ratio for two normal variances
    scale = 1 + (1 / a.networks + 1 / b.networks - 1 / (a.networks + b.networks)) / 3
    statistic = max(0.0, 2 * (highest - profile(0.0)))
    allowed = highest - 0.5 * scale * float(chdtri(1, 1 - level))
    low, high = (
        end_of_interval(lambda x: profile(x) - allowed, centre, far, limit)
        for far, limit in ((-FAR, 0.0), (FAR, np.inf))
    )
    return low, high, level, statistic, float(chdtrc(1, statistic / scale))


def _of_votes(a: Votes, b: Votes, ratio: float, level: float) -> AfterRatio:
    """Return the comparison from all pairs of quantiles of the two confidence distributions of gamma."""
    with np.errstate(invalid="ignore"):
        logs = np.subtract.outer(a.log_quantiles, b.log_quantiles).ravel()
    # if both gammas are 0 or both are infinite, the ratio may have any value
    smallest, largest = (np.where(np.isnan(logs), end, logs) for end in (-np.inf, np.inf))
    tail = (1 - level) / 2
    low, high = (
        float(np.exp(np.quantile(part, p, method="nearest"))) for part, p in ((smallest, tail), (largest, 1 - tail))
    )
    pvalue = 2 * min(np.mean(smallest <= 0), np.mean(largest >= 0))
    return low, high, level, ratio, float(np.clip(pvalue, 1 - WIDE, 1.0))


def _profile(a: Counts, b: Counts) -> Callable[[float], float]:
    """Return the largest log-likelihood of gamma_1 = r gamma_2, as a function of log r."""
    low, high = np.log(min(a.range[0], b.range[0])), np.log(max(a.range[1], b.range[1]))
    # both likelihoods are constant beyond the ends of the lattice
    lattice = np.arange(low, high + STEP, STEP)
    first, second = (CubicSpline(lattice, counts.log_likelihood(np.exp(lattice))) for counts in (a, b))
    x = np.arange(lattice[0], lattice[-1], FINE / np.sqrt(a.networks + b.networks))

    def highest(log_ratio: float) -> float:
        # one of the two gammas may stay at an end of the lattice while the other one varies
        both = np.concatenate([x, x - log_ratio])
        at_first, at_second = (np.clip(part, x[0], x[-1]) for part in (both + log_ratio, both))
        return float(np.max(first(at_first) + second(at_second)))

    return highest
