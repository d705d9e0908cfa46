"""The law of Gaussian inputs behind layers in a row, in infinite width."""

from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.foundations.progress import counted
from igbtheory.layers.activation import Activation
from igbtheory.layers.batch_sizes import batch_of, sees_batches
from igbtheory.layers.chain import swept, unlike
from igbtheory.layers.dense import Dense
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
        for i, (x, estimated) in enumerate(_behind_weights(layers, first)):  # noqa: B007 - used below
            moments.append(x)
            refuse_lost(n, x.variance, i + 1)
    per_layer = replace(stacked(n, moments), left_out=i + 1 - len(moments))
    layers = tuple(layers)
    batches = batch and Batch(batch.batch_size or batch_size, InBatches(layers, n, inputs))
    return Prediction(per_layer, batch=batches, estimated=unlike(estimated), layers=layers, inputs=inputs)


def _behind_weights(layers: Sequence[Layer], node: LawNode) -> Iterator[tuple[Moments, tuple[Any, ...]]]:
    """Yield the moments behind each Dense and the layers that were estimated, given the node in front of all layers."""
    if not _is_perceptron(layers):
        yield from ((behind.averaged(), behind.estimated) for behind in node.passage.listed(layers, node))
        return
    x = node.averaged()
    for layer in counted(layers, len(layers), "layers"):
        if type(layer) is Dense:
            x = node.sums(x, layer.sigma_w2, layer.sigma_b2)
            yield x, ()
        else:
            x = Gaussian(x).average(node.n, layer.function, 1)


def _is_perceptron(layers: Sequence[Layer]) -> bool:
    """Return whether there are Dense layers and single activations alone: nodes would take a third of their time."""
    return all(
        type(layer) is Dense
        or (type(layer) is Activation and type(after) is Dense and not layer.phis and layer.phi.doubt is None)
        for layer, after in pairwise((*layers, None))
    )


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
    shape = np.broadcast_shapes(*{getattr(part, "shape", ()) for x in columns for part in x})

    def stack(rows: Sequence[Any]) -> NDArray[Any]:
        return np.fromiter(rows, np.dtype((np.asarray(rows[0]).dtype, shape)), len(rows))

    var_mu, var_chi, error, within = zip(*columns, strict=True)
    shared = stack(var_mu)
    batches = any(x.within is not None for x in moments)
    return PerLayer(n, shared, stack(var_chi), stack(error), stack(within) if batches else shared)
