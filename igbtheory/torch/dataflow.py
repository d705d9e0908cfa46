"""Which nodes of a traced model depend on the data, what they hold, and which of them have weights."""

from collections.abc import Iterator, Sequence
from typing import Any, final

import torch
from torch import fx, nn
from torch.nn.modules.batchnorm import _BatchNorm

from igbtheory.torch.constants import Constants
from igbtheory.torch.functions import steps_of_one
from igbtheory.torch.operators import MODULES, called, tells_shape
from igbtheory.torch.steps import part_of, value_behind
from igbtheory.torch.trial import Trial, tensor_of

FEW = 16
"""Largest number of units that the weights of a step of a piece read: one of a depthwise convolution, or some heads."""
LIKE = {"expand_as", "view_as", "reshape_as", "type_as"}
"""Functions that give a value the shape or the type of another one."""


@final
class Dataflow:
    """A traced model through which a few data pass, one node after the other.

    models: drawn alike. data: all that the user has. values: of the nodes that were passed, in the first model; named:
    the user's names for those among them that depend on the data; constants: the values of the others, in every model.
    random: nodes that differ from pass to pass. of_one: for the last step of a function of one value, the start and
    the steps.
    """

    def __init__(self, trial: Trial, models: Sequence[nn.Module], data: torch.Tensor) -> None:
        self.graph, self.models, self.data, self.random = trial.graph, models, data, trial.random
        self.values: dict[fx.Node, Any] = {}
        self.named: dict[str, str] = {}
        self.constants = Constants(trial, models, self.values, self.named)
        self._depending: set[str] = set()  # the names of all nodes whose value or shape depends on the data
        for node in self.graph.graph.nodes:
            is_data = node.op == "placeholder" and not self._depending
            if is_data or (self._made_of_data(node) and node in trial.tensors):
                self._depending.add(node.name)
        self.of_one = {
            node: steps
            for node in self.graph.graph.nodes
            if (steps := steps_of_one(self.graph, node, self._made_of_data))
        }

    def passed(self, data: torch.Tensor) -> Iterator[fx.Node]:
        """Yield the nodes that depend on the data as soon as they have a value, the data first.

        Numbers that are read for the last time there are let go when the next node is asked for.
        """
        run = fx.Interpreter(self.graph, garbage_collect_values=False)
        run.args_iter, run.env = iter([data]), self.values
        last_read = self._last_read()
        for node in self.graph.graph.nodes:
            self.values[node] = run.run_node(node)
            is_data = node.op == "placeholder" and not self.named
            if is_data or (node.op != "output" and self.inputs(node) and not self._is_alike(node)):
                self.named[node.name] = "data" if is_data else _name(node)
                yield node
            for part in last_read.get(node, []):
                self.values[part] = fx.node.map_aggregate(self.values[part], _shape_alone)

    def _is_alike(self, node: fx.Node) -> bool:
        """Return whether the value of a node does not depend on the datum.

        Whole numbers that are the same for the few data, such as a mask of the padding, must be so for all data.
        """
        if not _is_alike(self.values[node]):
            return False
        nodes, behind = [*self.graph.graph.nodes], {node}
        for other in reversed(nodes):
            behind.update(other.all_input_nodes if other in behind else ())
        steps = [other for other in nodes if other in behind and other.op != "placeholder"]
        if tensor_of(self.values[node]) is None or any(map(self.weighs, steps)):
            return True
        try:
            return _is_alike(value_behind(self.graph, steps, {nodes[0]: self.data}))
        except Exception:  # noqa: BLE001 - of any kind, as steps may have learnt the number of data
            return True

    def _last_read(self) -> dict[fx.Node, list[fx.Node]]:
        """Return the nodes that depend on the data, by the last node for which their numbers are read."""
        last_read: dict[fx.Node, fx.Node] = {}
        for node in self.graph.graph.nodes:
            starts = [self.of_one[node][0]] if node in self.of_one else []
            last_read |= dict.fromkeys([*node.all_input_nodes, *starts], node)
        behind: dict[fx.Node, list[fx.Node]] = {}
        for part, node in last_read.items():
            if part.name in self._depending and node.op != "output":
                behind.setdefault(node, []).append(part)
        return behind

    def _made_of_data(self, node: fx.Node) -> list[fx.Node]:
        """Return the inputs of a node whose value or shape depends on the data."""
        return [part for part in node.all_input_nodes if part.name in self._depending]

    def inputs(self, node: fx.Node) -> list[fx.Node]:
        """Return the inputs of a node that depend on the data; some functions have a second one that tells a shape."""
        if tells_shape(called(node)):
            return []
        inputs = [part for part in node.all_input_nodes if part.name in self.named]
        return inputs[:1] if called(node) in LIKE else inputs

    def other_values(self) -> dict[fx.Node, Any]:
        """Return the values that do not depend on the data, in the first model."""
        return {node: value for node, value in self.values.items() if not self._made_of_data(node)}

    def are_alike(self, steps: Sequence[fx.Node]) -> bool:
        """Return whether what steps read beside the data is the same in all models, such as a number that they add."""
        read = [(part, step) for step in steps for part in step.all_input_nodes if not self._made_of_data(part)]
        if any(part in self.random for part, _ in read):
            return False
        drawn = [[self.constants.argument(part, i, step) for part, step in read] for i in range(len(self.models))]
        drawn = [[x for x in values if isinstance(x, torch.Tensor)] for values in drawn]
        modules = [str(step.target) for step in steps if step.op == "call_module"]
        for values, model in zip(drawn, self.models, strict=True):
            values += [part for name in modules for part in part_of(model, name).parameters()]
        return all(torch.equal(one, other) for others in drawn[1:] for one, other in zip(drawn[0], others, strict=True))

    def weighs(self, node: fx.Node) -> bool:
        """Return whether a node has weights."""
        if node.op == "call_module":
            return any(True for _ in self.graph.get_submodule(str(node.target)).parameters())
        return called(node) in MODULES

    def is_weightless(self, node: fx.Node) -> bool:
        """Return whether a node has at most a few weights, or weights that are not drawn."""
        if node.op == "call_module":
            module = self.graph.get_submodule(str(node.target))
            # norms of batches act on all data together
            if isinstance(module, _BatchNorm | nn.RNNBase | nn.MultiheadAttention):
                return False
            of_models = [part_of(model, str(node.target)).parameters() for model in self.models]
        elif called(node) == "batch_norm":
            return False
        elif called(node) in MODULES:
            others = [part for part in node.all_input_nodes if part not in self.inputs(node)]
            of_models = [[self.constants.argument(part, i, node) for part in others] for i in range(len(self.models))]
        else:
            return True
        return all(_is_few(weights) for weights in zip(*of_models, strict=True))

    def in_words(self, node: fx.Node) -> str:
        """Return the user's name for a node that depends on the data, and the class of its module."""
        kind = type(self.graph.get_submodule(str(node.target))).__name__ if node.op == "call_module" else "a function"
        return f"{self.named[node.name]!r} ({kind})"


