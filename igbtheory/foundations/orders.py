"""The order of the axes of images, as their shape tells it: one rule for files and for arrays in Python."""

from typing import Any

CHANNELS = {1, 2, 3, 4}
"""Usual numbers of channels: grey, grey and opacity, colours, colours and opacity."""
COLOURS = {3, 4}
"""Numbers of channels that speak for an image where a dimension may count the data instead."""
SIDE = 8
"""Smallest side of images: those of digits in scikit-learn have no more."""
LAST = "the channels came last"
"""What is said about images whose channels are moved to the front."""


def order(shape: tuple[int, ...]) -> str | None:
    """Return "NCHW" or "NHWC" for the shape of images, (n_samples, ...), whichever it speaks for, or None.

    A square of pixels speaks for an order, and so does a usual number of channels, but less. A single pixel is a square
    by chance, and speaks no louder than such a number.
    """
    _, first, middle, last = shape
    comes_first = _square(middle, last) + (first in CHANNELS)
    comes_last = _square(first, middle) + (last in CHANNELS)
    if comes_first == comes_last:
        return None
    return "NCHW" if comes_first > comes_last else "NHWC"


def is_image(array: Any) -> bool:
    """Return whether an array of three dimensions is a single image: a square of pixels in colour, or colours of bytes.

    The colours come last, as image files have them, or first, as PyTorch has them.
    """
    first, middle, last = array.shape
    in_bytes = array.dtype.kind == "u"
    return any(
        channels in COLOURS and min(height, width) >= SIDE and (in_bytes or height == width)
        for channels, height, width in ((last, first, middle), (first, middle, last))
    )


def _square(height: int, width: int) -> int:
    return min(height, 2) if height == width else 0
