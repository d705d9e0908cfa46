"""Centring and scaling of nodes and of samples, which all norms share."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from igbtheory.layers.nodes.draws import Array, Draws, beside
from igbtheory.layers.nodes.node import KernelNode, LawNode
from igbtheory.mathematics.averages.state import Moments, Pairs

ROUNDED = 1e-13
"""Largest deviation of a unit from its mean, relative to its values, that counts as a rounding error."""


def scaled_law(node: LawNode, x: Moments, q: Any, *, centred: bool) -> LawNode:
    """Return the node (x - centre)/sqrt(q), x the moments of `node`; the centre is E x if `centred`, else 0."""
    root = node.n.sqrt(q)
    mean, centre = (0, x.mean) if centred else (0 if x.centred else x.mean / root, 0)
    within = None if x.within is None else x.within / q
    values = replace(x, mean=mean, var_mu=x.var_mu / q, var_chi=x.var_chi / q, within=within)
    if not node.n.exact:
        values = replace(values, of_scale=x.error * abs(1 - values.variance - values.mean**2) + node.n.epsilon)

    def drawn(draws: Draws, count: int) -> Array:
        return np.asarray((node.units(draws, count) - beside(centre)) / beside(root))

    return node.remade(drawn, values)


def scaled_pairs(
    node: KernelNode, x: Pairs, q: tuple[Any, Any], means: tuple[Any, Any], centres: tuple[Any, Any] = (0, 0)
) -> KernelNode:
    """Return the node (x - centre)/sqrt(q), with q and a centre for each of the two data of a pair.

    x, means: the moments of `node`. Units that do not vary become 0, as in `over_root`.
    """
    (a, b), (mean_a, mean_b) = centres, means
    q_a, q_b = (np.where(part == 0, node.n.number(1), part) for part in q)
    root_a, root_b = node.n.sqrt(q_a), node.n.sqrt(q_b)
    var_a, var_b = x.q_a - a * (2 * mean_a - a), x.q_b - b * (2 * mean_b - b)
    # subtracting the means magnifies the error
    lost = np.max(np.asarray(x.q_a / np.where(var_a == 0, x.q_a + (x.q_a == 0), var_a), dtype=float))
    values = replace(
        x,
        q_a=var_a / q_a,
        q_b=var_b / q_b,
        q_ab=(x.q_ab - a * b - a * (mean_b - b) - (mean_a - a) * b) / (root_a * root_b),
        error=float(lost) * x.error,
    )

    def drawn(draws: Draws, count: int) -> Array:
        centre, root = (np.asarray(part, dtype=float) for part in (a, root_a))
        return np.asarray((node.units(draws, count) - centre) / root)

    return node.remade(drawn, values, ((mean_a - a) / root_a, (mean_b - b) / root_b))


def normalised(x: NDArray[Any], eps: Any, axis: int) -> NDArray[Any]:
    """Return samples less their mean and over their standard deviation along an axis, or 0 if they do not vary."""
    apart = deviations(x, axis)
    return over_root(apart, np.mean(np.square(apart), axis=axis, keepdims=True), eps)


def by_others(x: NDArray[Any], eps: Any, axis: int) -> NDArray[Any]:
    """Return samples less the mean of the others, and over the standard deviation of the others, along an axis."""
    n, apart = x.shape[axis], deviations(x, axis)
    square = np.square(apart)
    # the mean of the others is x - n/(n - 1) (x - <x>), and so on
    others = (square.sum(axis=axis, keepdims=True) - n / (n - 1) * square) / (n - 1)
    return over_root(n / (n - 1) * apart, others, eps)


def deviations(x: NDArray[Any], axis: int) -> NDArray[Any]:
    """Return samples less their mean along an axis, without rounding errors if all are equal."""
    apart = x - x.take([0], axis=axis)
    return np.asarray(apart - apart.mean(axis=axis, keepdims=True))


def variances(x: NDArray[Any], apart: NDArray[Any]) -> NDArray[Any]:
    """Return the variances over the data of units x with these deviations, shape (..., 1, count).

    Variances that are zero up to rounding errors are 0.
    """
    square = np.mean(np.square(apart), axis=-2, keepdims=True)
    return np.where(square <= ROUNDED**2 * np.mean(np.square(x), axis=-2, keepdims=True), 0.0, square)


def over_root(x: NDArray[Any], q: NDArray[Any], eps: Any) -> NDArray[Any]:
    """Return x/sqrt(q + eps), or 0 if that root is 0: the limit of small eps."""
    scale = np.sqrt(q + x.dtype.type(eps))
    return np.asarray(np.divide(x, scale, out=np.zeros_like(x), where=scale > 0))
