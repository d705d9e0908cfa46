"""The order of the axes of images, as their shape tells it: one rule for files and for arrays in Python."""

CHANNELS = {1, 2, 3, 4}
"""Usual numbers of channels: grey, grey and opacity, colours, colours and opacity."""
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


def _square(height: int, width: int) -> int:
    return min(height, 2) if height == width else 0
