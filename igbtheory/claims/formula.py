"""The statement of a claim as SymPy relations: its LaTeX, its quantities, and its counter-example in Python."""

import keyword
from functools import cache
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

NAMES = {"sigma_w2": r"\sigma_w^2", "sigma_b2": r"\sigma_b^2", "chi_1": r"\chi_1"}
"""LaTeX of symbols that SymPy would print differently."""
IMPORTS = {"igb": "import igbtheory as igb", "np": "import numpy as np"}
"""Imports that are added to a counter-example, by the names that it uses."""


def equation(left: Any, right: Any) -> Any:
    """Return an equation that SymPy does not evaluate.

    left: an expression of quantities, or the name of one quantity in LaTeX. Fractions, powers, limits and means belong
    into an expression, because evidence cannot tell names such as gamma/l^2 and gamma/l^3 apart.

    right: an expression.

    >>> import sympy
    >>> igb.claims.equation(sympy.Symbol("x"), 2)
    Eq(x, 2)
    """
    return sp.Eq(sp.Symbol(left) if isinstance(left, str) else left, right, evaluate=False)


def value_of(wanted: Any, stated: Any) -> Any:
    """Return what a statement gives for a quantity that one of its equations has on the left-hand side.

    Sums, factors and powers that stand around the quantity are brought to the right-hand side.
    ValueError: not exactly one equation has this quantity on its left-hand side, or it stands inside a function.

    wanted: the quantity. stated: equations.

    >>> import sympy
    >>> x, y = sympy.symbols("x y")
    >>> igb.claims.value_of(x, igb.claims.equation(2 * x, y))
    y/2
    """
    equations = [part for part in relations_of(stated) if isinstance(part, sp.Eq) and part.lhs.has(wanted)]
    if len(equations) != 1:
        raise ValueError(f"expected one equation with {wanted} on its left-hand side, got {len(equations)} in {stated}")
    left, right = equations[0].args
    while left != wanted:
        (inside,) = [part for part in left.args if part.has(wanted)]
        if isinstance(left, sp.Mul):
            right = right * inside / left
        elif isinstance(left, sp.Add):
            right = right + inside - left
        elif isinstance(left, sp.Pow) and left.base == inside:
            right = right ** (1 / left.exp)
        else:
            raise ValueError(f"{wanted} stands inside {left.func}; substitute its value on the left-hand side instead")
        left = inside
    return right


def relations_of(stated: Any) -> tuple[Any, ...]:
    """Return the relations of a statement."""
    return tuple(stated) if isinstance(stated, tuple | list) else (stated,)


def latex(stated: Any) -> str:
    """Return the LaTeX of a statement, which may be LaTeX already."""
    return r", \qquad ".join(part if isinstance(part, str) else _latex(part) for part in relations_of(stated))


class Integral(sp.Integral):  # type: ignore[misc]
    """An integral that is printed as it stands: SymPy would compute what it takes for a number, to put terms in order.

    SymPy's printer knows it by its name.
    """

    is_number = False

    @classmethod
    def of(cls, *arguments: Any) -> Any:
        """Return the integral with its exponentials as they stand."""
        integral = cls(*arguments)
        return integral.xreplace({power: exp(power.exp) for power in integral.atoms(sp.exp) if power.exp.free_symbols})


class exp(sp.Function):  # type: ignore[misc]  # noqa: N801 - SymPy puts it in order by its name
    """An exponential that is printed as it stands: SymPy would simplify its exponent, to see whether it is constant."""

    def _latex(self, printer: Any) -> str:
        return f"e^{{{printer.doprint(self.args[0])}}}"


def _latex(part: Any) -> str:
    part = part.replace(sp.Integral, Integral.of)
    symbols = {symbol: NAMES[symbol.name] for symbol in part.atoms(sp.Symbol) if symbol.name in NAMES}
    return str(sp.latex(part, symbol_names=symbols))


def evaluated(expression: Any) -> Any:
    """Return an expression with its integrals and limits done, each of them once in a process."""
    done = {part: _done(part) for part in expression.atoms(sp.Integral, sp.Limit)}
    return expression.xreplace(done).doit()


@cache
def _done(part: Any) -> Any:
    """Return an integral or a limit done; of a ratio of polynomials, what cancels is left out before."""
    inside, variable, *_ = part.args
    if isinstance(part, sp.Limit) and inside.is_rational_function(variable):
        part = part.func(sp.cancel(inside), *part.args[1:])
    return part.doit()


def sides(stated: Any) -> tuple[Any, ...]:
    """Return the right-hand sides of the relations of a statement; an expression is its own."""
    return tuple(getattr(part, "rhs", part) for part in relations_of(stated) if not isinstance(part, str))


def program(stated: Any, code: str) -> str:
    """Return the code as a complete program, with the imports of `igb` and `np` if it uses them.

    If the code uses `printed`, the program defines it as the right-hand side of the statement, or as several of them.
    """
    imports = [line for name, line in IMPORTS.items() if f"{name}." in code and line not in code]
    code = "\n".join([*imports, code.strip()])
    values = sides(stated)
    if not values or "printed" not in code:
        return code
    functions = sorted({applied.func.__name__ for value in values for applied in value.atoms(AppliedUndef)})
    names = sorted({symbol.name for value in values for symbol in value.atoms(sp.Symbol)})
    for name in (*names, *functions):
        if not name.isidentifier() or keyword.iskeyword(name):
            raise ValueError(f"expected symbols with names that Python takes for a counter-example, got {name!r}")
    declared = [f"{name} = Symbol({name!r})" for name in names]
    declared += [f"{name} = Function({name!r})" for name in functions]
    said = ", ".join(map(sp.sstr, values))
    return "\n".join(["from sympy import *", *declared, f"printed = {said}", code])
