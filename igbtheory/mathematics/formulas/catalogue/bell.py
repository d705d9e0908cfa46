"""The Gaussian bump exp(-x^2), whose kernel is the inverse of a square root."""

from typing import Any, final

from igbtheory.mathematics.formulas.catalogue.error_function import root
from igbtheory.mathematics.formulas.function import ClosedForm, formula
from igbtheory.mathematics.numbers import Kind


@final
class Bell(ClosedForm):
    """Moments of exp(-x^2): E phi(h_a) phi(h_b) = 1/R, R^2 = (1 + 2 q_a)(1 + 2 q_b) - 4 q_ab^2.

    The covariance 1/R - 1/sqrt(P), P = R^2 + 4 q_ab^2, is 4 q_ab^2 / (R sqrt(P) (R + sqrt(P))).
    """

    def mean(self, n: Kind, q: Any) -> Any:
        return 1 / n.sqrt(1 + 2 * q)

    def covariance(self, n: Kind, q_a: Any, q_b: Any, q_ab: Any) -> Any:
        return _covariance(n, q_a, q_b, q_ab, root(n, q_a, q_b, q_ab))

    def slope(self, n: Kind, q_a: Any, q_b: Any, q_ab: Any) -> Any:
        return 4 * q_ab / root(n, q_a, q_b, q_ab) ** 3

    def variances(self, n: Kind, var_mu: Any, var_chi: Any) -> tuple[Any, Any]:
        q = var_mu + var_chi
        r_1, r_c = n.sqrt(1 + 4 * q), n.sqrt((1 + 2 * var_chi) * (1 + 2 * q + 2 * var_mu))
        return _covariance(n, q, q, var_mu, r_c), 4 * var_chi * (q + var_mu) / (r_1 * r_c * (r_1 + r_c))


def _covariance(n: Kind, q_a: Any, q_b: Any, q_ab: Any, r: Any) -> Any:
    whole = n.sqrt((1 + 2 * q_a) * (1 + 2 * q_b))
    return 4 * q_ab**2 / (r * whole * (r + whole))


FUNCTIONS = (formula("gaussian", "exp(-x**2)", "torch.exp(-x**2); beware of exp(-x**2/2) under the same name", Bell()),)
