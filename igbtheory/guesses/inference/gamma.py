"""Estimation of gamma from the shares of the classes in observed networks."""

from dataclasses import asdict, dataclass, field
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.foundations.result import Result
from igbtheory.guesses.accuracy import parts_of_one
from igbtheory.guesses.arguments import checked_data_count, float64_array, one_number
from igbtheory.guesses.inference.infinite_data import Scores
from igbtheory.guesses.inference.observed import Observed, Test
from igbtheory.guesses.inference.several_classes import Votes
from igbtheory.guesses.inference.two_classes import Counts
from igbtheory.guesses.inference.unbiased import RESOLUTION

Array = NDArray[np.float64]
WHOLE = 0.01
"""Accepted distance of a count from a whole number, for shares in single precision: their rounding errors are 6e-8 of
up to 100,000 data."""


@final
@dataclass(frozen=True, eq=False)
class GammaEstimate(Result):
    """Estimate of gamma. The interval (low, high) contains gamma with the probability `level`.

    gamma: that of the law which fits the guesses. It estimates gamma_guess, and not var_mu/var_chi of the outputs.
    observed: the guesses. unbiased(): a test of gamma = 0. fit(): a test of the law of the guesses.

    low, high: the ends of the interval. level: its probability.

    >>> estimate = igb.infer([0.31, 0.72, 0.55, 0.08, 0.64, 0.47])
    >>> estimate.low < estimate.gamma < estimate.high
    True
    """

    gamma: float
    low: float
    high: float
    level: float
    observed: Observed = field(repr=False)

    @property
    def networks(self) -> int:
        """Number of observed networks."""
        return self.observed.networks

    def unbiased(self) -> Test:
        """Test the hypothesis gamma = 0, under which every guess is a fair draw of a class.

        For two classes the statistic is the sum of (2k - D)^2, whose law is a convolution of laws of single networks;
        p-values are exact and at least 1e-12. For more classes it is the coincidence of the guesses, and its p-value is
        the rank among 4999 draws. ValueError for infinitely many data.
        """
        return self.observed.unbiased()

    def fit(self, seed: int = 0) -> Test:
        """Test whether the shares have the law of the guesses at some gamma, by a Kolmogorov-Smirnov distance.

        The p-value is the rank of the distance among draws from the law at the estimated gamma. For counts of more than
        two classes the distance is that of the largest counts, and the p-value tends to be too large.
        """
        return self.observed.fit(checks.whole("seed", seed, 0))

    def to_dict(self) -> dict[str, Any]:
        """Return the estimate and the results of both tests with seed 0, or the reason why a test is not possible."""
        tests: dict[str, Any] = {}
        for name in ("unbiased", "fit"):
            try:
                tests[name] = asdict(getattr(self, name)())
            except ValueError as error:
                tests[name] = {"not known": str(error)}
        return {**{name: getattr(self, name) for name in ("networks", "gamma", "low", "high", "level")}, **tests}

    def __str__(self) -> str:
        estimate = self.to_dict()
        told = {"unbiased": "test of gamma = 0", "fit": "test of the law of the guesses"}
        pvalues = [(text, estimate[name]["pvalue"]) for name, text in told.items() if "pvalue" in estimate[name]]
        tests = (f"{text}: p {'<=' if p <= RESOLUTION else '='} {p:.3g}" for text, p in pvalues)
        return "\n".join([f"gamma_guess   {interval(self.gamma, self.low, self.high, self.level)}", *tests])

    def __repr__(self) -> str:
        return (
            f"GammaEstimate({self.gamma:.6g}, {self.level:.4g} in [{self.low:.6g}, {self.high:.6g}], "
            f"{self.networks} networks)"
        )


