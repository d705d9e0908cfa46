"""Scores of attention in models: products of queries and keys that are scaled, masked and normalised in steps."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, final

import torch
from torch import fx

from igbtheory.torch.dataflow import Dataflow
from igbtheory.torch.operators import arguments, called
from igbtheory.torch.path import Stream
from igbtheory.torch.rows import PRODUCTS, SUMS

MATRIX_PRODUCTS = {"matmul", "__matmul__", "bmm"}
QUOTIENTS = {"div", "div_", "truediv", "true_divide", "__truediv__"}


@final
@dataclass(frozen=True, eq=False)
class Scores:
    """Products of queries and keys, (..., tokens, tokens), times a factor, perhaps behind a softmax.

    added: what is added to them; shape: theirs, as the model sees them. is_causal: whether a token sees none behind it.
    dropout: the probability that one is dropped behind the softmax.
    """

    queries: Stream
    keys: Stream
    added: torch.Tensor
    shape: tuple[int, ...]
    factor: float = 1.0
    is_causal: bool = False
    normalised: bool = False
    dropout: float = 0.0

    def plus(self, other: torch.Tensor) -> "Scores":
        """Return the scores with numbers that are added, or with False where a token does not see another one."""
        numbers = other if other.is_floating_point() else torch.zeros(other.shape).masked_fill(~other, -torch.inf)
        return replace(self, added=self.added + numbers.expand(self.shape).reshape(self.added.shape))


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
    return Scores(queries, keys, torch.zeros(shape), shape, **named)


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
    """Return the scores behind a step that reads others. of_arguments: what each argument of the step holds."""
    module = flow.graph.get_submodule(str(node.target)) if node.op == "call_module" else None
    name = called(node) or type(module).__name__
    given = [flow.values[part] if isinstance(part, fx.Node) else part for part in _arguments(node)]
    if any(
        held is None and part in flow.inputs(node) for part, held in zip(_arguments(node), of_arguments, strict=True)
    ):
        raise ValueError(OF_DATUM)
    other = next((value for part, value in zip(of_arguments, given, strict=True) if part is None), None)
    if name in {"dropout", "Dropout"} and scores.normalised:
        return replace(scores, dropout=_probability(node, module))
    if name in QUOTIENTS or node.target in PRODUCTS:
        number = float(torch.as_tensor(other))
        return replace(scores, factor=scores.factor / number if name in QUOTIENTS else scores.factor * number)
    if node.target in SUMS and not scores.normalised and isinstance(other, torch.Tensor):
        return scores.plus(other)
    if name == "masked_fill":
        _, hidden, number = given
        return scores.plus(torch.zeros(hidden.shape).masked_fill(hidden, number))
    if name in {"view", "reshape", "unflatten", "flatten"}:
        return replace(scores, shape=tuple(flow.values[node].shape))
    if name in {"softmax", "Softmax"}:
        return replace(scores, normalised=True)
    if name in {"float", "to", "type_as", "clone", "contiguous", "Identity"}:
        return scores
    raise ValueError(f"the theory has scores of attention that are scaled, masked and normalised, got {name} of them")


def _probability(node: fx.Node, module: Any) -> float:
    """Return the probability with which a step drops a score."""
    if module is not None:
        return float(module.p) if module.training else 0.0
    options = arguments(node.target, node.args, node.kwargs)
    return float(options.get("p", 0.5)) if options.get("training", True) else 0.0
