"""Means E x^j y^k of a centred Gaussian pair over x, y > 0, and averages of formulas with a kink at 0."""

from functools import lru_cache
from typing import Any

import sympy as sp

Powers = dict[int, Any]
"""Coefficients of a polynomial by power."""


def of_pair(below: Powers, above: Powers, q: Any, v: Any) -> Any:
    """Return E phi(h_a) phi(h_b), where phi(h) is the polynomial `above` for h > 0 and `below` for h < 0.

    h_a and h_b are centred, with the variance q and the covariance v.
    """
    mirrored = {k: (-1) ** k * a for k, a in below.items()}
    quarters = ((above, above, v), (mirrored, mirrored, v), (above, mirrored, -v), (mirrored, above, -v))
    return sum(
        a * b * quadrant(j, k, q, covariance)
        for one, other, covariance in quarters
        for j, a in one.items()
        for k, b in other.items()
    )


@lru_cache(maxsize=4096)
def quadrant(j: int, k: int, q: Any, v: Any) -> Any:
    """Return the mean of x^j y^k over x > 0 and y > 0, by Stein's lemma with a boundary term at x = 0."""
    if j < k:
        return quadrant(k, j, q, v)
    if j == 0:
        return sp.Rational(1, 4) + sp.asin(v / q) / (2 * sp.pi)
    total = sp.Integer(0)
    if j > 1:
        total += (j - 1) * q * quadrant(j - 2, k, q, v)
    else:
        total += q * _edge(k, q, v)
    # without a power of y, the derivative of the step at y = 0 is left: a delta function
    return total + v * (k * quadrant(j - 1, k - 1, q, v) if k else _edge(j - 1, q, v))


def _edge(k: int, q: Any, v: Any) -> Any:
    """Return the mean of delta(x) y^k over y > 0."""
    # given x = 0, y has the variance q - v^2/q; the density of x at 0 is 1/sqrt(2 pi q)
    return half_moment(k) * (q - v**2 / q) ** sp.Rational(k, 2) / sp.sqrt(2 * sp.pi * q)


def half_moment(k: int) -> Any:
    """Return the mean of z^k over z > 0, z standard normal."""
    return 2 ** sp.Rational(k, 2) * sp.gamma(sp.Rational(k + 1, 2)) / (2 * sp.sqrt(sp.pi))
