"""Gradient flow of the outputs of infinitely wide networks: df/dt = -Theta dloss/df, Theta constant.

The loss is a sum over the data, so that times are in units of 1/(eigenvalues of Theta). Outputs have the shape
(n_samples, draws, outputs); on test data f_test = f_test(0) - Theta_test A, where A is the integral of dloss/df.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.losses import Loss
from igbtheory.numbers import FLOAT64

Array = NDArray[Any]
Flow = Callable[[Array, Array], Iterator[Array]]
"""Outputs on all data at each of the times, from those at the start and the times."""

PER_DECADE = 4
"""Times of the default grid in each factor of ten."""
EARLIEST, LATEST, LONGEST = 0.1, 10.0, 1e6
"""Ends of the default grid in units of 1/largest and 1/smallest eigenvalue; largest time in units of the former."""
PATIENCE = 3e2
"""The same for losses whose flow is integrated step by step: a step is about as long as 1/largest eigenvalue."""
ACCURATE = 1e-3
"""Error of a step of the integration, of the integral and of outputs."""


@final
@dataclass(frozen=True)
class Tangents:
    """The tangent kernel of all data: those that are trained on stand first, and test data follow."""

    theta: Array
    trained: int

    @cached_property
    def spectrum(self) -> tuple[Array, Array]:
        """Eigenvalues and eigenvectors on the trained data; eigenvalues that are rounding are 0."""
        values, vectors = np.linalg.eigh(self.theta[: self.trained, : self.trained])
        return np.where(values > 2 * self.trained * FLOAT64.epsilon * values[-1], values, 0.0), vectors

    def times(self, *, stepwise: bool) -> Array:
        """Return 0 and a logarithmic grid of times in which the bias goes, and the data are learned."""
        values = self.spectrum[0]
        first, last = EARLIEST / values[-1], LATEST / values[values > 0].min()
        last = min(last, (PATIENCE if stepwise else LONGEST) / values[-1])
        count = 1 + int(np.ceil(PER_DECADE * np.log10(last / first)))
        return np.concatenate([[0.0], np.geomspace(first, last, count)])

    def squared(self, targets: Array) -> Flow:
        """Return the flow of half the squared distance from the targets, in closed form, as precise as outputs."""
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
                parts = (goal + vectors @ (decay[:, None] * rest), flat[self.trained :] - (cross * gone) @ rest)
                yield np.concatenate(parts).reshape(start.shape)

        return flow

    def of_loss(self, loss: Loss, labels: NDArray[np.int64]) -> Flow:
        """Return the flow of a loss of the softmax probabilities, integrated for all draws at once."""
        theta = self.theta[: self.trained, : self.trained]

        def flow(start: Array, times: Array) -> Iterator[Array]:
            from scipy.integrate import solve_ivp  # noqa: PLC0415 - squared loss does without

            trained = start[: self.trained]
            every = np.broadcast_to(labels[:, None], trained.shape[:2])

            def slope(t: float, integral: Array) -> Any:
                del t
                outputs = trained - _times(theta, integral.reshape(trained.shape))
                return loss.gradient(outputs, every).ravel()

            absolute = ACCURATE / self.spectrum[0][-1]  # the integral times Theta is an output
            found = solve_ivp(
                slope, (0.0, times[-1]), np.zeros(trained.size), t_eval=times, rtol=ACCURATE, atol=absolute
            )
            if not found.success or not np.all(np.isfinite(found.y)):
                raise ValueError(
                    f"expected a loss that falls smoothly, got {loss!r}: {found.message}; pass earlier times"
                )
            for column in found.y.T:
                yield start - _times(self.theta[:, : self.trained], column.reshape(trained.shape))

        return flow


def _times(theta: Array, x: Array) -> Array:
    return np.asarray((theta @ x.reshape(len(x), -1)).reshape(-1, *x.shape[1:]))
