"""The Gram matrix of the units behind an activation, alone or behind a norm over units, to first order in 1/width.

Given the kernel in front, G_ab = mean of phi_a phi_b over the units is a mean of independent terms. Its mean is the map
of infinite width, plus order 1/width behind a norm; its noise has the covariances of one term, divided by the width.
"""

from dataclasses import dataclass
from typing import final

import numpy as np

from igbtheory.networks.width.blocks import Norm
from igbtheory.networks.width.coordinates import Array, Pair, Taylor, cosine
from igbtheory.networks.width.units import Units


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

    With psi = d phi/d log q = h phi'/2 and chi = d psi/d log q = psi/2 + h^2 phi''/4, the derivative of E phi_a phi_b
    by log q_a is E psi_a phi_b, and that by c is q E phi'_a phi'_b (Price's theorem).
    """
    _, by_y, by_yy = cosine(x.y)
    m, psi = x.m, x.given(x.growth)
    chi = psi / 2 + x.bends(lambda h, _: h * h / 4)
    slope, bent, turned = x.given(x.slope), x.bends(lambda h, _: 1 + 0 * h), x.bends(lambda h, _: h)
    # E (phi_a phi_a - phi_a phi_b) and E phi_a phi_b, with two derivatives by s = (log q_a + log q_b)/2
    first = x.covariance(x.phi, x.growth)
    second = x.covariance(x.growth, x.growth) + first / 2 + x.mean(x.bends(lambda h, phi: (phi - m) * h * h / 4))
    apart_s = np.array([x.covariance(x.phi, x.phi), 2 * first, 2 * second])
    shared_s = np.array([x.mean(m * m), 2 * x.mean(m * psi), 2 * x.mean(psi * psi + m * chi)])
    by_c, by_cs, by_cc = x.q * x.mean(slope**2), x.q * x.mean(slope * (slope + turned)), x.q**2 * x.mean(bent**2)
    shared_y, shared_sy, shared_yy = by_c * by_y, by_cs * by_y, by_cc * by_y**2 + by_c * by_yy
    # by d = (log q_a - log q_b)/2, twice: of sqrt(G_aa G_bb) and of G_ab
    q = apart_s + shared_s
    root, across = q[2] - q[1] ** 2 / q[0], 2 * x.mean(m * chi - psi * psi)
    apart, together = (
        np.array([of_s[0], of_s[1], sign * shared_y, of_s[2], sign * shared_sy, sign * shared_yy, root + sign * across])
        for sign, of_s in ((-1, apart_s), (1, q + shared_s))
    )
    return Gram(q, apart, together)


def noise(x: Units, of: Gram, norm: Norm | None) -> Pair:
    """Return the covariances of one term of the Gram matrix in the coordinates of `Pair`, and the shifts of the means.

    norm: in front of the activation. It divides h_a by the root of the mean of h_a^2, and LayerNorm subtracts the mean
    of h_a. To first order a term phi_a phi_b is then less by the derivatives of its mean times h_a^2/q - 1 and h_a,
    which is its influence function.
    """
    m, v = x.m, x.deviation
    apart, together, pair = of.apart[0], of.together[0], x.mean(x.variance**2)
    # a datum's parts of phi_a^2 and of (phi_a -+ phi_b)^2/2, in which -+ v_a v_b is the part of the pair
    less = v * v / 2
    square, more = x.phi**2, less + m * (m + 2 * v)
    if norm:
        zeta = x.h**2 / x.q - 1
        square, less, more = square - of.q[1] * zeta, less - of.apart[1] / 2 * zeta, more - of.together[1] / 2 * zeta
    if norm and norm.centres and not x.parity:  # else phi_a phi'_b is odd, and its mean is 0
        lean, shared = x.covariance(x.phi, x.slope), x.mean(m * x.given(x.slope))
        square, less, more = square - 2 * (lean + shared) * x.h, less - lean * x.h, more - (lean + 2 * shared) * x.h
    network, datum = _covariances(x, square / of.q[0], less / apart - more / together)
    (of_apart, of_together), (third_apart, third_together) = _cumulants(x, np.stack([less, more]), np.array([-1, 1]))
    # sqrt(G_aa G_bb) is less than their mean by the square of half their difference
    unequal = of.q[0] * datum[0, 0] / 4 * (1 / apart - 1 / together)
    log_q = -(network[0, 0] + datum[0, 0]) / 2
    y = of_together / (2 * together**2) - of_apart / (2 * apart**2) - unequal
    by_norm = _shift(x, of) if norm is not None else (0.0, 0.0)
    pair *= (1 / apart + 1 / together) ** 2
    skew = abs(third_apart / apart**3 - third_together / together**3) / 3
    return Pair(log_q + by_norm[0], y + by_norm[1], network, datum, pair, skew=skew)


def _covariances(x: Units, square: Array, y: Array) -> tuple[Array, Array]:
    """Return the covariances over u and over z of a datum's parts of log K_aa and y; y has two data, alike given u."""
    shares = np.stack([square, y])
    given = x.given(shares)
    across = (given - (given @ x.u)[:, None]) * [[1], [2]]
    rests = (shares - given[:, None]).reshape(2, -1)
    # einsum, since a product of matrices would start threads, which take longer
    return across * x.u @ across.T, np.einsum("ai,bi->ab", rests * (x.u * x.z).ravel(), rests)


def _cumulants(x: Units, shares: Array, signs: Array) -> tuple[Array, Array]:
    """Return the variances and the third cumulants of part_a + part_b + sign v_a v_b for several parts."""
    v, given = x.deviation, x.given(shares)
    rest, across = shares - given[:, None], 2 * (given - (given @ x.u)[:, None])
    square, by_v = rest * rest, rest * v
    second = 2 * x.given(square) + x.variance**2
    third = 2 * x.given(square * rest) + 6 * x.given(by_v * v) * x.variance
    third += signs[:, None] * (6 * x.given(by_v) ** 2 + x.cube**2)
    return (second + across**2) @ x.u, (third + 3 * across * second + across**3) @ x.u


def _shift(x: Units, of: Gram) -> tuple[float, float]:
    """Return the shift of the means of log K_aa and y by a norm in front, times the width.

    The mean of h_a^2/q is 1 + rho_a with Var rho_a = 2/width, Cov(rho_a, rho_b) = 2 c^2/width, and correlated with the
    terms. Subtracting the mean of h_a adds terms that cancel one another.
    """
    zeta, psi = x.h**2 / x.q - 1, x.given(x.growth)
    sine2 = 1 - cosine(x.y)[0] ** 2
    crossed = 2 * sine2 * x.mean(psi * psi)
    apart = of.apart[1] + of.apart[3] + crossed - 2 * x.covariance(zeta * x.growth, x.phi)
    shared = (of.together[1] - of.apart[1] + of.together[3] - of.apart[3]) / 2 - crossed
    shared -= 2 * x.mean(x.m * x.given(zeta * x.growth))
    return (apart + shared) / of.q[0], apart / of.apart[0] - (apart + 2 * shared) / of.together[0]
