"""The law of the shares G_0, ..., G_{M-1} of the data that an untrained network gives to each of M classes."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.guesses.centred import fractions
from igbtheory.guesses.coincidence import disagreement, share_variance
from igbtheory.guesses.law import (
    ClassLaw,
    Numbers,
    checked_classes,
    checked_data_count,
    checked_gamma,
    float64_array,
    shape_of,
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

    Outputs O_c = sqrt(var_mu) U_c + sqrt(var_chi) Z_c, U_c of the network, Z_c of the datum; class c gets the share
    G_c = P(O_c is the largest | U). It depends on gamma = var_mu/var_chi alone: a float, or an array (a sweep). M = 2
    is `GuessLaw`. The moments are exact, to relative errors below 1e-11; densities and the law of the largest share are
    estimated from draws for M > 2, with standard errors.

    gamma = 0: every class gets 1/M. gamma = inf: one class gets all.
    counts: as in `GuessLaw`, where BatchNorm leaves the data of a batch not independent given the network.

    ValueError: gamma negative or NaN, n_classes below 2, above 1000 or not whole.
    Source: initial-guessing-bias, extension to several classes.
    """

    gamma: Numbers
    n_classes: int
    counts: Callable[[int], Any] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", checked_gamma(self.gamma))
        object.__setattr__(self, "n_classes", checked_classes(self.n_classes))

    def mean(self) -> Any:
        """Return the mean 1/M of a share, of the shape of gamma."""
        return np.full(np.shape(self.gamma), 1.0 / self.n_classes)[()]

    def var(self) -> Any:
        """Variance of a share, from 0 at gamma = 0 to (1 - 1/M)/M at inf: P(two data are both given to c) - 1/M^2."""
        if self.n_classes == 2:
            return GuessLaw(self.gamma).var()
        return share_variance(self.gamma, self.n_classes)

    def collision(self) -> Any:
        """Return the probability M E G_c^2 = sum_c E G_c^2 that two data are given to the same class."""
        return self.n_classes * self.var() + 1.0 / self.n_classes

    def disagreement(self) -> Any:
        """Probability 1 - `collision` that two data are given to different classes, to its own relative error."""
        return disagreement(self.gamma, self.n_classes)

    def rvs(self, size: Any = None, random_state: Any = None) -> Array:
        """Independent draws of all shares, shape (*size, M); size None: the shape of gamma, which broadcasts to it.

        Exact: the centres are drawn, and the shares given them are single integrals. Every row sums to one.
        `random_state`: None (fresh), an int (a seed) or a `numpy.random.Generator`.
        """
        shape = shape_of(size, np.shape(self.gamma))
        gamma = np.broadcast_to(np.asarray(self.gamma)[..., None], (*shape, 1)).reshape(-1, 1)
        u = np.random.default_rng(random_state).standard_normal((len(gamma), self.n_classes))
        found = np.empty_like(u)
        last = np.isposinf(gamma[:, 0])
        found[last] = u[last] == u[last].max(axis=1, keepdims=True)
        if not last.all():
            found[~last] = fractions(np.sqrt(gamma[~last]) * u[~last])
        return found.reshape(*shape, self.n_classes)

    def pdf(self, g: Any, draws: int = DRAWS, random_state: Any = 0) -> Estimate:
        """Return the density of one share at 0 < g < 1, of the shape of g, for one gamma: exact for two classes.

        A mean over quasi-random centres of the others: it errs by 0.1 per cent of the peak for three classes and
        by 2 per cent for ten or more. Far in the tails few draws decide it, and the error is uncertain itself.
        """
        if self.n_classes == 2:
            value = GuessLaw(self.gamma).pdf(g)
            return Estimate(value, np.zeros_like(value)[()])
        return self._density(g, draws, random_state, largest=False)

    def largest_pdf(self, g: Any, draws: int = DRAWS, random_state: Any = 0) -> Estimate:
        """Return the density of the largest share at 0 < g < 1, as `pdf`."""
        return self._density(g, draws, random_state, largest=True)

    def finite(self, D: int) -> "FiniteClassLaw | BatchedClassLaw":  # noqa: N803 - the papers' letter
        """Return the law of the numbers of D data that are given to each class."""
        return FiniteClassLaw(self, D) if self.counts is None else BatchedClassLaw(self.counts(D), self.n_classes)

    def _density(self, g: Any, draws: int, random_state: Any, *, largest: bool) -> Estimate:
        self._single()
        gamma = float(self.gamma)
        if gamma == 0.0 or np.isposinf(gamma):
            raise ValueError(f"expected 0 < gamma < inf for a density, got {gamma}: there the shares are point masses")
        g = float64_array("g", g)
        if not np.all((g > 0.0) & (g < 1.0)):
            raise ValueError(f"expected shares 0 < g < 1, got {g}; pass for instance g=0.3")
        rng = np.random.default_rng(random_state)
        found = density(gamma, self.n_classes, g.ravel(), checked_draws(draws), rng, largest=largest)
        return Estimate(found.value.reshape(g.shape)[()], found.error.reshape(g.shape)[()])

    def _draws(self, draws: int, random_state: Any) -> Array:
        self._single()
        return super()._draws(draws, random_state)

    def _single(self) -> None:
        if np.ndim(self.gamma):
            raise ValueError(
                f"expected one gamma, got a sweep of shape {np.shape(self.gamma)}: estimates are made for one network "
                "at a time; loop over its values"
            )


@final
@dataclass(frozen=True, eq=False)
class FiniteClassLaw(ClassLaw):
    """Law of the numbers (k_0, ..., k_{M-1}) of D independent data that each class is given: a multinomial mixture."""

    law: ClassGuessLaw
    D: int
    n_classes: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_classes", self.law.n_classes)
        object.__setattr__(self, "D", checked_data_count(self.D))

    def rvs(self, size: Any = None, random_state: Any = None) -> NDArray[np.int64]:
        """Return independent draws of the counts, shape (*size, M): every row sums to D."""
        rng = np.random.default_rng(random_state)
        return rng.multinomial(self.D, self.law.rvs(size, rng))

    def mean(self) -> Any:
        """Return the mean D/M of a count, of the shape of gamma."""
        return self.D * self.law.mean()

    def var(self) -> Any:
        """Return the variance D (1 - 1/M)/M + D (D - 1) Var(G_c) of a count."""
        p = 1.0 / self.n_classes
        return self.D * p * (1.0 - p) + self.D * (self.D - 1.0) * self.law.var()
