"""SymPy formulas that many claims use: Gaussian densities, moments of ReLU, the law of G0; and numerical averages.

They are independent of the rules of the package, with which the claims compare them.
"""

from collections.abc import Callable
from math import prod
from typing import Any

import mpmath as mp
import numpy as np
import sympy as sp
from numpy.typing import NDArray

NODES = np.arange(-9, 9.001, 0.1)
"""Nodes of the trapezoidal rule for N(0, 1), whose only error is rounding for analytic functions such as tanh."""
WEIGHTS = 0.1 * np.exp(-(NODES**2) / 2) / np.sqrt(2 * np.pi)
"""Weights of these nodes: their distance times the density of N(0, 1)."""


def npdf(x: Any, mean: Any = 0, deviation: Any = 1) -> Any:
    """Return the Gaussian density at x."""
    return sp.exp(-((x - mean) ** 2) / (2 * deviation**2)) / (sp.sqrt(2 * sp.pi) * deviation)


def ncdf(x: Any) -> Any:
    """Return Phi(x), the distribution function of N(0, 1)."""
    return (1 + sp.erf(x / sp.sqrt(2))) / 2


def relu_moments(mean: Any, deviation: Any) -> tuple[Any, Any]:
    """Return E ReLU(X) and E ReLU(X)^2, X ~ N(mean, deviation^2)."""
    above, edge = ncdf(mean / deviation), deviation**2 * npdf(0, mean, deviation)
    return mean * above + edge, (mean**2 + deviation**2) * above + mean * edge


def relu_moment(power: int, deviation: Any = 1) -> Any:
    """Return E ReLU(X)^power, X ~ N(0, deviation^2), as an integral that is not evaluated yet."""
    x = sp.Symbol("x", positive=True)
    return sp.Integral(x**power * npdf(x, 0, deviation), (x, 0, sp.oo))


def normal_moment(power: int, variance: Any = 1) -> Any:
    """Return E w^power, w ~ N(0, variance), as an integral that is not evaluated yet."""
    x = sp.Symbol("x", real=True)
    return variance ** sp.Rational(power, 2) * sp.Integral(x**power * npdf(x), (x, -sp.oo, sp.oo))


def variance_of(density: Any, x: Any) -> Any:
    """Return the variance of a normal density in x."""
    return sp.simplify(-1 / sp.diff(sp.log(density), x, 2))


def relu_maximum(m: Any) -> tuple[Any, Any]:
    """Return mean and variance of the maximum of 0 and m units N(0, 1) by quadrature, for m up to 1e100.

    The distribution function is Phi(t)^m for t >= 0, which rises where 1 - Phi(t) is near 1/m. The variance loses
    digits at large m.
    """
    m = mp.mpf(m)
    middle = mp.sqrt(2 * mp.log(m))
    ends = sorted({mp.mpf(0), *(max(middle + step, mp.mpf(0)) for step in (-4, -2, -1, -0.5, 0, 0.5, 1, 2, 4, 9))})

    def above(t: Any) -> Any:
        return -mp.expm1(m * mp.log1p(-mp.erfc(t / mp.sqrt(2)) / 2))

    both = mp.quad(lambda t: mp.mpc(1, 2 * t) * above(t), ends)  # the mean and the mean square
    return both.real, both.imag - both.real**2


def mean_over(variable: Any, polynomial: Any, variance: Any = 1) -> Any:
    """Return the mean of a polynomial over its variable, which is N(0, variance)."""
    terms = sp.Poly(sp.expand(polynomial), variable).terms()
    return sum(value * variance ** sp.Rational(k, 2) * _normal_power(k) for (k,), value in terms)


def kappa_1(c: Any) -> Any:
    """Return 2 E ReLU(u) ReLU(v), normalised to 1 at c = 1, for two units N(0, 1) of correlation c."""
    return (sp.sqrt(1 - c**2) + c * (sp.pi - sp.acos(c))) / sp.pi


def g0_density(g: Any, gamma: Any) -> Any:
    """Return the density of G0 at g."""
    y = sp.sqrt(2) * sp.erfinv(2 * g - 1)
    return sp.exp(y**2 * (1 - 1 / gamma) / 2) / sp.sqrt(gamma)


def g0_cdf(g: Any, gamma: Any) -> Any:
    """Return P(G0 <= g)."""
    return ncdf(sp.sqrt(2) * sp.erfinv(2 * g - 1) / sp.sqrt(gamma))


def g0_variance(gamma: Any) -> Any:
    """Return Var(G0)."""
    return sp.asin(gamma / (1 + gamma)) / (2 * sp.pi)


def batch_density(b: Any, n: Any) -> Any:
    """Return the density at b, b^2 < n - 1, of a normal value normalised by a batch of n that includes it."""
    factor = sp.gamma((n - 1) / 2) / sp.gamma((n - 2) / 2) / sp.sqrt((n - 1) * sp.pi)
    return factor * (1 - b**2 / (n - 1)) ** ((n - 4) / 2)


def batch_relu_mean(n: Any) -> Any:
    """Return E ReLU(B) for B with the density `batch_density`; E ReLU(B)^2 is 1/2."""
    return sp.sqrt((n - 1) / sp.pi) * sp.gamma((n - 1) / 2) / sp.gamma(n / 2) / 2


def left_out_density(b: Any, n: Any) -> Any:
    """Return the density at b of a normal value normalised by the n - 1 others of its batch."""
    factor = sp.gamma((n - 1) / 2) / sp.gamma((n - 2) / 2) / sp.sqrt(n * sp.pi)
    return factor * (1 + b**2 / n) ** (-(n - 1) / 2)


def mean_of_polynomial(polynomial: Any, *variables: Any) -> Any:
    """Return the mean of a polynomial over its variables, which are independent and N(0, 1)."""
    terms = sp.Poly(polynomial, *variables).terms()
    return sp.expand(sum(value * prod(map(_normal_power, powers)) for powers, value in terms))


def _normal_power(power: int) -> int:
    """Return the mean of a power of a variable that is N(0, 1)."""
    return 0 if power % 2 else int(sp.factorial2(power - 1))


def mean_of(phi: Callable[[NDArray[np.float64]], NDArray[np.float64]], q: float) -> float:
    """Return E phi(h), h ~ N(0, q), in double precision, for phi analytic near the real line."""
    return float(WEIGHTS @ phi(np.sqrt(q) * NODES))


def mean_of_pair(phi: Callable[[NDArray[np.float64]], NDArray[np.float64]], q: float, c: float) -> float:
    """Return E phi(h_a) phi(h_b) of two units N(0, q) of correlation c >= 0, in double precision."""
    shared, specific = np.sqrt(q * c) * NODES[:, None], np.sqrt(q * (1 - c)) * NODES
    return float(WEIGHTS @ (phi(shared + specific) @ WEIGHTS) ** 2)


def course(
    phi: Callable[[NDArray[np.float64]], NDArray[np.float64]], sigma_w2: float, sigma_b2: float, depth: int
) -> Any:
    """Return q_aa and q_ab in the layers of an infinitely wide network, shape (depth + 1, 2).

    The data are orthogonal with q_aa^(0) = 1; phi is analytic near the real line.
    """
    moments = [(sigma_w2 + sigma_b2, sigma_b2)]
    for _ in range(depth):
        q, shared = moments[-1]
        square, product = mean_of(lambda h: phi(h) ** 2, q), mean_of_pair(phi, q, shared / q)
        moments.append((sigma_w2 * square + sigma_b2, sigma_w2 * product + sigma_b2))
    return np.array(moments)
