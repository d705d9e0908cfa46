"""What a claim states, as one SymPy expression: its LaTeX, its Python, and the numbers in it."""

import keyword
from collections.abc import Iterator
from typing import Any

NAMES = {"sigma_w2": r"\sigma_w^2", "sigma_b2": r"\sigma_b^2", "chi_1": r"\chi_1"}
"""LaTeX of symbols that SymPy would print otherwise."""
IMPORTS = {"igb": "import igbtheory as igb", "np": "import numpy as np"}
"""What a counter-example need not import itself, by the name that it uses."""


def equation(left: str, right: Any) -> Any:
    """Return the statement that what `left` names in LaTeX equals a SymPy expression."""
    import sympy as sp  # noqa: PLC0415 - slow to load

    return sp.Eq(sp.Symbol(left), right, evaluate=False)


def parts(stated: Any) -> tuple[Any, ...]:
    """Return the relations of a statement."""
    return tuple(stated) if isinstance(stated, tuple | list) else (stated,)


def latex(stated: Any) -> str:
    """Return the LaTeX of a statement, which may be LaTeX already."""
    return r", \qquad ".join(part if isinstance(part, str) else _latex(part) for part in parts(stated))


def _latex(part: Any) -> str:
    import sympy as sp  # noqa: PLC0415 - slow to load

    symbols = {symbol: NAMES[symbol.name] for symbol in part.atoms(sp.Symbol) if symbol.name in NAMES}
    return str(sp.latex(part, symbol_names=symbols))


def sides(stated: Any) -> tuple[Any, ...]:
    """Return the right-hand sides of the relations of a statement; an expression is its own."""
    return tuple(getattr(part, "rhs", part) for part in parts(stated) if not isinstance(part, str))


def program(stated: Any, code: str) -> str:
    """Return code as a program of its own, with the imports of `igb` and `np` where it uses them.

    If it uses `printed`, that is the right-hand side as printed, or several.
    """
    imports = [line for name, line in IMPORTS.items() if f"{name}." in code and line not in code]
    code = "\n".join([*imports, code.strip()])
    values = sides(stated)
    if not values or "printed" not in code:
        return code
    import sympy as sp  # noqa: PLC0415 - slow to load
    from sympy.core.function import AppliedUndef  # noqa: PLC0415 - as above

    functions = sorted({applied.func.__name__ for value in values for applied in value.atoms(AppliedUndef)})
    names = sorted({symbol.name for value in values for symbol in value.atoms(sp.Symbol)})
    for name in (*names, *functions):
        if not name.isidentifier() or keyword.iskeyword(name):
            raise ValueError(f"expected symbols with names that Python takes for a counter-example, got {name!r}")
    declared = [f"{name} = Symbol({name!r})" for name in names]
    declared += [f"{name} = Function({name!r})" for name in functions]
    said = ", ".join(map(sp.sstr, values))
    return "\n".join(["from sympy import *", *declared, f"printed = {said}", code])


def mutants(stated: Any) -> Iterator[Any]:
    """Return the statement with each number on a right-hand side changed in turn: by a tenth, and 0 to 1/10."""
    import sympy as sp  # noqa: PLC0415 - slow to load

    relations = parts(stated)
    for i, part in enumerate(relations):
        if isinstance(part, str):
            continue
        right = getattr(part, "rhs", part)
        for path in _numbers(right, sp):
            changed = _changed(right, path, sp)
            other = part.func(part.lhs, changed, evaluate=False) if hasattr(part, "rhs") else changed
            found = (*relations[:i], other, *relations[i + 1 :])
            yield found if isinstance(stated, tuple | list) else found[0]


def _numbers(expression: Any, sp: Any, path: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """Return the places of the numbers of an expression, apart from signs (a factor -1) and infinity."""
    if isinstance(expression, sp.Number) or expression in (sp.pi, sp.E):
        if expression.is_finite and (expression != -1 or not path):
            yield path
        return
    for i, part in enumerate(expression.args):
        yield from _numbers(part, sp, (*path, i))


def _changed(expression: Any, path: tuple[int, ...], sp: Any) -> Any:
    if not path:
        return sp.Rational(1, 10) if expression == 0 else expression * sp.Rational(11, 10)
    arguments = list(expression.args)
    arguments[path[0]] = _changed(arguments[path[0]], path[1:], sp)
    return expression.func(*arguments)
