"""Moments behind every layer of a model: measured over models that are drawn, and predicted for their layers."""

from collections.abc import Callable, Iterable
from itertools import compress, takewhile
from typing import Any, final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import fx, nn

from igbtheory.foundations.progress import counted
from igbtheory.layers.activation import phi_of
from igbtheory.layers.chain import each, entering
from igbtheory.layers.dense import Dense
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.places import units_first
from igbtheory.layers.nodes.samples import undrawn
from igbtheory.layers.spatial_pools import Flatten
from igbtheory.layers.tokens import ClassToken, FirstToken, Tokens
from igbtheory.networks.width.moments import moments_of, pairs_of_data
from igbtheory.theory.kernels import Watched
from igbtheory.theory.refusals import PassedByError
from igbtheory.torch.data import moved
from igbtheory.torch.ensemble import Asked
from igbtheory.torch.infinite import in_infinite_width
from igbtheory.torch.models import digest, refuse_repeated
from igbtheory.torch.outputs import Outputs, Summary
from igbtheory.torch.passes import logits_of, made, rows_of_logits, stream
from igbtheory.torch.path import Path, fixed_mean, is_linear, layers_of, layers_on
from igbtheory.torch.reading import SHOWN, Reading
from igbtheory.torch.remarks import off_centre, tied
from igbtheory.torch.rows.extra_layers import Arranged, Part, Zero
from igbtheory.torch.tracing import copied, in_a_row, on_weights_of
from igbtheory.torch.trial import tensor_of

Array = NDArray[np.float64]
VECTORS = 2
"""Largest number of axes of values without positions: the data and the units."""
PAIRED, COMPARED = (256, 8192), 2**19
"""Smallest and largest number of pairs of data whose directions are compared at a node, and of units in all of them:
5 ms for each node of each network, which is less than most layers take."""
UNPREDICTED = np.nan, np.nan, np.nan, np.nan
Row = tuple[float, float, float, float]
"""The moments q_ab and q_aa - q_ab, E (G0 - 1/2)^2, and the share of ties."""
UNMEASURED: Row = (np.nan, np.nan, np.nan, np.nan)
NOT_CENTRED = (
    "the theory compares outputs of mean 0 over the weights, such as those of a linear layer; return logits, the "
    "outputs of the last linear layer"
)


@final
class _Watched(fx.Interpreter):  # type: ignore[misc] # PyTorch is an extra
    """An interpreter of a graph that keeps the moments and Var(G0) at the named nodes.

    size: the number of data. seeds: of the order in which they are paired. summary: returns that of outputs.
    """

    def __init__(
        self,
        model: nn.Module,
        names: Iterable[str],
        reading: Reading,
        size: int,
        seeds: tuple[int, int],
        summary: Callable[[Outputs], Summary],
    ) -> None:
        super().__init__(on_weights_of(model, reading.whole))
        self.moments = dict.fromkeys(names, UNMEASURED)
        self.reading, self.contrasted = reading, nodes_of_outputs(reading)
        self.size, self.seeds, self.summary = size, seeds, summary

    def run_node(self, n: fx.Node) -> Any:
        """Return the value of a node. Its moments are taken at once, because later nodes may write into it."""
        output = super().run_node(n)
        value = tensor_of(output)
        if n.name in self.moments and value is not None and len(value) == self.size:
            if at_class_token(self.reading.paths.get(n.name, ()), self.reading.trunk):
                value = value.select(3 - self.reading.streams[n.name].entries.axis, 0)
            kind = torch.promote_types(value.dtype, torch.float32)
            units = value.detach().to(kind).reshape(len(value), -1).cpu().numpy()
            if n.name in self.contrasted and value.ndim <= VECTORS:
                summary = self.summary(units)
                self.moments[n.name] = row_of_outputs(summary)
            else:
                self.moments[n.name] = moments_of_units(units, self.seeds)
        return output


def row_of_outputs(summary: Summary) -> Row:
    """Return the moments of outputs."""
    return *summary.moments, summary.guess_variance, summary.equal


