"""The integrals by which averages without a closed form are printed, and the functions in them."""

from typing import Any

import sympy as sp

from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.formulas.tree import evaluate
from igbtheory.mathematics.numbers.symbolic import SYMBOLIC

B, G, U, X, Y, Z = sp.symbols("b g u x y z", real=True)
R = sp.Symbol("c", positive=True)
"""The correlation in a bivariate distribution function."""
N, CDF, CDF_2, DENSITY, BELOW = map(sp.Function, ("N", "Phi", "Phi_2", "f", "F"))
"""Normal density; distribution functions of one and of two normal variables; density and distribution in a batch."""
LINE = (-sp.oo, sp.oo)


def named(phi: Function) -> Any:
    """Return the function phi that stands for an activation. Activations with equal formulas have equal functions."""
    return sp.Function("phi", tree=phi.tree)


def formula(phi: Function) -> Any:
    """Return the formula of an activation in x, as its pieces between kinks."""
    pieces = [evaluate(part, SYMBOLIC, X) for part in phi.pieces.formulas]
    ends = [SYMBOLIC.number(kink) for kink in phi.pieces.kinks]
    return sp.Piecewise(*((part, end > X) for part, end in zip(pieces, ends, strict=False)), (pieces[-1], True))


def of_largest(m: Any) -> Any:
    """Return the function that stands for the joint density, at two data, of the largest of m normal units."""
    return sp.Function(f"f_{m}")


def of_gaussian(part: str, phi: Function, m: Any, mean: Any, var_mu: Any, var_chi: Any) -> Any:
    """Return the mean, the mean square or the mean product of phi(M), M the largest of m Gaussian units."""
    f = named(phi)
    if part == "product" and m == 1:
        # given u, two data are independent and have equal means
        given = sp.Integral(N(Z) * f(mean + sp.sqrt(var_mu) * U + sp.sqrt(var_chi) * Z), (Z, *LINE))
        return sp.Integral(N(U) * given**2, (U, *LINE))
    root = sp.sqrt(var_mu + var_chi)
    if part == "product":
        law = of_largest(m)(X, Y, var_mu / (var_mu + var_chi))
        return sp.Integral(f(mean + root * X) * f(mean + root * Y) * law, (X, *LINE), (Y, *LINE))
    law = N(Z) if m == 1 else m * N(Z) * CDF(Z) ** (m - 1)
    return sp.Integral(law * _power(f(mean + root * Z), part), (Z, *LINE))


def of_batch(part: str, phi: Function, m: Any) -> Any:
    """Return the mean or the mean square of phi(M), M the largest of m units normalised in batches."""
    law = DENSITY(B) if m == 1 else m * DENSITY(B) * BELOW(B) ** (m - 1)
    return sp.Integral(law * _power(named(phi)(B), part), (B, *LINE))


def _power(value: Any, part: str) -> Any:
    return value**2 if part == "square" else value
