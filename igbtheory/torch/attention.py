"""Attention of models, from its queries, keys and values, whether PyTorch computes it in one step or in several."""

from math import sqrt
from typing import Any

import numpy as np
import torch
from torch import fx

from igbtheory.layers.attention import Attention
from igbtheory.torch.dataflow import Dataflow
from igbtheory.torch.entries import Entries, Index
from igbtheory.torch.operators import arguments, called
from igbtheory.torch.path import Path, Step, Stream, factor_of, in_common
from igbtheory.torch.rows.attention import HIDDEN
from igbtheory.torch.rows.weights import is_projection
from igbtheory.torch.scores import MATRIX_PRODUCTS, OF_DATUM, Held, Scores, held_by_arguments, scores_between

SELF = "the theory has self-attention alone, whose queries, keys and values are linear in the same units"


def attention_at(flow: Dataflow, node: fx.Node, held: Held) -> Stream | None:
    """Return the stream behind attention, None if the node is none. ValueError: the theory has no such attention."""
    name = flow.named[node.name]
    if called(node) in MATRIX_PRODUCTS:
        weights, values = held_by_arguments(node, held)
        if isinstance(weights, Scores) and weights.normalised and isinstance(values, Stream):
            return _attention(name, weights, values)
        return None
    if called(node) != "scaled_dot_product_attention":
        return None
    given = arguments(node.target, node.args, node.kwargs)
    queries, keys, values = (held(given[part]) for part in ("query", "key", "value"))
    if not (isinstance(queries, Stream) and isinstance(keys, Stream) and isinstance(values, Stream)):
        return None
    if given.get("attn_mask") in flow.inputs(node):
        raise ValueError(OF_DATUM)
    # they may be nodes, such as arguments of the model like is_causal=False
    names = "scale", "is_causal", "attn_mask", "dropout_p"
    options = {option: flow.constants.argument(given.get(option), 0, node) for option in names}
    factor = options["scale"] or queries.entries.numbers.shape[-1] ** -0.5
    causal, dropout = bool(options["is_causal"]), options["dropout_p"] or 0.0
    scores = scores_between(queries, keys, factor=factor, is_causal=causal, dropout=dropout)
    if options["attn_mask"] is None:
        return _attention(name, scores, values)
    masks = [flow.constants.argument(given["attn_mask"], i, node) for i in range(len(flow.models))]
    return _attention(name, scores.plus(masks), values)


def _attention(name: str, scores: Scores, values: Stream) -> Stream:
    """Return the stream behind attention. ValueError: the theory has no such attention."""
    paths = [stream.path for stream in (scores.queries, scores.keys, values)]
    common = in_common(paths)
    if common and common in paths and is_projection(common[-1].layer):  # one layer makes queries, keys and values
        common = common[:-1]
    (query, of_query), (key, of_key), (value, of_value) = (
        _projection(stream.path[len(common) :]) for stream in (scores.queries, scores.keys, values)
    )
    entries = scores.queries.entries
    size = entries.numbers.shape[-1]
    strength = abs(scores.factor * of_query * of_key) * sqrt(size * float(query.sigma_w2) * float(key.sigma_w2))
    heads, groups, causal, there = _heads(scores, values.entries)
    layer = Attention(
        heads,
        strength,
        float(value.sigma_w2) * of_value**2,
        causal=causal,
        groups=None if groups == (tuple(range(entries.positions)),) else groups,
        dropout=scores.dropout,
        **_biases(query, key, value, _bias(scores.added)),
    )
    channels = _units_of(common, scores.queries)
    return Stream((*common, Step(name, layer, channels=(channels,))), there, there.units)


def _bias(added: torch.Tensor) -> float:
    """Return the variance of numbers that are added to scores, (models, ...), 0 if they are the same for all tokens.

    ValueError: they are given, such as distances.
    """
    kept = added[:, (added > HIDDEN).all(dim=0)].double()
    if bool((kept == kept[:, :1]).all()):
        return 0.0
    if len(kept) > 1 and bool((kept == kept[0]).all()):
        raise ValueError("the theory has biases of scores that are drawn, got given ones, such as distances")
    return float(kept.square().mean())


