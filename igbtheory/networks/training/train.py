"""Training in theory: outputs of infinitely wide networks under gradient flow, and their guesses over time."""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.foundations.given import data_set
from igbtheory.foundations.labels import empty_classes, guesses
from igbtheory.foundations.progress import counted
from igbtheory.guesses.sampled import SampledLaw
from igbtheory.layers.batch_sizes import batch_of
from igbtheory.layers.layer import Layer
from igbtheory.mathematics.averages.state import kernel_root
from igbtheory.networks.losses import Blurry, CrossEntropy, Focal, Loss, PiecewiseZero
from igbtheory.networks.training.descent import Descent, descent, positive
from igbtheory.networks.training.flow import Flow, Tangents
from igbtheory.networks.training.result import LAWS, Training
from igbtheory.networks.training.tangent import kernels
from igbtheory.networks.training.targets import Targets, refuse_contradictions, targets

Array = NDArray[Any]

LOSSES: dict[str, Loss] = {
    "cross-entropy": CrossEntropy(),
    "blurry": Blurry(0.5),
    "focal": Focal(2.0),
    "piecewise-zero": PiecewiseZero(0.1),
}
"""Losses of the softmax probabilities by name. Squared loss has the name "mse"."""
BLOCK, STEPWISE = 2**23, 2**19
"""Largest number of outputs that are held at once, 32 MiB for squared loss, and for losses that are integrated."""


class Trained(Protocol):
    """A network that can be trained: layers in a row, as `igbtheory.Network`."""

    @property
    def layers(self) -> tuple[Layer, ...]:
        """Return the layers, from the input to the output Dense."""


def train(  # noqa: PLR0913 - the contract of the public name
    network: Trained,
    inputs: Any,
    y: Any,
    *,
    loss: str | Loss = "mse",
    times: Sequence[float] | NDArray[Any] | None = None,
    draws: int = 2000,
    seed: int = 0,
    X_test: Any = None,  # noqa: N803 - as scikit-learn writes it
    y_test: Any = None,
    step: float | None = None,
    momentum: float = 0.0,
    scale: float = 1.0,
    weight_decay: float = 0.0,
    batch_size: int | None = None,
) -> Training:
    """Return the law of the guesses over time, for infinitely wide networks that are trained on a data set.

    The outputs start as draws from N(0, K) and follow gradient flow, during which the tangent kernel keeps its value at
    the start: see `igbtheory.networks.training.tangent` and `flow`, which give the units of `times`.
    step: size of the steps of gradient descent, in the units of times; then `times` are numbers of steps. momentum,
    weight_decay: as those of PyTorch's SGD. batch_size: number of data that are drawn anew for each step and network,
    whose gradient is multiplied by n_samples/batch_size. If one of these three is given, the step is by default half of
    1/largest eigenvalue, see `igbtheory.networks.training.descent`. scale: factor of all outputs; the tangent kernel
    then has the factor scale^2.
    times: increasing; by default 0 and a grid from a tenth of the shortest time scale of the kernel to ten times its
    longest, but at most 10^6 of the shortest (300 for losses other than "mse", which are integrated step by step).
    y: labels 0, 1, ..., of any type of number, or targets of the outputs: -1 and 1, numbers that are not whole, or
    (n_samples, outputs). loss: "mse", half the squared distance summed over outputs and data, or, for labels only,
    "cross-entropy", "blurry", "focal", "piecewise-zero" or an `igb.losses.Loss`. X_test, y_test: data that are
    not trained on.

    network, inputs: the network, and the data, as for `predict`. draws: number of infinitely wide networks. seed: the
    same seed gives the same numbers.

    >>> X, y = igb.digits()[:40] / 16, igb.digit_labels()[:40] % 2
    >>> run = igb.mlp(1, "relu").train(X, y, draws=50)
    >>> print(f"{run.accuracy.mean().value[-1]:.1f}")
    1.0
    """
    checks.network(network)
    data = data_set(inputs)
    tested = None if X_test is None else data_set(X_test)
    if (tested is None) != (y_test is None):
        raise ValueError("expected X_test and y_test together, got one of them; pass both, or neither")
    goal = targets(y, len(data))
    for sentence in empty_classes(goal.labels) if goal.hard else ():
        warnings.warn(sentence, stacklevel=3)
    refuse_contradictions(data, goal.values)
    sets = [goal]
    if tested is not None:
        if tested.shape[1:] != data.shape[1:]:
            raise ValueError(f"expected X_test of shape (n_samples, {data.shape[1:]}), got {tested.shape}")
        sets.append(targets(y_test, len(tested), goal.n_classes))
        if sets[1].values.shape != (len(tested), goal.values.shape[1]):
            raise ValueError(
                "expected y_test of the kind of y, got labels for targets or targets for labels; pass both alike"
            )
    rule = None if isinstance(loss, str) and loss == "mse" else _softmax_loss(loss, sets)
    given = None if times is None else _increasing(times)
    draws, seed = checks.whole("draws", draws, 2), checks.whole("seed", seed, 0)
    squared_scale = positive("scale", scale) ** 2
    steps = descent(network.layers, data, (step, momentum, weight_decay, batch_size))
    if batch_of(network.layers) is not None and (tested is not None or batch_size is not None):
        raise ValueError(
            "expected BatchNorm over all data that are trained on, got X_test or batch_size, with which it has other "
            "batches; leave them out, or use LayerNorm or RMSNorm"
        )
    kernel, theta = kernels(network, data if tested is None else np.concatenate([data, tested]))
    tangents = Tangents(squared_scale * theta, len(data))
    rate = float(tangents.spectrum[0][-1])
    stepwise = rule is not None or batch_size is not None
    at = tangents.times(stepwise=stepwise) if given is None else given
    if steps is not None:
        steps = steps.at_rate(rate, squared=rule is None)
        at = steps.grid(at, stepwise=stepwise) if given is None else _whole(given)
        flow = _steps(steps, tangents, goal, rule, seed)
    else:
        flow = tangents.squared(goal.values) if rule is None else tangents.of_loss(rule, goal.labels)
    laws: list[Any] = _drawn(squared_scale * kernel, flow, at, sets, rule, draws, seed)
    name = loss if isinstance(loss, str) else repr(loss)
    size = None if steps is None else steps.step
    on = [
        Training(at, **law, labels=one.shares, rate=rate, loss_name=name, step=size)
        for law, one in zip(laws, sets, strict=True)
    ]
    return on[0] if tested is None else replace(on[0], test=on[1])


