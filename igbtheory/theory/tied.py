"""The share of the embedding of a token in the units that the output reads, for tied weights of both."""

from collections.abc import Sequence
from typing import Any

from igbtheory.layers.layer import Layer


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
