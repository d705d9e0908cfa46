"""PyTorch, an optional extra, and the devices on which it computes."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]

LOCK = threading.RLock()
"""Held while PyTorch draws a network: threads of one process share its random generators and its thread count."""
_MULTIPLY: ContextVar[Callable[[Array, Array], Array] | None] = ContextVar("_MULTIPLY", default=None)


def require_torch() -> None:
    """Refuse to go on without PyTorch, and say how to install it."""
    try:
        import torch  # noqa: F401, PLC0415 - loaded by those who need it, no others
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise ImportError(
            'expected PyTorch for models and devices, got none; install it with: pip install "igbtheory[torch]"'
        ) from None


def checked_device(device: Any) -> Any:
    """Return the device, refused where PyTorch finds none of that name; None: no device is named."""
    if device is None:
        return None
    require_torch()
    import torch  # noqa: PLC0415 - as above

    try:
        return torch.empty(0, device=device).device
    except (RuntimeError, AssertionError, TypeError) as error:
        reason = str(error).partition("\n")[0]
        raise ValueError(
            f"expected a device that PyTorch finds here, such as 'cpu', got {device!r}: {reason}"
        ) from None


@contextmanager
def alone() -> Iterator[None]:
    """Context in which no other thread draws networks, and PyTorch has one thread: others work beside this one."""
    import torch  # noqa: PLC0415 - as above

    with LOCK:
        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(threads)


@contextmanager
def products_on(device: Any) -> Iterator[None]:
    """Context in which `product` multiplies on a device of PyTorch; None: NumPy does."""
    if device is None:
        yield
        return
    import torch  # noqa: PLC0415 - as above

    def multiply(x: Array, weights: Array) -> Array:
        found: Array = (torch.tensor(x, device=device) @ torch.tensor(weights, device=device)).cpu().numpy()
        return found

    token = _MULTIPLY.set(multiply)
    try:
        with alone() if torch.device(device).type == "cpu" else nullcontext():
            yield
    finally:
        _MULTIPLY.reset(token)


def product(x: Array, weights: Array) -> Array:
    """Return the matrix product x @ weights, in the precision of both, from the device of `products_on`."""
    multiply = _MULTIPLY.get()
    found: Array = x @ weights if multiply is None else multiply(x, weights)
    return found
