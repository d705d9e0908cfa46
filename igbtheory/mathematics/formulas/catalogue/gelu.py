"""The Gaussian error linear unit x Phi(x), whose kernel is algebra and one arcsine; its approximation by tanh."""

from typing import Any, final

from igbtheory.mathematics.formulas.function import ClosedForm, formula
from igbtheory.mathematics.formulas.library_functions import GELU_TANH
from igbtheory.mathematics.numbers import Kind


@final
class Gelu(ClosedForm):
    """Moments of x Phi(x), by Stein's lemma.

    With P = (1 + q_a)(1 + q_b), R = sqrt(P - q_ab^2), A = asin(q_ab/sqrt(P)):
    E phi(h_a) phi(h_b) = q_ab (1/4 + A/(2 pi)) + (q_a q_b R + q_ab^2/R)/(2 pi P); E phi(h) = q/sqrt(2 pi (1 + q));
    E phi'(h_a) phi'(h_b) = 1/4 + (A + (q_ab/R)(3 + q_a + q_b + (q_ab/R)^2)/P)/(2 pi).
    """

    def mean(self, n: Kind, q: Any) -> Any:
        return q / n.sqrt(2 * n.pi * (1 + q))

    def covariance(self, n: Kind, q_a: Any, q_b: Any, q_ab: Any) -> Any:
        root, r = n.sqrt((1 + q_a) * (1 + q_b)), _root(n, q_a, q_b, q_ab)
        return _covariance(n, q_a * q_b, q_ab, root, r, n.atan2(q_ab, r))

    def slope(self, n: Kind, q_a: Any, q_b: Any, q_ab: Any) -> Any:
        p, r = (1 + q_a) * (1 + q_b), _root(n, q_a, q_b, q_ab)
        angle, ratio = n.atan2(q_ab, r), q_ab / r
        return n.number(1) / 4 + (angle + ratio * (3 + q_a + q_b + ratio**2) / p) / (2 * n.pi)

    def variances(self, n: Kind, var_mu: Any, var_chi: Any) -> tuple[Any, Any]:
        q = var_mu + var_chi
        root, r, angle, spread = self._spread(n, var_mu, var_chi)
        return _covariance(n, q * q, var_mu, root, r, angle), spread

    def products(self, n: Kind, var_mu: Any, var_chi: Any) -> tuple[Any, Any]:
        q = var_mu + var_chi
        root, r, angle, spread = self._spread(n, var_mu, var_chi)
        rest = (q * q * r + var_mu * var_mu / r) / (root * root)
        return var_mu / 4 + (var_mu * angle + rest) / (2 * n.pi), spread

    def _spread(self, n: Kind, var_mu: Any, var_chi: Any) -> tuple[Any, Any, Any, Any]:
        """Return sqrt(P), R, the angle A and var_chi of gelu, the integral of the slope over q_ab from var_mu to q.

        No term cancels: T = turn = A(q) - A(var_mu); half = tan(T/2); excess = T - sin T and versine = 1 - cos T.
        """
        q, step = var_mu + var_chi, var_chi * (2 * var_mu + var_chi)
        root, r_1, r_c = 1 + q, n.sqrt(1 + 2 * q), n.sqrt((1 + var_chi) * (1 + q + var_mu))
        product = r_1 * r_c
        sine, cosine = step / (q * r_c + var_mu * r_1), (product + q * var_mu) / (root * root)
        half = sine / (1 + cosine)
        angle, turn, versine = n.atan(var_mu / r_c), 2 * n.atan(half), sine * half
        excess = sine * (turn * sine - versine) - n.sin_minus_t_cos(turn) * cosine
        rest = step / (r_1 + r_c) * (2 / root + 1 / product)
        spread = var_chi / 4 + (var_chi * (angle + turn) + var_mu * excess - r_c * versine + rest) / (2 * n.pi)
        return root, r_c, angle, spread

    def power(self, n: Kind, q: Any, square: Any) -> Any:
        """Return the power from E phi^2 = q (1/4 + A(q)/(2 pi)) + B, B = q^2/(pi (1 + q) sqrt(1 + 2 q))."""
        part = q / (1 + q)
        return 1 + q * part * (1.5 - part - q / (1 + 2 * q)) / (n.pi * n.sqrt(1 + 2 * q) * square)


def _root(n: Kind, q_a: Any, q_b: Any, q_ab: Any) -> Any:
    """Return R, with 1 + q_a + q_b added to the small difference of the squares."""
    return n.sqrt(1 + q_a + q_b + (q_a * q_b - q_ab * q_ab))


def _covariance(n: Kind, squared: Any, q_ab: Any, root: Any, r: Any, angle: Any) -> Any:
    """Return the covariance from squared = q_a q_b, root = sqrt(P), R and the angle A."""
    share = q_ab / root
    rest = share * share * (1 / r - squared / (r + root))
    return q_ab / 4 + (q_ab * angle + rest) / (2 * n.pi)


FUNCTIONS = (
    formula("gelu", "x*erfc(-x/sqrt(2))/2", "torch.nn.GELU(approximate='none')", Gelu()),
    formula("gelu_tanh", GELU_TANH, "torch.nn.GELU(approximate='tanh')"),
)
