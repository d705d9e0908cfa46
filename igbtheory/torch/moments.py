"""Moments behind every layer of a model: measured over models that are drawn, and predicted for their layers."""

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import chain, takewhile
from typing import Any, final

import numpy as np
import torch
from numpy.random import Generator
from numpy.typing import NDArray
from torch import fx, nn

from igbtheory.layers.activation import Activation
from igbtheory.layers.blocks import listed
from igbtheory.layers.chain import each
from igbtheory.layers.dense import Dense
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.node import KernelNode
from igbtheory.layers.nodes.places import units_first
from igbtheory.layers.residual import Residual
from igbtheory.layers.spatial_pools import Flatten
from igbtheory.layers.tokens import ClassToken, FirstToken
from igbtheory.networks.network import Network
from igbtheory.torch.data import moved
from igbtheory.torch.models import digest, refuse_repeated
from igbtheory.torch.outputs import Summary
from igbtheory.torch.passes import made, stream
from igbtheory.torch.reading import Path, Reading, layers_on, tensor_of
from igbtheory.torch.rows import UNSEEN
from igbtheory.torch.tracing import graph_of, in_a_row

Array = NDArray[np.float64]
VECTORS = 2
"""Largest number of axes of values without positions: the data and the units."""
UNPREDICTED = np.nan, np.nan, np.nan
NOT_CENTRED = (
    "the theory compares outputs of mean 0 over the weights, such as those of a linear layer; return logits, the "
    "outputs of the last linear layer"
)


@final
@dataclass(frozen=True)
class Shown(Layer):
    """The identity, at which a prediction records the moments under a number; first: of the first token alone."""

    number: int
    first: bool

    def kernel(self, node: KernelNode) -> KernelNode:
        return replace(node, shown=(*node.shown, (self.number, listed(node, first=self.first))))

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        return x


@final
class _Watched(fx.Interpreter):  # type: ignore[misc] # PyTorch is an extra
    """An interpreter of a graph that keeps the moments at the named nodes."""

    def __init__(self, model: nn.Module, names: Iterable[str], reading: Reading) -> None:
        super().__init__(model, graph=graph_of(model))
        self.found: dict[str, tuple[float, float]] = dict.fromkeys(names, (np.nan, np.nan))
        self.reading, self.contrasted = reading, nodes_of_outputs(reading)

    def run_node(self, n: fx.Node) -> Any:
        """Return the value of a node. Its moments are taken at once, because later nodes may write into it."""
        found = super().run_node(n)
        value = tensor_of(found)
        if n.name in self.found and value is not None:
            if at_class_token(self.reading.paths.get(n.name, ()), self.reading.trunk):
                value = value.select(2 - self.reading.units[n.name], 0)
            units = value.detach().double().reshape(len(value), -1).cpu().numpy()
            outputs = n.name in self.contrasted and value.ndim <= VECTORS
            self.found[n.name] = Summary.of(units).moments if outputs else _of_units(units)
        return found


def _of_units(units: Array) -> tuple[float, float]:
    """Return the squared mean over the data and the variance over the data, averaged over the units."""
    return float(np.square(units.mean(axis=0)).mean()), float(units.var(axis=0).mean())


def watched_nodes(reading: Reading) -> list[str]:
    """Return the names of the nodes behind a layer, in the order of the graph, the data first and the outputs last.

    Modules that could not be read are among them, and so are functions that every path goes through.
    """
    names: list[str] = []
    seen, passed = set[Path](), reading.passed
    for node in reading.graph.graph.nodes:
        path = reading.paths.get(node.name)
        if path is None:
            unread = node.name in reading.named and (node.op == "call_module" or node.name in passed)
            names += [node.name] if unread else []
        elif path not in seen and not (path and isinstance(path[-1].layer, UNSEEN)):
            names.append(node.name)
        seen |= set() if path is None else {path}
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


def measured_moments(
    make_model: Callable[[], nn.Module], data: torch.Tensor, names: list[str], reading: Reading, draws: tuple[int, int]
) -> Array:
    """Return the moments q_ab and q_aa - q_ab at every node in every network, (networks, nodes, 2).

    They are averages over units and positions, at `nodes_of_outputs` over contrasts. draws: number of networks, seed.
    """
    found, seen = [], dict[bytes, int]()
    for i in range(draws[0]):
        with stream(draws[1], i), torch.no_grad():
            model = in_a_row(made(make_model, i))
            refuse_repeated(digest(model.parameters()), i, seen)
            run = _Watched(model, names, reading)
            run.run(moved(data, model.parameters()).clone())
        found.append([run.found[name] for name in names])
    return np.array(found)


