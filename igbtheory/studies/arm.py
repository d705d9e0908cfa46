"""What is trained and how: the arms of a study, which networks of the same numbers go through as pairs."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

STARTS = ("drawn", "neutral", "prejudiced", "centred")
"""How a network starts: see `igbtheory.studies.start`."""
CONTROLS = STARTS[1:]
RECORDS = 20
"""Recorded steps in each factor of ten."""


class Task(NamedTuple):
    """Data to train on and data to be recorded on, with their labels."""

    data: Any
    labels: NDArray[np.int64]
    seen: Any
    seen_labels: NDArray[np.int64]


@final
@dataclass(frozen=True)
class Arm:
    """One way of training: the model, its data, loss, optimiser, learning rate and start.

    base: the name of the arm that this one controls, from which it differs in the last layer alone; its own name where
    it is no control.
    Networks of one number have the same weights in all arms of one architecture, and see the same batches.
    """

    name: str
    make_model: Callable[[], Any]
    task: Callable[[], Task]
    loss: Any = "cross-entropy"
    rate: float = 1e-3
    start: str = "drawn"
    optimiser: Any = "Adam"
    base: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "base", self.base or self.name)


@final
@dataclass(frozen=True)
class Plan:
    """How long all arms are trained, and how many networks of each."""

    networks: int
    steps: int
    batch_size: int | None
    seed: int

    @property
    def recorded(self) -> NDArray[np.int64]:
        """Steps after which a network is recorded: 0, and a logarithmic grid to the last one."""
        count = 1 + int(np.ceil(RECORDS * np.log10(self.steps)))
        return np.unique(np.append(0, np.round(np.geomspace(1, self.steps, count)))).astype(np.int64)


def controlled(arm: Arm) -> tuple[Arm, ...]:
    """Return the arm and its controls: the same network from other starts, by changes of its last layer alone."""
    others = (replace(arm, name=f"{arm.name}, {start}", start=start, base=arm.name) for start in CONTROLS)
    return (arm, *others)


def swept(arms: tuple[Arm, ...], rates: tuple[float, ...]) -> Iterator[Arm]:
    """Yield every arm with every learning rate."""
    for arm in arms:
        yield from (replace(arm, rate=rate) for rate in rates)
