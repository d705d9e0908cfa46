"""A walk through the graph of a model that tells what every node holds: a stream of the theory, or a reason why not."""

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any, final

import torch
from torch import fx, nn
from torch.nn.modules.batchnorm import _BatchNorm

from igbtheory.layers.activation import Activation
from igbtheory.torch import joins
from igbtheory.torch.attention import MATRIX_PRODUCTS, Scores, attention, scores_between, scores_of
from igbtheory.torch.averaged import averaged, reduced_by
from igbtheory.torch.behind import entries_behind, extended, mixes
from igbtheory.torch.computed import Piece, computed, piece_at
from igbtheory.torch.constants import CHANGED, Constants
from igbtheory.torch.embedded import embedded
from igbtheory.torch.entries import Entries, Layouts, moved
from igbtheory.torch.fresh_weights import FreshWeights
from igbtheory.torch.functions import FunctionOfOne, steps_of_one
from igbtheory.torch.left_out import stochastic_depth
from igbtheory.torch.operators import MODULES, arguments, called, tells_shape
from igbtheory.torch.passes import is_of_tokens
from igbtheory.torch.path import Stream
from igbtheory.torch.rows import PRODUCTS, SUMS, Site, functions_of, module_of, row_of
from igbtheory.torch.steps import part_of, value_behind
from igbtheory.torch.trial import Trial, tensor_of

CONCATENATIONS = {"cat", "concat", "concatenate"}
"""Functions that put values side by side."""
FEW = 16
"""Largest number of units that the weights of a step of a piece read: one of a depthwise convolution, or some heads."""
NO_STREAM = "reads values that have no stream of their own"
LIKE = {"expand_as", "view_as", "reshape_as", "type_as"}
"""Functions that give a value the shape or the type of another one."""


