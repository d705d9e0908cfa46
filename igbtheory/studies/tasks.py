"""Data of the papers' experiments, made here or shipped: training data, and others of the same law to be recorded on."""

from functools import cache

import numpy as np

from igbtheory.inputs import digit_labels, digits, standardised
from igbtheory.studies.arm import Task

TESTED = 500
"""Data to be recorded on."""


@cache
def blobs(count: int, features: int, shift: float = 0.0, zeros: float = 0.5) -> Task:
    """Return two Gaussian blobs of unit variance, their means -1/sqrt(d) and 1/sqrt(d) in each of the d features.

    shift: added to all data; zeros: share of class 0. Source: where-you-place-the-norm, appendix G.
    """
    rng = np.random.default_rng(0)
    labels = (rng.random(count + TESTED) >= zeros).astype(np.int64)
    centres = np.where(labels == 0, -1.0, 1.0)[:, None] / np.sqrt(features)
    data = (rng.standard_normal((len(labels), features)) + centres + shift).astype(np.float32)
    return Task(data[:count], labels[:count], data[count:], labels[count:])


@cache
def digit_images(*, even_odd: bool, shift: float = 0.0) -> Task:
    """Return the standardised digits, in a random order, with ten classes or in even and odd ones."""
    order = np.random.default_rng(0).permutation(len(digit_labels()))
    data = (standardised(digits())[order] + shift).astype(np.float32)
    labels = digit_labels()[order] % (2 if even_odd else 10)
    return Task(data[TESTED:], labels[TESTED:], data[:TESTED], labels[:TESTED])
