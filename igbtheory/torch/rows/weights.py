"""Rows of linear layers and convolutions."""

from typing import Any

from torch import nn

from igbtheory.layers.activation import Activation
from igbtheory.layers.convolution import Conv1d, Conv2d, DepthwiseConv2d
from igbtheory.layers.dense import Dense
from igbtheory.layers.layer import Layer
from igbtheory.layers.token_mixing import TokenMixing
from igbtheory.torch.initialisers import Variance, variance
from igbtheory.torch.rows.site import Site, reads, square

PADDINGS = "zeros", "circular"


def weighted(module: Any, site: Site, fan_in: int, fan_out: int) -> tuple[dict[str, Any], list[Layer]]:
    """Return sigma_w2 and sigma_b2, which are added to `site.read`, and the shift by a constant bias, if any."""
    weights = variance([m.weight for m in site.modules], fan_in, fan_out, site.usual)
    biases = [] if module.bias is None else [m.bias.detach() for m in site.modules]
    constant = float(biases[0].flatten()[0]) if biases and biases[0].numel() > 1 else 0.0
    shift: list[Layer] = []
    if constant and all(bool((bias == constant).all()) for bias in biases):
        biases, shift = [], [Activation(f"x + {constant!r}")]
    bias = variance(biases, fan_in, fan_out) if biases else Variance(0.0, 0.0, ("none",))
    site.read.extend((Variance(fan_in * weights.value, fan_in * weights.error, weights.laws), bias))
    return {"sigma_w2": fan_in * weights.value, "sigma_b2": bias.value}, shift


@reads(nn.Linear, axis=-1)
def dense(module: Any, site: Site) -> list[Layer]:
    """Return the layer that acts on the last axis: Dense on units, also at tokens or pixels, or TokenMixing."""
    variances, shift = weighted(module, site, module.in_features, module.out_features)
    if not site.entries.at_one_position(-1):
        return [TokenMixing(module.out_features, **variances), *shift]
    pixels = len(site.entries.shape) == 2
    return [Conv2d(1, **variances) if pixels else Dense(**variances), *shift]


@reads(nn.Conv2d, nn.Conv1d, axis=1, grid=True)
def convolution(module: Any, site: Site) -> list[Layer]:
    """Return Conv2d, Conv1d or DepthwiseConv2d; its padding is a name if that name pads as much."""
    size, stride = square("kernel_size", module.kernel_size), square("stride", module.stride)
    dilation, sides = square("dilation", module.dilation), site.before[1:]
    if module.padding_mode not in PADDINGS:
        raise ValueError(f"the theory has no {module.padding_mode} padding; take padding_mode='zeros' or 'circular'")
    span = dilation * (size - 1) + 1
    padding: Any = {"same": span // 2, "valid": 0}.get(module.padding, module.padding)
    padding, kept = square("padding", padding), span % 2 == 1 or module.padding == "same"
    divided = all(length >= span and length % stride == 0 for length in sides)
    if padding == span // 2 and kept and divided:
        padding = module.padding_mode
    elif (module.padding == "same" and not span % 2) or (module.padding_mode != "zeros" and padding):
        raise ValueError(f"the theory pads {' x '.join(map(str, sides))} positions by zeros, as many on either side")
    points = size ** len(sides)
    fans = module.in_channels // module.groups * points, module.out_channels * points
    variances, shift = weighted(module, site, *fans)
    if site.vector and size == 1:
        return [Dense(**variances), *shift]
    if module.groups == module.in_channels == module.out_channels > 1:
        if isinstance(module, nn.Conv1d):
            raise ValueError("the theory has depthwise convolutions of images alone; take groups=1")
        return [DepthwiseConv2d(size, stride, padding, **variances, dilation=dilation), *shift]
    kind = Conv1d if isinstance(module, nn.Conv1d) else Conv2d
    return [kind(size, stride, padding, **variances, groups=module.groups, dilation=dilation), *shift]


def is_projection(layer: Layer) -> bool:
    """Return whether a layer makes sums of the units at each position, as Dense does."""
    return isinstance(layer, Dense) or (isinstance(layer, Conv2d) and layer.size == 1 and layer.groups == 1)
