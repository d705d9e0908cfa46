"""Steps of a graph, computed from given values."""

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

from torch import fx


def value_behind(model: Any, steps: Sequence[fx.Node], values: Mapping[fx.Node, Any]) -> Any:
    """Return the value of the last of some steps of a graph, as `values_behind` computes it."""
    return values_behind(model, steps, values)[steps[-1]]


def values_behind(model: Any, steps: Sequence[fx.Node], values: Mapping[fx.Node, Any]) -> dict[fx.Node, Any]:
    """Return the values behind some steps of a graph, in order, given those of the nodes in front of them.

    model: has the modules and parameters that the steps name.
    """
    computed = dict(values)
    for step in steps:
        args, named = fx.node.map_arg((step.args, step.kwargs), computed.__getitem__)
        if step.op == "call_method":
            first, *rest = args
            computed[step] = getattr(first, step.target)(*rest, **named)
        elif step.op == "get_attr":
            computed[step] = part_of(model, str(step.target))
        else:
            function = step.target if step.op == "call_function" else part_of(model, str(step.target))
            computed[step] = function(*args, **named)
    return computed


def part_of(model: Any, name: str) -> Any:
    """Return the module, parameter or buffer of a model with this name."""
    return reduce(getattr, name.split("."), model) if name else model
