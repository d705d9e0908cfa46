"""A walk through the graph of a model that tells what every node holds: a stream of the theory, or a reason why not."""

from collections.abc import Sequence
from functools import reduce
from itertools import islice
from math import prod
from typing import Any, final

import torch
from torch import fx, nn
from torch.nn.modules.batchnorm import _BatchNorm

from igbtheory.layers.activation import Activation
from igbtheory.layers.chain import weighing
from igbtheory.layers.layer import Layer
from igbtheory.layers.positions import Gathered
from igbtheory.layers.spatial_pools import GlobalAvgPool
from igbtheory.layers.tokens import Embedding
from igbtheory.torch import joins
from igbtheory.torch.attention import MATRIX_PRODUCTS, Scores, attention, scores_between, scores_of
from igbtheory.torch.computed import Piece, computed, piece_at
from igbtheory.torch.entries import Entries, moved
from igbtheory.torch.functions import FunctionOfOne, function_of_one
from igbtheory.torch.initialisers import variance
from igbtheory.torch.left_out import RANDOM, stochastic_depth
from igbtheory.torch.operators import MODULES, arguments, called
from igbtheory.torch.path import Step, Stream
from igbtheory.torch.rows import PRODUCTS, SUMS, Site, functions_of, module_of, row_of
from igbtheory.torch.rows.site import Reads
from igbtheory.torch.tracing import has_part, part_of

CONCATENATIONS = {"cat", "concat", "concatenate"}
"""Functions that put values side by side."""
FEW = 16
"""Largest number of units that the weights of a step of a piece read: one of a depthwise convolution, or some heads."""
NO_STREAM = "reads values that have no stream of their own"
LIKE = {"expand_as", "view_as", "reshape_as", "type_as"}
"""Functions that give a value the shape or the type of another one."""


