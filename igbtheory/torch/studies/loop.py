"""Training of one network of an arm: a piece of a study, which can run in any process."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.foundations.device import alone
from igbtheory.foundations.threads import one_thread
from igbtheory.torch.data import checked_data, moved
from igbtheory.torch.initialise import initialise
from igbtheory.torch.last_layer import LastLayer
from igbtheory.torch.outputs import fit
from igbtheory.torch.passes import made, outputs_of, stream
from igbtheory.torch.studies.arm import Arm, Plan, Task
from igbtheory.torch.studies.criterion import criterion
from igbtheory.torch.studies.record import Recorder, layers, without_trace

Array = NDArray[Any]
NEUTRAL, PREJUDICED = (0.45, 0.55), (0.95, 1.0)
"""Windows of G0 for neutral and prejudiced starts of two classes."""


def trained(arm: Arm, plan: Plan, network: int) -> dict[str, Array]:
    """Train one network of the arm, and return its records: arrays of shape (recorded steps, classes, ...).

    Records are NaN from the first outputs on that are not finite. Network i draws from the same streams in every arm.
    """
    task = arm.task()
    with alone(), one_thread(), stream(plan.seed, network):
        model, recorder = _begun(arm, task, network)
        recorded = list(_course(arm, task, plan, network, (model, recorder)))
    if not recorded:
        raise ValueError(f"expected finite outputs, got others in network {network}; scale the data or the weights")
    nothing = {name: np.full_like(values, np.nan) for name, values in recorded[0].items()}
    recorded += [nothing] * (len(plan.recorded) - len(recorded))
    records = {name: np.stack([one[name] for one in recorded]) for name in nothing}
    return {**records, "layers": np.array(list(layers(model)))}


def _begun(arm: Arm, task: Task, network: int) -> tuple[Any, Recorder]:
    """Return a fresh network with the start of its arm, and its recorder."""
    rule, model = criterion(arm.loss), made(arm.make_model, network)
    recorder = Recorder(rule, moved(checked_data(task.seen), model.parameters()), task.seen_labels, arm.output)
    outputs = recorder.outputs(model, network)
    classes, labels = max(2, outputs.shape[1]), np.concatenate([task.labels, task.seen_labels])
    if not fit(labels, outputs):
        raise ValueError(
            f"expected labels from 0 to {classes - 1}, as the model has {classes} classes, got {labels.min()} to "
            f"{labels.max()}; number the classes from 0, and let the model return an output for each"
        )
    with without_trace(model):
        begin(model, arm.start, recorder, classes, network)
    return model, recorder


def begin(model: Any, start: str, recorder: Recorder, classes: int, seed: int) -> None:
    """Change the last layer so that the model starts as wanted on the data of the recorder.

    "neutral", "prejudiced": the last layer is drawn anew until G0 lies in the window, see `igbtheory.initialise`; with
    more than two classes, a neutral start gives all of them equal shares by its biases. "centred": the mean of every
    output over the data is moved to 0, by the biases of the last layer if it has some.
    """
    data, output = recorder.data, recorder.output
    if start == "centred":
        last = LastLayer(model, data, output)
        outputs = last.outputs()
        last.shift(-outputs.mean(axis=0) / last.slopes().mean())
        last.keep()
    elif start == "neutral" and classes > 2:
        initialise(model, data, neutral=True, output=output)
    elif start != "drawn":
        window = NEUTRAL if start == "neutral" else PREJUDICED
        initialise(model, data, G0=window, seed=seed, output=output)


def _course(arm: Arm, task: Task, plan: Plan, network: int, begun: tuple[Any, Recorder]) -> Iterator[dict[str, Array]]:
    """Train the network, and yield its records at the steps of the plan, until its outputs become infinite."""
    model, recorder = begun
    data, recorded = moved(checked_data(task.data), model.parameters()), set(plan.recorded.tolist())
    optimiser = _optimiser(arm)(model.parameters(), lr=arm.rate)
    batches = _batches(len(data), plan, network)
    for step in range(plan.steps + 1):
        if step in recorded:
            outputs = recorder.outputs(model, network)
            if not np.all(np.isfinite(outputs)):
                return
            record = recorder.of(model, outputs, network)
            if step == 0:
                _refuse_loss(arm, record["losses"])
            yield record
        if step < plan.steps:
            part = next(batches)
            outputs = outputs_of(model, data[part], network, (len(data), plan.batch_size), arm.output)
            slope = recorder.rule.gradient(outputs.detach().double().cpu().numpy(), task.labels[part]) / len(part)
            optimiser.zero_grad()
            outputs.backward(torch.from_numpy(slope).to(outputs))
            optimiser.step()


def _batches(size: int, plan: Plan, network: int) -> Iterator[Any]:
    """Yield the data of every step, in an order that is drawn anew for each pass; without a batch size all data."""
    rng = np.random.default_rng(np.random.SeedSequence(plan.seed, spawn_key=(network, 1)))
    count = plan.batch_size or size
    while True:
        order = rng.permutation(size)
        # the rest at the end of a pass is left out: it would be a smaller batch
        for first in range(0, size - count + 1, count):
            yield order[first : first + count]


def _optimiser(arm: Arm) -> Any:
    """Return the class of the optimiser; names are names of classes of PyTorch."""
    if not isinstance(arm.optimiser, str):
        return arm.optimiser
    names = [name for name, value in vars(torch.optim).items() if isinstance(value, type)]
    return getattr(torch.optim, checks.known("optimiser", arm.optimiser, names))


def _refuse_loss(arm: Arm, losses: Array) -> None:
    if np.any(np.isinf(losses)) or np.all(np.isnan(losses)):
        raise ValueError(
            f"expected a finite loss before training, got {losses[~np.isfinite(losses)][0]} from {arm.loss!r:.60}; "
            "check the loss, and the size of the outputs"
        )
