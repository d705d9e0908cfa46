"""Panels that end at the kinks of a function, on whose ellipses it is proven to be analytic and bounded."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log
from typing import Any, final

from flint import arb

from igbtheory.certificate.boxes import analytic, rectangles, size
from igbtheory.certificate.rules import Map, Panel, Rule
from igbtheory.formulas.function import Function
from igbtheory.formulas.tree import Tree, evaluate
from igbtheory.numbers.certified import Certified

RADII = (16.0, 8.0, 5.0, 3.0, 2.0, 1.5)
"""Values of rho that are tried."""
DEEPEST = 40
"""Halvings of a panel at most."""
MOST = 50_000
"""Nodes at most."""


class TooWideError(ArithmeticError):
    """A ball that is too wide to go on: more bits are needed."""


@final
@dataclass(frozen=True)
class Layout:
    """What a rule must resolve: panels at most `length` long, `bits` right, under a weight, at most weight(height).

    inner: the map under which formulas are seen, of complex and of real balls; None is the identity.
    """

    n: Certified
    name: str
    length: float
    bits: int
    weight: Map
    inner: Map | None = None

    def rule(self, ends: Sequence[Any], formulas: Sequence[tuple[Tree, ...]]) -> Rule:
        """Return a rule on [ends[0], ends[-1]], between ends[i] and ends[i + 1] for formulas[i]."""
        panels, x, weights = list[Panel](), list[Any](), list[Any]()
        values: list[list[Any]] = [[] for _ in formulas[0]]
        for (low, high), trees in zip(pairwise(ends), formulas, strict=True):
            found = self.panels(low, high, trees)
            if len(x) + sum(panel.order for panel in found) > MOST:
                raise ValueError(too_many(self.name))
            for point, weight in (pair for panel in found for pair in panel.nodes()):
                x.append(point)
                weights.append(weight)
                at = point if self.inner is None else self.inner(point)
                for column, tree in zip(values, trees, strict=True):
                    column.append(evaluate(tree, self.n, at) + 0 * at)
            panels += found
        return Rule(panels, x, weights, values)

    def panels(self, low: Any, high: Any, trees: tuple[Tree, ...]) -> list[Panel]:
        """Return panels on [low, high]."""
        seen = tuple(map(analytic, trees))
        count = max(1, int(float(high - low) / self.length + 1))
        # no ellipse is larger than that of rho = 16: a panel has at least bits/8 nodes
        if count * self.bits > 8 * MOST:
            raise ValueError(too_many(self.name))
        steps = [low + (high - low) * i / count for i in range(count)] + [high]
        return [panel for a, b in pairwise(steps) for panel in self._split(a, b, seen, 0)]

    def _split(self, low: Any, high: Any, trees: tuple[Tree, ...], depth: int) -> list[Panel]:
        """Return panels of a stretch, halved until few nodes are enough."""
        middle, half = (low + high) / 2, (high - low) / 2
        known = filter(None, (self._panel(middle, half, rho, trees) for rho in RADII))
        best = min(known, key=lambda panel: panel.order, default=None)
        if best is not None and best.order <= 24 + self.bits // 3:
            return [best]
        if depth == DEEPEST:
            raise ValueError(
                f"expected a formula that is analytic between its kinks and at them, got {self.name!r}, which is not "
                f"near x = {float(middle):.6g}; such a term is not certified: use predict(digits=30)"
            )
        return [*self._split(low, middle, trees, depth + 1), *self._split(middle, high, trees, depth + 1)]

    def _panel(self, middle: Any, half: Any, rho: float, trees: tuple[Tree, ...]) -> Panel | None:
        """Return a panel with this ellipse, None where a formula is not analytic in it."""
        radius = arb(rho)
        width, height = half * (radius + 1 / radius) / 2, (half * (radius - 1 / radius) / 2).abs_upper()
        boxes = list(rectangles(middle, width, height))
        bounds = tuple(size(tree, boxes, self.inner) for tree in trees)
        weight = self.weight(height)
        if not all(bound.is_finite() for bound in (*bounds, weight)):
            return None
        largest = max(float((bound * weight + 1).log()) for bound in bounds)
        order = 2 + int((self.bits * log(2) + largest) / (2 * log(rho)))
        return Panel(middle, half, order, radius, height, bounds)


def between(n: Certified, phi: Function, low: Any, high: Any) -> tuple[list[Any], slice, list[tuple[Any, Any]]]:
    """Ends of the pieces of phi on [low, high], which pieces they are, and the jumps inside as pairs (kink, jump)."""
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
    """Return the sentence of a refusal for cost."""
    return (
        f"expected a network whose expectations take at most {MOST} nodes, got {name!r} between data whose correlation "
        "is too near to 1, or of too large a variance; certify fewer layers, or use predict(digits=30)"
    )
