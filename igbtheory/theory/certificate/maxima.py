"""Moments of phi(M), M the largest of m Gaussian units, with proven error bounds.

In standard units, with Phi_2 the distribution function of a pair of correlation c = var_mu/q,

    covariance = iint f'(x) f'(y) (Phi_2(x, y)^m - Phi(x)^m Phi(y)^m) dx dy,

where jumps of f count as atoms. Phi_2(x, y) = E_u P(x, u) P(y, u), P(x, u) = Phi((x - sqrt(c) u)/sqrt(1 - c)), by the
trapezoidal rule of `gaussian`: |P(x, u + iv)| <= exp(c v^2/(2 (1 - c))). The integrand is entire in x and y, as
|Phi_2(x + iv, y)| <= exp(v^2/(2 (1 - c^2))) and |Phi(x + iv)| <= exp(v^2/2). Outside [low, high], f is held constant,
which changes f by at most eta in norm. The density of M is at most m times the density of a unit.
"""

from typing import Any

from flint import arb, arb_mat

from igbtheory.mathematics.averages.state import Moments
from igbtheory.mathematics.formulas.function import Function, formula
from igbtheory.mathematics.numbers.certified import Certified
from igbtheory.theory.certificate.gaussian import cut, length, standard, trapezoid
from igbtheory.theory.certificate.proven_panels import Layout, between, too_many
from igbtheory.theory.certificate.rules import Rule

_IDENTITY = formula("identity", "x", "")
MOST = 2500
"""Largest number of nodes on an axis of the double integral."""


def moments(n: Certified, phi: Function | None, m: int, h: Moments) -> Moments:
    """Return the moments of phi(M)."""
    phi = phi or _IDENTITY
    mean, scale = standard(n, h, f"MaxPool({m})")
    low, high, eta = cut(n, phi, mean, scale, 4 * m)
    average, second = _plain(n, phi, m, mean, scale, low, high)
    average, second = average + arb(0, eta), second + arb(0, eta * eta)
    total = second - average * average
    if h.var_mu.is_zero():
        return Moments(average, arb(0), total)
    if h.var_chi.is_zero():
        return Moments(average, total, arb(0))
    cut_off = (eta * (2 * second.abs_upper().sqrt() + eta)).abs_upper()
    covariance = _covariance(n, phi, m, h, low, high) + arb(0, cut_off)
    return Moments(average, covariance, total - covariance)


def _plain(n: Certified, phi: Function, m: int, mean: Any, scale: Any, low: Any, high: Any) -> tuple[Any, Any]:
    """Return the integrals of phi and phi^2 under the density m Phi^(m-1) npdf of M."""
    narrow = scale / arb(m).sqrt()
    density = m / (scale * (2 * n.pi).sqrt())

    def weight(height: Any) -> Any:
        return density * ((height / narrow) ** 2 / 2).exp()

    def of_maximum(x: Any) -> Any:
        z = (x - mean) / scale
        return n.npdf(z) * n.ncdf(z) ** (m - 1) * m / scale

    ends, pieces, _ = between(n, phi, low, high)
    layout = Layout(n, phi.name, 4 * length(narrow, phi.name), n.bits + 10, weight)
    rule = layout.rule(ends, phi.pieces.formulas[pieces])
    return rule.averages(of_maximum, weight)


def _covariance(n: Certified, phi: Function, m: int, h: Moments, low: Any, high: Any) -> Any:
    """Return the covariance of f(M_a) and f(M_b), with f held constant outside [low, high]."""
    mean, q = n.number(h.mean), h.variance
    scale = q.sqrt()
    # q (1 - c^2)/m
    narrow = (h.var_chi * (q + h.var_mu) / (q * m)).sqrt()

    def weight(height: Any) -> Any:
        return 2 * ((height / narrow) ** 2 / 2).exp()

    ends, pieces, jumps = between(n, phi, low, high)
    if float(high - low) / length(narrow, phi.name) > MOST / 6:
        raise ValueError(too_many(f"MaxPool({m})"))
    layout = Layout(n, phi.name, 4 * length(narrow, phi.name), n.bits + 10, weight)
    rule = layout.rule(ends, phi.slope.formulas[pieces])
    x, weights = _atoms(rule, jumps)
    if len(x) > MOST:
        raise ValueError(too_many(f"MaxPool({m})"))
    z = [(point - mean) / scale for point in x]
    joint = _joint(n, h, z)
    below = [n.ncdf(point) for point in z]
    total = arb(0)
    for i, weight_i in enumerate(weights):
        inside = arb(0)
        for j, pair in enumerate(joint[i][: i + 1]):
            apart = below[i] * below[j]
            part = weights[j] * (pair - apart) * _quotient(pair, apart, m)
            inside += part
        total += weight_i * (2 * inside - part)
    mass = rule.total() + sum((abs(jump) for _, jump in jumps), start=arb(0))
    return total + arb(0, (2 * mass * rule.remainder(weight)).abs_upper())


def _atoms(rule: Rule, jumps: list[tuple[Any, Any]]) -> tuple[list[Any], list[Any]]:
    """Return the nodes and weights of f'(x) dx, including the jumps, without nodes of weight 0."""
    weights = [step * slope for step, slope in zip(rule.weights, rule.values, strict=True)]
    pairs = [*zip(rule.x, weights, strict=True), *jumps]
    kept = [pair for pair in pairs if not pair[1].is_zero()]
    return [x for x, _ in kept], [weight for _, weight in kept]


def _joint(n: Certified, h: Moments, z: list[Any]) -> list[list[Any]]:
    """Return the matrix of Phi_2(z_i, z_j)."""
    step, count, error = trapezoid(n, h, arb(1), arb(1))
    c, s = (h.var_mu / h.var_chi).sqrt(), (h.variance / h.var_chi).sqrt()
    rows = []
    for j in range(-count, count + 1):
        u = step * j
        root = (step * n.npdf(u)).sqrt()
        rows.append([root * n.ncdf(s * point - c * u) for point in z])
    table = arb_mat(rows)
    product = (table.transpose() * table).tolist()
    ball = arb(0, error)
    return [[value + ball for value in row] for row in product]


def _quotient(a: Any, b: Any, m: int) -> Any:
    """Return the quotient (a^m - b^m)/(a - b) = sum_j a^j b^(m-1-j)."""
    total, power = arb(1), arb(1)
    for _ in range(m - 1):
        power *= b
        total = total * a + power
    return total
