"""The Gram matrix of the units behind an activation, alone or behind a norm over units, to first order in 1/width.

Given the kernel in front, G_ab = mean of phi_a phi_b over the units is a mean of independent terms. Its mean is the map of
infinite width, plus order 1/width behind a norm, and its noise has the covariances of one term, divided by the width.
"""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from igbtheory.width.pair import Array, Pair, Taylor, cosine
from igbtheory.width.units import Units


@final
@dataclass(frozen=True, eq=False)
class Gram:
    """E G_aa with its derivatives by log q, and E (G_aa + G_bb)/2 -+ G_ab, as `Pair.through` takes them."""

    q: Array
    apart: Taylor
    together: Taylor

    @property
    def scaled(self) -> "Gram":
        """The same behind a norm in front of the activation: the variances in front have no effect."""
        only_y = np.array([1, 0, 1, 0, 0, 1, 0])
        return Gram(self.q * [1, 0, 0], self.apart * only_y, self.together * only_y)


def gram(x: Units) -> Gram:
    """Return the Gram matrix in infinite width.

    With psi = d phi/d log q = h phi'/2 and chi = d psi/d log q = psi/2 + h^2 phi''/4, the derivative of E phi_a phi_b by
    log q_a is E psi_a phi_b, and that by c is q E phi'_a phi'_b (Price's theorem).
    """
    _, by_y, by_yy = cosine(x.y)
    m, psi = x.m, x.given(x.growth)
    chi = psi / 2 + x.bends(lambda h, _: h * h / 4)
    slope, bent, turned = x.given(x.slope), x.bends(lambda h, _: 1 + 0 * h), x.bends(lambda h, _: h)
    own = x.covariance(x.phi, x.phi), x.covariance(x.phi, x.growth), x.covariance(x.growth, x.growth)
    of_chi = own[1] / 2 + x.mean(x.bends(lambda h, phi: (phi - m) * h * h / 4))
    apart_s = own[0], 2 * own[1], 2 * (own[2] + of_chi)
    shared_s = x.mean(m * m), 2 * x.mean(m * psi), 2 * x.mean(psi * psi + m * chi)
    by_c, by_cs, by_cc = x.q * x.mean(slope**2), x.q * x.mean(slope * (slope + turned)), x.q**2 * x.mean(bent**2)
    of_y = np.array([by_c * by_y, by_cs * by_y, by_cc * by_y**2 + by_c * by_yy])  # by y, sy and yy
    q = np.add(apart_s, shared_s)
    root, across = q[2] - q[1] ** 2 / q[0], 2 * x.mean(m * chi - psi * psi)
    apart, together = (
        np.array([part[0], part[1], sign * of_y[0], part[2], sign * of_y[1], sign * of_y[2], root + sign * across])
        for sign, part in ((-1, apart_s), (1, q + np.array(shared_s)))
    )
    return Gram(q, apart, together)


def noise(x: Units, of: Gram, norm: str) -> Pair:
    """Return the covariances of one term of the Gram matrix in the coordinates of `Pair`, and the shifts of their means.

    norm: "" without a norm in front of the activation, "rms" or "layer". A norm divides h_a by the root of the mean of
    h_a^2, and LayerNorm subtracts the mean of h_a. To first order a term phi_a phi_b then is less by the derivatives of
    its mean times h_a^2/q - 1 and h_a (an influence function).
    """
    m, v, pair = x.m, x.v, x.mean(x.given(x.v**2) ** 2)
    apart, together = of.apart[0], of.together[0]
    square, less, more = x.phi**2, v * v / 2, m * m + 2 * m * v + v * v / 2  # (phi_a -+ phi_b)^2/2 without -+ v_a v_b
    if norm:
        zeta = x.h**2 / x.q - 1
        square, less, more = square - of.q[1] * zeta, less - of.apart[1] / 2 * zeta, more - of.together[1] / 2 * zeta
    if norm == "layer":
        lean, shared = x.covariance(x.phi, x.slope), x.mean(m * x.given(x.slope))
        square, less, more = square - 2 * (lean + shared) * x.h, less - lean * x.h, more - (lean + 2 * shared) * x.h
    network, datum = _parts(x, square / of.q[0], less / apart - more / together)
    of_apart, of_together = (_variance(x, part, pair) for part in (less, more))
    unequal = of.q[0] * datum[0, 0] / 4 * (1 / apart - 1 / together)
    log_q = -(network[0, 0] + datum[0, 0]) / 2
    y = of_together / (2 * together**2) - of_apart / (2 * apart**2) - unequal
    found = Pair(log_q, y, network, datum, (1 / apart + 1 / together) ** 2 * pair)
    return found if not norm else found.moved(*_shift(x, of))


def _parts(x: Units, square: Array, y: Array) -> tuple[Array, Array]:
    """Return the covariances over u and over z of a datum's terms in log K_aa and in y; y has two data, alike given u."""
    given = [x.given(square), 2 * x.given(y)]
    centred = [part - x.mean(part) for part in given]
    own = [square - given[0], y - given[1] / 2]
    network = [[x.mean(a * b) for b in centred] for a in centred]
    return np.array(network), np.array([[x.covariance(a, b) for b in own] for a in own])


def _variance(x: Units, term: Array, pair: float) -> float:
    """Return the variance of term_a + term_b -+ v_a v_b."""
    given = 2 * x.given(term)
    return x.mean((given - x.mean(given)) ** 2) + 2 * x.covariance(term, term) + pair


def _shift(x: Units, of: Gram) -> tuple[float, float]:
    """Return the shift of the means of log K_aa and y by a norm in front, times the width.

    The mean of h_a^2/q is 1 + rho_a with Var rho_a = 2/width, Cov(rho_a, rho_b) = 2 c^2/width, and correlated with the
    term. Subtracting the mean of h_a adds terms that cancel one another.
    """
    zeta, psi = x.h**2 / x.q - 1, x.given(x.growth)
    apart_c2 = 2 * (1 - np.tanh(x.y / 2) ** 2) * x.mean(psi * psi)
    apart = of.apart[1] + of.apart[3] + apart_c2 - 2 * x.covariance(zeta * x.growth, x.phi)
    shared = of.together[1] + of.together[3] - of.apart[1] - of.apart[3]
    shared = shared / 2 - apart_c2 - 2 * x.mean(x.m * x.given(zeta * x.growth))
    return (apart + shared) / of.q[0], apart / of.apart[0] - (apart + 2 * shared) / of.together[0]
