"""PyTorch, an optional extra, and the devices on which it can multiply."""

import ctypes
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]

LOCK = threading.RLock()
"""Lock for drawing networks with PyTorch, whose random generators and thread count belong to the whole process."""
_MULTIPLY: ContextVar[Callable[[Array, Array], Array] | None] = ContextVar("_MULTIPLY", default=None)


def require_torch() -> None:
    """Raise ImportError if PyTorch is not installed, and say how to install it."""
    try:
        import torch  # noqa: F401, PLC0415 - loaded only where it is needed
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise ImportError(
            'expected PyTorch, which is not installed; install it with: pip install "igbtheory[torch]"'
        ) from None


def checked_device(device: Any) -> Any:
    """Return the torch.device of that name, or None for None. ValueError: PyTorch finds no such device."""
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
    """Keep other threads from drawing networks, and PyTorch to one thread, while the context is open."""
    import torch  # noqa: PLC0415 - as above

    with LOCK:
        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(threads)


def free_buffers() -> None:
    """Free the memory that PyTorch's MKL keeps for its threads, in which a forked process may loop for ever.

    This becomes rare, not impossible: in one process, do not let PyTorch multiply in threads before forked processes.
    """
    if (torch := sys.modules.get("torch")) is not None:
        with suppress(OSError, AttributeError):  # a PyTorch without MKL
            ctypes.CDLL(str(Path(str(torch.__file__)).parent / "lib" / "libtorch_cpu.so")).mkl_serv_free_buffers()


@contextmanager
def products_on(device: Any) -> Iterator[None]:
    """Let `product` multiply on a PyTorch device while the context is open; with None, NumPy multiplies."""
    if device is None:
        yield
        return
    import torch  # noqa: PLC0415 - as above

    def multiply(x: Array, weights: Array) -> Array:
        weighted: Array = (torch.tensor(x, device=device) @ torch.tensor(weights, device=device)).cpu().numpy()
        return weighted

    token = _MULTIPLY.set(multiply)
    try:
        with alone() if torch.device(device).type == "cpu" else nullcontext():
            yield
    finally:
        with suppress(ValueError):  # another thread may collect this after a stopped one, and has nothing to reset
            _MULTIPLY.reset(token)


def product(x: Array, weights: Array) -> Array:
    """Return the matrix product x @ weights in their precision, computed on the device of `products_on`."""
    multiply = _MULTIPLY.get()
    weighted: Array = x @ weights if multiply is None else multiply(x, weights)
    return weighted
