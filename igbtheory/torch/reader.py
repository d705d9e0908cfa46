"""A walk through the graph of a model that tells what every node holds: a stream of the theory, or a reason why not."""

from dataclasses import replace
from functools import partial
from math import prod
from typing import Any, final

import torch
from torch import fx, nn

from igbtheory.layers.activation import Activation
from igbtheory.torch import joins
from igbtheory.torch.attention import attention_at
from igbtheory.torch.averaged import averaged, reduced_by
from igbtheory.torch.behind import entries_behind, extended, mixes
from igbtheory.torch.constants import CHANGED
from igbtheory.torch.dataflow import Dataflow
from igbtheory.torch.embedded import embedded
from igbtheory.torch.entries import Entries, Layouts, moved
from igbtheory.torch.fresh_weights import FreshVectors, FreshWeights, HeldError
from igbtheory.torch.functions import FunctionOfOne
from igbtheory.torch.left_out import stochastic_depth
from igbtheory.torch.operators import called
from igbtheory.torch.path import Stream
from igbtheory.torch.rows import PRODUCTS, SUMS, Site, functions_of, module_of, row_of
from igbtheory.torch.rows.site import Arguments
from igbtheory.torch.scores import MATRIX_PRODUCTS, Scores, scores_at
from igbtheory.torch.steps import part_of, value_behind
from igbtheory.torch.trial import tensor_of
from igbtheory.torch.unread import Unread

CONCATENATIONS = {"cat", "concat", "concatenate"}
"""Functions that put values side by side."""
OF_IDS = "the theory has embeddings of the ids of tokens, got a function of the ids, such as a mask of the padding"
"""Why steps that compare ids are not read."""


