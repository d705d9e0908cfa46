"""The interface of a layer: what it does to a law, to a kernel and to samples."""

from abc import ABC, abstractmethod
from typing import Any

from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.layers.node import KernelNode, LawNode


class Layer(ABC):
    """A layer with its three faces."""

    @abstractmethod
    def law(self, node: LawNode) -> LawNode:
        """What the layer does to the law of a node of Gaussian inputs, in infinite width."""

    @abstractmethod
    def kernel(self, node: KernelNode) -> KernelNode:
        """What the layer does to a block of the kernel of a given data set, in infinite width."""

    @abstractmethod
    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        """What the layer does to units at data, shape (n_samples, units), in a finite network drawn from `rng`.

        width: units of the layer where it has weights of its own; the type of `x` is kept.
        """

    @property
    def pooled(self) -> int:
        """Units that become one."""
        return 1

    @property
    def inner(self) -> "tuple[Layer, ...]":
        """Layers inside this one."""
        return ()

    @abstractmethod
    def latex(self) -> str:
        """The layer as a formula."""
