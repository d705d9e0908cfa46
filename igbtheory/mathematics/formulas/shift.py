"""The activation phi - s, phi minus a constant."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, final

from igbtheory.mathematics.formulas.function import ClosedForm, Function
from igbtheory.mathematics.formulas.tree import add, number
from igbtheory.mathematics.numbers import Kind


@final
@dataclass(frozen=True)
class Shifted(ClosedForm):
    """Moments of phi - s: only the mean differs from the moments of phi."""

    closed: ClosedForm
    s: Fraction

    @property
    def decays(self) -> bool:
        return self.closed.decays

    def mean(self, n: Kind, q: Any) -> Any:
        return self.closed.mean(n, q) - n.number(self.s)

    def covariance(self, n: Kind, q_a: Any, q_b: Any, q_ab: Any) -> Any:
        return self.closed.covariance(n, q_a, q_b, q_ab)

    def slope(self, n: Kind, q_a: Any, q_b: Any, q_ab: Any) -> Any:
        return self.closed.slope(n, q_a, q_b, q_ab)

    def variances(self, n: Kind, var_mu: Any, var_chi: Any) -> tuple[Any, Any]:
        return self.closed.variances(n, var_mu, var_chi)


def shifted(phi: Function, s: float) -> Function:
    """Return the function phi - s, where s is the exact value of the float.

    Source: initial-guessing-bias, section 5 and its appendix on the shifted ReLU (sigma_w2 = 2: s = 1/sqrt(pi)).
    """
    exact = Fraction(s)
    closed = None if phi.closed is None else Shifted(phi.closed, exact)
    name, tree = f"{phi.name} - {s:.17g}", add(phi.tree, -number(exact))
    return replace(phi, name=name, tree=tree, closed=closed, aliases=(), difference=(phi, s))
