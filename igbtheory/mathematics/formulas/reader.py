"""The reader of formulas as text. It accepts a small part of Python's grammar and never executes anything."""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial, reduce
from itertools import pairwise
from keyword import iskeyword
from typing import final

from igbtheory.foundations.checks import nearest
from igbtheory.foundations.saved import MOST_BITS
from igbtheory.mathematics.formulas.library_functions import GELU_TANH, SHAPES, WORDS
from igbtheory.mathematics.formulas.tree import (
    PI,
    ZERO,
    E,
    Number,
    Power,
    Tree,
    X,
    add,
    call,
    children,
    mul,
    number,
    power,
    substitute,
)
from igbtheory.mathematics.formulas.vocabulary import (
    COMPARISONS,
    FUNCTIONS,
    MOST_NODES,
    VARIADIC,
    both,
    either,
    negated,
    size,
    where,
)

# Limits of a text that may come from a stranger: within them it is read and evaluated in a moment.
LONGEST = 4000
"""Largest number of characters."""
DEEPEST = 50
"""Largest depth of nesting: each level takes several calls, of which Python allows a thousand."""
LARGEST_EXPONENT = 64
"""Largest exponent: x^64 is within the range of floats for |x| up to 60,000."""
LARGEST_NUMBER = 1e100
"""Largest number, the cube of which is still a float."""
MOST_DIGITS = 60
"""Largest number of characters of a number."""

_NAMES = {"x": X, "pi": PI, "E": E}
_KNOWN = (
    "known are x, pi, E, functions such as where, max, min, clip, abs, sign, floor, sqrt, exp, log, sin, cos, tan, "
    "tanh, atan and erf, and activations such as gelu(x)"
)
_MADE_OF = (
    "a formula is made of x, numbers, pi, E, + - * / **, comparisons, where(condition, a, b) and functions such as "
    "tanh(x)"
)
_TOKEN = re.compile(r"(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[A-Za-z_]\w*|\S")
_BRACKETS = {"(": ")", "[": "]", "{": "}"}


def folded(name: str) -> str:
    """Return a name without capitals and underscores, which PyTorch, Keras and JAX use differently."""
    return name.lower().replace("_", "")


def read(text: str, catalogue: Mapping[str, Tree] | None = None, parameters: Mapping[str, Tree] | None = None) -> Tree:
    """Return the tree of a formula in x, such as "where(x > 0, x, x/10)", "x*tanh(x)" or "relu(x) - 1/sqrt(pi)".

    catalogue: trees of further functions of one argument, by their folded names; parameters: trees that replace further
    names. ValueError: the text is not such a formula; the error states the column and the reason.
    """
    if not isinstance(text, str):
        raise TypeError(f"expected the text of a formula, got {text!r}")
    if len(text) > LONGEST:
        raise ValueError(f"expected a formula of at most {LONGEST} characters, got {len(text)}")
    if not text.isascii():
        column = next(i for i, letter in enumerate(text) if not letter.isascii())
        raise ValueError(f"cannot read the formula at column {column + 1}: {text[column]!r} is not ASCII; {_MADE_OF}")
    try:
        body = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        column, reason = _mistake(text) or (getattr(error, "offset", None) or len(text) + 1, _MADE_OF)
        raise ValueError(f"cannot read the formula {text!r:.200} at column {column}: {reason}") from None
    return _Reader(text, catalogue or {}, {**(parameters or {}), **_NAMES}).tree(body, DEEPEST)


def shaped(name: str, argument: Tree, given: Mapping[str, Tree | str]) -> Tree:
    """Return the function of SHAPES with this name, applied to a formula, with the given parameters."""
    text, usual = SHAPES[name]
    approximate = given.get("approximate", "none")
    if approximate not in ("none", "tanh"):
        raise ValueError(f"expected approximate='none' or 'tanh', got {approximate!r}; write approximate='tanh'")
    values: dict[str, Tree] = {key: number(str(value)) for key, value in usual.items() if key not in WORDS}
    values |= {key: value for key, value in given.items() if isinstance(value, Tree)}
    return substitute(read(GELU_TANH if approximate == "tanh" else text, parameters=values), argument)


def _mistake(text: str) -> tuple[int, str] | None:
    """Return the column and the name of a mistake that is usual in formulas on paper, or None if it is another."""
    tokens = list(_TOKEN.finditer(text))
    for before, after in pairwise(tokens):
        if _ends_operand(before[0]) and _begins_operand(after[0]):
            if before[0] in FUNCTIONS or folded(before[0]) in SHAPES:
                return after.start() + 1, f"brackets are missing; write {before[0]}({after[0]})"
            return after.start() + 1, f"an operator is missing; for a product write {before[0]}*{after[0]}"
    if "|" in text:
        return text.index("|") + 1, "for an absolute value write abs(x)"
    open_ = []
    for token in tokens:
        if token[0] in _BRACKETS:
            open_.append(_BRACKETS[token[0]])
        elif token[0] in _BRACKETS.values() and (not open_ or open_.pop() != token[0]):
            return token.start() + 1, f"this {token[0]} closes nothing"
    return (len(text) + 1, f"{open_[-1]!r} is missing") if open_ else None


