"""Recipes: how a unit is made of others, where a function of it cannot be averaged any more."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.layers.dead import UnknownError
from igbtheory.layers.draws import Array
from igbtheory.layers.single import Single
from igbtheory.layers.strata import Strata

NO_SPREAD = (
    "expected layers behind a Gaussian unit in front of BatchNorm(eps=...) over the full batch, got units of "
    "normalised groups or batches: how their variance over all data varies from unit to unit is not known; use eps=0, "
    "batches of n, or predict on a given data set"
)


class Recipe(ABC):
    """Unit made of others: what is known of it beside its moments. Nothing, unless a recipe says it."""

    @property
    @abstractmethod
    def what(self) -> str:
        """The unit in words, for refusals."""

    @property
    def draws(self) -> int:
        """Random numbers that one value of `units` takes."""
        return 1

    def units(self, rng: Generator, count: int, size: int | None) -> Array:
        """Units drawn over the weights, shape (data, count).

        size: of a law the size of a batch, over whose data they are drawn too, with the axes of a sweep in front; None
        at given data.
        """
        del rng, count, size
        raise ValueError(f"BatchNorm here draws units, and no rule draws {self.what}; put a Dense between them")

    def spread(self, strata: Strata, count: int) -> Array:
        """Mean and variance over all data of units of a law, drawn over the weights, shape (2, count).

        With the axes of a sweep in front.
        """
        del strata, count
        raise ValueError(NO_SPREAD)

    def single(self) -> Single | None:
        """Of a law: how it comes from one Gaussian unit, if it does."""
        return None

    def constant(self, size: int, copies: int) -> Any:
        """Of a law: probability that the sum of `copies` independent units is one value over a batch of `size` data."""
        del copies
        raise UnknownError(
            f"BatchNorm in batches of {size} cannot tell how often {self.what} does not vary over a batch; use the "
            "full batch, or put a Dense between them"
        )


@final
@dataclass(frozen=True)
class Known(Recipe):
    """Unit of which nothing but the moments is known."""

    what: str = ""


@final
@dataclass(frozen=True)
class Component(Recipe):
    """Component of the data, which have the shape (data, components)."""

    data: NDArray[Any]

    @property
    def what(self) -> str:
        return "a component of the data"

    def units(self, rng: Generator, count: int, size: int | None) -> Array:
        del size
        return np.asarray(self.data[:, rng.integers(self.data.shape[1], size=count)], dtype=float)