def _biases(query: Any, key: Any, value: Any, bias: float) -> dict[str, Any]:
    """Return the variances of biases, those of queries and keys as if their weights had the variance of the layer."""
    ratios = [float(layer.sigma_b2) / float(layer.sigma_w2) for layer in (query, key)]
    if not np.isclose(ratios[0], ratios[1]):
        raise ValueError("the theory has attention whose queries and keys have alike weights and biases")
    return {"sigma_qkb2": ratios[0], "sigma_vb2": float(value.sigma_b2), "sigma_s2": bias}


def _projection(path: Path) -> tuple[Any, float]:
    """Return the linear layer that makes queries, keys or values, and a factor behind it. ValueError: there is more."""
    if not path or not is_projection(path[0].layer):
        raise ValueError(SELF)
    factor = 1.0
    for step in path[1:]:
        scaled = factor_of(step.layer)
        if scaled is None:
            raise ValueError(f"{SELF}; got {step.layer!r} behind such a layer")
        factor *= scaled
    return path[0].layer, factor


def _units_of(common: Path, stream: Stream) -> int:
    """Return the number of units that the linear layers of the queries read."""
    steps = stream.path[len(common) :]
    return steps[0].channels[0] if steps and steps[0].channels else stream.channels


def _heads(scores: Scores, values: Entries) -> tuple[int, Index, bool, Entries]:
    """Return the number of heads, the groups of positions that see one another, whether causally, and what is behind.

    All entries have the shape (..., tokens, units of a head).
    """
    entries = scores.queries.entries, scores.keys.entries, values
    rows = [Entries(x.numbers.flatten(0, -3), x.shape, x.units) for x in entries]
    places, of_queries = [x.positioned[..., 0] for x in rows], entries[0]
    if any(not x.at_one_position(-1) for x in rows) or any(not torch.equal(places[0], other) for other in places[1:]):
        raise ValueError(f"{SELF}, at the same positions")
    first = rows[0].unit[:, 0].min(dim=-1).values
    heads, head = first.unique(return_inverse=True)
    tokens = places[0].shape[1]
    later = torch.ones(tokens, tokens).triu(1).bool()
    visible = scores.added[0].reshape(-1, tokens, tokens) > HIDDEN
    causal = scores.is_causal or bool(tokens > 1 and (visible == ~later).all())
    by_head: dict[int, dict[tuple[int, ...], None]] = {}
    for row, of_row, number in zip(places[0].tolist(), visible, head.tolist(), strict=True):
        if row[0] < of_queries.positions:  # of the first datum
            attended = [tuple(row)] if causal else _classes(row, of_row)
            by_head.setdefault(number, {}).update(dict.fromkeys(attended))
    groups = by_head[0]
    if any({*other} != {*groups} for other in by_head.values()):
        raise ValueError("the theory has masks that are the same for all heads, got one for each head")
    if sorted(position for group in groups for position in group) != list(range(of_queries.positions)):
        raise ValueError("the theory has attention in which each token is in one group, such as a window")
    size = values.numbers.shape[-1]
    units = len(heads) * size
    numbers = 1 + places[0][..., None] * units + head[:, None, None] * size + torch.arange(size)
    return len(heads), tuple(groups), causal, Entries(numbers.reshape(values.numbers.shape), of_queries.shape, units)


def _classes(positions: list[int], visible: torch.Tensor) -> list[tuple[int, ...]]:
    """Return the positions in groups of those that see one another. ValueError: they see others than these."""
    rows = visible.unique(dim=0)
    if not bool((rows.sum(dim=0) == 1).all()):
        raise ValueError("the theory has masks that hide the tokens behind each token, or of other groups, got another")
    return [tuple(positions[i] for i in row.nonzero().flatten().tolist()) for row in rows]
