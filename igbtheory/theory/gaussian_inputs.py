"""The law of Gaussian inputs behind layers in a row, in infinite width."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from igbtheory.foundations import checks
from igbtheory.layers.batch_sizes import batch_of, in_batches, sees_batches
from igbtheory.layers.chain import swept, unlike
from igbtheory.layers.inputs import GaussianInputs
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.gaussian import Gaussian
from igbtheory.layers.nodes.node import LawNode, Node
from igbtheory.mathematics.averages.state import Moments
from igbtheory.mathematics.numbers import Kind
from igbtheory.theory.prediction import Batch, PerLayer, Prediction
from igbtheory.theory.refusals import refuse_lost


def on_gaussian_inputs(
    layers: Sequence[Layer], n: Kind, inputs: GaussianInputs, *, draws_within: bool = False
) -> Prediction:
    """Return the prediction for Gaussian inputs, at all points of a sweep.

    draws_within: whether covariances within a batch are estimated from draws, instead of left out, if there is no rule.
    """
    checks.broadcast("sweeps", (("", value) for value in (inputs.shift, inputs.variance, *swept(layers))))
    batch = batch_of(layers)
    node = LawNode(n, Gaussian(inputs.moments(n)), draws_within=draws_within or sees_batches(layers))
    found: list[Moments] = []
    with np.errstate(all="ignore"):  # numbers that are out of range are refused below
        for layer in layers:
            node = layer.law(node)
            if not isinstance(node, Node):
                raise TypeError(
                    f"expected the law of {layer!r} to return a node, got {type(node).__name__}; return "
                    "node.remade(self, moments)"
                )
            if layer.listed:
                found.append(node.averaged())
                refuse_lost(n, found[-1].variance, len(found))
    per_layer = stacked(n, found)
    layers = tuple(layers)
    batches = batch and Batch(batch.batch_size, InBatches(layers, n, inputs))
    return Prediction(per_layer, batch=batches, estimated=unlike(node.estimated), layers=layers, inputs=inputs)


@final
@dataclass(frozen=True)
class InBatches:
    """The prediction as a function of the batch size.

    It replaces full batches, and draws the covariances within a batch that have no rule.
    """

    layers: tuple[Layer, ...]
    n: Kind
    inputs: GaussianInputs

    def __call__(self, size: int) -> Prediction:
        """Return the prediction with batches of that size."""
        return on_gaussian_inputs(in_batches(self.layers, size), self.n, self.inputs, draws_within=True)


def stacked(n: Kind, found: Sequence[Moments]) -> PerLayer:
    """Return the moments after every Dense as arrays of one shape."""
    parts = [(x.var_mu, x.var_chi, x.error, x.covariance) for x in found]
    shape = np.broadcast_shapes(*(np.shape(part) for x in parts for part in x))
    return PerLayer(n, *(np.stack([np.broadcast_to(x, shape) for x in rows]) for rows in zip(*parts, strict=True)))
