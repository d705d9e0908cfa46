"""Results as trees of plain values, for saving them as JSON and for comparing them.

The nodes of a tree are dictionaries with texts as keys, lists, NumPy arrays of numbers, texts, finite numbers, booleans
and None. An object of the package becomes a dictionary with the name of its class and its fields. Reading a tree
creates such objects and runs nothing else.
"""

import json
import math
import re
import sys
from dataclasses import MISSING, fields, is_dataclass
from fractions import Fraction
from functools import cache
from importlib import import_module
from typing import Any, TypeVar

import numpy as np

from igbtheory.foundations.typed import by_names, refuse_other_types

PACKAGE = "igbtheory"
Made = TypeVar("Made")

MAKERS: set[Any] = set()
"""What a tree may call to recreate a value: the functions and classes that are marked as `maker`."""
CITIZENS: dict[str, type] = {}
"""Classes of users that a tree may name: those of `igb.register`."""
FORMATS = "fiub"
"""Kinds of NumPy arrays that stay arrays in a tree."""
SYMPY = {
    "sympy.core.add:Add",
    "sympy.core.mul:Mul",
    "sympy.core.numbers:Exp1",
    "sympy.core.numbers:Pi",
    "sympy.core.numbers:Rational",
    "sympy.core.power:Pow",
    "sympy.core.symbol:Symbol",
}
"""Classes of SymPy that a tree may contain, of which the parameters of networks are made."""
MOST_BITS = 2000
"""Largest number of bits of a number in a formula that is read, and of one that a SymPy expression may expand to: those
of a float have 1,100 at most, and longer ones fill the memory when they are raised to a power."""
MOST_LEVELS = 150
"""Largest depth of brackets in a text that is read: a residual block adds four levels, and ten blocks within one
another have 54. 150 levels need some 450 of the 1,000 calls that Python nests by default."""
FRACTION = re.compile(r"-?\d{1,4300}(/\d{1,4300})?", re.ASCII)
"""Pattern of a fraction, with as many digits as Python reads of a whole number."""
BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*"|([\[{])|([\]}])')
"""Pattern of the texts and brackets of JSON; opening brackets are its first group, and closing ones its second."""
OWN = re.compile(rf"{PACKAGE}(\.[a-z]\w*)*:[A-Za-z_]\w*", re.ASCII)
"""Pattern of the names of the package's classes; importing igbtheory.__main__ would run the command line."""


def maker(function: Made) -> Made:
    """Mark a function or class that a `__reduce__` in the package returns, so that trees may call it; return it."""
    MAKERS.add(function)
    return function


def tree_of(value: Any) -> Any:
    """Return the tree of a value; objects that belong neither to this package nor to SYMPY stay in it as they are."""
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
        return {"constant": _public(kind.__module__, made, value)}
    if made is not None:
        return {"make": _name(made[0]), "of": [tree_of(part) for part in made[1]]}
    citizen = CITIZENS.get(kind.__name__) is kind
    if not (citizen or _is_own(kind)) or not (is_dataclass(kind) or not vars(value)):
        return value
    held = ((field, getattr(value, field.name)) for field in (fields(kind) if is_dataclass(kind) else ()))
    # a field that holds its default is left out, as in a text that is older than the field; equal numbers may be two
    kept = ((field.name, part) for field, part in held if part is not field.default or isinstance(part, (float, str)))
    state = {name: tree_of(part) for name, part in kept}
    return {"registered": kind.__name__, "fields": state} if citizen else {"type": _name(kind), "fields": state}


def _tree_of_expression(value: Any) -> Any:
    """Return the tree of a SymPy expression."""
    if value.is_Rational:
        return {"make": "sympy.core.numbers:Rational", "of": [int(value.p), int(value.q)]}
    if value.is_Symbol:
        return {"make": "sympy.core.symbol:Symbol", "of": [value.name], "assumed": dict(value.assumptions0)}
    name = _name(value.func)
    return {"make": name, "of": [tree_of(part) for part in value.args]} if name in SYMPY else value


