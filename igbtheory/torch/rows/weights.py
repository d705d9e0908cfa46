"""Rows of linear layers and convolutions."""

from typing import Any

from torch import nn

from igbtheory.layers import Activation, Conv2d, Dense, DepthwiseConv2d, Layer, TokenMixing
from igbtheory.torch.initialisers import Variance
from igbtheory.torch.rows.site import Site, UnreadError, known_variance, reads, square

PADDINGS = "zeros", "circular"


def weighted(module: Any, site: Site, fan_in: int, fan_out: int) -> list[Layer]:
    """Add sigma_w2 and sigma_b2 to what the site has read, and return the shift by a constant bias."""
    place = module.weight, fan_in, fan_out, site.usual
    if place not in site.known:
        site.known[place] = known_variance([m.weight for m in site.modules], fan_in, fan_out, site.usual)
    weights = site.known[place]
    none = Variance(0.0, 0.0, ("none",))
    site.read.extend((Variance(fan_in * weights.value, fan_in * weights.error, weights.laws), none))
    if module.bias is None:
        return []
    biases = [m.bias.detach() for m in site.modules]
    constant = float(biases[0].flatten()[0])
    if constant and biases[0].numel() > 1 and all(bool((bias == constant).all()) for bias in biases):
        return [Activation(f"x + {constant!r}")]
    site.read[-1] = known_variance(biases, fan_in, fan_out, of="its bias ")
    return []


@reads(nn.Linear)
def dense(module: Any, site: Site) -> list[Layer]:
    """Return what acts on the last axis: Dense of the units, at every token or pixel, or TokenMixing of the tokens."""
    if not site.units_last and len(site.before) != 2:
        site.refuse_units(last=True)
    shift = weighted(module, site, module.in_features, module.out_features)
    sigma_w2, sigma_b2 = (found.value for found in site.read)
    if not site.units_last:
        return [TokenMixing(module.out_features, sigma_w2, sigma_b2), *shift]
    pixels = len(site.before) == 3 and not site.vector
    return [Conv2d(1, sigma_w2=sigma_w2, sigma_b2=sigma_b2) if pixels else Dense(sigma_w2, sigma_b2), *shift]


@reads(nn.Conv2d)
def convolution(module: Any, site: Site) -> list[Layer]:
    """Return Conv2d, with the padding of its name where that is the same, or DepthwiseConv2d."""
    site.refuse_units(last=False)
    size, stride = square("kernel_size", module.kernel_size), square("stride", module.stride)
    if square("dilation", module.dilation) > 1 or module.padding_mode not in PADDINGS:
        raise UnreadError("the theory has no convolution with dilation or reflected padding")
    padding: Any = {"same": size // 2, "valid": 0}.get(module.padding, module.padding)
    padding, kept = square("padding", padding), size % 2 == 1 or module.padding == "same"
    sides = site.before[1:]
    if padding == size // 2 and kept and not any(length < size or length % stride for length in sides):
        padding = module.padding_mode
    elif (module.padding == "same" and not size % 2) or (module.padding_mode != "zeros" and padding):
        raise UnreadError(f"the theory pads {' x '.join(map(str, sides))} positions by zeros, as many on either side")
    reads_from = module.in_channels // module.groups * size**2
    shift = weighted(module, site, reads_from, module.out_channels * size**2)
    sigma_w2, sigma_b2 = (found.value for found in site.read)
    if site.vector and size == 1:
        return [Dense(sigma_w2, sigma_b2), *shift]
    if module.groups == module.in_channels == module.out_channels > 1:
        return [DepthwiseConv2d(size, stride, padding, sigma_w2, sigma_b2), *shift]
    return [Conv2d(size, stride, padding, sigma_w2, sigma_b2, groups=module.groups), *shift]
