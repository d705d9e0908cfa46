"""The arms of a study: models, data and ways of training. The networks of one number are compared as pairs."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

CONTROLS = ("neutral", "prejudiced", "centred")
"""Starts of networks other than "drawn": see `igbtheory.torch.studies.loop.begin`."""
RECORDS = 20
"""Number of recorded steps in each factor of ten."""


class Task(NamedTuple):
    """Data to train on, and data on which networks are recorded, with their labels."""

    data: Any
    labels: NDArray[np.int64]
    seen: Any
    seen_labels: NDArray[np.int64]


@final
@dataclass(frozen=True)
class Arm:
    """One way of training: the model, its data, loss, optimiser, learning rate and start.

    output: the name or place of the logits, if the model returns several outputs.
    base: for a control, the name of the arm from which it differs in the last layer alone; else its own name.
    Networks of one number have the same weights in all arms of one architecture, and see the same batches.
    """

    name: str
    make_model: Callable[[], Any]
    task: Callable[[], Task]
    loss: Any = "cross-entropy"
    rate: float = 1e-3
    start: str = "drawn"
    optimiser: Any = "Adam"
    output: str | int | None = None
    base: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "base", self.base or self.name)


@final
@dataclass(frozen=True)
class Plan:
    """The number of networks of each arm, and how long they are trained."""

    networks: int
    steps: int
    batch_size: int | None
    seed: int = 0

    @property
    def recorded(self) -> NDArray[np.int64]:
        """Steps after which a network is recorded: 0, and a logarithmic grid up to the last one."""
        count = 1 + int(np.ceil(RECORDS * np.log10(self.steps)))
        return np.unique(np.append(0, np.round(np.geomspace(1, self.steps, count)))).astype(np.int64)


def controlled(arm: Arm, starts: tuple[str, ...] = CONTROLS) -> tuple[Arm, ...]:
    """Return the arm and its controls: the same network from other starts, which change its last layer alone."""
    return (arm, *(replace(arm, name=f"{arm.name}, {start}", start=start, base=arm.name) for start in starts))


def swept(arms: tuple[Arm, ...], rates: tuple[float, ...]) -> list[Arm]:
    """Return every arm with every learning rate."""
    return [replace(arm, rate=rate) for arm in arms for rate in rates]
