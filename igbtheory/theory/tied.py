"""The tokens that a language model reads, and the share of their embeddings in what a tied output reads."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.guesses.vocabulary import Tied
from igbtheory.layers.chain import entering
from igbtheory.layers.dense import Dense
from igbtheory.layers.layer import Layer
from igbtheory.layers.tokens import EachToken
from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.theory.kernels import output_kernel
from igbtheory.theory.worlds import kernels_of_worlds

FEW = 8
"""Number of texts over which variances at a position are averaged: only repeated tokens make a difference there."""


def ids_read(layers: Sequence[Layer], inputs: Any) -> NDArray[np.intp] | None:
    """Return the id that each output reads, or None if an output reads several tokens or none.

    inputs: shape (n_samples, tokens). Behind a layer that moves or merges tokens none is at its own position.
    """
    if not (layers and layers[0].reads_ids):
        return None
    ids = np.asarray(inputs, dtype=np.intp)[:, None]
    for layer in layers[1:-1]:
        if layer.selects:
            ids = selected(layer, ids)
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
        if layer.selects:
            embedding = selected(layer, embedding)
        else:
            embedding = layer.around(embedding, partial(variances, layers[:i], texts, embedding.shape))
    shares = embedding / variances(layers[:-1], texts, embedding.shape)
    return np.tile(shares.reshape(len(texts), -1).mean(axis=0), len(inputs))


def variances(layers: Sequence[Layer], texts: NDArray[Any], shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return the variances of a unit behind the layers, at each of their positions."""
    ends = (*layers, *([EachToken()] if len(shape) == len(("data", "unit", "tokens")) else []), Dense(1.0))
    worlds = kernels_of_worlds(output_kernel(ends, FLOAT64, entering(ends, texts)))
    return np.asarray(np.mean([world.kernel().diagonal() for world in worlds], axis=0).reshape(shape))


def selected(layer: Layer, values: NDArray[Any]) -> NDArray[Any]:
    """Return the values at the positions that a layer selects."""
    return layer.samples(values, np.random.default_rng(0), 1)