def predicted_moments(reading: Reading, data: Array, names: list[str]) -> tuple[Array, str]:
    """Return var_mu, var_chi and their error at these nodes, (nodes, 3), and the first layer refused, with the reason.

    One prediction gives the moments at all nodes on its path, also inside residual blocks. They are NaN where a layer
    could not be read, at the first layer that the theory refuses, and behind these. The text is empty if none is
    refused.
    """
    rows: dict[Path, Any] = {}
    paths = {name: reading.paths[name] for name in names if name in reading.paths}
    off_centre = [name for name in paths if name in nodes_of_outputs(reading) and _is_off_centre(paths[name])]
    asked = {name: path for name, path in paths.items() if name not in off_centre}
    first = {path: at_class_token(path, reading.trunk) for path in asked.values() if path}
    refused = _refused(paths[off_centre[0]], NOT_CENTRED) if off_centre else ""
    for path in sorted(asked.values(), key=layers_on, reverse=True):
        if path not in rows:
            try:
                rows.update(_along(path, first, units_first(data)))
            except ValueError as error:
                # a layer that is refused refuses all paths through it, and the shortest comes last
                rows[path], refused = UNPREDICTED, _refused(path, str(error))
    return np.array([rows[asked[name]] if name in asked else UNPREDICTED for name in names]), refused


def _is_off_centre(path: Path) -> bool:
    """Return whether there is a function behind the last weights, so that units may have a mean over the weights."""
    behind = takewhile(lambda step: not step.layer.weighs, reversed(path))
    return any(isinstance(step.layer, Activation) for step in behind)


def _refused(path: Path, reason: str) -> str:
    return f"{path[-1].name!r} ({type(path[-1].layer).__name__}): {reason}"


def _along(path: Path, first: dict[Path, bool], x: Array) -> dict[Path, Any]:
    """Return the moments behind a path, and behind each beginning of it that is asked for.

    first: for each path that is asked for, whether to take the first token alone. x: the data, units first.
    """
    found: dict[Path, Any] = {(): (*_of_units(x.reshape(len(x), -1)), 0.0)}
    drawing = 0
    while drawing < len(path) and (behind := path[drawing].layer.undrawn(x)) is not None:
        x, drawing = behind, drawing + 1
        found[path[:drawing]] = (*_of_units(x.reshape(len(x), -1)), 0.0)
    ways = [way for way in first if len(way) > drawing]
    shown = {id(way[-1].layer): Shown(i, first[way]) for i, way in enumerate(ways)}
    layers = _showing([step.layer for step in path[drawing:]], shown)
    rows = sorted(layer.number for layer in each(layers) if isinstance(layer, Shown))
    if rows:
        found.update(zip([ways[i] for i in rows], _predicted(layers, x, len(rows)), strict=True))
    return found


def _showing(layers: Iterable[Layer], shown: dict[int, Shown]) -> tuple[Layer, ...]:
    """Return the layers with the layers that show their moments behind them, also inside residual blocks.

    A branch without weights stays as it is: it only multiplies the stream.
    """

    def behind(layer: Layer) -> tuple[Layer, ...]:
        opened = isinstance(layer, Residual) and any(inner.weighs for inner in layer.inner)
        own = layer.mapped(lambda inner: _showing(inner, shown)) if isinstance(layer, Residual) and opened else layer
        return (own, shown[id(layer)]) if id(layer) in shown else (own,)

    return tuple(chain.from_iterable(map(behind, layers)))


def _predicted(layers: tuple[Layer, ...], x: Array, count: int) -> Array:
    """Return the var_mu, var_chi and error that the layers show, (count, 3). ValueError: a layer refuses."""
    shape = x.shape[2:]
    for layer in layers:
        shape = layer.positions(shape)
    end = [Flatten(), Dense(1.0)] if shape else [Dense(1.0)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the errors are part of the result
        rows = Network(*layers, *end).predict(units_first(x)).per_layer
    return np.stack([rows.var_mu, rows.var_chi, rows.error], axis=1)[:count].astype(float)
