"""Results as trees of plain values, for saving them as JSON and for comparing them.

The nodes of a tree are dictionaries with texts as keys, lists, NumPy arrays of numbers, texts, finite numbers, booleans
and None. An object of the package becomes a dictionary with the name of its class and its fields. Reading a tree
creates such objects and runs nothing else.
"""

import json
import math
from dataclasses import fields, is_dataclass
from fractions import Fraction
from importlib import import_module
from typing import Any

import numpy as np

PACKAGE = __package__
MAKERS = {
    "igbtheory.certificate.result:layers_of_ends",
    "igbtheory.derivation:derive",
    "igbtheory.numbers.certified:Certified",
    "igbtheory.numbers.multiprecision:Multiprecision",
    "igbtheory.prediction:PerLayer",
    "igbtheory.prediction:per_layer_of_texts",
}
"""Functions that a tree may name to recreate a value: those that a `__reduce__` in the package returns."""
CONSTANTS = {"igbtheory.numbers.float64:FLOAT64"}
"""Constants that a tree may name."""
FORMATS = "fiub"
"""Kinds of NumPy arrays that stay arrays in a tree."""


def tree_of(value: Any) -> Any:
    """Return the tree of a value; objects that belong neither to this package nor to SymPy stay in it as they are."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(value)}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.ndarray):
        return value if value.dtype.kind in FORMATS else {"objects": tree_of(value.tolist())}
    if isinstance(value, list):
        return [tree_of(item) for item in value]
    if isinstance(value, tuple):
        return {"tuple": [tree_of(item) for item in value]}
    if isinstance(value, dict):
        return {"items": [[tree_of(key), tree_of(item)] for key, item in value.items()]}
    if isinstance(value, Fraction):
        return {"fraction": str(value)}
    return _tree_of_object(value)


def _tree_of_object(value: Any) -> Any:
    """Return the tree of an object: the call that recreates it, or its class and its fields."""
    kind = type(value)
    if hasattr(value, "free_symbols") and hasattr(value, "args"):
        return _tree_of_expression(value)
    made = value.__reduce__() if "__reduce__" in vars(kind) else None
    if isinstance(made, str):
        return {"constant": f"{kind.__module__}:{made}"}
    if made is not None:
        return {"make": _name(made[0]), "of": [tree_of(part) for part in made[1]]}
    if kind.__module__.partition(".")[0] != PACKAGE or not (is_dataclass(kind) or not vars(value)):
        return value
    state = {field.name: tree_of(getattr(value, field.name)) for field in fields(kind)} if is_dataclass(kind) else {}
    return {"type": _name(kind), "fields": state}


def _tree_of_expression(value: Any) -> Any:
    """Return the tree of a SymPy expression."""
    if value.is_Rational:
        return {"make": "sympy.core.numbers:Rational", "of": [int(value.p), int(value.q)]}
    if value.is_Symbol:
        return {"make": "sympy.core.symbol:Symbol", "of": [value.name], "assumed": dict(value.assumptions0)}
    return {"make": _name(value.func), "of": [tree_of(part) for part in value.args]}


def value_of(tree: Any) -> Any:
    """Return the value of a tree. ValueError: the tree names a function or class that it must not name."""
    if isinstance(tree, list):
        return [value_of(item) for item in tree]
    match tree:
        case {"tuple": items}:
            return tuple(value_of(items))
        case {"items": pairs}:
            return {value_of(key): value_of(item) for key, item in pairs}
        case {"fraction": text}:
            return Fraction(text)
        case {"objects": items}:
            return np.array(value_of(items), dtype=object)
        case {"array": items, "dtype": dtype, "shape": shape}:
            return np.array([value_of(item) for item in items], dtype=np.dtype(dtype)).reshape(shape)
        case {"float": text}:
            return float(text)
        case {"constant": name}:
            return _named(name, allowed=name in CONSTANTS)
        case {"make": name, "of": parts}:
            return _made(name, value_of(parts), tree.get("assumed", {}))
        case {"type": name, "fields": state}:
            return _object(name, state)
    return tree


def _object(name: str, state: dict[str, Any]) -> Any:
    """Return an object of a class of the package with these fields, which `__post_init__` checks if there is one."""
    kind = _named(name, allowed=name.startswith(f"{PACKAGE}."))
    expected = {field.name for field in fields(kind)} if is_dataclass(kind) else set()
    if not isinstance(kind, type) or _name(kind) != name or expected != set(state):
        raise ValueError(f"expected the fields of {name}, got {', '.join(state)}; compute the result again")
    made: Any = object.__new__(kind)
    for field, value in state.items():
        object.__setattr__(made, field, value_of(value))
    if hasattr(made, "__post_init__"):
        made.__post_init__()
    return made


def _name(what: Any) -> str:
    return f"{what.__module__}:{what.__qualname__}"


def _made(name: str, parts: list[Any], assumed: dict[str, Any]) -> Any:
    """Return the result of one of MAKERS, or a SymPy expression; its parts must not be texts, which SymPy would run."""
    if not name.startswith("sympy."):
        return _named(name, allowed=name in MAKERS)(*parts)
    from sympy import Basic, Symbol  # noqa: PLC0415 - only formulas need it

    found = _named(name, allowed=True)
    safe = isinstance(found, type) and issubclass(found, Basic)
    if found is Symbol:
        return Symbol(*map(str, parts), **assumed)
    return _named(name, allowed=safe and all(isinstance(part, int | Basic) for part in parts))(*parts)


def _named(name: str, *, allowed: bool) -> Any:
    """Return the object that a name such as "igbtheory.inputs:GaussianInputs" refers to. ValueError: not allowed."""
    module, _, own = name.partition(":")
    # importing igbtheory.__main__ would run the command line
    inside = allowed and own.isidentifier() and "__" not in module
    found = getattr(import_module(module), own, None) if inside else None
    if found is None:
        raise ValueError(f"expected a part of {PACKAGE}, got {name!r:.80}; the text is no result that to_json() wrote")
    return found


def same(a: Any, b: Any) -> bool:
    """Return whether two trees are equal; NaN equals NaN."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(item, b[key]) for key, item in a.items())
    return type(a) is type(b) and bool(a == b)


def json_of(tree: Any) -> str:
    """Return a tree as JSON with exact numbers. TypeError: it contains an object from outside the package."""
    return json.dumps(tree, default=_array, allow_nan=False, ensure_ascii=False)


def _array(value: Any) -> dict[str, Any]:
    """Return an array of a tree as a dictionary."""
    if isinstance(value, np.ndarray):
        return {"array": tree_of(value.ravel().tolist()), "dtype": str(value.dtype), "shape": list(value.shape)}
    raise TypeError(f"expected a result of parts of {PACKAGE}, got one with {value!r:.80}; save it with pickle instead")
