"""Functions that are constant on either side of 0, whose kernel is an arcsine: step, sign."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

from igbtheory.mathematics.formulas.function import ClosedForm, formula
from igbtheory.mathematics.numbers import Kind


@final
@dataclass(frozen=True)
class Jump(ClosedForm):
    """Moments of a jump from `low` to `high` at 0: the covariance is (high - low)^2 asin(c)/(2 pi).

    Source: Sheppard 1899; Cho and Saul 2009, Kernel methods for deep learning, Eq. 5.
    """

    low: Fraction
    high: Fraction

    def _unit(self, n: Kind) -> Any:
        return n.number((self.high - self.low) ** 2) / (2 * n.pi)

    def mean(self, n: Kind, q: Any) -> Any:
        return n.number((self.low + self.high) / 2) + 0 * q

    def covariance(self, n: Kind, q_a: Any, q_b: Any, q_ab: Any) -> Any:
        return self._unit(n) * n.asin(n.correlation(q_ab, n.sqrt(q_a * q_b)))

    def slope(self, n: Kind, q_a: Any, q_b: Any, q_ab: Any) -> Any:
        """Return the density of the pair at 0 times the squared jump, which is infinite at c = 1."""
        s = n.sqrt(q_a * q_b)
        c = n.correlation(q_ab, s)
        return n.ratio(self._unit(n), s * n.sqrt((1 - c) * (1 + c)))

    def variances(self, n: Kind, var_mu: Any, var_chi: Any) -> tuple[Any, Any]:
        unit, root = self._unit(n), n.sqrt(var_chi * (2 * var_mu + var_chi))
        return unit * n.atan2(var_mu, root), unit * n.atan2(root, var_mu)


FUNCTIONS = (
    formula("step", "Heaviside(x)", "torch.heaviside", Jump(Fraction(0), Fraction(1)), "heaviside"),
    formula("sign", "sign(x)", "torch.sign", Jump(Fraction(-1), Fraction(1))),
)
