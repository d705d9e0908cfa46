"""The multilayer perceptrons of the papers' experiments as PyTorch models."""

from typing import Any

import torch
from torch import nn

ACTIVATIONS = {"relu": nn.ReLU, "tanh": nn.Tanh}
NORMS = {"batch": nn.BatchNorm1d, "layer": nn.LayerNorm}


def mlp(  # noqa: PLR0913 - the parameters of `igbtheory.mlp`, and the widths
    features: int,
    classes: int = 2,
    *,
    width: int = 100,
    depth: int = 1,
    activation: str = "relu",
    norm: str | None = None,
    placement: str = "before",
    sigma_w2: float = 2.0,
    sigma_b2: float = 0.0,
) -> Any:
    """Return a freshly drawn perceptron like `igbtheory.mlp`: weights N(0, sigma_w2/fan-in), biases N(0, sigma_b2)."""
    layers: list[Any] = []
    for layer in range(depth):
        layers.append(_dense(width if layer else features, width, sigma_w2, sigma_b2))
        block = [ACTIVATIONS[activation]()]
        if norm is not None:
            block.insert(0 if placement == "before" else 1, NORMS[norm](width))
        layers += block
    return nn.Sequential(*layers, _dense(width if depth else features, classes, sigma_w2, sigma_b2))


def _dense(inputs: int, outputs: int, sigma_w2: float, sigma_b2: float) -> Any:
    made = nn.Linear(inputs, outputs)
    with torch.no_grad():
        made.weight.normal_(0.0, (sigma_w2 / inputs) ** 0.5)
        made.bias.normal_(0.0, sigma_b2**0.5)
    return made
