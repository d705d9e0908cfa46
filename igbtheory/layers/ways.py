"""The base class of layers of several ways side by side, which all read the same stream."""

from abc import ABC
from functools import reduce

from igbtheory.layers.chain import each, weigh
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.places import Point
from igbtheory.layers.spatial import Spatial, Windowed


class Ways(Layer, ABC):
    """A layer of several ways side by side: rows of layers that all read the same stream."""

    listed = True

    @property
    def weighs(self) -> bool:
        return all(map(weigh, self.ways))

    @property
    def whole(self) -> bool:
        # ways may hold different pairs of positions, and pools need pairs of positions of one datum
        return any(map(_moves, each(self.inner))) or super().whole

    def positions(self, shape: Point) -> Point:
        behind = [reduce(lambda x, layer: layer.positions(x), way, shape) for way in self.ways]
        if len({*behind}) > 1:
            self.refuse_shapes(behind)
        return behind[0]

    def refuse_shapes(self, shapes: list[Point]) -> None:
        """Refuse ways behind which there are different positions, or return."""
        raise ValueError(
            f"expected ways with the same positions behind them, got the shapes {', '.join(map(str, shapes))} from "
            f"{self!r}; give all of them the same strides and pools"
        )

    def needs(self, shape: Point, offsets: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(sorted({offset for way in self.ways for offset in _read(way, shape, offsets)}))


def _moves(layer: Layer) -> bool:
    """Return whether there are other pairs of positions behind a layer than in front of it, or pools of them."""
    return isinstance(layer, Spatial) and (layer.apart or (isinstance(layer, Windowed) and not layer.window.keeps))


def _read(way: tuple[Layer, ...], shape: Point, offsets: tuple[int, ...]) -> tuple[int, ...]:
    """Return the offsets of the pairs of positions that a way reads for these offsets behind it."""
    return reduce(lambda read, layer: layer.needs(shape, read), reversed(way), offsets)
