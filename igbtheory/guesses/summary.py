"""What a network predicts for several classes, in one table: shares, softmax probabilities and accuracy bounds."""

from dataclasses import dataclass
from itertools import count
from typing import Any, final

import numpy as np

from igbtheory.foundations.result import Result
from igbtheory.foundations.text import measured, table
from igbtheory.guesses.accuracy import AccuracyBounds, accuracy_bounds
from igbtheory.guesses.sampled import Estimate

SHOWN = 10
"""Largest number of classes that are printed, so that the table fits a screen."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class ClassSummary(Result):
    """Laws of the shares and of the mean softmax probabilities of several classes, and bounds on the accuracy.

    gamma, gamma_guess: of the outputs and of two classes' guesses. guesses, softmax: laws of the shares and of the mean
    probabilities. accuracy: the bounds. balanced: whether all classes are equally frequent in the data; only then is
    the loose bound a bound. draws: number of those from which means over initialisations are estimated.

    >>> summary = igb.classes(igb.mlp(3).predict(), 10, draws=200)
    >>> print(f"{summary.guesses.collision():.3f}")
    0.357
    """

    gamma: float
    guesses: Any
    softmax: Any
    accuracy: AccuracyBounds
    balanced: bool
    draws: int
    gamma_guess: float = float("nan")

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as plain values; an estimate is a dictionary of its value and its standard error."""
        numbers = {name: getattr(self.guesses, name)() for name in ("mean", "var", "collision")}
        moments = {name: one.to_dict() if isinstance(one, Estimate) else one for name, one in numbers.items()}
        bounds = ("tight", "loose") if self.balanced else ("tight",)
        return {
            "gamma": self.gamma,
            "gamma_guess": self.gamma_guess,
            "n_classes": self.guesses.n_classes,
            "guesses": {**moments, "ranked": self._ranked(self.guesses)},
            "accuracy": {name: getattr(self.accuracy, name).mean().to_dict() for name in bounds},
            "softmax": {
                "temperature": self.softmax.temperature,
                "mean": self.softmax.mean(),
                "ranked": self._ranked(self.softmax),
            },
        }

    def _ranked(self, law: Any) -> dict[str, Any]:
        return law.ranked(self.draws, 0).mean().to_dict()  # type: ignore[no-any-return]

    def __str__(self) -> str:
        contents = self.to_dict()
        law, classes = contents["guesses"], contents["n_classes"]
        ranked = {"share": law["ranked"], "probability": contents["softmax"]["ranked"]}
        columns = [map(measured, part["value"][:SHOWN], part["error"][:SHOWN]) for part in ranked.values()]
        bounds = {name: measured(**bound) for name, bound in contents["accuracy"].items()}
        loose = f"; the looser bound 1 - (largest share - 1/classes) is {bounds['loose']}" if self.balanced else ""
        listed = f"; {SHOWN} of {classes} classes" if classes > SHOWN else ""
        lines = [
            table(("rank", *ranked), zip(map(str, count(1)), *columns, strict=False)),
            "",
            f"gamma      {contents['gamma']:.15g}",
            *([] if self.gamma_guess == self.gamma else [f"gamma_guess {self.gamma_guess:.15g}"]),
            f"share      mean {_told(law['mean'], '.6g')}, variance {_told(law['var'], '.8g')} over initialisations",
            f"collision  {_told(law['collision'], '.8g')}, the probability that two data are assigned to one class",
            f"accuracy   at most {bounds['tight']}, the mean of sum_c min(share, proportion){loose}",
            f"rank       means over {self.draws} drawn initialisations, the favoured class first{listed}",
        ]
        return "\n".join(lines)


def _told(moment: Any, digits: str) -> str:
    """Return an exact moment as text, or an estimated one, and of classes that are not alike the mean of all."""
    if isinstance(moment, dict):
        return measured(float(np.mean(moment["value"])), float(np.mean(moment["error"])))
    return format(moment, digits)


def classes(
    prediction: Any, n_classes: int = 10, temperature: float = 1.0, proportions: Any = None, draws: int = 2000
) -> ClassSummary:
    """Return the laws of the shares and of the mean softmax probabilities of several classes, and accuracy bounds.

    Its text is what `igb classes` prints. `prediction.guesses(n_classes)` has the law of the shares alone.

    prediction: from `Network.predict`. n_classes: number of classes, from 2 to 1000. temperature: divides the outputs
    before the softmax. proportions: of the classes in the data, None: all equal. draws: number of initialisations drawn
    for an estimate.

    >>> print(f"{igb.classes(igb.mlp(3).predict(), 10, draws=200).guesses.var():.4f}")
    0.0257
    """
    if not hasattr(prediction, "softmax"):
        raise TypeError(f"expected a prediction, got {type(prediction).__name__}; pass network.predict()")
    guesses = prediction.guesses(n_classes)
    softmax = prediction.softmax(n_classes, temperature)
    bounds = accuracy_bounds(guesses, proportions, draws, 0)
    ratios = float(prediction.gamma), float(prediction.gamma_guess)
    return ClassSummary(ratios[0], guesses, softmax, bounds, proportions is None, draws, ratios[1])
