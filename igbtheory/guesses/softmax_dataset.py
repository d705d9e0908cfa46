"""The law of the mean softmax probability of each class over a given data set, by draws of its outputs."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from igbtheory.guesses.estimate import Estimate, estimate
from igbtheory.guesses.sampled import DRAWS
from igbtheory.guesses.several_dataset import Array, DatasetDraws
from igbtheory.guesses.softmax import checked_temperature


@final
@dataclass(frozen=True)
class DatasetSoftmaxLaw(DatasetDraws):
    """Law over initialisations of p_c, the mean of softmax_c(O/temperature) over the given data, in infinite width."""

    temperature: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "temperature", checked_temperature(self.temperature))

    def var(self, draws: int = DRAWS, random_state: Any = 0) -> Estimate:
        """Return the variance of p_c over initialisations, from so many draws."""
        return estimate(((self._draws(draws, random_state) - self.mean()) ** 2).mean(axis=1))

    def _of(self, outputs: Array) -> Array:
        weights = np.exp((outputs - outputs.max(axis=2, keepdims=True)) / self.temperature)
        return np.asarray((weights / weights.sum(axis=2, keepdims=True)).mean(axis=0))
