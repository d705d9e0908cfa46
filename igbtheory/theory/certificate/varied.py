"""Numbers that depend on var_mu and var_chi, which are known as balls: mean values in place of balls of balls.

In a sum of many terms each one widens with the balls, and the terms widen the sum although their changes cancel. By the
mean value theorem the number is its value at the middles, widened by the radii times its slopes somewhere on the balls.
Slopes need few correct digits.
"""

from dataclasses import dataclass
from typing import Any, final

from flint import arb

from igbtheory.mathematics.averages.state import Moments


@final
@dataclass(frozen=True)
class Varied:
    """Number with its value at the middles of var_mu and var_chi, and its derivatives by both on their balls."""

    value: Any
    by_mu: Any
    by_chi: Any

    def __sub__(self, other: "Varied") -> "Varied":
        return Varied(self.value - other.value, self.by_mu - other.by_mu, self.by_chi - other.by_chi)

    def squared(self, h: Moments) -> "Varied":
        """Return its square."""
        double = 2 * self.on(h)
        return Varied(self.value * self.value, double * self.by_mu, double * self.by_chi)

    def on(self, h: Moments) -> Any:
        """Return a ball with all its values on the balls of h."""
        radius = abs(self.by_mu) * arb(h.var_mu).rad() + abs(self.by_chi) * arb(h.var_chi).rad()
        return self.value + arb(0, radius.abs_upper())


def middles(h: Moments) -> Moments:
    """Return the moments at the middles of var_mu and var_chi."""
    return Moments(h.mean, arb(h.var_mu).mid(), arb(h.var_chi).mid())
