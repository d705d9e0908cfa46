"""Mean of s^2/(s^2 + eps) over a batch of n data that share a part V: h_i = mean + common V + own z_i.

What `batches.given` says given V is analytic in V, on the scale own/common about a kink of phi and smoother elsewhere.
Panels of V are bisected until it is a polynomial in each.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, final

import numpy as np

from igbtheory.averages.batches.given import RULES, Rule, given
from igbtheory.averages.batches.mix import PLAIN, Mix
from igbtheory.averages.batches.series import integral, mass, nodes
from igbtheory.averages.batches.stretch import Array
from igbtheory.averages.batches.unit import unit_of
from igbtheory.formulas.function import Function
from igbtheory.formulas.tree import Number
from igbtheory.numerics.panels import WIDTH

LADDER: tuple[Rule, ...] = (*RULES, (19, 0.22), (24, 0.2), (30, 0.18))
"""Rules given V, each the check of the next."""
CHECKED = slice(2, None, 5)
"""Values of V in a panel at which the coarser rule checks the finer one."""
REACH = 9.0
"""Largest V, and standard deviations of a datum that matter."""
BASE = (-REACH, -3.0, 3.0, REACH)
"""Ends of panels in V."""
NEAR = (-10.0, -3.0, 3.0, 10.0)
"""The same about a kink, in units of own/common; no kink is seen beyond."""
TOGETHER = 3.0
"""Standard deviations of a datum over which several V share their nodes."""
SETTLED = 3e-13
"""Error of a panel, relative to the whole, from which on it is improved."""
ROUNDS = 12
"""Improvements at most."""
LEAST = 1e-8
"""Common part, relative to own, below which it counts as none: its square is rounding."""


class Panel(NamedTuple):
    """Panel in V: ends, rung of the ladder, part of the mean, and its errors, of the polynomial and of the rule."""

    left: float
    right: float
    rung: int
    part: float
    rest: float
    lost: float

    def better(self, least: float) -> list[tuple[float, float, int]]:
        """Panels to take instead: by a finer rule, or halves; none if both errors are less than `least`."""
        if self.lost > max(least, self.rest) and self.rung + 1 < len(LADDER):
            return [(self.left, self.right, self.rung + 1)]
        if self.rest > least:
            middle = (self.left + self.right) / 2
            return [(self.left, middle, self.rung), (middle, self.right, self.rung)]
        return []


@final
@dataclass(frozen=True)
class Batch:
    """Batch of `size` values phi(mean + common V + own z), and eps."""

    phi: Function
    size: int
    mean: float
    common: float
    own: float
    eps: float
    mix: Mix

    def given(self, v: Array, rule: Rule) -> Array:
        """Means of s^2/(s^2 + eps) given V, increasing, by one rule."""
        shifts = self.common / self.own * v
        group = np.floor((shifts - shifts[0]) / TOGETHER)
        found, step = [], WIDTH / np.sqrt(1 + 2 * np.log(self.mix.maximum))
        for chosen in (shifts[group == each] for each in np.unique(group)):
            middle = (chosen[0] + chosen[-1]) / 2
            centre, shift = self.mean + self.own * middle, float(chosen[-1] - middle)
            unit = unit_of(self.phi, centre, self.own, step, shift, self.mix)
            found.append(given(unit, self.size, self.eps, rule, chosen - middle))
        return np.concatenate(found)

    @cached_property
    def even(self) -> bool:
        """Whether V and -V give the same."""
        return self.mean == 0 and self.phi.parity != 0 and (self.mix.at == 0 or not self.mix.dropped)

    def ends(self) -> Array:
        """Ends of panels in V to begin with."""
        ratio = self.own / self.common
        kinks = [(float(kink) - self.mean) / self.common for kink in self.phi.pieces.kinks if ratio < 1]
        near = [v + ratio * side for v in kinks for side in NEAR]
        ends = np.unique(np.clip([*BASE, *near], 0 if self.even else -REACH, REACH))
        apart = np.diff(ends) > min(ratio, 1)
        return np.asarray(ends[np.concatenate([[True], apart[:-1], [True]])])

    def panel(self, left: float, right: float, rung: int) -> Panel:
        """Panel with its part of the mean, that of its mirror image included."""
        v, checked = nodes(left, right), CHECKED
        if self.alike(left, right):
            v, checked = v[:1], slice(1)
        values, coarse = self.given(v, LADDER[rung]), self.given(v[checked], LADDER[rung - 1])
        weight = 2 if self.even else 1
        part, rest = integral(left, right, values + 0 * nodes(left, right))
        lost = mass(left, right) * np.abs(coarse - values[checked]).max()
        return Panel(left, right, rung, weight * part, weight * rest, weight * float(lost))

    def alike(self, left: float, right: float) -> bool:
        """Whether phi is linear wherever data reach, so that all V of a panel give the same, which are all kept."""
        if self.mix.dropped:
            return False
        reach = REACH * self.own
        seen = self.mean + self.common * left - reach, self.mean + self.common * right + reach
        first, last = np.searchsorted(np.array(self.phi.pieces.kinks, dtype=float), seen)
        return bool(first == last and isinstance(self.phi.slope.formulas[first], Number))


def over_common(
    phi: Function, size: int, scales: tuple[float, float, float], eps: float, mix: Mix = PLAIN
) -> tuple[float, float]:
    """The mean and its absolute error; scales: mean, common, own."""
    batch = Batch(phi, size, *scales, eps, mix)
    if batch.common <= LEAST * batch.own:
        return _alone(batch)
    todo = [(left, right, 1) for left, right in pairwise(batch.ends().tolist())]
    found: list[Panel] = []
    for _ in range(ROUNDS):
        found += [batch.panel(*each) for each in todo]
        least = SETTLED * sum(panel.part for panel in found)
        todo = [each for panel in found for each in panel.better(least)]
        found = [panel for panel in found if not panel.better(least)]
    found += [batch.panel(*each) for each in todo]
    return sum(panel.part for panel in found), sum(panel.rest + panel.lost for panel in found)


def _alone(batch: Batch) -> tuple[float, float]:
    """The mean and its error where data are independent."""
    value, error = 0.0, np.inf
    for rule in LADDER:
        coarse, value = value, float(batch.given(np.zeros(1), rule)[0])
        error = abs(coarse - value)
        if error <= SETTLED * value:
            break
    return value, error
