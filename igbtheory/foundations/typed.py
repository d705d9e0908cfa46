"""Whether values have the types with which the fields of a class, or the parameters of a function, are annotated."""

import builtins
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

PACKAGE = __name__.partition(".")[0]


def refuse_other_types(what: Any, values: Mapping[str, Any]) -> None:
    """Refuse values by name that have not the types of the fields of a class or of the parameters of a function."""
    for name, hint in _hints(what).items():
        if name in values and not has_type(values[name], hint):
            raise ValueError(
                f"expected {name} of {what.__qualname__} to be of the type {getattr(hint, '__name__', hint)}, got "
                f"{values[name]!r:.60}; the text is no result that to_json() wrote"
            )


def by_names(function: Any, arguments: Sequence[Any]) -> dict[str, Any]:
    """Return arguments by the names of their parameters. TypeError: there are too many, or too few."""
    return dict(inspect.signature(function).bind(*arguments).arguments)


def has_type(value: Any, hint: Any) -> bool:
    """Return whether a value has the annotated type, as far as it tells.

    A number may be a symbol, and protocols and type variables allow any value.
    """
    kind, inner = get_origin(hint) or hint, get_args(hint)
    if hasattr(kind, "__value__"):  # a name for a type, as NDArray is from NumPy 2.5 on
        return has_type(value, kind.__value__)
    if kind is Any:
        return True
    if kind in {Union, UnionType}:
        return any(has_type(value, one) for one in inner)
    if kind is Literal:
        return any(type(value) is type(one) and value == one for one in inner)
    if kind in {None, NoneType}:
        return value is None
    if kind in {int, float}:
        number = isinstance(value, int if kind is int else int | float) and not isinstance(value, bool)
        return number or hasattr(value, "free_symbols")
    if kind is np.ndarray:
        return isinstance(value, np.ndarray) and (value.dtype != object or all(map(_is_number, value.ravel().tolist())))
    if kind in {tuple, list, Sequence}:
        return _is_sequence(value, kind, inner)
    if kind in {dict, Mapping}:
        return isinstance(value, dict) and (not inner or all(has_type(one, inner[1]) for one in value.values()))
    if kind is Callable:
        return callable(value)
    unchecked = isinstance(kind, TypeVar) or getattr(kind, "_is_protocol", False)
    return unchecked or not isinstance(kind, type) or isinstance(value, kind)


def _is_number(value: Any) -> bool:
    """Return whether a value may be a number, such as one of mpmath."""
    return not isinstance(value, str | dict | list | tuple | NoneType)


def _is_sequence(value: Any, kind: Any, inner: tuple[Any, ...]) -> bool:
    """Return whether a value is a tuple, a list or any sequence, and its entries have the types inside of the hint."""
    if not isinstance(value, list | tuple if kind is Sequence else kind):
        return False
    if kind is not tuple or inner[1:] == (...,):
        return not inner or all(has_type(one, inner[0]) for one in value)
    return not inner or (len(value) == len(inner) and all(map(has_type, value, inner)))


class _NotLoaded:
    """A class whose module is not loaded, so that there are no values of it."""


class _Names(dict[str, Any]):
    """Names in annotations that a module imports for them alone: they are classes of other modules of the package."""

    def __init__(self, module: Mapping[str, Any]) -> None:
        self.module = module

    def __missing__(self, name: str) -> Any:
        if name in self.module or hasattr(builtins, name):
            raise KeyError(name)
        modules = [module for path, module in [*sys.modules.items()] if path.partition(".")[0] == PACKAGE]
        named = (vars(module).get(name) for module in modules)
        return next((one for one in named if isinstance(one, type)), _NotLoaded)


def _hints(what: Any) -> dict[str, Any]:
    """Return the annotated types by the names of fields or of parameters, as far as they are loaded now."""
    return get_type_hints(what, localns=_Names(vars(sys.modules[what.__module__])))
