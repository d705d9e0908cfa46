"""Data of the papers' experiments: to train on, and further data of the same law to record networks on."""

from functools import cache

import numpy as np

from igbtheory.layers.inputs import digit_labels, digits, standardised
from igbtheory.torch.studies.arm import Task

TESTED = 500
"""Number of data on which networks are recorded."""


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
