"""The squared rectifier, whose kernel is the arc-cosine kernel of degree 2."""

from typing import Any, final

from igbtheory.mathematics.formulas.function import ClosedForm, formula
from igbtheory.mathematics.numbers import Kind


@final
class SquaredRelu(ClosedForm):
    """Moments of max(x, 0)^2, theta the angle between the data.

    E phi(h_a) phi(h_b) = (q_a q_b/(2 pi)) (3 sin theta cos theta + (pi - theta)(1 + 2 cos^2 theta)), E phi(h) = q/2.
    Source: Cho and Saul 2009, Kernel methods for deep learning, Eq. 7.
    """

    def mean(self, n: Kind, q: Any) -> Any:
        return q / n.number(2)

    def covariance(self, n: Kind, q_a: Any, q_b: Any, q_ab: Any) -> Any:
        """Return the covariance in terms of alpha = pi/2 - theta; for alpha > 0 every term is positive."""
        alpha = n.asin(n.correlation(q_ab, n.sqrt(q_a * q_b)))
        sine = n.sin(alpha)
        terms = 3 * sine * n.cos(alpha) + alpha * (1 + 2 * sine**2) + n.pi * sine**2
        return q_a * q_b * terms / (2 * n.pi)

    def slope(self, n: Kind, q_a: Any, q_b: Any, q_ab: Any) -> Any:
        """Return four times the kernel of relu, (2/pi) sqrt(q_a q_b) (sin t - t cos t) with t = pi - theta."""
        s = n.sqrt(q_a * q_b)
        return (2 / n.pi) * s * n.sin_minus_t_cos(n.pi / 2 + n.asin(n.correlation(q_ab, s)))

    def spread(self, n: Kind, var_mu: Any, var_chi: Any) -> Any:
        """Return (q^2/(2 pi)) ((2 pi + theta) sin^2 theta - 3 (sin theta - theta cos theta) cos theta)."""
        q = var_mu + var_chi
        theta = 2 * n.asin(n.sqrt(var_chi / (2 * q)))
        squared_sine = var_chi * (q + var_mu)
        return ((2 * n.pi + theta) * squared_sine - 3 * q * var_mu * n.sin_minus_t_cos(theta)) / (2 * n.pi)


FUNCTIONS = (
    formula("squared_relu", "max(x, 0)**2", "torch.nn.functional.relu(x)**2 (So et al. 2021)", SquaredRelu(), "relu2"),
)
