"""What laws of guesses share: the standard deviation, and the covariances of classes that are all alike."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from igbtheory import checks

MOST_CLASSES = 1000


class Law(ABC):
    """Law whose variance is known."""

    @abstractmethod
    def var(self) -> Any:
        """Return the variance."""

    def std(self) -> Any:
        """Return the standard deviation, the square root of `var`."""
        return np.sqrt(self.var())


class ClassLaw(Law):
    """Law of one number for each of several classes, which are alike before training; the numbers have a constant sum.

    `var` is the variance of the number of one class.
    """

    n_classes: int

    def cov(self) -> Any:
        """Return the covariance matrix, shape (..., M, M): -var/(M - 1) beside the diagonal."""
        m = self.n_classes
        return np.multiply.outer(self.var(), (m * np.eye(m) - 1.0) / (m - 1.0))


def checked_classes(n_classes: Any) -> int:
    """Return the number of classes M, a whole number from 2 to 1000; refuse any other."""
    return checks.whole("n_classes", n_classes, 2, MOST_CLASSES)
