"""The tokens that a language model reads, and the share of their embeddings in what a tied output reads."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.guesses.vocabulary import Tied
from igbtheory.layers.layer import Layer


def ids_read(layers: Sequence[Layer], inputs: Any, outputs: int, tied: int | None) -> NDArray[np.intp] | None:
    """Return the ids that are read at the positions of so many outputs, or None if they are not known.

    ValueError: they are not known, and the output has the weights of the embedding.
    """
    if layers and layers[0].reads_ids and inputs.size == outputs:
        return np.asarray(inputs, dtype=np.intp).ravel()
    if tied is not None:
        raise ValueError("expected outputs at every token of given ids with tied=, got others; leave tied out")
    return None


def tied_weights(layers: Sequence[Layer], per_layer: Any, tied: int | None) -> Tied | None:
    """Return the tied weights of a model of `tied` units, None if the output has weights of its own.

    per_layer: moments behind the layers that are listed.
    """
    if tied is None:
        return None
    return Tied(checks.whole("tied", tied, 1), embedding_share(layers, per_layer.var_mu + per_layer.var_chi))


def embedding_share(layers: Sequence[Layer], variances: Any) -> float:
    """Return the share of the variance of these units that is the embedding of the token at their position.

    layers: up to the output; variances: of a unit behind those that are listed, means over the positions. Weights turn
    an embedding into independent directions, so that only the path around all of them counts. ValueError: a layer in
    the row has weights, or reads other positions.
    """
    listed = iter(variances)
    embedding = total = 0.0
    for layer in layers[:-1]:
        embedding, total = layer.around(embedding, total)
        total = float(next(listed)) if layer.listed else total
    return embedding / total
