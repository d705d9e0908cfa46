"""The mesh of a formula: points on the x axis between which its slope is a polynomial to working accuracy."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.mathematics.numerics.limits import TINY

ORDER = 16
"""Number of Legendre polynomials on a panel: double precision has sixteen digits, and n digits take about n of them."""
TOLERANCE = 1e-13
"""Size of the last coefficients, relative to the largest one, at which a series has converged: the goal of rules in
double precision."""
NARROW, NARROWEST = 1e-6, 1e-13
"""Relative widths at which a panel beside a kink, and beside a kink at 0, is no longer bisected, because the slope may
be infinite there."""
SLOW = 20.0
"""Error of a rule divided by its difference from a coarser rule, for |x|^a at a = 1/10: 1/((17/13)^(2 a) - 1)."""
FINEST, LARGEST = 50, 1024
"""Largest number of rounds of bisection, after which a panel near 1 is four rounding errors wide, and of panels."""
_FIRST = [s * x for x in (*range(16), *(a * 2.0**k for k in range(36) for a in (16, 24))) for s in (-1.0, 1.0)]
"""Ends of the first panels: one unit wide near the origin, then half an octave."""


class UnresolvedError(ValueError):
    """Error for a slope that takes too many panels."""


@final
@dataclass(frozen=True)
class Mesh:
    """Points between which sixteen Legendre polynomials resolve the slope of a function; the kinks are not among them.

    doubt: a factor by which the difference of two rules on this mesh must be multiplied so that it does not understate
    their error. It is 1 unless the slope is singular beside a kink, as for sqrt(abs(x)).
    """

    points: tuple[float, ...]
    doubt: float


def mesh(phi: Function, reach: float) -> Mesh:
    """Return the mesh of phi on (-reach, reach).

    Every kind of number uses the same mesh with its own order: n digits take about n polynomials. UnresolvedError: the
    slope oscillates too often.
    """
    slope_mesh = _mesh(phi, reach)
    if slope_mesh is None:
        raise UnresolvedError(
            f"the slope of {phi.name!r} takes more than {LARGEST} panels for |x| up to {reach:g}: it oscillates, is "
            "singular or leaves the range of the numbers; use a smaller sigma_w2 or a formula that varies less"
        )
    return slope_mesh


def is_resolved(phi: Function, reach: float) -> bool:
    """Return whether phi has a mesh on (-reach, reach)."""
    return _mesh(phi, reach) is not None


@lru_cache(maxsize=256)
def _mesh(phi: Function, reach: float) -> Mesh | None:
    """Return the mesh, or None if the slope is not resolved or the jumps of phi are not known."""
    if not phi.pieces.split_within(reach):
        return None
    kinks = [float(kink) for kink in phi.pieces.kinks if abs(kink) < reach]
    first = sorted({-reach, reach, *kinks, *(x for x in _FIRST if abs(x) < reach)})
    near = np.concatenate([np.linspace(-side, side, 65) for side in (reach / 8, min(reach, 8))])
    near = near[~np.isin(near, kinks)]
    slopes = np.abs(_slope(phi, near))
    # coefficients below count for nothing beside the slopes near the origin
    floor = 1e-3 * TOLERANCE * np.max(slopes[np.isfinite(slopes)])
    panels, singular = _bisected(phi, np.array(first[:-1]), np.array(first[1:]), floor)
    if not panels:
        return None
    merged = [(*panels[0], [panels[0]])]
    for low, high in panels[1:]:
        start, _, members = merged[-1]
        members = [*members, (low, high)]
        if low not in kinks and _joined(phi, start, high, floor, members):
            merged[-1] = (start, high, members)
        else:
            merged.append((low, high, members[-1:]))
    return Mesh(tuple(low for low, _, _ in merged[1:] if low not in kinks), SLOW if singular else 1.0)


def span(distance: float) -> float:
    """Return the next power of two, or beyond 512 the next 512*16^k, so that nearby points share a mesh."""
    step = 1 if distance <= 512 else 4
    return float(2.0 ** (9 + step * np.ceil((np.log2(distance + TINY) - 9) / step)))


def _slope(phi: Function, x: Any) -> Any:
    with np.errstate(all="ignore"):
        return phi.slope(FLOAT64, x)


def _series(phi: Function, low: Any, high: Any) -> NDArray[np.float64]:
    """Return the Legendre coefficients of the slope on (low, high), first axis; low and high may be arrays."""
    nodes, _ = FLOAT64.legendre(ORDER)
    values = _slope(phi, (low + high) / 2 + (high - low) / 2 * nodes.reshape(-1, *(1,) * np.ndim(low)))
    return np.tensordot(_transform(), values, axes=(0, 0))


@lru_cache
def _transform() -> NDArray[np.float64]:
    """Return the matrix from values at the nodes (first axis) to Legendre coefficients."""
    nodes, weights = FLOAT64.legendre(ORDER)
    basis = np.polynomial.legendre.legvander(nodes, ORDER - 1)
    return np.asarray(basis * (np.arange(ORDER) + 0.5) * weights[:, None])


def _ends_small(terms: NDArray[np.float64], floor: float, tolerance: Any = TOLERANCE) -> Any:
    size = np.abs(terms)
    return np.max(size[-2:], axis=0) <= np.maximum(tolerance * np.max(size, axis=0), floor)


def _rough(phi: Function, low: Any, high: Any, floor: float) -> Any:
    """Return which panels are rough: the series has not converged, or the integral of the slope is not the rise of phi.

    A panel on which phi rises by less than a rounding error is not rough.
    """
    nodes, weights = FLOAT64.legendre(ORDER)
    x = (low + high) / 2 + (high - low) / 2 * nodes[:, None]
    slope = _slope(phi, x)
    with np.errstate(all="ignore"):
        # at a kink, take the value on the side of the panel
        first, last = phi(FLOAT64, low), phi(FLOAT64, np.nextafter(high, low))
        gap = np.abs((high - low) / 2 * (weights @ slope) - (last - first))
        largest = np.max(np.abs(slope), axis=0)
        rise = (high - low) * largest + np.abs(last - first)
        hidden = ~(gap <= 1e-9 * rise + 1e-13 * (np.abs(first) + np.abs(last)) + floor * (high - low))
        ends_small = _ends_small(_series(phi, low, high), floor, _tolerance(phi, low, high))
        return (hidden | ~ends_small) & ~(rise <= floor * min(1.0, high[-1]))


def _tolerance(phi: Function, low: Any, high: Any) -> Any:
    """Return the tolerance of a series: next to a kink away from 0, the distance from it has a large rounding error."""
    kinks = np.array(phi.pieces.kinks, dtype=float)[:, None]
    distance = np.maximum(np.minimum(np.abs(low - kinks), np.abs(high - kinks)), (high - low) / 100)
    return np.maximum(TOLERANCE, np.max(10 * FLOAT64.epsilon * np.abs(kinks) / distance, axis=0, initial=0.0))


def _bisected(phi: Function, low: Any, high: Any, floor: float) -> tuple[list[tuple[float, float]], bool]:
    """Return the panels after rough ones have been bisected, and whether the slope is singular beside a kink.

    Return no panels if they become too many.
    """
    kinks = np.array(phi.pieces.kinks, dtype=float)
    for _ in range(FINEST):
        rough = _rough(phi, low, high, floor)
        ends = np.where(np.isin(low, kinks), low, np.where(np.isin(high, kinks), high, np.inf))
        width = np.where(ends == 0, NARROWEST, NARROW * np.maximum(np.abs(ends), 1))
        narrow = high - low < np.where(np.isfinite(ends), width, 0)
        singular, rough = bool(np.any(rough & narrow)), rough & ~narrow
        if not rough.any() or low.size > LARGEST:
            break
        middle = (low[rough] + high[rough]) / 2
        low = np.sort(np.concatenate([low, middle]))
        high = np.sort(np.concatenate([high, middle]))
    if rough.any():
        return [], singular
    return list(zip(low.tolist(), high.tolist(), strict=True)), singular


def _joined(phi: Function, low: float, high: float, floor: float, members: list[tuple[float, float]]) -> bool:
    """Return whether one series is accurate on (low, high), including at witnesses inside each of its `members`."""
    terms = _series(phi, low, high)
    witnesses = np.array([a + (b - a) * share for a, b in members for share in (0.1, 0.3, 0.6, 0.9)])
    series = np.polynomial.legendre.legval((2 * witnesses - low - high) / (high - low), terms)
    allowed = max(TOLERANCE * np.max(np.abs(terms)), floor)
    return bool(_ends_small(terms, floor) and np.max(np.abs(series - _slope(phi, witnesses))) <= 100 * allowed)
