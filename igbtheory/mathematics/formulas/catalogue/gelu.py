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
        return _covariance(n, q_a * q_b, q_ab, (1 + q_a) * (1 + q_b), _root(n, q_a, q_b, q_ab))

    def slope(self, n: Kind, q_a: Any, q_b: Any, q_ab: Any) -> Any:
        p, r = (1 + q_a) * (1 + q_b), _root(n, q_a, q_b, q_ab)
        angle, ratio = n.atan2(q_ab, r), q_ab / r
        return n.number(1) / 4 + (angle + ratio * (3 + q_a + q_b + ratio**2) / p) / (2 * n.pi)

    def shared(self, n: Kind, var_mu: Any, var_chi: Any) -> Any:
        q = var_mu + var_chi
        return _covariance(n, q**2, var_mu, (1 + q) ** 2, n.sqrt((1 + var_chi) * (1 + q + var_mu)))

    def spread(self, n: Kind, var_mu: Any, var_chi: Any) -> Any:
        """Return the integral of the slope over q_ab from var_mu to q, in terms that do not cancel at any q.

        T = turn = A(q) - A(var_mu); T - sin T and 1 - cos T are computed without cancellation.
        """
        q = var_mu + var_chi
        r_1, r_c = n.sqrt(1 + 2 * q), n.sqrt((1 + var_chi) * (1 + q + var_mu))
        step = var_chi * (q + var_mu)
        sine, cosine = step / (q * r_c + var_mu * r_1), (r_1 * r_c + q * var_mu) / (1 + q) ** 2
        turn = n.atan2(sine, cosine)
        versine = 2 * n.sin(turn / 2) ** 2
        excess = turn * sine**2 - n.sin_minus_t_cos(turn) * cosine - sine * versine
        rest = step / (r_1 + r_c) * (2 / (1 + q) + 1 / (r_1 * r_c))
        return var_chi / 4 + (var_chi * n.atan2(q, r_1) + var_mu * excess - r_c * versine + rest) / (2 * n.pi)


def _root(n: Kind, q_a: Any, q_b: Any, q_ab: Any) -> Any:
    """Return R, with 1 + q_a + q_b added to the small difference of the squares."""
    return n.sqrt(1 + q_a + q_b + (q_a * q_b - q_ab * q_ab))


def _covariance(n: Kind, squared: Any, q_ab: Any, p: Any, r: Any) -> Any:
    """Return the covariance from squared = q_a q_b, P and R."""
    rest = q_ab * q_ab * (1 / r - squared / (r + n.sqrt(p))) / p
    return q_ab / 4 + (q_ab * n.atan2(q_ab, r) + rest) / (2 * n.pi)


FUNCTIONS = (
    formula("gelu", "x*erfc(-x/sqrt(2))/2", "torch.nn.GELU(approximate='none')", Gelu()),
    formula("gelu_tanh", GELU_TANH, "torch.nn.GELU(approximate='tanh')"),
)
