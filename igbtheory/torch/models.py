"""Freshly drawn models: checks that they are models, and fresh."""

import hashlib
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import torch

PROBED = 64
"""Numbers of each parameter, evenly spaced, by which models are told apart."""


def refuse_arguments(make_model: Callable[..., Any]) -> None:
    """Refuse a model instead of a function that makes models, and a function that needs arguments."""
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
    except ValueError:  # compiled functions have no signature
        pass


def checked_model(model: Any) -> torch.nn.Module:
    """Return the model, refused if it is none, or has no weights, or weights without numbers."""
    if not isinstance(model, torch.nn.Module):
        raise TypeError(
            f"expected make_model to return a torch.nn.Module, got {type(model).__name__}; return the model itself"
        )
    parameters = dict(model.named_parameters())
    if not parameters:
        raise ValueError("expected a model with random weights, got one without parameters; nothing varies in it")
    bare = next((name for name, part in parameters.items() if part.is_meta), None)
    if bare is not None:
        raise ValueError(
            f"expected weights with numbers, which tell the law from which they are drawn, got {bare!r} on the meta "
            "device, which has shapes alone; make the model on the CPU: beyond 1 GiB, igb.from_torch keeps few weights"
        )
    return model


def digest(parameters: Iterable[torch.Tensor]) -> bytes:
    """Return a hash of some numbers of every parameter, which differs for independent draws."""
    hashed = hashlib.blake2b(digest_size=16)
    for parameter in parameters:
        if torch.nn.parameter.is_lazy(parameter):  # the data never reach it
            continue
        # NumPy has no bfloat16
        numbers = (parameter.float() if parameter.dtype.itemsize < 4 else parameter).numpy(force=True).ravel(order="K")
        hashed.update(numbers[:: max(1, numbers.size // PROBED)].tobytes())
    return hashed.digest()


def refuse_repeated(weights: bytes, network: int, digests: dict[bytes, int]) -> None:
    """Refuse a model that has the parameters of an earlier one.

    weights: the digest of its parameters after a pass, in which lazy layers draw theirs. digests: the networks by their
    digests, to which this network is added.
    """
    first = digests.setdefault(weights, network)
    if first != network:
        raise ValueError(
            "expected freshly drawn weights from every call of make_model, got exactly the same ones in networks "
            f"{first} and {network}; create the model inside make_model, and remove the seed that is set there, or the "
            "weights that it loads"
        )


def idle_norms(model: torch.nn.Module) -> list[str]:
    """Return a sentence on the norms that are the identity: see `is_idle`; an empty list if there are none."""
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
    """Return whether a norm is the identity because no data have entered the running statistics that it uses."""
    tracked = getattr(module, "num_batches_tracked", None)
    return tracked is not None and not module.training and int(tracked) == 0
