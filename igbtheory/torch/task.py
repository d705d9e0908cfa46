"""The work of measuring some networks: in this process, or in pieces that other processes do."""

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

from igbtheory.foundations.device import alone
from igbtheory.foundations.labels import Labels
from igbtheory.foundations.runs import blocks, chosen, in_order, kept
from igbtheory.torch.data import moved
from igbtheory.torch.inputs import Inputs, each, first
from igbtheory.torch.models import digest, idle_norms
from igbtheory.torch.outputs import Summary, fit, refuse_infinite
from igbtheory.torch.passes import begin_stream, made, outputs_of, own_streams, stream

MAKING, SPEED = 1e-3, 2e10
"""Seconds to make a model and to summarise its outputs, about, and operations per second on one core."""


@final
@dataclass(frozen=True)
class Task:
    """Networks of make_model on the data, as `measure` takes them; picklable if make_model is."""

    make_model: Callable[[], Any]
    data: torch.Tensor | NDArray[Any] | Inputs
    labels: Labels | None
    seed: int
    batch_size: int | None
    device: Any
    output: str | int | None
    multi_label: bool

    def summaries(self, networks: range, said: list[str]) -> Generator[tuple[Summary, bytes]]:
        """Yield the summary of each network and the digest of its weights; warnings are added to `said`.

        The global generators are seeded for each network, and do not get their states back: see `own_streams`.
        """
        data = each(self.data, torch.as_tensor)
        for i in networks:
            begin_stream(self.seed, i)
            with torch.no_grad():
                model = made(self.make_model, i)
                if self.device is not None:
                    model = model.to(self.device)
                if i == networks.start:
                    said += idle_norms(model)
                parameters = [*model.parameters()]
                data = moved(data, parameters)
                passed = self._outputs(model, data, i).cpu()
                weights = digest(parameters)
                del model, parameters  # the next model can have their memory
            outputs = passed.to(torch.promote_types(passed.dtype, torch.float32)).numpy()
            refuse_infinite(outputs, i)
            labels = None if self.labels is None or not fit(self.labels, outputs) else self.labels
            summary = Summary.of_labels if self.multi_label else Summary.of
            yield summary(outputs, labels), weights

    def _outputs(self, model: torch.nn.Module, data: torch.Tensor | Inputs, network: int) -> torch.Tensor:
        """Return the outputs of the model at all data: in one pass, or in batches of a random order."""
        size = len(data)
        if self.batch_size is None:
            return outputs_of(model, data, network, (size, None), self.output)
        # the order is drawn after the weights, which therefore do not depend on the batches
        order = torch.randperm(size, device="cpu").to(first(data).device)
        sizes, batches = (size, self.batch_size), torch.split(order, self.batch_size)
        outputs = torch.cat([outputs_of(model, data[part], network, sizes, self.output) for part in batches])
        return outputs[torch.argsort(order)]

    def block(self, networks: range) -> dict[str, NDArray[Any]]:
        """Return the summaries and digests of some networks as stacked arrays, computed in one thread."""
        with alone(), own_streams():
            summaries, weights = zip(*self.summaries(networks, []), strict=True)
        columns = zip(Summary._fields, zip(*summaries, strict=True), strict=True)
        digests = np.frombuffer(b"".join(weights), np.uint8).reshape(len(weights), -1)
        return {**{name: np.array(values) for name, values in columns}, "weights": digests}

    def seconds(self, said: list[str]) -> float:
        """Return an estimate of the time that a network takes on one core; warnings are added to `said`.

        Every parameter multiplies every datum at every position.
        """
        with stream(self.seed, 0), torch.no_grad():
            model = made(self.make_model, 0)
        said += idle_norms(model)
        parameters = sum(p.numel() for p in model.parameters() if not torch.nn.parameter.is_lazy(p))
        positions = len(self.data) * prod(first(self.data).shape[2:])
        return float(MAKING + 2 * parameters * positions / SPEED)


def _in_numpy(data: torch.Tensor) -> NDArray[Any]:
    """Return a tensor as an array; NumPy has no bfloat16."""
    return np.asarray((data.float() if data.dtype == torch.bfloat16 else data).cpu())


def spread(
    task: Task,
    networks: int,
    said: list[str],
    workers: int | None,
    executor: Executor | str | None,
    store: str | Path | None,
) -> Generator[tuple[Summary, bytes]]:
    """Yield the same as `Task.summaries`, computed by an executor in pieces."""
    seconds = task.seconds(said)
    # a tensor would be moved into memory that processes share, and a killed process leaves its part there
    task = replace(task, data=each(task.data, _in_numpy))
    name = getattr(task.make_model, "__qualname__", repr(task.make_model))
    configuration = {"make_model": name, "networks": networks, "samples": len(task.data), "seed": task.seed}
    configuration |= {"batch_size": task.batch_size, "device": str(task.device)}
    configuration |= {"multi_label": True} if task.multi_label else {}  # earlier stores go on
    pieces = [partial(task.block, block) for block in blocks(networks, seconds)]
    who = chosen(executor, workers, networks * seconds, task.device)
    with (
        kept(store, configuration, partial(task.block, range(1)), executor=who) as file,
        closing(in_order(pieces, executor=who, store=file, what="models")) as results,
    ):
        for part in results:
            *columns, weights = part.values()
            yield from zip(map(Summary._make, zip(*columns, strict=True)), map(bytes, weights), strict=True)
