"""Evidence: symbolic identities, numbers that agree, simulations with z-scores."""

from typing import Any

import mpmath
import numpy as np
import scipy

from igbtheory.claims.finding import FAILS, HOLDS, UNDECIDED, Finding, Trial

PLACES = 40
"""Digits at which an identity that does not simplify is tried."""
POINTS = 4
"""Points at which it is tried."""
POWER = 5.0
"""Standard errors by which a simulation must tell a claim from the alternative it is held against."""


def identity(label: str, left: Any, right: Any) -> Finding:
    """Finding that two SymPy expressions are equal: their difference simplifies to 0.

    Where it does not, it is evaluated at random values of its symbols (positive ones where they are assumed positive,
    whole ones where they are assumed whole): a difference that is not 0 there fails, else nothing is decided.
    """
    import sympy  # noqa: PLC0415 - as slow to load as all the rest

    left, right = sympy.sympify(left), sympy.sympify(right)
    shown = f"{sympy.sstr(left)} = {sympy.sstr(right)}"
    difference = sympy.Integer(0) if left == right else sympy.simplify(left - right)
    if difference == 0:
        return Finding("symbolic", label, HOLDS, shown)
    for values in _points(sorted(left.free_symbols | right.free_symbols, key=str)):
        gap = sympy.N(abs(difference.subs(values)), PLACES)
        size = sympy.N(abs(left.subs(values)) + abs(right.subs(values)), PLACES)
        comparable = gap.is_comparable and size.is_comparable
        if comparable and (gap.is_infinite or gap > size * 10 ** (-PLACES // 2)):
            at = ", ".join(f"{symbol} = {value}" for symbol, value in values.items())
            sides = f"left {sympy.N(left.subs(values), 15)}, right {sympy.N(right.subs(values), 15)}"
            return Finding("symbolic", label, FAILS, f"{shown}: {sides}{f' at {at}' if at else ''}")
    return Finding("symbolic", label, UNDECIDED, f"{shown}: the difference {sympy.sstr(difference)} does not simplify")


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


def agree(label: str, left: Any, right: Any, digits: float = 10) -> Finding:
    """Finding that two numbers agree to so many digits of the larger; both are computed at least that well."""
    left, right = mpmath.mpmathify(left), mpmath.mpmathify(right)
    size = max(abs(left), abs(right))
    gap = abs(left - right) / size if size else mpmath.mpf(0)
    reached = "all digits" if not gap else f"{-float(mpmath.log10(gap)):.1f} digits"
    places = int(min(max(digits, 6), 20)) + 2
    detail = f"{mpmath.nstr(left, places)} and {mpmath.nstr(right, places)} agree to {reached}, {digits:g} are needed"
    if not mpmath.isfinite(left - right):
        return Finding("numerical", label, UNDECIDED, f"{left} and {right}")
    return Finding("numerical", label, HOLDS if gap <= mpmath.mpf(10) ** -digits else FAILS, detail)


def shown(label: str, condition: Any, detail: str) -> Finding:
    """Finding that a condition on computed numbers holds, which `detail` shows."""
    return Finding("numerical", label, HOLDS if bool(condition) else FAILS, detail)


def measured(
    trial: Trial, label: str, value: float, error: float, expected: float, against: float | None = None
) -> Finding:
    """Finding that a simulated value, with its standard error, is consistent with what is expected: its z-score.

    It fails where the deviation has a probability below `trial.level`. against: the value under the nearest other
    hypothesis; where the simulation cannot tell the two apart nothing is decided.
    """
    z = (value - expected) / error if error > 0 else float(np.inf if value != expected else 0)
    pvalue = 2 * scipy.special.ndtr(-abs(z))
    detail = f"{value:.6g} ± {error:.2g}, expected {expected:.6g}: z = {z:+.2f}"
    if pvalue < trial.level:
        return Finding("simulation", label, FAILS, detail)
    if against is None:
        return Finding("simulation", label, HOLDS, detail)
    power = abs(expected - against) / error if error > 0 else float(np.inf)
    detail += f"; {power:.1f} standard errors from {against:.6g}"
    return Finding("simulation", label, HOLDS if power >= POWER else UNDECIDED, detail)
