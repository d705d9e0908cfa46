"""The reader of formulas: text to tree over Python's grammar, with a whitelist; nothing is ever executed."""

import ast
from collections.abc import Callable
from fractions import Fraction

from igbtheory.activations.tree import (
    ONE,
    PI,
    ZERO,
    E,
    Tree,
    X,
    add,
    call,
    choice,
    mul,
    number,
    power,
)
from igbtheory.numbers.kind import ELEMENTARY

LONGEST = 1000
DEEPEST = 50
LARGEST_EXPONENT = 64
LARGEST_NUMBER = 1e100
MOST_DIGITS = 60

FUNCTIONS: dict[str, tuple[int, Callable[..., Tree]]] = {
    **{name: (1, lambda a, name=name: call(name, a)) for name in ELEMENTARY},
    "abs": (1, lambda a: choice(a, a, -a)),
    "sign": (1, lambda a: choice(a, ONE, -ONE)),
    "Heaviside": (1, lambda a: choice(a, ONE, ZERO)),
    "max": (2, lambda a, b: choice(add(a, -b), a, b)),
    "min": (2, lambda a, b: choice(add(a, -b), b, a)),
}
_NAMES = {"x": X, "pi": PI, "E": E}
_ALLOWED = f"allowed are x, numbers, pi, E, + - * / **, comparisons, where(condition, a, b), {', '.join(FUNCTIONS)}"


def read(text: str) -> Tree:
    """Tree of a formula in x, for example "where(x > 0, x, x/10)" or "x*tanh(x)".

    Raises ValueError with the column and the reason where the text is not such a formula.
    """
    if len(text) > LONGEST:
        raise ValueError(f"expected a formula of at most {LONGEST} characters, got {len(text)}")
    try:
        body = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        column = getattr(error, "offset", None) or len(text) + 1
        raise ValueError(f"cannot read the formula {text!r} at column {column}: {_ALLOWED}") from None
    return _Reader(text).tree(body, DEEPEST)


class _Reader:
    """One reading: the text, for the sentences of its errors."""

    def __init__(self, text: str) -> None:
        self.text = text

    def refusal(self, node: ast.AST, reason: str) -> ValueError:
        column = getattr(node, "col_offset", 0) + 1
        return ValueError(f"in the formula {self.text!r} at column {column}: {reason}; {_ALLOWED}")

    def tree(self, node: ast.expr, depth: int) -> Tree:
        """Tree of an expression nested at most `depth` deep."""
        if not depth:
            raise self.refusal(node, f"nested deeper than {DEEPEST} levels")
        match node:
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                return self._number(node, value)
            case ast.Name(id=name) if name in _NAMES:
                return _NAMES[name]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self.tree(operand, depth - 1)
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self.tree(operand, depth - 1)
            case ast.BinOp(left=left, op=op, right=right):
                return self._operation(node, op, self.tree(left, depth - 1), self.tree(right, depth - 1))
            case ast.Call(func=ast.Name(id="where"), args=[test, yes, no], keywords=[]):
                branches = self.tree(yes, depth - 1), self.tree(no, depth - 1)
                return self._where(test, *branches, depth - 1)
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in FUNCTIONS:
                arity, function = FUNCTIONS[name]
                if len(arguments) != arity:
                    raise self.refusal(node, f"{name} takes {arity} argument(s), got {len(arguments)}")
                return function(*(self.tree(argument, depth - 1) for argument in arguments))
            case ast.Name(id=name):
                raise self.refusal(node, f"unknown name {name!r}")
            case _:
                raise self.refusal(node, f"{type(node).__name__} has no meaning in a formula")

    def _number(self, node: ast.expr, value: float) -> Tree:
        literal = ast.get_source_segment(self.text.strip(), node) or repr(value)
        if not abs(value) <= LARGEST_NUMBER or len(literal) > MOST_DIGITS:
            raise self.refusal(
                node, f"{literal!r} is larger than {LARGEST_NUMBER:g} or longer than {MOST_DIGITS} digits"
            )
        try:
            return number(Fraction(literal))
        except ValueError:
            raise self.refusal(node, f"{literal!r} is not a decimal number") from None

    def _operation(self, node: ast.expr, op: ast.operator, left: Tree, right: Tree) -> Tree:
        match op:
            case ast.Add():
                return add(left, right)
            case ast.Sub():
                return add(left, -right)
            case ast.Mult():
                return mul(left, right)
            case ast.Div() if right != ZERO:
                return mul(left, power(right, number(-1)))
            case ast.Pow():
                return self._power(node, left, right)
            case _:
                raise self.refusal(node, f"{type(op).__name__} is not possible here")

    def _power(self, node: ast.expr, base: Tree, exponent: Tree) -> Tree:
        value = getattr(exponent, "value", None)
        if isinstance(value, Fraction) and abs(value) > LARGEST_EXPONENT:
            raise self.refusal(node, f"the exponent is larger than {LARGEST_EXPONENT}")
        if base == ZERO and not (isinstance(value, Fraction) and value > 0):
            raise self.refusal(node, "zero to this power is not a number")
        return power(base, exponent)

    def _where(self, test: ast.expr, yes: Tree, no: Tree, depth: int) -> Tree:
        match test:
            case ast.Compare(left=left, ops=[ast.Gt() | ast.GtE()], comparators=[right]):
                return choice(add(self.tree(left, depth), -self.tree(right, depth)), yes, no)
            case ast.Compare(left=left, ops=[ast.Lt() | ast.LtE()], comparators=[right]):
                return choice(add(self.tree(right, depth), -self.tree(left, depth)), yes, no)
            case _:
                raise self.refusal(test, "a condition compares two formulas with <, <=, > or >=")
