"""Mean of V/(V + eps) over the full batch, V = Var_z phi(h) of one node over the data, or that of a mix.

h = mean + sqrt(var_mu) u + sqrt(var_chi) z. What is kept with the probability k, else at x_0, has the variance
k V + k (1 - k) (E_z phi - x_0)^2, and noise adds its own. In double precision panels of u are bisected: V runs through
decades where phi saturates, turns or is flat, and V = -eps is a pole near by.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from igbtheory.averages.batches.mix import PLAIN, Mix
from igbtheory.averages.panels import orders
from igbtheory.averages.resolved import resolved
from igbtheory.formulas.function import Function
from igbtheory.numbers import FLOAT64, Kind
from igbtheory.numerics.bisected import bisected
from igbtheory.numerics.panels import Panels

TINY = 1e-300
"""Mean that keeps a ratio in range."""


def share_of_full_batch(n: Kind, phi: Function, point: tuple[Any, ...], eps: Any, mix: Mix = PLAIN) -> tuple[Any, Any]:
    """Mean over the nodes of V/(V + eps), V the variance of one node over all data, and its estimated relative error.

    point: mean, var_mu, var_chi of h; mix: one that takes no maximum.
    """
    rule = _share_bisected if n is FLOAT64 else _share_at_once
    (coarse, _), (fine, lost) = (rule(n, phi, point, (eps, mix), order) for order in orders(n))
    return fine, (abs(coarse - fine) + lost) / (fine + n.number(TINY)) + 100 * n.epsilon


@np.errstate(over="ignore", under="ignore")
def _share_at_once(n: Kind, phi: Function, point: tuple[Any, ...], of: tuple[Any, Mix], order: int) -> tuple[Any, Any]:
    """The mean by panels that end where phi and its smoothed image have features; no error of its own."""
    u, given = _given_node(n, phi, point, of, order)
    return u.integral(given(u.x) * n.npdf(u.x)), n.number(0)


@np.errstate(over="ignore", under="ignore")
def _share_bisected(n: Kind, phi: Function, point: tuple[Any, ...], of: tuple[Any, Mix], order: int) -> tuple[Any, Any]:
    """The mean by the same panels, bisected, and its error."""
    u, given = _given_node(n, phi, point, of, order)
    # the integrand is bounded by 1, and of the order of this unit for a large eps
    unit = float(np.max(given(u.x))) or 1.0
    ends = np.append(u.left, u.left[-1] + 2 * u.half[-1])[:, None]
    values, errors = bisected(lambda x, _: given(x) / unit * n.npdf(x), ends)
    return unit * values[0], unit * errors[0]


def _given_node(
    n: Kind, phi: Function, point: tuple[Any, ...], of: tuple[Any, Mix], order: int
) -> tuple[Panels, Callable[[Any], Any]]:
    """Panels of u, the part of h that a node has at all data, and V/(V + eps) given it."""
    (mean, var_mu, var_chi), (eps, mix) = point, of
    scale_u, scale_z = n.sqrt(var_mu), n.sqrt(var_chi)
    seen = resolved(n, phi, float(mean), float(n.sqrt(var_mu + var_chi)))

    def given(u: Any) -> Any:
        _, inside = seen.at_each(seen.smoothed, mean + scale_u * u, scale_z, order)
        if mix.dropped:
            average, _ = seen.at_each(seen.averaged, mean + scale_u * u, scale_z, order)
            inside = mix.kept * (inside + mix.dropped * (average - mix.at) ** 2)
        inside = inside + mix.noise
        return inside / (inside + eps)

    return seen.around(mean, scale_u, order, seen.sides(scale_z)), given
