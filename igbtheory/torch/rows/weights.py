"""Rows of linear layers and convolutions."""

from math import prod
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from igbtheory.layers.activation import Activation
from igbtheory.layers.convolution import Conv1d, Conv2d, DepthwiseConv2d
from igbtheory.layers.dense import Dense
from igbtheory.layers.layer import Layer
from igbtheory.layers.positions import NOWHERE, Gathered
from igbtheory.layers.token_mixing import TokenMixing
from igbtheory.torch.initialisers import Variance, variance
from igbtheory.torch.rows.grouped_convolutions import GroupedConv1d, GroupedConv2d
from igbtheory.torch.rows.site import Site, equal, reads, square

PADDINGS = "zeros", "circular"


def weighted(module: Any, site: Site, fan_in: int, fan_out: int) -> tuple[dict[str, Any], list[Layer]]:
    """Return sigma_w2 and sigma_b2, which are added to `site.read`, and the shift by a constant bias, if any."""
    weights = variance([m.weight for m in site.modules], fan_in, fan_out, site.usual)
    biases = [] if module.bias is None else [m.bias.detach() for m in site.modules]
    # a single number may be drawn: that it is none, other models tell
    several = bool(biases) and (biases[0].numel() > 1 or len(biases) > 1)
    constant = float(biases[0].flatten()[0]) if several else 0.0
    shift: list[Layer] = []
    if constant and all(bool((bias == constant).all()) for bias in biases):
        biases, shift = [], [Activation(f"x + {constant!r}")]
    bias = variance(biases, fan_in, fan_out, of_biases=True) if biases else Variance(0.0, 0.0, ("none",))
    site.read.update(sigma_w2=Variance(fan_in * weights.value, fan_in * weights.error, weights.laws), sigma_b2=bias)
    return {"sigma_w2": fan_in * weights.value, "sigma_b2": bias.value}, shift


@reads(nn.Linear, axis=-1, mixes=True)
def dense(module: Any, site: Site) -> list[Layer]:
    """Return the layer that acts on the last axis: Dense on units, also at tokens or pixels, or TokenMixing."""
    variances, shift = weighted(module, site, module.in_features, module.out_features)
    if not site.entries.at_one_position(-1):
        return [TokenMixing(module.out_features, **variances), *shift]
    pixels = len(site.entries.shape) == 2
    return [Conv2d(1, **variances) if pixels else Dense(**variances), *shift]


@reads(nn.Conv2d, nn.Conv1d, axis=1, grid=True)
def convolution(module: Any, site: Site) -> list[Layer]:
    """Return the convolution of images or sequences; its padding is a name if that name pads as much.

    In groups it keeps their few channels. Other windows, such as rectangular ones, are gathered at one position.
    """
    sides, points = site.before[1:], prod(module.kernel_size)
    fans = module.in_channels // module.groups * points, module.out_channels * points
    variances, shift = weighted(module, site, *fans)
    if site.vector and points == 1:
        return [Dense(**variances), *shift]
    size, stride, dilation = (equal(getattr(module, name)) for name in ("kernel_size", "stride", "dilation"))
    padding: Any = None if None in {size, stride, dilation} else _padding(module, sides)
    if None in {size, stride, dilation, padding}:
        if module.groups > 1:
            raise ValueError("the theory has convolutions in groups with square windows and equal padding, got others")
        linear = Dense(**variances) if len(sides) == 1 else Conv2d(1, **variances)
        return [_windows(module, sides, site.after[1:]), linear, *shift]
    images, window = len(sides) == len(("height", "width")), (size, stride, padding)
    reads, makes = (count // module.groups for count in (module.in_channels, module.out_channels))
    if module.groups == 1:
        return [(Conv2d if images else Conv1d)(*window, **variances, dilation=dilation), *shift]
    if images and reads == makes == 1:
        return [DepthwiseConv2d(*window, **variances, dilation=dilation), *shift]
    grouped = GroupedConv2d if images else GroupedConv1d
    return [grouped(reads, makes, *window, **variances, dilation=dilation), *shift]


def _padding(module: Any, sides: tuple[int, ...]) -> Any:
    """Return the padding of the theory's convolution with square windows, None if it has none that pads so."""
    size, stride, dilation = (equal(getattr(module, name)) for name in ("kernel_size", "stride", "dilation"))
    span = dilation * (size - 1) + 1
    padding = equal({"same": span // 2, "valid": 0}.get(module.padding, module.padding))
    kept = span % 2 == 1 or module.padding == "same"
    divided = all(length >= span and length % stride == 0 for length in sides)
    if padding == span // 2 and kept and divided and module.padding_mode in PADDINGS:
        return module.padding_mode
    if (module.padding == "same" and not span % 2) or (module.padding_mode != "zeros" and padding):
        return None
    return padding


def _windows(module: Any, sides: tuple[int, ...], after: tuple[int, ...]) -> Gathered:
    """Return the layer that puts all that a window of a convolution reads at one position."""
    numbers = torch.arange(1.0, 1 + prod(sides)).reshape(1, 1, *sides)
    mode = "constant" if module.padding_mode == "zeros" else module.padding_mode
    padded = functional.pad(numbers, module._reversed_padding_repeated_twice, mode=mode)  # noqa: SLF001 - as it is used
    rows = [(1,) * (2 - len(sides)) + tuple(getattr(module, name)) for name in ("kernel_size", "dilation", "stride")]
    if len(sides) == 1:
        padded = padded[:, :, None]
    read = functional.unfold(padded, rows[0], rows[1], 0, rows[2])[0].T.long() - 1  # -1 is a position of zeros
    return Gathered(tuple(map(tuple, read.tolist())), after)


@reads(nn.ConvTranspose2d, axis=1, grid=True)
def transposed(module: Any, site: Site) -> list[Layer]:
    """Return the convolution of images between whose positions, and around which, there are positions of zeros."""
    size, stride, padding, beyond, dilation = (
        square(name, getattr(module, name))
        for name in ("kernel_size", "stride", "padding", "output_padding", "dilation")
    )
    before = dilation * (size - 1) - padding
    if module.groups != 1 or before < 0:
        raise ValueError("the theory has transposed convolutions without groups, padded less than their window")
    sides = [(length - 1) * stride + 1 + 2 * before + beyond for length in site.before[1:]]
    index = np.full(sides, NOWHERE)
    inner = tuple(slice(before, before + (length - 1) * stride + 1, stride) for length in site.before[1:])
    index[inner] = np.arange(prod(site.before[1:])).reshape(site.before[1:])
    # PyTorch takes the number of outputs for that of inputs when it draws the weights
    fans = module.out_channels * size**2, module.in_channels * size**2
    variances, shift = weighted(module, site, *fans)
    scaled = {**variances, "sigma_w2": variances["sigma_w2"] * fans[1] / fans[0]}
    spread = Gathered(tuple((place,) for place in index.ravel().tolist()), tuple(sides))
    return [spread, Conv2d(size, 1, 0, **scaled, dilation=dilation), *shift]


def is_projection(layer: Layer) -> bool:
    """Return whether a layer makes sums of the units at each position, as Dense does."""
    return isinstance(layer, Dense) or (isinstance(layer, Conv2d) and layer.size == 1 and layer.groups == 1)
