"""What is recorded of a network at one step, in the mode it trains in, which leaves the network as it was."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, final

import numpy as np
import torch
from numpy.typing import NDArray

from igbtheory.studies.criterion import Criterion
from igbtheory.torch.outputs import Summary
from igbtheory.torch.passes import outputs_of

Array = NDArray[np.float64]
PROBED = 100
"""Data at most on which gradients are recorded, equally many of every class."""


@final
class Recorder:
    """Records networks on data (n_samples, ...) with labels of `classes` classes."""

    def __init__(self, rule: Criterion, data: torch.Tensor, labels: NDArray[np.int64], classes: int) -> None:
        self.rule, self.data, self.labels, self.classes = rule, data, labels, classes
        own = [np.flatnonzero(labels == c)[: PROBED // classes] for c in range(classes)]
        self.probed = np.sort(np.concatenate(own))

    def outputs(self, model: Any, network: int) -> Array:
        """Return the outputs on all data."""
        with without_trace(model), torch.no_grad():
            found = outputs_of(model, self.data.clone(), network, (len(self.data), None))
        return np.asarray(found.double().cpu().numpy())

    def of(self, model: Any, outputs: Array, network: int) -> dict[str, Array]:
        """Return shares, recall and loss by class, mean probabilities, and gradient norms by class and layer.

        A gradient is that of the mean loss over data of one class; a layer is a matrix of weights.
        """
        found, own = Summary.of(outputs, self.labels), [self.labels == c for c in range(self.classes)]
        return {
            "shares": found.shares,
            "recall": np.diagonal(found.by_label),
            "losses": np.array([self.rule.mean(outputs[at], self.labels[at]) if at.any() else np.nan for at in own]),
            "probabilities": found.probabilities,
            "gradients": self._gradients(model, network),
        }

    def _gradients(self, model: Any, network: int) -> Array:
        weights = list(layers(model).values())
        labels = self.labels[self.probed]
        with without_trace(model), torch.enable_grad():
            outputs = outputs_of(model, self.data[self.probed], network, (len(self.probed), None))
            each = self.rule.gradient(outputs.detach().double().cpu().numpy(), labels)
            found = np.full((self.classes, len(weights)), np.nan)
            for c in np.unique(labels):
                part = np.where((labels == c)[:, None], each, 0.0) / np.count_nonzero(labels == c)
                back = torch.from_numpy(part).to(outputs)
                norms = torch.autograd.grad(outputs, weights, back, retain_graph=True, allow_unused=True)
                found[c] = [0.0 if norm is None else float(norm.norm()) for norm in norms]
        return found


def layers(model: Any) -> dict[str, torch.Tensor]:
    """Return the matrices of weights by their names."""
    return {name: p for name, p in model.named_parameters() if p.ndim > 1 and p.requires_grad}


@contextmanager
def without_trace(model: Any) -> Iterator[None]:
    """Context without Dropout, after which the buffers, such as running statistics, are what they were."""
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
