"""Attention of models, from its queries, keys and values, whether PyTorch computes it in one step or in several."""

from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, final

import numpy as np
import torch
from torch import fx

from igbtheory.layers.attention import Attention
from igbtheory.layers.convolution import Conv2d
from igbtheory.layers.dense import Dense
from igbtheory.layers.layer import Layer
from igbtheory.torch.entries import Entries, Index
from igbtheory.torch.path import Path, Step, Stream, factor_of, in_common
from igbtheory.torch.rows import PRODUCTS, SUMS

MATRIX_PRODUCTS = {"matmul", "__matmul__", "bmm"}
QUOTIENTS = {"div", "div_", "truediv", "true_divide", "__truediv__"}
SELF = "the theory has self-attention alone, whose queries, keys and values are linear in the same units"


@final
@dataclass(frozen=True, eq=False)
class Scores:
    """Products of queries and keys, (..., tokens, tokens), times a factor, perhaps behind a softmax.

    added: what is added to them, None if nothing is. is_causal: whether a token sees none behind it.
    """

    queries: Stream
    keys: Stream
    factor: float = 1.0
    added: torch.Tensor | None = None
    is_causal: bool = False
    normalised: bool = False


def scores_of(node: fx.Node, name: str, held: Any, arguments: list[Any]) -> "Scores | None":
    """Return the scores at a node, None if it holds none. ValueError: the theory has no such scores.

    name: of the function, or of the class of the module. held: function that returns the stream or the scores that a
    node holds; arguments: the values of those of the call.
    """
    of_node = [held(part) if isinstance(part, fx.Node) else None for part in node.args]
    if name in MATRIX_PRODUCTS and all(isinstance(part, Stream) for part in of_node):
        queries, keys = of_node
        transposed = replace(keys.entries, numbers=keys.entries.numbers.transpose(-1, -2))
        return Scores(queries, replace(keys, entries=transposed))
    scores = next((part for part in of_node if isinstance(part, Scores)), None)
    if scores is None or name in MATRIX_PRODUCTS:
        return None
    other = next((value for part, value in zip(of_node, arguments, strict=True) if part is None), None)
    if node.target in PRODUCTS or name in QUOTIENTS:
        number = float(torch.as_tensor(other))
        return replace(scores, factor=scores.factor * (number if node.target in PRODUCTS else 1 / number))
    if node.target in SUMS and not scores.normalised:
        return replace(scores, added=other if scores.added is None else scores.added + other)
    if name == "masked_fill":
        return replace(scores, added=torch.zeros(arguments[1].shape).masked_fill(*arguments[1:]))
    if name in {"softmax", "Softmax"}:
        return replace(scores, normalised=True)
    if name in {"float", "to", "type_as", "clone", "contiguous", "Identity"}:
        return scores
    raise ValueError(f"the theory has scores of attention that are scaled, masked and normalised, got {name} of them")


def attention(name: str, scores: Scores, values: Stream) -> Stream:
    """Return the stream behind attention. ValueError: the theory has no such attention."""
    common = in_common([stream.path for stream in (scores.queries, scores.keys, values)])
    if common and _is_linear(common[-1].layer):  # one layer makes queries, keys and values
        common = common[:-1]
    (query, of_query), (key, of_key), (value, of_value) = (
        _projection(stream.path[len(common) :]) for stream in (scores.queries, scores.keys, values)
    )
    entries = scores.queries.entries
    size = entries.numbers.shape[-1]
    strength = abs(scores.factor * of_query * of_key) * sqrt(size * float(query.sigma_w2) * float(key.sigma_w2))
    heads, groups, there = _heads(entries, scores.keys.entries, values.entries)
    causal, bias = _mask(scores)
    layer = Attention(
        heads,
        strength,
        float(value.sigma_w2) * of_value**2,
        causal=causal,
        groups=None if groups == (tuple(range(entries.positions)),) else groups,
        **_biases(query, key, value, bias),
    )
    channels = _units_of(common, scores.queries)
    return Stream((*common, Step(name, layer, channels=(channels,))), there, there.units)


