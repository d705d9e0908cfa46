"""Formulas as trees of exact numbers, x, sums, products, powers, calls and choices.

The constructors `add`, `mul`, `power`, `call` and `choice` return a tree in normal form: sums and products are flat,
sorted and collected, and the arguments of odd functions have no minus sign. Formulas that differ only in such respects
are therefore equal trees.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import floor
from typing import Any, final

import numpy as np

from igbtheory.mathematics.numbers import FLOAT64, Kind

LARGEST_POWER = 10_000
"""Largest power of a number that is evaluated exactly: one of 5e-324 has 11 million bits then."""


class Tree:
    """A formula in x, which is one of the nine final classes below."""

    __slots__ = ()

    def __neg__(self) -> "Tree":
        return mul(Number(Fraction(-1)), self)


@final
@dataclass(frozen=True, slots=True)
class Number(Tree):
    """An exact rational number."""

    value: Fraction


@final
@dataclass(frozen=True, slots=True)
class Constant(Tree):
    """The number pi or e, by name."""

    name: str


@final
@dataclass(frozen=True, slots=True)
class Parameter(Tree):
    """A SymPy symbol that stands for a number and remains in derived formulas."""

    symbol: Any


@final
@dataclass(frozen=True, slots=True)
class Variable(Tree):
    """The pre-activation x."""


@final
@dataclass(frozen=True, slots=True)
class Sum(Tree):
    """A sum of at least two terms."""

    terms: tuple[Tree, ...]


@final
@dataclass(frozen=True, slots=True)
class Product(Tree):
    """A product of at least two factors, a number first."""

    factors: tuple[Tree, ...]


@final
@dataclass(frozen=True, slots=True)
class Power(Tree):
    """A power base^exponent."""

    base: Tree
    exponent: Tree


@final
@dataclass(frozen=True, slots=True)
class Call(Tree):
    """A function of one argument, by its name in `numbers.ELEMENTARY` or "floor"."""

    name: str
    argument: Tree


@final
@dataclass(frozen=True, slots=True)
class Choice(Tree):
    """The formula `yes` where test >= 0, and `no` elsewhere."""

    test: Tree
    yes: Tree
    no: Tree


ZERO, ONE, X = Number(Fraction(0)), Number(Fraction(1)), Variable()
PI, E = Constant("pi"), Constant("E")
ODD = frozenset({"sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh", "erf"})
EVEN = frozenset({"cos", "cosh", "sech"})


def number(value: Fraction | int | str) -> Number:
    """Return `value` as an exact number."""
    return Number(Fraction(value))


def _coefficient(tree: Tree) -> tuple[Fraction, Tree]:
    """Return the rational coefficient of a formula and the rest."""
    match tree:
        case Number(value):
            return value, ONE
        case Product((Number(value), *rest)):
            return value, rest[0] if len(rest) == 1 else Product(tuple(rest))
        case _:
            return Fraction(1), tree


def _rank(tree: Tree) -> tuple[bool, str]:
    """Return the sort key of terms and factors: numbers first, then by their text."""
    return not isinstance(tree, Number), repr(tree)


def _exponent(tree: Tree) -> tuple[Tree, Tree]:
    """Return the base and the exponent of a factor."""
    match tree:
        case Power(base, exponent):
            return base, exponent
        case Call("sqrt", argument):
            return argument, number("1/2")
        case _:
            return tree, ONE


def is_negative(tree: Tree) -> bool:
    """Return whether the leading coefficient is negative."""
    return _coefficient(tree.terms[0] if isinstance(tree, Sum) else tree)[0] < 0


def add(*terms: Tree) -> Tree:
    """Return the sum of the terms, with like terms collected."""
    collected: dict[Tree, Fraction] = {}
    for term in (t for group in terms for t in (group.terms if isinstance(group, Sum) else (group,))):
        value, rest = _coefficient(term)
        collected[rest] = collected.get(rest, Fraction(0)) + value
    _without_cancellation(collected)
    ordered = sorted((mul(Number(value), rest) for rest, value in collected.items() if value), key=_rank)
    return Sum(tuple(ordered)) if len(ordered) > 1 else ordered[0] if ordered else ZERO


def _without_cancellation(collected: dict[Tree, Fraction]) -> None:
    """Replace c exp(a) - c by c expm1(a) and c sigmoid(a) - c/2 by c tanh(a/2)/2, which do not cancel at small a."""
    for rest, value in list(collected.items()):
        if isinstance(rest, Call) and rest.name in _LESS and value:
            at_zero, less = _LESS[rest.name]
            if collected.get(ONE) == -value * at_zero:
                collected.pop(rest)
                collected.pop(ONE)
                factor, smaller = _coefficient(less(rest.argument))
                collected[smaller] = collected.get(smaller, Fraction(0)) + value * factor


_LESS: dict[str, tuple[Fraction, Callable[[Tree], Tree]]] = {
    "exp": (Fraction(1), lambda a: Call("expm1", a)),
    "sigmoid": (Fraction(1, 2), lambda a: mul(number("1/2"), call("tanh", mul(number("1/2"), a)))),
}
"""The value at 0, and the function minus this value."""


def mul(*factors: Tree) -> Tree:
    """Return the product of the factors, with equal bases collected and a number multiplied into a single sum."""
    value, collected = Fraction(1), dict[Tree, Tree]()
    for factor in (f for group in factors for f in (group.factors if isinstance(group, Product) else (group,))):
        if isinstance(factor, Number):
            value *= factor.value
        else:
            base, exponent = _exponent(factor)
            collected[base] = add(collected.get(base, ZERO), exponent)
    _exp_times_sigmoid(collected)
    kept = []
    for base, exponent in collected.items():
        coefficient, rest = _coefficient(power(base, exponent))
        value *= coefficient
        kept += [rest] if rest != ONE else []
    if not value or not kept:
        return Number(value)
    if value != 1 and len(kept) == 1 and isinstance(kept[0], Sum):
        return add(*(mul(Number(value), term) for term in kept[0].terms))
    kept.sort(key=_rank)
    return Product((Number(value), *kept)) if value != 1 else Product(tuple(kept)) if len(kept) > 1 else kept[0]


def _exp_times_sigmoid(collected: dict[Tree, Tree]) -> None:
    """Replace exp(a)/(1 + exp(a)) by sigmoid(a), which never overflows."""
    for base, exponent in list(collected.items()):
        if isinstance(base, Call) and base.name == "exp" and exponent == ONE:
            other = Call("sigmoid", -base.argument)
            if collected.get(other) == ONE:
                del collected[base], collected[other]
                collected[Call("sigmoid", base.argument)] = ONE


def _evaluated(value: Fraction, n: int) -> Fraction:
    if abs(n) > LARGEST_POWER:
        raise ValueError(f"expected powers of numbers up to {LARGEST_POWER}, got one to {float(n):.3g}; write less")
    return value**n


def power(base: Tree, exponent: Tree) -> Tree:
    """Return a power; integer powers of numbers and products are evaluated. ZeroDivisionError: division by 0."""
    match base, exponent:
        case Number(value), Number(n) if value == 0 and n < 0:
            raise ZeroDivisionError("division by zero")
        case _, Number(value) if value == 0:
            return ONE
        case _, Number(value) if value == 1 or base in (ZERO, ONE):
            return base
        case Number(value), Number(n) if n.denominator == 1 and (value or n > 0):
            return Number(_evaluated(value, int(n)))
        case _, Number(value) if value == Fraction(1, 2):
            return call("sqrt", base)
        case Sum((Number(value), Call("exp", argument))), Number(n) if value == 1 and n == -1:
            return call("sigmoid", -argument)
        case Call("cosh", argument), Number(value) if value < 0:
            return power(call("sech", argument), Number(-value))
        case Product(factors), Number(n) if n.denominator == 1:
            return mul(*(power(f, exponent) for f in factors))
        case Power(inner, Number(m)), Number(n) if n.denominator == 1:
            return power(inner, Number(m * n))
        case Constant("E"), _:
            return call("exp", exponent)
        case _:
            return Power(base, exponent)


_AT_ZERO: dict[str, Tree] = {
    **dict.fromkeys(("exp", "cos", "cosh", "sech", "erfc"), ONE),
    **dict.fromkeys(("sqrt", "expm1", *ODD), ZERO),
    "sigmoid": number("1/2"),
}


def call(name: str, argument: Tree) -> Tree:
    """Return a function of a formula; a minus sign moves out of an odd function and out of an even one vanishes."""
    if argument == ZERO and name in _AT_ZERO:
        return _AT_ZERO[name]
    if name == "log" and argument == ONE:
        return ZERO
    if name in ODD and is_negative(argument):
        return -Call(name, -argument)
    if name in EVEN and is_negative(argument):
        return Call(name, -argument)
    match name, argument:
        case "floor", Number(value):
            return Number(Fraction(floor(value)))
        case "floor", _ if not varies(argument) and not symbols(argument) and evaluate(argument, FLOAT64, 0.0) % 1:
            return Number(Fraction(floor(evaluate(argument, FLOAT64, 0.0))))
        case "log", Sum((Number(value), Call("exp", inner))) if value == 1:
            return Call("softplus", inner)
        case "log", Call("sigmoid", inner):
            return -Call("softplus", -inner)
        case "log", Call("exp", inner):
            return inner
        case "log", Product(factors) if all(map(_is_positive, factors)):
            return add(*(call("log", factor) for factor in factors))  # the product may overflow
        case "log", Sum((Number(value), *rest)) if value == 1:
            return Call("log1p", add(*rest))
        case _:
            return Call(name, argument)


def _is_positive(tree: Tree) -> bool:
    """Return whether a formula is obviously positive: a positive number, an exponential, or a sum of such terms."""
    match tree:
        case Number(value):
            return value > 0
        case Call("exp" | "sigmoid" | "cosh" | "sech", _):
            return True
        case Sum(terms):
            return all(map(_is_positive, terms))
        case _:
            return False


def choice(test: Tree, yes: Tree, no: Tree) -> Tree:
    """Return the formula that is `yes` where test >= 0 and `no` elsewhere; a constant test is evaluated."""
    if isinstance(test, Number):
        return yes if test.value >= 0 else no
    if yes == no:
        return yes
    return Choice(test, yes, no)


def children(tree: Tree) -> tuple[Tree, ...]:
    """Return the direct parts of a formula."""
    match tree:
        case Sum(operands) | Product(operands):
            return operands
        case Power(base, exponent):
            return base, exponent
        case Call(_, argument):
            return (argument,)
        case Choice(test, yes, no):
            return test, yes, no
        case _:
            return ()


def rebuild(tree: Tree, operands: tuple[Tree, ...]) -> Tree:
    """Return a formula with its direct parts replaced, in normal form."""
    match tree:
        case Sum():
            return add(*operands)
        case Product():
            return mul(*operands)
        case Power():
            return power(*operands)
        case Call(name, _):
            return call(name, *operands)
        case Choice():
            return choice(*operands)
        case _:
            return tree


def symbols(tree: Tree) -> frozenset[Any]:
    """Return the SymPy symbols in a formula."""
    if isinstance(tree, Parameter):
        return frozenset({tree.symbol})
    return frozenset().union(*map(symbols, children(tree)))


def varies(tree: Tree) -> bool:
    """Return whether a formula contains x."""
    return isinstance(tree, Variable) or any(map(varies, children(tree)))


def is_split(tree: Tree) -> bool:
    """Return whether a formula contains no floor and no choice, such as where, max and abs."""
    changes = isinstance(tree, Choice) or (isinstance(tree, Call) and tree.name == "floor")
    return not changes and all(map(is_split, children(tree)))


def substitute(tree: Tree, new: Tree, old: Tree = X) -> Tree:
    """Return a formula with `old`, which is x or a parameter, replaced by `new`."""
    if tree == old:
        return new
    return rebuild(tree, tuple(substitute(part, new, old) for part in children(tree)))


def evaluate(tree: Tree, n: Kind, x: Any) -> Any:
    """Return the values of a formula at x, in the kind n; only double precision supports choices and floor."""
    match tree:
        case Variable():
            return x
        case Number(value):
            return n.number(value)
        case Parameter(symbol):
            if not n.symbolic:
                raise TypeError(
                    f"expected a number for {symbol}, got a symbol, which derive() alone keeps, and not as a bound or "
                    "an exponent; pass a number"
                )
            return symbol
        case Constant(name):
            return n.pi if name == "pi" else evaluate(Call("exp", ONE), n, x)
        case Sum(terms):
            return reduce(lambda a, b: a + b, (evaluate(term, n, x) for term in terms))
        case Product(factors):
            return reduce(lambda a, b: a * b, (evaluate(factor, n, x) for factor in factors))
        case Power(base, Number(value)) if value.denominator == 1:
            return _integer_power(evaluate(base, n, x), int(value))
        case Power(base, exponent):
            return evaluate(base, n, x) ** evaluate(exponent, n, x)
        case Choice() | Call("floor", _):
            return _unsplit(tree, n, x)
        case Call(name, argument):
            value = evaluate(argument, n, x)
            image = getattr(n, name)(value)
            # a constant remains a Python float, which does not promote float32 arrays
            return float(image) if type(value) is float else image
        case _:
            raise TypeError(f"expected a formula, got {tree!r}")


def _unsplit(tree: Tree, n: Kind, x: Any) -> Any:
    """Return the values of a choice or of floor, which remain in formulas with too many kinks or jumps."""
    if n is not FLOAT64:
        raise ValueError(
            "expected an activation with fewer kinks or jumps for more digits, balls or formulas; use predict()"
        )
    first, *branches = (evaluate(part, n, x) for part in children(tree))
    if not isinstance(tree, Choice):
        return np.floor(first)
    return np.where(
        np.isnan(first), first, np.where(first >= 0, *branches)
    )  # an undefined test has an undefined result


def _integer_power(base: Any, exponent: int) -> Any:
    if exponent < 0:
        return 1 / _integer_power(base, -exponent)
    if exponent < 2:
        return base if exponent else 1
    half = _integer_power(base, exponent // 2)
    return half * half * base if exponent % 2 else half * half
