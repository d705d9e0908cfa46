"""Laws of statistics of the outputs of untrained networks: a source of outputs, and what is computed from them.

A statistic says what the numbers of a network are, `of_outputs`. Then it has draws, and all that follows from draws has
a standard error. What a statistic knows beside that, such as `of_gammas` where data are independent, makes it exact.
"""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.foundations.result import Result
from igbtheory.guesses.arguments import MOST_TOKENS, checked_classes, refuse_many_draws
from igbtheory.guesses.sampled import DRAWS, Estimate, SampledLaw, checked_draws, ordered
from igbtheory.guesses.source import IndependentData, OutputsAtData, Source, Statistic, numbers_of, source_of

Array = NDArray[Any]


class Law(Result):
    """Law over initialisations of what networks make of their outputs.

    Methods have the names and the meaning that scipy.stats gives them. Where a source is a sweep, `mean`, `var` and
    other formulas have its shape, and draws must broadcast with it. An estimate, which has a standard error, is for one
    network: it takes `draws`, the number of networks drawn, and `random_state`: None (fresh entropy), an int (a seed)
    or a `numpy.random.Generator`, so that the same call returns the same estimate by default.

    source: where the outputs come from; a number is the gamma of `GaussianOutputs`.
    """

    source: Any

    def __post_init__(self) -> None:
        object.__setattr__(self, "source", source_of(self.source))

    @property
    @abstractmethod
    def outputs(self) -> int:
        """Number of outputs of a network, one for each class."""

    @abstractmethod
    def of_outputs(self, outputs: Array, rng: np.random.Generator) -> Array:
        """Return the numbers, (draws, ...), of networks with these outputs, shape (data, draws, outputs)."""

    def of_gammas(self, gamma: Array, rng: np.random.Generator) -> Array:
        """Return the numbers, (draws, ...), of networks with these bias ratios, (draws,), on independent data.

        By default they are those at a thousand data, whose scatter they have.
        """
        source: IndependentData = self.source
        return source.drawn_at_data(self, gamma, rng)

    def rvs(self, size: Any = None, random_state: Any = None) -> Any:
        """Return independent draws, shape (*size, ...); size: the shape of a sweep, or one draw, by default."""
        shape = checks.shape_of(size, self._swept)
        refuse_many_draws(int(np.prod(shape)), self.outputs)
        return self._source.rvs(self, size, checks.generator(random_state))[()]

    def drawn(self, draws: int = DRAWS, random_state: Any = 0) -> SampledLaw:
        """Return the law as estimated from draws."""
        refuse_many_draws(checked_draws(draws), self.outputs)
        return self._sampled(lambda numbers: numbers, draws, random_state)

    def mean(self) -> Any:
        """Return the mean."""
        return self.drawn().mean()

    def var(self, draws: int = DRAWS, random_state: Any = 0) -> Any:
        """Return the variance."""
        return self._squares(draws, random_state).mean()

    def std(self) -> Any:
        """Return the standard deviation, the square root of `var`."""
        variance = self.var()
        root = np.sqrt(variance)
        return Estimate(root, variance.error / (2.0 * root)) if isinstance(variance, Estimate) else root

    def cov(self) -> Any:
        """Return the covariance matrix of the numbers of a network, from draws."""
        return np.cov(self.drawn().draws, rowvar=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers of the source and of the law, the mean, the variance and the standard deviation."""
        moments = {name: getattr(self, name)() for name in ("mean", "var", "std")}
        plain = {name: one.to_dict() if isinstance(one, Estimate) else one for name, one in moments.items()}
        return {**numbers_of(self.source), **numbers_of(self), **plain}

    def __repr__(self) -> str:
        numbers = (f", {name}={value!r}" for name, value in numbers_of(self).items())
        return f"{type(self).__name__}({self.source!r}{''.join(numbers)})"

    @property
    def _scatters(self) -> bool:
        """Whether draws have the scatter of data that are drawn."""
        if isinstance(self._source, OutputsAtData):
            return not self._source.given
        return type(self).of_gammas is Law.of_gammas

    @property
    def _source(self) -> Source:
        return self.source  # type: ignore[no-any-return]

    @property
    def _swept(self) -> tuple[int, ...]:
        return self._source.shape

    def _sampled(
        self, function: Callable[[Any], Any], draws: int, random_state: Any, numbers: Statistic | None = None
    ) -> SampledLaw:
        """Return the law of a function of the numbers, of which as many are held at once as fit into a block."""
        if self._swept:
            raise ValueError(
                f"expected one gamma, got a sweep of shape {self._swept}: an estimate is for one network; loop over "
                "the values"
            )
        count, rng = checked_draws(draws), checks.generator(random_state)
        draws_of = [function(block) for block in self._source.blocks(numbers or self, count, rng)]
        return SampledLaw(np.concatenate(draws_of), self._source.networks)

    def _centre(self, draws: Array) -> Any:
        """Return the mean from which draws deviate."""
        return draws.mean(axis=0)

    def _squares(self, draws: int, random_state: Any) -> SampledLaw:
        """Return the law of the squared deviations from the mean.

        Where data are drawn, each is the product of those of two halves of the data, to which their scatter adds
        nothing.
        """
        halves = Halves(self) if self._scatters else None
        law = self._sampled(lambda numbers: numbers, draws, random_state, halves)
        apart = law.draws - self._centre(law.draws)
        return SampledLaw(np.square(apart) if halves is None else np.prod(apart, axis=1), law.networks)


@final
@dataclass(frozen=True)
class Halves:
    """The numbers of two halves of the data, shape (draws, 2, ...)."""

    law: Law

    @property
    def outputs(self) -> int:
        """That of the law."""
        return self.law.outputs

    def of_outputs(self, outputs: Array, rng: np.random.Generator) -> Array:
        """Return the numbers of both halves."""
        return np.stack([self.law.of_outputs(half, rng) for half in np.array_split(outputs, 2)], axis=1)

    def of_gammas(self, gamma: Array, rng: np.random.Generator) -> Array:
        """Return the numbers of both halves of independent data."""
        source: IndependentData = self.law.source
        return source.drawn_at_data(self, gamma, rng)


def alike(variance: Any, m: int) -> Any:
    """Return the covariance matrix, (..., m, m), of numbers with a constant sum that are all alike."""
    m = checked_classes(m)
    return np.multiply.outer(np.asarray(variance), (m * np.eye(m) - 1.0) / (m - 1.0))


class ClassLaw(Law):
    """Law of M numbers, one for each class, with a constant sum. All classes are alike, but for ties.

    `mean` and `var` are the mean and the variance of the number of one class; where outputs tie, they are arrays (M,).
    """

    n_classes: int
    total: float = 1.0
    """Sum of the numbers of all classes."""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "n_classes", checked_classes(self.n_classes, MOST_TOKENS))

    @property
    def outputs(self) -> int:
        return self.n_classes

    def mean(self) -> Any:
        """Return the mean 1/M of the sum, in the shape of a sweep, and more of class 0 where outputs tie."""
        if not self._source.alike:
            return super().mean()
        return np.full(self._swept, self.total * (1.0 / self.n_classes))[()]

    def var(self, draws: int = DRAWS, random_state: Any = 0) -> Any:
        """Return the variance, from the squares of all classes."""
        squares = self._squares(draws, random_state)
        return SampledLaw(squares.draws.mean(axis=1), squares.networks).mean() if self._source.alike else squares.mean()

    def _centre(self, draws: Array) -> Any:
        return self.mean() if self._source.alike else super()._centre(draws)

    def cov(self) -> Any:
        """Return the covariance matrix, shape (..., M, M): `var` on the diagonal and -var/(M - 1) elsewhere."""
        return alike(self.var(), self.n_classes) if self._source.alike else super().cov()

    def largest(self, draws: int = DRAWS, random_state: Any = 0) -> SampledLaw:
        """Return the law of the largest number, which belongs to the favoured class."""
        return self._sampled(lambda numbers: numbers.max(axis=1), draws, random_state)

    def ranked(self, draws: int = DRAWS, random_state: Any = 0) -> SampledLaw:
        """Return the law of the numbers in descending order, arrays (M,)."""
        law = self.drawn(draws, random_state)
        return ordered(law.draws, law.networks)
