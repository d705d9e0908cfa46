"""Growth |f(x)| <= size (1 + |x|)^power exp(rate |x|), and the mean square of f in the tails of a normal law."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

from flint import arb, fmpq


@final
@dataclass(frozen=True)
class Growth:
    """Bound |f(x)| <= size (1 + |x|)^power exp(rate |x|); size, power and rate are not negative."""

    size: Any
    power: Fraction
    rate: Any

    def __add__(self, other: "Growth") -> "Growth":
        return Growth(self.size + other.size, max(self.power, other.power), self.rate.max(other.rate))

    def __mul__(self, other: "Growth") -> "Growth":
        return Growth(self.size * other.size, self.power + other.power, self.rate + other.rate)

    def to(self, exponent: Fraction) -> "Growth":
        """Return a bound of |f|^exponent, exponent >= 0."""
        return Growth(self.size.max(arb(1)) ** _ball(exponent), self.power * exponent, self.rate * _ball(exponent))

    def at(self, distance: Any) -> Any:
        """Return a bound of |f| at all |x| <= distance."""
        return (self.size * (1 + distance) ** _ball(self.power) * (self.rate * distance).exp()).abs_upper()

    def beyond(self, mean: Any, scale: Any, reach: Any) -> Any:
        """Return a bound of E f(mean + scale z)^2 over |z| > reach, z standard normal.

        With 1 + t <= L exp(t/L) for L >= 1, f^2 <= size^2 L^2p exp(b |x|), b = 2p/L + 2 rate, and
        E exp(k |z|) over |z| > reach is exp(k^2/2) erfc((reach - k)/sqrt(2)), k = b scale.
        """
        length, power = scale.max(arb(1)), 2 * _ball(self.power)
        b = power / length + 2 * self.rate
        size = self.size**2 * length**power * (b * abs(mean)).exp()
        k = b * scale
        return (size * (k * k / 2).exp() * ((reach - k) / arb(2).sqrt()).erfc()).abs_upper()

    def reach(self, scale: Any, bits: int) -> float:
        """Return the standard deviations beyond which about 2^-bits is left: an estimate, which `beyond` proves."""
        steepness = float(2 * _ball(self.power) / scale.max(arb(1)) + 2 * self.rate) * float(scale)
        return float(steepness + (1.39 * bits + 2 * float(self.size.max(arb(1)).log()) + 4) ** 0.5 + steepness / 4)


def constant(value: Any) -> Growth:
    """Return the growth of a bounded function."""
    return Growth(arb(value), Fraction(0), arb(0))


def _ball(value: Fraction) -> Any:
    return arb(fmpq(value.numerator, value.denominator))
