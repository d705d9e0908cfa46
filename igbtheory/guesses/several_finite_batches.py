"""The law of the numbers of data, out of D data in batches, that an untrained network gives to each of M classes."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.guesses.coincidence import guess_covariance
from igbtheory.guesses.finite_batches import BatchedGuessLaw
from igbtheory.guesses.law import ClassLaw, checked_classes, draws_in_blocks
from igbtheory.mathematics.numerics.limits import BLOCK


@final
@dataclass(frozen=True, eq=False)
class BatchedClassLaw(ClassLaw):
    """Law of the counts of M = `n_classes` classes among D data whose batches are coupled by BatchNorm.

    binary: the law for two classes. It holds D, the batch size n, the correlation c of an output at two data of
    different batches, and the correlation c_within of an output at two data of one batch. The outputs of different
    classes are independent.

    n_classes: M.

    >>> net = igb.mlp(2, "relu", norm="batch", batch_size=4)
    >>> print(f"{net.predict().guesses(3).finite(100).std():.2f}")
    22.22
    """

    binary: BatchedGuessLaw
    n_classes: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_classes", checked_classes(self.n_classes))

    @property
    def D(self) -> int:  # noqa: N802 - the papers' letter
        """Number of data."""
        return self.binary.D

    def rvs(self, size: Any = None, random_state: Any = None) -> NDArray[np.int64]:
        """Return independent draws of the counts, shape (*size, M), from Gaussian vectors. Every row sums to D."""
        m, rng = self.n_classes, checks.generator(random_state)

        def draw(count: int) -> NDArray[np.int64]:
            guesses = self.binary.outputs((m, count), rng).argmax(axis=0)
            return np.array([np.bincount(row, minlength=m) for row in guesses], dtype=np.int64).reshape(count, m)

        return np.asarray(draws_in_blocks(draw, checks.shape_of(size), BLOCK // (self.D * m)))

    def mean(self) -> float:
        """Return the mean D/M of a count."""
        return self.D / self.n_classes

    def var(self) -> float:
        """Return the variance D (1 - 1/M)/M + D (n - 1) V(c_within) + D (D - n) V(c) of a count.

        V is the `guess_covariance` of one class at two data.
        """
        law, p = self.binary, 1.0 / self.n_classes
        within, across = guess_covariance(np.arcsin([law.c_within, law.c]), self.n_classes)
        pairs = (law.batch_size - 1.0) * within + (law.D - float(law.batch_size)) * across
        return float(law.D * max(p * (1.0 - p) + pairs, 0.0))
