"""What passes of a few data tell of the graph of a model: which node holds the logits, and which nodes are random."""

import copy
import weakref
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import torch
from torch import fx, nn

from igbtheory.torch.failures import note_pass
from igbtheory.torch.operators import called, tells_shape
from igbtheory.torch.passes import is_of_tokens, logits_of, rows_of_logits
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
    changed: nodes, and values that they read and earlier steps have changed in part, as in x[:, 0] = 0.
    """

    whole: fx.GraphModule
    graph: fx.GraphModule
    tensors: set[fx.Node]
    random: set[fx.Node]
    changed: set[tuple[fx.Node, fx.Node]]


def tried(model: nn.Module, shown: torch.Tensor, count: int, output: str | int | None) -> Trial:
    """Return the graph of a model through which a few data have passed, of `count` data that the user has in all.

    output: which of several outputs is read, as in `measure`.
    """
    try:
        whole = traced(model, shown, output)
        graph = fx.GraphModule(whole, copy.deepcopy(whole.graph))
        first = _Watched(graph)
        first.extra_traceback = False  # errors keep the words of the model
        outputs = first.run(shown)
    except Exception:
        failed = _error_of(model, shown)  # which names the line of the model
        if failed is None:
            raise
        note_pass(failed, 0, model, shown, (count, None))
        raise failed from None
    logits = logits_of(outputs, output)
    rows_of_logits(logits.flatten(1) if is_of_tokens(logits) else logits, len(shown))
    _keep_the_logits(graph.graph, first, logits)
    second = _Watched(graph)
    second.run(shown)
    random = _random(graph.graph, first, second)
    if random:  # the first pass may have filled the constants of the graph
        third = _Watched(graph)
        third.run(shown)
        random = _random(graph.graph, second, third)
    return Trial(whole, graph, {*second.returned}, random, first.changed)


def _error_of(model: nn.Module, shown: torch.Tensor) -> Exception | None:
    """Return the error that a model raises, None if it passes."""
    try:
        model(shown)
    except Exception as error:  # noqa: BLE001 - of any kind, from the code of the model
        return error
    return None


@final
@dataclass(frozen=True)
class _Returned:
    """What a node returned: a weak reference to its tensor, whether it was this alone, and its sum of sizes of numbers.

    version: how often it had been changed in place. home: the first node that returned numbers in the same memory.
    """

    tensor: weakref.ref[torch.Tensor]
    alone: bool
    size: float
    version: int
    home: fx.Node


@final
class _Watched(fx.Interpreter):  # type: ignore[misc] # PyTorch is an extra
    """Runs a graph, and keeps of each value what tells whether it changes, without the value itself.

    Sizes are taken when a value is computed, because later steps may change it in place. in_place: steps that did so,
    and the homes of what they changed. instead: for nodes and inputs that had been changed, the node that returned
    them then. changed: nodes, and inputs that had been changed in part, as in x[:, 0] = 0, which no node returned.
    """

    def __init__(self, graph: fx.GraphModule) -> None:
        super().__init__(graph)
        self.returned: dict[fx.Node, _Returned] = {}
        self.in_place: dict[fx.Node, set[fx.Node]] = {}
        self.instead: dict[tuple[fx.Node, fx.Node], fx.Node] = {}
        self.changed: set[tuple[fx.Node, fx.Node]] = set()

    def run_node(self, n: fx.Node) -> Any:
        """Return the value of a node."""
        inputs = {part: x for part in n.all_input_nodes if (x := self._tensor(part)) is not None}
        for part, x in inputs.items():
            if version_of(x) != self.returned[part].version:
                self._read_late(n, part, x)
        before = {part: version_of(x) for part, x in inputs.items()}
        value = super().run_node(n)
        if changed := {self.returned[part].home for part, x in inputs.items() if version_of(x) != before[part]}:
            self.in_place[n] = changed
        tensor = tensor_of(value)
        if tensor is not None:
            shared = (part for part, x in inputs.items() if memory_of(x) == memory_of(tensor))
            home = next((self.returned[part].home for part in shared), n)
            size = float((tensor.abs() if tensor.is_floating_point() or tensor.is_complex() else tensor).sum())
            self.returned[n] = _Returned(weakref.ref(tensor), tensor is value, size, version_of(tensor), home)
        return value

    def _tensor(self, node: fx.Node) -> torch.Tensor | None:
        """Return the tensor that a node returned, while it lives."""
        return self.returned[node].tensor() if node in self.returned else None

    def _read_late(self, n: fx.Node, part: fx.Node, x: torch.Tensor) -> None:
        """Note that a node reads an input that was changed in place since it was computed."""
        last = next(node for node, other in reversed(self.returned.items()) if other.alone and other.tensor() is x)
        if self.returned[last].version == version_of(x):
            self.instead[n, part] = last
        else:
            self.changed.add((n, part))


def version_of(tensor: torch.Tensor) -> int:
    """Return how often a tensor, or another one in the same memory, was changed in place."""
    return int(tensor._version)  # noqa: SLF001 - it has no other name


def memory_of(tensor: torch.Tensor) -> int:
    """Return where the numbers of a tensor are."""
    return int(tensor.untyped_storage().data_ptr())


def _keep_the_logits(graph: fx.Graph, run: _Watched, logits: torch.Tensor) -> None:
    """Make the logits the only output of a graph that was run, and remove all nodes on which they do not depend.

    Nodes read what steps in place return in place of what these were given.
    """
    *_, last = graph.nodes
    # an operation in place returns the tensor that it was given, so the last node with this tensor counts
    holding = {node: it.alone for node, it in run.returned.items() if it.tensor() is logits and node is not last}
    # a function may put them into a tuple
    last.args = tuple([node for node, alone in holding.items() if alone][-1:] or [*holding][-1:])
    for (node, part), later in run.instead.items():
        node.replace_input_with(part, later)
    needed = {last}
    for node in reversed(graph.nodes):
        homes = run.in_place.get(node, set())
        fills = any(x in run.returned and run.returned[x].home in homes for x in needed)
        if node in needed or fills or node.is_impure():  # such as a placeholder or an assertion
            needed.update([node, *node.all_input_nodes])
        else:
            graph.erase_node(node)


def _random(graph: fx.Graph, one: _Watched, other: _Watched) -> set[fx.Node]:
    """Return the nodes whose sums differ between two passes, that draw numbers, or compute others from such numbers."""
    random: set[fx.Node] = set()
    for node in graph.nodes:
        # shapes are not random, running statistics change with each pass, and empty tensors have no numbers yet
        if node not in one.returned or node.op == "get_attr" or "empty" in called(node):
            continue
        differs = not np.isclose(one.returned[node].size, other.returned[node].size, rtol=CLOSE, equal_nan=True)
        made_of_random = not tells_shape(called(node)) and not random.isdisjoint(node.all_input_nodes)
        if differs or called(node) in DRAWN or made_of_random:
            random.add(node)
    return random


def tensor_of(value: Any) -> torch.Tensor | None:
    """Return a tensor, or the first part of a tuple if it is one, as of attention, which also returns its weights."""
    value = value[0] if isinstance(value, tuple | list) and value else value
    return value if isinstance(value, torch.Tensor) else None
