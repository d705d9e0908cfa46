"""Moments of functions of batch-normalised units, in closed form if it is known and else as integrals."""

from typing import Any

import sympy as sp

from igbtheory.mathematics.averages.state import Moments
from igbtheory.mathematics.formulas import function_of
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.numbers import Kind
from igbtheory.mathematics.numbers.symbolic import SYMBOLIC
from igbtheory.theory.derivation import closed
from igbtheory.theory.derivation.average import over_batch, over_gaussian
from igbtheory.theory.derivation.integrals import X, formula


def moments(phi: Function, m: Any, size: Any, law: str) -> Moments:
    """Return the moments of phi(M), M the largest of m units in batches of `size`; law: "exact" or "proxy".

    Data of different batches are independent, so that var_mu = 0. The covariance `within` a batch is not computed.
    """
    if size == 2:
        of_maximum = _of_two(phi, m)
    else:
        of_maximum = (_homogeneous(phi, size, law) if m == 1 else None) or over_batch(phi, m, size, law)
    return Moments(of_maximum.mean, sp.Integer(0), of_maximum.var_chi, within=sp.nan)


def below(n: Kind, size: Any, x: Any, q: Any, v: Any) -> Any:
    """Return the probability that `size` normal variables of variance q and covariance v are all below x.

    Return None if v has no rule, and for negative v without a closed form.
    """
    if v is sp.nan:
        return None
    rho, edge = sp.factor(sp.sympify(v) / q), sp.sympify(x) / sp.sqrt(q)
    if rho == 0:
        return n.ncdf(edge) ** size
    if sp.simplify(1 + (size - 1) * rho) == 0:
        return None if edge else sp.Integer(0)
    if not edge and size in (2, 3):
        return sp.Rational(1, 2**size) + (2 * size - 3) * sp.asin(rho) / (2 ** (size - 1) * sp.pi)
    if not rho.is_positive:
        return None
    # given what they share, the variables are independent
    all_of_them = function_of(((1 + sp.erf(X / sp.sqrt(2))) / 2) ** size)
    return over_gaussian(all_of_them, 1, Moments(edge / sp.sqrt(1 - rho), sp.Integer(0), rho / (1 - rho))).mean


def _of_two(phi: Function, m: Any) -> Moments:
    """Return the moments for batches of two, which are normalised to 1 and -1. M is -1 if all m units are -1."""
    low, high = (formula(phi).subs(X, sign) for sign in (-1, 1))
    share = sp.Integer(2) ** -m
    return Moments(share * low + (1 - share) * high, sp.Integer(0), share * (1 - share) * (high - low) ** 2)


def _homogeneous(phi: Function, size: Any, law: str) -> Moments | None:
    """Return the moments of phi(h) if phi is homogeneous with closed Gaussian averages, else None.

    phi has the degree p. A normalised unit is a standard normal variable z times an independent length, so that
    E phi = E phi(z) E length^p. The exact law is sqrt(d) times a component of a random direction in d = n - 1
    dimensions, so that E length^p = d^(p/2)/E chi_d^p. The proxy is sqrt(n) z/chi_(n - 2), so that
    E length^p = n^(p/2) E chi_(n - 2)^-p (where-you-place-the-norm, Eqs. 57 and 59).
    """
    plain = None if phi.degree is None else closed.moments(phi, 1, Moments(0, sp.Integer(0), sp.Integer(1)))
    if plain is None:
        return None
    n, p = sp.sympify(size), SYMBOLIC.number(phi.degree)
    first, second = (_length(n, law, power) for power in (p, 2 * p))
    mean = plain.mean * first
    square = (plain.var_chi + plain.mean**2) * sp.gammasimp(second)
    return Moments(mean, sp.Integer(0), square - mean**2)


def _length(n: Any, law: str, power: Any) -> Any:
    """Return E length^power; E chi_d^k = 2^(k/2) Gamma((d + k)/2)/Gamma(d/2)."""
    if law == "proxy":
        d = n - 2
        return (n / 2) ** (power / 2) * sp.gamma((d - power) / 2) / sp.gamma(d / 2)
    d = n - 1
    return (d / 2) ** (power / 2) * sp.gamma(d / 2) / sp.gamma((d + power) / 2)