def infer(shares: Any, D: Any = None, *, level: float = 0.95) -> GammaEstimate:  # noqa: N803 - the papers' letter
    """Estimate gamma of an architecture from the shares of the data that networks gave to class 0, or to every class.

    It is the gamma of the guesses, gamma_guess: they alone do not show var_mu and var_chi, whose ratio differs from it
    in finite width.
    shares: G0 of every network, shape (networks,), or the shares of all classes, shape (networks, M), with rows that
    sum to 1. D: the number of data that were counted: one number, or one for every network for two classes; None means
    infinitely many. level: the probability that the interval contains gamma.

    Without D the estimate is that of maximum likelihood, with an exact chi-squared interval, from Phi^-1(G0) or the
    centres of M outputs. For D data and two classes it is the maximum likelihood of a mixture of binomials, with the
    interval of the likelihood ratio. For D data and more classes it is the gamma with the observed probability of a
    collision, with an interval by simulation.

    The networks are assumed to be independent, and so are the data given a network; batch normalisation violates this.
    ValueError: shares are outside [0, 1], do not sum to 1 or are not multiples of 1/D, D = 1, or shares are 0 or 1
    without D.

    >>> G0 = [0.31, 0.72, 0.55, 0.08, 0.64, 0.47]
    >>> print(f"{igb.infer(G0).gamma:.3f}")
    0.452
    """
    level = checked_level(level)
    observed = _observed(_checked(shares), D)
    return GammaEstimate(observed.estimate(), *observed.interval(level), level, observed)


def interval(value: float, low: float, high: float, level: float) -> str:
    """Return a value and its interval as text."""
    return f"{value:.6g}, {100 * level:.4g} % within [{low:.6g}, {high:.6g}]"


def checked_level(level: Any) -> float:
    """Return the level of an interval as a float; refuse anything but one number between 0 and 1."""
    number = one_number("level", level)
    if not 0 < number < 1:
        raise ValueError(f"expected 0 < level < 1, got {number}; pass for instance 0.95")
    return number


def _checked(shares: Any) -> Array:
    """Return the shares of class 0, (networks,), for two classes, and those of all classes, (networks, M), for more."""
    array = float64_array("shares", shares)
    if array.ndim not in {1, 2} or not array.size:
        raise ValueError(
            f"expected shares of shape (networks,), or (networks, classes) for two classes or more, got {array.shape}"
        )
    if array.ndim == 1 and array.max() > 1:
        raise ValueError(
            f"shares: expected numbers from 0 to 1, got {array.max():g}; divide counts by the number of data"
        )
    rows = parts_of_one("shares", np.stack([array, 1 - array], axis=1) if array.ndim == 1 else array)
    return rows[:, 0] if rows.shape[1] == 2 else rows


def _observed(shares: Array, D: Any) -> Observed:  # noqa: N803 - as above
    if D is None:
        return _infinite(shares)
    sizes = np.array([checked_data_count(size) for size in np.ravel(D)], dtype=float).reshape(np.shape(D))
    if sizes.shape not in ({()} if shares.ndim > 1 else {(), shares.shape}):
        several = "" if shares.ndim > 1 else f", or one for each of {len(shares)} networks"
        raise ValueError(f"expected one D{several}, got an array of shape {sizes.shape}")
    if sizes.max() < 2:
        raise ValueError(
            "expected D >= 2, got 1: a single datum goes to class 0 or not with equal chances at any gamma"
        )
    counts = _counts(shares, sizes)
    return Votes(counts, int(sizes)) if shares.ndim > 1 else Counts(counts, np.broadcast_to(sizes, shares.shape))


def _infinite(shares: Array) -> Scores:
    ends = np.flatnonzero((shares == 0) | (shares == 1))
    if ends.size:
        raise ValueError(
            f"expected 0 < shares < 1 among infinitely many data, got {shares.ravel()[ends[0]]:g}; pass D, the number "
            "of data that were counted"
        )
    return Scores.of_shares(shares)


def _counts(shares: Array, sizes: Array) -> Array:
    """Return the counts, shares times sizes; refuse counts that are not whole numbers."""
    counts = shares * sizes
    whole = np.round(counts)
    off = np.abs(counts - whole) > WHOLE
    if off.any():
        raise ValueError(
            f"expected shares that are counts over D, got {shares[off][0]:g}, which is {counts[off][0]:g} data; pass "
            "D, the number of data that were counted, or None"
        )
    return np.asarray(whole)
