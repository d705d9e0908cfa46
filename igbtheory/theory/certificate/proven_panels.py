"""Panels that end at the kinks of a function, with ellipses on which it is proven to be analytic and bounded."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log
from typing import Any, final

from flint import arb

from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.formulas.tree import Tree, evaluate
from igbtheory.mathematics.numbers.certified import Certified
from igbtheory.theory.certificate.boxes import analytic, rectangles, size
from igbtheory.theory.certificate.rules import Map, Panel, Rule

RADII = (16.0, 8.0, 5.0, 3.0, 2.0, 1.5)
"""Values of rho to try."""
DEEPEST = 40
"""Largest number of halvings of a panel."""
MOST = 50_000
"""Largest number of nodes."""


class TooWideError(ArithmeticError):
    """Error for a ball that is too wide: more bits are needed."""


@final
@dataclass(frozen=True)
class Layout:
    """Requirements of a rule.

    length: largest length of a panel; bits: accuracy; weight: returns a bound of the factor of the formula for
    |Im z| <= height; inner: a map of complex and of real balls that is applied before the formula, or None.
    """

    n: Certified
    name: str
    length: float
    bits: int
    weight: Map
    inner: Map | None = None

    def rule(self, ends: Sequence[Any], formulas: Sequence[Tree]) -> Rule:
        """Return a rule on [ends[0], ends[-1]]; formulas[i] holds between ends[i] and ends[i + 1]."""
        panels, x, weights, values = list[Panel](), list[Any](), list[Any](), list[Any]()
        for (low, high), tree in zip(pairwise(ends), formulas, strict=True):
            split = self.panels(low, high, tree)
            if len(x) + sum(panel.order for panel in split) > MOST:
                raise ValueError(too_many(self.name))
            for point, weight in (pair for panel in split for pair in panel.nodes()):
                x.append(point)
                weights.append(weight)
                at = point if self.inner is None else self.inner(point)
                values.append(evaluate(tree, self.n, at) + 0 * at)
            panels += split
        return Rule(panels, x, weights, values)

    def panels(self, low: Any, high: Any, tree: Tree) -> list[Panel]:
        """Return panels on [low, high]."""
        count = max(1, int(float(high - low) / self.length + 1))
        # no ellipse is larger than the one with rho = 16, so that a panel has at least bits/8 nodes
        if count * self.bits > 8 * MOST:
            raise ValueError(too_many(self.name))
        steps = [low + (high - low) * i / count for i in range(count)] + [high]
        return [panel for a, b in pairwise(steps) for panel in self._split(a, b, analytic(tree), 0)]

    def _split(self, low: Any, high: Any, tree: Tree, depth: int) -> list[Panel]:
        """Return panels of an interval, halved until a few nodes suffice."""
        middle, half = (low + high) / 2, (high - low) / 2
        candidates = filter(None, (self._panel(middle, half, rho, tree) for rho in RADII))
        best = min(candidates, key=lambda panel: panel.order, default=None)
        if best is not None and best.order <= 24 + self.bits // 3:
            return [best]
        if depth == DEEPEST:
            raise ValueError(
                f"expected a formula that is analytic between its kinks and at them, got {self.name!r}, which is not "
                f"near x = {float(middle):.6g}; such a term is not certified: use predict(digits=30)"
            )
        return [*self._split(low, middle, tree, depth + 1), *self._split(middle, high, tree, depth + 1)]

    def _panel(self, middle: Any, half: Any, rho: float, tree: Tree) -> Panel | None:
        """Return a panel with this ellipse, or None if the formula is not analytic in it."""
        radius = arb(rho)
        width, height = half * (radius + 1 / radius) / 2, (half * (radius - 1 / radius) / 2).abs_upper()
        bound, weight = size(tree, rectangles(middle, width, height), self.inner), self.weight(height)
        if not (bound.is_finite() and weight.is_finite()):
            return None
        order = 2 + int((self.bits * log(2) + float((bound * weight + 1).log())) / (2 * log(rho)))
        return Panel(middle, half, order, radius, height, bound)


def between(n: Certified, phi: Function, low: Any, high: Any) -> tuple[list[Any], slice, list[tuple[Any, Any]]]:
    """Return the ends of the pieces of phi on [low, high], the slice of these pieces, and pairs (kink, jump) inside."""
    first, ends, jumps = 0, [low], []
    for kink, jump in zip(map(n.number, phi.pieces.kinks), phi.pieces.jumps(n), strict=True):
        if kink <= low:
            first += 1
        elif low < kink < high:
            ends.append(kink)
            jumps.append((kink, jump))
        elif not kink >= high:
            raise TooWideError
    return [*ends, high], slice(first, first + len(ends)), jumps


def too_many(name: str) -> str:
    """Return the message of an error for too much work."""
    return (
        f"expected a network whose expectations take at most {MOST} nodes, got {name!r} between data whose correlation "
        "is too near to 1, or of too large a variance; certify fewer layers, or use predict(digits=30)"
    )
