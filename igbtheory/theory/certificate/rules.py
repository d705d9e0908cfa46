"""Gauss-Legendre rules with proven remainders.

Where f is analytic and |f| <= M on the ellipse with foci at the ends of [-1, 1] and half axes (rho +- 1/rho)/2, its
Chebyshev coefficients are at most 2 M rho^-k. The rule of N nodes is exact below degree 2N. The integral of T_k is at
most 2/(k^2 - 1) and its sum by the rule at most 2, together at most 8/3. Hence the remainder is at most
(16/3) M rho^(-2N)/(1 - 1/rho).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, final

from flint import arb, ctx

Map = Callable[[Any], Any]


@final
@dataclass(frozen=True)
class Panel:
    """Panel middle +- half with its rule: number of nodes, rho and height of an ellipse, bound of the formula on it."""

    middle: Any
    half: Any
    order: int
    rho: Any
    height: Any
    bound: Any

    def nodes(self) -> Iterator[tuple[Any, Any]]:
        """Yield the nodes of the rule, ascending, with their weights."""
        for node, weight in legendre(self.order, ctx.prec):
            yield self.middle + self.half * node, self.half * weight

    def remainder(self, bound: Any) -> Any:
        """Return the remainder of the rule for a function that is at most `bound` on the ellipse."""
        rest = self.rho ** (-2 * self.order) / (1 - 1 / self.rho)
        return (self.half * bound * rest * 16 / 3).abs_upper()


@final
@dataclass(frozen=True)
class Rule:
    """Nodes x, ascending, weights, and values of a formula at the nodes."""

    panels: list[Panel]
    x: list[Any]
    weights: list[Any]
    values: list[Any]

    def remainder(self, weight: Map, power: int = 1) -> Any:
        """Return the remainder for formula^power times a factor that is at most weight(height) on every ellipse."""
        remainders = (panel.remainder(weight(panel.height) * panel.bound**power) for panel in self.panels)
        return sum(remainders, start=arb(0)).abs_upper()

    def averages(self, density: Map, weight: Map) -> tuple[Any, Any]:
        """Return the integrals of the density times the formula and times its square; weight: as in `remainder`."""
        first = second = arb(0)
        for x, step, value in zip(self.x, self.weights, self.values, strict=True):
            part = step * density(x) * value
            first += part
            second += part * value
        return first + arb(0, self.remainder(weight)), second + arb(0, self.remainder(weight, 2))

    def total(self) -> Any:
        """Return a bound of the integral of |formula| and of its sum by the rule."""
        return sum((2 * panel.half * panel.bound for panel in self.panels), start=arb(0)).abs_upper()


@lru_cache(maxsize=512)
def legendre(order: int, bits: int) -> list[tuple[Any, Any]]:
    """Return the nodes, ascending, and the weights of the Gauss-Legendre rule, as balls with this number of bits."""
    del bits  # the precision must be set already; the argument is a key of the cache
    return [arb.legendre_p_root(order, order - 1 - i, weight=True) for i in range(order)]
