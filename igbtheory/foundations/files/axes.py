"""The axes of images and sequences: channels come first, and pixels of bytes become numbers from 0 to 1."""

import numpy as np

from igbtheory.foundations import checks
from igbtheory.foundations.files.contents import Array, Contents
from igbtheory.foundations.orders import LAST, order

AXES = {"NCHW": 4, "NHWC": 4, "NHW": 3, "NTF": 3}
"""Orders of the axes and their number: data, channels, height, width; tokens, features."""
WHITE = {np.dtype(np.uint8): 255, np.dtype(np.uint16): 65535}
"""The largest value of a pixel, by its type."""


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
        raise ValueError(
            f"shape {array.shape} does not say where the channels are; pass axes='NCHW' if they come first, or "
            "axes='NHWC' if they come last"
        )
    return decided


def _images_or_sequences(array: Array) -> str:
    """Return the axes of three-dimensional data: bytes are pixels, and a square of other numbers may be either."""
    _, height, width = array.shape
    if array.dtype in WHITE:
        return "NHW"
    if array.dtype.kind == "f" and height == width > 1:
        raise ValueError(
            f"shape {array.shape} is that of grey images and of sequences; pass axes='NHW' for images, or axes='NTF' "
            "for sequences of tokens with features"
        )
    return "NTF"
