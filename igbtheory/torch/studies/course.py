"""The records of the networks of one arm, and the times and curves that follow from them."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations.result import Result
from igbtheory.guesses.sampled import Estimate
from igbtheory.networks.training.result import absorbed, start_neutral

Array = NDArray[np.float64]
BY_CLASS = ("shares", "recall", "losses", "probabilities", "gradients")
"""Fields of a course with one number for each network, step and class."""
CURVES = ("accuracy", "loss", "largest", "worst_recall")
"""Curves of a course, with one number for each network and step."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class Course(Result):
    """The networks of one arm at the recorded `steps`.

    shares, recall, losses, probabilities: by class, (networks, steps, M): the share of the data that are given to a
    class, the share of its own data that are given to it, the mean loss of its data, and the mean softmax probability
    of the class over all data. gradients: norms of the gradient of the mean loss of a class with respect to the weights
    of `layers`, (networks, steps, M, layers). labels: the share of the data with each label, (M,). From the step on at
    which the outputs of a network become infinite, its records are NaN.

    name: of the arm. base: the arm of which it is a variant. rate: the learning rate. steps: those that are recorded.
    layers: names of the layers.

    >>> igb.study(make_model, X, y).courses[0].accuracy.mean()    # doctest: +SKIP
    """

    name: str
    base: str
    rate: float
    steps: NDArray[np.int64]
    labels: Array
    layers: tuple[str, ...]
    shares: Array
    recall: Array
    losses: Array
    probabilities: Array
    gradients: Array

    @property
    def networks(self) -> int:
        """Number of networks that were trained."""
        return len(self.shares)

    @cached_property
    def accuracy(self) -> Array:
        """Share of the data that are guessed correctly, (networks, steps)."""
        return self._over_labels(self.recall)

    @cached_property
    def loss(self) -> Array:
        """Mean loss over the data, (networks, steps)."""
        return self._over_labels(self.losses)

    @property
    def largest(self) -> Array:
        """Largest share of a class, (networks, steps)."""
        return np.asarray(self.shares.max(axis=2))

    @property
    def worst_recall(self) -> Array:
        """Smallest recall of a class, (networks, steps)."""
        return np.asarray(self.recall[..., self.labels > 0].min(axis=2))

    @property
    def diverged(self) -> int:
        """Number of networks whose outputs became infinite."""
        return int(np.isnan(self.shares[:, -1, 0]).sum())

    def mean(self, name: str) -> Estimate:
        """Return the mean of a field or curve over the networks that have not diverged, and its standard error."""
        values = getattr(self, name)
        count = np.maximum(np.isfinite(values).sum(axis=0), 1)
        middle = np.nansum(values, axis=0) / count
        squares = np.nansum((values - middle) ** 2, axis=0) / np.maximum(count - 1, 1)
        diverged = ~np.isfinite(values).any(axis=0)
        return Estimate(np.where(diverged, np.nan, middle), np.where(diverged, np.nan, np.sqrt(squares / count)))

    def split(self, neutral: tuple[float, float] | None = None) -> "tuple[Course, Course]":
        """Return the course of the networks that start neutral, and the course of the others: see `Training.split`."""
        inside = start_neutral(self.shares[:, 0], neutral)
        return self._of(inside), self._of(~inside)

    def absorption_time(self, tolerance: float = 0.1) -> Array:
        """Return the step from which on all shares are near those of the labels, (networks,); inf if none is."""
        return absorbed(self.steps.astype(float), self.shares, self.labels, tolerance)

    def time_to(self, level: float, name: str = "accuracy") -> Array:
        """Return the step at which a curve first reaches the level, (networks,); inf if it does not.

        name: accuracy or worst_recall. Between the recorded steps the curve is interpolated linearly.
        """
        curve = getattr(self, name)
        there, row = curve >= level, np.arange(self.networks)
        after = np.maximum(there.argmax(axis=1), 1)
        low, high = curve[row, after - 1], curve[row, after]
        between = (low < level) & (level <= high)
        part = np.divide(level - low, high - low, out=np.zeros_like(low), where=between)
        steps = self.steps[after - 1] + part * (self.steps[after] - self.steps[after - 1])
        return np.where(there.any(axis=1), steps, np.inf)

    def to_dict(self) -> dict[str, Any]:
        """Return means over networks and their standard errors at every step."""
        names = ("name", "rate", "networks", "diverged", "steps", "labels")
        means = {name: self.mean(name).to_dict() for name in (*BY_CLASS, *CURVES)}
        return {name: getattr(self, name) for name in names} | means

    def columns(self) -> dict[str, Any]:
        """Return a row for every step: means over networks and their standard errors."""
        count = len(self.steps)
        columns: dict[str, Any] = {"arm": np.full(count, self.name), "rate": np.full(count, self.rate)}
        columns["step"] = self.steps
        for name in CURVES:
            law = self.mean(name)
            columns |= {name: law.value, f"{name} error": law.error}
        return columns

    def __repr__(self) -> str:
        return f"Course({self.name}, rate {self.rate:g}: {self.networks} networks, {self.steps[-1]} steps)"

    def _over_labels(self, by_class: Array) -> Array:
        there = self.labels > 0
        return np.asarray(by_class[..., there] @ self.labels[there])

    def _of(self, chosen: NDArray[np.bool_]) -> "Course":
        return replace(self, **{name: getattr(self, name)[chosen] for name in BY_CLASS})
