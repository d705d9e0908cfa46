"""Studies of the user's own models, and the running of the arms of any study."""

import multiprocessing
import os
import warnings
from collections.abc import Callable, Sequence, Sized
from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.foundations.device import free_buffers, require_torch
from igbtheory.foundations.labels import empty_classes
from igbtheory.foundations.progress import progress_bar
from igbtheory.foundations.runs import chosen, in_order, kept
from igbtheory.networks.training.targets import targets
from igbtheory.torch.studies.arm import Arm, Plan, Task, controlled, swept
from igbtheory.torch.studies.course import Course
from igbtheory.torch.studies.result import Study

GOAL = 0.7
"""Accuracy that a study waits for by default."""
BATCH = 64
"""Number of data in a step by default, or all data if they are fewer."""


def study(  # noqa: PLR0913 - the contract of the public name
    make_model: Callable[[], Any],
    data: Any,
    labels: Any,
    *,
    losses: Any = "cross-entropy",
    optimiser: Any = "Adam",
    rates: float | Sequence[float] = 1e-3,
    networks: int = 20,
    steps: int = 300,
    batch_size: int | None = BATCH,
    test: tuple[Any, Any] | None = None,
    controls: bool = False,
    goal: float = GOAL,
    seed: int = 0,
    workers: int | None = None,
    executor: Executor | str | None = None,
    store: str | Path | None = None,
    progress: bool = False,
    output: str | int | None = None,
) -> Study:
    """Train an ensemble of PyTorch models, and record at logarithmically spaced steps how their bias is absorbed.

    make_model: function without arguments, or class, that returns a new torch.nn.Module with random weights whose
    outputs are logits, as for `igbtheory.measure`. data, labels: (n_samples, ...) and class labels 0, 1, ...
    losses: a name ("mse", "cross-entropy", "blurry", "focal", "piecewise-zero"), an `igb.losses.Loss`, or a
    function of outputs and labels, as PyTorch has them; or several of these. optimiser: the name of a class in
    torch.optim, or a class that is called with parameters and lr. rates: learning rates. batch_size: None means all
    data; by default it is 64, or all data if they are fewer. output: the name or place of the logits, as in `measure`.
    test: data and labels on which networks are recorded, by default those on which they are trained. controls:
    also train the same networks from neutral and prejudiced starts, and with centred outputs. goal: the accuracy to
    wait for.

    Networks of one number have the same weights in all arms and see the same batches. They are recorded in the mode in
    which the model comes, but without Dropout, and BatchNorm has the statistics of all recorded data. workers,
    executor, store, progress: who trains the networks, and what is kept of them, as in `igbtheory.simulate`.

    networks: number of networks in each arm. steps: number of steps of the optimiser. seed: the same seed gives the
    same networks and batches.

    ValueError, TypeError: make_model makes no models, labels are not among the classes, there is only one class, or a
    loss is not finite.

    >>> studied = igb.study(make_model, X, y, networks=20, steps=300)    # doctest: +SKIP
    """
    checks.makes_models(make_model)
    require_torch()
    several = (
        checks.several("losses", losses, "['cross-entropy', 'mse']") if isinstance(losses, list | tuple) else (losses,)
    )
    task = _checked_task(data, labels, test)
    size = len(task.labels)
    batch_size = min(BATCH, size) if batch_size == BATCH else batch_size
    plan = Plan(
        checks.whole("networks", networks, 2), checks.whole("steps", steps, 1),
        None if batch_size is None else checks.whole("batch_size", batch_size, 1, size),
        checks.whole("seed", seed, 0),
    )  # fmt: skip
    arms = [
        Arm(
            loss if isinstance(loss, str) else getattr(loss, "__name__", repr(loss)),
            make_model,
            partial(Task, *task),
            loss,
            optimiser=optimiser,
            output=output,
        )
        for loss in several
    ]
    every = tuple(one for arm in arms for one in (controlled(arm) if controls else (arm,)))
    checks.non_negative("rates", rates)
    given = np.atleast_1d(np.asarray(rates, dtype=float))
    if given.ndim > 1 or not np.all(given > 0):
        raise ValueError(f"expected learning rates above 0 in one dimension, got {rates!r}; pass for example 1e-3")
    options: Any = {"workers": workers, "executor": executor, "store": store, "progress": progress}
    courses = run(swept(every, tuple(given.tolist())), plan, **options)
    for sentence in empty_classes(task.labels):
        warnings.warn(sentence, stacklevel=2)
    return Study("Study", courses, goal)


