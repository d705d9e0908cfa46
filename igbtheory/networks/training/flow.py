"""Gradient flow of the outputs of infinitely wide networks: df/dt = -Theta dloss/df, Theta constant.

The loss is a sum over the data, so times are in units of 1/eigenvalue of Theta. Outputs have the shape (n_samples,
draws, outputs). On test data f_test = f_test(0) - Theta_test A, where A is the integral of dloss/df over time.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.networks.losses import Loss

Array = NDArray[Any]
Flow = Callable[[Array, Array], Iterator[Array]]
"""A function of the outputs at the start and the times, which yields the outputs on all data at each time."""

PER_DECADE = 4
"""Number of times of the default grid in each factor of ten."""
EARLIEST, LATEST, LONGEST = 0.1, 10.0, 1e6
"""First and last time of the default grid, in units of 1/largest and of 1/smallest eigenvalue, and the largest quotient
of the last time and the first unit."""
PATIENCE = 3e2
"""LONGEST for losses whose flow is integrated step by step; a step is about as long as 1/largest eigenvalue."""
ACCURATE = 1e-3
"""Tolerance of the integration: relative for the integral of dloss/df, absolute for the outputs."""


@final
@dataclass(frozen=True)
class Tangents:
    """The tangent kernel of all data: the first `trained` are trained on, and test data follow."""

    theta: Array
    trained: int

    @cached_property
    def spectrum(self) -> tuple[Array, Array]:
        """Eigenvalues and eigenvectors on the trained data; eigenvalues below the rounding error are 0."""
        values, vectors = np.linalg.eigh(self.theta[: self.trained, : self.trained])
        return np.where(values > 2 * self.trained * FLOAT64.epsilon * values[-1], values, 0.0), vectors

    def times(self, *, stepwise: bool) -> Array:
        """Return 0 and a logarithmic grid of times in which the bias is absorbed and the data are learned."""
        values = self.spectrum[0]
        first, last = EARLIEST / values[-1], LATEST / values[values > 0].min()
        last = min(last, (PATIENCE if stepwise else LONGEST) / values[-1])
        count = 1 + int(np.ceil(PER_DECADE * np.log10(last / first)))
        return np.concatenate([[0.0], np.geomspace(first, last, count)])

    def squared(self, targets: Array) -> Flow:
        """Return the flow for half the squared distance from the targets: a closed form, as precise as the outputs."""
        values, eigenvectors = self.spectrum
        to_test = self.theta[self.trained :, : self.trained] @ eigenvectors

        def flow(start: Array, times: Array) -> Iterator[Array]:
            vectors, cross, aims = (x.astype(start.dtype) for x in (eigenvectors, to_test, targets))
            flat = start.reshape(len(start), -1)
            goal = np.broadcast_to(aims[:, None], start[: self.trained].shape).reshape(self.trained, -1)
            rest = vectors.T @ (flat[: self.trained] - goal)
            for t in times:
                decay, moved = np.exp(-values * t), -np.expm1(-values * t)
                gone = np.divide(moved, values, out=np.zeros_like(values), where=values > 0)
                decay, gone = decay.astype(start.dtype), gone.astype(start.dtype)
                outputs = (goal + vectors @ (decay[:, None] * rest), flat[self.trained :] - (cross * gone) @ rest)
                yield np.concatenate(outputs).reshape(start.shape)

        return flow

    def of_loss(self, loss: Loss, labels: NDArray[np.int64]) -> Flow:
        """Return the flow for a loss of the softmax probabilities, integrated for all draws at once."""
        theta = self.theta[: self.trained, : self.trained]

        def flow(start: Array, times: Array) -> Iterator[Array]:
            from scipy.integrate import solve_ivp  # noqa: PLC0415 - squared loss does without

            trained = start[: self.trained]
            every = np.broadcast_to(labels[:, None], trained.shape[:2])

            def slope(t: float, integral: Array) -> Any:
                del t
                outputs = trained - times_matrix(theta, integral.reshape(trained.shape))
                return loss.gradient(outputs, every).ravel()

            absolute = ACCURATE / self.spectrum[0][-1]  # the integral times Theta is an output
            solution = solve_ivp(
                slope, (0.0, times[-1]), np.zeros(trained.size), t_eval=times, rtol=ACCURATE, atol=absolute
            )
            if not solution.success or not np.all(np.isfinite(solution.y)):
                raise ValueError(
                    f"expected a loss that falls smoothly, got {loss!r}: {solution.message}; pass earlier times"
                )
            for column in solution.y.T:
                yield start - times_matrix(self.theta[:, : self.trained], column.reshape(trained.shape))

        return flow


def times_matrix(matrix: Array, x: Array) -> Array:
    """Return the product of a matrix and each column of x, of shape (columns of the matrix, ...)."""
    return np.asarray((matrix @ x.reshape(len(x), -1)).reshape(-1, *x.shape[1:]))
