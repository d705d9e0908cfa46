"""Definitions of the functions in printed integrals: activations, normal laws, and laws of normalised units."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import sympy as sp

from igbtheory.theory.derivation.average import Average, BatchAverage, GaussianAverage
from igbtheory.theory.derivation.document import Equation
from igbtheory.theory.derivation.integrals import (
    BELOW,
    CDF,
    CDF_2,
    DENSITY,
    B,
    N,
    R,
    X,
    Y,
    Z,
    formula,
    named,
    of_largest,
)


def density(n: Any, law: str) -> Any:
    """Return the density at b of a unit that is normalised over a batch of n data.

    law: "proxy" if the other data normalise it (where-you-place-the-norm, Eqs. 49 and 55), "exact" if it is part of its
    own batch, so that b^2/(n - 1) ~ Beta(1/2, (n - 2)/2).
    """
    ratio = sp.gamma((n - 1) / sp.Integer(2)) / sp.gamma((n - 2) / sp.Integer(2))
    if law == "proxy":
        return ratio / sp.sqrt(sp.pi * n) * (1 + B**2 / n) ** (-(n - 1) / sp.Integer(2))
    inside = ratio / sp.sqrt(sp.pi * (n - 1)) * (1 - B**2 / (n - 1)) ** ((n - 4) / sp.Integer(2))
    return sp.Piecewise((inside, n - 1 > B**2), (0, True))


def definitions(averages: Iterable[Average], equations: Sequence[Equation]) -> list[Equation]:
    """Return the definitions of the functions on the right sides of the equations, which come from the averages."""
    averages = sorted(averages, key=sp.default_sort_key)
    whole = sp.Tuple(*(equation.right for equation in equations))
    lines = {named(x.phi)(X): formula(x.phi) for x in averages if whole.has(named(x.phi))}
    batches = [x for x in averages if isinstance(x, BatchAverage)]
    law = density(batches[0].args[3], str(batches[0].args[4])) if batches else None
    pooled = sorted({x.args[2] for x in averages if isinstance(x, GaussianAverage)}, key=sp.default_sort_key)
    laws = {of_largest(m): (of_largest(m)(X, Y, R), sp.Derivative(CDF_2(X, Y, R) ** m, X, Y)) for m in pooled}
    laws |= {
        CDF_2: (CDF_2(X, Y, R), sp.Integral(N(Z) * CDF((Y - R * Z) / sp.sqrt(1 - R**2)), (Z, -sp.oo, X))),
        CDF: (CDF(X), sp.Integral(N(Z), (Z, -sp.oo, X))),
        BELOW: (BELOW(X), sp.Integral(DENSITY(B), (B, -sp.oo, X))),
        DENSITY: (DENSITY(B), law),
        N: (N(X), sp.exp(-(X**2) / 2) * sp.Pow(2 * sp.pi, -sp.S.Half, evaluate=False)),
    }
    for function, (left, right) in laws.items():
        if any(part.has(function) for part in (whole, *lines.values())):
            lines[left] = right
    return [Equation(left, right) for left, right in lines.items()]


def told_apart(equations: Sequence[Equation]) -> list[Equation]:
    """Return the equations with the names phi_1, phi_2, ... for the activations if there are several."""
    functions = (part.func for equation in equations for part in sp.preorder_traversal(equation.right))
    activations = dict.fromkeys(part for part in functions if hasattr(part, "tree"))
    for i, activation in enumerate(activations if len(activations) > 1 else (), 1):
        new = sp.Function(f"phi_{i}")
        equations = [
            replace(e, left=e.left.replace(activation, new), right=e.right.replace(activation, new)) for e in equations
        ]
    return list(equations)
