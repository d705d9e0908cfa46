"""Streams of vectors of tokens, from their ids."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from igbtheory.layers.activation import Activation
from igbtheory.layers.spatial_pools import GlobalAvgPool
from igbtheory.layers.tokens import Embedding
from igbtheory.torch.entries import Entries
from igbtheory.torch.few_numbers import is_repeated
from igbtheory.torch.initialisers import variance
from igbtheory.torch.path import Step, Stream


def embedded(name: str, modules: Sequence[Any], stream: Stream, usual: str) -> Stream:
    """Return the stream of a vector for each id of a token.

    modules: the embedding in every model; usual: the initialiser of most layers. ValueError: the theory has none such.
    """
    if stream.path:
        raise ValueError("the theory has embeddings of ids that are the data")
    weights = [module.weight.detach() for module in modules]
    padding = modules[0].padding_idx
    whole = padding is None or is_repeated(weights[0])  # few numbers that are kept leave out the padding
    drawn = weights if whole else [weight[torch.arange(len(weight)) != padding] for weight in weights]
    read = variance(drawn, weights[0].shape[1], len(weights[0]), usual)
    units, before = weights[0].shape[1], stream.entries
    numbers = 1 + (before.numbers[..., None] - 1) * units + torch.arange(units)
    step = Step(name, Embedding(read.value, padding), {"variance": read}, (1,))
    embedded = Stream((step,), Entries(numbers, before.shape, units), units)
    if not isinstance(modules[0], nn.EmbeddingBag):
        return embedded
    if modules[0].mode == "max" or padding is not None:
        raise ValueError("the theory has bags that are means or sums of all words; take an Embedding, and join them")
    factor = before.positions if modules[0].mode == "sum" else 1
    return embedded.behind(
        name,
        [GlobalAvgPool(), Activation(f"{factor}*x")][: 1 + (factor > 1)],
        Entries.laid_out((len(before.numbers), units), 1, ()),
    )
