"""ReLU to depth 1000, beside the same recursion in Python floats; and the error at large depth."""

import math

from timing import seconds, show

import igbtheory as igb

DEPTH = 1000
GAMMA = {
    1: 0.46694220692426,
    20: 18.3905470235139,
    1000: 23184.8613743763,
}
"""Gamma of ReLU with sigma_w2 = 2, from a recursion in 50 digits; 15 digits of it."""


def plain() -> float:
    """Gamma from the arc-cosine kernel of degree 1, c carried and 1 - c formed from it."""
    c = 0.0
    for _ in range(DEPTH):
        theta = math.acos(min(c, 1.0))
        c = (math.sin(theta) + (math.pi - theta) * c) / math.pi
    return c / (1 - c)


def main() -> None:
    """Times of both, and the errors."""
    net = igb.mlp(DEPTH, "relu")
    show(f"ReLU, depth {DEPTH}", seconds(net.predict, 5), "textbook loop in Python floats", seconds(plain, 5))
    print(
        f"  relative error of gamma: {abs(net.predict().gamma / GAMMA[DEPTH] - 1):.1g} (igbtheory), "
        f"{abs(plain() / GAMMA[DEPTH] - 1):.1g} (loop)"
    )
    for depth, gamma in GAMMA.items():
        print(f"  depth {depth}: relative error {abs(igb.mlp(depth, 'relu').predict().gamma / gamma - 1):.1g}")
