"""The record of a network at one step, in the mode in which it trains; recording leaves the network unchanged."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import torch
from numpy.typing import NDArray

from igbtheory.foundations.labels import Labels
from igbtheory.torch.outputs import Summary
from igbtheory.torch.passes import outputs_of
from igbtheory.torch.studies.criterion import Criterion

Array = NDArray[np.float64]
PROBED = 100
"""Largest number of data for which gradients are recorded, equally many of every class."""


@final
@dataclass(frozen=True)
class Recorder:
    """Records networks on data (n_samples, ...) with labels; output: which of several outputs has the logits."""

    rule: Criterion
    data: torch.Tensor
    labels: Labels
    output: str | int | None = None

    def outputs(self, model: Any, network: int) -> Array:
        """Return the outputs on all data."""
        with without_trace(model), torch.no_grad():
            outputs = outputs_of(model, self.data, network, (len(self.data), None), self.output)
        return np.asarray(outputs.double().cpu().numpy())

    def of(self, model: Any, outputs: Array, network: int) -> dict[str, Array]:
        """Return shares, recall and loss by class, mean probabilities, and gradient norms by class and layer.

        A gradient is the gradient of the mean loss over data of one class; a layer is a matrix of weights.
        """
        summary = Summary.of(outputs, self.labels)
        masks = [self.labels == c for c in range(len(summary.shares))]
        return {
            "shares": summary.shares,
            "recall": np.diagonal(summary.by_label),
            "losses": np.array([self.rule.mean(outputs[at], self.labels[at]) if at.any() else np.nan for at in masks]),
            "probabilities": summary.probabilities,
            "gradients": self._gradients(model, network, len(masks)),
        }

    def _gradients(self, model: Any, network: int, classes: int) -> Array:
        weights = list(layers(model).values())
        of_class = [np.flatnonzero(self.labels == c)[: PROBED // classes] for c in range(classes)]
        probed = np.sort(np.concatenate(of_class))
        labels = self.labels[probed]
        with without_trace(model), torch.enable_grad():
            outputs = outputs_of(model, self.data[probed], network, (len(probed), None), self.output)
            each = self.rule.gradient(outputs.detach().double().cpu().numpy(), labels)
            gradients = np.full((classes, len(weights)), np.nan)
            for c in np.unique(labels):
                part = np.where((labels == c)[:, None], each, 0.0) / np.count_nonzero(labels == c)
                back = torch.from_numpy(part).to(outputs)
                norms = torch.autograd.grad(outputs, weights, back, retain_graph=True, allow_unused=True)
                gradients[c] = [0.0 if norm is None else float(norm.norm()) for norm in norms]
        return gradients


def layers(model: Any) -> dict[str, torch.Tensor]:
    """Return the matrices of weights by their names."""
    return {name: p for name, p in model.named_parameters() if p.ndim > 1 and p.requires_grad}


@contextmanager
def without_trace(model: Any) -> Iterator[None]:
    """Context without Dropout; in the end the buffers, such as running statistics, get their values back."""
    kept = [(buffer, buffer.clone()) for buffer in model.buffers()]
    dropping = [m for m in model.modules() if isinstance(m, torch.nn.modules.dropout._DropoutNd) and m.training]  # noqa: SLF001 - the common class of all
    for module in dropping:
        module.eval()
    try:
        yield
    finally:
        with torch.no_grad():
            for buffer, values in kept:
                buffer.copy_(values)
        for module in dropping:
            module.train()
