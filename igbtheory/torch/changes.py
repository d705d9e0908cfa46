"""Changes of a model that may change its bias: activations, norms, biases of the last layer, and the data."""

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import fx, nn
from torch.nn import functional

from igbtheory.layers.activation import phi_of
from igbtheory.layers.chain import reads_ids
from igbtheory.mathematics.formulas.function import Function
from igbtheory.torch.functions import FunctionOfOne
from igbtheory.torch.models import is_idle
from igbtheory.torch.reading import Reading
from igbtheory.torch.tracing import in_a_row, on_weights_of

Array = NDArray[np.float64]
Edit = Callable[[fx.GraphModule], None]
NORMS = (nn.BatchNorm1d, nn.BatchNorm2d, nn.LayerNorm, nn.GroupNorm, nn.RMSNorm)
BATCH_NORMS = (nn.BatchNorm1d, nn.BatchNorm2d)
NORM_OF_AXES: dict[tuple[int, int], Callable[[int], nn.Module]] = {
    (2, 1): nn.LayerNorm,
    (3, 2): nn.LayerNorm,
    (4, 3): nn.LayerNorm,
    (4, 1): partial(nn.GroupNorm, 1),
}
"""The norm over all units of one datum to put in front of an activation, by the number of axes of its input and the
axis of the units. A BatchNorm has no such prediction within seconds on images."""
ACTIVATIONS = {"relu": functional.relu, "gelu": functional.gelu, "tanh": torch.tanh}
SHORT, LONG = 26, "a function of several steps"
"""Largest number of characters of a function that is named by its formula, and the name of others."""
CENTRED = 0.01
"""Data count as centred if the squares of their mean are less than this share of their mean square."""


@final
@dataclass(frozen=True)
class Change:
    """A change: its name, a function that edits a graph in place, if any, and one that returns the changed data.

    whole: the graph of the model. functions: those that the model computes in several steps, by the names of their last
    nodes; the edited graph has one node for each.
    """

    name: str
    whole: fx.GraphModule
    functions: Mapping[str, FunctionOfOne]
    edit: Edit | None = None
    data: Callable[[Array], Array] = lambda x: x

    def model(self, model: nn.Module) -> nn.Module:
        """Return the changed model, which contains the model itself."""
        graph = on_weights_of(in_a_row(model), self.whole)
        _join_steps(graph.graph, self.functions)
        if self.edit:
            self.edit(graph)
        graph.recompile()
        return graph


def changes(reading: Reading, data: Array) -> Iterator[Change]:
    """Yield the changes that can be made to a model and its data."""
    change = partial(Change, whole=reading.whole, functions=reading.functions)
    graph = fx.GraphModule(reading.graph, copy.deepcopy(reading.graph.graph))
    _join_steps(graph.graph, reading.functions)
    activations = [node for node in graph.graph.nodes if _is_activation(reading, node)]
    functions = (_function_of(reading, node) for node in activations)
    have = {phi.name if len(phi.name) <= SHORT else LONG for phi in functions if phi}
    for name, function in ACTIVATIONS.items():
        if others := sorted(have - {name}):
            edit = partial(_replace, [x.name for x in activations], function)
            yield change(f"{name} for {', '.join(others)}", edit=edit)
    for before, words in ((True, "behind"), (False, "in front of")):
        pairs = [x.name for x in activations if _neighbour(graph, x, before=before) is not None]
        if pairs:
            yield change(f"norms {words} the activations", edit=partial(_move_norms, pairs, before=before))
    if any(_is_norm(module) for module in graph.modules()):
        yield change("no norms", edit=_without_norms)
    elif activations and {_axes_in_front(reading, node) for node in activations} <= {*NORM_OF_AXES}:
        names = [node.name for node in activations]
        yield change("norms over the units in front of the activations", edit=partial(_put_norms, names, reading))
    modes = {m.training for m in reading.graph.modules() if isinstance(m, BATCH_NORMS)}
    for mode in modes:
        words = "evaluation, where it is the identity" if mode else "training"
        yield change(f"BatchNorm in the mode of {words}", edit=partial(_set_mode, train=not mode))
    if biased := _last_with_biases(reading):
        yield change(f"no biases in {biased!r}", edit=partial(_without_biases, biased))
    are_ids = any(reads_ids(step.layer) for step in reading.trunk)
    if not are_ids and np.mean(data.mean(axis=0) ** 2) > CENTRED * np.mean(data**2):
        yield change("data less their mean, feature by feature", data=lambda x: x - x.mean(axis=0))
        yield change("data of mean 0 and variance 1, feature by feature", data=_standardised_by_feature)


def _join_steps(graph: fx.Graph, functions: Mapping[str, FunctionOfOne]) -> None:
    """Make one node of the steps of each function."""
    nodes = {node.name: node for node in graph.nodes}
    for name, function in functions.items():
        nodes[name].op, nodes[name].target = "call_function", _called(function)
        nodes[name].args, nodes[name].kwargs = (nodes[function.start.name],), {}
    graph.eliminate_dead_code()


