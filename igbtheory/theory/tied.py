"""The tokens that a language model reads, and the share of their embeddings in what a tied output reads."""

from collections.abc import Callable, Sequence
from functools import partial, singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.guesses.vocabulary import Tied
from igbtheory.layers.chain import entering, reads_ids
from igbtheory.layers.dense import Dense
from igbtheory.layers.layer import Layer
from igbtheory.layers.layernorm import LayerNorm, RMSNorm
from igbtheory.layers.positions import Gathered
from igbtheory.layers.residual import Residual
from igbtheory.layers.tokens import EachToken, Embedding, PositionEmbedding
from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.theory.kernels import output_kernel
from igbtheory.theory.worlds import kernels_of_worlds

Array = NDArray[Any]
FEW = 8
"""Number of texts over which variances at a position are averaged: only repeated tokens make a difference there."""


def ids_read(layers: Sequence[Layer], inputs: Any) -> NDArray[np.intp] | None:
    """Return the id that each output reads, or None if an output reads several tokens or none.

    inputs: shape (n_samples, tokens). Behind a layer that moves or merges tokens none is at its own position.
    """
    if not (layers and reads_ids(layers[0])):
        return None
    ids = np.asarray(inputs, dtype=np.intp)[:, None]
    for layer in layers[1:-1]:
        if (kept := selected(layer, ids)) is not None:
            ids = kept
        elif layer.positions(ids.shape[2:]) != ids.shape[2:]:
            return None
    return ids.ravel()


def tied_weights(layers: Sequence[Layer], inputs: Any, tied: int | None, ids: Any) -> Tied | None:
    """Return the tied weights of a model of `tied` units, None if the output has weights of its own.

    ids: those that the outputs read, or None. ValueError: the output has the weights of the embedding, and the ids are
    not known.
    """
    if tied is None:
        return None
    if ids is None:
        raise ValueError("expected outputs at tokens of given ids with tied=, got others; leave tied out")
    return Tied(checks.whole("tied", tied, 1), embedding_shares(layers, np.asarray(inputs)))


def embedding_shares(layers: Sequence[Layer], inputs: NDArray[Any]) -> NDArray[np.float64]:
    """Return the share of the variance of a unit that is the embedding of the token, at the position of each output.

    layers: up to the output, which is the last. Weights turn an embedding into independent directions, so that only the
    path around all of them counts. ValueError: a layer in the row has weights, or reads other positions.
    """
    texts = inputs[:FEW]
    embedding = np.zeros((len(texts), 1, texts.shape[1]))
    for i, layer in enumerate(layers[:-1]):
        kept, total = selected(layer, embedding), partial(variances, layers[:i], texts, embedding.shape)
        embedding = around(layer, embedding, total) if kept is None else kept
    shares = embedding / variances(layers[:-1], texts, embedding.shape)
    return np.tile(shares.reshape(len(texts), -1).mean(axis=0), len(inputs))


def variances(layers: Sequence[Layer], texts: NDArray[Any], shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return the variances of a unit behind the layers, at each of their positions."""
    ends = (*layers, *([EachToken()] if len(shape) == len(("data", "unit", "tokens")) else []), Dense(1.0))
    worlds = kernels_of_worlds(output_kernel(ends, FLOAT64, entering(ends, texts)))
    return np.asarray(np.mean([world.kernel().diagonal() for world in worlds], axis=0).reshape(shape))


@singledispatch
def selected(layer: Layer, values: NDArray[Any]) -> NDArray[Any] | None:
    """Return the values at the positions that a layer selects, None if it selects none."""
    return None


@selected.register
def _(layer: EachToken, values: NDArray[Any]) -> NDArray[Any]:
    return layer.samples(values, np.random.default_rng(0), 1)


@selected.register
def _(layer: Gathered, values: NDArray[Any]) -> NDArray[Any] | None:
    return layer.samples(values, np.random.default_rng(0), 1) if layer.selects else None


@singledispatch
def around(layer: Layer, embedding: Array, total: Callable[[], Array]) -> Array:
    """Return the variance behind a layer of the embedding of the token at each position, without branches.

    embedding: that in front; total: computes that of all units in front. ValueError: the layer turns the embedding
    into other directions.
    """
    raise ValueError(
        "expected embeddings, residual blocks and norms in front of an output with tied weights, got "
        f"{layer!r}; leave tied out"
    )


@around.register
def _(layer: Embedding, embedding: Array, total: Callable[[], Array]) -> Array:
    return np.full_like(embedding, float(layer.variance))


@around.register
def _(layer: PositionEmbedding, embedding: Array, total: Callable[[], Array]) -> Array:
    return embedding


@around.register
def _(layer: LayerNorm | RMSNorm, embedding: Array, total: Callable[[], Array]) -> Array:
    return np.asarray(embedding / (total() + layer.eps))


@around.register
def _(layer: Residual, embedding: Array, total: Callable[[], Array]) -> Array:
    turns = layer.shortcut or not layer.independent
    return around.dispatch(Layer)(layer, embedding, total) if turns else embedding
