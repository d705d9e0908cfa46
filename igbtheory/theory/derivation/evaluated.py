"""Numbers of formulas, proven to as many digits as are wanted: averages are computed anew until their errors are small.

A formula may lose digits: the var_chi of an average is printed as E x^2 - E x_a x_b, which are nearly equal where gamma
is large, and a var_mu as E x_a x_b - (E x)^2. Here both are put back together: averages of one function of one unit
become sums of its mean, var_mu and var_chi, which quadrature computes without cancellation, and equal terms cancel as
symbols. What else the formula magnifies is seen from its changes when each average is moved by its error. If the sum of
these is too large, the averages are computed with more digits.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, final

import sympy as sp

from igbtheory.mathematics.averages.mesh import UnresolvedError
from igbtheory.mathematics.averages.state import Moments
from igbtheory.mathematics.numbers import FLOAT64, Kind, decimals
from igbtheory.theory.derivation.average import Average
from igbtheory.theory.derivation.recursion import Recursion

ATTEMPTS = (20, 40, 80)
"""Digits of averages where double precision does not suffice. Proven ones of 20 digits take up to seconds each."""
SPARE = 25
"""Digits of the arithmetic beyond those of the averages: formulas of functions with closed forms cancel, too."""
AGREE = 1e-4
"""Share of the wanted error by which a formula may change with twice as many digits of the arithmetic."""
EXPANDED = 150
"""Largest number of operations of a sum that is multiplied out, which takes a tenth of a second; longer ones cancel."""


@final
@dataclass(frozen=True)
class Estimate:
    """A number, and a bound of its error."""

    value: Any
    error: Any

    @property
    def relative(self) -> float:
        """The error relative to the number."""
        return float(self.error / abs(self.value)) if self.error else 0.0


def number(formula: Any, accuracy: float) -> Any:
    """Return a formula without symbols as a number with a relative error below `accuracy`."""
    for n in (FLOAT64, *map(decimals, ATTEMPTS)):
        settled = _settled(formula, n, accuracy)
        if settled.error <= accuracy * abs(settled.value):
            return settled.value
    raise UnresolvedError(
        f"expected the formula to {accuracy:.0e} from averages of {ATTEMPTS[-1]} digits, got an error of "
        f"{settled.relative:.0e}, since its terms cancel; use predict(), which has no such terms"
    )


def _settled(formula: Any, n: Kind, accuracy: float) -> Estimate:
    """Return the number from averages of one kind, in an arithmetic of so many digits that more change nothing."""
    digits = SPARE + (20 if n is FLOAT64 else n.digits)  # type: ignore[attr-defined]
    settled = _Arithmetic(n, digits).of(formula)
    while True:
        digits *= 2
        before, settled = settled, _Arithmetic(n, digits).of(formula)
        if abs(settled.value - before.value) <= max(AGREE * accuracy * abs(settled.value), settled.error):
            return settled


@final
@dataclass(frozen=True)
class _Unit:
    """A function of a unit: its name and formula, what it says of one datum, and symbols for its moments."""

    function: tuple[Any, ...]
    numbers: tuple[Any, ...]
    moments: Moments

    def is_of(self, function: tuple[Any, ...], numbers: tuple[Any, ...], rounding: Any) -> bool:
        """Return whether the function and the numbers are these, up to rounding."""
        pairs = zip(numbers, self.numbers, strict=True)
        return self.function == function and all(abs(x - y) <= rounding * abs(y) for x, y in pairs)


@final
@dataclass(frozen=True)
class _Arithmetic:
    """Evaluation with averages of the kind n, and with so many digits in all other operations."""

    n: Kind
    digits: int
    computed: dict[Any, Estimate] = field(default_factory=dict)
    """Numbers of symbols and of formulas so far: averages in averages occur many times."""

    def of(self, formula: Any) -> Estimate:
        """Return the number of a formula."""
        if formula not in self.computed:
            if isinstance(formula, Recursion):
                _, result, steps = formula.args
                for symbol, value in steps:
                    self.computed[symbol] = self.of(value)
                return self.of(result)
            self.computed[formula] = self._propagated(self._in_moments(formula))
        return self.computed[formula]

    def _propagated(self, formula: Any) -> Estimate:
        """Return the number of a formula without averages, with the sum of what the errors of its symbols change."""
        symbols = {symbol: self.computed[symbol] for symbol in formula.free_symbols}
        middle = {symbol: estimate.value for symbol, estimate in symbols.items()}

        def at(values: dict[Any, Any]) -> Any:
            return sp.N(formula.xreplace(values), self.digits)

        value = at(middle)
        moved = [(symbol, estimate.value + estimate.error) for symbol, estimate in symbols.items() if estimate.error]
        return Estimate(value, sum(abs(at({**middle, symbol: there}) - value) for symbol, there in moved))

    def _in_moments(self, formula: Any) -> Any:
        """Return the formula with averages in symbols for mean, var_mu and var_chi, whose numbers are known then."""
        meanings, units, new = dict[Any, Any](), list[_Unit](), set[Any]()
        # products of two data first: their units have the same means and squares as one datum
        for average in sorted(_outermost(formula), key=lambda part: part.part != "product"):
            numbers = [self.of(x) for x in average.numbers]
            function, one = average.function, average.of_one_datum(*(x.value for x in numbers))
            rounding = sp.Float(10) ** -(self.digits // 2)
            unit = next((unit for unit in units if unit.is_of(function, one, rounding)), None)
            if unit is None or average.part == "product":
                unit = _Unit(function, one, Moments(*(sp.Dummy(real=True) for _ in range(3))))
                units.append(unit)
                symbols = unit.moments.mean, unit.moments.var_mu, unit.moments.var_chi
                self.computed.update(zip(symbols, self._computed(average, numbers), strict=True))
                new.update(symbols)
            meanings[average] = average.taken_from(unit.moments)
        written = formula.xreplace(meanings)
        return written.replace(lambda part: part.is_Add and part.free_symbols & new and _is_short(part), sp.expand)

    def _computed(self, average: Average, numbers: Sequence[Estimate]) -> list[Estimate]:
        """Return mean, var_mu and var_chi from quadrature, with its errors and those of the numbers of the unit."""

        def at(values: Sequence[Any]) -> Moments:
            return average.computed(self.n, [self._rounded(value) for value in values])

        values = [x.value for x in numbers]
        x = at(values)
        mean, var_mu, var_chi = moments = [self._exactly(part) for part in (x.mean, x.var_mu, x.var_chi)]
        of_product = float(x.error) * (mean * mean + var_mu)
        of_mean = min(of_product / (2 * abs(mean)), sp.sqrt(of_product)) if mean else 0
        errors = [of_mean, of_product, float(x.error) * var_chi]
        for i, estimate in enumerate(numbers):
            if estimate.error:
                y = at([*values[:i], values[i] + estimate.error, *values[i + 1 :]])
                moved = (self._exactly(part) for part in (y.mean, y.var_mu, y.var_chi))
                errors = [
                    error + abs(after - before) for error, before, after in zip(errors, moments, moved, strict=True)
                ]
        return [Estimate(*pair) for pair in zip(moments, errors, strict=True)]

    def _rounded(self, value: Any) -> Any:
        """Return a number of a unit with the digits of the averages, so that equal ones are computed once."""
        return sp.Float(float(value)) if self.n is FLOAT64 else sp.Float(value, self.n.digits + 5)  # type: ignore[attr-defined]

    def _exactly(self, value: Any) -> Any:
        """Return a number of the kind n as one of SymPy."""
        return sp.Float(float(value) if self.n is FLOAT64 else str(value), self.digits)


def _is_short(part: Any) -> bool:
    return bool(part.count_ops() <= EXPANDED)


def _outermost(expression: Any) -> set[Any]:
    """Return the averages in an expression that are not part of another average."""
    if isinstance(expression, Average):
        return {expression}
    return set().union(*map(_outermost, expression.args))
