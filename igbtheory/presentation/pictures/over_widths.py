"""A quantity of finite networks at several widths, and extrapolated to infinite width."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from igbtheory.networks.simulation.estimates import layer_estimates, mean
from igbtheory.networks.simulation.extrapolation import RICHARDSON

ALONE = np.ones(1)
"""The weight of the ensemble of a single width."""


@final
@dataclass(frozen=True, eq=False)
class OverWidths:
    """A quantity at several places: at every width, and extrapolated to infinite width, with standard errors.

    values, errors: (widths + 1, places), of which the last row is extrapolated.
    """

    widths: tuple[int, ...]
    values: Any
    errors: Any

    def at(self, places: Any) -> "OverWidths":
        """Return the quantity at some of the places."""
        return OverWidths(self.widths, self.values[:, places], self.errors[:, places])

    def through(self, function: Callable[[Any], Any], slope: Callable[[Any], Any]) -> "OverWidths":
        """Return a function of the quantity; slope: its derivative, for the errors."""
        return OverWidths(self.widths, function(self.values), np.abs(slope(self.values)) * self.errors)


def joined(pieces: Sequence[OverWidths]) -> OverWidths:
    """Return the places of all parts, which have the same widths, one after the other."""
    values, errors = (np.concatenate([getattr(part, name) for part in pieces], axis=1) for name in ("values", "errors"))
    return OverWidths(pieces[0].widths, values, errors)


def over_widths(widths: tuple[int, ...], values: Any) -> OverWidths:
    """Return the means over networks; values: (widths, networks, places)."""
    return _columns(widths, [*(mean(part[None], ALONE) for part in values), mean(values, RICHARDSON)])


def gamma_over_widths(widths: tuple[int, ...], moments: Any) -> OverWidths:
    """Return gamma after every Dense; moments: var_mu and var_chi, (widths, networks, dense layers, 2)."""
    estimates = [*(layer_estimates(part[None], ALONE) for part in moments), layer_estimates(moments, RICHARDSON)]
    return _columns(widths, [(part.gamma, part.gamma_error) for part in estimates])


def _columns(widths: tuple[int, ...], pairs: list[tuple[Any, Any]]) -> OverWidths:
    values, errors = (np.array(column) for column in zip(*pairs, strict=True))
    return OverWidths(widths, values, errors)
