"""The mean square of units behind BatchNorm: the mean of V/(V + eps), V the variance of a unit over its batch."""

from typing import Any

import numpy as np

from igbtheory.layers.nodes.base import Units
from igbtheory.layers.nodes.draws import SPARE, Array, Draws, combined, replicated, standard_error
from igbtheory.layers.nodes.gaussian import Gaussian
from igbtheory.layers.nodes.node import LawNode
from igbtheory.mathematics.numbers import FLOAT64

FULL = 2**9
"""Number of data that are drawn for the full batch."""
ROUNDING = 1e-13
"""Error of the probability that a unit is constant over its batch, computed in double precision."""


def known_square(node: LawNode, size: int | None, eps: Any) -> tuple[Any, Any] | None:
    """Return the mean square behind BatchNorm of the node and its relative error, or None if there is no rule.

    size: data in a batch, None for the full batch. Without eps the square is 1, or 0 if a unit is constant over its
    batch.
    """
    n = node.n
    if size is None and not eps:
        return n.number(1), 0.0
    if size is None and isinstance(node.base, Gaussian) and not np.any(node.base.values.var_mu != 0):
        x = node.averaged()  # data are independent, so that all units have the same variance over them
        return x.var_chi / (x.var_chi + n.number(eps)), x.error
    constant = None if size is None or eps else node.base.constant(n, node.phi, node.maximum, size)
    if constant is None:
        return None
    # the probability depends on the correlation within a batch, which may be estimated
    error = node.base.error + (0.0 if n is FLOAT64 or n.exact else ROUNDING)
    return n.number(1) - n.number(constant), error if np.any(constant != 0) else 0.0


def drawn_square(units: Units, size: int | None) -> tuple[Any, Any]:
    """Return the mean square over batches of `size` data, None for the full batch, and its relative error, from draws.

    units: draws units behind BatchNorm. For batches of `size` data, the error includes SPARE over the number of drawn
    units, for cases too rare to be drawn.
    """

    def squares(draws: Draws) -> Array:
        square = np.mean(np.square(units(draws, draws.points)), axis=(-2, -1))
        return np.stack([square, np.full_like(square, draws.points)], axis=-1)

    many, points = np.moveaxis(replicated(squares, 1, size) if size else replicated(squares, FULL, 1, 1), -1, 0)
    if size:
        value, error = many.mean(axis=0), SPARE * standard_error(many) + SPARE / points.sum(axis=0)
    else:
        value, error = combined(replicated(squares, FULL // 4, 1, 1)[..., 0], many, 4)
    relative = np.where(value > 0, error / np.where(value > 0, value, 1), 1.0)
    return np.clip(value, 0, 1)[()], (relative + 8 * FLOAT64.epsilon)[()]
