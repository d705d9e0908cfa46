"""The error function erf, whose kernel is an arcsine."""

from typing import Any, final

from igbtheory.activations.function import ClosedForm, formula
from igbtheory.numbers import Kind


@final
class Erf(ClosedForm):
    """Moments of erf: E erf(h_a) erf(h_b) = (2/pi) asin(2 q_ab / sqrt((1 + 2 q_a)(1 + 2 q_b)))."""

    def mean(self, n: Kind, q: Any) -> Any:
        return n.number(0) * q

    def covariance(self, n: Kind, q_a: Any, q_b: Any, q_ab: Any) -> Any:
        return (2 / n.pi) * n.asin(2 * q_ab / n.sqrt((1 + 2 * q_a) * (1 + 2 * q_b)))

    def spread(self, n: Kind, var_mu: Any, var_chi: Any) -> Any:
        """(2/pi)(asin s_1 - asin s_c): the sine and cosine of that difference of angles, both positive terms."""
        q = var_mu + var_chi
        rest_1, rest_c = n.sqrt(1 + 4 * q), n.sqrt((1 + 2 * var_chi) * (1 + 2 * q + 2 * var_mu))
        sine = 2 * var_chi * (q + var_mu) / (q * rest_c + var_mu * rest_1)
        cosine = (rest_1 * rest_c + 4 * q * var_mu) / (1 + 2 * q) ** 2
        return (2 / n.pi) * n.atan2(sine, cosine)


FUNCTIONS = (formula("erf", "erf(x)", "scipy.special.erf", Erf()),)
