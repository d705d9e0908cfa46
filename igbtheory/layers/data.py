"""The data themselves: what stands in front of the first Dense on a given data set."""

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.averages.state import Pairs
from igbtheory.formulas.function import Function
from igbtheory.layers.draws import Array, Draws
from igbtheory.layers.node import Base
from igbtheory.numbers import Kind


@final
@dataclass(frozen=True)
class Data(Base[Pairs]):
    """Components of the given data, shape (data, components), with their second moments `values` and their means."""

    values: Pairs
    centres: tuple[Any, Any]
    data: NDArray[Any]

    averages: ClassVar[bool] = False

    def average(self, n: Kind, phi: Function | None, m: int) -> Pairs:
        del n, phi, m
        return self.values

    def means(self, n: Kind, phi: Function | None, m: int) -> tuple[Any, Any]:
        del n, phi, m
        return self.centres

    def units(self, draws: Draws, count: int) -> Array:
        return np.asarray(self.data[:, draws.rng.integers(self.data.shape[1], size=count)], dtype=float)
