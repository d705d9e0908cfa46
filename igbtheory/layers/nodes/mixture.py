"""Units of several kinds side by side, such as the channels that a Concat joins."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast, final

import numpy as np

from igbtheory.layers.nodes.base import Base, T
from igbtheory.layers.nodes.draws import Array, Draws
from igbtheory.layers.nodes.node import Node
from igbtheory.mathematics.averages.each import Each
from igbtheory.mathematics.averages.state import is_centred
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.numbers import Kind

Kinds = tuple[tuple[Any, Node[T]], ...]
"""Shares of the units, and the nodes of units that are alike."""


@final
@dataclass(frozen=True)
class Mixture(Base[T]):
    """Unit of one of several kinds: a share of all units is as each of the nodes.

    Averages over all units are averages over the kinds, weighted with their shares. What acts on each unit alone acts
    on each kind apart, so that functions are applied to the nodes and never to the mixture.
    """

    kinds: Kinds[T]

    averages: ClassVar[bool] = False
    dependent: ClassVar[bool] = True
    """Neighbours are of one kind, so that two of them are not two independent units of the mixture."""

    @property
    def on_data(self) -> bool:
        return self.kinds[0][1].base.on_data

    @property
    def error(self) -> Any:
        return self._largest([node.base.error for _, node in self.kinds])

    @property
    def within_has_no_rule(self) -> bool:
        return any(node.base.within_has_no_rule for _, node in self.kinds)

    def changed(self, node: Any, change: Callable[[Any], Any]) -> Any:
        return mixture([(share, change(part)) for share, part in self.kinds])

    def average(self, n: Kind, phi: Function | None, m: int) -> T:
        moments: list[Any] = [(share, node.averaged()) for share, node in self.kinds]
        mixed: T = type(moments[0][1]).mixed(moments)
        return mixed

    def units(self, draws: Draws, count: int) -> Array:
        """Draw `count` units, of which those of a kind are neighbours, as many as its share on average."""
        shares = np.array([float(share) for share, _ in self.kinds])
        ends = np.floor(count * np.cumsum(shares) + draws.rng.random()).astype(int)
        ends[-1] = count
        counts = np.diff(ends, prepend=0).tolist()
        drawn = [node.units(draws, some) for (_, node), some in zip(self.kinds, counts, strict=True) if some]
        sweep = np.broadcast_shapes(*(x.shape[:-1] for x in drawn))
        return np.concatenate([np.broadcast_to(x, (*sweep, x.shape[-1])) for x in drawn], axis=-1)

    @staticmethod
    def _largest(errors: list[Any]) -> Any:
        return np.max(np.array(np.broadcast_arrays(*errors)), axis=0)[()]


def kinds_of(node: Node[T]) -> Kinds[T]:
    """Return the kinds of the units of a node with their shares, of most nodes the node itself with the share 1."""
    return cast("Kinds[T]", node.base.kinds) if isinstance(node.base, Mixture) else ((1, node),)


def mixture(nodes: Sequence[tuple[Any, Node[T]]]) -> Node[T]:
    """Return the node of which a share of the units is as the units of each of these nodes; the shares add up to 1."""
    kinds = tuple((share * inner, kind) for share, node in nodes for inner, kind in kinds_of(node))
    first = kinds[0][1]
    if len(kinds) == 1:
        return first
    estimated = tuple(dict.fromkeys(layer for _, kind in kinds for layer in kind.estimated))
    batch = max(kind.batch for _, kind in kinds)
    return replace(first.after(Mixture(kinds)), estimated=estimated, batch=batch)


def over_root_of(node: Node[T], q: Any, centre: Any = 0) -> Node[T]:
    """Return (x - centre)/sqrt(q) of units x of several kinds, or of one kind; q is of all of them together.

    Centred Gaussian kinds stay Gaussian. Their own scales are not those by which they are divided, so that their errors
    do not become smaller.
    """
    kinds = kinds_of(node)
    if len(kinds) == 1 or not is_centred(Each.of(centre).a) or not all(kind.gaussian for _, kind in kinds):
        return node.over_root(q, centre)

    def scaled(kind: Node[T]) -> Node[T]:
        behind: Any = kind.over_root(q)
        return replace(behind, base=replace(behind.base, values=behind.base.values.with_one_error()))

    return mixture([(share, scaled(kind)) for share, kind in kinds])


def paired(x: Node[T], y: Node[T]) -> list[tuple[Any, Node[T], Node[T]]] | None:
    """Return pairs of kinds of the units of two nodes side by side, with their shares, or None if they do not match.

    Units of one kind match those of any kinds; kinds match one by one if they have the same shares.
    """
    of_x, of_y = kinds_of(x), kinds_of(y)
    if len(of_y) == 1:
        return [(share, one, y) for share, one in of_x]
    if len(of_x) == 1:
        return [(share, x, other) for share, other in of_y]
    if len(of_x) != len(of_y) or any(a != b for (a, _), (b, _) in zip(of_x, of_y, strict=True)):
        return None
    return [(share, one, other) for (share, one), (_, other) in zip(of_x, of_y, strict=True)]
