"""Averages of phi(M), M the largest of m Gaussian units, over sweeps and over arrays of pairs."""

from functools import partial
from typing import Any

import numpy as np

from igbtheory.averages import maxima
from igbtheory.averages import moments as single
from igbtheory.averages.moments import Moments
from igbtheory.averages.pairwise import pairwise
from igbtheory.formulas.function import Function
from igbtheory.numbers import Kind
from igbtheory.numbers.sweeps import at_points
from igbtheory.numbers.threads import one_thread


def moments(n: Kind, phi: Function | None, m: int, h: Moments) -> Moments:
    """Moments of phi(M), units with the moments `h`; phi = None is the identity."""
    if m == 1:
        return h if phi is None else single.moments(n, phi, h)
    with one_thread():
        mean, var_mu, var_chi, error = at_points(
            partial(maxima.moments, n, phi, m), *map(n.number, (h.mean, h.var_mu, h.var_chi))
        )
    return Moments(mean, var_mu, var_chi, h.error + np.asarray(error, dtype=float)[()])


def second_moment(n: Kind, phi: Function | None, m: int, q: Any) -> Any:
    """Mean E phi(M)^2 of centred units of variance q, a number or an array."""
    if m == 1:
        return q if phi is None else single.second_moment(n, phi, q)
    values = [maxima.second_moment(n, phi, m, variance, n.number(0)) for variance in np.ravel(q)]
    return np.array(values).reshape(np.shape(q))[()]


def product(n: Kind, phi: Function | None, m: int, pair: tuple[Any, Any, Any], mean: Any = 0) -> tuple[Any, Any]:
    """Mean E phi(M_a) phi(M_b) and its estimated relative error.

    pair: variances and covariance (q_a, q_b, q_ab), arrays that broadcast; mean: of both, a number or
    an array with them.
    """
    if m == 1 and not np.ndim(mean):
        return (pair[2] + mean * mean, 0.0) if phi is None else single.product(n, phi, *pair, mean)
    if m == 1:
        values, errors = at_points(lambda a, b, ab, centre: product(n, phi, 1, (a, b, ab), centre), *pair, mean)
        return values, float(np.max(errors))
    centre, degree = n.number(mean), 1 if phi is None else phi.degree
    scale = n.number(1)
    if degree is not None and not np.any(centre):  # the variances factor out
        q_a, q_b, q_ab = pair
        root_a, root_b = n.sqrt(q_a), n.sqrt(q_b)
        pair, scale = (
            (1 + 0 * q_a, 1 + 0 * q_b, n.correlation(q_ab, root_a * root_b)),
            (root_a * root_b) ** n.number(degree),
        )
    values, error = pairwise(
        n,
        lambda a, b, ab: maxima.product(n, phi, m, a, b, ab, centre),
        lambda q: maxima.second_moment(n, phi, m, q, centre),
        pair,
    )
    return scale * values, error
