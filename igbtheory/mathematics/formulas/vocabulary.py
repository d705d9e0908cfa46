"""The functions that a formula may contain, by their names, for all readers of formulas.

A condition is a formula that is 1 where the condition holds and 0 elsewhere.
"""

from collections.abc import Callable
from functools import partial

from igbtheory.mathematics.formulas.tree import ONE, ZERO, Choice, Tree, add, call, children, choice, mul, number, power
from igbtheory.mathematics.numbers.kind import ELEMENTARY

MOST_NODES = 1000
"""Largest number of nodes of a formula: its evaluation takes as many operations on arrays."""


def at_least(a: Tree, b: Tree) -> Tree:
    """Return the condition a >= b."""
    return choice(add(a, -b), ONE, ZERO)


def below(a: Tree, b: Tree) -> Tree:
    """Return the condition a < b."""
    return choice(add(a, -b), ZERO, ONE)


COMPARISONS: dict[str, Callable[[Tree, Tree], Tree]] = {
    **dict.fromkeys(("GtE", "ge", "greaterequal"), at_least),
    **dict.fromkeys(("LtE", "le", "lessequal"), lambda a, b: at_least(b, a)),
    **dict.fromkeys(("Lt", "lt", "less"), below),
    **dict.fromkeys(("Gt", "gt", "greater"), lambda a, b: below(b, a)),
}
"""Comparisons by their names in Python's grammar, in PyTorch and, folded, in NumPy."""


def where(condition: Tree, yes: Tree, no: Tree) -> Tree:
    """Return the formula that is `yes` where a condition holds and `no` elsewhere."""
    if isinstance(condition, Choice):
        return choice(condition.test, where(condition.yes, yes, no), where(condition.no, yes, no))
    return choice(add(condition, number("-1/2")), yes, no)


def both(a: Tree, b: Tree) -> Tree:
    """Return the condition that two conditions hold."""
    return where(a, b, ZERO)


def either(a: Tree, b: Tree) -> Tree:
    """Return the condition that at least one of two conditions holds."""
    return where(a, ONE, b)


def negated(a: Tree) -> Tree:
    """Return the condition that a condition does not hold."""
    return where(a, ZERO, ONE)


def size(tree: Tree, most: int) -> int:
    """Return the number of nodes of a tree; counting stops at `most`."""
    total, waiting = 0, [tree]
    while waiting and total < most:
        total += 1
        waiting.extend(children(waiting.pop()))
    return total


def _extreme(of_two: Callable[[Tree, Tree], Tree], *trees: Tree) -> Tree:
    """Return the maximum or minimum of formulas, halving them, because `of_two` contains both formulas twice.

    OverflowError: the tree becomes too large.
    """
    if len(trees) == 1:
        return trees[0]
    half = len(trees) // 2
    extreme = of_two(_extreme(of_two, *trees[:half]), _extreme(of_two, *trees[half:]))
    if size(extreme, MOST_NODES) >= MOST_NODES:
        raise OverflowError(f"the formula unfolds to more than {MOST_NODES} parts; use fewer arguments")
    return extreme


_maximum = partial(_extreme, lambda a, b: choice(add(a, -b), a, b))
_minimum = partial(_extreme, lambda a, b: choice(add(a, -b), b, a))


def _clip(a: Tree, low: Tree | None = None, high: Tree | None = None) -> Tree:
    above = a if low is None else _maximum(a, low)
    return above if high is None else _minimum(above, high)


def _floor(a: Tree) -> Tree:
    return call("floor", a)


FUNCTIONS: dict[str, tuple[int, Callable[..., Tree]]] = {
    **{name: (1, partial(call, name)) for name in ELEMENTARY},
    "abs": (1, lambda a: choice(a, a, -a)),
    "sign": (1, lambda a: choice(a, ONE, -ONE)),
    "Heaviside": (1, lambda a: choice(a, ONE, ZERO)),
    "where": (3, where),
    "clip": (3, _clip),
    "max": (2, _maximum),
    "min": (2, _minimum),
    "sec": (1, lambda a: power(call("cos", a), number(-1))),
    "cot": (1, lambda a: mul(call("cos", a), power(call("sin", a), number(-1)))),
    "coth": (1, lambda a: power(call("tanh", a), number(-1))),
    "floor": (1, _floor),
    "ceil": (1, lambda a: -_floor(-a)),
    "round": (1, lambda a: _floor(add(a, number("1/2")))),
    "frac": (1, lambda a: add(a, -_floor(a))),
    "mod": (2, lambda a, b: add(a, -mul(b, _floor(mul(a, power(b, number(-1))))))),
}
"""The number of arguments of every function, and the function of formulas."""
_ALIASES = {
    **{f"arc{name}": f"a{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    **dict.fromkeys(("Abs", "absolute", "fabs"), "abs"),
    **dict.fromkeys(("Max", "maximum", "fmax"), "max"),
    **dict.fromkeys(("Min", "minimum", "fmin"), "min"),
    "ln": "log",
    "heaviside": "Heaviside",
    "ceiling": "ceil",
    "Mod": "mod",
    "expit": "sigmoid",
}
FUNCTIONS |= {alias: FUNCTIONS[name] for alias, name in _ALIASES.items()}
VARIADIC = {name for name, (_, function) in FUNCTIONS.items() if function in (_maximum, _minimum)}
"""Functions that also take more arguments."""
