"""Parameters of activations: names besides x that stand for numbers, or for symbols, which only `derive` accepts."""

import re
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

from igbtheory.mathematics.formulas.catalogue import NAMED
from igbtheory.mathematics.formulas.reader import folded
from igbtheory.mathematics.formulas.tree import Number, Tree
from igbtheory.mathematics.formulas.vocabulary import FUNCTIONS

RESERVED = {"x", "pi", "E", *FUNCTIONS}


def parameter_trees(text: str, parameters: Mapping[str, Any]) -> dict[str, Tree]:
    """Return the trees of the parameters of a formula. ValueError: no number, or a name that the formula lacks."""
    words = set(re.findall(r"[A-Za-z_]\w*", text))
    refuse_unused(parameters.keys() - words, words - RESERVED - {word for word in words if folded(word) in NAMED})
    for name in parameters:
        if name in RESERVED or folded(name) in NAMED:
            raise ValueError(
                f"expected a parameter with a name of its own, got {name!r}, which means something; rename it"
            )
    return {name: parameter_tree(name, value) for name, value in parameters.items()}


def refuse_unused(parameters: Iterable[str], allowed: Iterable[str] = ()) -> None:
    """Raise ValueError if there are parameters that an activation does not have; allowed: those that it has."""
    if parameters := sorted(parameters):
        has = f"whose parameters are {', '.join(sorted(allowed))}" if allowed else "which has no parameters"
        raise ValueError(f"expected parameters of the activation, {has}, got {', '.join(parameters)}; leave them out")


def with_values(text: str, parameters: Mapping[str, Any]) -> str:
    """Return the text of the formula with the values in place of their names."""
    for name, value in parameters.items():
        plain = re.fullmatch(r"\w+(\.\d+)?", str(value))
        text = re.sub(rf"(?<![\w.]){name}\b", str(value) if plain else f"({value})", text)
    return text


def name_of(function: Callable[..., Any]) -> str:
    """Return the name of a callable with its keywords, or the name of its class."""
    if isinstance(function, partial):
        keywords = ", ".join(f"{key}={value}" for key, value in function.keywords.items())
        return f"{name_of(function.func)} with {keywords}"
    written = " ".join(repr(function).split())
    return getattr(function, "__name__", None) or (type(function).__name__ if " at 0x" in written else written)


def parameter_tree(name: str, value: Any) -> Tree:
    """Return the tree of the value of a parameter. ValueError: it is no finite number."""
    if hasattr(value, "is_Rational"):
        from igbtheory.mathematics.formulas.sympy_reader import constant  # noqa: PLC0415 - numbers do not need it

        return constant(name, value)
    try:
        plain = value.item() if hasattr(value, "numel") else value  # a tensor prints more than its digits
        return Number(Fraction(plain if isinstance(plain, int | Fraction) else str(plain).strip()))
    except (ValueError, ZeroDivisionError):
        raise ValueError(
            f"expected a finite number as the parameter {name}, got {value!r}; write one such as {name}=0.5"
        ) from None
