"""Moments of phi(M), M the largest of m batch-normalised units: B = sqrt(n - 1) sin t, t of density cos(t)^(n - 3).

Two data of different batches are independent: var_mu = 0. Homogeneous phi of degree p with closed forms: a Gaussian
vector of d = n - 1 components is its length chi_d times a uniform direction, so that E phi(B)^k is that of a normal
variable over E (chi_d^2/d)^(kp/2) (the proxy: times E (chi_(d-1)^2/n)^(-kp/2)); E chi_d^s = 2^(s/2) Gamma((d + s)/2)/
Gamma(d/2). For any other phi panels in t: |cos z| <= cosh |Im z|, and with Z = int cos^k the distribution function has
|F(z)| <= 1 + |Im z| cosh(Im z)^k/Z.
"""

from fractions import Fraction
from typing import Any

from flint import arb, fmpq

from igbtheory.averages.state import Moments
from igbtheory.certificate.panels import Layout, between
from igbtheory.formulas.catalogue import FUNCTIONS
from igbtheory.formulas.function import Function
from igbtheory.formulas.tree import evaluate
from igbtheory.numbers.certified import Certified


def moments(n: Certified, phi: Function | None, m: int, size: int, *, proxy: bool) -> Moments:
    """Return the moments of phi(M), units of batches of `size`."""
    phi = phi or FUNCTIONS["linear"]
    if m == 1 and phi.closed is not None and phi.degree is not None:
        return _homogeneous(n, phi, size, proxy=proxy)
    if proxy:
        raise ValueError(
            f'expected a homogeneous activation such as "relu" behind BatchNorm({size}, law="proxy") without a '
            f'MaxPool between them, got {phi.name!r}: no other one is certified; use law="exact"'
        )
    average, second = _on_two_points(n, phi, m) if size == 2 else _on_sphere(n, phi, m, size)
    if m == 1 and phi.parity < 0:
        average = arb(0)
    return Moments(average, arb(0), second - average * average)


def _homogeneous(n: Certified, phi: Function, size: int, *, proxy: bool) -> Moments:
    closed, degree = phi.closed, phi.degree
    if closed is None or degree is None:
        raise TypeError(f"expected a homogeneous function with closed forms, got {phi.name!r}")
    if proxy and size - 2 <= 2 * degree:
        raise ValueError(
            f'expected a larger batch_size than {size} with law="proxy", whose variance behind {phi.name!r} is infinite'
        )
    one = n.number(1)
    mean = closed.mean(n, one)
    second = closed.spread(n, n.number(0), one) + mean * mean
    first, square = (_shrunk(n, size, k * degree, proxy=proxy) for k in (1, 2))
    mean = mean * first
    return Moments(mean, arb(0), second * square - mean * mean)


def _shrunk(n: Certified, size: int, power: Fraction, *, proxy: bool) -> Any:
    """Return the mean of |B|^power over that of |z|^power, z standard normal."""
    d, half = size - 1, n.number(power / 2)
    if not proxy:
        return (n.number(d) / 2) ** half / _gamma_ratio(n, d, power)
    return (n.number(size) / 2) ** half * _gamma_ratio(n, d - 1, -power)


def _gamma_ratio(n: Certified, d: int, power: Fraction) -> Any:
    """Return the ratio Gamma((d + power)/2)/Gamma(d/2)."""
    return (n.number((d + power) / 2).lgamma() - n.number(Fraction(d, 2)).lgamma()).exp()


def _on_two_points(n: Certified, phi: Function, m: int) -> tuple[Any, Any]:
    """Return the mean and mean square where M is -1 with probability 2^-m, else 1."""
    low, high = (n.number(value) for value in _at_ends(n, phi))
    alone = n.number(Fraction(1, 2**m))
    return alone * low + (1 - alone) * high, alone * low * low + (1 - alone) * high * high


def _at_ends(n: Certified, phi: Function) -> list[Any]:
    """Return the values of phi at -1 and 1, which belong to the piece on their right where they are kinks."""
    index = [sum(kink <= x for kink in phi.pieces.kinks) for x in (-1, 1)]
    return [evaluate(phi.pieces.formulas[i], n, arb(x)) for i, x in zip(index, (-1, 1), strict=True)]


def _on_sphere(n: Certified, phi: Function, m: int, size: int) -> tuple[Any, Any]:
    """Return the mean and mean square of phi(M), size > 2."""
    power, root = size - 3, arb(size - 1).sqrt()
    whole = n.pi.sqrt() / _gamma_ratio(n, power + 1, Fraction(1))

    def weight(height: Any) -> Any:
        """Return a bound of the density m F^(m-1) cos^power/whole."""
        most = height.cosh() ** power / whole
        return m * (1 + height * most) ** (m - 1) * most

    def density(t: Any) -> Any:
        found = t.cos() ** power / whole
        return found if m == 1 else found * m * _below(t, size) ** (m - 1)

    ends, seen, _ = between(n, phi, -root, root)
    angles = [-n.pi / 2, *((end / root).asin() for end in ends[1:-1]), n.pi / 2]
    layout = Layout(n, phi.name, 6 / (size * m) ** 0.5, n.bits + 10, weight, lambda t: root * t.sin())
    rule = layout.rule(angles, [(formula,) for formula in phi.pieces.formulas[seen]])
    return rule.averages(density, weight)


def _below(t: Any, size: int) -> Any:
    """Return the probability of an angle below t: (1 + sin t)/2 is Beta((n - 2)/2, (n - 2)/2)."""
    half = arb(fmpq(size - 2, 2))
    return ((1 + t.sin()) / 2).beta_lower(half, half, regularized=1)
