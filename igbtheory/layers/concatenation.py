"""Concatenation: the units of several ways side by side."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.layers.chain import drawn, joined, mapped, split, weigh
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.mixture import mixture
from igbtheory.layers.nodes.node import Node
from igbtheory.layers.ways import Ways

ROUNDED = 2
"""Number of units by which rounding may change the units of a way: those of Concat layers inside are rounded, too."""


@final
@dataclass(frozen=True, init=False, repr=False)
class Concat(Ways):
    """Concatenation (F_1(X), F_2(X), ...) of the units of several ways that all read X.

    A way is a layer, or a sequence of layers; () is X itself, as in a DenseNet, whose layers are Concat((), F). shares:
    how many units are behind each way, as positive numbers of which only the ratios count; None: equally many. Moments
    of a unit behind are averages over the ways, weighted with their shares s_i: q_ab = sum_i s_i q_ab,i, and var_mu =
    sum_i s_i (var_mu,i + (mean_i - mean)^2). Layers that act on each unit alone act on the units of each way apart.
    Sources: Huang et al. 2017, Densely connected convolutional networks; Szegedy et al. 2015, Going deeper with
    convolutions.

    ways: layers or sequences of layers.

    >>> both = igb.Concat((), [igb.Dense(), igb.Activation("relu")])
    >>> print(f"{igb.Network(igb.Dense(), both, igb.Dense()).predict().gamma:.4f}")
    0.1893
    """

    branches: tuple[tuple[Layer, ...], ...]
    shares: tuple[Any, ...] | None = None

    def __init__(self, *ways: Layer | Sequence[Layer], shares: Sequence[Any] | None = None) -> None:
        if not ways:
            raise ValueError("expected the ways of a Concat, got none; for example Concat((), Dense(2.0))")
        for way in ways:
            checks.of_kind("a layer or layers as a way of a Concat", way, (Layer, Sequence), "Dense(1.0)")
        branches = tuple((way,) if isinstance(way, Layer) else tuple(way) for way in ways)
        for layer in (layer for way in branches for layer in way):
            if not isinstance(layer, Layer):
                raise TypeError(f"expected layers in a way of a Concat, got {layer!r}; for example Dense(1.0)")
        object.__setattr__(self, "branches", branches)
        object.__setattr__(self, "shares", None if shares is None else _checked(tuple(shares), len(ways)))

    @property
    def ways(self) -> tuple[tuple[Layer, ...], ...]:
        return self.branches

    def rule(self, node: Node[Any]) -> Node[Any]:
        shares = [node.n.number(share) for share in self.each_share]
        total = sum(shares[1:], start=shares[0])
        averaged = [bool(way) and way[0].weighs for way in self.branches]
        moments = node
        if sum(averaged) > 1 and node.base.averages and not node.gaussian:  # several ways ask for its average
            moments = node.with_moments(node.units, node.averaged())
        starts = [moments if asks else node for asks in averaged]
        ways = zip(shares, starts, self.branches, strict=True)
        return mixture([(share / total, start.through(way)) for share, start, way in ways])

    @property
    def each_share(self) -> tuple[Any, ...]:
        """The shares of the ways, equal ones if none are given."""
        return self.shares or (1,) * len(self.branches)

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        kept = {i: drawn(way, x, rng, x.shape[1]) for i, way in enumerate(self.branches) if not weigh(way)}
        units = self._units({i: y.shape[1] for i, y in kept.items()}) if kept else width
        ways = enumerate(zip(self.branches, split(self, units), strict=True))
        return np.concatenate(
            [kept[i] if i in kept else drawn(way, x, rng, width, max(1, count)) for i, (way, count) in ways], axis=1
        )

    def _units(self, kept: dict[int, int]) -> int:
        """Return the number of units behind the layer from those behind some ways, which have their shares of it."""
        shares = np.array(self.each_share, dtype=float)
        of_share = sum(kept.values()) / shares[list(kept)].sum()
        if any(abs(count - of_share * shares[i]) > ROUNDED for i, count in kept.items()):
            raise ValueError(
                f"expected ways without weights that make units in the ratio of their shares, got {[*kept.values()]} "
                f"units in {self!r}; change the shares"
            )
        return round(float(of_share * shares.sum()))

    def latex(self) -> str:
        ways = (r" \to ".join(layer.latex() for layer in way) or "x" for way in self.branches)
        return r"\left(" + r",\; ".join(ways) + r"\right)"

    def __repr__(self) -> str:
        ways = [repr(way[0] if len(way) == 1 else way) for way in self.branches]
        return f"Concat({', '.join([*ways, *([] if self.shares is None else [f'shares={self.shares}'])])})"


@mapped.register
def _(layer: Concat, change: Callable[[tuple[Layer, ...]], tuple[Layer, ...]]) -> Concat:
    return Concat(*map(change, layer.branches), shares=layer.shares)


@split.register
def _(layer: Concat, units: int) -> list[int]:
    shares = np.array(layer.each_share, dtype=float)
    ends = np.round(units * np.cumsum(shares / shares.sum())).astype(int)
    return [int(count) for count in np.diff(ends, prepend=0)]


@joined.register
def _(layer: Concat, units: Sequence[int]) -> int:
    return sum(units)


def _checked(shares: tuple[Any, ...], ways: int) -> tuple[Any, ...]:
    """Return the shares as numbers of Python. ValueError: they are not as many positive numbers as there are ways."""
    for share in shares:
        checks.finite("shares", share)
    if len(shares) != ways or not all(np.ndim(share) == 0 and share > 0 for share in shares):
        raise ValueError(f"expected a positive share for each of the {ways} ways of a Concat, got {shares}")
    return tuple(share.item() if isinstance(share, np.generic) else share for share in shares)


def units_of_kinds(layers: Sequence[Layer], units: int) -> list[int]:
    """Return how many of the units behind the layers are of each kind, in order, if a Concat put them side by side."""
    for i, layer in reversed([*enumerate(layers)]):
        if isinstance(layer, Concat):
            ways = zip(layer.ways, split(layer, units), strict=True)
            return [kind for way, count in ways for kind in units_of_kinds(way or layers[:i], count)]
        if layer.weighs:
            break
    return [units]


def rows_of_kinds(layers: Sequence[Layer]) -> list[list[Layer]]:
    """Return the layers in a row in front of the units of each kind, in order, if a Concat put several side by side."""
    for i, layer in reversed([*enumerate(layers)]):
        if isinstance(layer, Concat):
            return [row for way in layer.ways for row in rows_of_kinds([*layers[:i], *way])]
        if layer.weighs:
            break
    return [[*layers]]
