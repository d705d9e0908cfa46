"""Theory of a chain of layers in infinite width: the law of Gaussian inputs, or the kernel of a given data set."""

from collections.abc import Sequence
from functools import partial
from itertools import takewhile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from igbtheory import checks
from igbtheory.averages.state import Moments
from igbtheory.guesses import DatasetGuessLaw
from igbtheory.inputs import GaussianInputs
from igbtheory.layers import Dense, Dropout, Gaussian, KernelNode, LawNode, Layer, Pairs, Residual
from igbtheory.layers.batchnorm import batch_of, in_batches
from igbtheory.layers.chain import each
from igbtheory.layers.node import Averaged
from igbtheory.layers.recipe import Component
from igbtheory.numbers import FLOAT64, Kind
from igbtheory.prediction import Batch, PerLayer, Prediction

BLOCK = 2**20
"""Entries of the kernel of a data set held at once."""
RANGE = 1e150
"""Variance at most, and its inverse at least, in double precision."""
ROUNDED = 8
"""Difference of kernels, in units of the rounding of q, that is none."""
LARGEST = 30_000
"""Data of a given set at most: the time grows with the square."""
LARGEST_BATCHED = 4_000
"""Data of a given set at most behind a BatchNorm, which needs their kernel as a whole."""
STREAM = (Dense, Residual)
"""Layers after which a prediction tells the moments of the stream."""


def on_gaussian_inputs(layers: Sequence[Layer], n: Kind, inputs: GaussianInputs) -> Prediction:
    """Prediction for Gaussian inputs, point by point of a sweep."""
    _refuse_unlike(inputs.shift, inputs.variance, *_parameters(layers))
    batch = batch_of(layers)
    node = LawNode(n, Gaussian(inputs.moments(n)))
    found: list[Moments] = []
    with np.errstate(all="ignore"):  # what leaves the range of the numbers is refused below
        for layer in layers:
            node = layer.law(node)
            if isinstance(layer, STREAM):
                found.append(node.averaged())
    var_mu, var_chi, error, within = map(_stacked, zip(*map(_parts, found), strict=True))
    var_mu, var_chi = np.broadcast_arrays(var_mu, var_chi)
    _refuse_lost(n, var_mu + var_chi)
    per_layer = PerLayer(n, var_mu, var_chi, error, np.broadcast_to(within, var_mu.shape))
    return Prediction(per_layer, batch=batch and Batch(batch.batch_size, partial(_in_batches, layers, n, inputs)))


def _in_batches(layers: Sequence[Layer], n: Kind, inputs: GaussianInputs, size: int) -> Prediction:
    """Prediction with batches of that size where the full batch is meant."""
    return on_gaussian_inputs(in_batches(layers, size), n, inputs)


def _parts(x: Moments) -> tuple[Any, ...]:
    return x.var_mu, x.var_chi, x.error, x.covariance


