"""Gradient descent of infinitely wide networks in steps, with momentum, weight decay and batches.

The steps are those of PyTorch's SGD on the weights w of the parametrisation of `tangent`, which are
standard normal at the start: v = momentum v + gradient + weight_decay w, then w = w - step v. In infinite width
w = a w(0) + d, where a is a number that weight decay shrinks, and the small part d moves the outputs by -Theta A, A the
sum of the gradients dloss/df over the steps. The outputs of m matrices in a row without biases, between them functions
with phi(a x) = a phi(x), are therefore a^m f(0) - a^(m - 1) Theta A; without weight decay, a = 1 for any network.

Without weight decay, the modes of the tangent kernel obey e' = (1 + momentum - step lambda) e - momentum e_prev for
squared loss, with the roots of a damped oscillator (Polyak 1964): they stay bounded up to
step lambda = 2 (1 + momentum).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.guesses.arguments import non_negative_number, one_number
from igbtheory.layers.layer import Layer
from igbtheory.networks.training.flow import Flow, Tangents, times_matrix
from igbtheory.networks.training.homogeneity import matrices

Array = NDArray[Any]
Gradient = Callable[[Array], Array]
"""A function that returns the derivatives of the loss with respect to the outputs, from these outputs."""

SHARE = 0.5
"""Default step, in units of 1/largest eigenvalue."""
BY_MODES, BY_DRAWS = 10_000, 1_000
"""Largest default number of steps of modes and of draws: of 40 data and 2000 draws they take 0.5 and 11 s."""


@final
@dataclass(frozen=True)
class Descent:
    """Steps of gradient descent: see the module.

    step: 0 stands for a step that `at_rate` sets. matrices: m. batch_size: data that are drawn for a step, None: all.
    """

    step: float
    momentum: float = 0.0
    weight_decay: float = 0.0
    matrices: int = 1
    batch_size: int | None = None

    def at_rate(self, rate: float, *, squared: bool) -> "Descent":
        """Return the descent for a largest eigenvalue, by which a step that is not given is set.

        ValueError: squared loss diverges.
        """
        limit = 2 * (1 + self.momentum) / (rate + self.weight_decay)
        if squared and self.step > limit:
            raise ValueError(
                f"expected a step of at most 2 (1 + momentum)/(largest eigenvalue + weight_decay) = {limit:.4g}, got "
                f"{self.step:.4g}, with which the outputs diverge; pass a smaller step"
            )
        return self if self.step else replace(self, step=SHARE / rate)

    def grid(self, times: Array, *, stepwise: bool) -> NDArray[np.int64]:
        """Return numbers of steps that take about these times of gradient flow, if these are not too many."""
        most = BY_DRAWS if stepwise else BY_MODES
        return np.unique(np.minimum(np.rint(times / self.step), most).astype(int))

    def squared(self, tangents: Tangents, targets: Array) -> Flow:
        """Return the descent for half the squared distance from the targets, mode by mode.

        A mode of the sum A is p f(0) + q y with numbers p and q of the mode, which are the sums of a mode that starts
        at 1 and has the target 0, and of one that starts at 0 and has the target 1.
        """
        values, vectors = tangents.spectrum
        from_modes = tangents.theta[:, : tangents.trained] @ vectors

        def flow(start: Array, steps: Array) -> Iterator[Array]:
            at_start = times_matrix(vectors.T, start[: tangents.trained])
            aims = np.broadcast_to((vectors.T @ targets)[:, None], at_start.shape)
            ends = np.array([1.0, 0.0]), np.array([0.0, 1.0])
            modes = self._sums(
                np.broadcast_to(ends[0], (len(values), 2)), lambda x: values[:, None] * x, lambda f: f - ends[1], steps
            )
            for factor, sums in modes:
                of_start, of_aims = sums.T[:, :, None, None]
                moved = times_matrix(from_modes, of_start * at_start + of_aims * aims)
                yield self._outputs(start, moved, factor).astype(start.dtype)

        return flow

    def of_gradient(self, tangents: Tangents, gradient: Gradient, rng: np.random.Generator) -> Flow:
        """Return the descent for any loss, draw by draw; every draw has batches of its own."""
        theta = tangents.theta[: tangents.trained, : tangents.trained]

        def flow(start: Array, steps: Array) -> Iterator[Array]:
            by_batch = gradient if self.batch_size is None else self._of_batches(gradient, self.batch_size, rng)
            trained = start[: tangents.trained]
            for factor, sums in self._sums(trained, lambda x: times_matrix(theta, x), by_batch, steps):
                moved = times_matrix(tangents.theta[:, : tangents.trained], sums)
                yield self._outputs(start, moved, factor).astype(start.dtype)

        return flow

    def _sums(
        self, start: Array, by_theta: Gradient, gradient: Gradient, steps: Array
    ) -> Iterator[tuple[float, Array]]:
        """Yield a and A after each of the numbers of steps."""
        factor, shrinking = 1.0, 0.0
        sums = np.zeros(start.shape)
        velocity = sums
        for count in np.diff(steps, prepend=0):
            with np.errstate(over="ignore", invalid="ignore"):
                for _ in range(count):
                    slope = gradient(self._outputs(start, by_theta(sums), factor))
                    decayed = self.weight_decay * sums
                    velocity = self.momentum * velocity + factor ** (self.matrices - 1) * slope - decayed
                    shrinking = self.momentum * shrinking + self.weight_decay * factor
                    sums, factor = sums + self.step * velocity, factor - self.step * shrinking
            if not np.all(np.isfinite(sums)):
                raise ValueError(
                    f"expected a step with which descent stays bounded, got {self.step:.4g}, with which the outputs "
                    "diverge; pass a smaller step"
                )
            yield factor, sums

    def _outputs(self, start: Array, moved: Array, factor: float) -> Array:
        return np.asarray(factor**self.matrices * start - factor ** (self.matrices - 1) * moved)

    @staticmethod
    def _of_batches(gradient: Gradient, size: int, rng: np.random.Generator) -> Gradient:
        """Return the gradient of `size` data that are drawn for each step and network, times data/size."""

        def of_batch(outputs: Array) -> Array:
            ranks = rng.random(outputs.shape[:2]).argsort(axis=0).argsort(axis=0)
            return np.asarray((ranks < size)[:, :, None] * gradient(outputs) * (len(outputs) / size))

        return of_batch


def descent(layers: tuple[Layer, ...], data: Array, given: tuple[Any, Any, Any, Any]) -> Descent | None:
    """Return the steps of the arguments (step, momentum, weight_decay, batch_size), or None for gradient flow.

    data: those of the inputs. ValueError: an argument is out of range, or there is no formula for weight decay.
    """
    step, momentum, weight_decay, batch_size = given
    if step is None and batch_size is None and not np.any(momentum) and not np.any(weight_decay):
        return None
    beta, decay = one_number("momentum", momentum), non_negative_number("weight_decay", weight_decay)
    if not 0 <= beta < 1:
        raise ValueError(f"expected momentum in [0, 1), got {momentum}; pass for example momentum=0.9")
    return Descent(
        0.0 if step is None else positive("step", step),
        beta,
        decay,
        matrices(layers, data) if decay else 1,
        None if batch_size is None else checks.whole("batch_size", batch_size, 1, len(data)),
    )


def positive(name: str, value: Any) -> float:
    """Return a positive finite number, or raise ValueError."""
    number = one_number(name, value)
    if not 0 < number < np.inf:
        raise ValueError(f"expected a finite number {name} > 0, got {value}; pass for example {name}=0.01")
    return number
