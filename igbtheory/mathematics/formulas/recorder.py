"""Python functions as formulas: a function is called with an object that records every operation on it.

NumPy, SciPy and PyTorch pass their functions to such an object by their protocols. Modules of `torch.nn` are thus
recorded with their parameters, without importing PyTorch here.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any, final

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from igbtheory.foundations.checks import unmasked
from igbtheory.mathematics.formulas.catalogue import NAMED
from igbtheory.mathematics.formulas.library_functions import SHAPES, WORDS
from igbtheory.mathematics.formulas.reader import folded, shaped
from igbtheory.mathematics.formulas.tree import ONE, ZERO, Tree, X, add, call, choice, mul, number, power, substitute
from igbtheory.mathematics.formulas.vocabulary import COMPARISONS, FUNCTIONS, both, either, negated, size

LARGEST = 4000
"""Largest number of nodes of a recorded formula, which repeated squaring would double each time."""


def recorded(function: Callable[..., Any]) -> Tree | None:
    """Return the formula of a function of one array, or None if no formula expresses the function."""
    try:
        output = function(Recorder(X))
    except Exception:  # noqa: BLE001 - any error means that it cannot be recorded
        return None
    return output.tree if isinstance(output, Recorder) else None


@final
class Recorder(NDArrayOperatorsMixin):
    """The argument in a call of a function: it stands for x or for a formula in x."""

    def __init__(self, tree: Tree) -> None:
        if size(tree, LARGEST) >= LARGEST:
            raise OverflowError(f"the formula has more than {LARGEST} parts")
        self.tree = tree

    def __array_ufunc__(self, ufunc: Any, method: str, *arguments: Any, **named: Any) -> "Recorder":
        if method != "__call__" or named:
            raise TypeError(f"{ufunc.__name__}.{method} is no formula")
        return _applied(ufunc.__name__, *arguments)

    def __array_function__(self, function: Any, types: Any, arguments: Any, named: Any) -> "Recorder":
        del types
        return _applied(function.__name__, *arguments, **named)

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, arguments: Any = (), named: Any = None) -> "Recorder":
        del types
        return _applied(function.__name__, *arguments, **(named or {}))

    def __getattr__(self, name: str) -> Any:
        """Return a method of arrays and tensors, for calls such as x.clip(0, 1) or x.tanh()."""
        if name.startswith("_") or folded(name) not in {*SHAPES, *_KNOWN}:
            raise AttributeError(name)
        return partial(_applied, name, self)

    def __bool__(self) -> bool:
        raise TypeError("a formula is neither true nor false")


def _applied(name: str, *arguments: Any, **named: Any) -> Recorder:
    """Return the result of the function of NumPy, SciPy or PyTorch with this name, for these arguments."""
    folded_name = folded(name.removeprefix("special_"))
    if folded_name in SHAPES:
        usual = SHAPES[folded_name][1]
        given = {**dict(zip(usual, arguments[1:], strict=False)), **{key: named[key] for key in usual if key in named}}
        shape = {key: value if key in WORDS else _tree(value) for key, value in given.items()}
        return Recorder(shaped(folded_name, _tree(arguments[0]), shape))
    named.pop("inplace", None)
    bounds = {_BOUNDS[key]: _tree(part) for key, part in named.items()}  # KeyError: another option, which is unknown
    return Recorder(_KNOWN[folded_name](*map(_tree, arguments), **bounds))


def _tree(value: Any) -> Any:
    """Return the formula of an argument. A number stands for the decimal that it prints; None is a missing bound."""
    if isinstance(value, Recorder):
        return value.tree
    if value is None:
        return None
    array = np.asarray(unmasked("a number in a callable", value))
    if array.size != 1 or array.dtype.kind not in "biuf":
        raise TypeError(f"{value!r} is no number")
    return number(Fraction(repr(float(array.item()))))


def _cut(a: Tree) -> Tree:
    """Return the whole number next to a towards 0."""
    return choice(a, call("floor", a), -call("floor", -a))


_BOUNDS = {"min": "low", "a_min": "low", "max": "high", "a_max": "high"}
_KNOWN: dict[str, Callable[..., Tree]] = {
    **{name: partial(substitute, phi.tree) for name, phi in NAMED.items()},
    **{name: function for name, (_, function) in FUNCTIONS.items()},
    "add": add,
    **dict.fromkeys(("subtract", "sub"), lambda a, b: add(a, -b)),
    **dict.fromkeys(("multiply", "mul"), mul),
    **dict.fromkeys(("divide", "truedivide", "div"), lambda a, b: mul(a, power(b, number(-1)))),
    **dict.fromkeys(("power", "pow", "floatpower"), power),
    **dict.fromkeys(("logicaland", "bitwiseand"), both),
    **dict.fromkeys(("logicalor", "bitwiseor"), either),
    **dict.fromkeys(("logicalnot", "invert"), negated),
    **dict.fromkeys(("negative", "neg"), lambda a: -a),
    "positive": lambda a: a,
    **COMPARISONS,
    "clamp": FUNCTIONS["clip"][1],
    "remainder": FUNCTIONS["mod"][1],
    "fmod": lambda a, b: add(a, -mul(b, _cut(mul(a, power(b, number(-1)))))),
    **dict.fromkeys(("trunc", "fix", "int", "long"), _cut),
    "zeroslike": lambda _: ZERO,
    "oneslike": lambda _: ONE,
    "logaddexp": lambda a, b: add(b, call("softplus", add(a, -b))),
}
"""All functions without parameters, by their folded names, with operators and array functions of Python."""
