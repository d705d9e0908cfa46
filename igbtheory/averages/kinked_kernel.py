"""Kernel of a kinked function of polynomial and exponential pieces, for whole arrays of pairs, in double precision.

Given h_a, the partner h_b is Gaussian, and the mean of phi(h_b) is a closed form: truncated normal moments. One
integral over h_a is left, by panels that resolve kinks and smoothed kinks: some 30 us a pair, not 5 ms.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any, final

import numpy as np
import scipy
from numpy.typing import NDArray

from igbtheory.averages.resolved import SIDES, Resolved, resolved
from igbtheory.formulas.function import Function
from igbtheory.formulas.tree import Call, Number, Power, Product, Sum, Tree, Variable
from igbtheory.numbers import FLOAT64
from igbtheory.numerics.panels import split_normal

ORDERS = (14, 16)
"""Orders of a coarser and of the finer rule."""
BLOCK = 2**19
"""Nodes held at once, roughly."""
SAMPLE = 64
"""Pairs on which the two rules are compared."""
SCALES = 9
"""Quantiles of the variances at which the reach is asked for."""
_TINY = 1e-150

Terms = dict[tuple[int, Fraction], Fraction]
"""Coefficients of x^p exp(r x), by (p, r)."""


def _terms(tree: Tree) -> Terms:
    """Terms of a formula; raises ValueError where it is no such sum."""
    match tree:
        case Number(value):
            return {(0, Fraction(0)): value}
        case Variable():
            return {(1, Fraction(0)): Fraction(1)}
        case Power(Variable(), Number(value)) if value.denominator == 1 and value > 0:
            return {(int(value), Fraction(0)): Fraction(1)}
        case Call("exp" | "expm1" as name, argument) if set(found := _terms(argument)) == {(1, Fraction(0))}:
            constant: Terms = {(0, Fraction(0)): Fraction(-1)} if name == "expm1" else {}
            return {(0, found[1, Fraction(0)]): Fraction(1)} | constant
        case Sum(parts):
            return _combined([(_terms(part), 1) for part in parts])
        case Product((first, *rest)):
            product = _terms(first)
            for factor in map(_terms, rest):
                shifted = [({(p + o, r + s): v for (p, r), v in product.items()}, w) for (o, s), w in factor.items()]
                product = _combined(shifted)
            return product
        case _:
            raise ValueError(f"expected a sum of x^p exp(r x), got {tree!r}")


def _combined(parts: list[tuple[Terms, Any]]) -> Terms:
    """Weighted sum of terms."""
    total: Terms = {}
    for terms, weight in parts:
        for key, value in terms.items():
            total[key] = total.get(key, Fraction(0)) + weight * value
    return {key: value for key, value in total.items() if value}


@final
@dataclass(frozen=True)
class Smoothing:
    """Mean of phi(x + s z), z standard normal, from its pieces, polynomials (lists by power) and exponentials.

    kinks; changes: polynomial left of each kink less that right of it; last: polynomial of the last piece;
    left, right: (rate, coefficient) of the exponentials of the first and of the last piece.
    """

    kinks: tuple[float, ...]
    changes: tuple[list[float], ...]
    last: list[float]
    left: list[tuple[float, float]]
    right: list[tuple[float, float]]

    def __call__(self, x: Any, s: Any) -> Any:
        total = _moment(x, s, self.last, 1.0, 0.0, 0.0)
        for kink, polynomial in zip(self.kinks, self.changes, strict=True):
            t = (kink - x) / s
            total = total + _moment(x, s, polynomial, scipy.special.ndtr(t), kink, FLOAT64.npdf(t))
        for rate, coefficient in self.left:
            total = total + coefficient * _exponential(x, s, rate, self.kinks[0])
        for rate, coefficient in self.right:
            total = total + coefficient * _exponential(-x, s, -rate, -self.kinks[-1])
        return total


def _moment(x: Any, s: Any, polynomial: list[float], mass: Any, kink: float, edge: Any) -> Any:
    """Mean of a polynomial of h = x + s z over h < kink.

    By parts: I_0 = mass, I_(p+1) = x I_p + p s^2 I_(p-1) - s kink^p edge, edge = npdf((kink - x)/s).
    """
    before, integral, total = 0.0, mass, 0.0
    for p, coefficient in enumerate(polynomial):
        total = total + coefficient * integral
        before, integral = integral, x * integral + p * s * s * before - s * kink**p * edge
    return total


def _exponential(x: Any, s: Any, rate: float, kink: float) -> Any:
    """Mean of exp(rate h), h = x + s z, over h < kink: exp(rate x + (rate s)^2/2) ncdf((kink - x)/s - rate s)."""
    t = (kink - x) / s
    v = t - rate * s
    # where the two factors overflow and underflow, by Mills's ratio
    mills = np.exp(rate * kink - t * t / 2) * scipy.special.erfcx(-v / np.sqrt(2)) / 2
    return np.where(v < 0, mills, np.exp(rate * x + (rate * s) ** 2 / 2) * scipy.special.ndtr(v))


@lru_cache(maxsize=64)
def smoothing(phi: Function) -> Smoothing | None:
    """Return the smoothing, or None where a piece is no polynomial plus exponentials, or has these between kinks."""
    try:
        pieces = [_terms(formula) for formula in phi.pieces.formulas]
    except ValueError:
        return None
    steep = [[(float(r), float(value)) for (_, r), value in piece.items() if r] for piece in pieces]
    # x^p exp(r x) would lose its digits beyond the kink, where Mills's ratio stands in a difference
    if not phi.pieces.kinks or any(steep[1:-1]) or any(p and r for piece in pieces for p, r in piece):
        return None
    changes = tuple(_polynomial(_combined([(left, 1), (right, -1)])) for left, right in pairwise(pieces))
    return Smoothing(tuple(map(float, phi.pieces.kinks)), changes, _polynomial(pieces[-1]), steep[0], steep[-1])


def _polynomial(terms: Terms) -> list[float]:
    """Coefficients by power of the terms without exponential."""
    degree = max((p for p, r in terms if not r), default=-1)
    return [float(terms.get((p, Fraction(0)), 0)) for p in range(degree + 1)]


def product(phi: Function, smooth: Smoothing, q_a: Any, q_b: Any, q_ab: Any, mean: float = 0.0) -> tuple[Any, float]:
    """Return E phi(h_a) phi(h_b) and its estimated error against the roots of E phi(h_a)^2 and E phi(h_b)^2.

    q_a, q_b, q_ab: variances and covariance of the pair, arrays that broadcast; mean: one number, of both.
    """
    pairs = np.broadcast_arrays(*(np.asarray(q, dtype=float) for q in (q_a, q_b, q_ab)))
    a, b, ab = (np.ravel(pair) for pair in pairs)
    scale = np.maximum(np.sqrt(a), _TINY)
    along = ab / scale
    across = np.sqrt(np.maximum(b - along * along, 0))
    values, error = by_scales(phi, smooth, np.array([scale, along, across]), mean)
    return values.reshape(pairs[0].shape)[()], error


@np.errstate(over="ignore", under="ignore")
def by_scales(phi: Function, smooth: Smoothing, scales: NDArray[Any], mean: float = 0.0) -> tuple[NDArray[Any], float]:
    """Return E phi(h_a) phi(h_b) and its error as of `product`, h_a = mean + scale u, h_b = mean + along u + across z.

    scales: rows scale, along, across, a column for each pair. The error is the largest difference from a coarser rule
    on a sample of the pairs.
    """
    seen = _resolved(phi, mean, np.array([scales[0], np.hypot(scales[1], scales[2])]))
    per_pair = ORDERS[1] * 10 * (len(seen.cuts) + 2)
    blocks = np.array_split(scales, 1 + scales.shape[1] * per_pair // BLOCK, axis=1)
    values = np.concatenate([_integrals(seen, smooth, block, mean, ORDERS[1]) for block in blocks])
    drawn = np.unique(np.linspace(0, scales.shape[1] - 1, SAMPLE).astype(int))
    scale, along, across = scales[:, drawn]
    coarse = _integrals(seen, smooth, scales[:, drawn], mean, ORDERS[0])
    size = np.sqrt(_squares(seen, mean, scale) * _squares(seen, mean, np.hypot(along, across)))
    return values, float(np.max(np.abs(coarse - values[drawn]) / (size + _TINY))) + 100 * FLOAT64.epsilon


def _squares(seen: Resolved, mean: float, scale: Any) -> Any:
    """Means of phi(mean + scale u)^2."""
    average, variance = seen.averaged(mean + 0 * scale, scale, ORDERS[1])
    return average * average + variance


def _resolved(phi: Function, mean: float, scales: NDArray[Any]) -> Resolved:
    """Mesh of the largest of the scales, and the reach of the one that reaches farthest: a far kink needs more."""
    seen = [resolved(FLOAT64, phi, mean, float(s)) for s in np.quantile(scales, np.linspace(0, 1, SCALES))]
    return replace(seen[-1], reach=max(one.reach for one in seen))


@np.errstate(over="ignore", under="ignore", invalid="ignore")
def _integrals(seen: Resolved, smooth: Smoothing, scales: NDArray[Any], mean: float, order: int) -> Any:
    """Means of the product for the rows scale, along, across of `scales`."""
    scale, along, across = np.maximum(scales, [[_TINY], [-np.inf], [_TINY]])
    cuts = np.array(seen.cuts)[:, None] - mean
    features = np.unique([cuts.min(), cuts.max(), *(kink - mean for kink in seen.kinks)])
    sides = np.array([sign * side for side in (*SIDES, seen.reach) for sign in (-1, 1)])
    around = (features[:, None, None] + sides[:, None] * across).reshape(-1, scale.size)
    ends = [cuts / scale, np.concatenate([cuts + 0 * along, around]) / (along + _TINY)]
    u = split_normal(FLOAT64, np.concatenate(ends), seen.reach, order)
    given = smooth(mean + along * u.x, across)
    return u.integral(seen.phi(FLOAT64, mean + scale * u.x) * given * FLOAT64.npdf(u.x))
