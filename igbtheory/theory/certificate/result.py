"""The result of `Network.certify`: balls that contain var_mu, var_chi, gamma and c."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

from flint import arb

from igbtheory.foundations.saved import maker
from igbtheory.mathematics.numbers.certified import Certified
from igbtheory.theory.output_layer import OutputLayer

NAMES = ("var_mu", "var_chi", "gamma", "c")


@final
@dataclass(frozen=True)
class CertifiedLayers:
    """Balls after every Dense layer, input side first: lists with one ball each."""

    n: Certified
    var_mu: list[Any]
    var_chi: list[Any]

    def __reduce__(self) -> tuple[Any, ...]:
        return layers_of_ends, (self.n, *([_ends(ball) for ball in balls] for balls in (self.var_mu, self.var_chi)))

    @cached_property
    def gamma(self) -> list[Any]:
        """Bias ratios var_mu/var_chi; inf where var_chi is exactly 0."""
        with self.n.precision():
            return [self.n.ratio(mu, chi) for mu, chi in zip(self.var_mu, self.var_chi, strict=True)]

    @cached_property
    def c(self) -> list[Any]:
        """Correlations var_mu/(var_mu + var_chi) of two data, of different batches if there are batches."""
        with self.n.precision():
            return [
                mu / (mu + chi) if mu.is_zero() or chi.is_zero() else 1 / (1 + chi / mu)
                for mu, chi in zip(self.var_mu, self.var_chi, strict=True)
            ]


def _ends(ball: Any) -> list[int]:
    """Return a finite ball as whole numbers: mantissa and exponent of its middle and of its radius."""
    return [int(part) for number in (ball.mid(), ball.rad()) for part in number.man_exp()]


@maker
def layers_of_ends(n: Certified, *ends: Any) -> CertifiedLayers:
    """Return the layers whose balls `_ends` wrote."""
    with n.precision():
        columns = [[arb((man, exp), (radius, power)) for man, exp, radius, power in balls] for balls in ends]
    return CertifiedLayers(n, *columns)


@final
@dataclass(frozen=True, repr=False, eq=False)
class Certificate(OutputLayer[arb]):
    """Proven enclosures for a network in infinite width: var_mu, var_chi, gamma and c of the output layer.

    Each is a ball of python-flint (`flint.arb`) that contains the true value, with a relative radius below 10^-digits.
    per_layer: lists of the balls after every Dense layer. Before arithmetic with the balls, set the precision:
    `flint.ctx.dps = digits + 5`.

    digits: those that were asked for.

    >>> proven = igb.mlp(1, "relu").certify(digits=20)
    >>> print(proven.gamma.str(20, radius=False))
    0.46694220692425985998
    """

    digits: int
    per_layer: CertifiedLayers

    @property
    def bits(self) -> int:
        """Number of bits in the last computation."""
        return self.per_layer.n.bits

    def shown(self, ball: Any) -> str:
        """Return the value and radius of a ball, for example "[0.46694220692425986 +/- 3.1e-18]"."""
        with self.per_layer.n.precision():
            return str(ball.str(self.digits + 2, radius=True))

    def holds(self) -> bool:
        """Return whether all relative radii of the output layer are below 10^-(digits + 1); printing enlarges them."""
        with self.per_layer.n.precision():
            balls = [getattr(self, name) for name in NAMES]
            return all((x.is_exact() and not x.is_nan()) or x.rad() * 10 ** (self.digits + 1) < abs(x) for x in balls)

    def to_dict(self) -> dict[str, Any]:
        """Return every ball as text, with all layers."""
        return {
            "digits": self.digits,
            "bits": self.bits,
            **{name: self.shown(getattr(self, name)) for name in ("gamma", "var_mu", "var_chi", "c")},
            "per_layer": {name: [self.shown(ball) for ball in getattr(self.per_layer, name)] for name in NAMES},
        }

    def columns(self) -> dict[str, Any]:
        """Return a row for every Dense layer: the balls as text."""
        layers = {name: [self.shown(ball) for ball in getattr(self.per_layer, name)] for name in NAMES}
        return {"layer": list(range(1, len(self.per_layer.var_mu) + 1)), **layers}

    def __str__(self) -> str:
        balls = (f"{name:<8}{self.shown(getattr(self, name))}" for name in ("gamma", "var_mu", "var_chi", "c"))
        return "\n".join([*balls, "", f"proven with {self.bits} bits"])

    def __repr__(self) -> str:
        return f"Certificate({', '.join(f'{name}={self.shown(getattr(self, name))}' for name in NAMES)})"


def accuracy(ball: Any) -> float:
    """Return a lower bound of the number of correct bits of a ball; it is infinite for exact numbers, including inf."""
    if ball.is_exact() and not ball.is_nan():
        return float("inf")
    return float(ball.rel_accuracy_bits() - 1)
