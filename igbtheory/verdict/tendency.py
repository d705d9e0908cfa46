"""The tendency of a positive sequence over depth, read off its tail."""

from dataclasses import dataclass
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

Word = Literal["stays 0", "tends to 0", "settles", "grows", "undecided"]
Form = Literal["exponential", "power", "slower", "faster", ""]
FEWEST = 6
"""Layers from which a tail may be read."""
SETTLED = 1e-12
"""Relative change in a layer that is rounding."""
STEEPEST = 50.0
"""Exponent of depth beyond which growth counts as exponential."""
SAFETY = 8.0
"""Aitken's limits from the whole tail and from three quarters of it differ by 1/8 of the error at least, also for an
approach as slow as depth^-1/2."""


@final
@dataclass(frozen=True)
class Tendency:
    """Tendency of a sequence: the word; its limit (0, a number, inf; NaN if undecided) and the limit's error.

    form: how it grows or vanishes, "exponential" (rate = factor per layer), "power" (rate = exponent of depth),
    "slower" or "faster" than exponentially (rate = the factor in the last layer), or "" where it does neither.
    """

    word: Word
    limit: float = float("nan")
    error: float = float("nan")
    form: Form = ""
    rate: float = float("nan")

    def __str__(self) -> str:
        ways = {
            "exponential": f", exponentially: by the factor {self.rate:.6g} a layer",
            "power": f", as far as seen like depth^{self.rate:.3g}",
            "slower": f", faster than a power of depth: by the factor {self.rate:.3g} in the last layer",
            "faster": f", faster than exponentially: by the factor {self.rate:.3g} in the last layer",
            "": "",
        }
        match self.word:
            case "grows":
                return f"grows without bound{ways[self.form]}"
            case "tends to 0":
                return f"tends to 0{ways[self.form]}"
            case "settles":
                digits = int(np.clip(np.log10(self.limit / self.error), 1, 12)) + 1
                return f"tends to {self.limit:.{digits}g} (estimated error {self.error:.1g})"
            case "stays 0":
                return "stays 0"
            case _:
                return "is undecided at this depth; a larger depth may tell"


def without_limit(rate: float, form: Form) -> Tendency:
    """Tendency to inf or to 0 at that rate."""
    up = rate > (0 if form == "power" else 1)
    return Tendency("grows", np.inf, 0.0, form, rate) if up else Tendency("tends to 0", 0.0, 0.0, form, rate)


def by_tail(values: NDArray[np.float64]) -> Tendency:
    """Tendency of the positive numbers `values` at depths 1, 2, ..., from the last half of them.

    With the rate r = d log value/d depth, 1/|r| is constant for exponentials, linear for powers (slope 1/exponent,
    wherever depth starts to count), bends downwards for what lies between, such as exp(sqrt(depth)), and upwards
    where there is a limit. What bends too little to tell, such as a logarithm, is called undecided.
    """
    size = len(values)
    rates, half = np.diff(np.log(values)), size // 2
    if size > 1 and abs(rates[-1]) <= SETTLED:
        return Tendency("settles", float(values[-1]), float(SETTLED * values[-1]))
    if size < FEWEST:
        return Tendency("undecided")
    if np.any(rates[half - 2 :] * rates[-1] <= 0):
        return _wavering(values, rates, half)
    last = size - 2
    places = np.array([last - 2 * (last // 4), last - last // 4, last])
    start, middle, end = 1 / np.abs(rates[places])
    if end < start / 2:
        return without_limit(float(np.exp(rates[-1])), "faster")
    bend = (end - middle) / (middle - start) if middle != start else 0.0
    span, noise = float(places[-1] - places[0]), 10 * SETTLED * end * end
    if abs(end - start) <= noise and noise > span / STEEPEST:
        return Tendency("undecided")  # a drift so slow that rounding hides how it goes on
    if abs(end - start) <= span / STEEPEST or abs(bend) < 0.5:
        return without_limit(float(np.exp(rates[-1])), "exponential")
    if end < start or not (bend < 1.05 or bend > 1.15):
        return Tendency("undecided")
    if bend > 1.15:
        return _limit(values)
    if bend < 0.9:
        return without_limit(float(np.exp(rates[-1])), "slower")
    return without_limit(float(np.sign(rates[-1]) * span / (end - start)), "power")


def _limit(values: NDArray[np.float64]) -> Tendency:
    """Limit by Aitken's extrapolation, its error from that of three quarters of the values."""
    whole, part = (_aitken(values[:end]) for end in (len(values), 3 * len(values) // 4 + 1))
    error = SAFETY * abs(whole - part) + SETTLED * values[-1]
    return Tendency("settles", float(whole), float(error)) if error < abs(whole) else Tendency("undecided")


def _aitken(values: NDArray[np.float64]) -> Any:
    before, last = values[-2] - values[-3], values[-1] - values[-2]
    return values[-1] - last * last / (last - before) if last != before else values[-1]


def _wavering(values: NDArray[np.float64], rates: NDArray[np.float64], half: int) -> Tendency:
    """Tendency of a sequence that goes up and down: to a limit where the swings die out."""
    swing = np.abs(rates[-FEWEST // 2 :]).max()
    if swing < np.abs(rates[half - 2 : half + 2]).max() / 4:
        return Tendency("settles", float(values[-1]), float(SAFETY * swing * values[-1]))
    return Tendency("undecided")
