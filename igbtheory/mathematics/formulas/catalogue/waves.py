"""The sine and the cosine, whose kernels are exponentials."""

from typing import Any, final

from igbtheory.mathematics.formulas.function import ClosedForm, formula
from igbtheory.mathematics.numbers import Kind


@final
class Sine(ClosedForm):
    """Moments of sin: E sin(h_a) sin(h_b) = exp(-(q_a + q_b)/2) sinh(q_ab)."""

    @property
    def decays(self) -> bool:
        return True

    def mean(self, n: Kind, q: Any) -> Any:
        return n.number(0) * q

    def covariance(self, n: Kind, q_a: Any, q_b: Any, q_ab: Any) -> Any:
        # one of the two is 0, so that no exponential overflows
        positive, negative = (abs(q_ab) + q_ab) / 2, (abs(q_ab) - q_ab) / 2
        difference = n.expm1(-2 * negative) - n.expm1(-2 * positive)
        return _decay(n, q_a, q_b, q_ab) * difference / 2

    def slope(self, n: Kind, q_a: Any, q_b: Any, q_ab: Any) -> Any:
        return _decay(n, q_a, q_b, q_ab) * (1 + n.exp(-2 * abs(q_ab))) / 2

    def variances(self, n: Kind, var_mu: Any, var_chi: Any) -> tuple[Any, Any]:
        shared = -n.exp(-var_chi) * n.expm1(-2 * var_mu) / 2
        return shared, -n.expm1(-var_chi) * (1 + n.exp(-(2 * var_mu + var_chi))) / 2


@final
class Cosine(ClosedForm):
    """Moments of cos: E cos(h_a) cos(h_b) = exp(-(q_a + q_b)/2) cosh(q_ab), E cos(h) = exp(-q/2)."""

    @property
    def decays(self) -> bool:
        return True

    def mean(self, n: Kind, q: Any) -> Any:
        return n.exp(-q / 2)

    def covariance(self, n: Kind, q_a: Any, q_b: Any, q_ab: Any) -> Any:
        """Return the covariance; subtracting the squared mean turns cosh q_ab into 2 sinh(q_ab/2)^2."""
        return _decay(n, q_a, q_b, q_ab) * n.expm1(-abs(q_ab)) ** 2 / 2

    def slope(self, n: Kind, q_a: Any, q_b: Any, q_ab: Any) -> Any:
        return Sine().covariance(n, q_a, q_b, q_ab)

    def variances(self, n: Kind, var_mu: Any, var_chi: Any) -> tuple[Any, Any]:
        shared = n.exp(-var_chi) * n.expm1(-var_mu) ** 2 / 2
        return shared, n.expm1(-var_chi) * n.expm1(-(2 * var_mu + var_chi)) / 2


def _decay(n: Kind, q_a: Any, q_b: Any, q_ab: Any) -> Any:
    """Return exp(-(q_a + q_b)/2 + |q_ab|), the larger of E cos(h_a + h_b) and E cos(h_a - h_b)."""
    return n.exp(-((q_a - abs(q_ab)) + (q_b - abs(q_ab))) / 2)


FUNCTIONS = (
    formula("sin", "sin(x)", "torch.sin", Sine()),
    formula("cos", "cos(x)", "torch.cos", Cosine()),
)
