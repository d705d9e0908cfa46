"""Laws of several classes on a given data set: shares of the data, and mean softmax probabilities."""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.guesses.coincidence import guess_covariance
from igbtheory.guesses.dataset import OUTPUTS, DatasetGuessLaw, guesses_of_many
from igbtheory.guesses.law import (
    MOST_CLASSES,
    MOST_TOKENS,
    ClassLaw,
    checked_classes,
    refuse_many_draws,
)
from igbtheory.guesses.sampled import DRAWS, DrawnClasses, Estimate, estimate
from igbtheory.guesses.softmax import checked_temperature

Array = NDArray[np.float64]
PAIRS = 2**17
"""Number of pairs of data whose covariances are computed at a time: 1 MiB for each number of a pair."""


@dataclass(frozen=True, eq=False, repr=False)
class DatasetDraws(DrawnClasses):
    """Law of M = `n_classes` numbers, one for each class, that sum to one and follow from the outputs at given data.

    In infinite width the outputs of different classes are independent vectors N(0, kernel). binary: the law of G0.
    """

    binary: DatasetGuessLaw
    n_classes: int

    most: ClassVar[int] = MOST_CLASSES
    """Largest number of classes."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_classes", checked_classes(self.n_classes, self.most))

    def rvs(self, size: Any = None, random_state: Any = None) -> Array:
        """Return independent draws of the numbers of all classes, shape (*size, M)."""
        shape, rng = checks.shape_of(size), checks.generator(random_state)
        drawn = [self._of(x) for x in self.binary.of_networks(int(np.prod(shape)), rng, self.n_classes)]
        numbers = np.concatenate([*drawn, np.empty((0, self.n_classes))])
        numbers = numbers if self.binary.networks == 1 else rng.permutation(numbers)
        return numbers.reshape((*shape, self.n_classes))

    @abstractmethod
    def _of(self, outputs: Array) -> Array:
        """Return the numbers, shape (count, M), of independent networks with these outputs, shape (size, count, M)."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class DatasetClassLaw(DatasetDraws, ClassLaw):
    """Law of the shares of the given data that each of M = `n_classes` classes gets, in infinite width.

    binary, n_classes: the law of two classes on the same data, and M.

    >>> law = igb.mlp(2, "relu").predict(igb.digits()[:50] / 16).guesses(10)
    >>> print(f"{law.std():.3f}")
    0.205
    """

    most = MOST_TOKENS

    def rvs(self, size: Any = None, random_state: Any = None) -> Array:
        """Return independent draws of the shares of all classes, shape (*size, M)."""
        shape, rng = checks.shape_of(size), checks.generator(random_state)
        refuse_many_draws(int(np.prod(shape)), self.n_classes)
        if self.binary.size * self.n_classes <= OUTPUTS:
            return super().rvs(shape, rng)
        guesses = [guesses_of_many(self.binary.root(rng), self.n_classes, rng) for _ in range(int(np.prod(shape)))]
        counts = [np.bincount(row, minlength=self.n_classes) for row in guesses]
        return np.reshape(counts, (*shape, self.n_classes)) / self.binary.size

    def var(self) -> float:
        """Return the variance of a share over initialisations.

        It is the mean `guess_covariance` of all pairs of data, and of all worlds if some weights are few.
        """
        return self._variance

    def collision(self) -> float:
        """Return the probability that two data, drawn with replacement, are given to the same class."""
        return self.n_classes * self._variance + self.mean()

    @cached_property
    def _variance(self) -> float:
        if self.n_classes == 2:  # known without the kernel
            return self.binary.var()
        return max(float(np.mean([self._variance_in(kernel) for kernel in self.binary.kernels()])), 0.0)

    def _variance_in(self, kernel: Array) -> float:
        """Return the variance of a share in a world with this kernel, in which the mean share is 1/M too."""
        size, variances = self.binary.size, np.diag(kernel)
        rows = max(1, PAIRS // size)
        total = 0.0
        for start in range(0, size, rows):
            part = slice(start, start + rows)
            c = np.clip(
                kernel[part] / np.sqrt(variances[part, None] * variances), -1.0, 1.0
            )  # exactly -1 for opposite data
            c[np.arange(len(c)), np.arange(start, start + len(c))] = 1.0
            total += float(np.sum(guess_covariance(np.arcsin(c), self.n_classes)))
        return total / size**2

    def _of(self, outputs: Array) -> Array:
        _, count, m = outputs.shape
        guesses = outputs.argmax(axis=2)
        cells = np.bincount((guesses + m * np.arange(count)).ravel(), minlength=count * m)
        return cells.reshape(count, m) / self.binary.size


@final
@dataclass(frozen=True, eq=False, repr=False)
class DatasetSoftmaxLaw(DatasetDraws):
    """Law over initialisations of p_c, the mean of softmax_c(O/temperature) over the given data, in infinite width.

    binary, n_classes, temperature: the law of two classes on the same data, M, and what the outputs are divided by.

    >>> law = igb.mlp(2, "relu").predict(igb.digits()[:50] / 16).softmax(10)
    >>> print(f"{law.mean():.2f}")
    0.10
    """

    temperature: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "temperature", checked_temperature(self.temperature))

    def var(self, draws: int = DRAWS, random_state: Any = 0) -> Estimate:
        """Return the variance of p_c over initialisations, estimated from `draws` draws."""
        return estimate(((self._draws(draws, random_state) - self.mean()) ** 2).mean(axis=1))

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers of data and of classes, the temperature, the mean, and the variance with its error."""
        given = {"size": self.binary.size, "n_classes": self.n_classes, "temperature": self.temperature}
        return {**given, "mean": self.mean(), "var": self.var().to_dict()}

    def _of(self, outputs: Array) -> Array:
        weights = np.exp((outputs - outputs.max(axis=2, keepdims=True)) / self.temperature)
        return np.asarray((weights / weights.sum(axis=2, keepdims=True)).mean(axis=0))
