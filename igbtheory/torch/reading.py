"""Read PyTorch models into networks of the theory."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, final

import torch
from torch import fx, nn

from igbtheory.layers.dense import Dense
from igbtheory.layers.tokens import EachToken
from igbtheory.networks.network import Network
from igbtheory.torch.data import moved
from igbtheory.torch.dataflow import Dataflow
from igbtheory.torch.functions import FunctionOfOne
from igbtheory.torch.initialisers import usual_initialiser
from igbtheory.torch.joins import arranged_at
from igbtheory.torch.passes import is_of_tokens, stream
from igbtheory.torch.path import Path, Step, Stream, fixed_mean, is_linear, layers_of, layers_on, without_shifts
from igbtheory.torch.reader import Reader
from igbtheory.torch.rows.weights import is_projection
from igbtheory.torch.trial import Trial, tensor_of, tried
from igbtheory.torch.uniform_weights import drawn_if_noticed

ZEROS = (
    "its weights are 0 when the model is new, so that its outputs tie exactly; initialise it, for example by "
    "torch.nn.init.xavier_normal_"
)
TIED = "has the weights of the embedding: the theory needs independent ones; draw them anew in every layer"
"""What is said of outputs whose weights, those of the embedding, read no single token."""
SAME = 1e-4
"""Scatter of differences of outputs that is rounding in single precision, relative to that of the outputs."""
SHOWN = 3
"""Number of data that pass through a model to find the shapes behind its layers."""


@final
@dataclass(frozen=True, eq=False)
class Reading:
    """A traced model, the streams at the nodes that could be read, and the first node that could not, with the reason.

    All dictionaries have the names of nodes as keys. whole: the graph of the model; graph: its part up to the logits.
    streams: of the nodes that could be read; named: the user's names for the nodes that depend on the data; functions:
    the function of one value that a node is the last step of. output: the name of the node of the outputs. zeros: the
    path up to a last layer of zeros, if there is one. tied: the stream of outputs with the weights of the embedding.
    """

    whole: fx.GraphModule
    graph: fx.GraphModule
    streams: dict[str, Stream]
    named: dict[str, str]
    functions: dict[str, FunctionOfOne]
    unread: tuple[str, str] | None
    output: str
    zeros: Path = ()
    tied: Stream | None = None

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

    @property
    def lacks_its_end_alone(self) -> bool:
        """Whether at most one layer with weights was not read: a change of it may make the model one of the theory."""
        missing = [x for x in self.graph.graph.nodes if x.name in self.named and x.name not in self.streams]
        modules = [self.graph.get_submodule(str(node.target)) for node in missing if node.op == "call_module"]
        return sum(any(True for _ in module.parameters()) for module in modules) <= 1

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
    if reason := fixed_mean(path):
        raise ValueError(reason)
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


def reading(
    models: Sequence[nn.Module], data: torch.Tensor, output: str | int | None, *, multi_label: bool = False
) -> Reading:
    """Read models that were drawn alike as far as possible; their buffers may change.

    output, multi_label: which of several outputs is read, and whether each gives a label, as in `measure`.
    """
    with torch.no_grad(), stream(0, 0):
        shown = moved(data[:SHOWN], models[0].parameters())
        trial = tried(models[0], shown, len(data), output)
        flow = Dataflow(trial, models, moved(data, models[0].parameters()))
        read = _read(trial, flow, shown, multi_label=multi_label)
    drawn = drawn_if_noticed(read.paths.get(read.output, ()), data.double().cpu().numpy())
    streams = {
        name: replace(stream, path=tuple(drawn.get(step, step) for step in stream.path))
        for name, stream in read.streams.items()
    }
    return replace(read, streams=streams) if drawn else read


def _read(trial: Trial, flow: Dataflow, shown: torch.Tensor, *, multi_label: bool) -> Reading:
    """Return what is read of a graph up to the logits. shown: some of the data. multi_label: as in `reading`."""
    graph = trial.graph
    reader = Reader(flow, usual_initialiser(flow.models))
    streams = reader.streams(shown)
    (last,) = [node for node in graph.graph.nodes if node.op == "output"]
    # what all outputs have in common changes no guess of one class, but may change which labels a datum gets
    guessing = last.args[0] if multi_label else _of_equal_guesses(flow.values, streams, last.args[0])
    if guessing is not last.args[0]:
        reader.unread.read_later(_removed_behind(guessing))
    output, unread = guessing.name, reader.unread.first
    logits = streams.get(output)
    zeros: Path = ()
    tied: Stream | None = None
    if logits:
        # behind the last layer there may be functions that change no guess, such as log_softmax
        alike = [name for name, other in streams.items() if other.holds_the_same(logits)]
        output = alike[0]
        if logits.entries.units > 1 and not multi_label:
            logits = replace(logits, path=without_shifts(logits.path))
            streams |= dict.fromkeys(alike, logits)
        step = logits.path[-1] if logits.path else None
        if step and step.read and not any(variance.value for variance in step.read.values()):
            streams = {name: other for name, other in streams.items() if step not in other.path}
            unread, zeros = (f"{step.name!r} (Linear)", ZEROS), logits.path
        else:
            try:
                streams[output] = _vectors(output, logits)
            except ValueError as error:
                del streams[output]
                unread = unread or (f"{output!r} (the outputs)", str(error))
    if reader.weights.tied:
        tied = streams.get(output)
        streams = {name: other for name, other in streams.items() if not other.goes_through(reader.weights.tied)}
        unread = unread or (f"{reader.weights.tied!r} (Linear)", TIED)
    return Reading(trial.whole, graph, streams, flow.named, reader.functions, unread, output, zeros, tied)


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
            scatter, of_outputs = (float((x - x.mean(dim=1, keepdim=True)).square().mean()) for x in (apart, outputs))
            if scatter < SAME**2 * of_outputs:
                return node
    return output


def _removed_behind(guessing: fx.Node) -> list[fx.Node]:
    """Let a node make the outputs of its graph; return the nodes behind it, which are removed."""
    nodes = [*guessing.graph.nodes]
    nodes[-1].args = (guessing,)
    behind = nodes[nodes.index(guessing) + 1 : -1]
    for node in reversed(behind):
        guessing.graph.erase_node(node)
    return behind


def _vectors(name: str, logits: Stream) -> Stream:
    """Return the stream of the outputs, one vector for each datum, or for each token of a language model.

    ValueError: they have several positions.
    """
    entries = logits.entries
    if entries.numbers.ndim == 1:  # a single output
        logits = replace(logits, entries=replace(entries, numbers=entries.numbers[:, None]))
    axis = 2 if is_of_tokens(entries.numbers) else 1
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
