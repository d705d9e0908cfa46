"""Closed forms of Gaussian averages, from a formula's tree."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, final

import sympy as sp

from igbtheory.averages.state import Moments
from igbtheory.derivation import averaged_terms, orthants
from igbtheory.derivation.orthants import Powers
from igbtheory.formulas.function import ClosedForm, Function
from igbtheory.formulas.powers import Powers as OfPower
from igbtheory.formulas.terms import Sums, Terms, polynomial
from igbtheory.numbers.symbolic import SYMBOLIC

SUMS = Sums(SYMBOLIC, sp.I, most=12, highest=8)
"""Averages of pairs have the square of the number of terms."""
LARGEST = 3
"""Units at most of whose maximum there is a closed form."""


@lru_cache(maxsize=512)
def moments(phi: Function, m: int, h: Moments) -> Moments | None:
    """Return the moments of phi(M), M the largest of m units with the moments h, where there is a closed form."""
    mean, var_mu, var_chi = (sp.sympify(x) for x in (h.mean, h.var_mu, h.var_chi))
    for found in _forms(phi, m, mean, var_mu + var_chi):
        whole, shared = (found.covariance(v) for v in (var_mu + var_chi, var_mu))
        if whole is not None and shared is not None:
            return Moments(found.mean(), shared, whole - shared)
    return None


class Form(ABC):
    """Averages of phi(h_a), phi(h_b), two Gaussian units of one variance q."""

    @abstractmethod
    def mean(self) -> Any:
        """Return the mean E phi(h)."""

    @abstractmethod
    def product(self, v: Any) -> Any:
        """Mean of phi(h_a) phi(h_b) where the covariance of h_a and h_b is v; None where it has no closed form."""

    def covariance(self, v: Any) -> Any:
        """Covariance of phi(h_a) and phi(h_b), 0 where data are independent; None where it has no closed form."""
        found = self.mean() ** 2 if v == 0 else self.product(sp.sympify(v))
        return None if found is None else found - self.mean() ** 2


@final
@dataclass(frozen=True)
class Entire(Form):
    """Formula that is one sum of terms x^k exp(a x + b x^2) erf(s x)."""

    terms: Terms
    centre: Any
    q: Any

    def mean(self) -> Any:
        return averaged_terms.of_pair(self.terms, SUMS.constant(sp.Integer(1)), self.centre, self.q, 0)

    def product(self, v: Any) -> Any:
        return averaged_terms.of_pair(self.terms, self.terms, self.centre, self.q, v)


@final
@dataclass(frozen=True)
class Kinked(Form):
    """Polynomial `above` where h > 0 and `below` where h < 0, for centred units."""

    below: Powers
    above: Powers
    q: Any

    def mean(self) -> Any:
        signed = [*self.above.items(), *((k, (-1) ** k * a) for k, a in self.below.items())]
        return sum(a * orthants.half_moment(k) * self.q ** sp.Rational(k, 2) for k, a in signed)

    def product(self, v: Any) -> Any:
        return orthants.of_pair(self.below, self.above, self.q, v)


@final
@dataclass(frozen=True)
class Cut(Form):
    """Formula that is a sum of terms between its kinks: `parts`, between `ends`; of one datum alone."""

    parts: tuple[Terms, ...]
    ends: tuple[Any, ...]
    centre: Any
    q: Any

    def mean(self) -> Any:
        return self._average(self.parts)

    def product(self, v: Any) -> Any:
        squares = [part for part in map(SUMS.squared, self.parts) if part is not None]
        return self._average(squares) if v == self.q and len(squares) == len(self.parts) else None

    def _average(self, parts: Sequence[Terms]) -> Any:
        stretches = zip(parts, pairwise(self.ends), strict=True)
        return sum(averaged_terms.of_stretch(part, self.centre, self.q, *ends) for part, ends in stretches)


@final
@dataclass(frozen=True)
class Known(Form):
    """Function with a closed form that every kind of number runs, for centred units."""

    closed: ClosedForm
    q: Any

    def mean(self) -> Any:
        return self.closed.mean(SYMBOLIC, self.q)

    def product(self, v: Any) -> Any:
        return self.closed.covariance(SYMBOLIC, self.q, self.q, v) + self.mean() ** 2


@final
@dataclass(frozen=True)
class Largest(Form):
    """Function low M + (high - low) max(M, 0) of the largest of two or three centred units; of one datum alone.

    Two: E M^+ = (1 + sqrt 2)/(2 sqrt(pi)), E M = 1/sqrt(pi); three: by the angle atan(1/sqrt 2) between units. From
    the density m npdf ncdf^(m - 1) by parts; in units of sqrt(q).
    """

    low: Any
    high: Any
    m: int
    q: Any

    def mean(self) -> Any:
        whole, positive = self._means()
        return (self.low * whole + (self.high - self.low) * positive) * sp.sqrt(self.q)

    def product(self, v: Any) -> Any:
        whole, positive = self._squares()
        return (self.low**2 * whole + (self.high**2 - self.low**2) * positive) * self.q if v == self.q else None

    def _means(self) -> tuple[Any, Any]:
        root = sp.sqrt(sp.pi)
        if self.m == 2:
            return 1 / root, (1 + sp.sqrt(2)) / (2 * root)
        angle = sp.Rational(1, 4) + sp.atan(1 / sp.sqrt(2)) / (2 * sp.pi)
        return 3 / (2 * root), 3 / (4 * sp.sqrt(2) * root) + 3 * angle / root

    def _squares(self) -> tuple[Any, Any]:
        if self.m == 2:
            return sp.Integer(1), sp.Rational(3, 4) + 1 / (2 * sp.pi)
        return 1 + sp.sqrt(3) / (2 * sp.pi), sp.Rational(7, 8) + (3 + sp.sqrt(3)) / (4 * sp.pi)


def _forms(phi: Function, m: int, mean: Any, q: Any) -> Iterator[Form]:
    """Return the closed forms that there are, those of pairs first."""
    kinks = [SYMBOLIC.number(kink) for kink in phi.pieces.kinks]
    if isinstance(phi.closed, OfPower) and m == 1 and mean == 0:
        yield Known(phi.closed, q)
        return
    parts = [part for part in map(SUMS.of, phi.pieces.formulas) if part is not None]
    if len(parts) < len(phi.pieces.formulas):
        return
    below, above = polynomial(parts[0]), polynomial(parts[-1])
    split = mean == 0 and all(kink == 0 for kink in kinks)
    if m != 1:
        if (
            m in (2, LARGEST)
            and split
            and below is not None
            and above is not None
            and below.keys() | above.keys() <= {1}
        ):
            yield Largest(below.get(1, 0), above.get(1, 0), m, q)
        return
    keys = [key for part in parts for key in part]
    plain = all(s == 0 for *_, s in keys)
    if not kinks and (plain or (mean == 0 and all(a == 0 for _, a, _, _ in keys))):
        yield Entire(parts[0], mean, q)
    if split and below is not None and above is not None:
        yield Kinked(below, above, q)
    if plain and not any(a.has(sp.I) for _, a, _, _ in keys):
        yield Cut(tuple(parts), (-sp.oo, *kinks, sp.oo), mean, q)
