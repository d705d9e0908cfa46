"""Evidence: symbolic identities, numbers that agree, relations that hold, simulations with z-scores."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import mpmath
import numpy as np
import scipy

from igbtheory.claims.finding import FAILS, HOLDS, UNDECIDED, Finding, Trial
from igbtheory.claims.formula import latex

PLACES = 40
"""Digits at which an identity that does not simplify is tried."""
POINTS = 4
"""Points at which it is tried."""
SURE = 1.645
"""Standard errors, beyond those at which a test rejects, by which a deviation is seen with a probability of 95 %."""


def identity(label: str, left: Any, right: Any, of: Any = None) -> Finding:
    """Finding that two SymPy expressions are equal: their difference simplifies to 0.

    Give what is derived unevaluated, such as `Integral`, `Derivative` or `Limit`: it is printed, then evaluated. Two
    sides that are the same expression already test nothing, which is undecided, unless `of` says what has been
    evaluated on the left: an expression, or its name in LaTeX.
    Where the difference does not simplify, it is evaluated at random values of its symbols (positive ones where they
    are assumed positive, whole ones where they are assumed whole): if it is not 0 there the identity fails, else
    nothing is decided.
    """
    import sympy  # noqa: PLC0415 - as slow to load as all the rest

    left, right = sympy.sympify(left), sympy.sympify(right)
    formula = f"{latex(left if of is None else of)} = {latex(right)}"
    if left == right and of is None:
        return Finding("symbolic", label, UNDECIDED, f"{_text(left, right)}: both sides are one expression", formula)
    stated, left, right = (left, right), left.doit(), right.doit()
    difference = sympy.Integer(0) if left == right else sympy.expand(left - right)
    if difference != 0:  # the slower way
        difference = sympy.simplify(left - right)
    if difference == 0:
        return Finding("symbolic", label, HOLDS, "", formula)
    shown = _text(*stated)  # which takes time
    for values in _points(sorted(left.free_symbols | right.free_symbols, key=str)):
        gap = sympy.N(abs(difference.subs(values)), PLACES)
        size = sympy.N(abs(left.subs(values)) + abs(right.subs(values)), PLACES)
        comparable = gap.is_comparable and size.is_comparable
        if comparable and (gap.is_infinite or gap > size * 10 ** (-PLACES // 2)):
            at = ", ".join(f"{symbol} = {value}" for symbol, value in values.items())
            both = f"left {sympy.N(left.subs(values), 15)}, right {sympy.N(right.subs(values), 15)}"
            return Finding("symbolic", label, FAILS, f"{shown}: {both}{f' at {at}' if at else ''}", formula)
    detail = f"{shown}: the difference {sympy.sstr(difference)} does not simplify"
    return Finding("symbolic", label, UNDECIDED, detail, formula)


def _text(left: Any, right: Any) -> str:
    import sympy  # noqa: PLC0415 - as above

    return f"{sympy.sstr(left)} = {sympy.sstr(right)}"


def _points(symbols: list[Any]) -> list[dict[Any, Any]]:
    import sympy  # noqa: PLC0415 - as above

    rng = np.random.default_rng(0)
    points = []
    for _ in range(POINTS):
        values = {}
        for symbol in symbols:
            whole, positive = symbol.is_integer, symbol.is_positive
            value = sympy.Integer(int(rng.integers(5, 12))) if whole else sympy.Rational(int(rng.integers(1, 40)), 16)
            values[symbol] = value if whole or positive else value * int(rng.choice([-1, 1]))
        points.append(values)
    return points


def normal(label: str, density: Any, x: Any, mean: Any, variance: Any) -> list[Finding]:
    """Findings that a density in the symbol x is that of N(mean, variance): slope of its logarithm, and mass."""
    import sympy  # noqa: PLC0415 - as above

    slope = sympy.Derivative(sympy.log(density), x)
    mass = sympy.Integral(density, (x, -sympy.oo, sympy.oo))
    return [identity(f"{label}: log density", slope, -(x - mean) / variance), identity(f"{label}: mass", mass, 1)]


def rectified(label: str, density: Any, x: Any, mean: Any, deviation: Any) -> list[Finding]:
    """Findings that a density, an atom at 0 and a part above it, is that of max(X, 0), X ~ N(mean, deviation^2)."""
    import sympy  # noqa: PLC0415 - as above

    from igbtheory.claims.gaussians import ncdf, npdf  # noqa: PLC0415 - as above

    below = sympy.Integral(npdf(x, mean, deviation), (x, -sympy.oo, 0))
    slope = sympy.Derivative(ncdf((x - mean) / deviation), x)
    return [
        identity(f"{label}: probability of 0", below, density.coeff(sympy.DiracDelta(x)).rewrite(sympy.erfc)),
        identity(f"{label}: density above 0", slope, density.coeff(sympy.Heaviside(x))),
    ]


def agree(label: str, left: Any, right: Any, digits: float = 10) -> Finding:
    """Finding that two numbers agree to so many digits of the larger; both are computed at least that well.

    Numbers of SymPy are evaluated.
    """
    left, right = (_number(value, digits) for value in (left, right))
    size = max(abs(left), abs(right))
    gap = abs(left - right) / size if size else mpmath.mpf(0)
    reached = "all digits" if not gap else f"{-float(mpmath.log10(gap)):.1f} digits"
    places = int(min(max(digits, 6), 20)) + 2
    detail = f"{mpmath.nstr(left, places)} and {mpmath.nstr(right, places)} agree to {reached}, {digits:g} are needed"
    if not mpmath.isfinite(left - right):
        return Finding("numerical", label, UNDECIDED, f"{left} and {right}")
    return Finding("numerical", label, HOLDS if gap <= mpmath.mpf(10) ** -digits else FAILS, detail)


def _number(value: Any, digits: float) -> Any:
    return mpmath.mpmathify(value.evalf(int(digits) + 10) if hasattr(value, "evalf") else value)


def satisfies(label: str, relation: Any, values: dict[Any, Any]) -> Finding:
    """Finding that numbers satisfy a SymPy relation, once they stand for symbols of it."""
    import sympy  # noqa: PLC0415 - as above

    left, right = (sympy.N(side.subs(values)) for side in (relation.lhs, relation.rhs))
    found = relation.func(left, right)
    detail = f"{left} {relation.rel_op} {right}"
    if found not in (True, False):
        return Finding("numerical", label, UNDECIDED, detail, latex(relation))
    return Finding("numerical", label, HOLDS if found else FAILS, detail, latex(relation))


def shown(label: str, condition: Any, detail: str) -> Finding:
    """Finding that a condition on computed numbers holds, which `detail` shows."""
    return Finding("numerical", label, HOLDS if bool(condition) else FAILS, detail)


def rises(label: str, numbers: Sequence[Any], beyond: float = 0.0) -> Finding:
    """Finding that every number is larger than the one before it, and the last one larger than `beyond`."""
    right = all(low < high for low, high in pairwise(numbers)) and numbers[-1] > beyond
    return shown(label, right, ", ".join(mpmath.nstr(mpmath.mpmathify(number), 6) for number in numbers))


def measured(trial: Trial, label: str, value: Any, error: Any, expected: Any, against: Any = None) -> Finding:
    """Finding that a simulated value, with its standard error, is consistent with what is expected: its z-score.

    It fails where the deviation has a probability below `trial.level`, and says which deviation it would have seen
    with a probability of 95 %. against: the value under the nearest other hypothesis; where the simulation cannot tell
    the two apart nothing is decided.
    """
    value, error, expected = map(float, (value, error, expected))
    z = (value - expected) / error if error > 0 else float(np.inf if value != expected else 0)
    seen = (float(scipy.special.ndtri(1 - trial.level / 2)) + SURE) * error
    relative = f"{100 * seen / abs(expected):.2g} %" if expected else f"{seen:.2g}"
    detail = (
        f"{value:.6g} ± {error:.2g}, expected {expected:.6g}: z = {z:+.2f}; deviations below {relative} are not seen"
    )
    if 2 * scipy.special.ndtr(-abs(z)) < trial.level:
        return Finding("simulation", label, FAILS, detail)
    if against is None:
        return Finding("simulation", label, HOLDS, detail)
    told = abs(expected - float(against)) >= seen
    detail += f"; {float(against):.6g} would {'' if told else 'not '}be told from it"
    return Finding("simulation", label, HOLDS if told else UNDECIDED, detail)
