"""Rows of attention and of transformers' layers."""

from dataclasses import replace
from typing import Any

from torch import nn

from igbtheory.layers.attention import Attention
from igbtheory.layers.layer import Layer
from igbtheory.layers.residual import Residual
from igbtheory.torch.initialisers import variance
from igbtheory.torch.rows.norms import drop, layer_norm
from igbtheory.torch.rows.site import Row, Site, elementwise, reads
from igbtheory.torch.rows.weights import dense


@reads(nn.MultiheadAttention, axis=-1)
def attention(module: Any, site: Site) -> list[Layer]:
    """Return Attention and the Dense behind it, for self-attention without masks."""
    if not module.batch_first or module.in_proj_weight is None or any(part is not None for part in site.rest):
        raise ValueError("the theory has self-attention without masks, got another; take batch_first=True")
    fan = module.embed_dim
    if any(bool(m.in_proj_bias.any()) for m in site.modules if m.in_proj_bias is not None):
        raise ValueError("the theory's attention has no biases in front of the scores")
    projections = zip(*(m.in_proj_weight.chunk(3) for m in site.modules), strict=True)
    query, key, value = (fan * variance(drawn, fan, 3 * fan).value for drawn in projections)
    projected = replace(site, modules=[m.out_proj for m in site.modules])
    dropout = module.dropout if module.training else 0.0
    layer = Attention(module.num_heads, (query * key) ** 0.5, value, dropout=dropout)
    return [layer, *dense(module.out_proj, projected)]


@reads(nn.TransformerEncoderLayer, axis=-1)
def encoder_layer(module: Any, site: Site) -> list[Layer]:
    """Return the two residual blocks, with LayerNorm inside or behind them."""

    def part(row: Row, name: str) -> list[Layer]:
        modules = [m.get_submodule(name) for m in site.modules]
        return row(modules[0], replace(site, modules=modules, read={}))

    activations = [m.activation for m in site.modules if isinstance(m.activation, nn.Module)]
    activation = elementwise(module.activation, replace(site, modules=activations))
    inner = [*part(dense, "linear1"), *activation, *part(drop, "dropout")]
    branches = (
        [*part(attention, "self_attn"), *part(drop, "dropout1")],
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
