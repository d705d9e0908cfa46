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
from igbtheory.formulas.approximation import Values, approximated, polynomial
from igbtheory.formulas.catalogue import FUNCTIONS
from igbtheory.formulas.domain import refuse_outside
from igbtheory.formulas.function import Function, of_pieces
from igbtheory.formulas.pieces import Pieces
from igbtheory.formulas.recorder import recorded
from igbtheory.formulas.splitting import split
from igbtheory.formulas.text import text
from igbtheory.formulas.tree import Number, Tree, X, add, mul, varies
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
    name = name_of(function)
    values = _evaluator(name, function)
    y = _checked(name, values)
    if np.ndim(getattr(function, "c", 0)) == 2 and hasattr(function, "extrapolate"):
        spline = _spline(name, function)
        if np.allclose(spline(FLOAT64, PROBES), y, rtol=AGREE, atol=AGREE * np.max(np.abs(y))):
            return spline
    tree = recorded(function)
    if tree is not None:
        with np.errstate(all="ignore"):
            same = np.allclose(Function(name, tree)(FLOAT64, PROBES), y, rtol=AGREE, atol=AGREE * np.max(np.abs(y)))
        if same:
            return _of_formula(name, tree, values)
    return approximated(name, values)


def _spline(name: str, spline: Any) -> Function:
    """Return the function of a SciPy spline: polynomials `c[:, i]` in x - x[i], the outer ones also beyond its ends."""
    knots = [Fraction(repr(x)) for x in spline.x.tolist()]
    rows = [[Fraction(c) for c in row] for row in spline.c.T[:, ::-1].tolist()]
    trees = [polynomial(row, add(X, Number(-knot))) for knot, row in zip(knots, rows, strict=False)]
    return of_pieces(name, Pieces(tuple(knots[1:-1]), tuple(trees)))


def name_of(function: Callable[..., Any]) -> str:
    """Return the name of a callable with its keywords, or of its class."""
    if isinstance(function, partial):
        keywords = ", ".join(f"{key}={value}" for key, value in function.keywords.items())
        return f"{name_of(function.func)} with {keywords}"
    written = " ".join(repr(function).split())
    return getattr(function, "__name__", None) or (type(function).__name__ if " at 0x" in written else written)


def _of_formula(name: str, tree: Tree, values: Values) -> Function:
    """Return the function of the catalogue with a recorded formula, or one named by the formula.

    Where the formula leaves the range of the numbers far out, or has a hole, the values may still be approximated.
    """
    if not varies(tree):
        raise ValueError(f"expected a function of x, got {name}, which is constant; let it use its argument")
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
    ways: list[Callable[[Any], Any]] = [function, np.vectorize(partial(_of_number, function), otypes=[float])]
    if torch := sys.modules.get("torch"):  # no callable needs it where it is not loaded
        tensors = [partial(_of_tensors, torch, function, kind) for kind in (torch.float64, torch.float32)]
        ways = [*tensors, *ways] if isinstance(function, torch.nn.Module) else [ways[0], *tensors, ways[1]]
    first: Exception | None = None
    for way in ways:
        try:
            with np.errstate(all="ignore"):
                y = np.asarray(way(PROBES.copy()))
        except Exception as error:  # noqa: BLE001 - whatever the user's code raises
            first = first or error
        else:
            if not (first and np.isnan(y).all()):
                return partial(_called, name, way)
    raise _raising(name, first) from first


def _raising(name: str, error: Exception | None) -> ValueError:
    return ValueError(
        f"expected a callable of an array, or of a number, as an activation, got {name}, which raises "
        f"{type(error).__name__}: {error}; let it return a float for every float that it is given"
    )


def _of_number(function: Callable[..., Any], x: float) -> Any:
    """Return the value at a number, nan where it leaves the range of the numbers."""
    try:
        return function(x)
    except (OverflowError, ZeroDivisionError):
        return np.nan


def _called(name: str, way: Callable[[Any], Any], x: NDArray[np.float64]) -> NDArray[np.float64]:
    try:
        with np.errstate(all="ignore"):
            y = np.asarray(way(np.array(x, order="C")))  # a copy, which the callable may change
    except Exception as error:
        raise _raising(name, error) from error
    if y.dtype.kind not in "biuf":
        raise TypeError(f"expected a callable that returns real numbers, got {y.dtype} from {name}; return floats")
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
    try:
        x, y = (np.asarray(part, dtype=float) for part in (x, y))
    except (TypeError, ValueError):
        raise TypeError(
            f"expected one activation, or a table (x, y) of numbers, got {(x, y)!r:.100}; pass one of them"
        ) from None
    if x.shape != y.shape or x.ndim != 1 or not 2 <= x.size <= MOST_KNOTS:
        raise ValueError(
            f"expected a table (x, y) of 2 to {MOST_KNOTS} knots, got the shapes {x.shape} and {y.shape}; pass two "
            "sequences of one length, or a callable that interpolates"
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
    bent = [i for i in range(1, len(lines)) if lines[i] != lines[i - 1]]
    return of_pieces(name, Pieces(tuple(knots[i][0] for i in bent), tuple(lines[i] for i in (0, *bent))))
