"""Piecewise linear functions with one kink at 0: linear, relu, leaky_relu, prelu, abs."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, final

from igbtheory.mathematics.formulas.function import ClosedForm, formula
from igbtheory.mathematics.numbers import FLOAT64, Kind


@final
@dataclass(frozen=True)
class Rectified(ClosedForm):
    """Moments of phi(x) = odd x + even |x|, whose odd and even parts are uncorrelated.

    With theta the angle between the data and s = sqrt(q_a q_b), E |h_a h_b| = (2 s/pi)(sin theta + (pi/2 -
    theta) cos theta): the arc-cosine kernel of degree 1. In the code asin c = pi/2 - theta, and the covariance is less
    by the product of the means, 2 s/pi.
    Source: Cho and Saul 2009, Kernel methods for deep learning, Eq. 6.
    """

    odd: Fraction
    even: Fraction

    def _factors(self, n: Kind) -> tuple[Any, ...]:
        """Return even, odd^2 and even^2 as numbers of a kind; every layer needs them."""
        return self._doubles if n is FLOAT64 else tuple(map(n.number, self._fractions))

    @cached_property
    def _fractions(self) -> tuple[Fraction, ...]:
        return self.even, self.odd**2, self.even**2

    @cached_property
    def _doubles(self) -> tuple[Any, ...]:
        return tuple(map(FLOAT64.number, self._fractions))

    def mean(self, n: Kind, q: Any) -> Any:
        return self._factors(n)[0] * n.sqrt(2 * q / n.pi)

    def square(self, n: Kind, q: Any) -> Any:
        _, odd2, even2 = self._factors(n)
        return (odd2 + even2) * q

    def covariance(self, n: Kind, q_a: Any, q_b: Any, q_ab: Any) -> Any:
        s = n.sqrt(q_a * q_b)
        c = n.correlation(q_ab, s)
        _, odd2, even2 = self._factors(n)
        return odd2 * q_ab + (even2 * (2 / n.pi)) * s * _folded(n, c, n.sine(c))

    def product(self, n: Kind, q_a: Any, q_b: Any, q_ab: Any) -> Any:
        s = n.sqrt(q_a) * n.sqrt(q_b)  # there are fewer variances than pairs
        c = n.correlation(q_ab, s)
        return self._product(n, q_ab, s, c, n.asin(c))

    def _product(self, n: Kind, q_ab: Any, s: Any, c: Any, asin: Any) -> Any:
        _, odd2, even2 = self._factors(n)
        average = asin * c  # arrays are changed in place, as new ones take as long as the arithmetic
        average += n.sine(c)
        average *= s
        average *= even2 * (2 / n.pi)
        average += odd2 * q_ab
        return average

    def slope(self, n: Kind, q_a: Any, q_b: Any, q_ab: Any) -> Any:
        return self._slope(n, n.asin(n.correlation(q_ab, n.sqrt(q_a * q_b))))

    def _slope(self, n: Kind, asin: Any) -> Any:
        """Return odd^2 + even^2 (2/pi) asin c, since the slope of the even part is the sign."""
        _, odd2, even2 = self._factors(n)
        return odd2 + even2 * (2 / n.pi) * asin

    def product_and_slope(self, n: Kind, q_a: Any, q_b: Any, q_ab: Any) -> tuple[Any, Any]:
        s = n.sqrt(q_a * q_b)
        c = n.correlation(q_ab, s)
        asin = n.asin(c)
        return self._product(n, q_ab, s, c, asin), self._slope(n, asin)

    def variances(self, n: Kind, var_mu: Any, var_chi: Any) -> tuple[Any, Any]:
        _, odd2, even2 = self._factors(n)
        c = n.share(var_mu, var_chi)
        covariance = odd2 * var_mu + (even2 * (2 / n.pi)) * (var_mu + var_chi) * _folded(n, c, n.sine(c))
        return covariance, self.products(n, var_mu, var_chi)[1]

    def products(self, n: Kind, var_mu: Any, var_chi: Any) -> tuple[Any, Any]:
        """Return both from their values at theta = 0 and pi/2, between which their even part bends by one function."""
        _, odd2, even2 = self._factors(n)
        q = var_mu + var_chi
        bend = even2 * (2 / n.pi) * q * n.sin_minus_t_cos(2 * n.asin(n.sqrt(var_chi / (2 * q))))
        return (odd2 + even2) * var_mu + bend, (odd2 + even2) * var_chi - bend


def _folded(n: Kind, c: Any, sine: Any) -> Any:
    """Return the covariance of |u| and |v| times pi/2: c asin c - (1 - sin theta), without cancellation at small c."""
    return n.asin(c) * c - c * c / (1 + sine)


def _slopes(below: str, above: str) -> Rectified:
    left, right = Fraction(below), Fraction(above)
    return Rectified((right + left) / 2, (right - left) / 2)


FUNCTIONS = (
    formula("linear", "x", "torch.nn.Identity", _slopes("1", "1"), "identity"),
    formula("relu", "max(x, 0)", "torch.nn.ReLU", _slopes("0", "1")),
    formula("leaky_relu", "where(x > 0, x, 0.01*x)", "torch.nn.LeakyReLU(negative_slope=0.01)", _slopes("0.01", "1")),
    formula("prelu", "where(x > 0, x, 0.25*x)", "torch.nn.PReLU(init=0.25), as initialised", _slopes("0.25", "1")),
    formula("abs", "abs(x)", "torch.abs", _slopes("-1", "1")),
)
