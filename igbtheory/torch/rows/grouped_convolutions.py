"""Convolutions in groups of few channels, over which nothing averages out, however many groups there are."""

from dataclasses import dataclass
from typing import Any, final

from igbtheory.foundations import checks
from igbtheory.layers.chain import products
from igbtheory.layers.convolution import Convolution
from igbtheory.layers.nodes.base import Averaged
from igbtheory.layers.nodes.node import KernelNode
from igbtheory.layers.nodes.samples import behind, in_front
from igbtheory.mathematics.averages.state import Pairs


@dataclass(frozen=True, init=False, repr=False)
class GroupedConv2d(Convolution):
    """Convolution of images in groups of `reads` channels, which make `makes` each, whatever the number of groups.

    Its second moments are those of Conv2d, but the units of a group are neither Gaussian nor independent of one
    another: what functions make of them is estimated from draws of whole groups.
    """

    reads: int = 1
    makes: int = 1

    axes = 2
    each_unit = True

    def __init__(self, reads: int, makes: int, *window: Any, **named: Any) -> None:
        super().__init__(*window, **named)
        object.__setattr__(self, "reads", checks.whole("reads", reads, 1))
        object.__setattr__(self, "makes", checks.whole("makes", makes, 1))

    @property
    def weighs(self) -> bool:
        # a unit depends on the units of its group in front, unless it is another group
        return self.reads != self.makes

    def kernel(self, node: KernelNode) -> KernelNode:
        if node.components and self.reads > 1:
            raise ValueError(
                f"expected a layer with weights in front of {self!r}, got the data, whose channels are few and differ; "
                "take groups=1 in the first convolution"
            )
        return super().kernel(node)

    def summed(self, node: KernelNode, values: Pairs) -> KernelNode:
        return node.after(Averaged(values, behind(self, node), dependent=True))

    def parts(self, channels: int, width: int) -> tuple[int, int]:
        if channels % self.reads:
            raise ValueError(
                f"expected channels that groups of {self.reads} divide in front of {self!r}, got {channels}; choose "
                "another width"
            )
        return channels // self.reads, self.makes


@products.register
def _(layer: GroupedConv2d, units: int) -> int:
    points: int = layer.size**layer.axes
    return points * layer.reads


@in_front.register
def _(layer: GroupedConv2d, count: int) -> int:
    return -(-count // layer.makes) * layer.reads


@final
@dataclass(frozen=True, init=False, repr=False)
class GroupedConv1d(GroupedConv2d):
    """Convolution of sequences in groups of so many channels: see `GroupedConv2d`."""

    axes = 1
