"""Starts of a network: as drawn, or with another last layer behind the same hidden layers."""

from typing import Any

import torch

from igbtheory.torch.initialise import initialise
from igbtheory.torch.last_layer import LastLayer

NEUTRAL, PREJUDICED = (0.45, 0.55), (0.95, 1.0)
"""Windows of G0 for neutral and prejudiced starts of two classes."""


def begin(model: Any, start: str, data: torch.Tensor, classes: int, seed: int) -> None:
    """Change the last layer so that the model starts as wanted on the data.

    "neutral", "prejudiced": the last layer is drawn anew until G0 lies in the window, see `igbtheory.initialise`; with
    more than two classes, a neutral start gives all of them equal shares by its biases. "centred": the mean of every
    output over the data is moved to 0, by the biases of the last layer if it has some.
    """
    if start == "centred":
        last = LastLayer(model, data)
        outputs = last.outputs()
        last.shift(-outputs.mean(axis=0) / last.slopes().mean())
        last.keep()
    elif start == "neutral" and classes > 2:
        initialise(model, data, neutral=True)
    elif start != "drawn":
        initialise(model, data, G0=NEUTRAL if start == "neutral" else PREJUDICED, seed=seed)
