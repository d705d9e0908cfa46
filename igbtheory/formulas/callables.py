"""Activations from Python: callables, recorded as formulas or approximated, and tables of knots."""

import sys
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from igbtheory import checks
from igbtheory.formulas.approximation import Values, approximated, choices
from igbtheory.formulas.catalogue import FUNCTIONS
from igbtheory.formulas.domain import refuse_outside
from igbtheory.formulas.function import Function
from igbtheory.formulas.pieces import split
from igbtheory.formulas.recorder import recorded
from igbtheory.formulas.text import text
from igbtheory.formulas.tree import Number, Tree, X, add, mul
from igbtheory.numbers import FLOAT64

PROBES = np.linspace(-3.1, 4.3, 65)
"""Points at which a callable is tried."""
AGREE = 1e-6
"""Difference from its values with which a recorded formula is that of a callable, which single precision leaves."""
LONGEST = 100
"""Characters of a formula that is its own name."""
MOST_KNOTS = 1000


def from_callable(function: Callable[..., Any]) -> Function:
    """Return the function that a callable computes: recorded as a formula where it can be, else approximated.

    TypeError, ValueError: it raises, is not elementwise or random, or returns another shape than it is given.
    """
    name = getattr(function, "__name__", None) or " ".join(repr(function).split())
    values = _evaluator(name, function)
    y = _checked(name, values)
    tree = recorded(function)
    if tree is not None:
        with np.errstate(all="ignore"):
            same = np.allclose(Function(name, tree)(FLOAT64, PROBES), y, rtol=AGREE, atol=AGREE * np.max(np.abs(y)))
        if same:
            return _of_formula(name, tree, values)
    return approximated(name, values)


def _of_formula(name: str, tree: Tree, values: Values) -> Function:
    """Return the function of the catalogue with a recorded formula, or one named by the formula.

    Where the formula leaves the range of the numbers far out, or has a hole, the values may still be approximated.
    """
    pieces = split(tree)
    for phi in FUNCTIONS.values():
        if phi.pieces == pieces:
            return phi
    written = text(tree)
    written = written if len(written) <= LONGEST else name
    try:
        refuse_outside(written, tree, pieces)
    except ValueError as error:
        try:
            return approximated(name, values)
        except ValueError:
            raise error from None
    return Function(written, tree)


def _evaluator(name: str, function: Callable[..., Any]) -> Values:
    """Return a function of arrays that calls the callable with an array, with a tensor, or number by number."""
    ways: list[Callable[[Any], Any]] = [function, np.vectorize(function, otypes=[float])]
    if torch := sys.modules.get("torch"):  # no callable needs it where it is not loaded
        tensors = [partial(_of_tensors, torch, function, kind) for kind in (torch.float64, torch.float32)]
        ways = [*tensors, *ways] if isinstance(function, torch.nn.Module) else [ways[0], *tensors, ways[1]]
    first: Exception | None = None
    for way in ways:
        try:
            with np.errstate(all="ignore"):
                way(PROBES.copy())
        except Exception as error:  # noqa: BLE001 - whatever the user's code raises
            first = first or error
        else:
            return partial(_called, way)
    raise ValueError(
        f"expected a callable of an array, or of a number, as an activation, got {name}, which raises "
        f"{type(first).__name__}: {first}; let it take and return a float array"
    ) from first


def _called(way: Callable[[Any], Any], x: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(all="ignore"):
        y = np.asarray(way(np.array(x, order="C")))  # a copy, which the callable may change
    if y.dtype.kind not in "biuf":
        raise TypeError(f"expected a callable that returns real numbers, got an array of {y.dtype}; return floats")
    return y.astype(float)


def _of_tensors(torch: Any, function: Callable[..., Any], kind: Any, x: NDArray[np.float64]) -> Any:
    with torch.no_grad():
        return function(torch.tensor(x, dtype=kind)).double().numpy()


def _checked(name: str, values: Values) -> NDArray[np.float64]:
    """Return the values at PROBES of a callable that does with every number the same, whatever stands beside it."""
    y = values(PROBES)
    if y.shape != PROBES.shape:
        raise ValueError(
            f"expected a callable that returns as many numbers as it is given, {PROBES.shape}, got the shape {y.shape} "
            f"from {name}; let it act on every number on its own"
        )
    some = slice(20, None, -1)
    if not np.allclose(values(PROBES[some]), y[some], rtol=AGREE, atol=AGREE, equal_nan=True):
        raise ValueError(
            f"expected a callable that acts on every number on its own, got {name}, whose values change with the "
            "others or from call to call; leave out means, norms and random numbers: layers such as LayerNorm do these"
        )
    if not np.all(np.isfinite(y)):
        raise ValueError(
            f"expected a callable that is finite everywhere, got {name}, which is {y[~np.isfinite(y)][0]} at "
            f"x = {PROBES[~np.isfinite(y)][0]:.4g}; a Gaussian takes every value: guard it, as by np.where"
        )
    return y


def from_table(x: Any, y: Any) -> Function:
    """Return the piecewise linear function through the knots (x, y), straight on beyond the first and the last.

    It is exact: the floats are the numbers that they print. ValueError: x does not increase.
    """
    x, y = (np.asarray(part, dtype=float) for part in (x, y))
    if x.shape != y.shape or x.ndim != 1 or not 2 <= x.size <= MOST_KNOTS:
        raise ValueError(
            f"expected a table (x, y) of 2 to {MOST_KNOTS} knots, got the shapes {x.shape} and {y.shape}; pass two "
            "sequences of one length"
        )
    checks.finite("the knots of a table", np.concatenate([x, y]))
    if not np.all(np.diff(x) > 0):
        i = int(np.argmin(np.diff(x) > 0))
        raise ValueError(
            f"expected a table whose x increases, got {x[i]:g} and then {x[i + 1]:g} at position {i + 1}; sort it, as "
            "by order = np.argsort(x), and drop repeated x"
        )
    knots = [(Fraction(repr(a)), Fraction(repr(b))) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    slopes = [((d - b) / (c - a), a, b) for (a, b), (c, d) in pairwise(knots)]
    lines = [add(Number(b - slope * a), mul(Number(slope), X)) for slope, a, b in slopes]
    name = f"table of {x.size} knots from {x[0]:g} to {x[-1]:g}"
    return Function(name, choices([a for a, _ in knots[1:-1]], lines))
