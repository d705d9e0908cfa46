"""Errors inside the user's code, which are raised unchanged with a note on the place and, if known, the remedy.

Importing this module loads no PyTorch, since the command line reads the notes.
"""

import re
import traceback
from math import isqrt, prod
from pathlib import Path
from typing import Any

from igbtheory.foundations.shipped import PACKAGE

MARK = "igb.measure: "
"""The beginning of every note."""
MEMORY = re.compile("out of memory|allocate memory|not enough memory", re.IGNORECASE)
KIND = re.compile("type|implemented for")
"""Words in PyTorch's messages about integers that are passed to floating-point weights."""


def note_making(error: Exception, network: int) -> None:
    """Add the number of the network to an error of make_model."""
    error.add_note(f"{MARK}network {network}: make_model failed")


def note_pass(error: Exception, network: int, model: Any, batch: Any, sizes: tuple[int, int | None]) -> None:
    """Add the network and its data to an error of the forward pass; sizes: number of all data and of data in a pass."""
    what = f"network {network}: the model failed on data of shape {tuple(batch.shape)}, {batch.dtype}"
    if not str(error):  # such as of an assertion
        what += f"{place_in_own_code(error)}, which may be data of another size than it takes"
    remedy = _remedy(error, model, batch, *sizes)
    error.add_note(f"{MARK}{what}{'; ' if remedy else ''}{remedy}")


def place_in_own_code(error: BaseException) -> str:
    """Return the last line of the user's code that an error went through, in brackets; empty if there is none."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_own(frame.filename)]
    return f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno}: {frames[-1].line})" if frames else ""


def _is_own(filename: str) -> bool:
    """Return whether a file is the user's: part of neither PyTorch nor this package."""
    folders = Path(filename).parts
    inside = Path(filename).is_relative_to(PACKAGE)
    return "torch" not in folders and not inside and not filename.startswith("<eval")


def noted(error: BaseException) -> tuple[str, str] | None:
    """Return what failed and the remedy, as noted, or None if the error is not from the user's code."""
    notes = [note for note in getattr(error, "__notes__", ()) if note.startswith(MARK)]
    if not notes:
        return None
    what, _, remedy = notes[0].removeprefix(MARK).partition("; ")
    return what, remedy


def _remedy(error: Exception, model: Any, batch: Any, size: int, batch_size: int | None) -> str:
    """Return the remedy for an error, "" if its cause is not known."""
    if isinstance(error, MemoryError | RuntimeError) and (MEMORY.search(str(error)) or isinstance(error, MemoryError)):
        return f"pass batch_size={min(256, max(1, len(batch) // 2))}"
    if len(batch) == 1 and batch_size is not None and "more than 1 value per channel" in str(error):
        return f"batches of {batch_size} leave one of {size} data alone; {_dividing(size, batch_size)}"
    weighing = (module for module in model.modules() if next(module.parameters(recurse=False), None) is not None)
    first = next(weighing, None)
    if type(first).__name__.startswith("Embedding"):
        return _of_tokens(first, batch)
    if remedy := _of_images(first, tuple(batch.shape)):
        return remedy
    floating = any(parameter.is_floating_point() for parameter in model.parameters())
    if isinstance(error, RuntimeError) and floating and not batch.is_floating_point():
        return "integers stay integers, as tokens are; pass X.astype(float)" if KIND.search(str(error)) else ""
    return ""


def _of_tokens(first: Any, batch: Any) -> str:
    """Return the remedy for data that are not the tokens which an embedding takes, "" if they are."""
    if str(batch.dtype) not in {"torch.int32", "torch.int64"}:
        return "the model takes tokens, which are integers; pass X.astype(int)"
    least, most, count = int(batch.min()), int(batch.max()), first.num_embeddings
    if least < 0 or most >= count:
        return f"the tokens go from {least} to {most}, and the model embeds 0 to {count - 1}"
    return ""


def _of_images(first: Any, shape: tuple[int, ...]) -> str:
    """Return the remedy for data that are not the images or vectors which the first layer takes, "" if they are."""
    if type(first).__name__ == "Linear" and len(shape) > 2 and prod(shape[1:]) == first.in_features:
        return "the model takes vectors, not images; pass X.reshape(len(X), -1)"
    channels = first.in_channels if type(first).__name__ == "Conv2d" else 0
    side = isqrt(shape[1] // channels) if channels and len(shape) == 2 else 0
    if side and channels * side**2 == shape[1]:
        return f"the model takes images, not vectors; pass X.reshape(-1, {channels}, {side}, {side})"
    if channels == 1 and len(shape) == 3:
        return "the model takes images with channels; pass X[:, None]"
    if channels and len(shape) == 4 and shape[1] != channels == shape[3]:
        return "the channels stand behind the data; pass X.transpose(0, 3, 1, 2)"
    return ""


def _dividing(size: int, batch_size: int) -> str:
    """Return the advice to pass the nearest batch_size above 1 that divides the number of data."""
    divisors = [d for d in range(2, size // 2 + 1) if not size % d]
    if not divisors:
        return "leave batch_size out, no other divides"
    return f"pass batch_size={min(divisors, key=lambda d: abs(d - batch_size))}, which divides"
