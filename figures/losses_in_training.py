"""Probabilities and accuracies of classes in training with three losses: cross-entropy, blurry and piecewise-zero loss.

Classes are ranked by the mean probability that a network gives to them before training. With cross-entropy the
probabilities meet, with blurry loss they approach each other more slowly, and with piecewise-zero loss, which has no
gradient where the probability of the label is below its cut-off, the favoured class stays on top. Lines are infinitely
wide networks of one hidden layer of ReLU, which take the same steps. Source: initialization-biases-and-losses, Fig. 2,
for handwritten digits in place of CIFAR-10.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import igbtheory as igb
from igbtheory.mathematics.averages.state import kernel_root
from igbtheory.networks.losses import Blurry, CrossEntropy, Loss, PiecewiseZero
from igbtheory.networks.losses.loss import probabilities
from igbtheory.networks.training import kernels
from igbtheory.networks.training.descent import Descent
from igbtheory.networks.training.flow import Tangents
from igbtheory.presentation.pictures import Run, Style
from igbtheory.presentation.pictures.caption import Drawn
from igbtheory.presentation.pictures.marks import points
from igbtheory.presentation.pictures.style import MARKERS, SERIES, shared_legend
from igbtheory.presentation.pictures.trained_networks import Hidden, trained_outputs

DATA, CLASSES = 60, 10
SCALE = 2.0
"""Factor of the outputs: before training the favoured class then has a mean probability of 0.45."""
LOSSES: dict[str, Loss] = {
    "cross-entropy": CrossEntropy(),
    "blurry": Blurry(0.5),
    "piecewise-zero": PiecewiseZero(0.1),
}
RANKS = {"favoured class": slice(0, 1), "other classes": slice(1, 9), "least favoured class": slice(9, 10)}
STEPS = np.array([0, 1, 2, 4, 8, 16, 32, 64, 128, 256])
STEP = 0.5
"""Size of a step in units of 1/largest eigenvalue."""
NETWORKS, WIDTH, DRAWS, SEED = 60, 200, 200, 5


@dataclass(frozen=True)
class Course:
    """Mean probability and accuracy of the classes by rank, (times, networks, classes)."""

    probability: Any
    accuracy: Any


def compute(run: Run) -> dict[str, tuple[Course, Course]]:
    """Infinitely wide and finite networks, by loss."""
    x, labels = igb.standardised(igb.digits())[:DATA], igb.digit_labels()[:DATA]
    network = igb.mlp(1, "relu")
    kernel, theta = kernels(network, x)
    tangents = Tangents(SCALE**2 * theta, DATA)
    step = STEP / tangents.spectrum[0][-1]
    count, draws = run.some(NETWORKS), run.some(DRAWS, 24)
    run.drawn.append(Drawn(repr(network), count, WIDTH, DATA))
    rng = np.random.default_rng(SEED)
    start = SCALE * (kernel_root(kernel) @ rng.standard_normal((DATA, draws * CLASSES))).reshape(DATA, draws, CLASSES)
    found = {}
    for name, loss in LOSSES.items():
        run.record.append({"trained": repr(network), "loss": name, "networks": count, "draws": draws, "step": step})

        descent = Descent(step).of_gradient(tangents, partial(_gradient, loss, labels), rng)
        limit = np.array(list(descent(start, STEPS)))
        by_output = partial(_scaled_gradient, loss, labels)
        finite = trained_outputs(x, Hidden(), by_output, STEPS.tolist(), step, (count, WIDTH, CLASSES, SEED))
        found[name] = _course(limit, labels), _course(SCALE * finite, labels)
    return found


def _gradient(loss: Loss, labels: Any, outputs: Any) -> Any:
    return loss.gradient(outputs, np.broadcast_to(labels[:, None], outputs.shape[:2]))


def _scaled_gradient(loss: Loss, labels: Any, outputs: Any) -> Any:
    """Return the gradient by outputs that SCALE multiplies."""
    return SCALE * _gradient(loss, labels, SCALE * outputs)


def _course(outputs: Any, labels: Any) -> Course:
    p = probabilities(outputs.reshape(-1, CLASSES))[0].reshape(outputs.shape)
    right = outputs.argmax(axis=3) == labels[:, None]
    mean = p.mean(axis=1)
    accuracy = np.stack([right[:, labels == c].mean(axis=1) for c in range(CLASSES)], axis=-1)
    order = np.broadcast_to(mean[0].argsort(axis=-1)[None, :, ::-1], mean.shape)
    return Course(*(np.take_along_axis(values, order, axis=-1) for values in (mean, accuracy)))


def draw(data: dict[str, tuple[Course, Course]], style: Style) -> Any:
    """A row a loss: mean probabilities on the left, accuracies of the classes on the right."""
    figure = style.figure(2.4)
    times = np.maximum(STEPS, 0.5)  # a logarithmic axis has no 0
    for row, (name, courses) in zip(figure.subplots(len(data), 2, sharex=True), data.items(), strict=True):
        for axes, part in zip(row, ("probability", "accuracy"), strict=True):
            _panel(axes, times, *(getattr(course, part) for course in courses))
            axes.set(xscale="log", xlim=(0.4, 1.2 * times[-1]), title=name)
        row[0].set(ylabel="mean probability")
        row[1].set(ylim=(0, 1), ylabel="accuracy")
    figure.supxlabel("steps of training", fontsize=style.size)
    shared_legend(figure)
    return figure


def _panel(axes: Any, times: Any, limit: Any, finite: Any) -> None:
    for number, (name, ranks) in enumerate(RANKS.items()):
        axes.plot(times, limit[..., ranks].mean(axis=(1, 2)), **SERIES[number], label=name)
        values = finite[..., ranks].mean(axis=2)
        error = values.std(axis=1, ddof=1) / np.sqrt(values.shape[1])
        how: Any = {"color": SERIES[number]["color"], "alpha": 0.5, "label": f"_finite networks: {name}"}
        points(axes, times, values.mean(axis=1), error, MARKERS[number], **how)
