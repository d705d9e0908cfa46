"""The general mechanism: law and kernel of a layer from draws of units in front of it, on which its samples act.

The error is that of a mean over independent replicates, and what half as many units and data change: a layer that mixes
units or data, such as a norm, has its limit of infinite width only for many of them.
"""

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from igbtheory.averages.moments import Moments
from igbtheory.averages.pairs import Pairs
from igbtheory.layers.chain import undrawn
from igbtheory.layers.data import Data
from igbtheory.layers.draws import SPARE, Array, Draws, replicated, standard_error
from igbtheory.layers.estimated import estimated
from igbtheory.layers.gaussian import Gaussian
from igbtheory.layers.layer import Layer
from igbtheory.layers.node import KernelNode, LawNode, Node
from igbtheory.numbers import Kind

T = TypeVar("T")
DATA = 64
"""Data at which units of a law are drawn, as far as batches divide them."""
FEWEST = 4
"""Batches at least."""
POINTS = 64
"""Units that show whether a layer draws numbers of its own."""


def drawn_law(layer: Layer, node: LawNode) -> LawNode:
    """Return the law of a unit behind a layer, estimated.

    The error of var_mu is against mean^2 + var_mu + var_chi.
    """
    refuse_exact(layer, node.n)
    units, batches = layer.behind(node), max(FEWEST, DATA // node.batch)

    def second_moments(draws: Draws) -> Array:
        y = units(draws, draws.points)
        if y.shape[-2] != draws.data:
            raise ValueError(
                f"expected {layer!r} to keep the number of data, got {y.shape[-2]} from {draws.data}; predict on a "
                "given data set, where a layer may change it"
            )
        return _moments(y, draws.batches)

    whole, half = (replicated(second_moments, count, node.batch) for count in (batches, batches // 2))
    value, error = extrapolated(whole, half)
    mean, var_chi, across, within = np.moveaxis(value, -1, 0)
    var_mu = np.maximum(across - mean**2, 0)
    if _shares_nothing(layer, node):
        var_mu = 0 * var_mu
    q = mean**2 + var_mu + var_chi
    lost = np.max(np.stack([error[..., 1] / var_chi, error[..., 2] / q]), axis=0)
    lost = np.where(np.isfinite(lost), lost, np.where(q > 0, 1.0, 0.0))
    numbers = (node.n.number(part[()]) for part in (mean, var_mu, var_chi))
    shared = None if node.batch == 1 else node.n.number((within - mean**2)[()])
    found = Moments(*numbers, node.base.error + lost[()], shared)
    return _estimated(layer, node.with_moments(layer, found))


def drawn_kernel(layer: Layer, node: KernelNode) -> KernelNode:
    """Return the kernel behind a layer on a given data set, estimated; the layer may change the number of data."""
    refuse_exact(layer, node.n)
    base = node.base
    # components of the data do not come from one law: the layer sees all of them
    all_of_them = base.data if isinstance(base, Data) and node.phi is None else None

    def either(draws: Draws, count: int) -> tuple[Array, Array | None]:
        x = node.units(draws, count * layer.pooled) if all_of_them is None else all_of_them
        y = np.asarray(layer.samples(x, draws.rng, count), dtype=float)
        return y, x if y.shape == x.shape and all_of_them is None else None

    before = node.averaged()
    mean = np.ravel(np.broadcast_to(np.asarray(node.means()[0], dtype=float), (len(before.q_ab), 1)))
    found = estimated(either, np.asarray(before.q_ab, dtype=float), mean)
    pairs = pairs_of(node.n, before, found.q_ab, before.error + found.error)
    drawn = (lambda draws, count: either(draws, count)[0]) if all_of_them is not None else layer
    return _estimated(layer, node.with_moments(drawn, pairs, either_way(node.n, found.mean)))


def _estimated(layer: Layer, node: Node[T]) -> Node[T]:
    """Node of which the layer was estimated, and whose units may depend on one another."""
    return replace(node, base=replace(node.base, dependent=True), estimated=(*node.estimated, layer))  # type: ignore[type-var]


def pairs_of(n: Kind, x: Pairs, kernel: Array, error: float) -> Pairs:
    """Return the second moments of all pairs of data from a kernel in double precision."""
    found = n.number(kernel)
    q = np.diagonal(found)
    same = x.same if np.shape(x.same) == kernel.shape else np.eye(len(kernel), dtype=bool)
    return replace(x, q_a=q[:, None], q_b=q[None, :], q_ab=found, same=same, error=error)


def either_way(n: Kind, mean: Array) -> tuple[Any, Any]:
    """Return means at the data a and b of pairs, from those at all data."""
    found = n.number(mean)
    return found[:, None], found[None, :]


def extrapolated(whole: Array, half: Array) -> tuple[Array, Array]:
    """Means of replicates, and their errors, from those with half as many units and data.

    Where half as many change more than the scatter explains, the change is taken to be that of 1/number.
    """
    value, error = whole.mean(axis=0), SPARE * standard_error(whole)
    change, scatter = value - half.mean(axis=0), SPARE * standard_error(half)
    seen = np.abs(change) > error + scatter
    return value + seen * change, error + seen * scatter + np.abs(change) * (1 + seen) / 2


def refuse_exact(layer: Layer, n: Kind) -> None:
    """Refuse kinds of number that cannot hold an estimate: formulas and proven enclosures."""
    if n.exact:
        raise ValueError(
            f"expected layers with exact rules, got {layer!r} here, which is estimated from draws; put a Dense in "
            "front of it, or use predict(), which reports its error"
        )


def _moments(y: NDArray[Any], batches: int) -> Array:
    """Mean, var_chi, E x_a x_b over data of different batches and of one, of units (..., data, units)."""
    data, count = y.shape[-2:]
    size = data // batches
    by_batch = y.reshape(*y.shape[:-2], batches, size, count).sum(axis=-2)
    total, square = by_batch.sum(axis=-2), np.square(y).sum(axis=-2)
    together = np.square(by_batch).sum(axis=-2)
    across = (np.square(total) - together) / (data * (data - size))
    within = (together - square) / (data * (size - 1)) if size > 1 else across
    parts = (y.mean(axis=-2), square / data - across, across, within)
    return np.stack([part.mean(axis=-1) for part in parts], axis=-1)


def _shares_nothing(layer: Layer, node: LawNode) -> bool:
    """Whether data are independent behind the layer: they are in front of it, and the layer draws nothing."""
    base = node.base
    if not isinstance(base, Gaussian) or np.any(base.values.var_mu != 0) or np.any(base.values.covariance != 0):
        return False
    x = node.units(Draws(np.random.default_rng(0), POINTS, FEWEST, node.batch), POINTS * layer.pooled)
    return undrawn(layer, x.reshape(-1, *x.shape[-2:])[0], POINTS) is not None
