"""The choice of the logits among the outputs of a model."""

from collections.abc import Mapping
from typing import Any

import torch


def logits_of(outputs: Any, output: str | int | None = None) -> torch.Tensor:
    """Return the logits: the outputs if they are one tensor, else their part `output`.

    output: a name, or a place in a tuple; None: the part named logits, as of torchvision's GoogLeNet and of Hugging
    Face's models, or the only tensor.
    TypeError: no part has this name, and the error lists the parts; or no part is a tensor of floating-point numbers.
    """
    if isinstance(outputs, torch.Tensor) and outputs.is_floating_point():
        return outputs
    parts = {name: x for name, x in _parts(outputs).items() if isinstance(x, torch.Tensor) and x.is_floating_point()}
    if not parts:
        came = outputs.dtype if isinstance(outputs, torch.Tensor) else type(outputs).__name__
        raise TypeError(
            f"expected outputs in a tensor of floating numbers, got {came}; let the model return its logits"
        )
    name = output if output is not None else "logits" if len(parts) > 1 else next(iter(parts))
    if name not in parts:
        told = ", ".join(f"{name!r} of shape {tuple(x.shape)}" for name, x in parts.items())
        raise TypeError(
            f"expected {'one tensor of logits' if output is None else f'an output {output!r}'}, got several outputs, "
            f"{told}; choose one, such as output={next(iter(parts))!r}, or let the model return it alone"
        )
    return parts[name]


def _parts(outputs: Any) -> dict[Any, Any]:
    """Return the parts of outputs by name, or by place in a tuple or list."""
    if isinstance(outputs, Mapping):
        return dict(outputs)
    if isinstance(outputs, tuple | list):
        return getattr(outputs, "_asdict", lambda: dict(enumerate(outputs)))()
    return dict(getattr(outputs, "__dict__", {}))
