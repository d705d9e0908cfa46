"""What modules and functions of PyTorch are in the theory: one row of a table for each."""

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, final

import torch
from numpy.random import Generator
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from igbtheory.layers import (
    Activation,
    Attention,
    AvgPool2d,
    BatchNorm,
    ClassToken,
    Conv2d,
    Dense,
    DepthwiseConv2d,
    Dropout,
    FirstToken,
    Flatten,
    GlobalAvgPool,
    GroupNorm,
    Layer,
    LayerNorm,
    MaxPool2d,
    PatchEmbedding,
    PositionEmbedding,
    Residual,
    RMSNorm,
)
from igbtheory.layers.places import Point
from igbtheory.layers.spatial import Ending
from igbtheory.torch.initialisers import Variance, variance

Shape = tuple[int, ...]


class UnreadError(ValueError):
    """A part of a model that the theory does not know, and why."""


@final
@dataclass(frozen=True)
class Site:
    """Where a module or function stands: the module in every drawn model, and what is around it.

    modules: () for a function; rest: the arguments behind the data; before, after: shapes of a datum there; vector:
    whether the theory has no positions there; raw: whether nothing has been drawn yet; patches: whether the theory has
    tokens there, which the model still has as an image. read: to this list a row adds the variances that it has read,
    of weights and of biases; usual: the initialiser of most of the other layers.
    """

    modules: Sequence[nn.Module]
    rest: tuple[Any, ...]
    named: dict[str, Any]
    before: Shape
    after: Shape
    vector: bool
    raw: bool
    patches: bool
    read: list[Variance]
    usual: str


Row = Callable[[Any, Site], list[Layer]]
"""From a module, or a function, and its site: the layers of the theory."""


@final
@dataclass(frozen=True)
class Unflatten(Layer):
    """The features of given data as images or sequences of that shape, units first."""

    shape: Point

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        del rng, width
        return x.reshape(len(x), *self.shape)

    def positions(self, shape: Point) -> Point:
        del shape
        return self.shape[1:]


def layers_of(target: Any, site: Site) -> list[Layer]:
    """Return the layers of a module or function. UnreadError: the table has no row for it, or its row refuses it."""
    if isinstance(target, nn.Module):
        rows = [row for kind, row in MODULES.items() if isinstance(target, kind)]
        if rows:
            row: Row = rows[0]
            return row(target, site)
        if next(target.parameters(), None) is not None:
            raise UnreadError(f"the theory has no layer for {type(target).__name__}")
        return _elementwise(target, site)
    if isinstance(target, str):  # a method of a tensor; most are functions too
        target = getattr(torch, target, None) or getattr(torch.Tensor, target)
    if target in AS_MODULES:
        kind, named = AS_MODULES[target], dict(site.named)
        if not named.pop("training", True):
            return []
        return layers_of(kind(*site.rest, **{key: value for key, value in named.items() if key != "inplace"}), site)
    found: Row = FUNCTIONS.get(target, _elementwise)
    return found(target, site)


def _elementwise(function: Callable[..., Any], site: Site) -> list[Layer]:
    """Return the activation that a function of every number is; refused where it is none."""
    named = {key: value for key, value in site.named.items() if key != "inplace"}
    if any(isinstance(value, torch.Tensor) and value.numel() > 1 for value in (*site.rest, *named.values())):
        raise UnreadError("the theory has no layer for a sum or product with a tensor of numbers")
    rest = [value.item() if isinstance(value, torch.Tensor) else value for value in site.rest]
    try:
        return [Activation(function if not (rest or named) else lambda x: function(x, *rest, **named))]
    except (TypeError, ValueError) as error:
        name = getattr(function, "__name__", type(function).__name__)
        raise UnreadError(f"the theory has no layer for {name}, and it is no activation ({error})") from None


def _weighted(module: Any, site: Site, fan_in: int, fan_out: int) -> list[Layer]:
    """Add sigma_w2 and sigma_b2 to what the site has read, and return the shift by a constant bias."""
    try:
        weights = variance([m.weight for m in site.modules], fan_in, fan_out, site.usual)
    except ValueError as error:
        raise UnreadError(str(error)) from None
    none = Variance(0.0, 0.0, ("none",))
    site.read.extend((Variance(fan_in * weights.value, fan_in * weights.error, weights.laws), none))
    if module.bias is None:
        return []
    biases = [m.bias.detach() for m in site.modules]
    constant = float(biases[0].flatten()[0])
    if constant and biases[0].numel() > 1 and all(bool((bias == constant).all()) for bias in biases):
        return [Activation(f"x + {constant!r}")]
    try:
        site.read[-1] = variance(biases, fan_in, fan_out)
    except ValueError as error:
        raise UnreadError(f"its bias {error}") from None
    return []


