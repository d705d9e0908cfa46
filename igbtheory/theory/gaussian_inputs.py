"""The law of Gaussian inputs behind layers in a row, in infinite width."""

from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.layers.batch_sizes import batch_of, sees_batches
from igbtheory.layers.chain import swept, unlike
from igbtheory.layers.inputs import GaussianInputs
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.gaussian import Gaussian
from igbtheory.layers.nodes.node import LawNode, Passage
from igbtheory.mathematics.averages.state import Moments
from igbtheory.mathematics.numbers import Kind
from igbtheory.theory.prediction import Batch, PerLayer, Prediction
from igbtheory.theory.refusals import refuse_lost


def on_gaussian_inputs(
    layers: Sequence[Layer], n: Kind, inputs: GaussianInputs, batch_size: int | None = None, *, last: bool = False
) -> Prediction:
    """Return the prediction for Gaussian inputs, at all points of a sweep.

    batch_size: data in a batch in place of full batches; then covariances within a batch that have no rule are
    estimated from draws, instead of left out. last: whether the moments of the last layer alone are kept.
    """
    checks.broadcast("sweeps", (("", value) for value in (inputs.shift, inputs.variance, *swept(layers))))
    batch = batch_of(layers)
    passage = Passage(within=batch_size is not None or sees_batches(layers), batch_size=batch_size)
    first = LawNode(n, Gaussian(inputs.moments(n)), passage=passage)
    moments: deque[Moments] = deque(maxlen=1 if last else None)
    with np.errstate(all="ignore"):  # numbers that are out of range are refused below
        for i, node in enumerate(passage.listed(layers, first)):
            moments.append(node.averaged())
            refuse_lost(n, moments[-1].variance, i + 1)
    per_layer = replace(stacked(n, moments), left_out=i + 1 - len(moments))
    layers = tuple(layers)
    batches = batch and Batch(batch.batch_size or batch_size, InBatches(layers, n, inputs))
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
        return on_gaussian_inputs(self.layers, self.n, self.inputs, size)


def stacked(n: Kind, moments: Collection[Moments]) -> PerLayer:
    """Return the moments after every Dense as arrays of one shape."""
    columns = [(x.var_mu, x.var_chi, x.error, x.covariance) for x in moments]
    shape = np.broadcast_shapes(*{np.shape(part) for x in columns for part in x})

    def stack(rows: Sequence[Any]) -> NDArray[Any]:
        array = np.empty((len(rows), *shape), dtype=np.asarray(rows[0]).dtype)
        for i, row in enumerate(rows):
            array[i] = row
        return array

    var_mu, var_chi, error, within = zip(*columns, strict=True)
    shared = stack(var_mu)
    batches = any(x.within is not None for x in moments)
    return PerLayer(n, shared, stack(var_chi), stack(error), stack(within) if batches else shared)