@final
class Reader:
    """Reads the nodes of a graph that depend on the data, one after the other.

    usual: the initialiser of most layers. read: the streams at the nodes that could be read, by their names; scores:
    those of attention; functions: of one value, by the last of their steps. unread: the other nodes, with the reasons.
    """

    def __init__(self, flow: Dataflow, usual: str) -> None:
        self.flow, self.usual = flow, usual
        self.values = flow.values
        self.read: dict[str, Stream] = {}
        self.scores: dict[str, Scores] = {}
        self.functions: dict[str, FunctionOfOne] = {}
        self.unread = Unread(flow, self.read)
        self.weights, self.vectors = FreshWeights(), FreshVectors()
        self.tuples: dict[fx.Node, fx.Node] = {}  # nodes of several tensors, and their inputs
        self.layouts = Layouts()
        self.origins: joins.Origins = {}

    def streams(self, data: torch.Tensor) -> dict[str, Stream]:
        """Return the streams at the nodes that can be read, by their names. data: a few that pass through the model."""
        for node in self.flow.passed(data):
            if node.op == "placeholder":
                self._hold(node, self._data(node))
            else:
                self._read(node)
        return self.read

    def _hold(self, node: fx.Node, stream: Stream) -> None:
        """Add the stream at a node."""
        self.read[node.name] = replace(stream, entries=self.layouts.one_of(stream.entries))

    def _data(self, node: fx.Node) -> Stream:
        """Return the stream of the data: ids, features, sequences with the tokens first, or images, channels first."""
        shape = tuple(self.values[node].shape)
        if not self.values[node].is_floating_point() and len(shape) == 2:  # ids of tokens
            return Stream((), Entries(1 + torch.arange(prod(shape)).reshape(shape), shape[1:], 1), 1)
        axis = 1 if len(shape) in {2, 4} else len(shape) - 1
        positions = shape[2:] if axis == 1 else shape[1:-1]
        entries = Entries.laid_out(shape, axis, positions)
        return Stream((), entries, entries.units)

    def _read(self, node: fx.Node) -> None:
        """Add what a node holds, or the reason why it cannot be read."""
        inputs = self.flow.inputs(node)
        if isinstance(self.values[node], tuple | list) and node.op != "call_module":  # its parts are read
            if len(inputs) == 1:  # such as of chunk
                self.tuples[node] = inputs[0]
            return
        try:
            value = self._function(node) or self._value(node, inputs)
        except HeldError as error:
            self.unread.refuse(node, str(error))
            return
        except ValueError as error:
            self.unread.add(node, str(error))
            return
        if isinstance(value, Scores):
            self.scores[node.name] = value
        elif value is not None:
            self._hold(node, value)
        else:
            self.unread.add(node)

    def _value(self, node: fx.Node, inputs: list[fx.Node]) -> Stream | Scores | None:
        """Return what a node holds, None if it reads values that were not read. ValueError: the theory has no such."""
        if self.flow.constants.reads_changed(node):
            raise ValueError(CHANGED)
        if self.unread.end_in_front(node):
            self._end_pieces(node, inputs)
        name = self.flow.named[node.name]
        value = scores_at(self.flow, node, self._held) or self._averaged_stack(node, name)
        if value is None and all(map(self._held, inputs)):
            value = attention_at(self.flow, node, self._held) or self._stream(node, name, inputs)
        return value

    def _end_pieces(self, node: fx.Node, inputs: list[fx.Node]) -> None:
        """Add the streams of inputs that are pieces, if the node tells on which axis they have their units."""
        for part in inputs:
            if part.name in self.unread.pieces and (axis := self._axis_of_units(node, part)) is not None:
                self._hold(part, self.unread.stream(part, axis))

    def _axis_of_units(self, node: fx.Node, part: fx.Node) -> int | None:
        """Return the axis on which a node reads the units of one of its inputs, None if it does not tell."""
        joined = called(node) in CONCATENATIONS
        for other in self.flow.inputs(node):
            stream, value = self.read.get(other.name), self.values[part]
            if stream and (
                self.values[other].ndim == value.ndim if joined else self.values[other].shape == value.shape
            ):
                return stream.entries.axis
        if joined:
            return None
        target = self._target(node, self.flow.models[0], 0)
        return row_of(target).axis(target)

    def _held(self, node: fx.Node) -> Stream | Scores | None:
        """Return what a node holds, or that of which a node of several tensors has parts; None if it was not read."""
        return self.scores.get(node.name) or self._stream_of(node)

    def _stream_of(self, node: fx.Node) -> Stream | None:
        """Return the stream of a node, or that of which a node of several tensors has parts."""
        return self.read.get(self.tuples.get(node, node).name)

    def _function(self, node: fx.Node) -> Stream | None:
        """Return the stream behind a node that computes a function of one value from several, None if it does not."""
        start, steps = self.flow.of_one.get(node, (None, ()))
        stream = self.read.get(start.name) if start else None
        if start is None or stream is None:
            return None
        x, y = self.values[start], self.values[node]
        if not (isinstance(x, torch.Tensor) and isinstance(y, torch.Tensor)):
            return None
        if not self.flow.are_alike(steps):
            return None
        function = FunctionOfOne(self.flow.graph, start, steps, self.flow.other_values())
        norm = None
        if not function.acts_on_numbers(x, y) and (norm := function.norm(x, y)) is None:
            return None
        self.unread.read_later(function.steps)  # a step alone may be no activation, such as zeros
        name = self.flow.named[node.name]
        if norm is not None:
            stream = joins.arranged_at(name, stream, -1, grid=False)
            return stream.behind(name, [norm], stream.entries)
        self.functions[node.name] = function
        return stream.behind(name, [Activation(function)], stream.entries)

    def _stream(self, node: fx.Node, name: str, inputs: list[fx.Node]) -> Stream:
        """Return the stream at a node. ValueError: it cannot be read."""
        streams = [stream for part in inputs if (stream := self._stream_of(part))]
        tokens = self._with_tokens(node, name)
        if tokens is not None:
            return tokens
        there = self._moved(node, inputs, streams)
        if there is not None:
            stream = joins.of_some(name, Stream(streams[0].path, there, streams[0].channels), self.origins)
            return joins.in_a_row(name, stream) if there.are_tokens() and not stream.raw else stream
        if called(node) in CONCATENATIONS:
            return self._concatenated(node, name)
        if (
            len(inputs) > 2
            or (len(inputs) == 2 and not (called(node) and node.target in {*SUMS, *PRODUCTS}))
            or (inputs[1:] and node.kwargs)
        ):
            raise ValueError(
                "the theory has no layer that joins several values but sums, products and concatenations; "
                "igb.explain predicts the layers in front of it"
            )
        if len(inputs) == 2:
            tensor = tuple(self.values[node].shape)
            if node.target in PRODUCTS:
                return joins.multiplied(name, streams[0], streams[1], tensor)
            return joins.added(name, streams[0], streams[1], tensor, SUMS[node.target])
        if called(node) == "mean":
            return averaged(node, name, streams[0], self.values[node])
        return self._behind(node, name, inputs[0], streams[0])

    def _moved(self, node: fx.Node, inputs: list[fx.Node], streams: list[Stream]) -> Entries | None:
        """Return the entries at a node that only moves numbers of one node of the theory, else None."""
        if self.flow.weighs(node) or any(stream.path != streams[0].path for stream in streams[1:]):
            return None
        sources = [self.tuples.get(part, part) for part in inputs]
        if isinstance(self.values[sources[0]], tuple):  # the first part of a module such as attention
            return streams[0].entries if node.args[1:] == (0,) else None
        of_tuples = [part for part, source in zip(inputs, sources, strict=True) if part is not source]

        def move(numbers: list[torch.Tensor]) -> Any:
            return value_behind(
                self.flow.graph, [*of_tuples, node], {**self.values, **dict(zip(sources, numbers, strict=True))}
            )

        return moved(move, [stream.entries for stream in streams], self.values[node])

    def _concatenated(self, node: fx.Node, name: str) -> Stream:
        """Return the stream of several values side by side, or of tokens behind class tokens."""
        values, axis = self._side_by_side(node)
        streams = [self._stream_of(part) for part in values]
        if not all(streams):
            raise ValueError("the theory can join nothing to data but class tokens in front of tokens, and zeros")
        return joins.concatenated(name, [s for s in streams if s], tuple(self.values[node].shape), axis, self.origins)

    def _side_by_side(self, node: fx.Node) -> tuple[list[fx.Node], int]:
        """Return the values that a node puts side by side, and the axis along which it does."""
        values, *rest = node.args
        return [*values], int((*rest, node.kwargs.get("dim", 0))[0]) % self.values[node].ndim

    def _with_tokens(self, node: fx.Node, name: str) -> Stream | None:
        """Return the stream of tokens behind class tokens, None if the node does something else."""
        if called(node) not in CONCATENATIONS:
            return None
        (*fixed, last), axis = self._side_by_side(node)
        stream, tensor = self._stream_of(last), tuple(self.values[node].shape)
        if axis != 1 or len(tensor) != len(("data", "tokens", "units")) or not stream:
            return None
        if not fixed or any(self._stream_of(part) for part in fixed):
            return None
        models = range(len(self.flow.models))
        tokens = [torch.cat([self.flow.constants.argument(part, i, node) for part in fixed], dim=1) for i in models]
        return joins.with_tokens(name, stream, tokens, tensor)

    def _averaged_stack(self, node: fx.Node, name: str) -> Stream | None:
        """Return the stream of the mean over an axis along which values were stacked, None if the node is none."""
        stack = node.args[0] if called(node) == "mean" else None
        if not isinstance(stack, fx.Node) or called(stack) != "stack":
            return None
        values, axis = self._side_by_side(stack)
        streams = [stream for part in values if (stream := self._stream_of(part))]
        if reduced_by(node) != [axis] or len(streams) < len(values):
            return None
        self.unread.read_later([stack])
        total = streams[0]
        for other in streams[1:]:
            total = joins.added(name, total, other, tuple(self.values[node].shape), 1.0)
        return total.behind(name, [Activation(f"{1 / len(streams)} * x")], total.entries)

    def _behind(self, node: fx.Node, name: str, before: fx.Node, stream: Stream) -> Stream:
        """Return the stream behind a module or function of one value."""
        value, ids = tensor_of(self.values[node]), tensor_of(self.values[before])
        if value is not None and value.dtype is torch.bool and ids is not None and not ids.is_floating_point():
            raise ValueError(OF_IDS)
        factor = next(
            (x for x in node.all_input_nodes if x in self.flow.random and x.name not in self.flow.named), None
        )
        if factor is not None and node.target in PRODUCTS:
            layers = stochastic_depth(factor, lambda: self.flow.constants.drawn_again(factor).clone())
            return stream.behind(name, layers, stream.entries)
        targets = [self._target(node, model, i) for i, model in enumerate(self.flow.models)]
        modules = [target for target in targets if isinstance(target, nn.Module)]
        if modules and isinstance(modules[0], nn.Embedding | nn.EmbeddingBag):
            behind = embedded(name, modules, stream, self.usual)
            self.weights.add(modules[0].weight, name)
            self.weights.embedding = modules[0].weight
            return behind
        row = row_of(targets[0])
        axis = row.axis(targets[0])
        mixed = axis is not None and mixes(row, axis, stream.entries)
        if mixed:
            stream = joins.in_a_row(name, stream)
        elif axis is not None:
            stream = joins.arranged_at(name, stream, axis, grid=row.grid)
        site = Site(
            modules,
            [self._arguments(node, before, i) for i in range(len(self.flow.models))],
            node.args.index(before) if before in node.args else 0,
            tensor_of(self.values[before]),
            stream.entries,
            _datum(self.values[node]),
            stream.raw,
            {},
            [],
            self.usual,
        )
        added = row.layers(targets[0], site)
        if "variance" in site.read and not modules:
            added = [self.vectors.layer_of(site.rest[0], layer, stream.path) for layer in added]
        for weight in modules[0].parameters() if modules else ():
            if weight.ndim > 1:
                self.weights.add(weight, name)
        value = self.values[node]
        if mixed and axis is not None:
            entries = stream.entries.mixed(axis, value.shape[axis])
        else:
            entries = entries_behind(stream.entries, added, tensor_of(value), axis, grid=row.grid)
        return extended(stream, name, added, site, entries)

    def _arguments(self, node: fx.Node, before: fx.Node, i: int) -> Arguments:
        """Return the arguments of a node in a model, other than the value `before`."""
        argument = partial(self.flow.constants.argument, i=i, at=node)
        named = {key: argument(part) for key, part in node.kwargs.items() if part is not before}
        return tuple(argument(part) for part in node.args if part is not before), named

    def _target(self, node: fx.Node, model: nn.Module, i: int) -> Any:
        """Return the module or the function of a node in a model, for operators with weights the equivalent module."""
        if node.op == "call_module":
            return part_of(model, str(node.target))
        if called(node) in MATRIX_PRODUCTS and node.args[0] not in self.flow.inputs(node):
            raise ValueError("the theory has no products with a matrix from the left, which mix positions")
        args, named = fx.node.map_arg(
            (node.args, node.kwargs), lambda part: self.flow.constants.argument(part, i, node)
        )
        return module_of(node.target, args, named) or functions_of(node.target)


def _datum(value: Any) -> tuple[int, ...]:
    tensor = tensor_of(value)
    return () if tensor is None else tuple(tensor.shape[1:])
