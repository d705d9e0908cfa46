"""Normal expectations by composite Gauss-Legendre quadrature, and variances without cancellation."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.mathematics.numbers.kind import Kind

WIDTH = 3.0
"""Largest width of a panel of the normal density, in standard deviations: sixteen nodes integrate it to 1e-22."""


def farthest(n: Kind) -> float:
    """Return the number of standard deviations beyond which the normal density is negligible."""
    return float(np.sqrt(-2 * np.log(n.epsilon))) + 0.5


@final
@dataclass(frozen=True)
class Panels:
    """Nodes x and their weights, shape (panels, order, *points); half widths and left ends, shape (panels, *points)."""

    x: Any
    weights: Any
    half: Any
    left: Any

    def integral(self, values: Any) -> Any:
        """Return the integral of a function given by its values at the nodes."""
        return (self.weights * values).sum(axis=(0, 1))

    def above(self, x: Any) -> "Panels":
        """Return the panels right of x with doubled weights, for integrands even about x, which must be a panel end."""
        beyond = self.left >= x
        return Panels(self.x[beyond], 2 * self.weights[beyond], self.half[beyond], self.left[beyond])


def split_normal(n: Kind, cuts: Any, reach: float, order: int) -> Panels:
    """Return panels on [-reach, reach], at most WIDTH wide, that also end at the cuts."""
    base = n.number(_grid(reach))
    grid = np.broadcast_to(base.reshape(-1, *(1,) * (cuts.ndim - 1)), (base.size, *cuts.shape[1:]))
    return split(n, np.concatenate([grid, cuts]), n.number(-reach), n.number(reach), order)


@lru_cache(maxsize=64)
def _grid(reach: float) -> NDArray[np.float64]:
    """Return the ends of panels of equal width on [-reach, reach], which layers of a deep network share."""
    return np.linspace(-reach, reach, 1 + int(np.ceil(2 * reach / WIDTH)))


def split(n: Kind, cuts: Any, low: Any, high: Any, order: int) -> Panels:
    """Return the panels of [low, high] between the cuts, which are the first axis.

    Panels that are empty at all points are dropped.
    """
    ends = np.sort(np.minimum(np.maximum(cuts, low), high), axis=0)
    left, widths = ends[:-1], ends[1:] - ends[:-1]
    full = widths > 0
    most = np.max(np.sum(full, axis=0))
    if most < len(widths):
        kept = np.argsort(~full, axis=0, kind="stable")[:most]
        left, widths = np.take_along_axis(left, kept, axis=0), np.take_along_axis(widths, kept, axis=0)
    half = widths / 2
    nodes, weights = (part.reshape(-1, *(1,) * (cuts.ndim - 1)) for part in n.legendre(order))
    x = left[:, None] + half[:, None] * (1 + nodes)
    return Panels(x, half[:, None] * weights, half, np.where(half > 0, left, high))


def variance(n: Kind, panels: Panels, slopes: Any, atoms: list[tuple[Any, Any]]) -> Any:
    """Return the variance of f(z), z standard normal, from its slopes at the nodes and its atoms (position, jump)."""
    tail = n.ncdf(-np.abs(panels.x))
    law = np.where(panels.x < 0, tail, 1 - tail), np.where(panels.x < 0, 1 - tail, tail)
    return hoeffding(n, panels, slopes, law, [(z, jump, n.ncdf(z), n.ncdf(-z)) for z, jump in atoms])


def hoeffding(
    n: Kind, panels: Panels, slopes: Any, law: tuple[Any, Any], atoms: Sequence[tuple[Any, Any, Any, Any]]
) -> Any:
    """Return the variance of f(X) from its slopes at the nodes, by Hoeffding's identity.

    law: P(X < x) and P(X > x) at the nodes; atoms: of each jump of f, its position and size and these two
    probabilities. Var f = 2 iint_{x<y} f'(x) f'(y) P(X < x) P(X > y) dx dy, in which no terms cancel if f increases.
    """
    below, above = law
    rising, falling = slopes * below, slopes * above
    risen, fallen = ((panels.weights * part).sum(axis=1) for part in (rising, falling))
    total = 2 * (panels.weights * falling * (_preceding(risen) + _within(n, panels, rising))).sum(axis=(0, 1))
    for i, (z, jump, low, high) in enumerate(atoms):
        left = panels.left < z
        under = (risen * left).sum(axis=0) + sum(j * mass for _, j, mass, _ in atoms[:i])
        over = (fallen * ~left).sum(axis=0)
        total = total + jump * (jump * low * high + 2 * high * under + 2 * low * over)
    return np.maximum(total, n.number(0))  # rounding may give a tiny number of either sign


def of_rises(n: Kind, panels: Panels, slopes: Any, atoms: Sequence[tuple[Any, Any]], weights: Any) -> Any:
    """Return the variance of a function f of one variable that is almost constant; weights: of the nodes.

    f is integrated from the likeliest node in both directions. The mean then does not cancel if f differs from a
    constant only in rare events.
    """
    whole, within = (panels.weights * slopes).sum(axis=1), _within(n, panels, slopes)
    middle, order = panels.left + panels.half, panels.x.shape[1]
    for z, jump in atoms:
        behind = middle > z
        whole = whole + jump * (np.append(behind[1:], behind[-1:], axis=0) & ~behind)
    likeliest = int(np.argmax(weights))
    after = np.arange(len(whole)) >= likeliest // order
    ahead, back = np.where(after, whole, 0 * whole), np.where(after, 0 * whole, whole)
    gained = np.append(0 * whole[:1], np.add.accumulate(ahead, axis=0)[:-1], axis=0)
    rise = (gained - np.add.accumulate(back[::-1], axis=0)[::-1])[:, None] + within
    rise = rise - np.ravel(rise)[likeliest]
    return (weights * (rise - (weights * rise).sum()) ** 2).sum()


def before(n: Kind, panels: Panels, values: Any) -> Any:
    """Return the integrals from the left end of the first panel to each node."""
    return _preceding((panels.weights * values).sum(axis=1)) + _within(n, panels, values)


def _preceding(whole: Any) -> Any:
    """Return, for each panel, the sum over the panels before it, with an axis for its nodes."""
    return (np.add.accumulate(whole, axis=0) - whole)[:, None]


def _within(n: Kind, panels: Panels, values: Any) -> Any:
    """Return the integrals from the left end of each panel to its nodes."""
    sums = cumulative(n, values.shape[1])
    return panels.half[:, None] * (sums @ values if values.ndim > 2 else values @ sums.T)


def beyond(n: Kind, panels: Panels, values: Any) -> Any:
    """Return the integrals from each node to the right end of the last panel; positive values do not cancel."""
    mirrored = Panels(panels.x[::-1, ::-1], panels.weights[::-1, ::-1], panels.half[::-1], panels.left[::-1])
    return before(n, mirrored, values[::-1, ::-1])[::-1, ::-1]


@lru_cache
def cumulative(n: Kind, order: int) -> NDArray[Any]:
    """Return the matrix of the integrals of the Lagrange polynomials l_i of the Gauss-Legendre nodes from -1 to x_j."""
    x, weights = n.legendre(order)
    rows = [0 * x + 1, x]
    for k in range(1, order):
        rows.append(((2 * k + 1) * x * rows[k] - k * rows[k - 1]) / (k + 1))
    integrals = [x + 1] + [(rows[k + 1] - rows[k - 1]) / (2 * k + 1) for k in range(1, order)]
    terms = [(2 * k + 1) * np.multiply.outer(integrals[k], weights * rows[k]) / 2 for k in range(order)]
    return np.asarray(np.sum(terms, axis=0))
