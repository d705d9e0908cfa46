"""The law of the shares of several classes on a given data set: each output is a Gaussian vector over the data."""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.guesses.arguments import shape_of
from igbtheory.guesses.coincidence import guess_covariance
from igbtheory.guesses.dataset import DatasetGuessLaw
from igbtheory.guesses.law import ClassLaw, checked_classes
from igbtheory.guesses.sampled import DrawnClasses

Array = NDArray[np.float64]
BLOCK = 2**24
"""Outputs held at once."""
ROWS = 2**17
"""Pairs of data whose covariances are computed at once."""


@dataclass(frozen=True)
class DatasetDraws(DrawnClasses):
    """Law of numbers of M = `n_classes` classes that sum to one, from their outputs at given data, in infinite width.

    The outputs of the classes are independent draws of N(0, kernel); `binary` is the law of G0.
    """

    binary: DatasetGuessLaw
    n_classes: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_classes", checked_classes(self.n_classes))

    def mean(self) -> float:
        """Return the mean 1/M, by the symmetry of the classes."""
        return 1.0 / self.n_classes

    def rvs(self, size: Any = None, random_state: Any = None) -> Array:
        """Return independent draws of the numbers of all classes, shape (*size, M)."""
        shape = shape_of(size)
        rng = np.random.default_rng(random_state)
        count, m = int(np.prod(shape)), self.n_classes
        block = max(1, BLOCK // (self.binary.size * m))
        parts = [self._of(self._outputs(min(block, count - start), rng)) for start in range(0, count, block)]
        return np.concatenate(parts or [np.empty((0, m))]).reshape(*shape, m)

    def _outputs(self, count: int, rng: np.random.Generator) -> Array:
        """Return the outputs of independent networks at all data, shape (size, count, M)."""
        return self.binary.outputs(count * self.n_classes, rng).reshape(-1, count, self.n_classes)

    @abstractmethod
    def _of(self, outputs: Array) -> Array:
        """Return numbers of every network, shape (count, M)."""


@final
@dataclass(frozen=True)
class DatasetClassLaw(DatasetDraws, ClassLaw):
    """Law of the shares of the given data that each of M = `n_classes` classes gets, in infinite width.

    Variances are exact, means over all pairs of data.
    """

    def var(self) -> float:
        """Variance of a share over initialisations: the mean over all pairs of data of `guess_covariance`."""
        return self._variance

    def collision(self) -> float:
        """Return the probability that two data, drawn with replacement, are given to the same class."""
        return self.n_classes * self._variance + self.mean()

    @cached_property
    def _variance(self) -> float:
        if self.n_classes == 2:
            return self.binary.var()
        kernel, size = self.binary.checked_kernel(), self.binary.size
        scale = 1.0 / np.sqrt(np.diag(kernel))
        rows = max(1, ROWS // size)
        total = 0.0
        for start in range(0, size, rows):
            part = slice(start, start + rows)
            c = np.clip(kernel[part] * scale[part, None] * scale, -1.0, 1.0)
            c[np.arange(len(c)), np.arange(start, start + len(c))] = 1.0
            total += float(np.sum(guess_covariance(np.arcsin(c), self.n_classes)))
        return max(total / size**2, 0.0)

    def _of(self, outputs: Array) -> Array:
        _, count, m = outputs.shape
        guesses = outputs.argmax(axis=2)
        cells = np.bincount((guesses + m * np.arange(count)).ravel(), minlength=count * m)
        return cells.reshape(count, m) / self.binary.size
