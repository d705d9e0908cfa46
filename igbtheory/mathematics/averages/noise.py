"""The distance of two data that are infinitely close, which grows in a network as its gradients do.

Noise of variance v at the units of a Dense becomes noise of variance v E |dZ/dx|^2 at the units Z of a later one. An
activation phi multiplies the variance of the noise by E phi'^2. A linear layer multiplies it by the factor of its own
variance, and a norm divides it by the variance of the data, which the small noise does not change. In a batch, noise of
one datum moves the others, so that the noise of two data is correlated.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final


@final
@dataclass(frozen=True)
class Noise:
    """Variance of the noise of a unit, its relative error, and the covariance of the noise of two data of a batch."""

    variance: Any
    error: Any = 0.0
    shared: Any = 0

    def times(self, factor: Any, error: Any = 0.0) -> "Noise":
        """Return the noise whose variance is multiplied by a factor with this relative error."""
        return self.changed(lambda variance: factor * variance, error)

    def changed(self, factor: Callable[[Any], Any], error: Any) -> "Noise":
        """Return the noise whose variance and covariance are multiplied by a function with this relative error."""
        return Noise(factor(self.variance), self.error + error, factor(self.shared))
