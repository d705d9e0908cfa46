"""The law of Gaussian inputs behind layers in a row, in infinite width."""

from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import prod
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.foundations.progress import counted
from igbtheory.layers.activation import Activation, phi_of
from igbtheory.layers.batch_sizes import batch_of, sees_batches
from igbtheory.layers.chain import each, swept, swept_of, unlike
from igbtheory.layers.dense import Dense
from igbtheory.layers.inputs import GaussianInputs
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.gaussian import Gaussian
from igbtheory.layers.nodes.node import LawNode, Passage
from igbtheory.mathematics.averages import gaussian
from igbtheory.mathematics.averages.state import Moments
from igbtheory.mathematics.numbers import Kind
from igbtheory.theory.prediction import Batch, PerLayer, Prediction
from igbtheory.theory.refusals import refuse_lost

CACHED = 2**14
"""Points of a sweep that go through all layers at once if the last one alone is kept: the arrays of a closed form for
so many fit into the cache of one core, of 1 MB or more, and the system need not hand out memory anew."""


def on_gaussian_inputs(
    layers: Sequence[Layer], n: Kind, inputs: GaussianInputs, batch_size: int | None = None, *, last: bool = False
) -> Prediction:
    """Return the prediction for Gaussian inputs, at all points of a sweep.

    batch_size: data in a batch in place of full batches; then covariances within a batch that have no rule are
    estimated from draws, instead of left out. last: whether the moments of the last layer alone are kept.
    """
    shape = checks.broadcast("sweeps", (("", value) for value in (inputs.shift, inputs.variance, *swept(layers))))
    batch = batch_of(layers)
    passage = Passage(within=batch_size is not None or sees_batches(layers), batch_size=batch_size)
    estimated: tuple[Layer, ...] = ()
    if last and prod(shape) > CACHED and _is_perceptron(layers):
        per_layer = _in_blocks(layers, n, inputs, shape)
    else:
        first = LawNode(n, Gaussian(inputs.moments(n)), passage=passage)
        per_layer, estimated = _walked(layers, first, last=last)
    layers = tuple(layers)
    batches = batch and Batch(batch.batch_size or batch_size, InBatches(layers, n, inputs))
    return Prediction(per_layer, batch=batches, estimated=unlike(estimated), layers=layers, inputs=inputs)


def _walked(layers: Sequence[Layer], first: LawNode, *, last: bool) -> tuple[PerLayer, tuple[Layer, ...]]:
    """Return the moments after every Dense, or after the last one, and the layers that were estimated."""
    n, moments = first.n, deque[Moments](maxlen=1 if last else None)
    with np.errstate(all="ignore"):  # numbers that are out of range are refused below
        for i, (x, estimated) in enumerate(_behind_weights(layers, first)):  # noqa: B007 - used below
            moments.append(x)
            refuse_lost(n, x.variance, i + 1)
    return replace(stacked(n, moments), left_out=i + 1 - len(moments)), estimated


def _in_blocks(layers: Sequence[Layer], n: Kind, inputs: GaussianInputs, shape: tuple[int, ...]) -> PerLayer:
    """Return the moments after the last layer of a perceptron, computed for one block of a sweep after the other."""
    owners: list[Any] = [inputs, *each(layers)]
    columns = [
        {name: np.broadcast_to(value, shape).ravel() for name, value in swept_of(owner).items() if np.ndim(value)}
        for owner in owners
    ]
    starts, blocks = range(0, prod(shape), CACHED), []
    for i in counted(starts, len(starts), "points"):
        at_block: dict[int, Any] = {
            id(owner): replace(owner, **{name: column[i : i + CACHED] for name, column in of_owner.items()})
            if of_owner
            else owner
            for owner, of_owner in zip(owners, columns, strict=True)
        }
        first = LawNode(n, Gaussian(at_block[id(inputs)].moments(n)))
        blocks.append(_walked([at_block[id(layer)] for layer in layers], first, last=True)[0])
    var_mu, var_chi, error = (
        np.concatenate([getattr(one, name) for one in blocks], axis=1).reshape(1, *shape)
        for name in ("var_mu", "var_chi", "error")
    )
    return replace(blocks[0], var_mu=var_mu, var_chi=var_chi, error=error, within=var_mu)


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
            x = gaussian.for_dense(node.n, phi_of(layer), x)


def _is_perceptron(layers: Sequence[Layer]) -> bool:
    """Return whether there are Dense layers and single activations alone: nodes would take a third of their time."""
    return type(layers[0]) is Dense and all(
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
