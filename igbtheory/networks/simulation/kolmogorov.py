"""Kolmogorov-Smirnov test of the counts of guesses of one or more ensembles, combined with weights."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import scipy
from numpy.typing import NDArray

Counts = NDArray[np.int64]
Cumulative = Callable[[NDArray[Any]], NDArray[np.float64]]


@final
@dataclass(frozen=True)
class KolmogorovSmirnov:
    """Largest distance of sum_i w_i F_i from the distribution function F of the theory, and its p-value.

    Under the null hypothesis the difference is a Brownian bridge over sqrt(effective) with 1/effective = sum_i w_i^2/n,
    plus 1/draws if F comes from a sample. The p-value is conservative (too large), because the law of counts is
    discrete.

    statistic, effective, pvalue: the distance, the effective number of networks, and the p-value.

    >>> comparison = igb.mlp(1, "relu").simulate(networks=20, width=32, samples=20).compare()
    >>> 0 <= comparison.ks.pvalue <= 1
    True
    """

    statistic: float
    effective: float
    pvalue: float

    def __str__(self) -> str:
        return f"distance {self.statistic:.4f}, effective size {self.effective:.0f}, p >= {self.pvalue:.3g}"


def empirical(counts: Counts) -> Cumulative:
    """Return the empirical distribution function F(k): the share of the counts that are at most k."""
    ordered = np.sort(counts)
    return lambda k: np.searchsorted(ordered, k, side="right") / len(ordered)


def kolmogorov_smirnov(
    counts: Counts, weights: NDArray[np.float64], expected: Cumulative, draws: float = np.inf
) -> KolmogorovSmirnov:
    """Return the test of counts, (ensembles, networks), against a distribution function.

    draws: the size of the sample from which the distribution function comes; inf if it is exact.
    """
    # between two neighbouring counts sum w_i F_i is constant and F is monotone, so that the ends are enough
    observed = np.unique(counts)
    k = np.union1d(observed, observed - 1)
    mixture = sum((w * empirical(row)(k) for w, row in zip(weights, counts, strict=True)), start=np.zeros(k.shape))
    statistic = float(np.abs(mixture - expected(k)).max())
    effective = 1 / (float(weights @ weights) / counts.shape[1] + 1 / draws)
    return KolmogorovSmirnov(statistic, effective, float(scipy.special.kolmogorov(np.sqrt(effective) * statistic)))
