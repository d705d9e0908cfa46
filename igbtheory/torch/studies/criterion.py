"""Losses as training needs them: the mean over data, and the gradient at outputs of shape (n_samples, outputs)."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.foundations.labels import Labels
from igbtheory.networks.losses import Loss
from igbtheory.networks.training.train import LOSSES
from igbtheory.torch.outputs import beside_zero

Array = NDArray[np.float64]


class Criterion(NamedTuple):
    """A loss: its mean over the data, and the gradient of the loss of every datum at its outputs."""

    mean: Callable[[Array, Labels], float]
    gradient: Callable[[Array, Labels], Array]


def criterion(loss: Any) -> Criterion:
    """Return the criterion of a loss: a name, an `igb.losses.Loss`, or a function of outputs and labels."""
    if loss == "mse":
        return Criterion(
            lambda x, y: float(0.5 * np.square(x - _targets(x, y)).sum(axis=1).mean()), lambda x, y: x - _targets(x, y)
        )
    if isinstance(loss, str):
        loss = LOSSES[checks.known("loss", loss, ("mse", *LOSSES))]
    if isinstance(loss, Loss):
        rule = loss
        return Criterion(
            lambda x, y: float(rule.mean(beside_zero(x), y)),
            lambda x, y: rule.gradient(beside_zero(x), y)[:, : x.shape[1]],
        )
    if not callable(loss):
        raise TypeError(f"expected the name of a loss, an igb.losses.Loss or a function, got {loss!r:.60}")
    return Criterion(
        lambda x, y: float(loss(torch.from_numpy(x), torch.from_numpy(y))), lambda x, y: _differentiated(loss, x, y)
    )


def _targets(outputs: Array, labels: Labels) -> Array:
    """Return the targets of squared loss: 1 at the label and 0 elsewhere; for a single output 1 or -1."""
    if outputs.shape[1] == 1:
        return np.where(labels == 0, 1.0, -1.0)[:, None]
    return np.asarray(np.eye(outputs.shape[1])[labels])


def _differentiated(loss: Any, outputs: Array, labels: Labels) -> Array:
    leaf = torch.from_numpy(outputs).requires_grad_()
    with torch.enable_grad():
        loss(leaf, torch.from_numpy(labels)).backward()
    return np.asarray(len(outputs) * leaf.grad.numpy())
