"""Rows of attention and of transformers' layers."""

from dataclasses import replace
from typing import Any

import torch
from torch import nn

from igbtheory.layers.attention import Attention
from igbtheory.layers.layer import Layer
from igbtheory.layers.residual import Residual
from igbtheory.torch.initialisers import variance
from igbtheory.torch.rows.norms import drop, layer_norm
from igbtheory.torch.rows.site import Row, Site, elementwise, reads
from igbtheory.torch.rows.weights import dense

HIDDEN = -50.0
"""Numbers below it, added to scores, hide a token: Swin transformers add -100, others the smallest of all numbers."""
ARGUMENTS = "key_padding_mask", "need_weights", "attn_mask", "average_attn_weights", "is_causal"
"""What attention takes behind queries, keys and values."""
ARGUMENTS_OF_ENCODER = "attn_mask", "key_padding_mask", "is_causal"
"""What a layer of an encoder takes behind the data, as its attention calls it."""


@reads(nn.MultiheadAttention, axis=-1)
def attention(module: Any, site: Site) -> list[Layer]:
    """Return Attention and the Dense behind it, for self-attention without masks, or with that of causal attention."""
    named = {**dict(zip(ARGUMENTS, site.rest, strict=False)), **site.named}
    if not module.batch_first:
        raise ValueError("the theory has attention of data whose first axis are the data; take batch_first=True")
    if module.in_proj_weight is None or named.keys() - {*ARGUMENTS} or named.get("key_padding_mask") is not None:
        raise ValueError(
            "the theory has self-attention without a mask of the padding, whose queries, keys and values are made of "
            "the same tokens, got other queries or keys, or such a mask"
        )
    causal = _is_causal(named.get("attn_mask"))
    fan = module.embed_dim
    if any(bool(m.in_proj_bias.any()) for m in site.modules if m.in_proj_bias is not None):
        raise ValueError("the theory's attention has no biases in front of the scores")
    projections = zip(*(m.in_proj_weight.chunk(3) for m in site.modules), strict=True)
    query, key, value = (fan * variance(drawn, fan, 3 * fan).value for drawn in projections)
    projected = replace(site, modules=[m.out_proj for m in site.modules])
    dropout = module.dropout if module.training else 0.0
    layer = Attention(module.num_heads, (query * key) ** 0.5, value, causal=causal, dropout=dropout)
    return [layer, *dense(module.out_proj, projected)]


def _is_causal(mask: torch.Tensor | None) -> bool:
    """Return whether a mask hides from each token those behind it, or else none. ValueError: it hides others."""
    if mask is None:
        return False
    hidden = mask if mask.dtype is torch.bool else mask < HIDDEN
    later = torch.ones(hidden.shape[-2:], dtype=torch.bool).triu(1).expand_as(hidden)
    added = torch.zeros(1) if mask.dtype is torch.bool else mask[~hidden]
    if bool((added != added[0]).any()) or not (torch.equal(hidden, later) or not bool(hidden.any())):
        raise ValueError("the theory's attention has a causal mask or none, got another one")
    return bool(hidden.any())


@reads(nn.TransformerEncoderLayer, axis=-1)
def encoder_layer(module: Any, site: Site) -> list[Layer]:
    """Return the two residual blocks, with LayerNorm inside or behind them."""
    masks = {name.removeprefix("src_"): value for name, value in site.named.items()}
    masks["attn_mask"] = masks.pop("mask", None)
    masks |= dict(zip(ARGUMENTS_OF_ENCODER, site.rest, strict=False))
    site = replace(site, arguments=[((), {})] * len(site.modules))
    attending = replace(site, arguments=[((), masks)] * len(site.modules))

    def part(row: Row, name: str, here: Site = site) -> list[Layer]:
        modules = [m.get_submodule(name) for m in here.modules]
        return row(modules[0], replace(here, modules=modules, read={}))

    activations = [m.activation for m in site.modules if isinstance(m.activation, nn.Module)]
    activation = elementwise(module.activation, replace(site, modules=activations))
    inner = [*part(dense, "linear1"), *activation, *part(drop, "dropout")]
    branches = (
        [*part(attention, "self_attn", attending), *part(drop, "dropout1")],
        [*inner, *part(dense, "linear2"), *part(drop, "dropout2")],
    )
    # attention reads the units, and so do its projection and the first linear layer
    site.channels.extend([*[module.linear1.in_features] * 3, module.linear2.in_features])
    layers: list[Layer] = []
    for name, branch in zip(("norm1", "norm2"), branches, strict=True):
        norm = part(layer_norm, name)
        layers += [Residual(*norm, *branch)] if module.norm_first else [Residual(*branch), *norm]
    return layers


@reads(nn.TransformerEncoder)
def copied_layers(_module: Any, _site: Site) -> list[Layer]:
    """Refuse the layers, which start as copies of one another."""
    raise ValueError(
        "its layers start as copies of one another, and the theory needs independent ones; put layers that are drawn "
        "on their own into nn.Sequential"
    )
