"""Functions from Python as formulas: they are called with an object that records what is done to it.

NumPy and SciPy hand their functions to such an object by NumPy's protocols, PyTorch by its own, so that modules of
`torch.nn` are recorded with their parameters and PyTorch is never imported here.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any, final

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from igbtheory.checks import unmasked
from igbtheory.formulas.catalogue import NAMED
from igbtheory.formulas.reader import FUNCTIONS, VARIADIC, extreme, folded, shaped, size
from igbtheory.formulas.shapes import SHAPES, WORDS
from igbtheory.formulas.tree import (
    ONE,
    ZERO,
    Choice,
    Number,
    Tree,
    X,
    add,
    call,
    choice,
    mul,
    number,
    power,
    substitute,
)

LARGEST = 4000
"""Parts of a recorded formula at most: repeated products of a function with itself double them."""


def recorded(function: Callable[..., Any]) -> Tree | None:
    """Return the formula of a function of one array, None where it does what no formula says."""
    try:
        found = function(Recorder(X))
    except Exception:  # noqa: BLE001 - whatever it raises, its values tell what it is
        return None
    return found.tree if isinstance(found, Recorder) else None


@final
class Recorder(NDArrayOperatorsMixin):
    """What stands for x, or for a formula of it, in the call of a function."""

    def __init__(self, tree: Tree) -> None:
        if size(tree, LARGEST) >= LARGEST:
            raise OverflowError(f"the formula has more than {LARGEST} parts")
        self.tree = tree

    def __array_ufunc__(self, ufunc: Any, method: str, *parts: Any, **named: Any) -> "Recorder":
        if method != "__call__" or named:
            raise TypeError(f"{ufunc.__name__}.{method} is no formula")
        return _applied(ufunc.__name__, *parts)

    def __array_function__(self, function: Any, types: Any, parts: Any, named: Any) -> "Recorder":
        del types
        return _applied(function.__name__, *parts, **named)

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, parts: Any = (), named: Any = None) -> "Recorder":
        del types
        return _applied(function.__name__, *parts, **(named or {}))

    def __getattr__(self, name: str) -> Any:
        """Return a method of arrays and tensors, such as x.clip(0, 1) or x.tanh()."""
        if name.startswith("_") or not _is_known(folded(name)):
            raise AttributeError(name)
        return partial(_applied, name, self)

    def __bool__(self) -> bool:
        raise TypeError("a formula is neither true nor false")


def _applied(name: str, *parts: Any, **named: Any) -> Recorder:
    """Return what a function of NumPy, SciPy or PyTorch of that name makes of its arguments."""
    known = folded(name.removeprefix("special_"))
    if known in SHAPES:
        usual = SHAPES[known][1]
        given = {**dict(zip(usual, parts[1:], strict=False)), **{key: named[key] for key in usual if key in named}}
        shape = {key: value if key in WORDS else _tree(value) for key, value in given.items()}
        return Recorder(shaped(known, _tree(parts[0]), shape))
    trees = [_tree(part) for part in parts]
    named.pop("inplace", None)
    bounds = {_BOUNDS[key]: _tree(part) for key, part in named.items()}
    if known in _EXACT:
        return Recorder(_EXACT[known](*trees, **bounds))
    if named:
        raise TypeError(f"{name} takes {', '.join(named)}, which no formula says")
    if known in VARIADIC and len(trees) > 1:
        return Recorder(extreme(FUNCTIONS[known][1], trees))
    if known in FUNCTIONS:
        return Recorder(FUNCTIONS[known][1](*trees))
    (tree,) = trees
    return Recorder(substitute(NAMED[known].tree, tree))


def _is_known(name: str) -> bool:
    return name in SHAPES or name in _EXACT or name in FUNCTIONS or name in NAMED


def _tree(value: Any) -> Any:
    """Formula of an argument: of a number, the decimal that it prints; None, a bound that is not there, stays."""
    if isinstance(value, Recorder):
        return value.tree
    if value is None:
        return None
    array = np.asarray(unmasked("a number in a callable", value))
    if array.size != 1 or array.dtype.kind not in "biuf":
        raise TypeError(f"{value!r} is no number")
    return number(Fraction(repr(float(array.item()))))


def _where(test: Tree, yes: Tree, no: Tree) -> Tree:
    """Choice by a condition, which is recorded as the number 1 where it holds and 0 elsewhere."""
    match test:
        case Choice(inner, Number(1), Number(0)):
            return choice(inner, yes, no)
        case Choice(inner, Number(0), Number(1)):
            return choice(inner, no, yes)
        case _:
            return choice(add(test, number("-1/2")), yes, no)


def _clip(a: Tree, low: Tree | None = None, high: Tree | None = None) -> Tree:
    above = a if low is None else FUNCTIONS["max"][1](a, low)
    return above if high is None else FUNCTIONS["min"][1](above, high)


def _less(a: Tree, b: Tree) -> Tree:
    return choice(add(a, -b), ZERO, ONE)


def _at_most(a: Tree, b: Tree) -> Tree:
    return choice(add(b, -a), ONE, ZERO)


_BOUNDS = {"min": "low", "a_min": "low", "max": "high", "a_max": "high"}
_EXACT: dict[str, Callable[..., Tree]] = {
    "add": add,
    **dict.fromkeys(("subtract", "sub"), lambda a, b: add(a, -b)),
    **dict.fromkeys(("multiply", "mul", "logicaland", "bitwiseand"), mul),
    **dict.fromkeys(("divide", "truedivide", "div"), lambda a, b: mul(a, power(b, number(-1)))),
    **dict.fromkeys(("power", "pow", "floatpower"), power),
    **dict.fromkeys(("logicalor", "bitwiseor"), lambda a, b: add(a, b, -mul(a, b))),
    **dict.fromkeys(("logicalnot", "invert"), lambda a: add(ONE, -a)),
    **dict.fromkeys(("negative", "neg"), lambda a: -a),
    "positive": lambda a: a,
    **dict.fromkeys(("less", "lt"), _less),
    **dict.fromkeys(("greater", "gt"), lambda a, b: _less(b, a)),
    **dict.fromkeys(("lessequal", "le"), _at_most),
    **dict.fromkeys(("greaterequal", "ge"), lambda a, b: _at_most(b, a)),
    "where": _where,
    **dict.fromkeys(("clip", "clamp"), _clip),
    "zeroslike": lambda _: ZERO,
    "oneslike": lambda _: ONE,
    "logaddexp": lambda a, b: add(b, call("softplus", add(a, -b))),
}
"""Functions by their names, folded, of formulas."""
