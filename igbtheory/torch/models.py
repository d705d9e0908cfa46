"""Freshly drawn models: that they are models, and fresh."""

import hashlib
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import torch

PROBED = 64
"""Numbers of a parameter, evenly spaced, by which models are told apart."""


def refuse_arguments(make_model: Callable[..., Any]) -> None:
    """Refuse a model in the place of a function that makes one, and a function that cannot do so without arguments."""
    if isinstance(make_model, torch.nn.Module):
        raise TypeError(
            f"expected a function that makes models, got a {type(make_model).__name__}; pass its class, or put the "
            "lines that make it into a function"
        )
    try:
        inspect.signature(make_model).bind()
    except TypeError as error:
        raise TypeError(
            f"expected make_model to need no arguments, got {make_model!r}: {error}; pass a function that fills them "
            "in, such as lambda: Model(10)"
        ) from None
    except ValueError:  # compiled functions tell no signature
        pass


def checked_model(made: Any, previous: torch.nn.Module | None) -> torch.nn.Module:
    """Return the model that make_model returned, refused where it is none, or has no weights, or was there before."""
    if not isinstance(made, torch.nn.Module):
        raise TypeError(
            f"expected make_model to return a torch.nn.Module, got {type(made).__name__}; return the model itself"
        )
    if made is previous:
        raise ValueError(
            "expected a new model from every call of make_model, got the same one twice; create it inside make_model"
        )
    if next(made.parameters(), None) is None:
        raise ValueError("expected a model with random weights, got one without parameters; nothing varies in it")
    return made


def digest(parameters: Iterable[torch.Tensor]) -> bytes:
    """Return a hash of some numbers of every parameter, those that independent draws share by no chance."""
    found = hashlib.blake2b(digest_size=16)
    for parameter in parameters:
        if torch.nn.parameter.is_lazy(parameter):  # the data never reach it
            continue
        # NumPy has no numbers of 16 bits with the range of 32
        numbers = (parameter.float() if parameter.dtype.itemsize < 4 else parameter).numpy(force=True).ravel(order="K")
        found.update(numbers[:: max(1, numbers.size // PROBED)].tobytes())
    return found.digest()


def refuse_repeated(weights: bytes, network: int, seen: dict[bytes, int]) -> None:
    """Refuse a model whose parameters are all those of one before; weights: their digest, asked for after a pass.

    seen: the networks by their parameters, to which this one is added.
    """
    first = seen.setdefault(weights, network)
    if first != network:
        raise ValueError(
            "expected freshly drawn weights from every call of make_model, got exactly the same ones in networks "
            f"{first} and {network}; remove the seed that is set inside make_model, or the weights that it loads"
        )


def idle_norms(model: torch.nn.Module) -> list[str]:
    """Return a sentence on norms that use running statistics which no data have entered, where there are any."""
    idle = [name for name, module in model.named_modules() if is_idle(module)]
    if not idle:
        return []
    others = f" and {len(idle) - 1} more" if idle[1:] else ""
    sentence = (
        f"batch norm in evaluation mode with fresh running statistics is the identity (layer {idle[0]!r}{others}); "
        "return the model in training mode, model.train(), to normalise by the batch"
    )
    return [sentence]


def is_idle(module: torch.nn.Module) -> bool:
    """Whether a norm is the identity: it uses running statistics that no data have entered."""
    tracked = getattr(module, "num_batches_tracked", None)
    return tracked is not None and not module.training and int(tracked) == 0