@final
class Reader:
    """Walks a graph from the data to the outputs.

    graph: of the model; models: drawn alike; values: of all nodes of the graph, at a few data; random: nodes that
    differ from pass to pass; usual: the initialiser of most layers. named: the user's names for the nodes that depend
    on the data. refused: nodes that cannot be read, in words, and the reasons.
    """

    def __init__(
        self,
        graph: fx.GraphModule,
        models: Sequence[nn.Module],
        values: dict[fx.Node, Any],
        random: set[fx.Node],
        usual: str,
    ) -> None:
        self.graph, self.models, self.values, self.random, self.usual = graph, models, values, random, usual
        self.read: dict[str, Stream] = {}
        self.named: dict[str, str] = {}
        self.depending: set[str] = set()  # the names of all nodes whose value or shape depends on the data
        self.tuples: dict[fx.Node, fx.Node] = {}  # nodes of several tensors, and their inputs
        self.scores: dict[str, Scores] = {}  # what nodes hold that are scores of attention
        self.functions: dict[str, FunctionOfOne] = {}  # that nodes are the last step of
        self.origins: joins.Origins = {}
        self.read_weights: list[tuple[str, torch.Tensor]] = []  # weights that were read before
        self.embedding: torch.Tensor | None = None  # the weights of an embedding of ids
        self.tied = ""  # the name of the outputs that have these weights, too
        self.refused: dict[fx.Node, tuple[str, str]] = {}
        self.pieces: dict[str, Piece] = {}  # nodes that are computed from streams, until a layer reads their units
        self.left: dict[fx.Node, tuple[str, str]] = {}  # such nodes in words, and why they have no stream of their own
        self.constants: list[dict[fx.Node, Any]] = [{} for _ in models]  # values that do not depend on the data

    def streams(self) -> dict[str, Stream]:
        """Return the streams at the nodes that can be read, by their names."""
        for node in self.graph.graph.nodes:
            if self._made_of_data(node) and tensor_of(self.values[node]) is not None:
                self.depending.add(node.name)
            if node.op == "placeholder" and not self.named:
                self.named[node.name] = "data"
                self.depending.add(node.name)
                self.read[node.name] = self._data(node)
            elif node.op != "output" and self._inputs(node) and not _is_alike(self.values[node]):
                self.named[node.name] = _name(node)
                self._read(node)
        return self.read

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
        if called(node).startswith("new_") or called(node).endswith("_like"):
            return []  # such as zeros of the same shape
        inputs = [part for part in node.all_input_nodes if part.name in self.named]
        return inputs[:1] if called(node) in LIKE else inputs

    def _read(self, node: fx.Node) -> None:
        """Add the stream at a node, or the reason why it cannot be read."""
        inputs = self._inputs(node)
        function = self._function(node)
        if function is not None:
            self.read[node.name] = function
            return
        if isinstance(self.values[node], tuple | list) and node.op != "call_module":  # its parts are read
            if len(inputs) == 1:  # such as of chunk
                self.tuples[node] = inputs[0]
            return
        name = self.named[node.name]
        reason = NO_STREAM
        inside = any(part.name in self.pieces for part in inputs) and self._is_weightless(node)
        try:
            if not inside or self._ends(node):
                self._compute(node, inputs)
            if (scores := self._scores(node)) is not None:
                self.scores[node.name] = scores
                return
            if all(self._held(part) or part.name in self.scores for part in inputs):
                self.read[node.name] = self._stream(node, name, inputs)
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
        constants = tuple({part: self._in_model(part, i) for part in others} for i in range(len(self.models)))
        modules = self.models if any(step.op == "call_module" for step in steps) else [self.graph] * len(self.models)
        return Piece(tuple(modules), tuple(starts), tuple(steps), tuple(self.read[x.name] for x in starts), constants)

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
            of_models = [[self._in_model(part, i) for part in others] for i in range(len(self.models))]
        else:
            return True
        return all(_is_few(weights) for weights in zip(*of_models, strict=True))

    def _compute(self, node: fx.Node, inputs: list[fx.Node]) -> None:
        """Add the streams of inputs that are pieces, if the node tells on which axis they have their units."""
        for part in inputs:
            if part.name in self.pieces and (axis := self._axis_of_units(node, part)) is not None:
                name, value, piece = self.named[part.name], self.values[part], self.pieces.pop(part.name)
                try:
                    self.read[part.name] = computed(name, piece, value, axis)
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
            idle = isinstance(module, nn.Dropout) and not (module.training and module.p)
            name = "Identity" if idle else type(module).__name__
        if name not in MATRIX_PRODUCTS and not any(part.name in self.scores for part in self._inputs(node)):
            return None
        given = [self.values[part] if isinstance(part, fx.Node) else part for part in node.args]
        after = tuple(self.values[node].shape)
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
        factor = given.get("scale") or queries.entries.numbers.shape[-1] ** -0.5
        scores = scores_between(queries, keys, factor=factor, is_causal=bool(given.get("is_causal")))
        mask = self._in_model(given.get("attn_mask"), 0)
        scores = scores if mask is None else scores.plus(mask)
        return attention(name, scores, values)

    def _function(self, node: fx.Node) -> Stream | None:
        """Return the stream behind a node that computes a function of one value from several, None if it does not."""
        made_of = self._made_of_data(node)
        if len(made_of) == 1 and node.args.count(made_of[0]) < 2:
            return None
        function = function_of_one(self.graph, node, self._made_of_data, self.values)
        start = self.read.get(function.start.name) if function else None
        if function is None or start is None:
            return None
        x, y = self.values[function.start], self.values[node]
        if not (isinstance(x, torch.Tensor) and isinstance(y, torch.Tensor)):
            return None
        norm = None
        if not function.acts_on_numbers(x, y) and (norm := function.norm(x, y)) is None:
            return None
        for step in function.steps:  # a step alone may be no activation, such as zeros
            self.refused.pop(step, None)
        name = self.named[node.name]
        if norm is not None:
            start = joins.arranged_at(name, start, -1, grid=False)
            return start.behind(name, [norm], start.entries)
        self.functions[node.name] = function
        return start.behind(name, [Activation(function)], start.entries)

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
            stream = Stream(streams[0].path, there, streams[0].channels)
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
            return self._averaged(node, name, streams[0])
        return self._behind(node, name, inputs[0], streams[0])

    def _moved(self, node: fx.Node, inputs: list[fx.Node], streams: list[Stream]) -> Entries | None:
        """Return the entries at a node that only moves numbers of one node of the theory, else None."""
        weighs = called(node) in MODULES
        if node.op == "call_module":
            weighs = any(True for _ in self.graph.get_submodule(str(node.target)).parameters())
        if weighs or any(stream.path != streams[0].path for stream in streams[1:]):
            return None
        sources = [self.tuples.get(part, part) for part in inputs]
        if isinstance(self.values[sources[0]], tuple):  # the first part of a module such as attention
            return streams[0].entries if node.args[1:] == (0,) else None
        run = fx.Interpreter(self.graph, garbage_collect_values=False)

        def move(numbers: list[torch.Tensor]) -> Any:
            run.env = {**self.values, **dict(zip(sources, numbers, strict=True))}
            for part, source in zip(inputs, sources, strict=True):
                if part is not source:
                    run.env[part] = run.run_node(part)
            return run.run_node(node)

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

    def _embedded(self, name: str, modules: Sequence[Any], stream: Stream) -> Stream:
        """Return the stream of a vector for each id of a token. modules: the embedding in every model."""
        if stream.path:
            raise ValueError("the theory has embeddings of ids that are the data")
        weights = [module.weight.detach() for module in modules]
        padding = modules[0].padding_idx
        drawn = [weight if padding is None else weight[torch.arange(len(weight)) != padding] for weight in weights]
        read = variance(drawn, weights[0].shape[1], len(weights[0]), self.usual)
        self._refuse_shared(modules[0].weight, name)
        self.embedding = modules[0].weight
        units, before = weights[0].shape[1], stream.entries
        numbers = 1 + (before.numbers[..., None] - 1) * units + torch.arange(units)
        step = Step(name, Embedding(read.value, padding), (read,), (1,))
        embedded = Stream((step,), Entries(numbers, before.shape, units), units)
        if not isinstance(modules[0], nn.EmbeddingBag):
            return embedded
        if modules[0].mode == "max" or padding is not None:
            raise ValueError(
                "the theory has bags that are means or sums of all words; take an Embedding, and join them"
            )
        factor = before.positions if modules[0].mode == "sum" else 1
        return embedded.behind(
            name,
            [GlobalAvgPool(), Activation(f"{factor}*x")][: 1 + (factor > 1)],
            Entries.laid_out((len(before.numbers), units), 1, ()),
        )

    def _averaged(self, node: fx.Node, name: str, stream: Stream) -> Stream:
        """Return the stream of averages over positions."""
        value, entries = self.values[node], stream.entries
        dims = node.kwargs.get("dim", node.args[1] if node.args[1:] else None)
        reduced = [*dims] if isinstance(dims, tuple | list) else [dims]
        if None in reduced:
            raise ValueError("the theory has means over all positions, got one over all axes")
        axes = sorted(dim % entries.numbers.ndim for dim in reduced)
        rows = entries.numbers.movedim(axes, list(range(-len(axes), 0))).flatten(-len(axes))
        inside = Entries(rows, entries.shape, entries.units)
        some = inside.positions_of_one_unit(-1)
        if some is None or 0 in axes:
            raise ValueError(f"the theory has means over positions, got one over the axes {dims}")
        front = [] if len(some) == entries.positions else [Gathered(tuple((p,) for p in some), (len(some),))]
        first = Entries(rows[..., 0].reshape(value.shape), entries.shape, entries.units)
        numbers = 1 + first.datum * entries.units + first.unit
        return stream.behind(name, [*front, GlobalAvgPool()], Entries(numbers, (), entries.units))

    def _behind(self, node: fx.Node, name: str, before: fx.Node, stream: Stream) -> Stream:
        """Return the stream behind a module or function of one value."""
        factor = next((x for x in node.all_input_nodes if x in self.random and x.name not in self.named), None)
        if factor is not None and node.target in PRODUCTS:
            layers = stochastic_depth(factor, lambda: self._drawn_again(factor))
            return stream.behind(name, layers, stream.entries)
        targets = [self._target(node, model, i) for i, model in enumerate(self.models)]
        modules = [target for target in targets if isinstance(target, nn.Module)]
        if modules and isinstance(modules[0], nn.Embedding | nn.EmbeddingBag):
            return self._embedded(name, modules, stream)
        row = row_of(targets[0])
        axis = row.axis(targets[0])
        mixes = axis is not None and _mixes(row, axis, stream.entries)
        if mixes:
            stream = joins.in_a_row(name, stream)
        elif axis is not None:
            stream = joins.arranged_at(name, stream, axis, grid=row.grid)
        site = Site(
            modules,
            tuple(self._in_model(part, 0) for part in node.args if part is not before),
            {key: self._in_model(part, 0) for key, part in node.kwargs.items() if part is not before},
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
            if self._ties(weight, node):
                self.tied = name
            elif weight.ndim > 1:
                self._refuse_shared(weight, name)
        value = self.values[node]
        if mixes and axis is not None:
            entries = stream.entries.mixed(axis, value.shape[axis])
        else:
            entries = _entries_behind(stream.entries, added, tensor_of(value), axis, grid=row.grid)
        return _extended(stream, name, added, site, entries)

    def _target(self, node: fx.Node, model: nn.Module, i: int) -> Any:
        """Return the module or the function of a node in a model, for operators with weights the equivalent module."""
        if node.op == "call_module":
            return part_of(model, str(node.target))
        if called(node) in MATRIX_PRODUCTS and node.args[0] not in self._inputs(node):
            raise ValueError("the theory has no products with a matrix from the left, which mix positions")
        args, named = fx.node.map_arg((node.args, node.kwargs), lambda part: self._in_model(part, i))
        return module_of(node.target, args, named) or functions_of(node.target)

    def _in_model(self, part: Any, i: int) -> Any:
        """Return an argument in a model: what does not depend on the data is computed there."""
        if not isinstance(part, fx.Node):
            return fx.node.map_arg(part, lambda inner: self._in_model(inner, i))
        if part.name in self.named:
            return self.values[part]
        if part in self.random:
            raise ValueError(RANDOM)
        if part not in self.constants[i]:
            if part.op == "get_attr" and has_part(self.models[i], str(part.target)):
                self.constants[i][part] = part_of(self.models[i], str(part.target))
            elif tensor_of(self.values[part]) is None or part.op == "placeholder":
                self.constants[i][part] = self.values[part]
            else:
                inputs = {x: self._in_model(x, i) for x in part.all_input_nodes}
                self.constants[i][part] = self._computed(part, {**self.values, **inputs})
        return self.constants[i][part]

    def _drawn_again(self, part: fx.Node) -> Any:
        """Return the value of a random node in another pass."""
        inputs = part.all_input_nodes
        return self._computed(
            part, {x: self._drawn_again(x) if x in self.random else self._in_model(x, 0) for x in inputs}
        )

    def _computed(self, node: fx.Node, values: dict[fx.Node, Any]) -> Any:
        """Return the value of a node, given those of others."""
        run = fx.Interpreter(self.graph, garbage_collect_values=False)
        run.env = values
        return run.run_node(node)

    def _ties(self, weight: torch.Tensor, node: fx.Node) -> bool:
        """Return whether outputs for every token have the weights of the embedding of ids."""
        for_tokens = self.values[node].ndim == len(("data", "tokens", "outputs"))
        return for_tokens and self.embedding is not None and torch.equal(self.embedding, weight)

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


def _datum(value: Any) -> tuple[int, ...]:
    tensor = tensor_of(value)
    return () if tensor is None else tuple(tensor.shape[1:])


def _mixes(row: Reads, axis: int, entries: Entries) -> bool:
    """Return whether a layer that may do so reads all tokens of one unit, and does so for each unit."""
    several = entries.numbers.ndim > len(("data", "units")) and bool(entries.shape)
    return row.mixes and several and entries.of_one_unit(axis)


def _entries_behind(before: Entries, added: Sequence[Layer], value: Any, axis: int | None, *, grid: bool) -> Entries:
    """Return the entries of a tensor behind layers that read units along an axis."""
    tensor = tuple(value.shape)
    axis = before.axis if axis is None else axis % len(tensor)
    shape = reduce(lambda shape, layer: layer.positions(shape), added, before.shape)
    if tensor == tuple(before.numbers.shape) and shape == before.shape and not any(layer.weighs for layer in added):
        return before
    others = [length for i, length in enumerate(tensor) if i != axis]
    if not grid and others == [length for i, length in enumerate(before.numbers.shape) if i != axis]:
        return before.renewed(axis, tensor[axis])
    return Entries.laid_out(tensor, axis, shape)


def _extended(stream: Stream, name: str, added: list[Layer], site: Site, entries: Entries) -> Stream:
    """Return the stream behind the layers of a row, with the variances and channels that were read."""
    read = iter(site.channels or [stream.channels] * len([*weighing(added)]))
    steps = [
        Step(
            name,
            layer,
            tuple(site.read) if hasattr(layer, "sigma_w2") else (),
            tuple(islice(read, len([*weighing([layer])]))),
        )
        for layer in added
    ]
    behind = stream.behind(name, added, entries)
    channels = entries.units if any(layer.weighs for layer in added) else behind.channels
    return Stream((*stream.path, *steps), entries, channels)


def tensor_of(value: Any) -> torch.Tensor | None:
    """Return a tensor, or the first part of a tuple if it is one, as of attention, which also returns its weights."""
    value = value[0] if isinstance(value, tuple | list) and value else value
    return value if isinstance(value, torch.Tensor) else None
