"""Language models that predict the next token behind every token, with the initialisation of GPT-2."""

from typing import Any

from igbtheory.foundations import checks
from igbtheory.layers.activation import Activation
from igbtheory.layers.attention import Attention
from igbtheory.layers.dense import Dense
from igbtheory.layers.residual import Residual
from igbtheory.layers.tokens import EachToken, Embedding, PositionEmbedding
from igbtheory.networks.network import Network, Norm, norm_named, repeated

HIDDEN = 4
"""Hidden units of a perceptron of GPT-2, in units of the width."""


def gpt(
    depth: int,
    activation: Any = "gelu",
    *,
    width: int = 768,
    heads: int = 12,
    std: float = 0.02,
    norm: Norm | None = "layer",
    scaled: bool = True,
) -> Network:
    """Return GPT-2 in infinite width: `depth` blocks of causal attention and a perceptron, each after a norm.

    The data are the ids of tokens, whole numbers of shape (n_samples, tokens); outputs are those of every token. width,
    std: units of the model, and the standard deviation of all its weights: embeddings have the variance std^2, and
    layers std^2 times the units that they read. scaled: divide the weights that end a branch by sqrt(2 depth), as GPT-2
    does. norm: None, "layer" or "rms". `widths` of the network are the units of the model, for `predict(width=...)`.
    Source: Radford et al. 2019, Language models are unsupervised multitask learners.

    depth, activation: number of blocks, and the activation of their perceptrons, as in `Activation`. heads: number of
    heads of each attention.

    >>> igb.gpt(1).layers[:2]
    (Embedding(0.0004), PositionEmbedding(0.0004))
    """
    units = checks.whole("width", width, 1)
    checks.non_negative("std", std)
    embedded = float(std) ** 2
    read = embedded * units
    end = read / (2 * checks.whole("depth", depth, 1)) if checks.flag("scaled", scaled) else read
    normed = norm_named(norm, None)
    block = (
        Residual(*normed, Attention(heads, read, read, causal=True), Dense(end)),
        Residual(*normed, Dense(read), Activation(activation), Dense(HIDDEN * end)),
    )
    tokens = (Embedding(embedded), PositionEmbedding(embedded))
    widths = [*[*[units] * 3, HIDDEN * units] * depth, units]
    return Network(*tokens, *repeated(block, depth), *normed, EachToken(), Dense(read), widths=widths)