@final
class Reader:
    """Walks a graph from the data to the outputs, and computes and reads one value after the other.

    models: drawn alike; usual: the initialiser of most layers. named: the user's names for the nodes that depend on the
    data. refused: nodes that cannot be read, in words, and the reasons.
    """

    def __init__(
        self,
        trial: Trial,
        models: Sequence[nn.Module],
        usual: str,
    ) -> None:
        graph = trial.graph
        self.graph, self.models, self.random = graph, models, trial.random
        self.usual = usual
        self.values: dict[fx.Node, Any] = {}
        self.read: dict[str, Stream] = {}
        self.named: dict[str, str] = {}
        self.depending: set[str] = set()  # the names of all nodes whose value or shape depends on the data
        self.tuples: dict[fx.Node, fx.Node] = {}  # nodes of several tensors, and their inputs
        self.scores: dict[str, Scores] = {}  # what nodes hold that are scores of attention
        self.functions: dict[str, FunctionOfOne] = {}  # that nodes are the last step of
        self.layouts = Layouts()
        self.origins: joins.Origins = {}
        self.weights = FreshWeights()
        self.refused: dict[fx.Node, tuple[str, str]] = {}
        self.pieces: dict[str, Piece] = {}  # nodes that are computed from streams, until a layer reads their units
        self.left: dict[fx.Node, tuple[str, str]] = {}  # such nodes in words, and why they have no stream of their own
        self.constants = Constants(trial, models, self.values, self.named)
        for node in graph.graph.nodes:
            is_data = node.op == "placeholder" and not self.depending
            if is_data or (self._made_of_data(node) and node in trial.tensors):
                self.depending.add(node.name)
        self.of_one = {
            node: steps for node in graph.graph.nodes if (steps := steps_of_one(graph, node, self._made_of_data))
        }

    def streams(self, data: torch.Tensor) -> dict[str, Stream]:
        """Return the streams at the nodes that can be read, by their names. data: a few that pass through the model."""
        run = fx.Interpreter(self.graph, garbage_collect_values=False)
        run.args_iter, run.env = iter([data]), self.values
        last_read = self._last_read()
        for node in self.graph.graph.nodes:
            self.values[node] = run.run_node(node)
            if node.op == "placeholder" and not self.named:
                self.named[node.name] = "data"
                self._hold(node, self._data(node))
            elif node.op != "output" and self._inputs(node) and not _is_alike(self.values[node]):
                self.named[node.name] = _name(node)
                self._read(node)
            for part in last_read.get(node, []):
                self.values[part] = fx.node.map_aggregate(self.values[part], _shape_alone)
        return self.read

    def _last_read(self) -> dict[fx.Node, list[fx.Node]]:
        """Return the nodes that depend on the data, by the last node for which their numbers are read."""
        last_read: dict[fx.Node, fx.Node] = {}
        for node in self.graph.graph.nodes:
            starts = [self.of_one[node][0]] if node in self.of_one else []
            last_read |= dict.fromkeys([*node.all_input_nodes, *starts], node)
        behind: dict[fx.Node, list[fx.Node]] = {}
        for part, node in last_read.items():
            if part.name in self.depending and node.op != "output":
                behind.setdefault(node, []).append(part)
        return behind

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

    def _made_of_data(self, node: fx.Node) -> list[fx.Node]:
        """Return the inputs of a node whose value or shape depends on the data."""
        return [part for part in node.all_input_nodes if part.name in self.depending]

    def _inputs(self, node: fx.Node) -> list[fx.Node]:
        """Return the inputs of a node that depend on the data; some functions have a second one that tells a shape."""
        if tells_shape(called(node)):
            return []
        inputs = [part for part in node.all_input_nodes if part.name in self.named]
        return inputs[:1] if called(node) in LIKE else inputs

    def _read(self, node: fx.Node) -> None:
        """Add the stream at a node, or the reason why it cannot be read."""
        inputs = self._inputs(node)
        function = self._function(node)
        if function is not None:
            self._hold(node, function)
            return
        if isinstance(self.values[node], tuple | list) and node.op != "call_module":  # its parts are read
            if len(inputs) == 1:  # such as of chunk
                self.tuples[node] = inputs[0]
            return
        name = self.named[node.name]
        reason = NO_STREAM
        if self.constants.reads_changed(node):
            self.refused[node] = f"{name!r} (a function)", CHANGED
            return
        pieces = [self.pieces[part.name] for part in inputs if part.name in self.pieces]
        reads_data = any(piece.raw for piece in pieces) and self._weighs(node)
        inside = bool(pieces) and not reads_data and self._is_weightless(node)
        try:
            if not inside or self._ends(node):
                self._compute(node, inputs)
            if (scores := self._scores(node)) is not None:
                self.scores[node.name] = scores
                return
            if (stacked := self._averaged_stack(node, name)) is not None:
                self._hold(node, stacked)
                return
            if all(self._held(part) or part.name in self.scores for part in inputs):
                self._hold(node, self._stream(node, name, inputs))
                return
        except ValueError as error:
            reason = str(error)
        kind = type(self.graph.get_submodule(str(node.target))).__name__ if node.op == "call_module" else "a function"
        try:
            piece = self._piece(node)
        except ValueError as error:  # random numbers
            piece, reason = None, str(error) if reason == NO_STREAM else reason
        if piece is not None:
            self.pieces[node.name] = piece
            self.left[node] = f"{name!r} ({kind})", reason
        elif not any(part in self.refused or part in self.left for part in inputs) or not self.refused:
            self.refused[node] = f"{name!r} ({kind})", reason

    @staticmethod
    def _ends(node: fx.Node) -> bool:
        """Return whether a node makes the outputs, or joins a stream."""
        return node.target in SUMS or any(user.op == "output" for user in node.users)

    def _piece(self, node: fx.Node) -> Piece | None:
        """Return the steps by which a node is computed from independent streams, None if it is not."""
        between = piece_at(node, lambda part: self.read.get(part.name), self._inputs, self._is_weightless)
        if between is None or not isinstance(self.values[node], torch.Tensor):
            return None
        starts, steps = between
        others = {part for step in steps for part in step.all_input_nodes} - {*starts, *steps}
        constants = tuple({part: self.constants.argument(part, i) for part in others} for i in range(len(self.models)))
        modules = self.models if any(step.op == "call_module" for step in steps) else [self.graph] * len(self.models)
        return Piece(tuple(modules), tuple(starts), tuple(steps), tuple(self.read[x.name] for x in starts), constants)

    def _weighs(self, node: fx.Node) -> bool:
        """Return whether a node has weights."""
        if node.op == "call_module":
            return any(True for _ in self.graph.get_submodule(str(node.target)).parameters())
        return called(node) in MODULES

    def _is_weightless(self, node: fx.Node) -> bool:
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
            others = [part for part in node.all_input_nodes if part not in self._inputs(node)]
            of_models = [[self.constants.argument(part, i) for part in others] for i in range(len(self.models))]
        else:
            return True
        return all(_is_few(weights) for weights in zip(*of_models, strict=True))

    def _compute(self, node: fx.Node, inputs: list[fx.Node]) -> None:
        """Add the streams of inputs that are pieces, if the node tells on which axis they have their units."""
        for part in inputs:
            if part.name in self.pieces and (axis := self._axis_of_units(node, part)) is not None:
                name, value, piece = self.named[part.name], self.values[part], self.pieces.pop(part.name)
                try:
                    self._hold(part, computed(name, piece, value, axis))
                    self.left = {step: why for step, why in self.left.items() if step not in piece.steps}
                except ValueError:
                    first = next(step for step in piece.steps if step in self.left)  # why it has no layer
                    self.refused[first] = self.left[first]
                    raise

    def _axis_of_units(self, node: fx.Node, part: fx.Node) -> int | None:
        """Return the axis on which a node reads the units of one of its inputs, None if it does not tell."""
        joined = called(node) in CONCATENATIONS
        for other in self._inputs(node):
            stream, value = self.read.get(other.name), self.values[part]
            if stream and (
                self.values[other].ndim == value.ndim if joined else self.values[other].shape == value.shape
            ):
                return stream.entries.axis
        if joined:
            return None
        target = self._target(node, self.models[0], 0)
        return row_of(target).axis(target)

    def _held(self, node: fx.Node) -> Stream | None:
        """Return the stream of a node, or that of which a node of several tensors has parts."""
        return self.read.get(self.tuples.get(node, node).name)

    def _scores(self, node: fx.Node) -> Scores | None:
        """Return the scores of attention at a node, None if it holds none."""
        name = called(node)
        if node.op == "call_module":
            module = self.graph.get_submodule(str(node.target))
            name = type(module).__name__
        if name not in MATRIX_PRODUCTS and not any(part.name in self.scores for part in self._inputs(node)):
            return None
        given = [self.values[part] if isinstance(part, fx.Node) else part for part in node.args]
        after = tuple(self.values[node].shape)
        if name == "dropout":
            options = arguments(node.target, node.args, node.kwargs)
            name, given = "Dropout", [*given[:1], options.get("p", 0.5) if options.get("training", True) else 0.0]
        elif name == "Dropout":
            given.append(module.p if module.training else 0.0)
        return scores_of(node, name, lambda part: self.scores.get(part.name) or self.read.get(part.name), given, after)

    def _attended(self, node: fx.Node, name: str) -> Stream | None:
        """Return the stream behind attention, None if the node is none."""
        if called(node) in MATRIX_PRODUCTS:
            weights, values = (self.scores.get(part.name) or self.read.get(part.name) for part in node.args)
            if isinstance(weights, Scores) and weights.normalised and isinstance(values, Stream):
                return attention(name, weights, values)
            return None
        if called(node) != "scaled_dot_product_attention":
            return None
        given = arguments(node.target, node.args, node.kwargs)
        queries, keys, values = (self._held(given[part]) for part in ("query", "key", "value"))
        if not (queries and keys and values):
            return None
        # they may be nodes, such as arguments of the model like is_causal=False
        names = "scale", "is_causal", "attn_mask", "dropout_p"
        options = {option: self.constants.argument(given.get(option), 0) for option in names}
        factor = options["scale"] or queries.entries.numbers.shape[-1] ** -0.5
        causal, dropout = bool(options["is_causal"]), options["dropout_p"] or 0.0
        scores = scores_between(queries, keys, factor=factor, is_causal=causal, dropout=dropout)
        scores = scores if options["attn_mask"] is None else scores.plus(options["attn_mask"])
        return attention(name, scores, values)

    def _function(self, node: fx.Node) -> Stream | None:
        """Return the stream behind a node that computes a function of one value from several, None if it does not."""
        start, steps = self.of_one.get(node, (None, ()))
        stream = self.read.get(start.name) if start else None
        if start is None or stream is None:
            return None
        x, y = self.values[start], self.values[node]
        if not (isinstance(x, torch.Tensor) and isinstance(y, torch.Tensor)):
            return None
        others = {key: value for key, value in self.values.items() if not self._made_of_data(key)}
        function = FunctionOfOne(self.graph, start, steps, others)
        norm = None
        if not function.acts_on_numbers(x, y) and (norm := function.norm(x, y)) is None:
            return None
        for step in function.steps:  # a step alone may be no activation, such as zeros
            self.refused.pop(step, None)
        name = self.named[node.name]
        if norm is not None:
            stream = joins.arranged_at(name, stream, -1, grid=False)
            return stream.behind(name, [norm], stream.entries)
        self.functions[node.name] = function
        return stream.behind(name, [Activation(function)], stream.entries)

    def _stream(self, node: fx.Node, name: str, inputs: list[fx.Node]) -> Stream:
        """Return the stream at a node. ValueError: it cannot be read."""
        if (attended := self._attended(node, name)) is not None:
            return attended
        streams = [stream for part in inputs if (stream := self._held(part))]
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
        if self._weighs(node) or any(stream.path != streams[0].path for stream in streams[1:]):
            return None
        sources = [self.tuples.get(part, part) for part in inputs]
        if isinstance(self.values[sources[0]], tuple):  # the first part of a module such as attention
            return streams[0].entries if node.args[1:] == (0,) else None
        of_tuples = [part for part, source in zip(inputs, sources, strict=True) if part is not source]

        def move(numbers: list[torch.Tensor]) -> Any:
            return value_behind(
                self.graph, [*of_tuples, node], {**self.values, **dict(zip(sources, numbers, strict=True))}
            )

        return moved(move, [stream.entries for stream in streams], self.values[node])

    def _concatenated(self, node: fx.Node, name: str) -> Stream:
        """Return the stream of several values side by side, or of tokens behind class tokens."""
        values, axis = self._side_by_side(node)
        streams = [self._held(part) for part in values]
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
        stream, tensor = self._held(last), tuple(self.values[node].shape)
        if axis != 1 or len(tensor) != len(("data", "tokens", "units")) or not stream:
            return None
        if not fixed or any(self._held(part) for part in fixed):
            return None
        return joins.with_tokens(name, stream, [self.values[part] for part in fixed], tensor)

    def _averaged_stack(self, node: fx.Node, name: str) -> Stream | None:
        """Return the stream of the mean over an axis along which values were stacked, None if the node is none."""
        stack = node.args[0] if called(node) == "mean" else None
        if not isinstance(stack, fx.Node) or called(stack) != "stack":
            return None
        values, axis = self._side_by_side(stack)
        streams = [stream for part in values if (stream := self._held(part))]
        if reduced_by(node) != [axis] or len(streams) < len(values):
            return None
        total = streams[0]
        for other in streams[1:]:
            total = joins.added(name, total, other, tuple(self.values[node].shape), 1.0)
        return total.behind(name, [Activation(f"{1 / len(streams)} * x")], total.entries)

    def _behind(self, node: fx.Node, name: str, before: fx.Node, stream: Stream) -> Stream:
        """Return the stream behind a module or function of one value."""
        factor = next((x for x in node.all_input_nodes if x in self.random and x.name not in self.named), None)
        if factor is not None and node.target in PRODUCTS:
            layers = stochastic_depth(factor, lambda: self.constants.drawn_again(factor).clone())
            return stream.behind(name, layers, stream.entries)
        targets = [self._target(node, model, i) for i, model in enumerate(self.models)]
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
            tuple(self.constants.argument(part, 0) for part in node.args if part is not before),
            {key: self.constants.argument(part, 0) for key, part in node.kwargs.items() if part is not before},
            node.args.index(before) if before in node.args else 0,
            stream.entries,
            _datum(self.values[node]),
            stream.raw,
            [],
            [],
            self.usual,
        )
        added = row.layers(targets[0], site)
        for weight in modules[0].parameters() if modules else ():
            if weight.ndim > 1:
                add = self.weights.add_output if is_of_tokens(self.values[node]) else self.weights.add
                add(weight, name)
        value = self.values[node]
        if mixed and axis is not None:
            entries = stream.entries.mixed(axis, value.shape[axis])
        else:
            entries = entries_behind(stream.entries, added, tensor_of(value), axis, grid=row.grid)
        return extended(stream, name, added, site, entries)

    def _target(self, node: fx.Node, model: nn.Module, i: int) -> Any:
        """Return the module or the function of a node in a model, for operators with weights the equivalent module."""
        if node.op == "call_module":
            return part_of(model, str(node.target))
        if called(node) in MATRIX_PRODUCTS and node.args[0] not in self._inputs(node):
            raise ValueError("the theory has no products with a matrix from the left, which mix positions")
        args, named = fx.node.map_arg((node.args, node.kwargs), lambda part: self.constants.argument(part, i))
        return module_of(node.target, args, named) or functions_of(node.target)


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
    return not tensor.is_floating_point() and tensor.ndim > 0 and bool((tensor == tensor[:1]).all())


def _shape_alone(value: Any) -> Any:
    """Return zeros of the shape of a tensor that need no memory; vectors, which need little, and other values stay."""
    large = isinstance(value, torch.Tensor) and value.ndim > len(("data", "units"))
    return value.new_zeros(()).expand(value.shape) if large else value


def _datum(value: Any) -> tuple[int, ...]:
    tensor = tensor_of(value)
    return () if tensor is None else tuple(tensor.shape[1:])
