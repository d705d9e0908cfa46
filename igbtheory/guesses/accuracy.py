"""Accuracy that guesses allow: given the fractions f_c of the data that each class gets, whatever the labels are.

Class c has the proportion pi_c of the data and gets the fraction f_c of the guesses. At most min(f_c, pi_c) of the
data are of class c and guessed right. Some labels reach this bound in every class at once: sum_c min(f_c, pi_c) is the
largest possible accuracy.
"""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.guesses.law import float64_array
from igbtheory.guesses.sampled import SampledLaw, checked_draws
from igbtheory.result import Result

Array = NDArray[np.float64]
DRAWS = 10_000
_ROUNDING = 1e-5  # by how much parts of a whole in single precision may miss it


def accuracy_bound(fractions: Any, proportions: Any = None) -> Any:
    """Return the largest accuracy sum_c min(f_c, pi_c) of guesses with fractions f, shape (..., M): one for each row.

    proportions: pi_c of the classes in the data, of a shape that broadcasts with f; None: 1/M each.
    ValueError: fractions or proportions outside [0, 1], or that do not sum to 1.
    """
    f = parts_of_one("fractions", fractions)
    return np.minimum(f, _proportions(proportions, f.shape[-1])).sum(axis=-1)[()]


def loose_accuracy_bound(fractions: Any) -> Any:
    """Bound 1 - (max_c f_c - 1/M) on the accuracy of guesses with fractions f, shape (..., M), of balanced classes.

    Source: initial-guessing-bias, Eq. 14. It is `accuracy_bound` where one class alone gets
    more than 1/M, and above it elsewhere.
    """
    f = parts_of_one("fractions", fractions)
    return (1.0 - (f.max(axis=-1) - 1.0 / f.shape[-1]))[()]


@final
@dataclass(frozen=True, eq=False, repr=False)
class AccuracyBounds(Result):
    """Laws over initialisations of the largest accuracy (`tight`) and of 1 - (max f - 1/M) (`loose`) of the guesses."""

    tight: SampledLaw
    loose: SampledLaw


def accuracy_bounds(law: Any, proportions: Any = None, draws: int = DRAWS, random_state: Any = 0) -> AccuracyBounds:
    """Bounds on the accuracy at initialisation for a law of several classes, from so many draws of its fractions.

    law: what `prediction.guesses(n_classes)` gives. proportions: as in `accuracy_bound`; where they are not 1/M,
    `loose` bounds nothing.
    """
    fractions = law.rvs(checked_draws(draws), random_state)
    return AccuracyBounds(
        SampledLaw(accuracy_bound(fractions, proportions)), SampledLaw(loose_accuracy_bound(fractions))
    )


def parts_of_one(name: str, values: Any) -> Array:
    """Return the array of shape (..., M) of numbers from 0 to 1 whose last axis, M >= 2, sums to 1; else ValueError."""
    found = float64_array(name, values)
    if found.ndim == 0 or found.shape[-1] < 2:
        raise ValueError(f"{name}: expected one number a class, at least two, got shape {found.shape}")
    outside = found[~((found >= 0.0) & (found <= 1.0))]
    if outside.size:
        raise ValueError(f"{name}: expected numbers from 0 to 1, got {outside[0]}; divide counts by their sum")
    sums = np.ravel(found.sum(axis=-1))
    off = sums[np.abs(sums - 1.0) > _ROUNDING]
    if off.size:
        raise ValueError(f"{name}: expected numbers that sum to 1, got the sum {off[0]:.10g}; divide them by it")
    return found


def _proportions(proportions: Any, n_classes: int) -> Array:
    if proportions is None:
        return np.full(n_classes, 1.0 / n_classes)
    found = parts_of_one("proportions", proportions)
    if found.shape[-1] != n_classes:
        raise ValueError(f"proportions: expected {n_classes} of them, one a class, got {found.shape[-1]}")
    return found
