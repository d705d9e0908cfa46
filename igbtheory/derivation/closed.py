"""Closed forms that the catalogue lacks: polynomials of Gaussian units, maxima of a few, and directions on a sphere."""

from math import factorial
from typing import Any

import sympy as sp

from igbtheory.activations.function import Function
from igbtheory.activations.moments import Moments
from igbtheory.activations.tree import Number, Power, Product, Sum, Tree, Variable
from igbtheory.numbers.symbolic import SYMBOLIC

HIGHEST = 8
"""Degree of a polynomial at most."""


def coefficients(tree: Tree) -> dict[int, sp.Rational] | None:
    """Coefficients of a polynomial by power of x, None where the formula is none of a low degree."""
    match tree:
        case Number(value):
            return {0: SYMBOLIC.number(value)}
        case Variable():
            return {1: sp.Integer(1)}
        case Power(Variable(), Number(value)) if value.denominator == 1 and 0 < value <= HIGHEST:
            return {int(value): sp.Integer(1)}
        case Product((Number(value), rest)):
            inner = coefficients(rest)
            return None if inner is None else {k: SYMBOLIC.number(value) * a for k, a in inner.items()}
        case Sum(terms):
            total: dict[int, sp.Rational] = {}
            for part in map(coefficients, terms):
                if part is None:
                    return None
                for k, a in part.items():
                    total[k] = total.get(k, sp.Integer(0)) + a
            return total
        case _:
            return None


def polynomial(powers: dict[int, sp.Rational], h: Moments) -> Moments:
    """Moments of sum_k a_k h^k through Hermite polynomials: Cov(h_a^j, h_b^k) from sum_i i! b_i c_i var_mu^i.

    About the mean m, h^k = sum_i b_i(k) He_i, b_i = sum over pairings; var_chi from q^i - var_mu^i, which has no
    cancellation as a sum of positive terms times var_chi.
    """
    mean, var_mu, var_chi = (sp.sympify(x) for x in (h.mean, h.var_mu, h.var_chi))
    q = var_mu + var_chi
    hermite: dict[int, Any] = {}
    for k, a in powers.items():
        for i in range(k + 1):
            # E of the i-th derivative of h^k, over i!
            inner = sum(
                sp.binomial(k - i, 2 * j) * mean ** (k - i - 2 * j) * q**j * sp.factorial2(2 * j - 1)
                for j in range((k - i) // 2 + 1)
            )
            hermite[i] = hermite.get(i, 0) + a * sp.ff(k, i) * inner / factorial(i)
    shared = sum(factorial(i) * b**2 * var_mu**i for i, b in hermite.items() if i)
    spread = sum(
        factorial(i) * b**2 * var_chi * sum(q**j * var_mu ** (i - 1 - j) for j in range(i))
        for i, b in hermite.items()
        if i
    )
    return Moments(hermite[0], shared, spread)


def largest(phi: Function | None, m: int, h: Moments) -> Moments | None:
    """Moments of the largest of two centred units, or of its ReLU, where two data are independent; else None.

    With the density 2 npdf(x) ncdf(x) of the largest of two at q = 1: E M = 1/sqrt(pi), E M^2 = 1; of the positive part
    (1 + sqrt 2)/(2 sqrt(pi)) and (3 pi + 2)/(4 pi).
    """
    if m != 2 or not h.centred or sp.sympify(h.var_mu) != 0:
        return None
    q = h.var_chi
    if phi is None or phi.name == "linear":
        mean, square = sp.sqrt(q / sp.pi), q
    elif phi.name == "relu":
        mean, square = sp.sqrt(q / sp.pi) * (1 + sp.sqrt(2)) / 2, q * (3 * sp.pi + 2) / (4 * sp.pi)
    else:
        return None
    return Moments(mean, sp.Integer(0), sp.expand(square - mean**2))


def sphere(phi: Function, size: Any) -> Moments | None:
    """Moments of phi(B) in a batch of n, phi homogeneous of degree p with closed forms, else None.

    B is sqrt(n) times a direction in d = n - 1 dimensions, and E phi(B) = E_G phi d^(p/2)/E chi_d^p with E chi_d^p =
    2^(p/2) Gamma((d + p)/2)/Gamma(d/2).
    """
    if phi.closed is None or phi.degree is None:
        return None
    n, p, one = SYMBOLIC, SYMBOLIC.number(phi.degree), sp.Integer(1)
    d = sp.sympify(size) - 1

    def ratio(power: Any) -> Any:
        return (d / 2) ** (power / 2) * sp.gamma(d / 2) / sp.gamma((d + power) / 2)

    plain = phi.closed.mean(n, one)
    mean = plain * ratio(p)
    square = (phi.closed.spread(n, sp.Integer(0), one) + plain**2) * sp.gammasimp(ratio(2 * p))
    pair = (phi.closed.covariance(n, one, one, -1 / d) + plain**2) * sp.gammasimp(ratio(2 * p))
    return Moments(mean, sp.Integer(0), square - mean**2, 0.0, pair - mean**2)
