"""Variance var_chi of phi(h) over the data where two data nearly agree, phi without kinks, every error bounded.

h_a, h_b = mean + p w +- d v with independent standard normal w, v, p^2 = var_mu + var_chi/2, d^2 = var_chi/2:
var_chi = E (phi(h_a) - phi(h_b))^2/2, in which nothing cancels. Gauss-Legendre panels in w and in v >= 0. On the
ellipse of a panel the integrand is at most 2 M^2 times the densities, M a bound of |phi| there. What lies beyond
`reach` is at most E phi(h_a)^2 + phi(h_b)^2 there.
"""

from contextlib import suppress
from typing import Any

from flint import arb

from igbtheory.averages.state import Moments
from igbtheory.certificate.bounds import growth
from igbtheory.certificate.boxes import analytic, rectangles, size
from igbtheory.certificate.panels import MOST, RADII, Layout, too_many
from igbtheory.certificate.rules import Panel
from igbtheory.formulas.function import Function
from igbtheory.formulas.tree import Tree, evaluate
from igbtheory.numbers.certified import Certified

NEAR = 100
"""Ratio var_mu/var_chi from which on this rule takes fewer nodes than that of `gaussian`."""
TILES = 256
"""Columns of rectangles along the whole axis; a power of two."""


def spread(n: Certified, phi: Function, h: Moments, mean: Any) -> Any:
    """Variance of phi(h) over the data; None where phi has kinks, singularities nearby, or a quicker rule."""
    if phi.pieces.kinks or not h.var_mu > NEAR * h.var_chi:
        return None
    with suppress(ValueError):
        return _spread(n, phi, h, mean)
    return None


def _spread(n: Certified, phi: Function, h: Moments, mean: Any) -> Any:
    """Return the variance of phi(h) over the data."""
    parts = p, d = (h.var_mu + h.var_chi / 2).sqrt(), (h.var_chi / 2).sqrt()
    lost = int(float((h.variance / h.var_chi).log()) / 0.69)
    bits, scale = n.bits + lost + 10, h.variance.sqrt()
    tree, bound = phi.pieces.formulas[0], growth(phi)
    reach = arb(bound.reach(scale, bits))

    def weight(height: Any) -> Any:
        return (height * height / 2).exp() / (2 * n.pi).sqrt()

    wide = arb(0, (d * reach).abs_upper())
    layout = Layout(n, phi.name, 4.0, bits, weight, lambda w: mean + p * w + wide)
    along = layout.panels(-reach, reach, (tree,))
    across = _across(tree, mean, parts, reach, bits, weight)
    if sum(panel.order for panel in along) * sum(panel.order for panel in across) > 20 * MOST:
        raise ValueError(too_many(phi.name))
    w, v = _nodes(n, along), _nodes(n, across)
    total = arb(0)
    for x, mass in w:
        centre, inside = mean + p * x, arb(0)
        for y, share in v:
            step = d * y
            difference = evaluate(tree, n, centre + step) - evaluate(tree, n, centre - step)
            inside += share * difference * difference
        total += mass * inside
    # v >= 0 counts twice, which the half of the square undoes; for errors it does not
    errors = [
        2 * sum((panel.remainder(2 * panel.bounds[0] ** 2 * weight(panel.height)) for panel in panels), start=arb(0))
        for panels in (along, across)
    ]
    masses = [sum((mass for _, mass in nodes), start=arb(1)) for nodes in (v, w)]
    error = errors[0] * masses[0] + errors[1] * masses[1] + 2 * bound.outside(mean, scale, parts, reach)
    return total + arb(0, error.abs_upper())


def _across(tree: Tree, mean: Any, parts: tuple[Any, Any], reach: Any, bits: int, weight: Any) -> list[Panel]:
    """Return panels in v on [0, reach], all alike: phi on a strip around the whole axis."""
    p, d = parts
    seen, count = analytic(tree), 1 + int(float(reach) / 6)
    half = reach / (2 * count)
    found = []
    for rho in RADII:
        radius = arb(rho)
        height = (half * (radius - 1 / radius) / 2).abs_upper()
        # an ellipse is longer than its panel by less than its height
        width = (p * reach + d * (reach + height)).abs_upper()
        bound = size(seen, rectangles(mean, width, (d * height).abs_upper(), TILES))
        if bound.is_finite():
            largest = float((bound * bound * weight(height) + 1).log())
            order = 2 + int((bits * 0.6932 + largest) / (2 * float(radius.log())))
            found.append((order, radius, height, bound))
    if not found:
        raise ValueError(too_many("a formula with singularities near the real axis"))
    order, radius, height, bound = min(found, key=lambda row: row[0])
    return [Panel(half * (2 * i + 1), half, order, radius, height, (bound,)) for i in range(count)]


def _nodes(n: Certified, panels: list[Panel]) -> list[tuple[Any, Any]]:
    """Return the nodes, and their weights times the normal density."""
    return [(x, weight * n.npdf(x)) for panel in panels for x, weight in panel.nodes()]
