"""Expressions for quantities of deep networks, which are evaluated layer by layer."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, final

import sympy as sp

GUARD = 10
"""Guard digits of the first attempt."""
STEP = 10
"""Digits are rounded up to a multiple of this, since SymPy evaluates an expression repeatedly to find its sign."""


@final
class Recursion(sp.Expr):  # type: ignore[misc]
    """An expression in symbols that are defined step by step, for a formula that would be too long in full.

    Arguments: the name that is printed, the expression, and pairs (symbol, its value in terms of earlier symbols).
    `evalf` computes the steps one after the other, and `doit` returns the formula in full.
    """

    is_commutative = True

    def __new__(cls, name: Any, result: Any, steps: Any) -> "Recursion":
        return sp.Expr.__new__(cls, name, result, sp.Tuple(*(sp.Tuple(*step) for step in steps)))  # type: ignore[no-any-return]

    @property
    def free_symbols(self) -> set[Any]:
        """Symbols without a value."""
        _, result, steps = self.args
        inner = set().union(result.free_symbols, *(value.free_symbols for _, value in steps))
        return inner - {symbol for symbol, _ in steps}

    @property
    def is_number(self) -> bool:
        """Whether all symbols have values."""
        return not self.free_symbols

    def doit(self, **hints: Any) -> Any:
        """Return the formula in full."""
        return self.through(lambda value: value)

    def through(self, computed: Callable[[Any], Any]) -> Any:
        """Return the result, with `computed` applied to every value before it is inserted into later ones."""
        _, result, steps = self.args
        values: dict[Any, Any] = {}
        for symbol, value in steps:
            values[symbol] = computed(value.xreplace(values))
        return computed(result.xreplace(values))

    def _eval_is_extended_nonnegative(self) -> bool:
        return True

    def _eval_evalf(self, prec: int) -> Any:
        digits = int(prec * 0.30103) + 1
        return None if self.free_symbols else sp.Float(_value(self, -(-digits // STEP) * STEP), digits)

    def _sympystr(self, printer: Any) -> str:
        return str(printer.doprint(self.args[0]))

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        name = printer.doprint(self.args[0])
        return f"{{{name}}}^{{{exp}}}" if exp else str(name)

    def _pretty(self, printer: Any) -> Any:
        return printer._print(self.args[0])  # noqa: SLF001 - the interface of SymPy's printers


@lru_cache(maxsize=1024)
def _value(recursion: Recursion, digits: int) -> Any:
    """Return the value, computed with more and more guard digits until two attempts agree."""
    guard, before = GUARD, None
    while True:
        here = digits + guard
        value = recursion.through(lambda x: sp.N(x, here))  # noqa: B023 - it is called at once
        if before is not None and abs(value - before) <= abs(value) * sp.Float(10) ** -digits:
            return value
        guard, before = 2 * guard, value
