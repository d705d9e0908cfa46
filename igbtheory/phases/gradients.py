"""Gradients at initialisation: the expected squared derivative of an output by the units of every Dense layer."""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.foundations.result import Result
from igbtheory.layers.activation import phi_of
from igbtheory.layers.batch_sizes import batch_of
from igbtheory.layers.batchnorm import BatchNorm
from igbtheory.layers.inputs import GaussianInputs
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.gaussian import Gaussian
from igbtheory.layers.nodes.node import LawNode
from igbtheory.mathematics.averages.state import Moments
from igbtheory.mathematics.numbers import FLOAT64, Kind, decimals
from igbtheory.mathematics.numbers.multiprecision import MOST_DIGITS
from igbtheory.networks.network import Network
from igbtheory.phases.block import GRADIENTS, with_noise
from igbtheory.theory.gaussian_inputs import on_gaussian_inputs


@final
@dataclass(frozen=True, eq=False, repr=False)
class Gradients(Result):
    """Expected squared gradients of an output O by the units Z_l behind every Dense layer l, in infinite width.

    factor: E (dO/dZ_l)^2 / E (dO/dZ_(l+1))^2, shape (dense layers - 1, *sweep), input side first. Going backwards,
    gradients explode if it is above 1 and vanish if it is below 1. error: estimated relative error of the factors.
    A residual block counts as a Dense layer whose units are the stream behind it. Source: bias-and-trainability-slides
    (gradients); where-you-place-the-norm (BatchNorm in front of ReLU).

    n: the kind of number.

    >>> gradients = igb.phases.gradients(igb.mlp(2, "relu"))
    >>> gradients.factor.round(12)
    array([1., 1.])
    """

    n: Kind
    factor: NDArray[Any]
    error: NDArray[np.float64]

    exported = ("factor", "squared", "growth", "error")

    @cached_property
    def squared(self) -> NDArray[Any]:
        """E (dO/dZ_l)^2 of every Dense layer, shape (dense layers, *sweep); the last one, of the output, is 1.

        Beyond the range of double precision it is 0 or inf, while the factors remain finite.
        """
        last = np.broadcast_to(self.n.number(1), (1, *self.factor.shape[1:]))
        with np.errstate(over="ignore", under="ignore"):
            return np.concatenate([last, self.factor[::-1]]).cumprod(axis=0)[::-1]

    @property
    def growth(self) -> Any:
        """Geometric mean of the factors: how much one layer multiplies squared gradients on average."""
        logarithms = self.n.log(self.factor)
        return self.n.exp(logarithms.sum(axis=0) / len(logarithms))


def gradients(net: Network, inputs: Any = None, *, digits: int | None = None) -> Gradients:
    """Return the expected squared gradients of a network at initialisation, layer by layer: see `Gradients`.

    inputs: GaussianInputs, default N(0, 1). digits: significant digits of multiprecision arithmetic; None is double
    precision. In batches of n data, gradients are those by the units of all data of the batch. ValueError: an
    activation that jumps, or a BatchNorm in batches elsewhere than behind each Dense.

    net: a network without sweeps, or a sweep.

    >>> igb.phases.gradients(igb.mlp(2, "tanh")).factor.round(4)
    array([0.699 , 0.9149])
    """
    checks.network(net)
    inputs = GaussianInputs() if inputs is None else inputs
    if not isinstance(inputs, GaussianInputs):
        raise TypeError(
            f"expected GaussianInputs, got {type(inputs).__name__}; the gradient at a datum depends on its mean "
            "square alone: GaussianInputs(variance=(X**2).mean(axis=1)) sweeps over the data"
        )
    n = FLOAT64 if digits is None else decimals(checks.whole("digits", digits, 2, MOST_DIGITS))
    _refuse_batches(net.layers)
    moments = segments(net.layers, LawNode(n, Gaussian(inputs.moments(n)), passage=GRADIENTS))
    on_gaussian_inputs(net.layers, n, inputs)  # refuses what has no prediction
    return of_segments(n, moments)


def _refuse_batches(layers: tuple[Layer, ...]) -> None:
    """Refuse batches of finite size but for BatchNorm directly behind each Dense other than the output.

    There, gradients of a batch add up to 0, and have one covariance up to their size: all that is between two Dense
    layers is a factor of this size.
    """
    batch = batch_of(layers)
    if batch is None or batch.batch_size is None:
        return
    behind = [layer for before, layer in pairwise(layers) if before.weighs]
    others = [layer for layer in layers if not (layer.weighs or phi_of(layer) or layer == batch)]
    if batch != BatchNorm(batch.batch_size) or any(layer != batch for layer in behind) or others:
        raise ValueError(
            f"expected {BatchNorm(batch.batch_size)!r} directly behind each Dense for gradients in batches, and other "
            f"layers to be activations, got {list(layers)}; use the full batch, BatchNorm(), or LayerNorm()"
        )


@np.errstate(all="ignore")
def segments(layers: tuple[Layer, ...], node: LawNode) -> list[Moments]:
    """Return the moments behind every Dense, where the noise begins at 1 behind the Dense before it.

    node: of the inputs. In front of the first Dense there is no noise, because no gradient passes through it.
    """
    return [behind.averaged() for behind in node.passage.listed(layers, node, with_noise)]


def of_segments(n: Kind, moments: list[Moments]) -> Gradients:
    """Return the gradients, given the moments behind every Dense, input side first."""
    if len(moments) == 1:
        raise ValueError("expected a hidden layer, got the output Dense alone: nothing is in front of its gradient")
    noises: list[Any] = [x.noise for x in moments[1:]]
    # the gradients of a batch add up to 0 but for those of the output
    factors = [noise.variance - noise.shared for noise in noises[:-1]] + [noises[-1].variance]
    errors = [noise.error for noise in noises]
    return Gradients(n, np.stack(np.broadcast_arrays(*factors)), np.stack(np.broadcast_arrays(*errors)))
