"""Gradients at initialisation: the expected squared gradient of the output by the units of every Dense layer."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory import checks
from igbtheory.inputs import GaussianInputs
from igbtheory.layers import Gaussian, LawNode, Layer
from igbtheory.layers.batches import batch_of
from igbtheory.network import MOST_DIGITS, NORMS, PLACEMENTS, Network, mlp
from igbtheory.numbers import FLOAT64, Kind, Multiprecision
from igbtheory.phases.gradients_twins import Twins
from igbtheory.theory import on_gaussian_inputs


@final
@dataclass(frozen=True, eq=False)
class Gradients:
    """Expected squared gradients of an output O by the units Z_l behind every Dense layer l, in infinite width.

    factor: E (dO/dZ_l)^2 / E (dO/dZ_(l+1))^2, shape (dense layers - 1, *sweep), input side first: gradients explode
    backwards where it is above 1 and vanish where it is below. error: estimated relative error of the factors.
    A residual block counts as a Dense layer, with the stream behind it. With batches, O is an output at one datum, and
    the squares are summed over the data of its batch. Source: bias-and-trainability-slides (gradients);
    where-you-place-the-norm (BatchNorm in front of ReLU).
    """

    n: Kind
    factor: NDArray[Any]
    error: NDArray[np.float64]

    @cached_property
    def squared(self) -> NDArray[Any]:
        """E (dO/dZ_l)^2 of every Dense layer, shape (dense layers, *sweep); the last one, of O itself, is 1.

        Beyond the range of double precision it is 0 or inf; the factors are not.
        """
        last = np.broadcast_to(self.n.number(1), (1, *self.factor.shape[1:]))
        with np.errstate(over="ignore", under="ignore"):
            return np.concatenate([last, self.factor[::-1]]).cumprod(axis=0)[::-1]

    @property
    def growth(self) -> Any:
        """Factor per layer that takes the output's gradient to the first Dense: the geometric mean of all factors."""
        logarithms = self.n.log(self.factor)
        return self.n.exp(logarithms.sum(axis=0) / len(logarithms))


def gradients(net: Network, inputs: Any = None, *, digits: int | None = None) -> Gradients:
    """Expected squared gradients of a network at initialisation, layer by layer: see `Gradients`.

    inputs: GaussianInputs, default N(0, 1). digits: significant digits of multiprecision arithmetic; None is double
    precision. Whatever the network can predict is taken; refused is what has no derivative (an activation that jumps)
    and what is not known (BatchNorm in batches behind an activation).
    """
    inputs = GaussianInputs() if inputs is None else inputs
    if not isinstance(inputs, GaussianInputs):
        raise TypeError(
            f"expected GaussianInputs, got {type(inputs).__name__}; the gradient at a datum depends on its mean "
            "square alone: GaussianInputs(variance=(X**2).mean(axis=1)) sweeps over the data"
        )
    n = FLOAT64 if digits is None else Multiprecision(checks.whole("digits", digits, 2, MOST_DIGITS))
    on_gaussian_inputs(net.layers, n, inputs)  # refuses what has no prediction
    with np.errstate(all="ignore"):
        found = _segments(net.layers, LawNode(n, Gaussian(inputs.moments(n))))
    if not found:
        raise ValueError("expected a hidden layer, got the output Dense alone: nothing is in front of its gradient")
    return of_segments(n, found)


def _segments(layers: tuple[Layer, ...], node: LawNode) -> list[list[Twins]]:
    """Twins behind every segment from one Dense to the next, which begin with noise of one datum, or of a batch."""
    starts: list[tuple[Any, Any]] = [(node.n.number(1), None)]
    if (batch := batch_of(layers)) is not None and batch.batch_size is not None:
        starts.append((node.n.number(0), node.n.number(1)))
    found: list[list[Twins]] = []
    tracks: list[Twins] = []
    for layer in layers:
        tracks = [twins.through(layer) for twins in tracks]
        node = tracks[0].node if tracks else layer.law(node)
        if layer.listed:
            found += [tracks] if tracks else []
            tracks = [Twins(node, *start) for start in starts]
    return found


def of_segments(n: Kind, segments: list[list[Twins]]) -> Gradients:
    """Gradients from the linear maps of own and shared noise, multiplied from the output's side."""
    shared = n.number(0)  # what shared noise counts for, against that of one datum
    factors, errors = [], []
    for first, *rest in reversed(segments):
        factor = first.own if first.shared is None else first.own + shared * first.shared
        factors.append(factor)
        errors.append(first.error)
        for second in rest:
            shared = (second.own + shared * second.shared) / factor
    return Gradients(n, _rows(factors), _rows(errors))


def _rows(values: list[Any]) -> NDArray[Any]:
    """Array of the values, given from the output's side."""
    return np.stack(np.broadcast_arrays(*values[::-1]))


@final
@dataclass(frozen=True)
class TradeOff:
    """Row of the table: a norm, its placement, and what they do to bias and gradients.

    gamma: bias ratio of the output; factor: expected squared gradient at the last hidden Dense over that at the
    output, what every layer far from the input does; squared: that at the first Dense over that at the output.
    """

    norm: str | None
    placement: str
    gamma: Any
    factor: Any
    squared: Any


def trade_off(
    activation: Any = "relu",
    depth: int = 20,
    *,
    sigma_w2: Any = 2.0,
    sigma_b2: Any = 0.0,
    inputs: GaussianInputs | None = None,
) -> tuple[TradeOff, ...]:
    """Rows for no norm, full-batch BatchNorm, LayerNorm and RMSNorm, in front of the activation and behind it.

    Arguments as those of `mlp` and of `gradients`.
    """
    rows = []
    for norm in (None, "batch", *NORMS):
        for placement in PLACEMENTS:
            net = mlp(depth, activation, norm=norm, placement=placement, sigma_w2=sigma_w2, sigma_b2=sigma_b2)
            found = gradients(net, inputs)
            rows.append(TradeOff(norm, placement, net.predict(inputs).gamma, found.factor[-1], found.squared[0]))
    return tuple(rows)
