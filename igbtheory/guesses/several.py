"""The shares and the counts of classes: what each of M classes gets of infinitely many data, and of D data."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.guesses.arguments import (
    MOST_CLASSES,
    Numbers,
    checked_classes,
    checked_data_count,
    float64_array,
    one_number,
)
from igbtheory.guesses.centred import fractions
from igbtheory.guesses.coincidence import disagreement, guess_covariance
from igbtheory.guesses.finite import counted
from igbtheory.guesses.finite_batches import CoupledData, coupled_data
from igbtheory.guesses.law import ClassLaw
from igbtheory.guesses.sampled import DRAWS, Estimate, checked_draws, linear
from igbtheory.guesses.several_density import density
from igbtheory.guesses.share_of_class_0 import GuessLaw
from igbtheory.guesses.source import IndependentData, OutputsAtData

Array = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False, repr=False)
class ClassGuessLaw(ClassLaw):
    """Law of the shares G_c of M = `n_classes` classes over the random weights.

    source: the outputs. A number or an array (a sweep) is gamma of `GaussianOutputs`: the outputs are
    O_c = sqrt(var_mu) U_c + sqrt(var_chi) Z_c, with U_c drawn for the network and Z_c for the datum, and class c gets
    the share G_c = P(O_c is the largest | U) of infinitely many data. The law depends only on gamma = var_mu/var_chi,
    and for M = 2 it is `GuessLaw`. Moments have relative errors below 1e-11. Densities for M > 2 and the law of the
    largest share are estimated from draws, with standard errors. A law of more than 1000 classes, such as the tokens of
    a vocabulary, has no densities, its moments have errors below 2e-9, and a draw of 10^6 shares takes a tenth of a CPU
    second. Where outputs are drawn at data, the variance is a mean over pairs of data, and there are no densities.

    If gamma = 0, every class gets 1/M. If gamma = inf, one class gets all data.

    n_classes: M, as above.

    ValueError: gamma is negative or NaN, or n_classes is below 2, above 10^6 or not whole.
    Source: initial-guessing-bias, extension to several classes.

    >>> law = igb.mlp(3, "relu").predict().guesses(10)
    >>> print(f"{law.mean():.2f} {law.std():.4f}")
    0.10 0.1603
    """

    source: Any
    n_classes: int

    def of_outputs(self, outputs: Array, rng: np.random.Generator) -> Array:
        return self.of_guesses(outputs.argmax(axis=2), rng)

    def of_guesses(self, guesses: NDArray[np.intp], rng: np.random.Generator) -> Array:
        """Return the shares of networks with these guesses, shape (data, draws)."""
        size, count = guesses.shape
        cells = np.bincount((guesses + self.n_classes * np.arange(count)).ravel(), minlength=count * self.n_classes)
        return np.asarray(cells.reshape(count, self.n_classes) / size)

    def of_gammas(self, gamma: Array, rng: np.random.Generator) -> Array:
        """Return the shares of infinitely many data: the centres are drawn, given which a share is an integral."""
        gamma = gamma[:, None]
        u = rng.standard_normal((len(gamma), self.n_classes))
        torn = np.isposinf(gamma)
        shares = fractions(np.sqrt(np.where(torn, 0.0, gamma)) * u)
        return np.asarray(np.where(torn, u == u.max(axis=1, keepdims=True), shares))

    @property
    def gamma(self) -> Numbers:
        """The bias ratio of Gaussian outputs, whose law it is."""
        return self.source.gamma  # type: ignore[no-any-return]

    def var(self, draws: int = DRAWS, random_state: Any = 0) -> Any:
        """Return the variance P(two data are both given to class c) - 1/M^2 of a share, at most (1 - 1/M)/M."""
        if not self.source.alike:
            return super().var(draws, random_state)
        if self.n_classes == 2:  # known without the kernel
            return self.source.variance
        return self._variance

    def collision(self) -> Any:
        """Return the probability M E G_c^2 = sum_c E G_c^2 that two data are given to the same class."""
        if not self.source.alike:
            return self._sampled(lambda shares: np.square(shares).sum(axis=1), DRAWS, 0).mean()
        return linear(self.var(), self.n_classes, 1.0 / self.n_classes)

    def disagreement(self) -> Any:
        """Return the probability 1 - `collision` that two data are given to different classes.

        For Gaussian outputs its relative error is small even where `collision` is nearly 1.
        """
        if isinstance(self.source, IndependentData):
            return self.source.mean(lambda gamma: disagreement(gamma, self.n_classes))
        return linear(self.collision(), -1.0, 1.0)

    @cached_property
    def _variance(self) -> Any:
        return self.source.over_pairs(lambda angle: guess_covariance(angle, self.n_classes))

    def pdf(self, g: Any, draws: int = DRAWS, random_state: Any = 0) -> Estimate:
        """Return the density of one share at 0 < g < 1, in the shape of g. It is exact for two classes.

        For more classes gamma must be one number, and the density is a mean over quasi-random centres of the other
        classes. Its error is 0.1 per cent of the peak for three classes and 2 per cent for ten or more. Far in the
        tails few draws contribute, and the reported error is itself uncertain.
        """
        if self.n_classes == 2:
            value = GuessLaw(self.source).pdf(g)
            return Estimate(value, np.zeros_like(value)[()])
        return self._density(g, draws, random_state, largest=False)

    def largest_pdf(self, g: Any, draws: int = DRAWS, random_state: Any = 0) -> Estimate:
        """Return the density of the largest share at 0 < g < 1, computed as in `pdf`."""
        return self._density(g, draws, random_state, largest=True)

    def finite(self, D: int) -> "FiniteClassLaw":  # noqa: N803 - the papers' letter
        """Return the law of the numbers of D data that are given to each class."""
        return FiniteClassLaw(self.source, self.n_classes, D)

    def _density(self, g: Any, draws: int, random_state: Any, *, largest: bool) -> Estimate:
        if isinstance(self.source, OutputsAtData):
            self.source.no_formula("pdf")
        checked_classes(self.n_classes, MOST_CLASSES)
        gamma = one_number("gamma", self.gamma, "an estimate is for one network, not a sweep: loop over the values")
        if gamma == 0.0 or np.isposinf(gamma):
            raise ValueError(f"expected 0 < gamma < inf for a density, got {gamma}: there the shares are point masses")
        g = float64_array("g", g)
        if not np.all((g > 0.0) & (g < 1.0)):
            raise ValueError(f"expected shares 0 < g < 1, got {g}; pass for instance g=0.3")
        rng = checks.generator(random_state)
        estimate = density(gamma, self.n_classes, g.ravel(), checked_draws(draws), rng, largest=largest)
        return Estimate(estimate.value.reshape(g.shape)[()], estimate.error.reshape(g.shape)[()])


@final
@dataclass(frozen=True, eq=False, repr=False)
class FiniteClassLaw(ClassLaw):
    """Law of the numbers (k_0, ..., k_{M-1}) of D data that each of M = `n_classes` classes gets.

    source: the outputs; a number is gamma of `GaussianOutputs`, which makes it a multinomial mixture. Data in batches
    are drawn from Gaussian vectors. Of given data, D are taken with replacement, and of outputs at drawn data the
    first D.

    n_classes, D: M, and the number of data.

    >>> counts = igb.mlp(1, "relu").predict().guesses(3).finite(100)
    >>> print(f"{counts.mean():.2f}")
    33.33
    """

    source: Any
    n_classes: int
    D: int

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "D", checked_data_count(self.D))
        object.__setattr__(self, "source", self.source.counted(self.D))
        self.coupled  # noqa: B018 - batches that do not fit D are refused

    @property
    def total(self) -> int:  # type: ignore[override] # all data
        """The sum D of all counts."""
        return self.D

    def of_outputs(self, outputs: Array, rng: np.random.Generator) -> NDArray[np.int64]:
        return self.of_guesses(outputs.argmax(axis=2), rng)

    def of_guesses(self, guesses: NDArray[np.intp], rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the counts of networks with these guesses, shape (data, draws)."""
        return counted(guesses, self.n_classes, self, rng)

    def of_gammas(self, gamma: Array, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the counts of D data, independent ones or in batches."""
        if self.coupled is None:
            return rng.multinomial(self.D, self._shares.of_gammas(gamma, rng))
        return self.coupled.draws(gamma.size, self.n_classes, self._counts, rng)

    def _counts(self, outputs: Array) -> NDArray[np.int64]:
        rows = [np.bincount(row, minlength=self.n_classes) for row in outputs.argmax(axis=0)]
        return np.array(rows, dtype=np.int64).reshape(-1, self.n_classes)

    def var(self, draws: int = DRAWS, random_state: Any = 0) -> Any:
        """Return the variance D (1 - 1/M)/M + D (D - 1) Var(G_c) of a count.

        In batches of n it is D (1 - 1/M)/M + D (n - 1) V(c_within) + D (D - n) V(c), V the `guess_covariance`.
        """
        if self.coupled is not None:
            pairs = self.coupled.over_pairs(lambda angle: guess_covariance(angle, self.n_classes))
            return float(self.D * max((1.0 - 1.0 / self.n_classes) / self.n_classes + pairs, 0.0))
        p = np.asarray(self._shares.mean())
        return linear(self._shares.var(draws, random_state), self.D * (self.D - 1.0), self.D * p * (1.0 - p))

    @cached_property
    def coupled(self) -> CoupledData | None:
        """The D data if batches couple them, else None."""
        return coupled_data(self.source, self.D)

    @property
    def _shares(self) -> ClassGuessLaw:
        """The law of the shares, of infinitely many data."""
        return ClassGuessLaw(self.source, self.n_classes)
