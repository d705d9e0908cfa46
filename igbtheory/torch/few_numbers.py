"""Models that are larger than the memory: of a large tensor of weights few numbers are drawn, which tell their law.

PyTorch's meta device would not tell it: there nn.init.trunc_normal_ and nn.init.orthogonal_ do nothing, and libraries
leave out their initialisers.
"""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, Self, final

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

aten = torch.ops.aten
KEPT = 2**18
"""Number of weights that are kept of a large tensor, 1 MiB: they tell the variance to 0.3 %."""
WHOLE = 2**28
"""Number of weights, 1 GiB, that a model has drawn in full before it is spared numbers."""
FACTORIES = {aten.empty.memory_format, aten.zeros.default, aten.ones.default, aten.rand.default, aten.randn.default}
"""Functions that make a tensor of a size that is their first argument."""
ALIKE = {
    *(aten.detach.default, aten.clone.default, aten.copy_.default, aten._to_copy.default),  # noqa: SLF001 - as it is named
    *(aten.empty_like.default, aten.zeros_like.default, aten.ones_like.default),
    *(aten.rand_like.default, aten.randn_like.default, aten.fill_.Scalar, aten.zero_.default),
    *(aten.normal_.default, aten.uniform_.default),
}
"""Functions that do the same to all numbers, beside those that PyTorch marks as pointwise."""
JUDGING = {aten.any.default, aten.all.default}
"""Functions that tell of the kept numbers what they tell of all: initialisers ask whether to draw some anew."""
PART = 0.01
"""Largest share of a tensor that may be overwritten, such as the vector for padding of an embedding: the law of the
other numbers counts."""


@final
class FewNumbers(torch.Tensor):  # type: ignore[misc] # PyTorch is an extra
    """A tensor of independent numbers of one law, of which few are kept; all that is done to it is done to these.

    kept: these numbers. share: the share that a tensor is of the one of which it is a part.
    """

    kept: torch.Tensor
    share: float

    @staticmethod
    def __new__(cls: type[Self], shape: Sequence[int], kept: torch.Tensor, share: float = 1.0) -> Self:
        made: Self = torch.Tensor._make_wrapper_subclass(cls, shape, dtype=kept.dtype, device=kept.device)  # noqa: SLF001 - it has no other name
        made.kept, made.share = kept, share
        return made

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Do to the kept numbers what a function does to a tensor. NotImplementedError: it needs the others."""
        tensors = [x for x in (*args, *(kwargs or {}).values()) if isinstance(x, torch.Tensor) and x.ndim]
        first = next(x for x in tensors if isinstance(x, cls))
        of_all = all(isinstance(x, cls) and x.shape == first.shape for x in tensors)
        if of_all and (func in ALIKE or func in JUDGING or torch.Tag.pointwise in func.tags):
            changes = func._schema.is_mutable  # noqa: SLF001 - it has no other name
            if changes and first.share < 1:
                if first.share > PART:
                    raise NotImplementedError(f"{func} changes a part of a tensor of {first.shape} weights")
                return args[0]
            result = func(*_kept(args), **_kept(kwargs or {}))
            if func in JUDGING:
                return result
            return args[0] if changes else cls(first.shape, result, first.share)
        if len(tensors) == 1 and func.is_view:
            shape = func(torch.empty(first.shape, device="meta"), *args[1:], **(kwargs or {})).shape
            return cls(shape, first.kept, first.share * prod(shape) / first.numel())
        raise NotImplementedError(f"{func} needs all of a tensor of {tuple(first.shape)} weights")


def _kept(arguments: Any) -> Any:
    return tree_map(lambda x: x.kept if isinstance(x, FewNumbers) else x, arguments)


@final
class _Sparing(TorchDispatchMode):  # type: ignore[misc] # PyTorch is an extra
    """Spares large tensors their numbers, once so many are drawn."""

    def __init__(self) -> None:
        super().__init__()
        self.drawn = 0

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Return False: True would import PyTorch's compiler, in two seconds, to keep it from compiling this mode."""
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Return what the function returns, with few numbers if it is a large tensor."""
        if func in FACTORIES and prod(args[0]) > (few := _kept_of(args[0])):
            self.drawn += prod(args[0])
            if self.drawn > WHOLE and (kept := func([few], *args[1:], **(kwargs or {}))).is_floating_point():
                return FewNumbers(args[0], kept)
        return func(*args, **(kwargs or {}))


def sparing(make: Callable[[], nn.Module]) -> nn.Module:
    """Return the model that a function makes; in its large tensors behind the first GiB few numbers stand repeatedly.

    These have the law of the weights, and take the memory of the few. A model whose initialisers need all numbers at
    once, as orthogonal ones do, is made with all of them.
    """
    state = torch.get_rng_state()
    try:
        with _Sparing():
            model = make()
    except NotImplementedError:
        torch.set_rng_state(state)
        return make()
    repeated: dict[int, torch.Tensor] = {}
    for module in model.modules():
        for numbers in (module._parameters, module._buffers):  # noqa: SLF001 - setattr would refuse a tensor for a parameter
            for name, x in numbers.items():
                if isinstance(x, FewNumbers):
                    tensor = repeated.setdefault(id(x), _repeated(x))
                    numbers[name] = nn.Parameter(tensor, x.requires_grad) if isinstance(x, nn.Parameter) else tensor
    return model


def _kept_of(shape: Sequence[int]) -> int:
    """Return how many numbers are kept of a tensor of this shape: the windows of `_repeated` must fit into them."""
    return KEPT + len(shape) * sum(shape)


def _repeated(x: FewNumbers) -> torch.Tensor:
    """Return a tensor of the shape of x; an index is a step along the kept numbers, as in a Hankel matrix.

    The steps differ between axes, so that no matrix is symmetric.
    """
    steps = [1 + axis + KEPT // (x.ndim * count) for axis, count in enumerate(x.shape)]
    return x.kept.detach().as_strided(x.shape, steps)


def drawn_numbers(x: torch.Tensor) -> torch.Tensor:
    """Return the numbers of a tensor that were drawn, each once."""
    x = x.detach()
    return x.as_strided((_span(x),), (1,)) if is_repeated(x) else x.flatten()


def is_repeated(x: torch.Tensor) -> bool:
    """Return whether some numbers of a tensor are the same ones in memory."""
    return _span(x) < int(x.numel())


def _span(x: torch.Tensor) -> int:
    return 1 + sum((count - 1) * step for count, step in zip(map(int, x.shape), map(int, x.stride()), strict=True))
