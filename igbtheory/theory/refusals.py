"""Refusals of a prediction: variances that are out of range, too many data, and data whose outputs tie."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from math import isfinite, isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.places import Places
from igbtheory.mathematics.averages.state import Pairs
from igbtheory.mathematics.numbers import FLOAT64, Kind

RANGE = 1e150
"""Largest variance in double precision, and the inverse of the smallest one: rules multiply two variances."""
LARGEST = 30_000
"""Largest number of given data: the time grows with its square."""
LARGEST_WHOLE = 4_000
"""Largest number of given data if a layer, such as BatchNorm, needs their whole kernel at once: 128 MB."""
LARGEST_PAIRS, LARGEST_IMAGE = 2**34, 2**22
"""Largest number of pairs of positions, of all pairs of data and of one pair."""


class TooLargeError(ValueError):
    """Raised where the kernel of images or sequences would be too large, or take too long."""


class PassedByError(ValueError):
    """Raised where layers behind which kernels are wanted have none; places: of these layers, as in `Watched`."""

    def __init__(self, places: AbstractSet[int]) -> None:
        super().__init__("no kernel goes through a layer that is watched")
        self.places = places


def refuse_scale(data: NDArray[np.float64]) -> None:
    """Refuse data whose mean squares leave the range of double precision."""
    largest = float(np.abs(data).max())
    if largest and not 1 / RANGE < largest * largest < RANGE:
        many_digits = ", or use digits=30" if largest < 1 else ""  # they reach down further than up
        raise ValueError(
            f"expected data with squares between {1 / RANGE:g} and {RANGE:g}, got {largest:g} as the largest entry, "
            f"so variances are out of range; scale the data{many_digits}"
        )


def refuse_lost(n: Kind, q: Any, layer: int) -> None:
    """Refuse a network if the variance q after a Dense layer, a number or an array, is zero or out of range anywhere.

    The range of double precision ends at 1e150, because rules multiply two variances.
    """
    least, most = (q.min(), q.max()) if isinstance(q, np.ndarray) else (q, q)
    if n is FLOAT64 and least >= 1 / RANGE and most <= RANGE:
        return
    q = np.ravel(q)
    refused = q[~(q > 0) | (((q < 1 / RANGE) | (q > RANGE)) if n is FLOAT64 else ~np.isfinite(q.astype(float)))]
    if refused.size:
        value = float(refused[0])
        raise ValueError(f"the variance after Dense layer {layer} is {value:g}, {_loss(value)}")


def _loss(value: float) -> str:
    """Return what follows from such a variance, and what to do."""
    if value == 0:
        return (
            "so its outputs tie exactly: its weights are 0, or all that they read; use sigma_w2 > 0 and inputs that "
            "are not all 0, such as GaussianInputs(0, 1), or set sigma_b2 > 0"
        )
    return (
        "so its outputs are out of range; use a sigma_w2 nearer to the critical one (2.0 for relu), "
        f"{'sigma_b2 > 0, a norm, or digits=30' if isfinite(value) else 'or a norm'}"
    )


def refuse_silent(kernels: list[Pairs], start: int) -> None:
    """Refuse data whose outputs have no variance; start: number of the first of these data."""
    silent = np.flatnonzero(np.ravel(kernels[-1].q_a) == 0)
    if not silent.size:
        return
    first = next(i for i, pairs in enumerate(kernels) if np.ravel(pairs.q_a)[silent[0]] == 0)
    if first == 0:
        why, remedy = "it is all zeros, or sigma_w2 is", "remove it, shift the data"
    else:
        why = "its units are all 0, as those of a batch that does not vary are behind a BatchNorm"
        remedy = "remove data that are equal"
    raise ValueError(
        f"datum {start + silent[0]} has no variance behind Dense layer {first + 1}, so its outputs tie exactly: "
        f"{why}, and there are no biases; {remedy}, or set sigma_b2 > 0"
    )


def refuse_many(layers: Sequence[Layer], count: int, places: Places | None) -> None:
    """Refuse data whose kernel would be too large."""
    most = _most(layers, places)
    if count > most:
        raise (ValueError if places is None else TooLargeError)(
            f"expected at most {most} data, got {count}: their kernel has the square of entries; predict "
            f"on a subsample, for example X[np.random.default_rng(0).choice({count}, {most}, replace=False)]"
        )


def _most(layers: Sequence[Layer], places: Places | None) -> int:
    """Return the largest number of data, given the pairs of positions of images, None for vectors."""
    whole = is_whole(layers, places)
    if places is None:
        return LARGEST_WHOLE if whole else LARGEST
    fits = len(places.offsets) <= LARGEST_WHOLE // 2 if whole else places.size <= LARGEST_IMAGE
    if not fits:
        raise TooLargeError(
            f"expected images of fewer positions, got {' x '.join(map(str, places.shape))}, of which the layers need "
            f"{places.size} pairs; average them first, for example by AvgPool2d(2) in front of all layers, or crop them"
        )
    return LARGEST_WHOLE // len(places.offsets) if whole else min(LARGEST, isqrt(LARGEST_PAIRS // places.size))


def is_whole(layers: Sequence[Layer], places: Places | None) -> bool:
    """Return whether the whole kernel of all data is held at once."""
    return (places is not None and places.whole) or any(layer.whole for layer in layers)
