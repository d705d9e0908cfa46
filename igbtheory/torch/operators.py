"""Operators of a graph: their arguments by name, and those with weights as the modules that do the same."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import fx, nn
from torch.nn import functional

HOMES = functional, torch, torch.Tensor
"""Where the functions are that models call, in the order of their use."""

KEPT = {"slice", "select", "to", "index", "expand"}
"""Operators whose functions have other arguments."""


def public(target: Any) -> Any:
    """Return the function that models call, for an operator of ATen, such as torch.relu for aten.relu.default.

    Operators with weights stay, since some functions have these in another order; `arguments` gives their names.
    """
    if not isinstance(target, torch._ops.OpOverload) or target.namespace != "aten":  # noqa: SLF001 - it has no other name
        return target
    name = target.overloadpacket.__name__
    if name in MODULES or name in KEPT:
        return target
    # torch.nn.functional returns values alone where an operator returns their places, too
    homes = HOMES[len(target._schema.returns) > 1 :]  # noqa: SLF001 - it has no other name
    return next((getattr(home, name) for home in homes if hasattr(home, name)), target)


def name_of(target: Any) -> str:
    """Return the name of a function, of a method, or of an operator of ATen."""
    packet = getattr(target, "overloadpacket", target)
    return target if isinstance(target, str) else str(getattr(packet, "__name__", ""))


def called(node: fx.Node) -> str:
    """Return the name of the function or method that a node calls, "" of modules, whose names their authors choose."""
    return name_of(node.target) if node.op in {"call_function", "call_method"} else ""


def tells_shape(name: str) -> bool:
    """Return whether the function of this name takes the shape of its input alone, such as zeros of the same shape."""
    return name.startswith("new_") or name.endswith("_like")


def arguments(target: Any, args: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call by their names."""
    overload = getattr(target, "_schema", None)
    told = inspect.signature(target).parameters.values() if inspect.isfunction(target) else ()
    if overload is None and (not told or any(part.kind is part.VAR_POSITIONAL for part in told)):
        packet = getattr(torch.ops.aten, name_of(target), None)
        overload = packet and getattr(packet, packet.overloads()[0])._schema  # noqa: SLF001 - it has no other name
    if overload is not None:
        names = [argument.name for argument in overload.arguments]
        given = {**dict(zip(names, args, strict=False)), **named}
        return {name: value for name, value in given.items() if value != []}  # an empty list stands for the default
    return dict(inspect.signature(target).bind(*args, **named).arguments)


def _module(kind: type[nn.Module], *args: Any, **named: Any) -> nn.Module:
    """Return a module with these parameters and buffers in place of its own; None stands for none."""
    tensors = {name: named.pop(name) for name in ("weight", "bias") if name in named}
    module = kind(*args, device="meta", **named)
    for name, tensor in tensors.items():
        setattr(module, name, None if tensor is None else nn.Parameter(tensor.detach(), requires_grad=False))
    return module


def _linear(_: torch.Tensor, weight: torch.Tensor, bias: Any = None) -> nn.Module:
    return _module(nn.Linear, weight.shape[1], weight.shape[0], weight=weight, bias=bias)


def _convolution(kind: type[nn.Module]) -> Callable[..., nn.Module]:
    def made(_: torch.Tensor, weight: torch.Tensor, bias: Any = None, groups: int = 1, **named: Any) -> nn.Module:
        out, channels, *size = weight.shape
        return _module(kind, channels * groups, out, tuple(size), groups=groups, weight=weight, bias=bias, **named)

    return made


def _batch_norm(
    x: torch.Tensor,
    running_mean: Any,
    weight: Any = None,
    bias: Any = None,
    eps: float = 1e-5,
    **named: Any,
) -> nn.Module:
    # a function has running statistics, but no count of the batches that they have seen
    module = _module(nn.BatchNorm2d, x.shape[1], eps, weight=weight, bias=bias)
    module.num_batches_tracked = torch.tensor(0 if running_mean is None else int(running_mean.any()))
    return module.train(named.get("training", False) or running_mean is None)


def _layer_norm(
    _x: torch.Tensor, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5, **_: Any
) -> nn.Module:
    return _module(nn.LayerNorm, tuple(normalized_shape), eps, weight=weight, bias=bias)


def _rms_norm(_: torch.Tensor, normalized_shape: Any, weight: Any = None, eps: float | None = None) -> nn.Module:
    return _module(nn.RMSNorm, tuple(normalized_shape), eps, weight=weight)


def _group_norm(
    x: torch.Tensor, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5, **_: Any
) -> nn.Module:
    return _module(nn.GroupNorm, num_groups, x.shape[1], eps, weight=weight, bias=bias)


def _prelu(_: torch.Tensor, weight: torch.Tensor) -> nn.Module:
    return _module(nn.PReLU, weight.numel(), weight=weight)


def _embedding(weight: torch.Tensor, padding_idx: int | None = None, **_: Any) -> nn.Module:
    padding = None if padding_idx is None or padding_idx < 0 else padding_idx
    return _module(nn.Embedding, *weight.shape, padding, weight=weight)


def _addmm(mat2: torch.Tensor, **named: Any) -> nn.Module:
    return _linear(mat2, mat2.T, named.get("self", named.get("input")))


def _matmul(_: torch.Tensor, other: torch.Tensor) -> nn.Module | None:
    """Return the linear layer of a product of the data and a matrix that does not depend on them."""
    return _linear(other, other.T) if other.ndim == len(("inputs", "outputs")) else None


def _instance_norm(x: torch.Tensor, weight: Any = None, bias: Any = None, eps: float = 1e-5, **_: Any) -> nn.Module:
    return _module(nn.InstanceNorm2d, x.shape[1], eps, weight=weight, bias=bias)


MODULES: dict[str, Callable[..., nn.Module | None]] = {
    "linear": _linear,
    "conv1d": _convolution(nn.Conv1d),
    "conv2d": _convolution(nn.Conv2d),
    "batch_norm": _batch_norm,
    "layer_norm": _layer_norm,
    "rms_norm": _rms_norm,
    "group_norm": _group_norm,
    "instance_norm": _instance_norm,
    "prelu": _prelu,
    "embedding": _embedding,
    "addmm": _addmm,
    "matmul": _matmul,
}
"""Functions that make a module of the arguments of an operator with weights, by the name of the operator."""
