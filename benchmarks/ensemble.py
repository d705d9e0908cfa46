"""Networks a second of `simulate`, beside a loop that draws float64 networks and nothing else."""

from typing import Any

import numpy as np
from timing import seconds, show

import igbtheory as igb

NETWORKS, WIDTH, SAMPLES, DEPTH = 16, 1000, 1000, 3


def plain() -> Any:
    """Fractions G0 of ReLU networks, one after the other, in double precision."""
    rng = np.random.default_rng(0)
    fractions = []
    for _ in range(NETWORKS):
        x = rng.standard_normal((SAMPLES, WIDTH))
        for _ in range(DEPTH):
            x = np.maximum(x @ (rng.standard_normal((WIDTH, WIDTH)) * np.sqrt(2 / WIDTH)), 0)
        outputs = x @ rng.standard_normal((WIDTH, 2))
        fractions.append((outputs[:, 0] > outputs[:, 1]).mean())
    return np.array(fractions)


def main() -> None:
    """Times a network; ours has the moments of every layer besides."""
    net = igb.mlp(DEPTH, "relu")
    show(
        f"simulate, a network of width {WIDTH}, {SAMPLES} data, depth {DEPTH}",
        seconds(lambda: net.simulate(NETWORKS, WIDTH, SAMPLES), 2) / NETWORKS,
        "float64 loop",
        seconds(plain, 2) / NETWORKS,
    )