def dense(module: Any, site: Site) -> list[Layer]:
    """Return Dense of a linear module, on vectors and on every token."""
    if len(site.before) > 2:
        raise UnreadError(f"the theory has no Linear on the last axis of data of shape {site.before}")
    shift = _weighted(module, site, module.in_features, module.out_features)
    return [Dense(*(found.value for found in site.read)), *shift]


def convolution(module: Any, site: Site) -> list[Layer]:
    """Return Conv2d, where its padding keeps height and width, over the stride."""
    size, stride = _square("kernel_size", module.kernel_size), _square("stride", module.stride)
    padding = size // 2 if module.padding == "same" else _square("padding", module.padding)
    if stride == size > 1 and not padding:
        shift = _weighted(module, site, module.in_channels * size**2, module.out_channels * size**2)
        return [PatchEmbedding(size, *(found.value for found in site.read)), *shift]
    if module.padding == "valid" or padding != size // 2 or (size % 2 == 0 and module.padding != "same"):
        raise UnreadError(f"the theory pads by kernel_size//2 = {size // 2}, got padding={module.padding}")
    if _square("dilation", module.dilation) > 1 or module.padding_mode not in PADDINGS:
        raise UnreadError("the theory has no convolution with dilation or reflected padding")
    reads = module.in_channels // module.groups * size**2
    shift = _weighted(module, site, reads, module.out_channels * size**2)
    sigma_w2, sigma_b2 = (found.value for found in site.read)
    if site.vector and size == 1:
        return [Dense(sigma_w2, sigma_b2), *shift]
    options = size, stride, PADDINGS[module.padding_mode], sigma_w2, sigma_b2
    if module.groups == module.in_channels == module.out_channels > 1:
        return [DepthwiseConv2d(*options), *shift]
    return [Conv2d(*options, groups=module.groups), *shift]


PADDINGS = {"zeros": "zeros", "circular": "circular"}


def _square(name: str, value: Any) -> int:
    """Return the one length of a window that is as high as wide."""
    values = {value} if isinstance(value, int) else set(value)
    if len(values) > 1:
        raise UnreadError(f"the theory has square windows only, got {name}={value}")
    return int(values.pop())


def batch_norm(module: Any, site: Site) -> list[Layer]:
    """Return BatchNorm over the full batch, or that of evaluation mode, which fresh statistics make the identity."""
    if module.training or not module.track_running_stats:
        return [BatchNorm(eps=module.eps), *_affine(site)]
    if int(module.num_batches_tracked):
        raise UnreadError("has running statistics that data have entered; take a fresh model, or training mode")
    return [BatchNorm(law="evaluation", eps=module.eps), *_affine(site)]


def layer_norm(module: Any, site: Site) -> list[Layer]:
    """Return LayerNorm over the units of a vector or token, or over all of an image."""
    if tuple(module.normalized_shape) == site.before and len(site.before) > 1:
        return [LayerNorm(eps=module.eps, positions_too=True), *_affine(site)]
    if len(module.normalized_shape) > 1 or len(site.before) > 2:
        raise UnreadError(f"the theory has LayerNorm over the last axis alone, got {module.normalized_shape}")
    return [LayerNorm(eps=module.eps), *_affine(site)]


def rms_norm(module: Any, site: Site) -> list[Layer]:
    """Return RMSNorm over the units of a vector or token."""
    if len(module.normalized_shape) > 1 or len(site.before) > 2:
        raise UnreadError(f"the theory has RMSNorm over the last axis alone, got {module.normalized_shape}")
    eps = torch.finfo(torch.get_default_dtype()).eps if module.eps is None else module.eps
    return [RMSNorm(eps=eps), *_affine(site)]