def _name(node: fx.Node) -> str:
    """Return the name that is shown of a node: that of the module of PyTorch that it is or stands for, else its own."""
    if node.op == "call_module":
        return str(node.target)
    stack = [*node.meta.get("nn_module_stack", {}).values()]
    inside = bool(stack) and str(stack[-1][1]).startswith("torch.nn.modules") and "container" not in str(stack[-1][1])
    return str(stack[-1][0]) if inside else node.name


def _is_few(weights: Sequence[Any]) -> bool:
    """Return whether weights read few units, or are the same in all models. weights: those of each model."""
    first = weights[0]
    if not isinstance(first, torch.Tensor) or first.ndim < len(("outputs", "inputs")) or first.shape[1] <= FEW:
        return True
    if bool((first == first.flatten()[0]).all()):
        return True
    return len(weights) > 1 and all(torch.equal(first, other) for other in weights[1:])


def _is_alike(value: Any) -> bool:
    """Return whether a value does not depend on the datum: it is no tensor, or whole numbers that are those of all."""
    tensor = tensor_of(value)
    if tensor is None:
        return True
    whole = not (tensor.is_floating_point() or tensor.is_complex())
    return whole and tensor.ndim > 0 and bool((tensor == tensor[:1]).all())


def _shape_alone(value: Any) -> Any:
    """Return zeros of the shape of a tensor that need no memory; vectors, which need little, and other values stay."""
    large = isinstance(value, torch.Tensor) and value.ndim > len(("data", "units"))
    return value.new_zeros(()).expand(value.shape) if large else value
