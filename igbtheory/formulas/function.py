"""An activation function: its formula and, as optional extra knowledge, its closed forms."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, final

import numpy as np

from igbtheory.formulas.calculus import derivative
from igbtheory.formulas.character import growth, monotonicity
from igbtheory.formulas.doubt import Doubt
from igbtheory.formulas.pieces import Pieces
from igbtheory.formulas.reader import read
from igbtheory.formulas.splitting import split
from igbtheory.formulas.tree import Tree, substitute, symbols
from igbtheory.numbers import FLOAT64, Kind

CLOSE = 1e-10
"""Distance of a formula from the function it approximates, relative to its size, up to which slopes are taken of it."""


class ClosedForm(ABC):
    """Gaussian moments of phi in closed form, for a centred pre-activation; every kind of number runs them."""

    @property
    def roundings(self) -> float:
        """Rounding errors that they make."""
        return 4.0

    @abstractmethod
    def mean(self, n: Kind, q: Any) -> Any:
        """Mean E phi(h), h ~ N(0, q)."""

    @abstractmethod
    def covariance(self, n: Kind, q_a: Any, q_b: Any, q_ab: Any) -> Any:
        """Covariance of phi(h_a) and phi(h_b), without cancellation at small q_ab."""

    @abstractmethod
    def slope(self, n: Kind, q_a: Any, q_b: Any, q_ab: Any) -> Any:
        """Mean E phi'(h_a) phi'(h_b), by Price's theorem the derivative of the covariance by q_ab.

        A jump of phi is a delta function of phi': it contributes the density of the pair at the jump.
        """

    def shared(self, n: Kind, var_mu: Any, var_chi: Any) -> Any:
        """Covariance at equal variances q = var_mu + var_chi and q_ab = var_mu.

        To be overridden where q - q_ab is formed: rounding q loses it when var_chi is small.
        """
        q = var_mu + var_chi
        return self.covariance(n, q, q, var_mu)

    @abstractmethod
    def spread(self, n: Kind, var_mu: Any, var_chi: Any) -> Any:
        """Half the mean of (phi(h_a) - phi(h_b))^2, equal variances, without cancellation at small var_chi."""


@final
@dataclass(frozen=True)
class Function:
    """The function phi of one pre-activation x.

    name: as the user wrote it; tree: its formula; closed: its closed forms where they are known; aliases: names that
    libraries give it beside; doubt: how far the formula is from the function it stands for, None where it is exact.
    """

    name: str
    tree: Tree
    closed: ClosedForm | None = None
    source: str = ""
    aliases: tuple[str, ...] = ()
    doubt: Doubt | None = None

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Hash of name and tree: walked once, as every cache asks for it at every layer."""
        return hash((self.name, self.tree))

    @cached_property
    def free_symbols(self) -> frozenset[Any]:
        """SymPy symbols that stand for numbers."""
        return symbols(self.tree)

    def __str__(self) -> str:
        return self.name

    @cached_property
    def pieces(self) -> Pieces:
        """Analytic pieces between the kinks."""
        return split(self.tree)

    @property
    def kinks(self) -> tuple[Fraction, ...]:
        """The kinks of the function itself, without the ends of polynomials that approximate it."""
        return self.doubt.kinks if self.doubt else self.pieces.kinks

    @cached_property
    def slope(self) -> Pieces:
        """Derivative phi', piece by piece; the jumps of phi itself are not in it."""
        return Pieces(self.pieces.kinks, tuple(derivative(formula) for formula in self.pieces.formulas))

    @cached_property
    def derivative(self) -> "Function":
        """The function phi' off the kinks; where phi jumps, its moments lack what the jumps add."""
        return Function(f"derivative of {self.name}", derivative(self.tree))

    @cached_property
    def parity(self) -> int:
        """Parity: 1 even, -1 odd, 0 neither."""
        return self.pieces.parity()

    @cached_property
    def degree(self) -> Fraction | None:
        """Number p with phi(a x) = a^p phi(x) for a > 0, or None."""
        return self.pieces.degree()

    @cached_property
    def growth(self) -> str:
        """Growth at large |x|: "bounded", "polynomial", "exponential", "gaussian" or "faster"."""
        return growth(self.pieces)

    @property
    def smooth(self) -> bool:
        """Whether it has no kinks or jumps, also none that its pieces do not show."""
        return not self.kinks and self.pieces.split

    @cached_property
    def monotonicity(self) -> int:
        """Monotonicity: 1 increasing, -1 decreasing, 0 neither, as far as a fine grid shows."""
        if not self.pieces.split:
            return 0
        return monotonicity(self.slope, [float(jump) for jump in self.pieces.jumps(FLOAT64)])

    def refuse_doubt(self) -> None:
        """Refuse a function whose formula is too far from it for slopes and limits, which have no error."""
        size = np.max(np.abs(self(FLOAT64, np.linspace(-8, 8, 65))))
        if self.doubt and max(self.doubt.between(-8, 8)) > CLOSE * size:
            raise ValueError(
                f"expected an activation known to ten digits for slopes and limits, got {self.name!r}, which is "
                "approximated to fewer; pass its formula as text, or a callable in double precision"
            )

    def latex(self) -> str:
        """The formula in LaTeX, by its name."""
        return rf"\phi(x) = \text{{{self.name}}}(x)"

    def __call__(self, n: Kind, x: Any) -> Any:
        with np.errstate(over="ignore", under="ignore"):
            return self.pieces(n, x)


def of_pieces(name: str, pieces: Pieces, doubt: Doubt | None = None) -> Function:
    """Return the function with these pieces, which need not be found again."""
    phi = Function(name, pieces.tree, doubt=doubt)
    vars(phi)["pieces"] = pieces
    return phi


def composed(outer: Function, inner: Function) -> Function:
    """Return the function outer(inner(x)). ValueError: one of them is approximated, so that the error is not known."""
    for phi in (outer, inner):
        if phi.doubt:
            raise ValueError(
                f"expected formulas as activations behind one another, got {phi.name!r}, which is approximated; "
                "pass one callable that does both"
            )
    return Function(f"{outer.name} after {inner.name}", substitute(outer.tree, inner.tree))


def formula(name: str, text: str, source: str, closed: ClosedForm | None = None, *aliases: str) -> Function:
    """Return the function of a row of the catalogue, also known by the aliases."""
    return Function(name, read(text), closed, source, aliases)