def _called(function: FunctionOfOne) -> Callable[[Any], Any]:
    """Return the function as one with a name, which a node needs."""

    def several_steps(x: Any) -> Any:
        return function(x)

    return several_steps


def _is_activation(reading: Reading, node: fx.Node) -> bool:
    """Return whether a node applies a function with a name, such as relu, or one of several steps, to every unit.

    Sums and products have no name. What is scaled behind several steps, as in x*relu6(x + 3)/6, is not the whole one.
    """
    phi = _function_of(reading, node)
    if phi is None or node.op == "placeholder" or len(node.args) != 1:
        return False
    return phi.name.isidentifier() or (
        node.name in reading.functions and not any(_function_of(reading, user) for user in node.users)
    )


def _function_of(reading: Reading, node: fx.Node) -> Function | None:
    """Return the function that a node applies, None if it is no activation or only moves what an activation gave."""
    path = reading.paths.get(node.name, ())
    moved = any(reading.paths.get(before.name) == path for before in node.all_input_nodes)
    return phi_of(path[-1].layer) if path and not moved else None


def _replace(names: list[str], function: Any, graph: fx.GraphModule) -> None:
    """Put a function in the place of these activations."""
    for node in graph.graph.nodes:
        if node.name in names:
            node.op, node.target, node.kwargs = "call_function", function, {}


def _neighbour(graph: fx.GraphModule, node: fx.Node, *, before: bool) -> fx.Node | None:
    """Return the node in front of an activation, or behind it, if it is a norm that no other node uses, else None."""
    neighbour = node.args[0] if before else next(iter(node.users), None)
    if not isinstance(neighbour, fx.Node) or neighbour.op != "call_module":
        return None
    if len(neighbour.users if before else node.users) > 1:
        return None
    norm = graph.get_submodule(str(neighbour.target))
    return neighbour if _is_norm(norm) else None


def _move_norms(names: list[str], graph: fx.GraphModule, *, before: bool) -> None:
    """Move the norm in front of each of these activations, or behind it, to the other side."""
    for node in [node for node in graph.graph.nodes if node.name in names]:
        norm = _neighbour(graph, node, before=before)
        if norm is not None:
            first, second = (norm, node) if before else (node, norm)
            second.replace_all_uses_with(first)
            second.replace_input_with(first, first.args[0])
            first.replace_input_with(first.args[0], second)
            first.prepend(second)


def _is_norm(module: nn.Module) -> bool:
    """Return whether a module is a norm that does something."""
    return isinstance(module, NORMS) and not is_idle(module)


def _without_norms(graph: fx.GraphModule) -> None:
    """Replace all norms by the identity."""
    for name, module in [*graph.named_modules()]:
        if _is_norm(module):
            graph.set_submodule(name, nn.Identity())


def _axes_in_front(reading: Reading, node: fx.Node) -> tuple[int, int]:
    """Return the number of axes in front of an activation, and the axis of the units."""
    entries = reading.streams[node.args[0].name].entries
    return entries.numbers.ndim, entries.axis


def _put_norms(names: list[str], reading: Reading, graph: fx.GraphModule) -> None:
    """Put a norm over the units in front of each of these activations."""
    for node in [node for node in graph.graph.nodes if node.name in names]:
        name = f"norm_in_front_of_{node.name}"
        kind = NORM_OF_AXES[_axes_in_front(reading, node)]
        norm = kind(reading.streams[node.args[0].name].entries.units)
        graph.add_submodule(name, norm.to(next(graph.parameters())))
        with graph.graph.inserting_before(node):
            node.replace_input_with(node.args[0], graph.graph.call_module(name, (node.args[0],)))


def _last_with_biases(reading: Reading) -> str:
    """Return the name of the last module with parameters if it is linear with biases that are not 0, else nothing."""
    names = [str(node.target) for node in reading.graph.graph.nodes if node.op == "call_module"]
    modules = {name: reading.graph.get_submodule(name) for name in names}
    last = next((name for name in reversed(names) if any(True for _ in modules[name].parameters())), "")
    biases = modules[last].bias if isinstance(modules.get(last), nn.Linear) else None
    return last if biases is not None and bool(biases.any()) else ""


def _without_biases(name: str, graph: fx.GraphModule) -> None:
    """Give a module biases of 0; those that it has belong to other copies of the model, too."""
    module = graph.get_submodule(name)
    module.bias = nn.Parameter(torch.zeros_like(module.bias))


def _standardised_by_feature(data: Array) -> Array:
    """Return data of mean 0 and variance 1 in every feature; features that do not vary become 0."""
    centred, deviation = data - data.mean(axis=0), data.std(axis=0)
    return np.asarray(centred / np.where(deviation > 0, deviation, 1.0))


def _set_mode(graph: fx.GraphModule, *, train: bool) -> None:
    """Set the mode of every BatchNorm."""
    for module in graph.modules():
        if isinstance(module, BATCH_NORMS):
            module.train(train)
