"""Panels of accuracies over training, of networks in groups by the bias of their start."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from matplotlib.colors import to_rgb

from igbtheory.networks.network import Network
from igbtheory.presentation.pictures.caption import Drawn
from igbtheory.presentation.pictures.marks import points
from igbtheory.presentation.pictures.run import Run
from igbtheory.presentation.pictures.style import BARS, MARKERS, SERIES, THEORY
from igbtheory.presentation.pictures.trained_networks import Accuracies, Hidden, trained_outputs

NEUTRAL, PREJUDICED = 0.6, 0.8
"""Largest share of the favoured class of neutral starts, and smallest one of prejudiced starts."""
GROUPS: dict[str, Callable[[Any], Any]] = {
    "neutral": lambda share: share <= NEUTRAL,
    "prejudiced": lambda share: share >= PREJUDICED,
}
STEPS = np.array([0, 1, 2, 4, 8, 16, 32, 64, 128])
TIMES = np.maximum(STEPS, 0.5)
"""STEPS on a logarithmic axis, which has no 0."""
STEP = 0.1
"""Size of a step in units of 1/largest eigenvalue, at which descent follows gradient flow."""
FEW = 3
"""Smallest number of networks in a group that is drawn."""


@final
@dataclass(frozen=True)
class Case:
    """Accuracies after STEPS, of infinitely wide networks, or None, and of finite ones."""

    theory: Accuracies | None
    finite: Accuracies


def trained(
    run: Run, network: Network, hidden: Hidden, blobs: tuple[int, int, float], drawn: tuple[int, int, int]
) -> Case:
    """Return the accuracies of networks on two Gaussian blobs.

    blobs: number of data, of features, and distance of the centres from 0. drawn: number and width of finite networks,
    and the seed. BatchNorm behind ReLU, which has no tangent kernel, takes the steps of the network without it.
    """
    count, features, distance = blobs
    networks, width, seed = run.some(drawn[0], 24), *drawn[1:]
    labels = np.arange(count) % 2
    centre = np.full(features, distance / np.sqrt(features))
    x = np.random.default_rng(seed).standard_normal((count, features)) + np.where(labels[:, None], centre, -centre)
    has_theory = hidden != Hidden("batch", after=True)
    of_steps: Network = network if has_theory else Network("Dense | relu | Dense")
    rate = of_steps.train(x, labels, times=[0.0], draws=2).rate
    step = STEP / rate
    run.record.append({"trained": repr(network), "networks": networks, "width": width, "seed": seed, "step": step})
    run.drawn.append(Drawn(repr(network), networks, width, count))
    targets = np.eye(2)[labels][:, None]
    outputs = trained_outputs(x, hidden, lambda f: f - targets, STEPS.tolist(), step, (networks, width, 2, seed))
    finite = Accuracies.of_outputs(outputs, labels)
    if not has_theory:
        return Case(None, finite)
    theory = network.train(x, labels, times=STEPS, step=step, draws=run.some(4000, 400), seed=seed)
    return Case(Accuracies.of_training(theory), finite)


def panels(column: Any, case: Case, groups: dict[str, Callable[[Any], Any]] = GROUPS) -> None:
    """Draw the accuracy on all data into the upper panel, and those on the two classes into the lower one."""
    top, bottom = column
    first = 0 if groups is GROUPS else len(SERIES) - 2
    for number, (name, chosen) in enumerate(groups.items(), first):
        _series(top, number, case, chosen, "accuracy", f"_{name}")
        _series(bottom, number, case, chosen, "favoured", f"{name}: class 0, or all data")
        _series(bottom, number + len(groups), case, chosen, "others", f"{name}: class 1")
    top.set(ylim=(0, 1), xlim=(0.8 * TIMES[0], 1.25 * TIMES[-1]), xscale="log")
    if top.get_subplotspec().is_first_col():
        top.set_ylabel("accuracy, all data")
        bottom.set_ylabel("accuracy of a class")


def _series(axes: Any, number: int, case: Case, chosen: Callable[[Any], Any], part: str, name: str) -> None:
    """Draw the mean over a group: a line of theory, and pale points of finite networks if there are enough."""
    how = SERIES[number]
    if case.theory is not None:
        inside = chosen(case.theory.largest).astype(bool)
        if inside.sum() >= FEW:
            axes.plot(TIMES, getattr(case.theory, part)[inside].mean(axis=0), **how, label=name)
    shown = getattr(case.finite, part)[chosen(case.finite.largest).astype(bool)]
    if len(shown) >= FEW:
        pale = tuple(0.4 + 0.6 * np.array(to_rgb(how["color"])))
        error = shown.std(axis=0, ddof=1) / np.sqrt(len(shown))
        points(
            axes,
            TIMES,
            shown.mean(axis=0),
            error,
            MARKERS[number],
            color=pale,
            label=f"_finite networks: {name.strip('_')}",
        )


def inset(axes: Any, case: Case) -> None:
    """Draw the shares of the favoured class at the start, from 0.5 to 1, into a corner of a panel."""
    small = axes.inset_axes((0.5, 0.1, 0.45, 0.3))
    edges = np.linspace(0.5, 1, 11)
    small.hist(case.finite.largest, edges, density=True, color=BARS)
    if case.theory is not None:
        small.hist(case.theory.largest, edges, density=True, histtype="step", color=THEORY)
    small.set(xlim=(0.5, 1), xticks=[0.5, 1], yticks=[])