def on_data_set(layers: Sequence[Layer], n: Kind, inputs: Any) -> Prediction:
    """Prediction for the very data set `inputs`, in blocks of its kernel."""
    if any(map(np.ndim, _parameters(layers))):
        raise ValueError("expected one network on a data set, got a sweep; loop over its values")
    chain, data = _prepared(layers, checks.data_set(inputs))
    data = n.number(data)
    batch = batch_of(layers)
    most = LARGEST if batch is None else LARGEST_BATCHED
    if len(data) > most:
        raise ValueError(
            f"expected at most {most} data, got {len(data)}: their kernel has the square of entries; predict "
            f"on a subsample, for example X[np.random.default_rng(0).choice({len(data)}, {most}, replace=False)]"
        )
    rows = max(1, BLOCK // len(data)) if batch is None else len(data)
    starts = range(0, len(data), rows)
    with np.errstate(all="ignore"):  # as above
        blocks = [_sums(_pairs(chain, n, data, slice(i, i + rows)), i) for i in starts]
    sums, arcsines, ranks = zip(*blocks, strict=True)
    q_ab, q, error = sum(sums, start=np.zeros(()))
    q_ab, q, error = q_ab / len(data) ** 2, q / len(data), error.astype(float) / len(starts)
    _refuse_lost(n, q)
    # less is what rounding leaves of a centred kernel, or of one of equal data
    least = ROUNDED * n.epsilon * q
    q_ab, var_chi = (np.where(part > least, part, 0 * q) for part in (q_ab, q - q_ab))
    error = np.where(var_chi == 0, 0.0, error * np.asarray(n.ratio(q, var_chi), dtype=float))
    law = DatasetGuessLaw(len(data), sum(arcsines) / len(data) ** 2, partial(_output_kernel, chain, data))
    return Prediction(PerLayer(n, q_ab, var_chi, error, q_ab), law, effective_rank=min(ranks))


def _parameters(layers: Sequence[Layer]) -> list[Any]:
    """All that may be a sweep."""
    dense = [value for layer in each(layers) if isinstance(layer, Dense) for value in (layer.sigma_w2, layer.sigma_b2)]
    return dense + [layer.scale for layer in each(layers) if isinstance(layer, Residual)]


def _refuse_unlike(*values: Any) -> None:
    """Refuse sweeps whose shapes do not broadcast."""
    shapes = {np.shape(value) for value in values}
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        named = ", ".join(map(str, sorted(shapes)))
        raise ValueError(
            f"expected sweeps whose shapes broadcast, got {named}; give one of them an axis more, as in a[:, None]"
        ) from None


def _prepared(layers: Sequence[Layer], data: Any) -> tuple[Sequence[Layer], Any]:
    """Layers that are left, and the data behind those in front of the first one that draws at random."""
    done = list(takewhile(lambda layer: not isinstance(layer, Dense | Dropout | Residual), layers))
    for layer in done:
        data = layer.samples(data, np.random.default_rng(0), data.shape[1])
    return layers[len(done) :], data


def _pairs(layers: Sequence[Layer], n: Kind, data: Any, rows: slice) -> list[Pairs]:
    """Kernel of the stream for the pairs of the data in `rows` with all data."""
    features = data.shape[1]
    q, mean = (data * data).sum(axis=1) / features, data.sum(axis=1) / features
    q_ab = data[rows] @ data.T / features
    own = np.arange(len(q_ab))
    q_ab[own, rows.start + own] = q[rows]  # exactly: the matrix product may differ in the last digit
    same = np.zeros(q_ab.shape, dtype=bool)
    same[own, rows.start + own] = True
    pairs = Pairs(q[rows, None], q[None, :], q_ab, same, n.epsilon)

    node = KernelNode(n, Averaged(pairs, (mean[rows, None], mean[None, :]), Component(data)))
    found: list[Pairs] = []
    batched = batch_of(layers) is not None
    for layer in layers:
        node = layer.kernel(node)
        if isinstance(layer, STREAM):
            found.append(node.averaged())
            if len(found) == 1 or batched:
                _refuse_silent(found, rows.start)
    return found


def _output_kernel(layers: Sequence[Layer], data: Any) -> NDArray[np.float64]:
    return np.asarray(_pairs(layers, FLOAT64, data.astype(float), slice(0, len(data)))[-1].q_ab)


def _refuse_lost(n: Kind, q: NDArray[Any]) -> None:
    """Refuse a network some of whose variances q, shape (dense layers, *sweep), are zero or out of range.

    The range of double precision ends at 1e150, because rules multiply two variances.
    """
    lost = ~(q > 0) | (((q < 1 / RANGE) | (q > RANGE)) if n is FLOAT64 else ~np.isfinite(q.astype(float)))
    layers = np.flatnonzero(lost.reshape(len(q), -1).any(axis=1))
    if layers.size:
        value = float(np.ravel(q[layers[0]])[np.ravel(lost[layers[0]])][0])
        raise ValueError(f"the variance after Dense layer {layers[0] + 1} of {len(q)} is {value:g}, {_loss(value)}")


def _loss(value: float) -> str:
    """What such a variance makes of the outputs, and what to do."""
    if value == 0:
        return (
            "so its outputs tie exactly: its weights are 0, or all that they read; use sigma_w2 > 0 and inputs that "
            "are not all 0, such as GaussianInputs(0, 1), or set sigma_b2 > 0"
        )
    return (
        "so its outputs are out of range; use a sigma_w2 nearer to the critical one (2.0 for relu), sigma_b2 > 0, or "
        "digits=30"
    )


def _refuse_silent(found: list[Pairs], start: int) -> None:
    """Refuse data, numbered from `start`, whose pre-activations have no variance."""
    silent = np.flatnonzero(np.ravel(found[-1].q_a) == 0)
    if not silent.size:
        return
    if len(found) == 1:
        why, remedy = "it is all zeros, or sigma_w2 is", "remove it, shift the data"
    else:
        why, remedy = "its batch does not vary in front of a BatchNorm, which makes it 0", "remove data that are equal"
    raise ValueError(
        f"datum {start + silent[0]} has no variance behind Dense layer {len(found)}, so its outputs tie exactly: "
        f"{why}, and there are no biases; {remedy}, or set sigma_b2 > 0"
    )


def _stacked(values: tuple[Any, ...]) -> NDArray[Any]:
    if not any(map(np.ndim, values)):
        return np.array(values)
    shape = np.broadcast_shapes(*map(np.shape, values))
    return np.stack([np.broadcast_to(value, shape) for value in values])


def _sums(pairs: list[Pairs], start: int) -> tuple[NDArray[Any], float, float]:
    """Of a block that begins with datum `start`: sums of q_ab and q_aa, and error, (3, dense layers).

    Also the sum of asin(c_ab)/(2 pi) of the outputs, and the least effective rank.
    """
    rows = [[part.q_ab.sum(), part.q_a.sum(), part.error] for part in pairs]
    return np.array(rows).T, _arcsines(pairs[-1], start), min(part.rank for part in pairs)


def _arcsines(pairs: Pairs, start: int) -> float:
    """Sum of asin(c_ab)/(2 pi); a datum with itself counts 1/4 exactly, since asin at 1 makes much of a last digit."""
    c = (pairs.q_ab / (pairs.q_a * pairs.q_b) ** 0.5).astype(float)
    own = np.arange(len(c))
    c[own, start + own] = 1
    return float(np.arcsin(np.clip(c, -1, 1)).sum()) / (2 * np.pi)
