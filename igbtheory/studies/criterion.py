"""Losses as training needs them: the mean over data, and its gradient at the outputs (n_samples, outputs)."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from igbtheory import checks
from igbtheory.losses import Loss
from igbtheory.training.train import LOSSES

Array = NDArray[np.float64]
Labels = NDArray[np.int64]


class Criterion(NamedTuple):
    """A loss: its mean over the data, and the gradient of the loss of every datum at its outputs."""

    mean: Callable[[Array, Labels], float]
    gradient: Callable[[Array, Labels], Array]


def criterion(loss: Any) -> Criterion:
    """Return the loss of that name, an `igbtheory.losses.Loss`, or a function of outputs and labels, as PyTorch's."""
    if loss == "mse":
        return Criterion(
            lambda x, y: float(0.5 * np.square(x - _aims(x, y)).sum(axis=1).mean()), lambda x, y: x - _aims(x, y)
        )
    if isinstance(loss, str):
        loss = LOSSES[checks.known("loss", loss, ("mse", *LOSSES))]
    if isinstance(loss, Loss):
        rule = loss
        return Criterion(
            lambda x, y: float(rule.mean(_both(x), y)), lambda x, y: rule.gradient(_both(x), y)[:, : x.shape[1]]
        )
    if not callable(loss):
        raise TypeError(f"expected the name of a loss, an igbtheory.losses.Loss or a function, got {loss!r:.60}")
    return Criterion(lambda x, y: float(loss(*_tensors(x, y))), lambda x, y: _differentiated(loss, x, y))


def _aims(outputs: Array, labels: Labels) -> Array:
    """Return the outputs that squared loss asks for: 1 at the label and 0 elsewhere; of a single output 1 or -1."""
    if outputs.shape[1] == 1:
        return np.where(labels == 0, 1.0, -1.0)[:, None]
    return np.asarray(np.eye(outputs.shape[1])[labels])


def _both(outputs: Array) -> Array:
    """Return outputs of at least two classes: a single one is that of class 0 against a 0."""
    return outputs if outputs.shape[1] > 1 else np.hstack([outputs, np.zeros_like(outputs)])


def _tensors(outputs: Array, labels: Labels) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.from_numpy(outputs), torch.from_numpy(labels)


def _differentiated(loss: Any, outputs: Array, labels: Labels) -> Array:
    leaf, own = _tensors(outputs, labels)
    with torch.enable_grad():
        leaf.requires_grad_()
        loss(leaf, own).backward()
    return np.asarray(len(outputs) * leaf.grad.numpy())