def _increasing(times: Any) -> Array:
    checks.finite("times", times)
    grid = np.asarray(times, dtype=float)
    increasing = grid.ndim == 1 and grid.size and grid[0] >= 0 and np.all(np.diff(grid) > 0)
    if not increasing:
        raise ValueError(f"expected increasing times from 0 on, got {times!r:.60}; pass for example [0, 0.1, 1, 10]")
    return grid


def _whole(times: Array) -> NDArray[np.int64]:
    if np.any(times % 1):
        raise ValueError(f"expected whole numbers of steps in times, got {times!r:.60}; pass for example [0, 1, 10]")
    return times.astype(int)


def _steps(steps: Descent, tangents: Tangents, goal: Targets, loss: Loss | None, seed: int) -> Flow:
    """Return the flow of gradient descent: mode by mode where the modes are those of all networks."""
    if loss is None and steps.batch_size is None:
        return steps.squared(tangents, goal.values)

    def gradient(outputs: Array) -> Array:
        if loss is None:
            return np.asarray(outputs - goal.values[:, None])
        return loss.gradient(outputs, np.broadcast_to(goal.labels[:, None], outputs.shape[:2]))

    return steps.of_gradient(tangents, gradient, np.random.default_rng([seed, 1]))


def _softmax_loss(loss: str | Loss, sets: list[Targets]) -> Loss:
    softmax_loss = LOSSES.get(loss) if isinstance(loss, str) else loss
    if not isinstance(softmax_loss, Loss):
        checks.known("loss", loss, ("mse", *LOSSES))
        raise TypeError(f"expected the name of a loss or an igb.losses.Loss, got {loss!r}")
    if not all(one.hard for one in sets):
        raise ValueError(f"expected labels 0, 1, ... for {loss!r}, a loss of probabilities, got targets; use 'mse'")
    return softmax_loss


def _drawn(
    kernel: Array, flow: Flow, times: Array, sets: list[Targets], loss: Loss | None, draws: int, seed: int
) -> list[dict[str, SampledLaw]]:
    """Return the laws of shares, accuracy, recall and loss, arrays (times, ...), on each of the sets of data."""
    # single precision: its error of 1e-6 is far smaller than the standard error of the draws
    rng, root = np.random.default_rng(seed), kernel_root(kernel).astype(np.float32)
    outputs = sets[0].values.shape[1]
    block = max(1, (BLOCK if loss is None else STEPWISE) // (len(kernel) * outputs))
    ends = np.cumsum([len(one.labels) for one in sets])[:-1]
    blocks = []
    counts = [min(block, draws - first) for first in range(0, draws, block)]
    for count in counted(counts, len(counts), "networks in training"):
        drawn = rng.standard_normal((root.shape[1], count * outputs), dtype=np.float32)
        start = (root @ drawn).reshape(len(kernel), count, outputs)
        statistics = [
            [_statistics(part, one, loss) for part, one in zip(np.split(values, ends), sets, strict=True)]
            for values in flow(start, times)
        ]
        on_sets = zip(*statistics, strict=True)
        blocks.append([{name: np.stack([at[name] for at in times], axis=1) for name in LAWS} for times in on_sets])
    on_sets = zip(*blocks, strict=True)
    return [{name: SampledLaw(np.concatenate([part[name] for part in pieces])) for name in LAWS} for pieces in on_sets]


def _statistics(outputs: Array, of: Targets, loss: Loss | None) -> dict[str, Array]:
    """Return shares, accuracy, recall and loss of every network for outputs of shape (n_samples, draws, outputs).

    loss: None means half the squared distance.
    """
    guessed, classes = guesses(outputs), range(of.n_classes)
    labelled, assigned = ([values == c for c in classes] for values in (of.labels, guessed))
    # sums of truth values take a fifth of the time of their means
    right = [to_class[of_class].sum(axis=0) for to_class, of_class in zip(assigned, labelled, strict=True)]
    nothing = np.full(outputs.shape[1], np.nan)
    if loss is None:
        squares = np.square(outputs - of.values[:, None].astype(outputs.dtype)).mean(axis=0, dtype=float)
        losses = 0.5 * squares.sum(axis=-1)
    else:
        losses = loss.mean(outputs, np.broadcast_to(of.labels[:, None], guessed.shape))
    recalls = (n / count if count else nothing for n, count in zip(right, map(np.sum, labelled), strict=True))
    return {
        "guesses": np.stack([to_class.sum(axis=0) for to_class in assigned], axis=-1) / len(guessed),
        "accuracy": sum(right) / len(guessed),
        "recall": np.stack([*recalls], axis=-1),
        "loss": losses,
    }
