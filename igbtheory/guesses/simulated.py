"""Outputs of networks of your own, simulated or measured, as a source of laws."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.guesses.arguments import float64_array
from igbtheory.guesses.source import HELD, OutputsAtData, Statistic

FEWEST = 2
"""Least number of networks, whose scatter tells errors."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class SimulatedOutputs(OutputsAtData):
    """Outputs of independent networks at the same data: all laws are estimates, from each network once.

    Nothing is assumed of them, not even that the classes are alike. `rvs` draws networks with replacement. A law of
    two classes is that of the first two outputs, or of the sign of a single one.

    values: the outputs, shape (networks, data, outputs), of at least two networks.

    >>> outputs = np.random.default_rng(0).standard_normal((100, 50, 10))
    >>> law = igb.guesses.ClassGuessLaw(igb.guesses.SimulatedOutputs(outputs), 10)
    >>> print(f"{law.largest().mean():.2f}")
    0.17
    """

    values: NDArray[np.float64] = field(repr=False)

    given = True
    symmetric = False
    variance = None
    ties = 0.0

    def __post_init__(self) -> None:
        values = float64_array("values", self.values)
        if values.ndim != 3 or not values.size or len(values) < FEWEST or not np.isfinite(values).all():
            raise ValueError(
                f"values: expected finite outputs (networks, data, outputs), got shape {values.shape}; stack those of "
                "two networks or more"
            )
        object.__setattr__(self, "values", values)

    @property
    def networks(self) -> int:  # type: ignore[override] # those that are given
        """Number of networks."""
        return len(self.values)

    @property
    def size(self) -> int:  # type: ignore[override] # as above
        """Number of data."""
        return int(self.values.shape[1])

    def blocks(self, law: Statistic, count: int, rng: np.random.Generator) -> Iterator[NDArray[Any]]:
        yield from self._blocks(law, np.arange(min(count, self.networks)), rng)

    def rvs(self, law: Statistic, size: Any, rng: np.random.Generator) -> NDArray[Any]:
        chosen = rng.integers(self.networks, size=checks.shape_of(size))
        numbers = np.concatenate([*self._blocks(law, chosen.ravel(), rng)])
        return numbers.reshape(chosen.shape + numbers.shape[1:])

    def _blocks(self, law: Statistic, chosen: NDArray[np.intp], rng: np.random.Generator) -> Iterator[NDArray[Any]]:
        outputs = self.values.shape[2]
        if law.outputs != outputs and not law.outputs == 1:
            raise ValueError(f"expected a law of {outputs} outputs, one a class, got {law.outputs}; pass {outputs}")
        for part in np.array_split(chosen, 1 + chosen.size * self.size * outputs // HELD):
            values = self.values[part].transpose(1, 0, 2)
            yield law.of_outputs(values[..., :1] - values[..., 1:2] if outputs > law.outputs else values, rng)
