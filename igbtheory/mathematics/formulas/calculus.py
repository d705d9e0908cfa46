"""The derivative, the reflection and the degree of homogeneity of a formula."""

from collections.abc import Callable
from fractions import Fraction

from igbtheory.mathematics.formulas.tree import (
    ONE,
    PI,
    ZERO,
    Call,
    Choice,
    Constant,
    Number,
    Parameter,
    Power,
    Product,
    Sum,
    Tree,
    Variable,
    X,
    add,
    call,
    choice,
    mul,
    number,
    power,
    substitute,
)

_TWO = number(2)
_SLOPES: dict[str, Callable[[Tree], Tree]] = {
    "sqrt": lambda a: mul(number("1/2"), power(a, number("-1/2"))),
    "exp": lambda a: call("exp", a),
    "expm1": lambda a: call("exp", a),
    "log": lambda a: power(a, number(-1)),
    "log1p": lambda a: power(add(ONE, a), number(-1)),
    "sin": lambda a: call("cos", a),
    "cos": lambda a: -call("sin", a),
    "tan": lambda a: add(ONE, power(call("tan", a), _TWO)),
    "asin": lambda a: power(add(ONE, -power(a, _TWO)), number("-1/2")),
    "acos": lambda a: -power(add(ONE, -power(a, _TWO)), number("-1/2")),
    "atan": lambda a: power(add(ONE, power(a, _TWO)), number(-1)),
    "sinh": lambda a: call("cosh", a),
    "cosh": lambda a: call("sinh", a),
    # unlike 1 - tanh^2, it does not cancel where tanh is near 1
    "tanh": lambda a: power(call("sech", a), _TWO),
    "sech": lambda a: -mul(call("sech", a), call("tanh", a)),
    "asinh": lambda a: power(add(ONE, power(a, _TWO)), number("-1/2")),
    "acosh": lambda a: power(add(power(a, _TWO), number(-1)), number("-1/2")),
    "atanh": lambda a: power(add(ONE, -power(a, _TWO)), number(-1)),
    "erf": lambda a: mul(_TWO, power(PI, number("-1/2")), call("exp", -power(a, _TWO))),
    "erfc": lambda a: mul(number(-2), power(PI, number("-1/2")), call("exp", -power(a, _TWO))),
    "sigmoid": lambda a: mul(call("sigmoid", a), call("sigmoid", -a)),
    "softplus": lambda a: call("sigmoid", a),
    "floor": lambda _: ZERO,
}


def derivative(tree: Tree) -> Tree:
    """Return the derivative d/dx of a formula, valid away from its kinks."""
    match tree:
        case Variable():
            return ONE
        case Number() | Constant() | Parameter():
            return ZERO
        case Sum(terms):
            return add(*map(derivative, terms))
        case Product(factors):
            return add(*(mul(*factors[:i], derivative(factor), *factors[i + 1 :]) for i, factor in enumerate(factors)))
        case Power(base, Number() as exponent):
            return mul(exponent, power(base, add(exponent, number(-1))), derivative(base))
        case Power(base, exponent):
            return mul(tree, derivative(mul(exponent, call("log", base))))
        case Call(name, argument):
            inner = derivative(argument)
            return ZERO if inner == ZERO else mul(_SLOPES[name](argument), inner)  # also in log(0)
        case Choice(test, yes, no):
            return choice(test, derivative(yes), derivative(no))
        case _:
            raise TypeError(f"expected a formula, got {tree!r}")


def reflected(tree: Tree) -> Tree:
    """Return the formula of f(-x)."""
    return substitute(tree, -X)


def degree(tree: Tree) -> Fraction | None:
    """Return the p with f(a x) = a^p f(x) for a > 0, or None if the formula does not have the form b x^p."""
    match tree:
        case Number() | Constant() | Parameter() if tree != ZERO:
            return Fraction(0)
        case Variable():
            return Fraction(1)
        case Call("sqrt", argument):
            inner = degree(argument)
            return None if inner is None else inner / 2
        case Power(base, Number(value)):
            inner = degree(base)
            return None if inner is None else inner * value
        case Product(factors):
            degrees = [degree(factor) for factor in factors]
            powers = [d for d in degrees if d is not None]
            return sum(powers, Fraction(0)) if len(powers) == len(degrees) else None
        case _:
            return None
