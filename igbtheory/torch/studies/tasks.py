"""Data of the papers' experiments: to train on, and further data of the same law to record networks on."""

from functools import cache
from typing import Any

import numpy as np

from igbtheory.foundations.labels import labels_in
from igbtheory.layers.inputs import digit_labels, digits, standardised
from igbtheory.torch.studies.arm import Task

TESTED = 500
"""Number of data on which networks are recorded."""
IMAGES_TESTED = 200
"""As TESTED, of images: recording the gradients of ten classes takes longer than training."""
SIDE = 4
"""Sides of images are multiples of this number: two pools halve them twice, and patches are a quarter of a side."""


@cache
def blobs(count: int, features: int) -> Task:
    """Return two Gaussian blobs of unit variance, with the means -1/sqrt(d) and 1/sqrt(d) in each of the d features.

    Source: where-you-place-the-norm, appendix G.
    """
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, count + TESTED)
    centres = np.where(labels == 0, -1.0, 1.0)[:, None] / np.sqrt(features)
    data = (rng.standard_normal((len(labels), features)) + centres).astype(np.float32)
    return Task(data[:count], labels[:count], data[count:], labels[count:])


@cache
def digit_images(*, kind: str, shift: float = 0.0) -> Task:
    """Return the standardised digits, in a random order, in "ten" classes or two.

    kind: "even or odd"; "nine to one" and "one to nine" tell zeros from the others, which are class 0 or class 1.
    """
    order = np.random.default_rng(0).permutation(len(digit_labels()))
    data, digit = (standardised(digits())[order] + shift).astype(np.float32), digit_labels()[order]
    labels = {"ten": digit, "even or odd": digit % 2, "nine to one": 1 * (digit == 0), "one to nine": 1 * (digit > 0)}[
        kind
    ]
    return Task(data[TESTED:], labels[TESTED:], data[:TESTED], labels[:TESTED])


@cache
def images(shift: float = 0.0) -> Task:
    """Return the standardised digits as images of ten classes, in a random order; `shift` is added to all pixels."""
    task = digit_images(kind="ten", shift=shift)
    labels = task.seen_labels[:IMAGES_TESTED]
    return Task(_as_images(task.data), task.labels, _as_images(task.seen[:IMAGES_TESTED]), labels)


def _as_images(data: Any) -> Any:
    return data.reshape(-1, 1, 8, 8)


def images_of(data: Any, labels: Any, shift: float = 0.0) -> Task:
    """Return images with labels in a random order; a fifth of them, but at most IMAGES_TESTED, are those to record on.

    shift: a number that is added to all pixels.
    ValueError: they are no images whose sides are multiples of SIDE, as pools and patches need, or have no labels.
    """
    given, classes = np.asarray(data), labels_in(np.asarray(labels))
    if given.ndim != 4 or any(side % SIDE for side in given.shape[2:]):
        raise ValueError(
            f"expected images of shape (n_samples, channels, height, width) whose sides are multiples of {SIDE}, got "
            f"data of shape {given.shape}; crop or pad them, or pass --axes"
        )
    if classes is None or len(classes) != len(given):
        raise ValueError(f"expected a class label 0, 1, ... for each of the {len(given)} images; pass them as labels")
    order = np.random.default_rng(0).permutation(len(given))
    x, y, tested = (given[order] + shift).astype(np.float32), classes[order], min(IMAGES_TESTED, len(given) // 5)
    return Task(x[tested:], y[tested:], x[:tested], y[:tested])
