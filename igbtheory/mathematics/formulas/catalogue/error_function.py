"""The error function erf, whose kernel is an arcsine."""

from typing import Any, final

from igbtheory.mathematics.formulas.function import ClosedForm, formula
from igbtheory.mathematics.numbers import Kind


@final
class Erf(ClosedForm):
    """Moments of erf: E erf(h_a) erf(h_b) = (2/pi) asin(2 q_ab / sqrt((1 + 2 q_a)(1 + 2 q_b))).

    The angle is computed from its tangent, since the arcsine of a number near 1 loses half the digits.
    Source: Williams 1997, Computing with infinite networks, Eq. 11.
    """

    def mean(self, n: Kind, q: Any) -> Any:
        return n.number(0) * q

    def covariance(self, n: Kind, q_a: Any, q_b: Any, q_ab: Any) -> Any:
        return (2 / n.pi) * n.atan2(2 * q_ab, root(n, q_a, q_b, q_ab))

    def slope(self, n: Kind, q_a: Any, q_b: Any, q_ab: Any) -> Any:
        return 4 / (n.pi * root(n, q_a, q_b, q_ab))

    def variances(self, n: Kind, var_mu: Any, var_chi: Any) -> tuple[Any, Any]:
        """Return the variances; in var_chi, asin s_1 - asin s_c has a sine and a cosine whose terms are positive."""
        q = var_mu + var_chi
        rest_1, rest_c = n.sqrt(1 + 4 * q), n.sqrt((1 + 2 * var_chi) * (1 + 2 * q + 2 * var_mu))
        sine = 2 * var_chi * (q + var_mu) / (q * rest_c + var_mu * rest_1)
        cosine = (rest_1 * rest_c + 4 * q * var_mu) / (1 + 2 * q) ** 2
        return (2 / n.pi) * n.atan(2 * var_mu / rest_c), (2 / n.pi) * n.atan(sine / cosine)

    def products(self, n: Kind, var_mu: Any, var_chi: Any) -> tuple[Any, Any]:
        return self.variances(n, var_mu, var_chi)  # the mean is 0

    def power(self, n: Kind, q: Any, square: Any) -> Any:
        return 1.0  # at most: the arcsine of 2 q/(1 + 2 q) is concave in q


def root(n: Kind, q_a: Any, q_b: Any, q_ab: Any) -> Any:
    """Return the square root of det(1 + 2 Sigma), where Sigma is the covariance matrix of the pair."""
    return n.sqrt((1 + 2 * q_a) * (1 + 2 * q_b) - 4 * q_ab * q_ab)


FUNCTIONS = (formula("erf", "erf(x)", "torch.erf", Erf()),)
