"""The predictions of an explanation at the model's own widths."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from igbtheory.networks.simulation.estimates import LayerEstimates

CHANGE = 1.2
"""Change of log gamma by finite width, relative to the sum of 1/width over layers and blocks: its root mean square on
55 random networks of width 16 to 256 and depth 2 to 20, with five activations, norms and residual blocks. It is up to
three times as large for ReLU without norms, and small for norms and for activations that saturate."""
NAMED = 6
"""Largest number of different widths that a sentence names."""


@final
@dataclass(frozen=True, eq=False)
class AtWidths:
    """What theory predicts behind each layer of an explanation at the model's own widths, or why it predicts nothing.

    widths: the numbers of units that the second and later layers with weights read. size: the sum of 1/width over these
    layers, of which a residual block counts as one. networks: the number of networks that were drawn. per_layer: the
    estimates, NaN at the data, inside branches and behind a class token. refused: why there are none. of_weights: the
    relative error of gamma because the weights are drawn from normal laws, and those of the model are not.
    """

    widths: tuple[int, ...] = ()
    size: float = 0.0
    networks: int = 0
    per_layer: LayerEstimates | None = None
    refused: str = ""
    of_weights: float = 0.0

    @property
    def change(self) -> float:
        """What finite width may change of gamma in infinite width, as a share of it."""
        return float(np.expm1(CHANGE * self.size))

    def of_output(self) -> dict[str, Any]:
        """Return gamma and gamma_guess of the outputs with their errors, by their names in `WhatIf`."""
        layers = self.per_layer
        if layers is None:
            return {}
        ratios = {"at_widths": "gamma", "at_widths_guess": "gamma_guess"}
        return {
            f"{name}{end}": float(getattr(layers, f"{ratio}{end}")[-1])
            for name, ratio in ratios.items()
            for end in ("", "_error")
        }

    def __str__(self) -> str:
        """Return the widths as text."""
        unlike = dict.fromkeys(self.widths)
        return ", ".join(map(str, unlike)) if len(unlike) <= NAMED else f"{min(unlike)} to {max(unlike)}"


UNDRAWN = AtWidths()
"""No estimates, without a reason: of explanations that were saved before there were any."""
