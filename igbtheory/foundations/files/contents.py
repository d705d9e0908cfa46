"""What a file contains: data with channels in front, labels, and what the reader decided about them."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.foundations.guarded import UndecidedError
from igbtheory.foundations.labels import labels_in
from igbtheory.foundations.orders import LAST, is_image, order

Array = NDArray[Any]
AXES = {"NCHW": 4, "NHWC": 4, "NHW": 3, "NTF": 3}
"""Orders of the axes and their number: data, channels, height, width; tokens, features."""
WHITE = {np.dtype(np.uint8): 255, np.dtype(np.uint16): 65535}
"""The largest value of a pixel, by its type."""
AS_IT_IS = "as they are"


@final
@dataclass(frozen=True)
class Contents:
    """Data, (n_samples, ...), and their labels or values of outputs, (n_samples, ...), or None.

    decisions: phrases that tell what the reader decided. treatment: a phrase that tells how it changed the numbers.
    names: of the features, if the data are a table.
    """

    data: Array
    labels: Array | None = None
    decisions: tuple[str, ...] = ()
    treatment: str = AS_IT_IS
    names: tuple[str, ...] = ()

    def told(self, source: str | Path | None = None) -> str:
        """Return what was read and decided, in one line; source: of a file."""
        sizes, (first, *others) = self.data.shape[1:], self.names or ("",)
        each = f"shape {sizes}" if len(sizes) > 1 else f"{sizes[0] if sizes else 1} feature{'s' * (sizes != (1,))}"
        names = f" ({f'{first} ... {others[-1]}' if others[2:] else ', '.join((first, *others))})" if self.names else ""
        said = [f"read {len(self.data)} data of {each}{names}", *self.decisions]
        said += [f"values {self.treatment}"] if self.treatment != AS_IT_IS else []
        return ("" if source is None else f"{source}: ") + "; ".join(said)


@final
@dataclass(frozen=True)
class Choices:
    """What the user decides about a file: see `read_data`."""

    label_column: str | int | None = "ask"
    key: str | None = None
    header: bool | None = None
    axes: str | None = None
    drop_columns: str | Sequence[str | int] | None = None
    separator: str | None = None
    decimal: str | None = None


def refuse_unused(choices: Choices, contents: Contents) -> None:
    """Refuse options for the columns of a table if the data are no table."""
    if contents.names or not contents.data.size:
        return
    given = {one.name for one in fields(choices) if getattr(choices, one.name) not in (one.default, None)}
    if unused := given - {"key", "axes"}:
        name = min(unused)
        raise ValueError(f"expected a table, which has columns, with {name}= given, got arrays; leave {name}= out")


def tell(line: str) -> None:
    """Log what was decided about data."""
    logging.getLogger("igbtheory").warning(line)


def listed(names: Any) -> str:
    """Return at most six names, separated by commas."""
    names = [str(name) for name in names]
    return ", ".join(names if len(names) <= 6 else [*names[:5], f"... ({len(names)} in all)"])


def numbered(classes: Any) -> str:
    """Return which label each class has."""
    return listed(f"{i} = {name}" for i, name in enumerate(classes))


def as_labels(array: Array) -> Array:
    """Return an array of labels as integers, (n_samples,), and values of outputs unchanged."""
    labels = labels_in(array)
    return array if labels is None else labels


def arranged(array: Array, axes: str | None = None) -> Contents:
    """Return images as (n_samples, channels, height, width), and other data as they are.

    axes: a key of `AXES`; None: its shape decides. Pixels of one or two bytes are divided by white. ValueError: the
    shape does not decide.
    """
    if axes is not None and AXES.get(checks.known("order of axes", axes, AXES)) != array.ndim:
        fits = " or ".join(f"axes={name!r}" for name, count in AXES.items() if count == array.ndim)
        raise ValueError(
            f"shape {array.shape} has not the axes {axes}; " + (f"pass {fits}" if fits else "pass no axes")
        )
    if array.ndim not in {3, 4}:
        return Contents(array)
    axes = axes or (_order if array.ndim == 4 else _images_or_sequences)(array)
    said = []
    if axes == "NTF":
        said = [f"sequences of {array.shape[1]} tokens with {array.shape[2]} features"]
    elif axes == "NHWC":
        said, array = [LAST], np.moveaxis(array, -1, 1)
    elif axes == "NHW":
        said, array = ["grey images"], array[:, None]
    white = WHITE.get(array.dtype) if axes != "NTF" else None
    if white is None:
        return Contents(array, None, tuple(said))
    return Contents(array.astype(np.float32) / np.float32(white), None, tuple(said), f"divided by {white}")


def _order(array: Array) -> str:
    """Return the order of the axes of images, which a file does not tell if its shape does not."""
    decided = order(array.shape)
    if decided is None:
        raise UndecidedError(
            f"shape {array.shape} does not say where the channels are; pass axes='NCHW' if they come first, or "
            "axes='NHWC' if they come last",
            {"axes": "NCHW"},
        )
    return decided


def _images_or_sequences(array: Array) -> str:
    """Return the axes of three-dimensional data: bytes are pixels, and a square of other numbers may be either."""
    _, height, width = array.shape
    if is_image(array):
        raise ValueError(
            f"shape {array.shape} is that of a single image, and one datum has no fraction of guesses; save several "
            "images, or pass axes='NHW' for grey images, or axes='NTF' for sequences of tokens with features"
        )
    if array.dtype in WHITE:
        return "NHW"
    if array.dtype.kind == "f" and height == width > 1:
        raise UndecidedError(
            f"shape {array.shape} is that of grey images and of sequences; pass axes='NHW' for images, or axes='NTF' "
            "for sequences of tokens with features",
            {"axes": "NHW"},
        )
    return "NTF"