def moments_of_units(units: Outputs, seeds: tuple[int, int] = (0, 0)) -> Row:
    """Return the squared mean over the data and the variance over the data, averaged over the units, and the guesses.

    They are those of a linear layer that reads the units, over all pairs of data. seeds: of the order of the data.
    Moments that rounding of the units makes count as 0, such as their means behind a BatchNorm.
    """
    order = np.random.default_rng(seeds).permutation(len(units))
    pairs = pairs_of_data(order, int(np.clip(COMPARED // units.shape[1], *PAIRED)))
    q_ab, apart, square, ties = moments_of(units[None], pairs=pairs, itself=True)[0].tolist()
    return q_ab, apart, square, ties


def watched_nodes(reading: Reading) -> list[str]:
    """Return the names of the nodes behind a layer, in the order of the graph, the data first and the outputs last.

    Modules that could not be read are among them, and so are functions that every path goes through. Of a function of
    several steps the last one is.
    """
    names: list[str] = []
    steps = {step.name for function in reading.functions.values() for step in function.steps[:-1]}
    paths, passed = set[Path](), reading.passed
    for node in reading.graph.graph.nodes:
        path = reading.paths.get(node.name)
        if path is None:
            unread = node.name in reading.named and (node.op == "call_module" or node.name in passed)
            names += [node.name] if unread else []
        elif path not in paths and node.name not in steps and not (path and _keeps_averages(path[-1].layer)):
            names.append(node.name)
        paths |= set() if path is None else {path}
    return names if reading.output in names else [*names, reading.output]


def at_class_token(path: Path, trunk: Path) -> bool:
    """Return whether there are tokens behind a path of which the outputs read the class token alone.

    Averages over the tokens would hide it. Right behind the layer that adds the class token, they are shown still.
    """
    kinds, every = ([type(step.layer) for step in way] for way in (path, trunk))
    return ClassToken in kinds[:-1] and FirstToken in every and FirstToken not in kinds


def nodes_of_outputs(reading: Reading) -> set[str]:
    """Return the name of the node of the outputs, and those of the nodes that only a function separates from it.

    Their moments are those of contrasts, so that a softmax or an activation at the end is compared with its input.
    """
    names: set[str] = set()
    inputs = [node for node in reading.graph.graph.nodes if node.name == reading.output]
    while len(inputs) == 1:  # functions of weights have these as a second input
        (node,) = inputs
        names.add(node.name)
        module = reading.graph.get_submodule(str(node.target)) if node.op == "call_module" else nn.Module()
        inputs = [] if [*module.parameters()] else node.all_input_nodes
    return names


def refuse_loops(reading: Reading, data: torch.Tensor, output: str | int | None) -> None:
    """Refuse a graph that has steps for each of the data that were shown, so that no more can pass through it."""
    given = moved(data[: SHOWN + 1], reading.whole.parameters())
    with torch.no_grad(), stream(0, 0):
        (graph,) = copied([reading.whole])
        rows = len(logits_of(graph(given.clone()), output))
    if rows != len(given):
        raise ValueError(
            "expected a model that passes all data together, got one that loops over them; pass them at once"
        )


def measured_moments(
    make_model: Callable[[], nn.Module],
    data: torch.Tensor,
    reading: Reading,
    asked: Asked,
) -> tuple[list[str], Array, list[Summary]]:
    """Return watched nodes, their moments as in `Row`, (networks, nodes, 4), and each summary.

    Left out are nodes without a row for each datum, such as the last states of an LSTM, whose layers come first.
    Moments are averages over units and positions, at `nodes_of_outputs` over contrasts. Guesses are those of the
    outputs, NaN if they are not centred, and elsewhere those of a linear layer that reads the units.
    """
    names = watched_nodes(reading)
    of_networks, summaries, digests = [], [], dict[bytes, int]()
    for i in counted(range(asked.networks), asked.networks, "measuring models"):
        with stream(asked.seed, i), torch.no_grad():
            model = in_a_row(made(make_model, i))
            refuse_repeated(digest(model.parameters()), i, digests)
            run = _Watched(model, names, reading, len(data), (asked.seed, i), asked.summary)
            outputs = logits_of(run.run(moved(data, model.parameters()).clone()), asked.output)
        of_networks.append([run.moments[name] for name in names])
        summaries.append(asked.summary(rows_of_logits(outputs, len(data)).double().cpu().numpy()))
    moments = np.array(of_networks)
    if off_centre(summaries) or tied(summaries, len(data)).all():
        moments[:, [name in nodes_of_outputs(reading) for name in names], 2] = np.nan
    there = [name in reading.paths or bool(np.isfinite(moments[:, i]).any()) for i, name in enumerate(names)]
    return list(compress(names, there)), moments[:, there], summaries


def _keeps_averages(layer: Layer) -> bool:
    """Return whether averages over all units and positions are the same behind a layer as in front of it."""
    if isinstance(layer, Arranged):
        return sorted(layer.places) == list(range(len(layer.places)))
    return isinstance(layer, Flatten | Part | Tokens | Zero)


def predicted_moments(reading: Reading, data: Array, names: list[str]) -> tuple[Array, str]:
    """Return var_mu, var_chi, Var(G0) and the error of the moments, (nodes, 4), and the first layer refused, and why.

    One prediction gives the moments at all nodes on its path, also inside residual blocks. They are NaN where a layer
    could not be read, at the first layer that the theory refuses, and behind these. The text is empty if none is
    refused.
    """
    rows: dict[Path, Any] = {}
    paths = {name: reading.paths[name] for name in names if name in reading.paths}
    off_centre = [name for name in paths if name in nodes_of_outputs(reading) and is_off_centre(paths[name])]
    asked = {name: path for name, path in paths.items() if name not in off_centre}
    first = {path: at_class_token(path, reading.trunk) for path in asked.values() if path}
    refused = ""
    if off_centre:
        path = paths[off_centre[0]]
        refused = _refused(path, fixed_mean(path) or NOT_CENTRED)
    for path in counted(sorted(asked.values(), key=layers_on, reverse=True), len(asked)):
        if path not in rows:
            try:
                rows |= {path: UNPREDICTED} | _along(path, first, data)
            except ValueError as error:
                # a layer that is refused refuses all paths through it, and the shortest comes last
                rows[path], refused = UNPREDICTED, _refused(path, str(error))
    return np.array([rows[asked[name]] if name in asked else UNPREDICTED for name in names]), refused


def is_off_centre(path: Path) -> bool:
    """Return whether there is a function behind the last weights, so that units may have a mean over the weights."""
    behind = takewhile(lambda step: not step.layer.weighs, reversed(path))
    return any(phi_of(step.layer) and not is_linear(step.layer) for step in behind)


def _refused(path: Path, reason: str) -> str:
    return f"{path[-1].name!r} ({type(path[-1].layer).__name__}): {reason}"


def _along(path: Path, first: dict[Path, bool], data: Array) -> dict[Path, Any]:
    """Return the moments behind a path, and behind each beginning of it that is asked for.

    first: for each path that is asked for, whether to take the first token alone.
    """
    x = entering(layers_of(path), data) if path else data
    moments: dict[Path, Any] = {(): _exact(x)}
    drawing = 0
    while drawing < len(path) and (behind := undrawn(path[drawing].layer, x)) is not None:
        x, drawing = behind, drawing + 1
        moments[path[:drawing]] = _exact(x)
    layers = tuple(layers_of(path[drawing:]))
    shape = x.shape[2:]
    for layer in layers:
        shape = layer.positions(shape)
    network = (*layers, *([Flatten()] if shape else []), Dense(1.0))
    places = {id(layer): place for place, layer in enumerate(reversed([*each(network)]))}
    watched = {places[id(way[-1].layer)]: way for way in first if len(way) > drawing and id(way[-1].layer) in places}
    given = units_first(x) if drawing else data
    while watched:
        try:
            predicted = _predicted(network, given, {place: first[way] for place, way in watched.items()})
        except PassedByError as error:  # such as a layer inside a block whose branches are drawn together
            watched = {place: way for place, way in watched.items() if place not in error.places}
            continue
        moments.update(zip(watched.values(), predicted, strict=True))
        break
    return moments


def _exact(x: Array) -> tuple[float, ...]:
    """Return the moments, Var(G0) and the error of units that are the same in all networks."""
    *moments, square, ties = moments_of_units(x.reshape(len(x), -1))
    return *moments, square - (ties / 2) ** 2, 0.0


def _predicted(layers: tuple[Layer, ...], x: Array, watched: Watched) -> Array:
    """Return var_mu, var_chi, Var(G0) and error behind the watched layers. ValueError: a layer refuses."""
    rows = in_infinite_width(layers, x, watched).per_layer
    columns = (getattr(rows, name) for name in ("var_mu", "var_chi", "variance", "error"))
    return np.stack([*columns], axis=1)[: len(watched)].astype(float)
