"""Activations from Python: callables, which are recorded as formulas or approximated, and tables of knots."""

import sys
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.mathematics.formulas.approximation import Values, approximated, polynomial
from igbtheory.mathematics.formulas.catalogue import FUNCTIONS
from igbtheory.mathematics.formulas.domain import refuse_outside
from igbtheory.mathematics.formulas.function import Function, of_pieces
from igbtheory.mathematics.formulas.parameters import name_of
from igbtheory.mathematics.formulas.pieces import Pieces
from igbtheory.mathematics.formulas.recorder import recorded
from igbtheory.mathematics.formulas.splitting import split
from igbtheory.mathematics.formulas.text import text
from igbtheory.mathematics.formulas.tree import Number, Tree, X, add, mul, varies
from igbtheory.mathematics.numbers import FLOAT64

PROBES = np.linspace(-3.1, 4.3, 65)
"""Points at which a callable is evaluated to test it: neither symmetric nor round, as places of kinks are."""
AGREE = 1e-6
"""Largest relative difference between a callable and its recorded formula; single precision may cause it."""
LONGEST = 100
"""Largest number of characters of a recorded formula that serves as its name, so that it fits a line."""
MOST_KNOTS = 1000
"""Largest number of knots of a table: each is a kink, and moments take all pairs of kinks."""


def from_callable(function: Callable[..., Any]) -> Function:
    """Return the function that a callable computes, recorded as a formula if possible, otherwise approximated.

    TypeError, ValueError: the callable raises an error, is random or not elementwise, or changes the shape.
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
    """Return the function of a SciPy spline: polynomials `c[:, i]` in x - x[i], extended beyond its ends."""
    knots = [Fraction(repr(x)) for x in spline.x.tolist()]
    rows = [[Fraction(c) for c in row] for row in spline.c.T[:, ::-1].tolist()]
    trees = [polynomial(row, add(X, Number(-knot))) for knot, row in zip(knots, rows, strict=False)]
    return of_pieces(name, Pieces(tuple(knots[1:-1]), tuple(trees)))


def _of_formula(name: str, tree: Tree, values: Values) -> Function:
    """Return the function of a recorded formula: one of the catalogue, or one whose name is the formula.

    If the formula is undefined at a point or overflows at large x, its values are approximated instead.
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
    if torch := sys.modules.get("torch"):  # a callable that needs it has imported it
        tensors = [partial(_of_tensors, torch, function, kind) for kind in (torch.float64, torch.float32)]
        ways = [*tensors, *ways] if isinstance(function, torch.nn.Module) else [ways[0], *tensors, ways[1]]
    errors = []
    for way in ways:
        values = partial(_called, name, way)
        try:
            y = values(PROBES)
        except ValueError as error:
            errors.append(error)
        else:
            if not (errors and np.isnan(y).all()):
                return values
    raise errors[0]


def _of_number(function: Callable[..., Any], x: float) -> Any:
    """Return the value at a number, or nan if it overflows or divides by 0."""
    try:
        return function(x)
    except (OverflowError, ZeroDivisionError):
        return np.nan


def _called(name: str, way: Callable[[Any], Any], x: NDArray[np.float64]) -> NDArray[np.float64]:
    try:
        with np.errstate(all="ignore"):
            y = np.asarray(way(np.array(x, order="C")))  # a copy, which the callable may change
    except Exception as error:
        raise ValueError(
            f"expected a callable of an array, or of a number, as an activation, got {name}, which raises "
            f"{type(error).__name__}: {error}; let it return a float for every float that it is given"
        ) from error
    if y.dtype.kind not in "biuf":
        raise TypeError(f"expected a callable that returns real numbers, got {y.dtype} from {name}; return floats")
    return y.astype(float)


def _of_tensors(torch: Any, function: Callable[..., Any], kind: Any, x: NDArray[np.float64]) -> Any:
    with torch.no_grad():
        y = function(torch.tensor(x, dtype=kind))
    return (y if y.is_complex() else y.double()).numpy()  # `_called` refuses complex numbers


def _checked(name: str, values: Values) -> NDArray[np.float64]:
    """Return the values at PROBES. ValueError: they are not finite, or depend on other numbers or on the call."""
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
    """Return the piecewise linear function through the knots (x, y), whose outer pieces extend beyond the knots.

    It is exact, where a float stands for the decimal that it prints. ValueError: x does not increase.
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