def run(
    arms: Sequence[Arm],
    plan: Plan,
    *,
    title: str = "study",
    workers: int | None = None,
    executor: Executor | str | None = None,
    store: str | Path | None = None,
    progress: bool = False,
) -> tuple[Course, ...]:
    """Return the courses of all arms. Network i is trained in all arms before network i + 1."""
    from igbtheory.torch.studies.loop import trained  # noqa: PLC0415 - it loads PyTorch

    pieces = [partial(trained, arm, plan, network) for network in range(plan.networks) for arm in arms]
    chosen_one = _able(chosen(executor, workers, len(pieces)), by_default=executor is None)
    named = [f"{arm.name}, rate {arm.rate:g}, {arm.loss!r}, {arm.optimiser!r}" for arm in arms]
    # without the number of networks, so that a study of more networks continues a stored one
    configuration: dict[str, Any] = {"study": title, "arms": named, "steps": plan.steps}
    configuration |= {"batch_size": plan.batch_size, "seed": plan.seed}
    wanted = checks.flag("progress", progress)
    with kept(store, configuration, pieces[0], executor=chosen_one) as file, progress_bar(wanted=wanted):
        records = list(in_order(pieces, executor=chosen_one, store=file, what="networks"))
    return tuple(_course(arm, plan, records[i :: len(arms)]) for i, arm in enumerate(arms))


def _able(executor: Executor | str, *, by_default: bool) -> Executor | str:
    """Return an executor whose workers can compute gradients, which PyTorch refuses in forks of a process that has.

    ValueError: processes are asked for in such a process.
    """
    if not str(executor).startswith("processes") or _forks_differentiate():
        return executor
    way = 'start the study in a new Python process, or pass executor="threads:1"'
    if not by_default:
        raise ValueError(
            f"expected a Python process that has not differentiated, got one whose forks PyTorch refuses; {way}"
        )
    warnings.warn(
        "PyTorch has differentiated in this process, after which its forks cannot: the networks are trained one after "
        "the other; to train them on all cores, start the study in a new Python process",
        stacklevel=3,
    )
    return "threads:1"


def _forks_differentiate() -> bool:
    """Return whether a fork of this process can differentiate, which is tried."""
    free_buffers()
    fork = multiprocessing.get_context("fork").Process(target=_differentiate)
    fork.start()
    fork.join()
    return fork.exitcode == 0


def _differentiate() -> None:
    """Differentiate, and end this process with the status 1 where PyTorch refuses."""
    import torch  # noqa: PLC0415 - it is an extra

    try:
        torch.ones(1, requires_grad=True).backward()
    except RuntimeError:
        os._exit(1)


def _course(arm: Arm, plan: Plan, records: list[dict[str, Any]]) -> Course:
    layers = tuple(map(str, records[0]["layers"]))
    arrays = {name: np.stack([one[name] for one in records]) for name in records[0] if name != "layers"}
    if np.array_equal(arrays["probabilities"][0, 0], arrays["probabilities"][1, 0]):
        raise ValueError(
            "expected freshly drawn weights from every call of make_model, got the same probabilities from two "
            "networks; remove the seed that is set inside make_model, or the weights that it loads"
        )
    labels = np.bincount(arm.task().seen_labels, minlength=arrays["shares"].shape[2])
    return Course(arm.name, arm.base, arm.rate, plan.recorded, labels / labels.sum(), layers, **arrays)


def _checked_task(data: Any, labels: Any, test: tuple[Any, Any] | None) -> Task:
    """Return the data and labels, refused if they do not fit together or there is only one class."""
    checks.of_kind("data in an array or a tensor", data, Sized, "an array of shape (n_samples, n_features)")
    checked = _labels(labels, len(data))
    if test is None:
        return Task(data, checked, data, checked)
    if np.shape(test[0])[1:] != np.shape(data)[1:]:
        raise ValueError(f"expected test data of shape {('n_samples', *np.shape(data)[1:])}, got {np.shape(test[0])}")
    return Task(data, checked, test[0], _labels(test[1], len(test[0])))


def _labels(labels: Any, count: int) -> NDArray[np.int64]:
    classes = targets(labels, count)
    if not classes.hard:
        raise ValueError("expected class labels 0, 1, ..., got other values; number the classes")
    return classes.labels
