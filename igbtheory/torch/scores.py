"""Scores of attention in models: products of queries and keys that are scaled, masked and normalised in steps."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, final

import torch
from torch import fx

from igbtheory.torch.dataflow import Dataflow
from igbtheory.torch.operators import arguments, called
from igbtheory.torch.path import Stream
from igbtheory.torch.rows import PRODUCTS, SUMS
from igbtheory.torch.rows.attention import HIDDEN

MATRIX_PRODUCTS = {"matmul", "__matmul__", "bmm"}
QUOTIENTS = {"div", "div_", "truediv", "true_divide", "__truediv__"}


@final
@dataclass(frozen=True, eq=False)
class Scores:
    """Products of queries and keys, (..., tokens, tokens), times a factor, perhaps behind a softmax.

    added: what is added to them, in every model; shape: theirs, as the model sees them. is_causal: whether a token sees
    none behind it. dropout: the probability that one is dropped behind the softmax.
    """

    queries: Stream
    keys: Stream
    added: torch.Tensor
    shape: tuple[int, ...]
    factor: float = 1.0
    is_causal: bool = False
    normalised: bool = False
    dropout: float = 0.0

    def plus(self, others: Sequence[torch.Tensor]) -> "Scores":
        """Return the scores with numbers of every model that are added, or False where a token sees another one not."""
        numbers = [
            torch.zeros(other.shape).masked_fill(~other, -torch.inf) if other.dtype is torch.bool else other
            for other in others
        ]
        each = torch.stack([x.expand(self.shape).reshape(self.added.shape[1:]) for x in numbers])
        return replace(self, added=self.added + each)

    def times(self, number: float) -> "Scores":
        """Return the scores times a positive number, which leaves what is hidden hidden."""
        hidden = self.added < HIDDEN
        return replace(self, factor=self.factor * number, added=torch.where(hidden, self.added, self.added * number))


OF_DATUM = "the theory has masks of attention that are the same for all data, got one of each datum, as of the padding"
"""What is said of a mask that depends on the data."""
Held = Callable[[fx.Node], Stream | Scores | None]
"""A function that returns what a node holds, None if it could not be read."""


def held_by_arguments(node: fx.Node, held: Held) -> list[Stream | Scores | None]:
    """Return what each argument of a step holds."""
    return [held(part) if isinstance(part, fx.Node) else None for part in _arguments(node)]


def _arguments(node: fx.Node) -> tuple[Any, ...]:
    return *node.args, *node.kwargs.values()


def scores_between(queries: Stream, keys: Stream, **named: Any) -> Scores:
    """Return the scores of these queries and keys, to which nothing is added yet."""
    shape = (*queries.entries.numbers.shape[:-1], keys.entries.numbers.shape[-2])
    return Scores(queries, keys, torch.zeros(1, *shape), shape, **named)


def scores_at(flow: Dataflow, node: fx.Node, held: Held) -> Scores | None:
    """Return the scores at a node, None if it holds none. ValueError: the theory has no such scores."""
    of_arguments = held_by_arguments(node, held)
    if called(node) in MATRIX_PRODUCTS:
        queries, keys = of_arguments
        if not (isinstance(queries, Stream) and isinstance(keys, Stream)):
            return None
        transposed = replace(keys.entries, numbers=keys.entries.numbers.transpose(-1, -2))
        return scores_between(queries, replace(keys, entries=transposed))
    scores = next((part for part in of_arguments if isinstance(part, Scores)), None)
    return None if scores is None else _behind(flow, node, scores, of_arguments)


def _behind(flow: Dataflow, node: fx.Node, scores: Scores, of_arguments: list[Any]) -> Scores:
    """Return the scores behind a step that reads others. of_arguments: what each argument of the step holds.

    ValueError: the step is none of attention, such as a factor behind the softmax; it may be drawn.
    """
    module = flow.graph.get_submodule(str(node.target)) if node.op == "call_module" else None
    name = called(node) or type(module).__name__
    given = _arguments(node)
    if any(held is None and part in flow.inputs(node) for part, held in zip(given, of_arguments, strict=True)):
        raise ValueError(OF_DATUM)
    if name in {"view", "reshape", "unflatten", "flatten"}:
        return replace(scores, shape=tuple(flow.values[node].shape))
    if name in {"float", "to", "type_as", "clone", "contiguous", "Identity"}:
        return scores
    if name in {"dropout", "Dropout"} and scores.normalised:
        return replace(scores, dropout=_probability(node, module))
    if name in {"softmax", "Softmax"} and _axis(node, module) in {-1, len(scores.shape) - 1}:
        return replace(scores, normalised=True)
    models = range(len(flow.models))
    others = [
        [flow.constants.argument(part, i, node) for i in models]
        for part, held in zip(given, of_arguments, strict=True)
        if held is None
    ]
    first = of_arguments[0] is scores
    if scores.normalised or not others:
        pass
    elif node.target in SUMS and (first or SUMS[node.target] > 0) and isinstance(others[0][0], torch.Tensor):
        return scores.plus([SUMS[node.target] * x for x in others[0]])
    elif name == "masked_fill" and all(float(number) < HIDDEN for number in others[1]):
        return scores.plus([~hidden for hidden in others[0]])
    elif (name in QUOTIENTS and first) or node.target in PRODUCTS:
        numbers = {float(number) for number in others[0] if torch.as_tensor(number).numel() == 1}
        if len(numbers) == 1 and (number := numbers.pop()) > 0:
            return scores.times(1 / number if name in QUOTIENTS else number)
    raise ValueError(f"the theory has scores of attention that are scaled, masked and normalised, got {name} of them")


def _axis(node: fx.Node, module: Any) -> int | None:
    """Return the axis over which a softmax normalises, None if it does not tell."""
    axis = arguments(node.target, node.args, node.kwargs).get("dim") if module is None else module.dim
    return None if axis is None else int(axis)


def _probability(node: fx.Node, module: Any) -> float:
    """Return the probability with which a step drops a score."""
    if module is not None:
        return float(module.p) if module.training else 0.0
    options = arguments(node.target, node.args, node.kwargs)
    return float(options.get("p", 0.5)) if options.get("training", True) else 0.0
