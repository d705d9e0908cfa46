"""Sources of laws: what is known of the outputs of untrained networks, whose classes are independent and alike."""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, NoReturn, Protocol, final, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.foundations.result import Result
from igbtheory.guesses.arguments import Numbers, checked_correlation, checked_gamma, non_negative_number
from igbtheory.guesses.latent import angle, for_every_draw, fraction

Array = NDArray[Any]
Formula = Callable[..., Any]
HELD = 2**22
"""Largest number of drawn numbers in memory at once, 32 MiB, where only a function of each draw is kept."""
DATA = 1024
"""Number of new data of a network at which a statistic is drawn: counts scatter by less than 2 %."""


class Statistic(Protocol):
    """What a source asks of a law: the numbers of networks whose outputs, or the law of whose outputs, are drawn."""

    @property
    def outputs(self) -> int:
        """Number of outputs of a network, one for each class."""

    def of_outputs(self, outputs: Array, rng: np.random.Generator) -> Array:
        """Return the numbers, (draws, ...), of networks with these outputs, shape (data, draws, outputs)."""

    def of_gammas(self, gamma: Array, rng: np.random.Generator) -> Array:
        """Return the numbers, (draws, ...), of networks with these bias ratios, (draws,), on independent data."""


@runtime_checkable
class OfGuesses(Protocol):
    """A statistic that depends on the class of the largest output alone."""

    def of_guesses(self, guesses: NDArray[np.intp], rng: np.random.Generator) -> Array:
        """Return the numbers, (draws, ...), of networks with these guesses, shape (data, draws)."""


class Source(Result):
    """Outputs of untrained networks: what all laws of their guesses are computed from."""

    variance: Any
    """Var(G0), the mean over pairs of data of arcsin(c)/(2 pi), c the correlation of an output at both; or None."""
    symmetric: ClassVar[bool] = True
    """Whether classes have one law, but for ties."""
    ties: float
    """Share of the data at which outputs tie, so that class 0 gets them."""
    independent: ClassVar[bool] = False
    """Whether data are independent given a network, and infinitely many, so that laws have formulas."""
    networks: int
    """Number of networks whose outputs are drawn, 1 if they have all one law."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of a sweep."""
        return ()

    @property
    def alike(self) -> bool:
        """Whether all classes have one law."""
        return self.symmetric and not self.ties

    def counted(self, D: int) -> "Source":  # noqa: N803 - the papers' letter
        """Return the outputs of which D data are counted, in their batches if there are any."""
        return self

    @abstractmethod
    def over_pairs(self, function: Callable[[Any], Any]) -> Any:
        """Return the mean over pairs of data of a function of the angle arcsin(c)."""

    @abstractmethod
    def rvs(self, law: Statistic, size: Any, rng: np.random.Generator) -> Array:
        """Return independent draws of the numbers of a law, shape (*size, ...)."""

    def __repr__(self) -> str:
        shown = ((name, value) for name, value in numbers_of(self).items() if name != "ties" or value)
        swept = (f"{name}=<array of shape {x.shape}>" if np.ndim(x) else f"{name}={x!r}" for name, x in shown)
        return f"{type(self).__name__}({', '.join(swept)})"

    @abstractmethod
    def blocks(self, law: Statistic, count: int, rng: np.random.Generator) -> Iterator[Array]:
        """Yield `count` draws of the numbers of a law, (draws, ...), network by network."""


