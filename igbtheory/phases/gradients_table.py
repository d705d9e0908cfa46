"""The trade-off of norms, in front of an activation and behind it: guessing bias against growth of gradients."""

from dataclasses import dataclass
from typing import Any, final

from igbtheory.inputs import GaussianInputs
from igbtheory.network import NORMS, PLACEMENTS, mlp
from igbtheory.phases.gradients import gradients


@final
@dataclass(frozen=True)
class TradeOff:
    """Row of the table: a norm, its placement, and what they do to bias and gradients.

    gamma: bias ratio of the output; factor: expected squared gradient at the last hidden Dense over that at the
    output, what every layer far from the input does; squared: that at the first Dense over that at the output.
    """

    norm: str | None
    placement: str
    gamma: Any
    factor: Any
    squared: Any


def trade_off(
    activation: Any = "relu",
    depth: int = 20,
    *,
    sigma_w2: Any = 2.0,
    sigma_b2: Any = 0.0,
    inputs: GaussianInputs | None = None,
) -> tuple[TradeOff, ...]:
    """Rows for no norm, full-batch BatchNorm, LayerNorm and RMSNorm, in front of the activation and behind it.

    Arguments as those of `mlp` and of `gradients`.
    """
    rows = []
    for norm in (None, "batch", *NORMS):
        for placement in PLACEMENTS:
            net = mlp(depth, activation, norm=norm, placement=placement, sigma_w2=sigma_w2, sigma_b2=sigma_b2)
            found = gradients(net, inputs)
            rows.append(TradeOff(norm, placement, net.predict(inputs).gamma, found.factor[-1], found.squared[0]))
    return tuple(rows)
