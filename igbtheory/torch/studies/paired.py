"""Comparison of two arms, network by network: a time that was not reached is infinite."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
LEVEL = 0.05
"""Probability that chance decides any comparison of a study: Bonferroni divides it by their number."""


@final
@dataclass(frozen=True)
class Paired:
    """The exact sign test of whether a quantity is smaller in one arm than in another, for the same networks.

    medians: of both arms, inf if half of the networks have not reached the goal. smaller, larger: numbers of pairs in
    which the first arm is smaller or larger; equal pairs count for neither, as where both are infinite. p: two-sided.
    """

    medians: tuple[float, float]
    smaller: int
    larger: int
    p: float

    def verdict(self, level: float) -> str:
        """Return "holds" if the first arm is smaller at this level, "fails" if it is larger, else "not seen"."""
        if self.p > level:
            return "not seen"
        return "holds" if self.smaller > self.larger else "fails"


@final
@dataclass(frozen=True)
class Finding:
    """A statement, the comparison at the best rates of both arms, and its verdict: "holds", "fails" or "not seen".

    at_rates: the verdicts if both arms have the same learning rate, by this rate.
    """

    statement: str
    paired: Paired
    verdict: str
    at_rates: dict[float, str]

    def __str__(self) -> str:
        (a, b), pairs = self.paired.medians, self.paired
        sides = f"medians {a:.3g} and {b:.3g}, smaller in {pairs.smaller} and larger in {pairs.larger} pairs"
        rates = ", ".join(f"{rate:g} {verdict}" for rate, verdict in self.at_rates.items())
        return f"{self.verdict}: {self.statement}\n    {sides}, p = {pairs.p:.1g}; at equal rates {rates}"


def paired(first: Array, second: Array) -> Paired:
    """Return the comparison of a quantity of two arms, arrays with an entry for each network."""
    from scipy.stats import binomtest  # noqa: PLC0415 - most studies compare nothing

    smaller, larger = int(np.sum(first < second)), int(np.sum(first > second))
    p = float(binomtest(smaller, smaller + larger).pvalue) if smaller + larger else 1.0
    return Paired((middle(first), middle(second)), smaller, larger, p)


def middle(values: Any) -> float:
    """Return the median, for an even number the upper middle value: the mean of a time and inf would say nothing."""
    return float(np.sort(values)[len(values) // 2])
