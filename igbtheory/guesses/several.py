"""The law of the shares G_0, ..., G_{M-1} of the data that an untrained network gives to each of M classes."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.guesses.centred import fractions
from igbtheory.guesses.coincidence import disagreement, share_variance
from igbtheory.guesses.latent import for_every_draw
from igbtheory.guesses.law import (
    MOST_TOKENS,
    ClassLaw,
    Numbers,
    checked_classes,
    checked_data_count,
    checked_gamma,
    float64_array,
    refuse_many_draws,
)
from igbtheory.guesses.sampled import DRAWS, DrawnClasses, Estimate, checked_draws
from igbtheory.guesses.several_density import density
from igbtheory.guesses.several_finite_batches import BatchedClassLaw
from igbtheory.guesses.share_of_class_0 import GuessLaw

Array = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class ClassGuessLaw(DrawnClasses, ClassLaw):
    """Law of the shares G_c of M = `n_classes` classes over the random weights, for infinitely many data.

    The outputs are O_c = sqrt(var_mu) U_c + sqrt(var_chi) Z_c, with U_c drawn for the network and Z_c for the datum,
    and class c gets the share G_c = P(O_c is the largest | U). The law depends only on gamma = var_mu/var_chi, a float
    or an array (a sweep), and for M = 2 it is `GuessLaw`. Moments have relative errors below 1e-11. Densities for
    M > 2 and the law of the largest share are estimated from draws, with standard errors. A law of more than 1000
    classes, such as the tokens of a vocabulary, has no densities, its moments have errors below 2e-9, and a draw of
    10^6 shares takes a tenth of a CPU second.

    If gamma = 0, every class gets 1/M. If gamma = inf, one class gets all data.
    counts: as in `GuessLaw`.

    gamma, n_classes: the bias ratio, and M, as above.

    ValueError: gamma is negative or NaN, or n_classes is below 2, above 10^6 or not whole.
    Source: initial-guessing-bias, extension to several classes.

    >>> law = igb.mlp(3, "relu").predict().guesses(10)
    >>> print(f"{law.mean():.2f} {law.std():.4f}")
    0.10 0.1603
    """

    gamma: Numbers
    n_classes: int
    counts: Callable[[int], Any] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", checked_gamma(self.gamma))
        object.__setattr__(self, "n_classes", checked_classes(self.n_classes, MOST_TOKENS))

    def mean(self) -> Any:
        """Return the mean 1/M of a share, in the shape of gamma."""
        return np.full(np.shape(self.gamma), 1.0 / self.n_classes)[()]

    def var(self) -> Any:
        """Return the variance P(two data are both given to class c) - 1/M^2 of a share, at most (1 - 1/M)/M."""
        return share_variance(self.gamma, self.n_classes)

    def collision(self) -> Any:
        """Return the probability M E G_c^2 = sum_c E G_c^2 that two data are given to the same class."""
        return self.n_classes * self.var() + 1.0 / self.n_classes

    def disagreement(self) -> Any:
        """Return the probability 1 - `collision` that two data are given to different classes.

        Its relative error is small even where `collision` is nearly 1.
        """
        return disagreement(self.gamma, self.n_classes)

    def rvs(self, size: Any = None, random_state: Any = None) -> Array:
        """Return independent draws of all shares, shape (*size, M). Every row sums to one.

        size: the shape of gamma by default; gamma must broadcast to it. The draws are exact: the centres of the outputs
        are drawn, and the shares are single integrals given the centres.
        `random_state`: None (fresh entropy), an int (a seed) or a `numpy.random.Generator`.
        """
        repeated = for_every_draw(self.gamma, size)
        shape, gamma = repeated.shape, repeated.reshape(-1, 1)
        refuse_many_draws(len(gamma), self.n_classes)
        u = checks.generator(random_state).standard_normal((len(gamma), self.n_classes))
        torn = np.isposinf(gamma)
        shares = fractions(np.sqrt(np.where(torn, 0.0, gamma)) * u)
        return np.where(torn, u == u.max(axis=1, keepdims=True), shares).reshape(*shape, self.n_classes)

    def pdf(self, g: Any, draws: int = DRAWS, random_state: Any = 0) -> Estimate:
        """Return the density of one share at 0 < g < 1, in the shape of g. It is exact for two classes.

        For more classes gamma must be one number, and the density is a mean over quasi-random centres of the other
        classes. Its error is 0.1 per cent of the peak for three classes and 2 per cent for ten or more. Far in the
        tails few draws contribute, and the reported error is itself uncertain.
        """
        if self.n_classes == 2:
            value = GuessLaw(self.gamma).pdf(g)
            return Estimate(value, np.zeros_like(value)[()])
        return self._density(g, draws, random_state, largest=False)

    def largest_pdf(self, g: Any, draws: int = DRAWS, random_state: Any = 0) -> Estimate:
        """Return the density of the largest share at 0 < g < 1, computed as in `pdf`."""
        return self._density(g, draws, random_state, largest=True)

    def finite(self, D: int) -> "FiniteClassLaw | BatchedClassLaw":  # noqa: N803 - the papers' letter
        """Return the law of the numbers of D data that are given to each class."""
        return FiniteClassLaw(self, D) if self.counts is None else BatchedClassLaw(self.counts(D), self.n_classes)

    def _density(self, g: Any, draws: int, random_state: Any, *, largest: bool) -> Estimate:
        self._single()
        checked_classes(self.n_classes)
        gamma = float(self.gamma)
        if gamma == 0.0 or np.isposinf(gamma):
            raise ValueError(f"expected 0 < gamma < inf for a density, got {gamma}: there the shares are point masses")
        g = float64_array("g", g)
        if not np.all((g > 0.0) & (g < 1.0)):
            raise ValueError(f"expected shares 0 < g < 1, got {g}; pass for instance g=0.3")
        rng = checks.generator(random_state)
        estimate = density(gamma, self.n_classes, g.ravel(), checked_draws(draws), rng, largest=largest)
        return Estimate(estimate.value.reshape(g.shape)[()], estimate.error.reshape(g.shape)[()])

    def _of_draws(self, function: Callable[[Any], Any], draws: int, random_state: Any) -> Any:
        self._single()
        return super()._of_draws(function, draws, random_state)

    def _single(self) -> None:
        if np.ndim(self.gamma):
            raise ValueError(
                f"expected one gamma, got a sweep of shape {np.shape(self.gamma)}: an estimate is for one network; "
                "loop over the values"
            )


@final
@dataclass(frozen=True, eq=False)
class FiniteClassLaw(ClassLaw):
    """Law of the numbers (k_0, ..., k_{M-1}) of D independent data that each class gets: a multinomial mixture.

    law, D: the law for infinitely many data, and the number of data.

    >>> counts = igb.mlp(1, "relu").predict().guesses(3).finite(100)
    >>> print(f"{counts.mean():.2f}")
    33.33
    """

    law: ClassGuessLaw
    D: int
    n_classes: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_classes", self.law.n_classes)
        object.__setattr__(self, "D", checked_data_count(self.D))

    def rvs(self, size: Any = None, random_state: Any = None) -> NDArray[np.int64]:
        """Return independent draws of the counts, shape (*size, M): every row sums to D."""
        rng = checks.generator(random_state)
        return rng.multinomial(self.D, self.law.rvs(size, rng))

    def mean(self) -> Any:
        """Return the mean D/M of a count, in the shape of gamma."""
        return self.D * self.law.mean()

    def var(self) -> Any:
        """Return the variance D (1 - 1/M)/M + D (D - 1) Var(G_c) of a count."""
        p = 1.0 / self.n_classes
        return self.D * p * (1.0 - p) + self.D * (self.D - 1.0) * self.law.var()
