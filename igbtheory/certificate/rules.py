"""Gauss-Legendre rules with proven remainders.

Where f is analytic and |f| <= M on the ellipse with foci at the ends of [-1, 1] and half axes (rho +- 1/rho)/2, its
Chebyshev coefficients are at most 2 M rho^-k. The rule of N nodes is exact below degree 2N, and neither the integral of
T_k, at most 2/(k^2 - 1), nor its sum, at most 2, exceeds 8/3 together. Hence the remainder is at most
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
    """Panel middle +- half with its rule: `order` nodes, rho, height of the ellipse, bounds of the formulas on it."""

    middle: Any
    half: Any
    order: int
    rho: Any
    height: Any
    bounds: tuple[Any, ...]

    def nodes(self) -> Iterator[tuple[Any, Any]]:
        """Yield the nodes of the rule, ascending, each with its weight."""
        for node, weight in legendre(self.order, ctx.prec):
            yield self.middle + self.half * node, self.half * weight

    def remainder(self, bound: Any) -> Any:
        """Return the remainder of the rule for a function of at most `bound` on the ellipse."""
        rest = self.rho ** (-2 * self.order) / (1 - 1 / self.rho)
        return (self.half * bound * rest * 16 / 3).abs_upper()


@final
@dataclass(frozen=True)
class Rule:
    """Nodes x, weights, and the values of every formula at the nodes (formulas in front), in the order of x."""

    panels: list[Panel]
    x: list[Any]
    weights: list[Any]
    values: list[list[Any]]

    def remainder(self, weight: Map, of: Map) -> Any:
        """Remainder for weight times formula: at most weight(height) of(bounds of the formulas) on every ellipse."""
        parts = (panel.remainder(weight(panel.height) * of(panel.bounds)) for panel in self.panels)
        return sum(parts, start=arb(0)).abs_upper()

    def averages(self, density: Map, weight: Map) -> tuple[Any, Any]:
        """Return the integrals of density times the first formula and times its square; weight: as in `remainder`."""
        first = second = arb(0)
        for x, step, value in zip(self.x, self.weights, self.values[0], strict=True):
            part = step * density(x) * value
            first += part
            second += part * value
        lost = (self.remainder(weight, lambda bounds, k=k: bounds[0] ** k) for k in (1, 2))  # type: ignore[misc]
        return first + arb(0, next(lost)), second + arb(0, next(lost))

    def total(self, which: int) -> Any:
        """Return a bound of the integral of |formula|, and of its sum by the rule."""
        return sum((2 * panel.half * panel.bounds[which] for panel in self.panels), start=arb(0)).abs_upper()


@lru_cache(maxsize=512)
def legendre(order: int, bits: int) -> list[tuple[Any, Any]]:
    """Return the nodes, ascending, and weights of the Gauss-Legendre rule, as balls of so many bits."""
    del bits  # the precision that is set: a key of the cache
    return [arb.legendre_p_root(order, order - 1 - i, weight=True) for i in range(order)]
