"""Closed forms of Gaussian averages, found from the tree of a formula."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, final

import sympy as sp

from igbtheory.mathematics.averages.state import Moments
from igbtheory.mathematics.formulas.catalogue.powers import Powers as OfPower
from igbtheory.mathematics.formulas.exponential_sums import Sums, Terms, polynomial
from igbtheory.mathematics.formulas.function import ClosedForm, Function
from igbtheory.mathematics.numbers.symbolic import SYMBOLIC
from igbtheory.theory.derivation import averaged_terms, orthants
from igbtheory.theory.derivation.orthants import Powers

SUMS = Sums(SYMBOLIC, sp.I, most=12, highest=8)
"""Sums of terms. They are short, since the average of a pair has the square of their number of terms."""


@lru_cache(maxsize=512)
def moments(phi: Function, m: int, h: Moments) -> Moments | None:
    """Return the moments of phi(M), M the largest of m units with the moments h, or None without a closed form."""
    mean, var_mu, var_chi = (sp.sympify(x) for x in (h.mean, h.var_mu, h.var_chi))
    for form in _forms(phi, m, mean, var_mu + var_chi):
        whole, shared = (form.covariance(v) for v in (var_mu + var_chi, var_mu))
        if whole is not None and shared is not None:
            return Moments(form.mean, shared, whole - shared)
    return None


@final
@dataclass(frozen=True)
class Form:
    """Averages of phi(h_a) and phi(h_b), where h_a and h_b are Gaussian units with the same variance q.

    mean: E phi(h). product: a function that returns E phi(h_a) phi(h_b) for a covariance v of h_a and h_b, or None if
    it has no closed form.
    """

    mean: Any
    product: Callable[[Any], Any]

    def covariance(self, v: Any) -> Any:
        """Return the covariance of phi(h_a) and phi(h_b), or None if it has no closed form."""
        if v == 0:
            return sp.Integer(0)
        product = self.product(v)
        return None if product is None else product - self.mean**2


def _entire(terms: Terms, centre: Any, q: Any) -> Form:
    """Return the averages of a sum of terms x^k exp(a x + b x^2) erf(s x)."""
    mean = averaged_terms.of_pair(terms, SUMS.constant(sp.Integer(1)), centre, q, 0)
    return Form(mean, lambda v: averaged_terms.of_pair(terms, terms, centre, q, v))


def _kinked(below: Powers, above: Powers, q: Any) -> Form:
    """Return the averages, over centred units, of the polynomials `above` for h > 0 and `below` for h < 0."""
    signed = [*above.items(), *((k, (-1) ** k * a) for k, a in below.items())]
    mean = sum(a * orthants.half_moment(k) * q ** sp.Rational(k, 2) for k, a in signed)
    return Form(mean, lambda v: orthants.of_pair(below, above, q, v))


def _cut(pieces: Sequence[Terms], ends: Sequence[Any], centre: Any, q: Any) -> Form:
    """Return the averages, for one datum, of a formula whose `pieces` between `ends` are sums of terms."""

    def average(pieces: Sequence[Terms]) -> Any:
        stretches = zip(pieces, pairwise(ends), strict=True)
        return sum(averaged_terms.of_stretch(part, centre, q, *stretch) for part, stretch in stretches)

    squares = [part for part in map(SUMS.squared, pieces) if part is not None]
    complete = len(squares) == len(pieces)
    return Form(average(pieces), lambda v: average(squares) if complete and v == q else None)


def _known(closed: ClosedForm, q: Any) -> Form:
    """Return the averages, over centred units, of a function whose closed form is written for every kind of number."""
    mean = closed.mean(SYMBOLIC, q)
    return Form(mean, lambda v: closed.covariance(SYMBOLIC, q, q, v) + mean**2)


def _largest(low: Any, high: Any, m: int, q: Any) -> Form:
    """Return the averages, for one datum, of low M + (high - low) max(M, 0), M the largest of 2 or 3 centred units.

    They follow from the density m npdf ncdf^(m - 1) of M by parts, in units of sqrt(q). For three units they contain
    the angle atan(1/sqrt 2).
    """
    root = sp.sqrt(sp.pi)
    if m == 2:
        mean, positive_mean = 1 / root, (1 + sp.sqrt(2)) / (2 * root)
        square, positive_square = sp.Integer(1), sp.Rational(3, 4) + 1 / (2 * sp.pi)
    else:
        angle = sp.Rational(1, 4) + sp.atan(1 / sp.sqrt(2)) / (2 * sp.pi)
        mean, positive_mean = 3 / (2 * root), 3 / (4 * sp.sqrt(2) * root) + 3 * angle / root
        square, positive_square = 1 + sp.sqrt(3) / (2 * sp.pi), sp.Rational(7, 8) + (3 + sp.sqrt(3)) / (4 * sp.pi)
    total = (low**2 * square + (high**2 - low**2) * positive_square) * q
    return Form((low * mean + (high - low) * positive_mean) * sp.sqrt(q), lambda v: total if v == q else None)


def _forms(phi: Function, m: int, mean: Any, q: Any) -> Iterator[Form]:
    """Return the closed forms of phi(M), those that hold for two data first."""
    kinks = [SYMBOLIC.number(kink) for kink in phi.pieces.kinks]
    if isinstance(phi.closed, OfPower) and m == 1 and mean == 0:
        yield _known(phi.closed, q)
        return
    pieces = [part for part in map(SUMS.of, phi.pieces.formulas) if part is not None]
    if len(pieces) < len(phi.pieces.formulas):
        return
    below, above = polynomial(pieces[0]), polynomial(pieces[-1])
    split = mean == 0 and all(kink == 0 for kink in kinks)
    halves = (below, above) if split and below is not None and above is not None else None
    if m != 1:
        if halves and m in (2, 3) and halves[0].keys() | halves[1].keys() <= {1}:
            low, high = (half.get(1, 0) for half in halves)
            yield _largest(low, high, m, q)
        return
    keys = [key for part in pieces for key in part]
    plain = all(s == 0 for *_, s in keys)
    # without kinks: the pair is one Gaussian integral over the plane
    if not kinks and (plain or (mean == 0 and all(a == 0 for _, a, _, _ in keys))):
        yield _entire(pieces[0], mean, q)
    if halves:
        # a kink at 0 alone: one integral over each quadrant
        yield _kinked(*halves, q)
    # kinks elsewhere: integrals over stretches of one unit, for data that share all or nothing
    if plain and not any(a.has(sp.I) for _, a, _, _ in keys):
        yield _cut(pieces, (-sp.oo, *kinks, sp.oo), mean, q)
