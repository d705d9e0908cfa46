"""The general mechanism: the law and the kernel of a layer, estimated from its samples of drawn units.

The error has two parts: the standard error over independent replicates, and the change with the number of data, since a
layer that mixes units or data, such as a norm, reaches its limit only for many of them.
"""

from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from igbtheory.layers.nodes.base import Averaged
from igbtheory.layers.nodes.control_variates import estimated
from igbtheory.layers.nodes.data import at_data, pairs_of_draws
from igbtheory.layers.nodes.draws import Array, Draws, combined, replicated
from igbtheory.layers.nodes.gaussian import Gaussian, refuse_pairs
from igbtheory.layers.nodes.node import KernelNode, LawNode, Node, refuse_draws
from igbtheory.layers.nodes.places import of_shape
from igbtheory.layers.nodes.samples import Ruled, behind, in_front, of_drawn, undrawn
from igbtheory.mathematics.averages.state import Moments
from igbtheory.mathematics.numerics.limits import TINY

FEW, MANY = 8, 64
"""Two numbers of batches at which units of a law are drawn; the limit of many batches is extrapolated from both."""
POINTS = 64
"""Number of units by which a layer is tested for random numbers that it draws."""


def drawn(layer: Ruled, node: Node[Any]) -> Node[Any]:
    """Return the node behind a layer, estimated from its samples of drawn units."""
    refuse_draws(layer, node)
    return _drawn_kernel(layer, node) if node.base.on_data else _drawn_law(layer, node)


def _drawn_law(layer: Ruled, node: LawNode) -> LawNode:
    """Return the estimated law of a unit behind a layer; the error of var_mu is relative to the mean square."""
    units = behind(layer, node)

    def second_moments(draws: Draws) -> Array:
        y = units(draws, draws.points)
        if y.shape[-2] != draws.data:
            raise ValueError(
                f"expected {layer!r} to keep the number of data, got {y.shape[-2]} from {draws.data}; predict on a "
                "given data set, where a layer may change it"
            )
        return _moments(y, draws)

    few, many = (replicated(second_moments, batches, node.batch) for batches in (FEW, MANY))
    value, error = combined(few, many, MANY / FEW)
    mean, var_chi, across, within = np.moveaxis(value, -1, 0)
    var_mu = np.maximum(across - mean**2, 0)
    if _shares_nothing(layer, node):
        var_mu = 0 * var_mu
    q = mean**2 + var_mu + var_chi
    sizes = np.stack([var_chi, q], axis=-1)
    # a moment without scatter has no error, even if it is 0
    relative = np.max(np.where(error[..., 1:3] > 0, error[..., 1:3] / np.maximum(sizes, TINY), 0.0), axis=-1)
    relative = np.minimum(relative, 1.0)
    number = node.n.number
    within = None if node.batch == 1 else number((within - mean**2)[()])
    if node.base.within_has_no_rule:  # in front, a batch was not drawn as a batch
        within = number(np.nan)
    mean, var_mu, var_chi = (number(part[()]) for part in (mean, var_mu, var_chi))
    moments = Moments(mean, var_mu, var_chi, node.base.error + relative[()], within)
    return node.after(Averaged(moments, units, dependent=True)).naming(layer)


def _drawn_kernel(layer: Ruled, node: KernelNode) -> KernelNode:
    """Return the estimated kernel behind a layer on a given data set; the layer may change the number of data."""
    if node.places is not None and not node.places.whole:
        refuse_pairs()

    def units_behind(x: Array, draws: Draws) -> Array:
        return np.asarray(of_drawn(layer, x, node.places, draws, draws.points), dtype=float)

    # components of given data do not have one law, so that the layer reads all of them, again and again
    given = node.components and replace(node.components, changes=(*node.components.changes, units_behind))

    def either(draws: Draws, count: int) -> tuple[Array, Array | None]:
        if given is not None:
            return given.drawn(draws, count), None
        x = node.units(draws, in_front(layer, count))
        y = units_behind(x, draws)
        return y, x if y.shape == x.shape else None

    before = node.averaged()
    q_ab = np.asarray(before.q_ab, dtype=float)
    places = node.places and of_shape(layer.positions(node.places.shape))
    positions = prod(places.shape) if places else 1
    estimate = estimated(either, q_ab, at_data(before), positions, node.passage.sampling)
    units = given or behind(layer, node)
    pairs = pairs_of_draws(node.n, before, estimate)
    return replace(node.after(Averaged(pairs, units, dependent=True)).naming(layer), places=places)


def _moments(y: Array, draws: Draws) -> Array:
    """Return the mean, var_chi, and E x_a x_b in different batches and in one batch, of units (..., data, units).

    The two groups of data are independent for given weights, and stand for data of different batches.
    """
    count, size = y.shape[-1], draws.size
    first, second = np.split(y, 2, axis=-2)
    across = first.mean(axis=-2) * second.mean(axis=-2)
    by_batch = y.reshape(*y.shape[:-2], draws.batches, size, count)
    pairs = np.square(by_batch.sum(axis=-2)) - np.square(by_batch).sum(axis=-2)
    within = pairs.mean(axis=-2) / (size * (size - 1)) if size > 1 else across
    means = (y.mean(axis=-2), np.square(y).mean(axis=-2) - across, across, within)
    return np.stack([part.mean(axis=-1) for part in means], axis=-1)


def _shares_nothing(layer: Ruled, node: LawNode) -> bool:
    """Return whether data are independent behind the layer: they are so in front, and the layer draws nothing."""
    base = node.base
    if not isinstance(base, Gaussian) or np.any(base.values.var_mu != 0) or np.any(base.values.covariance != 0):
        return False
    x = node.units(Draws(np.random.default_rng(0), POINTS, FEW, node.batch), in_front(layer, POINTS))
    return undrawn(layer, x.reshape(-1, *x.shape[-2:])[0]) is not None
