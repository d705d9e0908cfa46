"""Moments of phi(M), M the largest of m batch-normalised units: B = sqrt(n - 1) sin t, t of density cos(t)^(n - 3).

Two data of different batches are independent: var_mu = 0. Panels in t: |cos z| <= cosh |Im z|, and with
Z = int cos^k the distribution function has |F(z)| <= 1 + |Im z| cosh(Im z)^k/Z.
"""

from fractions import Fraction
from typing import Any

from flint import arb, fmpq

from igbtheory.layers.batches.law import closed_product, has_closed_form
from igbtheory.mathematics.averages.state import Moments
from igbtheory.mathematics.formulas.catalogue import FUNCTIONS
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.formulas.tree import evaluate
from igbtheory.mathematics.numbers.certified import Certified
from igbtheory.theory.certificate.proven_panels import Layout, between


def moments(n: Certified, phi: Function | None, m: int, size: int) -> Moments:
    """Return the moments of phi(M) for batches of `size`."""
    phi = phi or FUNCTIONS["linear"]
    average, second = _on_two_points(n, phi, m) if size == 2 else _on_sphere(n, phi, m, size)
    if m == 1 and phi.parity < 0:
        average = arb(0)
    # two data of one batch have the correlation -1/(size - 1)
    ruled = m == 1 and has_closed_form(phi)
    within = closed_product(n, phi, size - 1) - average * average if ruled else arb.nan()
    return Moments(average, arb(0), second - average * average, within=within)


def _on_two_points(n: Certified, phi: Function, m: int) -> tuple[Any, Any]:
    """Return the mean and mean square of phi(M) if M is -1 with probability 2^-m and 1 otherwise."""
    low, high = (n.number(value) for value in _at_ends(n, phi))
    alone = n.number(Fraction(1, 2**m))
    return alone * low + (1 - alone) * high, alone * low * low + (1 - alone) * high * high


def _at_ends(n: Certified, phi: Function) -> list[Any]:
    """Return the values of phi at -1 and 1; at a kink, the piece on the right counts."""
    index = [sum(kink <= x for kink in phi.pieces.kinks) for x in (-1, 1)]
    return [evaluate(phi.pieces.formulas[i], n, arb(x)) for i, x in zip(index, (-1, 1), strict=True)]


def _on_sphere(n: Certified, phi: Function, m: int, size: int) -> tuple[Any, Any]:
    """Return the mean and mean square of phi(M), size > 2."""
    power, root = size - 3, arb(size - 1).sqrt()
    # Z = sqrt(pi) Gamma((k + 1)/2)/Gamma(k/2 + 1)
    whole = n.pi.sqrt() * (n.number(Fraction(power + 1, 2)).lgamma() - n.number(Fraction(power + 2, 2)).lgamma()).exp()

    def weight(height: Any) -> Any:
        """Return a bound of the density m F^(m-1) cos^power/whole."""
        most = height.cosh() ** power / whole
        return m * (1 + height * most) ** (m - 1) * most

    def density(t: Any) -> Any:
        value = t.cos() ** power / whole
        return value if m == 1 else value * m * _below(t, size) ** (m - 1)

    ends, pieces, _ = between(n, phi, -root, root)
    angles = [-n.pi / 2, *((end / root).asin() for end in ends[1:-1]), n.pi / 2]
    layout = Layout(n, phi.name, 6 / (size * m) ** 0.5, n.bits + 10, weight, lambda t: root * t.sin())
    rule = layout.rule(angles, phi.pieces.formulas[pieces])
    return rule.averages(density, weight)


def _below(t: Any, size: int) -> Any:
    """Return the probability of an angle below t: (1 + sin t)/2 is Beta((n - 2)/2, (n - 2)/2)."""
    half = arb(fmpq(size - 2, 2))
    return ((1 + t.sin()) / 2).beta_lower(half, half, regularized=1)
