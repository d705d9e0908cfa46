"""The largest accuracy that guesses allow, given only the fraction of the data that each class gets.

Class c has the proportion pi_c of the data and gets the fraction f_c of the guesses. At most the fraction
min(f_c, pi_c) of the data belongs to class c and is guessed right. Some labels reach this bound in every class at once,
so that sum_c min(f_c, pi_c) is the largest possible accuracy.
"""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.foundations.result import Result
from igbtheory.guesses.arguments import float64_array
from igbtheory.guesses.law import ClassLaw
from igbtheory.guesses.sampled import SampledLaw, checked_draws

Array = NDArray[np.float64]
DRAWS = 10_000
"""Number of drawn networks by default: the standard error of a mean accuracy is at most 0.005."""
_ROUNDING = 1e-5  # accepted error of a sum of 1, for numbers in single precision


def accuracy_bound(fractions: Any, proportions: Any = None) -> Any:
    """Return the largest accuracy sum_c min(f_c, pi_c), shape (...), of guesses with fractions f, shape (..., M).

    proportions: the proportions pi_c of the classes in the data, in a shape that broadcasts with f; 1/M by default.
    ValueError: fractions or proportions are outside [0, 1] or do not sum to 1.

    fractions: those of the guesses, which sum to 1 along the last axis.

    >>> print(f"{igb.guesses.accuracy_bound([0.8, 0.1, 0.1]):.4f}")
    0.5333
    """
    f = parts_of_one("fractions", fractions)
    return np.minimum(f, _proportions(proportions, f.shape[-1])).sum(axis=-1)[()]


def loose_accuracy_bound(fractions: Any) -> Any:
    """Return the bound 1 - (max_c f_c - 1/M) on the accuracy for balanced classes, with fractions f, shape (..., M).

    It equals `accuracy_bound` if only one class gets more than 1/M, and is larger otherwise.
    Source: initial-guessing-bias, Eq. 14.

    fractions: those of the guesses, which sum to 1 along the last axis.

    >>> print(f"{igb.guesses.loose_accuracy_bound([0.8, 0.1, 0.1]):.4f}")
    0.5333
    """
    f = parts_of_one("fractions", fractions)
    return (1.0 - (f.max(axis=-1) - 1.0 / f.shape[-1]))[()]


@final
@dataclass(frozen=True, eq=False, repr=False)
class AccuracyBounds(Result):
    """Laws over initialisations of the bounds on the accuracy: `accuracy_bound` (tight), `loose_accuracy_bound`.

    tight, loose: the two laws.

    >>> bounds = igb.guesses.accuracy_bounds(igb.mlp(1, "relu").predict().guesses(10), draws=200)
    >>> bool(bounds.loose.mean().value >= bounds.tight.mean().value)
    True
    """

    tight: SampledLaw
    loose: SampledLaw


def accuracy_bounds(law: Any, proportions: Any = None, draws: int = DRAWS, random_state: Any = 0) -> AccuracyBounds:
    """Return the laws of the bounds on the accuracy at initialisation, from `draws` draws of the fractions.

    law: a law of several classes, from `prediction.guesses(n_classes)`. proportions: as in `accuracy_bound`. The
    `loose` bound holds only for proportions of 1/M.

    draws: their number. random_state: a seed or a generator of NumPy.

    >>> bounds = igb.guesses.accuracy_bounds(igb.mlp(1, "relu").predict().guesses(10), draws=200)
    >>> print(f"{bounds.tight.mean():.1f}")
    0.6
    """
    checks.of_kind("a law of several classes", law, ClassLaw, "prediction.guesses(10)")
    if law.source.shape:
        raise ValueError(f"expected the law of one network, got a sweep {law.source.shape}; loop over the values")
    f = law.rvs(checked_draws(draws), random_state)
    return AccuracyBounds(SampledLaw(accuracy_bound(f, proportions)), SampledLaw(loose_accuracy_bound(f)))


def parts_of_one(name: str, values: Any) -> Array:
    """Return an array (..., M), M >= 2, of numbers from 0 to 1 that sum to 1 along the last axis; else ValueError."""
    shares = float64_array(name, values)
    if shares.ndim == 0 or shares.shape[-1] < 2:
        raise ValueError(f"{name}: expected one number a class, at least two, got shape {shares.shape}")
    outside = shares[~((shares >= 0.0) & (shares <= 1.0))]
    if outside.size:
        raise ValueError(f"{name}: expected numbers from 0 to 1, got {outside[0]}; divide counts by their sum")
    sums = np.ravel(shares.sum(axis=-1))
    off = sums[np.abs(sums - 1.0) > _ROUNDING]
    if off.size:
        raise ValueError(f"{name}: expected numbers that sum to 1, got the sum {off[0]:.10g}; divide them by it")
    return shares


def _proportions(proportions: Any, n_classes: int) -> Any:
    if proportions is None:
        return 1.0 / n_classes
    shares = parts_of_one("proportions", proportions)
    if shares.shape[-1] != n_classes:
        raise ValueError(f"proportions: expected {n_classes} of them, one a class, got {shares.shape[-1]}")
    return shares
