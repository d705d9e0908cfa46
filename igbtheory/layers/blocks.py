"""Kernels of images in blocks of pairs of data, and the kernel of each datum with itself."""

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.base import Averaged
from igbtheory.layers.nodes.data import Components
from igbtheory.layers.nodes.mixture import kinds_of, mixture
from igbtheory.layers.nodes.node import KernelNode, Passage
from igbtheory.layers.nodes.places import Places
from igbtheory.layers.spatial import Spatial
from igbtheory.layers.spatial_pools import Flatten
from igbtheory.layers.tokens import FirstToken
from igbtheory.mathematics.averages.each import Each
from igbtheory.mathematics.averages.errors import Errors
from igbtheory.mathematics.averages.state import Pairs
from igbtheory.mathematics.numbers import Kind


@final
@dataclass(frozen=True)
class Block:
    """A node of pairs of data, and what gives the variances behind pools that are still to come.

    at_a, at_b: nodes of each datum with itself behind these pools, of the data in the rows and in the columns.
    """

    node: KernelNode
    at_a: tuple[KernelNode, ...] = ()
    at_b: tuple[KernelNode, ...] = ()

    def on(self, passage: Passage) -> "Block":
        """Return the block on a passage."""
        return replace(self, node=replace(self.node, passage=passage))

    def with_tangent(self) -> "Block":
        """Return the block with a tangent kernel of the pairs, which is 0 in front of all layers."""
        x = self.node.averaged()
        values = replace(x, tangent=np.zeros_like(x.q_ab))
        return replace(self, node=self.node.with_moments(self.node.base.units, values))

    def behind(self, layer: Layer) -> "Block":
        """Return the block behind a layer."""
        node = self.node.through((layer,))
        if not self.at_a or not _pools(layer):
            return replace(self, node=node)
        node = _with_variances(node, self.at_a[0], self.at_b[0])
        node.passage.show(layer, node)
        return Block(node, self.at_a[1:], self.at_b[1:])


def _pools(layer: Layer) -> bool:
    """Return whether variances behind a layer need pairs of different positions of one datum."""
    return isinstance(layer, Spatial) and layer.apart


def _with_variances(node: KernelNode, at_a: KernelNode, at_b: KernelNode) -> KernelNode:
    """Return a node of pairs of data a, b whose variances are those of two nodes: of data a, and of data b."""
    kinds = kinds_of(node)
    if len(kinds) > 1:
        each = zip(kinds, kinds_of(at_a), kinds_of(at_b), strict=True)
        return mixture([(share, _with_variances(one, a, b)) for (share, one), (_, a), (_, b) in each])
    x, q_a, q_b = node.averaged(), at_a.averaged().q_a, at_b.averaged().q_a.swapaxes(-1, -2)
    values = replace(x, q_a=q_a, q_b=q_b if node.places is None else q_b[0][node.places.second])
    return replace(node, base=replace(node.base, values=values))  # type: ignore[type-var]


def block(n: Kind, units: NDArray[Any], places: Places, rows: slice, columns: slice) -> KernelNode:
    """Return the node of pairs of data; units: the data, shape (data, positions, units)."""
    a, b = (np.swapaxes(units[part], 0, 1) for part in (rows, columns))
    return _node(n, a, b, places, np.eye(a.shape[1], b.shape[1], rows.start - columns.start, dtype=bool))


def diagonal(
    n: Kind, units: NDArray[Any], places: Places, layers: tuple[Layer, ...], passage: Passage
) -> tuple[KernelNode, ...]:
    """Return the nodes of each datum with itself behind the layers that pool; units as in `block`."""
    nodes: list[KernelNode] = []
    count = sum(map(_pools, layers))
    if count:
        a = np.swapaxes(units, 0, 1)
        node = replace(_node(n, a, a, places, None), passage=replace(passage, sees=None))
    for layer in layers:
        if len(nodes) == count:
            break
        node = node.through((layer,))
        if _pools(layer):
            nodes.append(node)
    return tuple(nodes)


def _node(n: Kind, a: Any, b: Any, places: Places, same: Any) -> KernelNode:
    """Return the node of the data a and b, shape (positions, data, units).

    same: which pairs are one datum; None if each datum is paired with itself alone.
    """
    units, apart = a.shape[2], b[places.second]
    # squares and means of a datum at a position, which stands in many pairs of positions
    (q_a, mean_a), of_b = (((x * x).sum(axis=-1) / units, x.sum(axis=-1) / units) for x in (a, b))
    q_b, mean_b = (values[places.second] for values in of_b)
    q_a, mean_a = q_a[None, :, :, None], mean_a[None, :, :, None]
    if same is None:
        q_ab, same = (a * apart).sum(axis=-1, keepdims=True), np.ones((1, 1), dtype=bool)
        q_b, mean_b = q_b[..., None], mean_b[..., None]
    else:
        q_ab = a @ np.swapaxes(apart, 2, 3)
        q_b, mean_b = q_b[:, :, None], mean_b[:, :, None]
    equal = np.zeros((len(q_ab), 1, *same.shape), dtype=bool)
    equal[0] = same
    if units > 1:
        # a sum over opposite channels may differ from their squares in the last digit, of which the arcsine is the root
        q_ab = q_ab / units
        q_ab[0] = np.where(same, q_a[0], q_ab[0])
        like = np.nonzero(q_a == q_b)
        product, square = q_ab[like], np.broadcast_to(q_a, q_ab.shape)[like]
        alike = abs(abs(product) - square) <= units * n.epsilon * square
        q_ab[like] = np.where(alike, np.sign(product) * square, product)
    pairs = Pairs(q_a, q_b, q_ab, equal, Errors(n.epsilon), Each(mean_a, mean_b))
    return KernelNode(n, Averaged(pairs, Components(a[None, :, :, None])), places=places)


def listed(node: KernelNode, *, first: bool = False) -> Pairs:
    """Return the second moments of the units, averaged over the positions, or of the first token alone."""
    end = FirstToken() if first else Flatten()
    return (node if node.places is None else node.through((end,))).averaged()