def value_of(tree: Any) -> Any:
    """Return the value of a tree. ValueError: `tree_of` did not return this tree, or of no value that can be shown."""
    try:
        value = _value_of(tree)
        repr(value)  # fields that may be anything are not checked by their types
    except ValueError:
        raise
    except Exception as error:  # what a forged tree contains, and how deep, decides the kind
        raise ValueError(
            f"expected a saved result, got a damaged one: {type(error).__name__}: {error!s:.200}"
        ) from error
    return value


def _value_of(tree: Any) -> Any:
    if isinstance(tree, list):
        return [_value_of(item) for item in tree]
    match tree:
        case {"tuple": items}:
            return tuple(_value_of(items))
        case {"items": pairs}:
            return {_value_of(key): _value_of(item) for key, item in pairs}
        case {"fraction": text}:
            return Fraction(_allowed(text, FRACTION.fullmatch(text)))
        case {"objects": items}:
            return np.array(_value_of(items), dtype=object)
        case {"array": items, "dtype": dtype, "shape": shape}:
            kind = np.dtype(_allowed(dtype, np.dtype(dtype).kind in FORMATS))
            return np.array([_value_of(item) for item in items], dtype=kind).reshape(shape)
        case {"float": text}:
            return float(text)
        case {"constant": name}:
            return _constant(_allowed(name, OWN.fullmatch(name)))
        case {"make": name, "of": arguments} if name in SYMPY:
            return _expression(name, _value_of(arguments), tree.get("assumed", {}))
        case {"make": name, "of": arguments}:
            return _made(_allowed(name, OWN.fullmatch(name)), _value_of(arguments))
        case {"type": name, "fields": state}:
            return _object(_named(_allowed(name, OWN.fullmatch(name))), name, state)
        case {"registered": name, "fields": state}:
            return _object(_citizen(name), str(name), state)
    return tree


def _allowed(name: str, right: Any) -> str:
    """Return a name or text if it is right. ValueError: it is not."""
    if not right:
        raise ValueError(f"expected a part of {PACKAGE}, got {name!r:.80}; the text is no result that to_json() wrote")
    return name


def _named(name: str) -> Any:
    """Return the object that an allowed name such as "igbtheory:GaussianInputs" refers to."""
    module, _, attribute = name.partition(":")
    folders = {f"{PACKAGE}.{namespace}": folder for namespace, folder in sys.modules[PACKAGE].NAMESPACES.items()}
    return getattr(import_module(folders.get(module, module)), attribute)


def _citizen(name: Any) -> type:
    """Return the class of a user with this name. ValueError: none is registered."""
    if name not in CITIZENS:
        raise ValueError(f"expected registered layers, got {name!r:.80}; call igb.register with its class first")
    return CITIZENS[name]


def _object(kind: Any, name: str, state: dict[str, Any]) -> Any:
    """Return an object of the class of this name with these fields, which `__post_init__` checks if there is one.

    A field with a default may be missing: it is younger than the text, and a class attribute holds the default.
    """
    expected = {field.name: field.default for field in fields(kind)} if is_dataclass(kind) else {}
    missing = [expected.pop(field) for field in expected.keys() - state.keys()]
    allowed = isinstance(kind, type) and (_is_own(kind) or CITIZENS.get(name) is kind)
    if not allowed or expected.keys() != state.keys() or MISSING in missing:
        raise ValueError(f"expected the fields of {name}, got {', '.join(state)}; compute the result again")
    made: Any = object.__new__(kind)
    values = {field: _value_of(value) for field, value in state.items()}
    refuse_other_types(kind, values)
    for field, value in values.items():
        object.__setattr__(made, field, value)
    if hasattr(made, "__post_init__"):
        made.__post_init__()
    return made


def _is_own(what: Any) -> bool:
    return str(what.__module__).partition(".")[0] == PACKAGE


