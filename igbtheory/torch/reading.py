"""Read PyTorch models into networks of the theory."""

import copy
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
import torch
from torch import fx, nn

from igbtheory.layers.dense import Dense
from igbtheory.layers.tokens import EachToken
from igbtheory.networks.network import Network
from igbtheory.torch.data import moved
from igbtheory.torch.failures import note_pass
from igbtheory.torch.functions import FunctionOfOne
from igbtheory.torch.joins import arranged_at
from igbtheory.torch.operators import called
from igbtheory.torch.passes import logits_of, rows_of_logits, stream
from igbtheory.torch.path import Path, Step, Stream, is_linear, layers_of, layers_on
from igbtheory.torch.reader import Reader, tensor_of
from igbtheory.torch.rows.weights import is_projection
from igbtheory.torch.tracing import traced

ZEROS = (
    "its weights are 0 when the model is new, so that its outputs tie exactly; initialise it, for example by "
    "torch.nn.init.xavier_normal_"
)
CLOSE = 1e-5
"""Relative difference of sums of two passes that are the same: that of sums in another order in single precision."""
DRAWN = {"bernoulli", "bernoulli_", "normal_", "rand", "rand_like", "randint", "randn", "randn_like", "uniform_"}
"""Functions that draw numbers, which a second pass may draw by chance, too, if they are few."""
SHOWN = 3
"""Number of data that pass through a model to find the shapes behind its layers."""


@final
@dataclass(frozen=True, eq=False)
class Reading:
    """A traced model, the streams at the nodes that could be read, and the first node that could not, with the reason.

    All dictionaries have the names of nodes as keys. whole: the graph of the model; graph: its part up to the logits.
    streams: of the nodes that could be read; named: the user's names for the nodes that depend on the data; functions:
    the function of one value that a node is the last step of. output: the name of the node of the outputs. zeros: the
    path up to a last layer of zeros, if there is one. tied: the name of outputs with the weights of the embedding.
    """

    whole: fx.GraphModule
    graph: fx.GraphModule
    streams: dict[str, Stream]
    named: dict[str, str]
    functions: dict[str, FunctionOfOne]
    unread: tuple[str, str] | None
    output: str
    zeros: Path = ()
    tied: str = ""

    @property
    def paths(self) -> dict[str, Path]:
        """The paths to the nodes that could be read."""
        return {name: stream.path for name, stream in self.streams.items()}

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
        stream = self.streams.get(self.output)
        if stream is None:
            where, why = self.unread or (self.output, "the outputs do not depend on the data")
            told = " | ".join(repr(step.layer) for step in self.trunk)
            raise ValueError(f"cannot read {where}: {why}; read so far: {told or 'nothing'}")
        return _network(stream.path, stream.channels)

    def network_of_features(self) -> Network:
        """Return the network that has weights in the place of a last layer of zeros: see `zeros`."""
        *front, last = self.zeros
        return _network((*front, replace(last, layer=Dense(1.0))), 1)


def _network(path: Path, behind: int) -> Network:
    """Return the network of the layers on a path, behind which there are so many channels.

    ValueError: they do not end in a linear layer.
    """
    last = next((i for i, step in reversed([*enumerate(path)]) if step.layer.weighs), -1)
    if last < 0 or not all(map(is_linear, layers_of(path[last + 1 :]))):
        end = repr(path[-1].layer) if path else "no layer"
        raise ValueError(f"expected a model that ends in a linear layer, got {end} at the end; return logits")
    layers = layers_of(path)
    channels = [count for step in path for count in step.channels]
    if not isinstance(layers[-1], Dense):
        # sums of Gaussian outputs have the law of outputs of a Dense behind them
        layers += [Dense(1.0)]
        channels.append(behind)
    return Network(*layers, widths=channels[1:])


def reading(models: Sequence[nn.Module], data: torch.Tensor, output: str | int | None) -> Reading:
    """Read models that were drawn alike as far as possible; their buffers may change.

    output: which of several outputs is read, as in `measure`.
    """
    with torch.no_grad(), stream(0, 0):
        whole, graph, values, random = _run(models[0], data, output)
        read = _read(whole, graph, models, values, random, "")
        weights = [step.read[0] for step in _steps(read) if step.read]
        usual = Counter(law for part in weights if not part.error for law in part.laws)
        if usual and any(part.error for part in weights):
            # several laws fit the few weights of some layer: the law of most other layers decides
            read = _read(whole, graph, models, values, random, usual.most_common(1)[0][0])
    return read


@final
class _Summed(fx.Interpreter):  # type: ignore[misc] # PyTorch is an extra
    """Runs a graph, and keeps the sum of the sizes of the numbers of each value.

    It is taken when the value is computed, because later steps may change the value in place.
    """

    def __init__(self, graph: fx.GraphModule) -> None:
        super().__init__(graph)
        self.sums: dict[fx.Node, float] = {}

    def run_node(self, n: fx.Node) -> Any:
        """Return the value of a node."""
        value = super().run_node(n)
        tensor = tensor_of(value)
        if tensor is not None:
            self.sums[n] = float(tensor.double().abs().sum())
        return value


