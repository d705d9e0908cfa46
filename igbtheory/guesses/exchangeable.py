"""Several classes that are all alike before training: how many there may be, and the covariance of their shares."""

from typing import Any

import numpy as np

from igbtheory import checks

MOST_CLASSES = 1000


def checked_classes(n_classes: Any) -> int:
    """Number of classes M, a whole number from 2 to 1000."""
    return checks.whole("n_classes", n_classes, 2, MOST_CLASSES)


def exchangeable(variance: Any, n_classes: int) -> Any:
    """Covariance matrix of M exchangeable variables of a constant sum: -variance/(M - 1) beside the diagonal."""
    matrix = (n_classes * np.eye(n_classes) - 1.0) / (n_classes - 1.0)
    return np.multiply.outer(variance, matrix)
