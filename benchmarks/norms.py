"""A thousand normalised layers, beside as many without a norm; and errors of norms against 30 digits."""

from itertools import product
from typing import Any

from timing import seconds, show

import igbtheory as igb

DEPTH = 1000
INPUTS = igb.GaussianInputs(shift=0.5)
ACTIVATIONS = ("tanh", "silu", "elu", "relu6")
PLACED = (("layer", "before"), ("rms", "after"))
EXACT: dict[str, tuple[dict[str, Any], str]] = {
    "BatchNorm(2)": ({"norm": "batch", "batch_size": 2}, "1"),
    "BatchNorm(4)": ({"norm": "batch", "batch_size": 4}, "3/5"),
}
COMPARED: dict[str, dict[str, Any]] = {
    "LayerNorm": {"norm": "layer"},
    "RMSNorm after": {"norm": "rms", "placement": "after"},
    "BatchNorm": {"norm": "batch"},
    "LayerNorm after": {"norm": "layer", "placement": "after"},
}


def main() -> None:
    """Times and errors."""
    plain = seconds(igb.mlp(DEPTH, "relu").predict, 5)
    for name in ("layer", "rms", "batch"):
        net = igb.mlp(DEPTH, "relu", norm=name)
        show(f"ReLU, depth {DEPTH}, norm {name}", seconds(net.predict, 5), "no norm", plain)
    for activation, (name, placement) in product(ACTIVATIONS, PLACED):
        net = igb.mlp(DEPTH, activation, norm=name, placement=placement)
        first, later = seconds(net.predict, 1), seconds(net.predict, 5)
        print(f"  {activation}, {name} {placement}: {first:.3f} s, later {later:.3f} s")
    for name, (options, value) in EXACT.items():
        numerator, _, denominator = value.partition("/")
        exact = int(numerator) / int(denominator or 1)
        gamma = igb.mlp(3, "relu", **options).predict().gamma
        print(f"  {name}: gamma {gamma:.12f}, relative error {abs(gamma / exact - 1):.1g}")
    for name, options in COMPARED.items():
        net = igb.mlp(3, "relu", **options)
        exact = net.predict(INPUTS, digits=30).gamma
        error = abs(net.predict(INPUTS).gamma / exact - 1)
        print(f"  {name}, depth 3, inputs N(1/2, 1): relative error {float(error):.1g}")


if __name__ == "__main__":
    main()