def _run(
    model: nn.Module, data: torch.Tensor, output: str | int | None
) -> tuple[fx.GraphModule, fx.GraphModule, dict[fx.Node, Any], set[fx.Node]]:
    """Return the graph of a model, its part up to the logits, the values of its nodes at a few data, and random nodes.

    Random nodes differ from pass to pass, or have such inputs.
    """
    shown = moved(data[:SHOWN], model.parameters())
    whole = traced(model, shown, output)
    graph = fx.GraphModule(whole, copy.deepcopy(whole.graph))
    values = fx.Interpreter(graph, garbage_collect_values=False)
    values.extra_traceback = False  # errors keep the words of the model
    try:
        outputs = values.run(shown)
    except Exception as error:
        note_pass(error, 0, model, shown, (len(data), None))
        raise
    logits = logits_of(outputs, output)
    rows_of_logits(logits.flatten(1) if _is_of_tokens(logits) else logits, len(shown))
    _keep_the_logits(graph.graph, values.env, logits)
    passes = _Summed(graph), _Summed(graph)  # the first pass may have filled the constants of the graph
    for again in passes:
        again.run(shown)
    random: set[fx.Node] = set()
    for node in graph.graph.nodes:
        sums = [of.sums.get(node, 0.0) for of in passes]
        differs = called(node) in DRAWN or not np.isclose(sums[0], sums[1], rtol=CLOSE, equal_nan=True)
        if "empty" in called(node):  # its numbers have no meaning before they are drawn
            continue
        if differs or not random.isdisjoint(node.all_input_nodes):
            random.add(node)
    return whole, graph, values.env, random


def _keep_the_logits(graph: fx.Graph, values: dict[fx.Node, Any], logits: torch.Tensor) -> None:
    """Make the logits the only output of a graph, and remove all nodes on which they do not depend."""
    *nodes, last = graph.nodes
    # an operation in place returns the tensor that it was given, so the last node with this tensor counts
    holding = [node for node in nodes if tensor_of(values.get(node)) is logits]
    # a function may put them into a tuple
    last.args = tuple([node for node in holding if values[node] is logits][-1:] or holding[-1:])
    graph.eliminate_dead_code()


def _read(
    whole: fx.GraphModule,
    graph: fx.GraphModule,
    models: Sequence[nn.Module],
    values: dict[fx.Node, Any],
    random: set[fx.Node],
    usual: str,
) -> Reading:
    """Return what is read of a graph up to the logits: see `Reader` for the arguments."""
    reader = Reader(graph, models, values, random, usual)
    streams, unread = reader.streams(), next(iter((reader.refused or reader.left).values()), None)
    (last,) = [node for node in graph.graph.nodes if node.op == "output"]
    output = _of_equal_guesses(values, streams, last.args[0]).name
    logits = streams.get(output)
    zeros: Path = ()
    if logits:
        # behind the last layer there may be functions that change no guess, such as log_softmax
        output = next(name for name, other in streams.items() if other.holds_the_same(logits))
        step = logits.path[-1] if logits.path else None
        if step and step.read and not any(variance.value for variance in step.read):
            streams = {name: other for name, other in streams.items() if step not in other.path}
            unread, zeros = (f"{step.name!r} (Linear)", ZEROS), logits.path
        else:
            try:
                streams[output] = _vectors(output, logits)
            except ValueError as error:
                del streams[output]
                unread = unread or (f"{output!r} (the outputs)", str(error))
    return Reading(whole, graph, streams, reader.named, reader.functions, unread, output, zeros, reader.tied)


def _of_equal_guesses(values: dict[fx.Node, Any], streams: dict[str, Stream], output: fx.Node) -> fx.Node:
    """Return the node of the outputs, or one with a stream whose values differ by the same number for all outputs.

    Such a number changes no guess and no moment; dueling networks add it to the advantages of actions.
    """
    outputs = tensor_of(values[output])
    if outputs is None or output.name in streams or outputs.ndim != 2 or outputs.shape[1] < 2:
        return output
    for node in reversed(output.graph.nodes):
        if node.name in streams and isinstance(values[node], torch.Tensor) and values[node].shape == outputs.shape:
            apart = values[node] - outputs
            if torch.allclose(apart, apart[:, :1]) and not torch.allclose(outputs, outputs[:, :1]):
                return node
    return output


def _is_of_tokens(outputs: torch.Tensor) -> bool:
    """Return whether there are outputs for every token, as of language models."""
    return bool(outputs.ndim == len(("data", "tokens", "outputs")))


def _vectors(name: str, logits: Stream) -> Stream:
    """Return the stream of the outputs, one vector for each datum, or for each token of a language model.

    ValueError: they have several positions.
    """
    entries = logits.entries
    if entries.numbers.ndim == 1:  # a single output
        logits = replace(logits, entries=replace(entries, numbers=entries.numbers[:, None]))
    axis = 2 if _is_of_tokens(entries.numbers) else 1
    there, count = arranged_at(name, logits, axis, grid=False), len(logits.path)
    if axis == 2 and len(there.path) == count and is_projection(logits.path[-1].layer):
        *front, last = there.path
        return replace(there, path=(*front, Step(name, EachToken()), replace(last, layer=copy.copy(last.layer))))
    chosen = len(entries.shape) == 1 and not there.entries.shape and there.entries.units == entries.units
    if chosen and is_projection(logits.path[-1].layer):
        # outputs at one of the tokens are those of this token: another layer than that of all tokens
        step = replace(logits.path[-1], layer=copy.copy(logits.path[-1].layer))
        return replace(there, path=(*there.path[: count - 1], *there.path[count:], step))
    return there


def _steps(read: Reading) -> set[Step]:
    return {step for path in read.paths.values() for step in path}