def group_norm(module: Any, site: Site) -> list[Layer]:
    """Return GroupNorm, which one group makes a LayerNorm."""
    if module.num_groups == 1:
        return [LayerNorm(eps=module.eps, positions_too=not site.vector), *_affine(site)]
    return [GroupNorm(module.num_channels // module.num_groups, eps=module.eps), *_affine(site)]


def attention(module: Any, site: Site) -> list[Layer]:
    """Return Attention and the Dense behind it, of self-attention without masks."""
    if not module.batch_first or module.in_proj_weight is None or any(part is not None for part in site.rest):
        raise UnreadError("the theory has self-attention without masks, got another; take batch_first=True")
    fan = module.embed_dim
    if module.dropout and module.training:
        raise UnreadError("the theory's attention drops no weights; take dropout=0, or evaluation mode")
    if any(bool(m.in_proj_bias.any()) for m in site.modules if m.in_proj_bias is not None):
        raise UnreadError("the theory's attention has no biases in front of the scores")
    try:
        parts = zip(*(m.in_proj_weight.chunk(3) for m in site.modules), strict=True)
        query, key, value = (fan * variance(drawn, fan, 3 * fan).value for drawn in parts)
    except ValueError as error:
        raise UnreadError(str(error)) from None
    projected = replace(site, modules=[m.out_proj for m in site.modules])
    return [Attention(module.num_heads, (query * key) ** 0.5, value), *dense(module.out_proj, projected)]


def encoder_layer(module: Any, site: Site) -> list[Layer]:
    """Return the two blocks of nn.TransformerEncoderLayer, with LayerNorm in front of them or behind."""

    def part(name: str) -> list[Layer]:
        modules = [m.get_submodule(name) for m in site.modules]
        return layers_of(modules[0], replace(site, modules=modules, read=[]))

    inner = [*part("linear1"), *_elementwise(module.activation, site), *part("dropout"), *part("linear2")]
    branches = [*part("self_attn"), *part("dropout1")], [*inner, *part("dropout2")]
    found: list[Layer] = []
    for norm, branch in zip((part("norm1"), part("norm2")), branches, strict=True):
        found += [Residual(*norm, *branch)] if module.norm_first else [Residual(*branch), *norm]
    return found


def copied_layers(module: Any, site: Site) -> list[Layer]:
    """Refuse layers that start as copies of one another."""
    del module, site
    raise UnreadError(
        "its layers start as copies of one another, and the theory needs independent ones; put layers that are drawn "
        "on their own into nn.Sequential"
    )


def _affine(site: Site) -> list[Layer]:
    """Return the affine map behind a norm, nothing where it starts as the identity."""
    weights, biases = (
        [getattr(m, name).detach() for m in site.modules if getattr(m, name, None) is not None]
        for name in ("weight", "bias")
    )
    numbers = []
    for name, drawn, neutral in (("weight", weights, 1.0), ("bias", biases, 0.0)):
        number = float(drawn[0].flatten()[0]) if drawn else neutral
        if any(bool((part != number).any()) for part in drawn):
            raise UnreadError(f"the theory has norms with a constant {name} only, got one that is drawn or trained")
        numbers.append(number)
    return [] if numbers == [1.0, 0.0] else [Activation("{}*x + ({})".format(*numbers))]


def max_pool(module: Any, site: Site) -> list[Layer]:
    """Return MaxPool2d of windows next to one another."""
    return [MaxPool2d(_window(module, site))]


def average_pool(module: Any, site: Site) -> list[Layer]:
    """Return AvgPool2d of windows next to one another, GlobalAvgPool where there is one window."""
    size = _window(module, site)
    return [GlobalAvgPool()] if site.before[1:] == (size, size) else [AvgPool2d(size)]


def _window(module: Any, site: Site) -> int:
    size = _square("kernel_size", module.kernel_size)
    stride, padding = _square("stride", module.stride or size), _square("padding", module.padding)
    if stride != size or padding or any(length % size for length in site.before[1:]):
        raise UnreadError(
            f"the theory has pools of windows next to one another, got kernel_size={size}, stride={stride}, "
            f"padding={padding} on {' x '.join(map(str, site.before[1:]))} positions"
        )
    return size


def adaptive_pool(module: Any, site: Site) -> list[Layer]:
    """Return the average pool that leaves so many positions."""
    size, (height, width) = _square("output_size", module.output_size), site.before[1:]
    if site.vector or (height, width) == (size, size):
        return []
    if size == 1:
        return [GlobalAvgPool()]
    if height != width or height % size:
        raise UnreadError(f"the theory has pools of equal windows, got {height} x {width} positions for {size}")
    return [AvgPool2d(height // size)]


def reshaped(target: Any, site: Site) -> list[Layer]:
    """Return Flatten where positions end, Unflatten where they begin, nothing where none change."""
    del target
    before, after = (tuple(length for length in shape if length != 1) for shape in (site.before, site.after))
    if site.patches and len(site.after) > 1:
        return []
    if prod(after) != prod(before):
        raise UnreadError(f"a datum of shape {site.before} becomes one of {site.after}")
    if len(site.after) == 1 or (site.vector and before == after):
        return [] if site.vector else [Flatten()]
    if before == after:
        return []
    if site.raw and site.vector and len(site.after) == 3:
        return [Unflatten(site.after)]
    raise UnreadError(f"a datum of shape {site.before} becomes one of {site.after}, whose positions are others")


def permuted(target: Any, site: Site) -> list[Layer]:
    """Return nothing where patches become tokens."""
    del target
    if not (site.patches and len(site.after) == 2):
        raise UnreadError("the theory has axes in one order: units first of images, last of tokens")
    return []


def added(target: Any, site: Site) -> list[Layer]:
    """Return PositionEmbedding of a sum with random numbers at the positions, else what adds one number."""
    other = site.rest[0] if site.rest else None
    if not isinstance(other, torch.Tensor) or other.numel() == 1 or tuple(other.shape[-2:]) != site.before:
        return _elementwise(target, site)
    return [PositionEmbedding(_entries(other))]


def joined(target: Any, site: Site) -> list[Layer]:
    """Return ClassToken of one token in front of the others."""
    del target
    parts, dim = site.rest[0], site.named.get("dim", site.rest[1] if site.rest[1:] else 0)
    if len(parts) != 2 or dim % 3 != 1 or parts[0].shape[1] != 1 or len(site.before) != 2:
        raise UnreadError("the theory joins a class token and the tokens, and nothing else")
    return [ClassToken(_entries(parts[0][0]))]


def _entries(values: torch.Tensor) -> float:
    """Return the variance of embedded vectors."""
    try:
        return variance([values], values.shape[-1], values.shape[-1]).value
    except ValueError as error:
        raise UnreadError(str(error)) from None


def item(target: Any, site: Site) -> list[Layer]:
    """Return FirstToken of x[:, 0], nothing of the first part of a tuple."""
    del target
    (index,) = site.rest
    if index == 0 and site.before == site.after:
        return []
    if index != (slice(None), 0) or len(site.before) != 2:
        raise UnreadError(f"the theory has the first token alone, x[:, 0], got the index {index}")
    return [FirstToken()]


def averaged(target: Any, site: Site) -> list[Layer]:
    """Return GlobalAvgPool of a mean over all positions."""
    del target
    axes = len(site.before) + 1
    dims = site.named.get("dim", site.rest[0] if site.rest else None)
    found = {dim % axes for dim in (dims if isinstance(dims, tuple | list) else (dims,)) if isinstance(dim, int)}
    if found != ({1} if axes == 3 else set(range(2, axes))) or site.vector:
        raise UnreadError(f"the theory has means over all positions, got one over the axes {dims}")
    return [GlobalAvgPool()]


def nothing(target: Any, site: Site) -> list[Layer]:
    """Return no layer."""
    del target, site
    return []


def drop(module: Any, site: Site) -> list[Layer]:
    """Return Dropout in training mode."""
    del site
    return [Dropout(module.p)] if module.training and module.p else []


def is_vector(path_layers: Sequence[Layer], data: Shape) -> bool:
    """Return whether there are no positions behind the layers."""
    vector = len(data) == 1
    for layer in path_layers:
        vector = (vector or isinstance(layer, Ending)) and not isinstance(layer, Unflatten)
    return vector


MODULES: dict[type[nn.Module], Row] = {
    nn.Linear: dense,
    nn.Conv2d: convolution,
    nn.BatchNorm1d: batch_norm,
    nn.BatchNorm2d: batch_norm,
    nn.LayerNorm: layer_norm,
    nn.RMSNorm: rms_norm,
    nn.GroupNorm: group_norm,
    nn.MultiheadAttention: attention,
    nn.TransformerEncoderLayer: encoder_layer,
    nn.TransformerEncoder: copied_layers,
    nn.Dropout: drop,
    nn.Identity: nothing,
    nn.Flatten: reshaped,
    nn.Unflatten: reshaped,
    nn.MaxPool2d: max_pool,
    nn.AvgPool2d: average_pool,
    nn.AdaptiveAvgPool2d: adaptive_pool,
    nn.LogSoftmax: nothing,
}
AS_MODULES: dict[Any, type[nn.Module]] = {
    functional.max_pool2d: nn.MaxPool2d,
    functional.avg_pool2d: nn.AvgPool2d,
    functional.adaptive_avg_pool2d: nn.AdaptiveAvgPool2d,
    functional.dropout: nn.Dropout,
    torch.max_pool2d: nn.MaxPool2d,
}
FUNCTIONS: dict[Any, Row] = {
    **dict.fromkeys((torch.flatten, torch.reshape, torch.squeeze, torch.unsqueeze, torch.Tensor.view), reshaped),
    torch.mean: averaged,
    **dict.fromkeys((torch.permute, torch.transpose), permuted),
    **dict.fromkeys((operator.add, operator.iadd, torch.add), added),
    **dict.fromkeys((torch.cat, torch.concat), joined),
    operator.getitem: item,
    **dict.fromkeys((torch.clone, torch.Tensor.contiguous, torch.Tensor.float, torch.log_softmax), nothing),
    functional.log_softmax: nothing,
    torch._assert: nothing,  # noqa: SLF001 - what tracing writes
}
SUMS = {operator.add, operator.iadd, torch.add, "add", "add_"}
"""What adds two paths through the network."""
