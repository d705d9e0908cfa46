"""Evidence for claims: symbolic identities, agreement of numbers, relations, simulations with z-scores."""

from collections.abc import Sequence
from itertools import pairwise
from string import Formatter
from typing import Any

import mpmath
import numpy as np
import scipy
import sympy as sp
from numpy.typing import NDArray

from igbtheory.claims.finding import FAILS, HOLDS, UNDECIDED, Finding, Trial
from igbtheory.claims.formula import evaluated, latex
from igbtheory.claims.gaussians import ncdf
from igbtheory.claims.points import points
from igbtheory.claims.words import places_of

PLACES = 40
"""Digits with which an identity that does not simplify is evaluated."""
POINTS = 4
"""Number of points at which an identity is evaluated if SymPy does not simplify it to 0."""
SURE = 1.645
"""A deviation this many standard errors beyond the rejection threshold is detected with a probability of 95 %."""


def identity(label: str, left: Any, right: Any, of: Any = None) -> Finding:
    """Return the finding that two SymPy expressions are equal: their difference simplifies to 0.

    Pass the derived side unevaluated, as an `Integral`, `Derivative` or `Limit`: it is printed and then evaluated. If
    both sides are the same expression from the start, nothing has been tested and the finding is undecided, unless `of`
    says what was evaluated on the left: an expression, or its name in LaTeX.
    If the difference does not expand to 0, it is evaluated at random values of its symbols, which respect the
    assumptions positive and integer. If it differs from 0 there, the identity fails; otherwise it holds if the
    difference simplifies to 0, and if not, the finding is undecided.

    label: what is compared. left, right: the two sides. of: what was evaluated, as above.

    >>> import sympy
    >>> x = sympy.Symbol("x", positive=True)
    >>> igb.claims.identity("a square", sympy.Integral(2 * x, (x, 0, x)), x**2).verdict
    'holds'
    """
    left, right = sp.sympify(left), sp.sympify(right)
    formula = f"{latex(left if of is None else of)} = {latex(right)}"
    if left == right and of is None:
        return Finding("symbolic", label, UNDECIDED, f"{_text(left, right)}: both sides are one expression", formula)
    stated, left, right = (left, right), evaluated(left), evaluated(right)
    difference = left - right
    if left == right or any(step(difference) == 0 for step in (sp.expand, _numerator)):
        return Finding("symbolic", label, HOLDS, "", formula)
    shown = _text(*stated)  # only now, because it takes time
    for values in points(sorted(left.free_symbols | right.free_symbols, key=str), POINTS):
        one, other = (sp.N(side.subs(values), PLACES) for side in (left, right))
        gap, size = abs(one - other), abs(one) + abs(other)
        comparable = gap.is_comparable and size.is_comparable
        if comparable and (gap.is_infinite or gap > size * 10 ** (-PLACES // 2)):
            at = ", ".join(f"{symbol} = {value}" for symbol, value in values.items())
            both = f"left {sp.N(one, 15)}, right {sp.N(other, 15)}"
            return Finding("symbolic", label, FAILS, f"{shown}: {both}{f' at {at}' if at else ''}", formula)
    difference = sp.simplify(difference)  # slower than all before
    if difference == 0:
        return Finding("symbolic", label, HOLDS, "", formula)
    detail = f"{shown}: the difference {sp.sstr(difference)} does not simplify"
    return Finding("symbolic", label, UNDECIDED, detail, formula)


def _numerator(expression: Any) -> Any:
    """Return the numerator of an expression over one denominator, expanded."""
    return sp.expand(sp.fraction(sp.together(sp.expand(expression)))[0])


def _text(left: Any, right: Any) -> str:
    return f"{sp.sstr(left)} = {sp.sstr(right)}"


def normal(label: str, density: Any, x: Any, mean: Any, variance: Any) -> list[Finding]:
    """Return the findings that a density in the symbol x is that of N(mean, variance): log derivative and maximum."""
    slope = sp.Derivative(sp.log(density), x)
    height = sp.Subs(density, x, mean)
    return [
        identity(f"{label}: log density", slope, -(x - mean) / variance),
        identity(f"{label}: density at the mean", height, 1 / sp.sqrt(2 * sp.pi * variance)),
    ]


def rectified(label: str, density: Any, x: Any, mean: Any, deviation: Any) -> list[Finding]:
    """Return the findings that a density with an atom at 0 is that of max(X, 0) for X ~ N(mean, deviation^2)."""
    below, atom = ncdf(-mean / deviation), density.coeff(sp.DiracDelta(x))
    slope = sp.Derivative(ncdf((x - mean) / deviation), x)
    return [
        identity(f"{label}: probability of 0", below.rewrite(sp.erfc), atom.rewrite(sp.erfc), of=below),
        identity(f"{label}: density above 0", slope, density.coeff(sp.Heaviside(x))),
    ]


def agree(label: str, left: Any, right: Any, digits: float = 10) -> Finding:
    """Return the finding that two numbers agree to that many digits, relative to the larger one.

    Both must be at least that accurate; SymPy numbers are evaluated.

    label: what is compared. left, right: the two numbers. digits: how many must agree.

    >>> igb.claims.agree("a half", 0.5, 1 / 2).verdict
    'holds'
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
    """Return the finding that numbers, substituted for symbols, satisfy a SymPy relation.

    label: what is tested. relation: a relation of SymPy. values: numbers by the symbols that they replace.

    >>> import sympy
    >>> x = sympy.Symbol("x")
    >>> igb.claims.satisfies("positive", x > 0, {x: 2}).verdict
    'holds'
    """
    left, right = (sp.N(side.subs(values)) for side in (relation.lhs, relation.rhs))
    truth = relation.func(left, right)
    detail = f"{left} {relation.rel_op} {right}"
    if truth not in (True, False):
        return Finding("numerical", label, UNDECIDED, detail, latex(relation))
    return Finding("numerical", label, HOLDS if truth else FAILS, detail, latex(relation))


def shown(label: str, condition: Any, detail: str) -> Finding:
    """Return the finding that a condition on computed numbers holds; `detail` shows the numbers.

    label: what is tested. condition: whether it holds. detail: the numbers.

    >>> igb.claims.shown("positive", 2 > 0, "2").verdict
    'holds'
    """
    return Finding("numerical", label, HOLDS if bool(condition) else FAILS, detail)


def worded(says: str, words: str, *values: Any) -> Finding:
    """Return the finding that a statement says in words what was computed.

    words: a phrase of the statement, in which `{}` (with a format, as `str.format` takes it) stands for each of the
    values: computed numbers, or words that computed numbers choose. They stand as whole words in the statement.

    says: the statement. values: numbers or words.

    >>> igb.claims.worded("It is 2 at most", "is {} at", 2).verdict
    'holds'
    """
    phrase, filled, given = "", [], iter(values)
    for literal, name, form, _ in Formatter().parse(words):
        phrase += literal
        if name is not None:
            value = format(values[int(name)] if name else next(given), form or "")
            filled.append((len(phrase), len(phrase) + len(value)))
            phrase += value
    verdict = HOLDS if next(places_of(phrase, says), None) else FAILS
    return Finding("words", phrase, verdict, f"computed: {phrase}; the statement: {says}", filled=tuple(filled))


def rises(label: str, numbers: Sequence[Any] | NDArray[Any], beyond: float = 0.0) -> Finding:
    """Return the finding that every number is larger than the previous one, and the last larger than `beyond`."""
    right = all(low < high for low, high in pairwise(numbers)) and numbers[-1] > beyond
    return shown(label, right, ", ".join(mpmath.nstr(mpmath.mpmathify(number), 6) for number in numbers))


def measured(trial: Trial, label: str, value: Any, error: Any, expected: Any, against: Any = None) -> Finding:
    """Return the finding that a simulated value with a standard error is consistent with the expected value.

    It fails if the probability of so large a deviation is below `trial.level`. The detail says which deviations would
    have been detected with a probability of 95 %. against: the value under the nearest other hypothesis; if the
    simulation cannot distinguish the two values, the finding is undecided.

    trial: the conditions of the test. label: what is measured. value, error: of the simulation. expected: what the
    claim says.

    >>> igb.claims.measured(igb.claims.Trial("an example"), "a mean", 1.01, 0.01, 1.0).verdict
    'holds'
    """
    value, error, expected = map(float, (value, error, expected))
    z = (value - expected) / error if error > 0 else float(np.inf if value != expected else 0)
    detectable = (float(scipy.special.ndtri(1 - trial.level / 2)) + SURE) * error
    relative = f"{100 * detectable / abs(expected):.2g} %" if expected else f"{detectable:.2g}"
    detail = (
        f"{value:.6g} ± {error:.2g}, expected {expected:.6g}: z = {z:+.2f}; deviations below {relative} are not seen"
    )
    if 2 * scipy.special.ndtr(-abs(z)) < trial.level:
        return Finding("simulation", label, FAILS, detail)
    if against is None:
        return Finding("simulation", label, HOLDS, detail)
    told = abs(expected - float(against)) >= detectable
    detail += f"; {float(against):.6g} would {'' if told else 'not '}be told from it"
    return Finding("simulation", label, HOLDS if told else UNDECIDED, detail)
