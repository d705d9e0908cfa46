"""The task to measure some networks: here, or in pieces that other processes do."""

from collections.abc import Callable, Generator
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from math import prod
from pathlib import Path
from typing import Any, final

import numpy as np
import torch
from numpy.typing import NDArray

from igbtheory.device import alone
from igbtheory.runs import blocks, chosen, in_order, kept
from igbtheory.torch.models import checked_model, idle_norms
from igbtheory.torch.outputs import Summary, checked_labels
from igbtheory.torch.passes import drawn_outputs, made, stream

MAKING, SPEED = 1e-3, 2e10
"""Seconds to make a model and to sum up its outputs, about, and operations in a second on one core."""


@final
@dataclass(frozen=True)
class Task:
    """Networks of make_model on the data, as `measure` takes them; picklable where make_model is."""

    make_model: Callable[[], Any]
    data: torch.Tensor | NDArray[Any]
    labels: NDArray[np.int64] | None
    seed: int
    batch_size: int | None
    device: Any

    def found(self, networks: range, said: list[str]) -> Generator[tuple[Summary, bytes]]:
        """Yield what is kept of each network, and the digest of its weights; what to warn of is added to `said`."""
        options = self.seed, self.batch_size, self.device, said
        with closing(drawn_outputs(self.make_model, torch.as_tensor(self.data), networks, *options)) as drawn:
            for outputs, weights in drawn:
                yield Summary.of(outputs, checked_labels(self.labels, outputs)), weights

    def block(self, networks: range) -> dict[str, NDArray[Any]]:
        """Return what is found of some networks, stacked, in one thread."""
        with alone():
            found, weights = zip(*self.found(networks, []), strict=True)
        columns = zip(Summary._fields, zip(*found, strict=True), strict=True)
        digests = np.frombuffer(b"".join(weights), np.uint8).reshape(len(weights), -1)
        return {**{name: np.array(values) for name, values in columns}, "weights": digests}

    def seconds(self, said: list[str]) -> float:
        """Return about how long a network takes on one core: every parameter multiplies every datum at every position.

        What to warn of is added to `said`.
        """
        with stream(self.seed, 0), torch.no_grad():
            model = checked_model(made(self.make_model, 0), None)
        said += idle_norms(model)
        parameters = sum(p.numel() for p in model.parameters() if not torch.nn.parameter.is_lazy(p))
        data = len(self.data) * prod(self.data.shape[2:])
        return float(MAKING + 2 * parameters * data / SPEED)


def spread(
    task: Task,
    networks: int,
    said: list[str],
    workers: int | None,
    executor: Executor | str | None,
    store: str | Path | None,
) -> Generator[tuple[Summary, bytes]]:
    """Yield what `Task.found` yields, from pieces that an executor does."""
    seconds = task.seconds(said)
    # a tensor would be moved into memory that processes share, of which a killed one leaves its part
    data = torch.as_tensor(task.data).cpu()
    task = replace(task, data=(data.float() if data.dtype == torch.bfloat16 else data).numpy())
    name = getattr(task.make_model, "__qualname__", repr(task.make_model))
    configuration = {"make_model": name, "networks": networks, "samples": len(task.data), "seed": task.seed}
    configuration |= {"batch_size": task.batch_size, "device": str(task.device)}
    pieces = [partial(task.block, block) for block in blocks(networks, seconds)]
    own = chosen(executor, workers, networks * seconds, task.device)
    with (
        kept(store, configuration, partial(task.block, range(1))) as file,
        closing(in_order(pieces, executor=own, store=file)) as parts,
    ):
        for part in parts:
            *columns, weights = part.values()
            yield from zip(map(Summary._make, zip(*columns, strict=True)), map(bytes, weights), strict=True)
