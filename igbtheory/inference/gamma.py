"""The estimate of gamma, and what can be asked of it."""

from dataclasses import asdict, dataclass, field
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory import checks
from igbtheory.guesses.accuracy import parts_of_one
from igbtheory.guesses.law import checked_data_count, float64_array
from igbtheory.inference.infinite_data import Scores
from igbtheory.inference.observed import Observed, Test
from igbtheory.inference.several_classes import Votes
from igbtheory.inference.two_classes import Counts
from igbtheory.inference.unbiased import RESOLUTION
from igbtheory.result import Result

Array = NDArray[np.float64]
WHOLE = 0.01
"""Distance of a count from a whole number that shares in single precision leave."""


@final
@dataclass(frozen=True, eq=False)
class GammaEstimate(Result):
    """Estimate of gamma with its interval (low, high), which contains it with the probability `level`.

    observed: the guesses. unbiased(): test of gamma = 0; fit(): test of the law.
    """

    gamma: float
    low: float
    high: float
    level: float
    observed: Observed = field(repr=False)

    @property
    def networks(self) -> int:
        """Networks observed."""
        return self.observed.networks

    def unbiased(self) -> Test:
        """Test that gamma = 0: the statistic, and the probability of one as large where all networks toss fair coins.

        Two classes: the sum of (2k - D)^2, whose law is a convolution of binomial ones; p-values exact, from 1e-12 on.
        More: the coincidence of the guesses, ranked among 4999 draws. ValueError among infinitely many data.
        """
        return self.observed.unbiased()

    def fit(self, seed: int = 0) -> Test:
        """Test whether the shares have the law of G0 at any gamma: a Kolmogorov-Smirnov distance.

        Its p-value is the rank among draws from the law at the estimate. More than two classes counted among finitely
        many data: the distance of the largest counts, and a p-value that errs to the large side.
        """
        return self.observed.fit(checks.whole("seed", seed, 0))

    def to_dict(self) -> dict[str, Any]:
        """Return the estimate and the tests that there are; seeds are 0."""
        tests: dict[str, Any] = {}
        for name in ("unbiased", "fit"):
            try:
                tests[name] = asdict(getattr(self, name)())
            except ValueError as error:
                tests[name] = {"not known": str(error)}
        return {**{name: getattr(self, name) for name in ("networks", "gamma", "low", "high", "level")}, **tests}

    def __str__(self) -> str:
        known = self.to_dict()
        told = {"unbiased": "test of gamma = 0", "fit": "test of the law of the guesses"}
        pvalues = [(text, known[name]["pvalue"]) for name, text in told.items() if "pvalue" in known[name]]
        tests = (f"{text}: p {'<=' if p <= RESOLUTION else '='} {p:.3g}" for text, p in pvalues)
        return "\n".join([f"gamma   {interval(self.gamma, self.low, self.high, self.level)}", *tests])

    def __repr__(self) -> str:
        return (
            f"GammaEstimate({self.gamma:.6g}, {self.level:.4g} in [{self.low:.6g}, {self.high:.6g}], "
            f"{self.networks} networks)"
        )


def infer(shares: Any, D: Any = None, *, level: float = 0.95) -> GammaEstimate:  # noqa: N803 - the papers' letter
    """Gamma of an architecture, from the shares of the data that networks of it gave to class 0, or to every class.

    shares: (networks,), G0 of every network, or (networks, M), rows of the sum 1. D: the number of data that were
    counted, one or (two classes) one a network; None takes the data for infinitely many. level: of the interval.

    D = None: maximum likelihood with the exact chi-squared interval, through Phi^-1(G0) or the centres of M outputs.
    Two classes, D data: maximum likelihood of the mixture of binomials, interval of the likelihood ratio. M classes, D
    data: the gamma whose collision probability was observed, interval by simulation.

    Networks, and their data given the network, are taken for independent: batch normalisation couples data of a batch.
    ValueError: shares outside [0, 1], rows that do not sum to 1, shares that D data cannot have, D = 1, shares 0 or 1
    without D.
    """
    level = checked_level(level)
    observed = _observed(_checked(shares), D)
    return GammaEstimate(observed.estimate(), *observed.interval(level), level, observed)


def interval(value: float, low: float, high: float, level: float) -> str:
    """Return a value and its interval in words."""
    return f"{value:.6g}, {100 * level:.4g} % within [{low:.6g}, {high:.6g}]"


def checked_level(level: Any) -> float:
    """Return the level of an interval, one number."""
    checks.finite("level", level)
    if np.ndim(level) or not 0 < level < 1:
        raise ValueError(f"expected 0 < level < 1, got {level!r}; pass for instance 0.95")
    return float(level)


def _checked(shares: Any) -> Array:
    """Return the shares (networks,) of class 0, or (networks, M), M > 2."""
    array = float64_array("shares", shares)
    if array.ndim not in {1, 2} or not array.size:
        raise ValueError(
            f"expected shares of shape (networks,), or (networks, classes) for two classes or more, got {array.shape}"
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
    """Return the counts, which must be whole numbers."""
    counts = shares * sizes
    whole = np.round(counts)
    off = np.abs(counts - whole) > WHOLE
    if off.any():
        raise ValueError(
            f"expected shares that are counts over D, got {shares[off][0]:g}, which is {counts[off][0]:g} data; pass "
            "the number of data that were counted as D, or None"
        )
    return np.asarray(whole)
