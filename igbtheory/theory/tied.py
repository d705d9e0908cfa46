"""The share of the embedding of a token in the units that the output reads, for tied weights of both."""

from typing import TYPE_CHECKING

from igbtheory.layers.chain import each, weigh
from igbtheory.layers.layernorm import LayerNorm, RMSNorm
from igbtheory.layers.residual import Residual
from igbtheory.layers.tokens import EachToken, Embedding, PositionEmbedding

if TYPE_CHECKING:
    from igbtheory.theory.prediction import Prediction


def embedding_share(prediction: "Prediction") -> float:
    """Return the share of the variance of these units that is the embedding of the token at their position.

    Weights turn an embedding into independent directions, so that only the path around all of them counts. The share is
    that of the mean variances over the positions. ValueError: a layer in the row has weights, or reads other positions.
    """
    variances = iter((prediction.per_layer.var_mu + prediction.per_layer.var_chi).astype(float))
    embedding = total = 0.0
    for layer in prediction.layers[:-1]:
        total = float(next(variances)) if layer.listed else total
        if isinstance(layer, Embedding):
            embedding = float(layer.variance)
        elif isinstance(layer, PositionEmbedding):
            total += float(layer.variance)
        elif isinstance(layer, LayerNorm | RMSNorm):
            embedding, total = embedding / total, 1.0
        elif not (isinstance(layer, EachToken) or _goes_around(layer)):
            raise ValueError(
                "expected embeddings, residual blocks and norms in front of an output with tied weights, got "
                f"{layer!r}; leave tied out"
            )
    return embedding / total


def _goes_around(layer: object) -> bool:
    """Return whether a layer adds a branch with weights to its stream."""
    return isinstance(layer, Residual) and not layer.shortcut and weigh(each(layer.layers))
