"""The count of class 0: the law of the number of data, out of D, that an untrained network gives to class 0."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
import scipy
from numpy.typing import NDArray

from igbtheory.guesses.arguments import checked_data_count, float64_array, one_number
from igbtheory.guesses.finite_batches import CoupledData, coupled_data
from igbtheory.guesses.latent import fraction
from igbtheory.guesses.mixture import log_probability, log_probability_up_to
from igbtheory.guesses.sampled import DRAWS, estimate, linear
from igbtheory.guesses.source import OutputsAtData
from igbtheory.guesses.univariate import UnivariateLaw, Weight, between

Array = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False, repr=False)
class FiniteGuessLaw(UnivariateLaw):
    """Law of the number k of D data that are given to class 0, over weights and data.

    source: the outputs; a number is gamma of `GaussianOutputs`. Given the latent variable U of a network, every datum
    goes to class 0 with probability Phi(sqrt(gamma) U):

        pmf(k) = C(D, k) E Phi(sqrt(gamma) U)^k Phi(-sqrt(gamma) U)^(D-k),    U ~ N(0, 1)

    All methods, `mean` and `var` included, refer to the count, as in `scipy.stats.binom`; the fraction is k/D.
    The law is binomial with p = 1/2 if gamma = 0, and uniform on the D + 1 counts if gamma = 1. If gamma = inf, the
    counts 0 and D have the probability 1/2 each. For data in batches it is a law of two correlations: see
    `finite_batches`. Of given data, D are taken with replacement, and of outputs at drawn data the first D, and methods
    other than `mean` and `var` are estimates.

    `gamma` from 0 to inf is a float or an array (a sweep), and every argument broadcasts against it. D >= 1 is
    one whole number. Scalars give a scalar, arrays give an array, and NaN gives NaN. For D <= 1,000,000 the relative
    errors of pmf and cdf are below 1e-12 for values above 1e-100, and below 1e-11 for values above 1e-290; they grow as
    sqrt(D) for larger D. pmf(k) and pmf(D - k) are equal to the last digit, since only the lower half is computed.

    D: the number of data.

    ValueError: gamma is negative or NaN, or D is below 1 or not whole. TypeError: an argument is not a real number.

    Source: initial-guessing-bias, Eqs. 1-4, before the limit D -> infinity of its Eq. 1 is taken.

    >>> law = igb.guesses.FiniteGuessLaw(1.0, D=4)
    >>> law.pmf([0, 1, 2, 3, 4])
    array([0.2, 0.2, 0.2, 0.2, 0.2])
    """

    source: Any
    D: int

    outputs = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "D", checked_data_count(self.D))
        object.__setattr__(self, "source", self.source.counted(self.D))
        self.coupled  # noqa: B018 - batches that do not fit D are refused

    def of_outputs(self, outputs: NDArray[Any], rng: np.random.Generator) -> NDArray[np.int64]:
        return counted(outputs[..., 0] < 0, 2, self, rng)[:, 0]

    def of_gammas(self, gamma: NDArray[Any], rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the counts of D data, independent ones or in batches."""
        if self.coupled is None:
            return rng.binomial(self.D, fraction(gamma, rng.standard_normal(gamma.shape)))
        return self.coupled.draws(gamma.size, 1, lambda x: np.asarray(np.sum(x[0] > 0.0, axis=-1)), rng)

    def pmf(self, k: Any, draws: int = DRAWS, random_state: Any = 0) -> Any:
        """Return the probability of the count k, or 0 if k is not a whole number from 0 to D."""
        if self._estimated:
            return self.drawn(draws, random_state).pmf(k)
        return self._of_counts(k, self._mass, 0.0)

    def logpmf(self, k: Any) -> Any:
        """Return the logarithm of `pmf`, of independent data finite even where pmf is below the smallest float."""
        if self._estimated or self.coupled is not None:
            with np.errstate(divide="ignore"):
                return np.log(self.pmf(k))
        return self._of_counts(k, self._log_mass, -np.inf)

    def cdf(self, k: Any, draws: int = DRAWS, random_state: Any = 0) -> Any:
        """Return the probability of a count of at most k."""
        if self._estimated:
            return self.drawn(draws, random_state).cdf(k)
        k = np.floor(float64_array("k", k))
        lower = np.clip(np.minimum(k, self.D - 1 - k), 0.0, None)
        half = self._cumulative(np.where(np.isnan(k), 0.0, lower))
        inside = np.where(2 * k == self.D - 1, 0.5, np.where(k == lower, half, 1.0 - half))
        return np.select([np.isnan(k), k < 0, k >= self.D], [np.nan, 0.0, 1.0], inside)[()]

    def sf(self, k: Any, draws: int = DRAWS, random_state: Any = 0) -> Any:
        """Return the probability of a count of more than k."""
        if self._estimated:
            return linear(self.cdf(k, draws, random_state), -1.0, 1.0)
        # the count and D - count have the same law
        return self.cdf(self.D - 1 - np.floor(float64_array("k", k)))

    def ppf(self, p: Any, draws: int = DRAWS, random_state: Any = 0) -> Any:
        """Return the smallest count k with cdf(k) >= p, a float as in scipy.stats: -1 at p = 0, NaN outside [0, 1]."""
        if self._estimated:
            return self.drawn(draws, random_state).ppf(p)
        return self._first(p, lambda k, p: self.cdf(k) >= p, (-1.0, float(self.D)))

    def isf(self, p: Any, draws: int = DRAWS, random_state: Any = 0) -> Any:
        """Return the smallest count k with sf(k) <= p, a float as in scipy.stats: -1 at p = 1, NaN outside [0, 1]."""
        if self._estimated:
            return self.ppf(1.0 - one_number("p", p), draws, random_state)
        return self._first(p, lambda k, p: self.sf(k) <= p, (float(self.D), -1.0))

    def support(self) -> tuple[float, float]:
        """Return the ends of the support, 0 and D."""
        return 0.0, float(self.D)

    def mean(self) -> Any:
        """Return the mean D/2 of the count, in the shape of a sweep, or more where outputs tie."""
        if not self.source.symmetric:
            return super().mean()
        return np.full(self._swept, self.D * 0.5 * (1.0 + self.source.ties))[()]

    def var(self, draws: int = DRAWS, random_state: Any = 0) -> Any:
        """Return the variance D/4 + D (D - 1) Var(G0) of the count.

        In batches of n it is D/4 + [D (n - 1) arcsin(c_within) + D (D - n) arcsin(c)]/(2 pi).
        """
        if self.coupled is not None:
            pairs = self.coupled.over_pairs(lambda angle: angle / (2.0 * np.pi))
            return float(max(0.25 * self.D + self.D * pairs, 0.0))
        if not self.source.symmetric:
            return super().var(draws, random_state)
        one = 0.25 * (1.0 - self.source.ties**2)
        return linear(self.source.variance, float(self.D) * (self.D - 1.0), one * self.D)

    def moment(self, order: int) -> Any:
        """Return the mean of count**order, for a whole number `order`, as a sum over all counts."""
        return self.expect(lambda k: k**order)

    def entropy(self) -> Any:
        """Return the entropy -sum pmf log pmf, in natural units."""
        if isinstance(self.source, OutputsAtData):
            self.source.no_formula("entropy")
        return -np.sum(scipy.special.xlogy(pmf := self._probabilities()[1], pmf), axis=0)

    def expect(self, func: Weight | None = None, lb: Any = None, ub: Any = None, *, conditional: bool = False) -> Any:
        """Return the sum of pmf(k) func(k) over the counts lb <= k <= ub. By default func(k) = k.

        func takes a number. conditional: divide the sum by the probability that lb <= k <= ub.
        """
        low, high = between(*self.support(), lb, ub)
        of = np.vectorize(func or (lambda k: k), otypes=[float])
        if self._estimated:
            law = self.drawn()
            inside = (law.draws >= low) & (law.draws <= high)
            return estimate(of(law.draws) * inside / (inside.mean() if conditional else 1.0), law.networks)
        k, pmf = self._probabilities()
        weights = pmf * ((k >= low) & (k <= high))
        total = np.sum(of(k) * weights, axis=0)
        return total / np.sum(weights, axis=0) if conditional else total

    def to_dict(self) -> dict[str, Any]:
        if self.coupled is None:
            return super().to_dict()
        moments = {name: getattr(self, name)() for name in ("mean", "var", "std")}
        batches = {"c": self.coupled.c, "c_within": self.coupled.c_within}
        return {**batches, "D": self.D, "batch_size": self.coupled.size, **moments}

    def _fourth(self) -> Any:
        return self.expect(lambda k: (k - 0.5 * self.D) ** 4)

    @cached_property
    def coupled(self) -> CoupledData | None:
        """The D data if batches couple them, else None."""
        return coupled_data(self.source, self.D)

    @property
    def _estimated(self) -> bool:
        return isinstance(self.source, OutputsAtData)

    def _mass(self, k: Array) -> Array:
        """Return the probability of the count k, whole numbers from 0 to D/2."""
        if self.coupled is not None:
            return np.asarray(self.coupled.pmf[k.astype(int)])
        return np.exp(self._log_mass(k))

    def _log_mass(self, k: Array) -> Array:
        return np.asarray(self.source.mean(lambda g, k: log_probability(g, self.D, k), k, logarithms=True))

    def _cumulative(self, k: Array) -> Array:
        """Return the probability of a count of at most k, whole numbers from 0 to (D - 1)/2."""
        if self.coupled is not None:
            return np.asarray(np.minimum(np.cumsum(self.coupled.pmf), 0.5)[k.astype(int)])
        logarithm = self.source.mean(lambda g, k: log_probability_up_to(g, self.D, k), k, logarithms=True)
        return np.asarray(np.exp(logarithm))

    def _of_counts(self, k: Any, values: Callable[[Array], Array], elsewhere: float) -> Any:
        """Return values(min(k, D - k)) if k is a count, NaN if k is NaN, and `elsewhere` for any other k."""
        k = float64_array("k", k)
        possible = (k >= 0) & (k <= self.D) & (k == np.floor(k))
        at_counts = values(np.where(possible, np.minimum(k, self.D - k), 0.0))
        return np.where(np.isnan(k), np.nan, np.where(possible, at_counts, elsewhere))[()]

    def _first(self, p: Any, reached: Callable[[Array, Array], Any], ends: tuple[float, float]) -> Any:
        """Return, by bisection, the smallest count k for which reached(k, p) holds, or the `ends` at p = 0 and 1."""
        # the mean has the shape of gamma
        p, _ = np.broadcast_arrays(float64_array("p", p), self.mean())
        below, above = np.full(p.shape, -1.0), np.full(p.shape, float(self.D))
        while np.any(above - below > 1):
            middle = np.floor(0.5 * (below + above))
            holds = reached(middle, p)
            below, above = np.where(holds, below, middle), np.where(holds, middle, above)
        return np.select([p == 0, p == 1, (p > 0) & (p < 1)], [*ends, above], np.nan)[()]

    def _probabilities(self) -> tuple[Array, Array]:
        """Return all counts and their probabilities, along the first axis."""
        k = np.arange(self.D + 1.0).reshape(-1, *(1 for _ in self._swept))
        return k, self.pmf(k)


def counted(guesses: NDArray[Any], classes: int, law: Any, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the counts, (draws, classes), of D data from the guesses at all data of a source, (size, draws).

    D given data are taken with replacement; new data are independent, so that the first D are as good as any.
    """
    source: OutputsAtData = law.source
    if not source.given and source.size < law.D:
        raise ValueError(
            f"D: expected at most {source.size}, the data at which outputs are drawn, to draw counts, got {law.D}; "
            "mean() and var() are known for any D"
        )
    taken = guesses if source.given else guesses[: law.D]
    cells = np.bincount((taken + classes * np.arange(taken.shape[1])).ravel(), minlength=classes * taken.shape[1])
    counts = cells.reshape(-1, classes)
    return rng.multinomial(law.D, counts / source.size) if source.given else counts
