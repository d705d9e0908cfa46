"""Stochastic depth in graphs that tell only its numbers: random factors, of each datum or of all, that are 0 or not."""

from collections.abc import Callable

import torch
from torch import fx

from igbtheory.layers.activation import Activation
from igbtheory.layers.layer import Layer
from igbtheory.layers.stochastic_depth import StochasticDepth
from igbtheory.torch.operators import called, tells_shape

PASSES = 200
"""Number of passes in which random factors are drawn to tell their values and the share of zeros."""
FAR = 5.0
"""Standard errors by which the share of zeros may differ from the probability that the graph tells: 6e-7 by chance."""
RANDOM = "the theory has no numbers that are drawn in every pass, but those of dropout and of stochastic depth"


def stochastic_depth(node: fx.Node, draw: Callable[[], torch.Tensor]) -> list[Layer]:
    """Return the layers of a random factor: StochasticDepth, and a number. ValueError: it is none for each datum.

    node: of the factor; draw: returns its values in another pass.
    """
    drawn = torch.stack([draw() for _ in range(PASSES)])
    if drawn.ndim < len(("passes", "data")) or drawn[0].numel() != len(drawn[0]):
        raise ValueError(RANDOM)
    kept = drawn != 0
    factor = float(drawn.max())
    share, error = float(kept.float().mean()), (0.25 / kept.numel()) ** 0.5
    told = [p for p in _numbers(node) if 0 < p < 1 and abs(p - share) < FAR * error]
    if not bool((drawn[kept] == factor).all()) or len(set(told)) != 1:
        raise ValueError(RANDOM)
    rest = factor * told[0]
    number: list[Layer] = [] if abs(rest - 1) < torch.finfo(torch.float32).eps * 2 else [Activation(f"{rest!r}*x")]
    return [StochasticDepth(round(1 - told[0], 12)), *number]


def _numbers(node: fx.Node) -> list[float]:
    """Return the numbers that a node and all nodes in front of it are given, such as a probability.

    What is in front of a node that reads a shape alone does not count.
    """
    of_node = [x for x in (*node.args, *node.kwargs.values()) if isinstance(x, float)]
    inputs = [] if tells_shape(called(node)) else node.all_input_nodes
    return of_node + [x for part in inputs for x in _numbers(part)]
