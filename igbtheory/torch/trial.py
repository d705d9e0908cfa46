"""What passes of a few data tell of the graph of a model: which node holds the logits, and which nodes are random."""

import copy
import weakref
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import torch
from torch import fx, nn

from igbtheory.torch.failures import note_pass
from igbtheory.torch.operators import called
from igbtheory.torch.passes import logits_of, rows_of_logits
from igbtheory.torch.tracing import traced

CLOSE = 1e-5
"""Relative difference of sums of two passes that are the same: that of sums in another order in single precision."""
DRAWN = {"bernoulli", "bernoulli_", "normal_", "rand", "rand_like", "randint", "randn", "randn_like", "uniform_"}
"""Functions that draw numbers, which a second pass may draw by chance, too, if they are few."""


@final
@dataclass(frozen=True)
class Trial:
    """A traced model: the graph of the whole, and its part up to the logits.

    tensors: the nodes whose values have numbers. random: nodes that differ from pass to pass, or have such inputs.
    """

    whole: fx.GraphModule
    graph: fx.GraphModule
    tensors: set[fx.Node]
    random: set[fx.Node]


def tried(model: nn.Module, shown: torch.Tensor, count: int, output: str | int | None) -> Trial:
    """Return the graph of a model through which a few data have passed, of `count` data that the user has in all.

    output: which of several outputs is read, as in `measure`.
    """
    whole = traced(model, shown, output)
    graph = fx.GraphModule(whole, copy.deepcopy(whole.graph))
    first = _Watched(graph)
    first.extra_traceback = False  # errors keep the words of the model
    try:
        outputs = first.run(shown)
    except Exception as error:
        note_pass(error, 0, model, shown, (count, None))
        raise
    logits = logits_of(outputs, output)
    rows_of_logits(logits, len(shown))
    _keep_the_logits(graph.graph, first, logits)
    second = _Watched(graph)
    second.run(shown)
    random = _random(graph.graph, first.sums, second.sums)
    if random:  # the first pass may have filled the constants of the graph
        third = _Watched(graph)
        third.run(shown)
        random = _random(graph.graph, second.sums, third.sums)
    return Trial(whole, graph, {*second.sums}, random)


@final
class _Watched(fx.Interpreter):  # type: ignore[misc] # PyTorch is an extra
    """Runs a graph, and keeps of each tensor the sum of the sizes of its numbers, and which nodes return it.

    The sum is taken when the value is computed, because later steps may change the value in place.
    """

    def __init__(self, graph: fx.GraphModule) -> None:
        super().__init__(graph)
        self.sums: dict[fx.Node, float] = {}
        self.tensors: dict[fx.Node, tuple[weakref.ref[torch.Tensor], bool]] = {}

    def run_node(self, n: fx.Node) -> Any:
        """Return the value of a node."""
        value = super().run_node(n)
        tensor = tensor_of(value)
        if tensor is not None:
            self.tensors[n] = weakref.ref(tensor), tensor is value
            self.sums[n] = float((tensor.abs() if tensor.is_floating_point() else tensor).sum())
        return value


def _keep_the_logits(graph: fx.Graph, run: _Watched, logits: torch.Tensor) -> None:
    """Make the logits the only output of a graph that was run, and remove all nodes on which they do not depend."""
    *_, last = graph.nodes
    # an operation in place returns the tensor that it was given, so the last node with this tensor counts
    holding = {node: alone for node, (tensor, alone) in run.tensors.items() if tensor() is logits and node is not last}
    # a function may put them into a tuple
    last.args = tuple([node for node, alone in holding.items() if alone][-1:] or [*holding][-1:])
    graph.eliminate_dead_code()


def _random(graph: fx.Graph, one: dict[fx.Node, float], other: dict[fx.Node, float]) -> set[fx.Node]:
    """Return the nodes whose sums differ between two passes, that draw numbers, or have such inputs."""
    random: set[fx.Node] = set()
    for node in graph.nodes:
        differs = not np.isclose(one.get(node, 0.0), other.get(node, 0.0), rtol=CLOSE, equal_nan=True)
        if "empty" in called(node):  # its numbers have no meaning before they are drawn
            continue
        if differs or called(node) in DRAWN or not random.isdisjoint(node.all_input_nodes):
            random.add(node)
    return random


def tensor_of(value: Any) -> torch.Tensor | None:
    """Return a tensor, or the first part of a tuple if it is one, as of attention, which also returns its weights."""
    value = value[0] if isinstance(value, tuple | list) and value else value
    return value if isinstance(value, torch.Tensor) else None