def _biases(query: Any, key: Any, value: Any, bias: float) -> dict[str, float]:
    """Return the variances of biases, those of queries and keys as if their weights had the variance of the layer."""
    ratios = [float(layer.sigma_b2) / float(layer.sigma_w2) for layer in (query, key)]
    if not np.isclose(*ratios):
        raise ValueError("the theory has attention whose queries and keys have alike weights and biases")
    return {"sigma_qkb2": ratios[0], "sigma_vb2": float(value.sigma_b2), "sigma_s2": bias}


def _projection(path: Path) -> tuple[Any, float]:
    """Return the linear layer that makes queries, keys or values, and a factor behind it. ValueError: there is more."""
    if not path or not _is_linear(path[0].layer):
        raise ValueError(SELF)
    factor = 1.0
    for step in path[1:]:
        scaled = factor_of(step.layer)
        if scaled is None:
            raise ValueError(f"{SELF}; got {step.layer!r} behind such a layer")
        factor *= scaled
    return path[0].layer, factor


def _is_linear(layer: Layer) -> bool:
    """Return whether a layer makes sums of the units at each position, as Dense does."""
    return isinstance(layer, Dense) or (isinstance(layer, Conv2d) and layer.size == 1 and layer.groups == 1)


def _units_of(common: Path, stream: Stream) -> int:
    """Return the number of units that the linear layers of the queries read."""
    steps = stream.path[len(common) :]
    return steps[0].channels[0] if steps and steps[0].channels else stream.channels


def _heads(queries: Entries, keys: Entries, values: Entries) -> tuple[int, Index, Entries]:
    """Return the number of heads, the groups of positions that attend to one another, and the entries behind.

    All entries have the shape (..., tokens, units of a head).
    """
    rows = [Entries(x.numbers.flatten(0, -3), x.shape, x.units) for x in (queries, keys, values)]
    places = [x.positioned[..., 0] for x in rows]
    if any(not x.at_one_position(-1) for x in rows) or any(not torch.equal(places[0], other) for other in places[1:]):
        raise ValueError(f"{SELF}, at the same positions")
    first = rows[0].unit[:, 0].min(dim=-1).values
    heads, head = first.unique(return_inverse=True)
    of_first_datum = places[0][places[0][:, 0] < queries.positions]
    groups = tuple(dict.fromkeys(tuple(row) for row in of_first_datum.tolist()))
    if sorted(position for group in groups for position in group) != list(range(queries.positions)):
        raise ValueError("the theory has attention in which each token is in one group, such as a window")
    size = values.numbers.shape[-1]
    units = len(heads) * size
    numbers = 1 + places[0][..., None] * units + head[:, None, None] * size + torch.arange(size)
    return len(heads), groups, Entries(numbers.reshape(values.numbers.shape), queries.shape, units)


def _mask(scores: Scores) -> tuple[bool, float]:
    """Return whether tokens see none behind them, and the variance of numbers that are added to the scores."""
    if scores.added is None:
        return scores.is_causal, 0.0
    tokens = scores.queries.entries.numbers.shape[-2]
    added = scores.added if scores.added.is_floating_point() else torch.zeros(scores.added.shape).masked_fill(~scores.added, -np.inf)
    hidden = added < -1e4
    full = hidden.expand(*hidden.shape[:-2], tokens, tokens)
    later = torch.ones(tokens, tokens).triu(1).bool()
    causal = bool(full.any())
    if causal and not bool((full == later).all()):
        raise ValueError("the theory has masks that hide the tokens behind each token, got another mask")
    kept = added[~hidden].double()
    if kept.numel() and bool((kept == kept[0]).all()):
        return causal or scores.is_causal, 0.0
    return causal or scores.is_causal, float(kept.square().mean())
