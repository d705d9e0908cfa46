"""The law of the guesses over the time of training, from draws of infinitely wide networks."""

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.foundations.result import Result
from igbtheory.foundations.text import table
from igbtheory.guesses.arguments import one_number
from igbtheory.guesses.sampled import SampledLaw

Array = NDArray[np.float64]

NEUTRAL = 0.2
"""Largest relative distance of the shares from equal shares for which a start counts as neutral by default."""
LAWS = ("guesses", "accuracy", "recall", "loss")
"""The fields of a result that are laws over networks."""
ROWS = 9
"""Number of times that the text of a result shows."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class Training(Result):
    """Guesses of infinitely wide networks at `times` of gradient flow, from draws of their outputs at the start.

    guesses: the share of the data that each class gets, draws of shape (times, M). accuracy, loss: means over the data,
    draws of shape (times,). recall: the share of the data of each class that is given to it, draws of shape (times, M).
    These are laws over networks (`SampledLaw`). labels: the share of the data with each label, (M,). rate: the largest
    eigenvalue of the tangent kernel; times are in units of 1/eigenvalue, for a loss that is summed over the data.
    step: the size of a step of gradient descent, None for gradient flow; with steps, times are numbers of steps.
    test: the result on test data, if they were given.

    times: at which the networks are recorded. loss_name: that of the loss.

    >>> X, y = igb.digits()[:40] / 16, igb.digit_labels()[:40] % 2
    >>> run = igb.mlp(1, "relu").train(X, y, draws=50)
    >>> run.guesses.mean().value.shape == (len(run.times), 2)
    True
    """

    times: Array
    guesses: SampledLaw
    accuracy: SampledLaw
    recall: SampledLaw
    loss: SampledLaw
    labels: Array
    rate: float
    loss_name: str
    step: float | None = None
    test: "Training | None" = None

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.labels)

    @property
    def networks(self) -> int:
        """Number of networks that were drawn."""
        return len(self.guesses.draws)

    @property
    def G0(self) -> SampledLaw:  # noqa: N802 - the papers' letter
        """The share of the data that class 0 gets, draws of shape (times,)."""
        return SampledLaw(self.guesses.draws[..., 0])

    @property
    def shown_times(self) -> Array:
        """The times in units of 1/largest eigenvalue, or the numbers of steps."""
        return self.times * (self.rate if self.step is None else 1.0)

    def split(self, neutral: tuple[float, float] | None = None) -> "tuple[Training, Training]":
        """Return the result for the networks that start neutral, and the result for the others.

        A start is neutral if all shares lie in the interval `neutral`, by default up to 20 per cent from equal shares,
        which is (0.4, 0.6) for two classes.
        """
        inside = start_neutral(self.guesses.draws[:, 0], neutral)
        return self._of(inside), self._of(~inside)

    def absorption_time(self, tolerance: float = 0.05) -> SampledLaw:
        """Return the law of the first time from which on all shares are within the tolerance of those of the labels.

        It is inf for networks that do not get there: `cdf(run.times[-1])` is the share of networks that do.
        """
        return SampledLaw(absorbed(self.times, self.guesses.draws, self.labels, tolerance))

    def to_dict(self) -> dict[str, Any]:
        """Return means and standard deviations over networks at every time, of shares and recall for each class."""
        contents: dict[str, Any] = {
            "loss_name": self.loss_name, "networks": self.networks, "rate": self.rate, "labels": self.labels,
            "step": self.step, "times": self.times, "G0": _moments(self.G0),
        }  # fmt: skip
        for name in LAWS:
            contents[name] = _moments(getattr(self, name))
        return contents if self.test is None else {**contents, "test": self.test.to_dict()}

    def columns(self) -> dict[str, Any]:
        """Return a row for every time: means and standard deviations over networks."""
        columns: dict[str, Any] = {"time": self.times}
        for part, prefix in ((self, ""), (self.test, "test ")):
            if part is not None:
                for name in ("accuracy", "loss"):
                    columns |= {f"{prefix}{name}": getattr(part, name).mean().value}
                for c in range(self.n_classes):
                    share = SampledLaw(part.guesses.draws[..., c])
                    columns |= {f"{prefix}G{c}": share.mean().value, f"{prefix}G{c} std": share.std().value}
        return columns

    def __str__(self) -> str:
        largest = SampledLaw(self.guesses.draws.max(axis=2))
        laws = (self.G0, largest, self.accuracy, self.loss)
        rows = [
            [f"{self.shown_times[i]:.3g}", *(_text(law.draws[:, i]) for law in laws)]
            for i in np.unique(np.linspace(0, len(self.times) - 1, ROWS).astype(int))
        ]
        unit = f"time in units of 1/{self.rate:.4g}, the largest eigenvalue"
        if self.step is not None:
            unit = f"steps of {self.step:.4g}, which is {self.step * self.rate:.3g}/largest eigenvalue"
        head = (
            f"{self.loss_name}, {self.networks} networks, {self.n_classes} classes; {self.labels[0]:.3g} of the data "
            f"have label 0\nmean ± standard deviation over networks; {unit}"
        )
        first = "time" if self.step is None else "steps"
        return f"{head}\n\n{table((first, 'G0', 'largest share', 'accuracy', 'loss'), rows)}"

    def __repr__(self) -> str:
        return (
            f"Training({self.loss_name}: {self.networks} networks, {self.n_classes} classes, {len(self.times)} times "
            f"to {self.times[-1]:.3g})"
        )

    def _of(self, chosen: NDArray[np.bool_]) -> "Training":
        laws: dict[str, Any] = {name: SampledLaw(getattr(self, name).draws[chosen]) for name in LAWS}
        return replace(self, **laws, test=self.test and self.test._of(chosen))  # noqa: SLF001 - of its own class


def start_neutral(shares: Array, neutral: tuple[float, float] | None) -> NDArray[np.bool_]:
    """Return which networks have all shares at the start, (networks, M), in the interval: see `Training.split`."""
    equal = 1.0 / shares.shape[1]
    usual = (1 - NEUTRAL) * equal, (1 + NEUTRAL) * equal
    low, high = usual if neutral is None else checks.shares("an interval neutral", neutral, "(0.4, 0.6)")
    inside = np.all((shares >= low) & (shares <= high), axis=1)
    count = int(inside.sum())
    if min(count, len(inside) - count) < 2:
        raise ValueError(
            f"expected at least two networks on either side, got {count} of {len(inside)} whose shares start "
            f"between {low:.3g} and {high:.3g}; widen the interval, or draw more networks"
        )
    return np.asarray(inside)


def absorbed(times: Array, shares: Array, labels: Array, tolerance: float) -> Array:
    """Return for each network the first time from which on all shares are near those of the labels, or inf.

    shares: (networks, times, M). A share of NaN, as of a network that has diverged, is not near.
    """
    near = np.abs(shares - labels) <= one_number("tolerance", tolerance)
    away = np.asarray(~near.all(axis=2))
    later = away.shape[1] - np.argmax(away[:, ::-1], axis=1)
    return np.asarray(np.append(times, np.inf)[np.where(away.any(axis=1), later, 0)])


def _moments(law: SampledLaw) -> dict[str, Any]:
    return {"mean": law.mean().value, "std": law.std().value}


def _text(draws: Array) -> str:
    return f"{draws.mean():.3f} ± {draws.std():.3f}"