class IndependentData(Source):
    """Outputs sqrt(gamma) U + Z, in units of their spread: U is normal over networks, and Z over independent data."""

    ties = 0.0
    networks = 1
    independent = True

    @abstractmethod
    def mean(self, formula: Formula, *arguments: Any, logarithms: bool = False) -> Any:
        """Return the mean over the networks of formula(gamma, *arguments), which broadcast with the sweep.

        logarithms: of numbers whose mean is wanted, and returned.
        """

    @abstractmethod
    def share(self, z: Any) -> Any:
        """Return the share g of class 0 such that a network's is at most g with the probability Phi(z)."""

    @abstractmethod
    def gammas(self, size: Any, rng: np.random.Generator) -> Array:
        """Return the bias ratios of as many networks, by default of one for every value of the sweep."""

    @abstractmethod
    def deviations(self, gamma: Any) -> tuple[Any, Any]:
        """Return the standard deviations of an output over networks of this gamma, and over the data of one.

        Where only their ratio is known, that over the data is 1, or 0 if gamma is inf.
        """

    def over_pairs(self, function: Callable[[Any], Any]) -> Any:
        return self.mean(lambda gamma: function(angle(gamma)))

    def rvs(self, law: Statistic, size: Any, rng: np.random.Generator) -> Array:
        gamma = self.gammas(size, rng)
        numbers = law.of_gammas(gamma.ravel(), rng)
        return numbers.reshape(gamma.shape + numbers.shape[1:])

    def blocks(self, law: Statistic, count: int, rng: np.random.Generator) -> Iterator[Array]:
        step = max(1, HELD // law.outputs)
        for start in range(0, count, step):
            yield law.of_gammas(self.gammas((min(step, count - start),), rng), rng)

    def drawn_at_data(self, law: Statistic, gamma: Array, rng: np.random.Generator) -> Array:
        """Return the numbers of a law that has no rule for gamma, from outputs at DATA independent data."""
        numbers = []
        for part in np.array_split(gamma, 1 + gamma.size * law.outputs * DATA // HELD):
            of_centres, of_data = (np.broadcast_to(one, part.shape)[:, None] for one in self.deviations(part))
            centres = of_centres * rng.standard_normal((part.size, law.outputs))
            numbers.append(law.of_outputs(centres + of_data * rng.standard_normal((DATA, *centres.shape)), rng))
        return np.concatenate(numbers)


@final
@dataclass(frozen=True)
class Batches:
    """Batches of `size` data, which batch normalisation couples: an output has two correlations.

    c, c_within: those at two data of different batches, and of one batch. size: number of data of a batch.

    >>> law = igb.GuessLaw(igb.guesses.Batches(0.2, 0.1, 4).outputs).finite(12)
    >>> print(f"{law.std():.3f}")
    2.579
    """

    c: float
    c_within: float
    size: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "c", checked_correlation("c", self.c, 0.0))

    def __call__(self, D: int) -> "Batches":  # noqa: N803 - the papers' letter
        """Return the batches of D data."""
        return self

    @property
    def outputs(self) -> "GaussianOutputs":
        """Gaussian outputs in these batches."""
        return GaussianOutputs(np.divide(self.c, 1.0 - self.c) if self.c < 1.0 else np.inf, self)


@final
@dataclass(frozen=True, eq=False, repr=False)
class GaussianOutputs(IndependentData):
    """Gaussian outputs of one bias ratio, as in infinite width on Gaussian inputs.

    gamma: var_mu/var_chi of the outputs, from 0 to inf: a float or an array (a sweep). batches: returns the `Batches`
    of D data, if batch normalisation makes the data depend on one another given the network; None if they are
    independent. variances: var_mu and var_chi where their scale matters, as for softmax; None: var_chi is 1.

    ValueError: gamma is negative or NaN. TypeError: gamma is not a real number.

    >>> igb.GuessLaw(igb.guesses.GaussianOutputs(2.0)) == igb.GuessLaw(2.0)
    True
    """

    gamma: Numbers
    batches: Callable[[int], Batches] | None = field(default=None, repr=False)
    variances: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", checked_gamma(self.gamma))
        for name, value in zip(("var_mu", "var_chi"), self.variances or (), strict=False):
            non_negative_number(name, value)

    @property
    def shape(self) -> tuple[int, ...]:
        return np.shape(self.gamma)

    def deviations(self, gamma: Any) -> tuple[Any, Any]:
        if self.variances is not None:
            return np.sqrt(self.variances[0]), np.sqrt(self.variances[1])
        torn = np.isposinf(gamma)
        return np.sqrt(np.where(torn, 1.0, gamma)), np.where(torn, 0.0, 1.0)

    @property
    def variance(self) -> Any:
        return angle(self.gamma) / (2.0 * np.pi)

    def counted(self, D: int) -> "GaussianOutputs":  # noqa: N803 - as above
        return self if self.batches is None else replace(self, batches=self.batches(D))

    def mean(self, formula: Formula, *arguments: Any, logarithms: bool = False) -> Any:
        return formula(self.gamma, *arguments)

    def share(self, z: Any) -> Any:
        return fraction(self.gamma, z)

    def gammas(self, size: Any, rng: np.random.Generator) -> Array:
        return for_every_draw(self.gamma, size)


class OutputsAtData(Source):
    """Outputs that are drawn at `size` data, given ones or new ones."""

    size: int
    given: bool
    """Whether laws are those of these very data, and not those of infinitely many, from which they are drawn."""

    def rvs(self, law: Statistic, size: Any, rng: np.random.Generator) -> Array:
        shape = checks.shape_of(size)
        blocks = list(self.blocks(law, max(1, count := int(np.prod(shape))), rng))
        numbers = np.concatenate(blocks)[:count]
        return (numbers if self.networks == 1 else rng.permutation(numbers)).reshape(shape + numbers.shape[1:])

    def over_pairs(self, function: Callable[[Any], Any]) -> Any:
        raise AttributeError("the correlations of these outputs are not known; use rvs")

    def no_formula(self, method: str) -> NoReturn:
        """Refuse a method of laws that have formulas. AttributeError: always."""
        raise AttributeError(
            f"the law of G0 from outputs at {self.size} data has no {method}, since its shares are multiples of "
            f"1/{self.size}; use cdf, ppf or rvs"
        )


def numbers_of(holder: Any) -> dict[str, Any]:
    """Return the fields of a law or a source that are numbers."""
    named = {field.name: getattr(holder, field.name) for field in fields(holder) if field.repr}
    return {name: value for name, value in named.items() if isinstance(value, int | float | np.ndarray)}


def source_of(source: Any) -> Source:
    """Return the source that is given, or Gaussian outputs if their gamma is: a number, or an array for a sweep."""
    return source if isinstance(source, Source) else GaussianOutputs(source)
