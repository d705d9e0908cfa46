"""Read PyTorch models into networks of the theory."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from math import prod
from typing import Any, final

import torch
from torch import fx, nn

from igbtheory.layers.activation import Activation
from igbtheory.layers.chain import each, weighing
from igbtheory.layers.dense import Dense
from igbtheory.layers.layer import Layer
from igbtheory.layers.residual import Residual
from igbtheory.networks.network import Network
from igbtheory.torch.data import moved
from igbtheory.torch.failures import note_pass
from igbtheory.torch.functions import FunctionOfOne, function_of_one
from igbtheory.torch.initialisers import Variance
from igbtheory.torch.passes import logits_of, stream
from igbtheory.torch.rows import PRODUCTS, SUMS, Site, Zero, gate_of, is_vector, layers_of, units_behind
from igbtheory.torch.tracing import graph_of

ZEROS = (
    "its weights are 0 when the model is new, so that its outputs tie exactly; initialise it, for example by "
    "torch.nn.init.xavier_normal_"
)
SHOWN = 3
"""Number of data that pass through a model to find the shapes behind its layers."""


@final
@dataclass(frozen=True, eq=False)
class Step:
    """A layer on the path from the data to a node of the graph, and the variances that were read for it.

    Two paths have a step in common if it is the same object. channels: how many units
    each layer with weights reads, of this layer and of those inside it.
    """

    name: str
    layer: Layer
    read: tuple[Variance, ...] = ()
    channels: tuple[int, ...] = ()


Path = tuple[Step, ...]


def layers_on(path: Path) -> int:
    """Return the number of layers on a path, including those inside residual blocks."""
    return len([*each(step.layer for step in path)])


@final
@dataclass(frozen=True, eq=False)
class Reading:
    """A traced model, the path to each node that could be read, and the first node that could not, with the reason.

    All dictionaries have the names of nodes as keys. paths: of the nodes that could be read; units: the axis of a datum
    that holds the units at these nodes; named: the user's names for the nodes that depend on the data; functions: the
    function of one value that a node is the last step of. output: the name of the node of the outputs.
    """

    graph: fx.GraphModule
    paths: dict[str, Path]
    units: dict[str, int]
    named: dict[str, str]
    functions: dict[str, FunctionOfOne]
    unread: tuple[str, str] | None
    output: str

    @property
    def trunk(self) -> Path:
        """The path to the outputs, or the longest path if the outputs could not be read."""
        return self.paths.get(self.output) or max(self.paths.values(), key=layers_on)

    @property
    def passed(self) -> set[str]:
        """Names of the nodes through which every path from the data to the outputs goes: the nodes outside branches."""
        nodes = list(self.graph.graph.nodes)
        places = {node: i for i, node in enumerate(nodes) if node.name in self.named or node.op == "output"}
        names, reached = set(), 0
        for node, place in places.items():
            if reached <= place:
                names.add(node.name)
            reached = max([reached, *(places[user] for user in node.users if user in places)])
        return names

    def network(self) -> Network:
        """Return the network up to the outputs. ValueError: a part could not be read; the error names it."""
        path = self.paths.get(self.output)
        if path is None:
            where, why = self.unread or (self.output, "the outputs do not depend on the data")
            told = " | ".join(repr(step.layer) for step in self.trunk)
            raise ValueError(f"cannot read {where}: {why}; read so far: {told or 'nothing'}")
        if not path or not isinstance(path[-1].layer, Dense):
            last = repr(path[-1].layer) if path else "no layer"
            raise ValueError(f"expected a model that ends in a linear layer, got {last} at the end; return logits")
        channels = [count for step in path for count in step.channels]
        return Network(*(step.layer for step in path), widths=channels[1:])


def reading(models: Sequence[nn.Module], data: torch.Tensor, output: str | int | None) -> Reading:
    """Read models that were drawn alike as far as possible; their buffers may change.

    output: which of several outputs is read, as in `measure`.
    """
    graph = fx.GraphModule(models[0], graph_of(models[0]))
    values, shown = fx.Interpreter(graph, garbage_collect_values=False), moved(data[:SHOWN], models[0].parameters())
    values.extra_traceback = False  # errors keep the words of the model
    with torch.no_grad(), stream(0, 0):
        try:
            values.run(shown)
        except Exception as error:
            note_pass(error, 0, models[0], shown, (len(data), None))
            raise
    _keep_the_logits(graph.graph, values.env, output)
    first_reading = _Reader(graph, models, values.env, "").read()
    weights = [step.read[0] for step in {step for path in first_reading.paths.values() for step in path} if step.read]
    usual = Counter(law for part in weights if not part.error for law in part.laws)
    if not usual or not any(part.error for part in weights):
        return first_reading
    # several laws fit the few weights of some layer: the law of most other layers decides
    return _Reader(graph, models, values.env, usual.most_common(1)[0][0]).read()


def _keep_the_logits(graph: fx.Graph, values: dict[fx.Node, Any], output: str | int | None) -> None:
    """Make the logits the only output of a graph, and remove all nodes on which they do not depend."""
    *nodes, last = graph.nodes
    logits = logits_of(values[last], output)
    # an operation in place returns the tensor that it was given, so the last node with this tensor counts
    last.args = ([node for node in nodes if tensor_of(values.get(node)) is logits][-1],)
    graph.eliminate_dead_code()


@final
class _Reader:
    """Walks a graph from the data to the outputs. Its dictionaries are those of `Reading`."""

    def __init__(
        self, graph: fx.GraphModule, models: Sequence[nn.Module], values: dict[fx.Node, Any], usual: str
    ) -> None:
        self.graph, self.models, self.values, self.usual = graph, models, values, usual
        self.paths: dict[str, Path] = {}
        self.units: dict[str, int] = {}
        self.channels: dict[str, int] = {}  # the number of units at each node, behind Flatten that of channels
        self.named: dict[str, str] = {}
        self.functions: dict[str, FunctionOfOne] = {}
        self.data: tuple[int, ...] = ()  # the shape of a datum
        self.read_weights: list[tuple[str, torch.Tensor]] = []  # weights that were read before
        self.refused: dict[fx.Node, tuple[str, str]] = {}  # nodes that cannot be read, in words, and the reasons

    def read(self) -> Reading:
        """Return the reading."""
        output = ""
        for node in self.graph.graph.nodes:
            inputs = self._inputs(node)
            if node.op == "placeholder" and not self.named:
                self.data, self.named[node.name] = self._shape(node), "data"
                self.paths[node.name], self.units[node.name] = (), 0 if len(self.data) in {1, 3} else 1
                self.channels[node.name] = self.data[self.units[node.name]]
            elif node.op == "output":
                output = node.args[0].name
            elif inputs and tensor_of(self.values[node]) is not None:
                name = self.named[node.name] = str(node.target if node.op == "call_module" else node.name)
                if not self._is_read_as_function(node, name, inputs) and all(x.name in self.paths for x in inputs):
                    self._read_node(node, name, inputs)
        # behind the last layer there may be functions that change no guess, such as log_softmax
        output = next((name for name, path in self.paths.items() if path == self.paths.get(output)), output)
        last = self.paths.get(output, ())[-1:]
        if last and last[0].read and not any(variance.value for variance in last[0].read):
            self.paths = {name: path for name, path in self.paths.items() if path[-1:] != last}
            return self._reading((f"{last[0].name!r} (Linear)", ZEROS), output)
        return self._reading(next(iter(self.refused.values()), None), output)

    def _reading(self, unread: tuple[str, str] | None, output: str) -> Reading:
        return Reading(self.graph, self.paths, self.units, self.named, self.functions, unread, output)

    def _inputs(self, node: fx.Node) -> list[fx.Node]:
        """Return the inputs of a node that depend on the data."""
        return [part for part in node.all_input_nodes if part.name in self.named]

    def _shape(self, node: fx.Node) -> tuple[int, ...]:
        """Return the shape of a datum at a node."""
        value = tensor_of(self.values[node])
        return () if value is None else tuple(value.shape[1:])

    def _read_node(self, node: fx.Node, name: str, inputs: list[fx.Node]) -> None:
        """Add the path to a node, or the reason why it cannot be read."""
        try:
            if len(inputs) > 1:
                path, units = self._joined(node, name, inputs), self.units[inputs[0].name]
                channels = self.channels[inputs[0].name]
            else:
                path, units, channels = self._behind(node, name, inputs[0])
        except ValueError as error:
            kind = type(self.graph.get_submodule(name)).__name__ if node.op == "call_module" else "a function"
            self.refused[node] = f"{name!r} ({kind})", str(error)
        else:
            self.paths[node.name], self.units[node.name], self.channels[node.name] = path, units, channels

    def _is_read_as_function(self, node: fx.Node, name: str, inputs: list[fx.Node]) -> bool:
        """Add the path to a node that computes a function of one value from several; return whether it does."""
        if len(inputs) == 1 and node.args.count(inputs[0]) < 2:
            return False
        function = function_of_one(self.graph, node, self._inputs, self.values)
        if function is None or function.start.name not in self.paths:
            return False
        start, self.functions[node.name] = function.start.name, function
        self.paths[node.name] = (*self.paths[start], Step(name, Activation(function)))
        self.units[node.name], self.channels[node.name] = self.units[start], self.channels[start]
        for step in function.steps:  # a step alone may be no activation, such as zeros
            self.refused.pop(step, None)
        return True

    def _behind(self, node: fx.Node, name: str, before: fx.Node) -> tuple[Path, int, int]:
        """Return the path to a node with one input, the axis of its units, and their number."""
        path = self.paths[before.name]
        layers = [step.layer for step in path]
        modules = [model.get_submodule(name) for model in self.models] if node.op == "call_module" else []
        site = Site(
            modules,
            tuple(fx.node.map_arg(part, self.values.__getitem__) for part in node.args if part is not before),
            {key: fx.node.map_arg(part, self.values.__getitem__) for key, part in node.kwargs.items()},
            self._shape(before),
            self._shape(node),
            self.units[before.name],
            is_vector(layers, self.data),
            not any(layer.weighs for layer in layers),
            layers[-1] if layers else None,
            [],
            [],
            self.usual,
        )
        target = modules[0] if modules else node.target
        added = layers_of(target, site)
        for weight in modules[0].parameters() if modules else ():
            if weight.ndim > 1:
                self._refuse_shared(weight, name)
        axis, channels = units_behind(target, site), self.channels[before.name]
        read = iter(site.channels or [channels] * len([*weighing(added)]))
        steps = tuple(
            Step(
                name,
                layer,
                tuple(site.read) if hasattr(layer, "sigma_w2") else (),
                tuple(islice(read, len([*weighing([layer])]))),
            )
            for layer in added
        )
        made = any(layer.weighs for layer in added)
        behind = site.after[axis] if made else channels // prod(layer.pooled for layer in added)
        return (*path, *steps), axis, behind

    def _refuse_shared(self, weight: torch.Tensor, name: str) -> None:
        """Refuse weights that are used twice, or are equal to others."""
        for other, weights_before in self.read_weights:
            if (
                weights_before.shape != weight.shape
                or not bool(weight.any())
                or not torch.equal(weights_before, weight)
            ):
                continue
            if other == name:
                raise ValueError(
                    "stands in two places with the same weights: the theory needs independent ones; make a layer for "
                    "each place"
                )
            raise ValueError(
                f"has the same weights as {other!r}: the theory needs independent ones; draw them anew in every "
                "layer (copies, as nn.TransformerEncoder makes, start equal)"
            )
        self.read_weights.append((name, weight))

    def _joined(self, node: fx.Node, name: str, inputs: list[fx.Node]) -> Path:
        """Return the path to the sum of a branch and a stream or its shortcut, or to a gate."""
        if node.target not in SUMS | PRODUCTS or len(inputs) != 2 or node.kwargs:
            raise ValueError(
                "the theory has no layer that joins several values but sums and gates of two; take a sum for a "
                "concatenation; igb.explain predicts the layers in front of it"
            )
        first, second = (part.name for part in inputs)
        if self.units[first] != self.units[second]:
            raise ValueError("the theory has no sum of units and positions; exchange the axes")
        stream, branch = sorted((self.paths[first], self.paths[second]), key=len)
        common = [a for a, b in zip(stream, branch, strict=False) if a is b]
        apart = branch[len(common) :], stream[len(common) :]
        for way, other in zip(apart, (stream, branch), strict=True):
            if node.target in SUMS and any(isinstance(step.layer, Zero) for step in way):
                return other
        added, shortcut = ([step.layer for step in way] for way in apart)
        if node.target in PRODUCTS:
            *front, gate = gate_of(shortcut, added)
            # two halves of one layer part behind `Halves`, in whose place the gate stands
            kept = (*common, branch[len(common)]) if front else common[:-1]
            return (*kept, Step(name, gate))
        channels = tuple(count for way in apart for step in way for count in step.channels)
        return (*common, Step(name, Residual(*added, shortcut=shortcut), channels=channels))


def tensor_of(value: Any) -> torch.Tensor | None:
    """Return a tensor, or the first part of a tuple if it is one, as of attention, which also returns its weights."""
    value = value[0] if isinstance(value, tuple) and value else value
    return value if isinstance(value, torch.Tensor) else None