def _ends_operand(part: str) -> bool:
    return part == ")" or _begins_operand(part)


def _begins_operand(part: str) -> bool:
    return bool(re.match(r"[\w.]", part)) and not iskeyword(part)


def _has_large_number(tree: Tree) -> bool:
    match tree:
        case Number(value) if max(value.numerator.bit_length(), value.denominator.bit_length()) > MOST_BITS:
            return True
        case Power(_, Number(value)) if abs(value) > LARGEST_EXPONENT:
            return True
        case _:
            return any(map(_has_large_number, children(tree)))


@final
@dataclass(frozen=True)
class _Reader:
    """The reading of one text, which errors quote, with functions besides FUNCTIONS and the trees of names."""

    text: str
    catalogue: Mapping[str, Tree]
    names: Mapping[str, Tree]

    def refusal(self, node: ast.AST, reason: str) -> ValueError:
        return self._refusal_at(getattr(node, "col_offset", 0) + 1, reason)

    def _refusal_at(self, column: int, reason: str) -> ValueError:
        return ValueError(f"in the formula {self.text!r:.200} at column {column}: {reason}")

    def tree(self, node: ast.expr, depth: int) -> Tree:
        """Return the tree of an expression nested at most `depth` deep, after checking its size."""
        if not depth:
            raise self.refusal(node, f"nested deeper than {DEEPEST} levels")
        try:
            tree = self._tree(node, depth - 1)
        except (ZeroDivisionError, OverflowError) as error:
            raise self.refusal(node, str(error)) from None
        if size(tree, MOST_NODES) >= MOST_NODES:
            raise self.refusal(node, f"the formula unfolds to more than {MOST_NODES} parts")
        if _has_large_number(tree):
            reason = f"a number in it has more than {MOST_BITS} bits, or an exponent is larger than {LARGEST_EXPONENT}"
            raise self.refusal(node, reason)
        return tree

    def _tree(self, node: ast.expr, depth: int) -> Tree:
        match node:
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                return self._number(node, value)
            case ast.Name(id=name) if name in self.names:
                return self.names[name]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self.tree(operand, depth)
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self.tree(operand, depth)
            case ast.BinOp(op=ast.Add() | ast.Sub()):
                return self._sum(node, depth)
            case ast.BinOp(
                left=left, op=ast.Mult() | ast.Div() | ast.Pow() | ast.FloorDiv() | ast.Mod() as op, right=right
            ):
                return self._operation(node, op, self.tree(left, depth), self.tree(right, depth))
            case ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not()) | ast.BinOp(op=ast.BitAnd() | ast.BitOr()):
                return self._condition(node, depth)
            case ast.IfExp(test=test, body=yes, orelse=no):
                return where(self._condition(test, depth), self.tree(yes, depth), self.tree(no, depth))
            case ast.Call(func=ast.Name(id=name)):
                return self._call(node, name, depth)
            case ast.Name(id=name) if name in FUNCTIONS or folded(name) in self.catalogue:
                raise self.refusal(node, f"{name!r} is a function; write {name}(x)")
            case ast.Name(id=name):
                near = nearest(name, _NAMES, 0.9)
                remedy = f"did you mean {near!r}?" if near else "known are x, pi and E;"
                said = f"unknown name {name!r}; {remedy} a parameter takes a value, as in Activation(..., {name}=1)"
                raise self.refusal(node, said)
            case _:
                raise self._foreign(node)

    def _foreign(self, node: ast.expr) -> ValueError:
        """Return the error for an expression that Python allows and a formula does not."""
        match node:
            case ast.BinOp(left=left, op=ast.BitXor()):
                place = self.text.find("^", left.end_col_offset)
                return self._refusal_at(place + 1, "for a power write **, as in x**2; ^ has no meaning in a formula")
            case ast.Call(func=ast.Constant() | ast.BinOp() | ast.Call() as factor, keywords=[]):
                place = self.text.find("(", factor.end_col_offset)
                return self._refusal_at(place + 1, "an operator is missing; for a product write *")
        construct = repr(node.value) if isinstance(node, ast.Constant) else type(getattr(node, "op", node)).__name__
        return self.refusal(node, f"{construct} has no meaning in a formula; {_MADE_OF}")

    def _number(self, node: ast.expr, value: float) -> Tree:
        literal = ast.get_source_segment(self.text, node) or repr(value)
        if len(literal) > MOST_DIGITS or not abs(value) <= LARGEST_NUMBER:
            raise self.refusal(
                node, f"the number is larger than {LARGEST_NUMBER:g} or longer than {MOST_DIGITS} digits"
            )
        try:
            return number(Fraction(literal))
        except ValueError:
            raise self.refusal(node, f"{literal!r} is not a decimal number") from None

    def _operation(self, node: ast.expr, op: ast.operator, left: Tree, right: Tree) -> Tree:
        match op:
            case ast.Mult():
                return mul(left, right)
            case ast.Div():
                return mul(left, self._power(node, right, number(-1)))
            case ast.FloorDiv():
                return call("floor", mul(left, self._power(node, right, number(-1))))
            case ast.Mod():
                self._power(node, right, number(-1))  # refuses 0
                return FUNCTIONS["mod"][1](left, right)
            case _:
                return self._power(node, left, right)

    def _sum(self, node: ast.expr, depth: int) -> Tree:
        """Return a sum. Python nests a sum as deep as it has terms, so that recursion would be too deep."""
        terms = []
        while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
            term = self.tree(node.right, depth)
            terms.append(term if isinstance(node.op, ast.Add) else -term)
            node = node.left
        return add(self.tree(node, depth), *reversed(terms))

    def _power(self, node: ast.expr, base: Tree, exponent: Tree) -> Tree:
        value = getattr(exponent, "value", None)
        if isinstance(value, Fraction) and abs(value) > LARGEST_EXPONENT:
            raise self.refusal(node, f"the exponent is larger than {LARGEST_EXPONENT}")
        if base == ZERO and not (isinstance(value, Fraction) and value > 0):
            raise self.refusal(node, "division by zero, or zero to a power that is not positive")
        return power(base, exponent)

    def _call(self, node: ast.Call, name: str, depth: int) -> Tree:
        arguments, folded_name = node.args, folded(name)
        if folded_name in SHAPES:
            return self._shaped(node, name, depth)
        if node.keywords:
            raise self.refusal(node, f"{name} takes no {node.keywords[0].arg}=; {_MADE_OF}")
        if name in FUNCTIONS:
            arity, function = FUNCTIONS[name]
        elif folded_name in self.catalogue:
            arity, function = 1, partial(substitute, self.catalogue[folded_name])
            arguments = arguments or [ast.Name("x")]  # of a class, such as torch.nn.ReLU()
        else:
            raise self.refusal(node, f"unknown function {name!r}; {self._remedy(name)}")
        if len(arguments) != arity and not (name in VARIADIC and len(arguments) > arity):
            raise self.refusal(node, f"{name} takes {arity} argument(s), got {len(arguments)}")
        if name == "where":
            condition, *branches = arguments
            return where(self._condition(condition, depth), *(self.tree(branch, depth) for branch in branches))
        return function(*(self.tree(argument, depth) for argument in arguments))

    def _shaped(self, node: ast.Call, name: str, depth: int) -> Tree:
        """Return a function of SHAPES; a class with parameters alone, such as LeakyReLU(0.2), is applied to x."""
        folded_name = folded(name)
        usual = SHAPES[folded_name][1]
        made = name[:1].isupper() and {part.id for part in ast.walk(node) if isinstance(part, ast.Name)} == {name}
        arguments = [self.tree(argument, depth) for argument in node.args]
        argument, *rest = [X, *arguments] if made or not arguments else arguments
        if len(rest) > len(usual):
            raise self.refusal(node, f"{folded_name} takes {1 + len(usual)} argument(s), got {1 + len(rest)}")
        given: dict[str, Tree | str] = dict(zip(usual, rest, strict=False))
        for keyword in node.keywords:
            if keyword.arg not in usual:
                takes = ", ".join(usual) or "no parameters"
                raise self.refusal(node, f"{folded_name} takes {takes}, not {keyword.arg}")
            match keyword.value:
                case ast.Constant(value=str() as value) if keyword.arg in WORDS:
                    given[keyword.arg] = value
                case value:
                    given[keyword.arg] = self.tree(value, depth)
        return shaped(folded_name, argument, given)

    def _remedy(self, name: str) -> str:
        """Return advice on what to write instead of an unknown name."""
        if name in self.names:
            return f"for a product write {name}*(...)"
        near = nearest(name, [*FUNCTIONS, *self.catalogue, *SHAPES], 0.7)
        return f"did you mean {near!r}?" if near else _KNOWN

    def _condition(self, test: ast.expr, depth: int) -> Tree:
        """Return the condition that a comparison states, or comparisons joined by and, or, not, & and |."""
        if not depth:
            raise self.refusal(test, f"nested deeper than {DEEPEST} levels")
        match test:
            case ast.BoolOp(op=op, values=tests):
                joined = both if isinstance(op, ast.And) else either
                return reduce(joined, [self._condition(test, depth - 1) for test in tests])
            case ast.BinOp(left=left, op=ast.BitAnd() | ast.BitOr() as op, right=right):
                joined = both if isinstance(op, ast.BitAnd) else either
                return joined(self._condition(left, depth - 1), self._condition(right, depth - 1))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return negated(self._condition(operand, depth - 1))
            case ast.Compare(left=left, ops=ops, comparators=rights):
                names = [type(op).__name__ for op in ops]
                if unknown := [name for name in names if name not in COMPARISONS]:
                    raise self.refusal(test, f"a condition compares with <, <=, > or >=, not with {unknown[0]}")
                sides = pairwise([self.tree(side, depth - 1) for side in (left, *rights)])
                return reduce(both, (COMPARISONS[name](*pair) for name, pair in zip(names, sides, strict=True)))
            case _:
                raise self.refusal(test, "a condition compares formulas with <, <=, > or >=")
