"""An activation function: its formula and, if known, its closed forms."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, final

import numpy as np

from igbtheory.mathematics.formulas.calculus import derivative
from igbtheory.mathematics.formulas.character import growth, monotonicity
from igbtheory.mathematics.formulas.error_bounds import Doubt
from igbtheory.mathematics.formulas.pieces import Pieces
from igbtheory.mathematics.formulas.reader import read
from igbtheory.mathematics.formulas.splitting import split
from igbtheory.mathematics.formulas.tree import Tree, substitute, symbols
from igbtheory.mathematics.numbers import FLOAT64, Kind

STRETCH = 1e-3
"""Relative change of a variance by which the growth of a mean square is measured."""
CLOSE = 1e-10
"""Largest relative error of an approximating formula whose slopes may be used: what predictions promise."""


class ClosedForm(ABC):
    """Gaussian moments of phi in closed form, for a centred pre-activation, in every kind of number.

    >>> class Doubled(igb.formulas.ClosedForm):
    ...     def mean(self, n, q):
    ...         return 0 * q
    ...     def covariance(self, n, q_a, q_b, q_ab):
    ...         return 4 * q_ab
    ...     def slope(self, n, q_a, q_b, q_ab):
    ...         return 4 + 0 * q_ab
    ...     def spread(self, n, var_mu, var_chi):
    ...         return 4 * var_chi
    >>> doubled = igb.formulas.formula("doubled", "2*x", "an example", Doubled())
    """

    def __init_subclass__(cls) -> None:
        """Refuse a class that writes neither `spread` nor `variances`, each of which calls the other by default."""
        super().__init_subclass__()
        if cls.spread is ClosedForm.spread and cls.variances is ClosedForm.variances:
            raise TypeError(f"expected a closed form with spread or variances, got {cls.__name__}; write spread")

    @property
    def roundings(self) -> float:
        """The relative error of the moments, as a multiple of the rounding error of one operation."""
        return 4.0

    @property
    def decays(self) -> bool:
        """Whether the moments contain exp(-q), whose relative error grows with q."""
        return False

    @abstractmethod
    def mean(self, n: Kind, q: Any) -> Any:
        """Return the mean E phi(h), h ~ N(0, q)."""

    @abstractmethod
    def covariance(self, n: Kind, q_a: Any, q_b: Any, q_ab: Any) -> Any:
        """Return the covariance of phi(h_a) and phi(h_b), without cancellation at small q_ab."""

    def product(self, n: Kind, q_a: Any, q_b: Any, q_ab: Any) -> Any:
        """Return E phi(h_a) phi(h_b). Override it if it has fewer terms than the covariance."""
        return self.covariance(n, q_a, q_b, q_ab) + self.mean(n, q_a) * self.mean(n, q_b)

    @abstractmethod
    def slope(self, n: Kind, q_a: Any, q_b: Any, q_ab: Any) -> Any:
        """Return E phi'(h_a) phi'(h_b), which is the derivative of the covariance by q_ab (Price's theorem).

        A jump of phi is a delta function of phi', which contributes the density of the pair at the jump.
        """

    def product_and_slope(self, n: Kind, q_a: Any, q_b: Any, q_ab: Any) -> tuple[Any, Any]:
        """Return both, which a tangent kernel needs. Override it if they contain the same terms."""
        return self.product(n, q_a, q_b, q_ab), self.slope(n, q_a, q_b, q_ab)

    def spread(self, n: Kind, var_mu: Any, var_chi: Any) -> Any:
        """Return var_chi of phi: E (phi(h_a) - phi(h_b))^2/2, without cancellation at small var_chi."""
        return self.variances(n, var_mu, var_chi)[1]

    def variances(self, n: Kind, var_mu: Any, var_chi: Any) -> tuple[Any, Any]:
        """Return var_mu and var_chi of phi: the covariance at q_a = q_b = var_mu + var_chi, q_ab = var_mu; the spread.

        Override it in place of `spread` if both contain the same terms, or if the covariance contains q - q_ab, whose
        digits are lost by rounding q if var_chi is small.
        """
        q = var_mu + var_chi
        return self.covariance(n, q, q, var_mu), self.spread(n, var_mu, var_chi)

    def products(self, n: Kind, var_mu: Any, var_chi: Any) -> tuple[Any, Any]:
        """Return E phi(h_a) phi(h_b) and var_chi of phi. Override it if they have fewer terms than the variances."""
        mean, (of_phi, spread) = self.mean(n, var_mu + var_chi), self.variances(n, var_mu, var_chi)
        return mean * mean + of_phi, spread

    def square(self, n: Kind, q: Any) -> Any:
        """Return the mean square E phi(h)^2. Override it if it has fewer terms than mean and variances."""
        mean = self.mean(n, q)
        return mean * mean + self.variances(n, 0 * q, q)[1]

    def power(self, n: Kind, q: Any, square: Any) -> Any:
        """Return the power of q with which E phi^2 = square grows near q, or a bound of its size; by differences."""
        stretched = (1 + STRETCH) * q
        of_stretched = self.covariance(n, stretched, stretched, stretched) + self.mean(n, stretched) ** 2
        return (of_stretched / square - 1) / STRETCH


@final
@dataclass(frozen=True)
class Function:
    """The function phi of one pre-activation x.

    name: as the user wrote it; tree: its formula; closed: its closed forms, or None if they are unknown; aliases:
    further names in libraries; doubt: bounds on the error of an approximating formula, or None if the formula is exact;
    difference: another function and a number of which phi is the difference, or None.
    """

    name: str
    tree: Tree
    closed: ClosedForm | None = None
    source: str = ""
    aliases: tuple[str, ...] = ()
    doubt: Doubt | None = None
    difference: "tuple[Function, float] | None" = None

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """The hash of name and tree, kept because caches need it at every layer."""
        return hash((self.name, self.tree))

    @cached_property
    def free_symbols(self) -> frozenset[Any]:
        """The SymPy symbols in the formula, which stand for numbers."""
        return symbols(self.tree)

    def __str__(self) -> str:
        return self.name

    @cached_property
    def pieces(self) -> Pieces:
        """The analytic pieces between the kinks."""
        return split(self.tree)

    @property
    def kinks(self) -> tuple[Fraction, ...]:
        """The kinks of the function, without the ends of approximating polynomials."""
        return self.doubt.kinks if self.doubt else self.pieces.kinks

    @cached_property
    def slope(self) -> Pieces:
        """The derivative phi', piece by piece, without the delta functions at jumps of phi."""
        return Pieces(self.pieces.kinks, tuple(derivative(formula) for formula in self.pieces.formulas))

    @cached_property
    def derivative(self) -> "Function":
        """The function phi', without the delta functions at jumps of phi."""
        return Function(f"derivative of {self.name}", derivative(self.tree))

    @cached_property
    def parity(self) -> int:
        """The parity: 1 if even, -1 if odd, 0 if neither."""
        return self.pieces.parity()

    @cached_property
    def degree(self) -> Fraction | None:
        """The p with phi(a x) = a^p phi(x) for a > 0, or None if there is none."""
        return self.pieces.degree()

    @cached_property
    def power(self) -> float:
        """The degree p, with which phi multiplies the relative error of a scale; 1 if there is none."""
        return float(self.degree or 1)

    @cached_property
    def growth(self) -> str:
        """The growth at large |x|: "bounded", "polynomial", "exponential", "gaussian" or "faster"."""
        return growth(self.pieces)

    @property
    def smooth(self) -> bool:
        """True if there are no kinks or jumps, including those too many to be split."""
        return not self.kinks and self.pieces.split

    @cached_property
    def monotonicity(self) -> int:
        """The monotonicity on a fine grid: 1 if increasing, -1 if decreasing, 0 if neither."""
        if not self.pieces.split:
            return 0
        return monotonicity(self.slope, [float(jump) for jump in self.pieces.jumps(FLOAT64)])

    def refuse_doubt(self) -> None:
        """Raise ValueError if the formula is too inaccurate for slopes and limits, which report no error."""
        size = np.max(np.abs(self(FLOAT64, np.linspace(-8, 8, 65))))
        if self.doubt and max(self.doubt.between(-8, 8)) > CLOSE * size:
            raise ValueError(
                f"expected an activation known to ten digits for slopes and limits, got {self.name!r}, which is "
                "approximated to fewer; pass its formula as text, or a callable in double precision"
            )

    def latex(self) -> str:
        """Return the definition of phi by its name, in LaTeX."""
        return rf"\phi(x) = \text{{{self.name}}}(x)"

    def __call__(self, n: Kind, x: Any) -> Any:
        with np.errstate(over="ignore", under="ignore"):
            return self.pieces(n, x)


def of_pieces(name: str, pieces: Pieces, doubt: Doubt | None = None) -> Function:
    """Return the function with these pieces, without splitting its formula again."""
    phi = Function(name, pieces.tree, doubt=doubt)
    vars(phi)["pieces"] = pieces
    return phi


def composed(outer: Function, inner: Function) -> Function:
    """Return the function outer(inner(x)). ValueError: a function is approximated, so that the error is unknown."""
    for phi in (outer, inner):
        if phi.doubt:
            raise ValueError(
                f"expected formulas as activations behind one another, got {phi.name!r}, which is approximated; "
                "pass one callable that does both"
            )
    return Function(f"{outer.name} after {inner.name}", substitute(outer.tree, inner.tree))


def formula(name: str, text: str, source: str, closed: ClosedForm | None = None, *aliases: str) -> Function:
    """Return the function of a row of the catalogue, also known by the aliases.

    name, text, source: the name of the function, its formula in x, and where it comes from. closed: its moments in
    closed form, if they are known. aliases: other names.

    >>> igb.formulas.formula("doubled", "2*x", "an example").name
    'doubled'
    """
    return Function(name, read(text), closed, source, aliases)
