"""PyTorch models that are drawn to be read, and their graphs."""

import copy
import traceback
from pathlib import Path
from typing import Any

from torch import fx, nn
from torch.nn.parameter import is_lazy

from igbtheory.foundations.shipped import PACKAGE
from igbtheory.layers.activation import Activation
from igbtheory.layers.registered import reader_of
from igbtheory.torch.models import checked_model, refuse_arguments
from igbtheory.torch.passes import made, stream

DRAWS = 8
"""Number of models that are drawn to read the variances of their weights."""
ENTRIES = 2**25
"""Largest number of parameters of all these models together, unless they are two: 128 MiB in single precision."""


def draws_of(model: Any, seed: int) -> list[nn.Module]:
    """Return models that the function draws, fewer if they are large; of a model, return a copy."""
    if isinstance(model, nn.Module):
        return [in_a_row(copy.deepcopy(checked_model(model)))]
    refuse_arguments(model)
    models: list[nn.Module] = []
    while len(models) < DRAWS:
        with stream(seed, len(models)):
            models.append(in_a_row(_with_sizes(made(model, len(models)))))
        if len(models) > 1 and len(models) * sum(p.numel() for p in models[0].parameters()) > ENTRIES:
            break
    return models


def _with_sizes(model: nn.Module) -> nn.Module:
    """Return the model. ValueError: a lazy layer does not know its sizes yet."""
    lazy = [name for name, part in model.named_parameters() if is_lazy(part)]
    if lazy:
        raise ValueError(
            f"expected layers that know their sizes, got the lazy {lazy[0].rpartition('.')[0]!r}; pass data through "
            "the model in the function that makes it, as in: model = make(); model(X[:2]); return model"
        )
    return model


def in_a_row(model: nn.Module) -> nn.Module:
    """Return the model; a single layer of PyTorch becomes a Sequential, so that its inside is not traced."""
    return nn.Sequential(model) if fx.Tracer().is_leaf_module(model, "") else model


class _Tracer(fx.Tracer):  # type: ignore[misc]
    """A tracer that does not look inside modules of users: of registered layers, and of activations with parameters."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.activations = {module for module in model.modules() if _is_activation(module)}

    def is_leaf_module(self, m: nn.Module, module_qualified_name: str) -> bool:
        registered = reader_of(m) is not None
        return registered or m in self.activations or super().is_leaf_module(m, module_qualified_name)


def _is_activation(module: nn.Module) -> bool:
    """Return whether a user's module is an activation: it has no layers, and its parameters are single numbers."""
    numbers = (*module.parameters(), *module.buffers())
    if type(module).__module__.startswith("torch.") or any(module.children()) or any(x.numel() > 1 for x in numbers):
        return False
    try:
        Activation(module)
    except (ValueError, TypeError):
        return False
    return True


def graph_of(model: nn.Module) -> fx.Graph:
    """Return the graph of a model. ValueError: its control flow depends on the data; the error names the line."""
    try:
        return _Tracer(model).trace(model)
    except Exception as error:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_own(frame.filename)]
        place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno}: {frames[-1].line})" if frames else ""
        raise ValueError(
            f"expected a model whose layers do not depend on the data, got {type(model).__name__}, which cannot be "
            f"traced: {' '.join(str(error).split())[:200]}{place}"
        ) from error


def _is_own(filename: str) -> bool:
    """Return whether a file is the user's: part of neither PyTorch nor this package."""
    folders = Path(filename).parts
    inside = Path(filename).is_relative_to(PACKAGE)
    return "torch" not in folders and not inside and not filename.startswith("<eval")


def copied(models: list[nn.Module]) -> list[nn.Module]:
    """Return copies of models with the same parameters, but with modes and buffers of their own."""
    return copy.deepcopy(models, {id(part): part for model in models for part in model.parameters()})