def _name(what: Any) -> str:
    """Return the name by which a tree refers to a class or a function."""
    if not _is_own(what):
        return f"{what.__module__}:{what.__qualname__}"
    return _public(what.__module__, what.__qualname__, what)


@cache
def _public(module: str, name: str, what: Any) -> str:
    """Return the public name of what a module defines, as users write it: igbtheory:Network, igbtheory.losses:Loss.

    The folder nearest to the top that hands it on has it, so that the name stays when a file moves.
    """
    path = module.split(".")
    folders = (sys.modules[".".join(path[:count])] for count in range(1, len(path)))
    doors = (folder for folder in folders if name in getattr(folder, "__all__", ()) and getattr(folder, name) is what)
    place = next((door.__name__ for door in doors), module)
    namespaces = sys.modules[PACKAGE].NAMESPACES.items()
    return f"{next((f'{PACKAGE}.{short}' for short, folder in namespaces if folder == place), place)}:{name}"


def _constant(name: str) -> Any:
    """Return a constant, such as FLOAT64, that `tree_of` writes by its name."""
    value = _named(name)
    _allowed(name, isinstance(value.__reduce__(), str))
    return value


def _made(name: str, arguments: list[Any]) -> Any:
    """Return the result of one of MAKERS."""
    function = _named(name)
    _allowed(name, function in MAKERS)
    refuse_other_types(function, by_names(function, arguments))
    return function(*arguments)


def _expression(name: str, arguments: list[Any], assumed: dict[str, bool]) -> Any:
    """Return an expression of one of SYMPY, not evaluated; its arguments are no texts, which SymPy would run."""
    kind = _named(name)
    if name.endswith(":Symbol"):
        return kind(*map(str, arguments), **assumed)
    if name.endswith(":Rational"):
        made = kind(*map(int, arguments))
    else:
        _allowed(name, all(hasattr(argument, "free_symbols") for argument in arguments))
        made = kind(*arguments, evaluate=False) if arguments else kind()
    if not _bits(made) <= MOST_BITS:
        raise ValueError(f"expected an expression of numbers below 2^{MOST_BITS}, got {name}; the text is forged")
    return made


def _bits(expression: Any) -> float:
    """Return a bound on the bits of the numbers in an expression after all products and powers are expanded."""
    if expression.is_Rational:
        return max(int(expression.p).bit_length(), int(expression.q).bit_length())
    if expression.is_Pow:
        base, exponent = expression.args
        return _bits(base) * (1 if exponent.free_symbols else float(abs(exponent)))
    return 1 + sum(map(_bits, expression.args))


def same(a: Any, b: Any) -> bool:
    """Return whether two trees are equal; NaN equals NaN."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(item, b[key]) for key, item in a.items())
    return type(a) is type(b) and bool(a == b)


def tree_in(text: str) -> Any:
    """Return the tree in a JSON text. ValueError: it is no JSON, or its brackets are nested too deeply."""
    level = 0
    for bracket in BRACKETS.finditer(text):
        level += bool(bracket[1]) - bool(bracket[2])
        if level > MOST_LEVELS:  # versions of Python differ in how deep they read before they refuse
            raise ValueError(f"expected at most {MOST_LEVELS} levels of brackets, got more; the text is forged")
    return json.loads(text)


def json_of(tree: Any) -> str:
    """Return a tree as JSON with exact numbers. TypeError: it contains an object from outside the package."""
    return json.dumps(tree, default=_array, allow_nan=False, ensure_ascii=False)


def _array(value: Any) -> dict[str, Any]:
    """Return an array of a tree as a dictionary."""
    if isinstance(value, np.ndarray):
        return {"array": tree_of(value.ravel().tolist()), "dtype": str(value.dtype), "shape": list(value.shape)}
    raise TypeError(f"expected a result of parts of {PACKAGE}, got one with {value!r:.80}; save it with pickle instead")
