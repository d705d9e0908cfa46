"""Functions of one value that a model computes in several steps, as in x * torch.sigmoid(x)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, final

import torch
from torch import fx
from torch.nn import functional

from igbtheory.layers.layer import Layer
from igbtheory.layers.layernorm import LayerNorm, RMSNorm
from igbtheory.torch.operators import MODULES, name_of
from igbtheory.torch.rows import AS_MODULES, ROWS, SUMS
from igbtheory.torch.steps import value_behind

SMALL = 0.01
"""Largest number that counts as the eps of a norm."""
ROUNDED = 1e-4
"""Relative difference of two ways to compute a norm in single precision, with room for units that cancel."""


@final
@dataclass(frozen=True)
class FunctionOfOne:
    """A function of one value: what the nodes `steps` of a graph compute from the node `start`.

    others: the values of nodes that do not depend on the data.
    """

    graph: fx.GraphModule
    start: fx.Node
    steps: tuple[fx.Node, ...]
    others: Mapping[fx.Node, Any]

    def __call__(self, x: Any) -> Any:
        """Return the value of the last step."""
        return value_behind(self.graph, self.steps, {**self.others, self.start: x})

    def norm(self, x: torch.Tensor, expected: torch.Tensor) -> Layer | None:
        """Return the norm over the last axis that the function computes of x, None if it computes none."""
        numbers = {part for step in self.steps for part in step.args if isinstance(part, float) and 0 < part < SMALL}
        for eps in (*numbers, 0.0):
            for kind, norm in ((RMSNorm, functional.rms_norm), (LayerNorm, functional.layer_norm)):
                if x.shape == expected.shape and torch.allclose(norm(x, x.shape[-1:], eps=eps), expected, ROUNDED, 0.0):
                    return kind(eps=eps)
        return None

    def acts_on_numbers(self, x: Any, expected: Any) -> bool:
        """Return whether the function has these values where it gets the numbers of x in a row, without their axes."""
        try:
            return bool(torch.equal(self(x.flatten()), expected.flatten()))
        except Exception:  # noqa: BLE001 - of any kind, as a function of positions raises where there are none
            return False


def steps_of_one(
    graph: fx.GraphModule, node: fx.Node, inputs: Callable[[fx.Node], list[fx.Node]]
) -> tuple[fx.Node, tuple[fx.Node, ...]] | None:
    """Return the single node from which the steps of a function compute a node of several inputs, and these steps.

    inputs: returns the inputs of a node that depend on the data. None: the node is computed in no such way.
    """
    ends = set(inputs(node))
    if not ends or (len(ends) == 1 and node.args.count(*ends) < 2):
        return None
    places = {step: i for i, step in enumerate(graph.graph.nodes)}
    steps = {node}
    while len(ends) > 1:  # the last of the ends cannot be the start: others would lie before it
        last = max(ends, key=places.__getitem__)
        if not inputs(last) or not _may_be_function(graph, last):
            return None
        steps.add(last)
        ends = ends - {last} | set(inputs(last))
    return ends.pop(), tuple(sorted(steps, key=places.__getitem__))


def _may_be_function(graph: fx.GraphModule, node: fx.Node) -> bool:
    """Return whether a node has neither a row in the table of layers nor parameters of more than one number.

    Sums have a row, for numbers that differ between positions.
    """
    if node.op != "call_module":
        listed = node.target in ROWS or node.target in AS_MODULES or name_of(node.target) in MODULES
        return node.target in SUMS or not listed
    module = graph.get_submodule(str(node.target))
    return not any(kind in ROWS for kind in type(module).__mro__) and all(p.numel() == 1 for p in module.parameters())
