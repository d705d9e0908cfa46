"""Averages of phi over Gaussian units, or over the largest of m of them: which rule computes which average.

For one unit it is the closed form where that is known. A smooth phi is summed over its Hermite series (`mehler`), or
as a sum of waves where the series does not end (`waves`). The moments of a kinked phi come from tables
(`moment_tables`) or, where it is piecewise linear with many kinks, from pairs of kinks (`broken_lines`), and its kernel
comes from products of truncated powers (`kinked_kernel`). `quadrature` computes what is left, and in double precision
`any_formula` what panels do not resolve, and the kernels of other kinked formulas.
The largest of m > 1 units: `maximum`, and tables for sweeps of many points. Pairs of many data: `kernel_tables`.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from igbtheory.averages import (
    any_formula,
    broken_lines,
    kernel_tables,
    kinked_kernel,
    maximum,
    moment_tables,
    quadrature,
    smooth,
    waves,
)
from igbtheory.averages.kinked_kernel import Kinked
from igbtheory.averages.maximum import IDENTITY
from igbtheory.averages.mesh import UnresolvedError
from igbtheory.averages.resolved import is_rough
from igbtheory.averages.state import Moments
from igbtheory.formulas.function import ClosedForm, Function
from igbtheory.numbers import Float64, Kind
from igbtheory.numbers.sweeps import at_points
from igbtheory.numbers.threads import one_thread

MANY = 64
"""Points of a sweep from which on a table of maxima takes less time than a double integral at each point."""
MANY_PAIRS = 1000
"""Pairs from which on quadrature pair by pair takes seconds."""
ROUGH = 1e-3
"""Relative error beyond which the result of a series, or of a sum of waves, is not used."""
MANY_KINKS = 16
"""Kinks beyond which a series from nodes takes less time than panels between the kinks in two dimensions."""
BLOCK = 2**9
"""Variances at which panels are held at once."""
FEW = 3
"""Kinks of a piecewise linear function beyond which its own rule takes less time than a table."""


def moments(n: Kind, phi: Function | None, m: int, h: Moments) -> Moments:
    """Return the moments of phi(M), M the largest of m units with the moments `h`; phi = None is the identity.

    A mean that is the integer 0 marks centred units, for which closed forms hold.
    """
    if phi is None and m == 1:
        return h
    phi = phi or IDENTITY
    if m > 1 or phi.closed is None or not h.centred:
        return integrated(n, phi, h, m)
    return Moments(
        phi.closed.mean(n, h.variance),
        phi.closed.shared(n, h.var_mu, h.var_chi),
        phi.closed.spread(n, h.var_mu, h.var_chi),
        _grown(phi, h) + _rounding(n, phi, h.variance),
    )


def _grown(phi: Function, h: Moments) -> Any:
    """Return the relative error of the moments of phi that comes from h; a power p multiplies that of the scale."""
    return h.error + max(0.0, float(phi.degree or 1) - 1) * (h.error if h.of_scale is None else h.of_scale)


def _rounding(n: Kind, phi: Function, q: Any) -> Any:
    """Relative error of a closed form: angles near pi/2, which inhomogeneous ones have at large q, lose sqrt(q)."""
    lost = phi.closed.roundings * n.epsilon if phi.closed else 0.0
    return lost if phi.degree is not None else lost + n.epsilon * np.sqrt(np.asarray(q, dtype=float))[()]


def integrated(n: Kind, phi: Function, h: Moments, m: int = 1) -> Moments:
    """Return the moments of phi(M) without closed forms, for any formula and at all points of a sweep."""
    if m > 1 and phi.degree is not None and not np.any(h.mean) and np.all(h.variance):
        return _of_homogeneous(n, phi, h, m)
    return _unscaled(n, phi, h, m)


def _of_homogeneous(n: Kind, phi: Function, h: Moments, m: int) -> Moments:
    """Moments where phi(a x) = a^degree phi(x), a > 0: those at variance 1, scaled, so that sweeps share a table."""
    q = n.number(h.variance)
    power = n.sqrt(q) ** n.number(phi.degree)
    found = _unscaled(n, phi, replace(h, var_mu=h.var_mu / q, var_chi=h.var_chi / q), m)
    return replace(found, mean=power * found.mean, var_mu=power**2 * found.var_mu, var_chi=power**2 * found.var_chi)


def _unscaled(n: Kind, phi: Function, h: Moments, m: int) -> Moments:
    """Moments at the points as they are."""
    parts = [n.number(part) for part in (h.mean, h.var_mu, h.var_chi)]
    shape = np.broadcast_shapes(*map(np.shape, parts))
    if shape:
        points = np.array([np.ravel(np.broadcast_to(part, shape)) for part in parts])
        mean, var_mu, var_chi, lost = (part.reshape(shape) for part in _at_points(n, phi, m, points))
    else:
        mean, var_mu, var_chi, lost = _at_point(n, phi, m, *parts)
    return Moments(mean, var_mu, var_chi, _grown(phi, h) + np.asarray(lost, dtype=float)[()])


@lru_cache(maxsize=256)
def _at_point(n: Kind, phi: Function, m: int, *point: Any) -> tuple[Any, ...]:
    """Mean, var_mu, var_chi and error at one point: a deep network comes back to its fixed point layer by layer."""
    return tuple(_at_points(n, phi, m, np.array(point)[:, None])[:, 0])


def _at_points(n: Kind, phi: Function, m: int, points: NDArray[Any]) -> NDArray[Any]:
    """Rows mean, var_mu, var_chi and error at the points, whose rows are mean, var_mu, var_chi of h.

    What the series or the tables cannot resolve is left to panels, point by point.
    """
    found = np.empty((4, points.shape[1]), dtype=points.dtype)
    found[3] = n.number(1)
    unkinked = m == 1 and phi.smooth
    lines = broken_lines.lines(n, phi) if m == 1 and len(phi.kinks) > FEW else None
    if unkinked:
        _fill_smooth(n, phi, points, found)
    elif isinstance(n, Float64):
        if points.shape[1] >= MANY if m > 1 else lines is None:
            moment_tables.fill(phi, m, points, found)
        if m == 1 and (lines or len(phi.pieces.kinks) <= MANY_KINKS):
            of_one_variance = lines.of_one_variance if lines else partial(quadrature.of_one_variance, n, phi)
            _fill_of_one_variance(of_one_variance, points, found)
    allowed = n.goal if unkinked else max(n.goal, moment_tables.GOAL)
    rule = partial(_by_panels, n, phi) if m == 1 else partial(maximum.moments, n, phi, m)
    if lines is not None:
        rule = partial(broken_lines.moments, lines)
    for i in np.flatnonzero(~(found[3] <= allowed)):
        with one_thread():
            last = rule(*points[:, i])
        if not unkinked or last[3] < found[3, i] or not found[3, i] <= ROUGH:  # sums of waves may be better
            found[:, i] = last
    return found


def _fill_smooth(n: Kind, phi: Function, points: NDArray[Any], found: NDArray[Any]) -> None:
    """Write the moments of a smooth phi: by its series, and as a sum of waves where the series does not end."""
    smooth.fill(n, phi, points, found)
    left = np.flatnonzero(~(found[3] <= n.goal))
    known = waves.terms(n, phi) if left.size else None
    if known is None:
        return
    whole = [points[:, left]] if isinstance(n, Float64) else points[:, left].T
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        parts = [np.reshape(np.array(waves.moments(n, known, phi.parity, *part)), (4, -1)) for part in whole]
    found[:, left] = np.concatenate(parts, axis=1)


def _fill_of_one_variance(rule: Callable[..., tuple[Any, ...]], points: NDArray[Any], found: NDArray[Any]) -> None:
    """Write the moments of the points at which var_mu or var_chi is 0, as on a data set.

    rule: returns means, variances and relative errors of phi from one mean and an array of standard deviations.
    """
    mean, var_mu, var_chi = points
    q = var_mu + var_chi
    alone = np.flatnonzero((mean == mean[0]) & (q > 0) & ((var_mu == 0) | (var_chi == 0)))
    sizes = np.rint(np.log2(q[alone]))
    for size in np.unique(sizes):
        inside = alone[sizes == size]
        for part in np.array_split(inside, 1 + inside.size // BLOCK):
            with suppress(UnresolvedError), one_thread():
                average, total, lost = rule(mean[0], np.sqrt(q[part]))
                found[:, part] = average, total * (var_mu[part] > 0), total * (var_chi[part] > 0), lost


def _by_panels(n: Kind, phi: Function, *point: Any) -> Any:
    """Moments at a point by panels, or by `any_formula` where they resolve too little, or take long for many kinks."""
    either = isinstance(n, Float64) and any(point[1:])
    if either and len(phi.pieces.kinks) > MANY_KINKS:
        found = any_formula.moments(phi, *map(float, point))
        if found[3] <= moment_tables.GOAL:
            return found
    try:
        last = quadrature.moments(n, phi, *point)
    except UnresolvedError:
        return tuple(map(n.number, any_formula.moments(phi, *map(float, point))))
    if phi.smooth or not either or last[3] <= moment_tables.GOAL:
        return last
    return min(any_formula.moments(phi, *map(float, point)), last, key=lambda found: float(found[3]))


def second_moment(n: Kind, phi: Function | None, m: int, q: Any, mean: Any = 0) -> Any:
    """Return E phi(M)^2, M the largest of m units of variance q, a number or an array, and of one mean."""
    x = moments(n, phi, m, Moments(mean, 0 * q, q))
    return x.mean * x.mean + x.variance


def product(n: Kind, phi: Function | None, m: int, pair: tuple[Any, Any, Any], mean: Any = 0) -> tuple[Any, Any]:
    """Return E phi(M_a) phi(M_b) of two data and its estimated relative error.

    pair: variances and covariance (q_a, q_b, q_ab) of the units, of any sign, arrays that broadcast; mean: of both, a
    number or an array with them. The mean of slopes is that of `phi.derivative` where phi has no jumps.
    """
    if np.ndim(mean):
        values, errors = at_points(lambda *point: product(n, phi, m, point[:3], point[3]), *pair, mean)
        return values, float(np.max(errors))
    if m > 1:
        return _of_maxima(n, phi or IDENTITY, m, pair, n.number(mean))
    if phi is None:
        return pair[2] + mean * mean, 0.0
    if closed := _closed(phi, mean):
        means = closed.mean(n, pair[0]) * closed.mean(n, pair[1])
        return closed.covariance(n, *pair) + means, closed.roundings * n.epsilon * steepness(n, phi, *pair)
    centre = n.number(mean)
    if phi.smooth:
        series, error = smooth.product(n, phi, pair, centre)
        if error <= n.goal:
            return series, error
        if isinstance(n, Float64) and (known := waves.terms(n, phi)) is not None:
            waved, error = waves.pairs(n, known, pair, centre)
            if error <= moment_tables.GOAL:
                return waved, error
    elif isinstance(n, Float64) and (split := _kinked(phi, pair, mean)) is not None:
        with suppress(UnresolvedError):
            values, error = kinked_kernel.product(split, pair, float(mean))
            return values, error * steepness(n, phi, *pair)
    if isinstance(n, Float64):
        values, error = any_formula.product(phi, pair, float(mean))
        if error <= moment_tables.GOAL or is_rough(phi, float(mean), float(np.sqrt(np.max(pair[0])))):
            return values, error * steepness(n, phi, *pair)
    largest = (phi, 1) if _is_zero(mean) else None
    rule, square = partial(_product_by_panels, n, phi, centre), partial(second_moment, n, phi, 1, mean=mean)
    return kernel_tables.kernel(n, rule, square, pair, largest)


def _kinked(phi: Function, pair: tuple[Any, Any, Any], mean: Any) -> Kinked | None:
    """Return phi as powers and a rest where the sum of both is the best rule for these pairs.

    Where a rest is left, mean slopes take less time if all kinks are 0 or the variances are equal, and panels for few
    pairs.
    """
    known = kinked_kernel.kinked(phi)
    if known is None or known.exact:
        return known
    low, high = kernel_tables.span(*pair[:2])
    alike = _is_zero(mean) and (low == high or not any(phi.kinks))
    return known if np.size(pair[2]) > MANY_PAIRS and not alike else None


def _product_by_panels(n: Kind, phi: Function, *point: Any) -> Any:
    """E phi(h_a) phi(h_b) at one mean and pair, and its error, by panels or else by `any_formula`."""
    try:
        return quadrature.product(n, phi, *point)
    except UnresolvedError:
        mean, q_a, q_b, q_ab = map(np.float64, point)
        return tuple(map(n.number, any_formula.product(phi, (q_a, q_b, q_ab), mean)))


def _of_maxima(n: Kind, phi: Function, m: int, pair: tuple[Any, Any, Any], mean: Any) -> tuple[Any, Any]:
    """Product of maxima; where phi is homogeneous the variances factor out, so that one angle is left of a pair."""
    scale = n.number(1)
    if phi.degree is not None and not mean:
        q_a, q_b, q_ab = pair
        root_a, root_b = n.sqrt(q_a), n.sqrt(q_b)
        pair = (1 + 0 * q_a, 1 + 0 * q_b, n.correlation(q_ab, root_a * root_b))
        scale = (root_a * root_b) ** n.number(phi.degree)
    square = partial(second_moment, n, phi, m, mean=mean)
    largest = None if mean else (phi, m)
    values, error = kernel_tables.kernel(n, partial(maximum.product, n, phi, m, mean), square, pair, largest)
    return scale * values, error


def _is_zero(mean: Any) -> bool:
    return isinstance(mean, int) and mean == 0


def _closed(phi: Function, mean: Any) -> ClosedForm | None:
    """Closed forms of phi for units of that mean."""
    return phi.closed if _is_zero(mean) else None


def steepness(n: Kind, phi: Function, q_a: Any, q_b: Any, q_ab: Any) -> float:
    """Return the factor by which phi magnifies an error of the correlation c: 1, or 1/sqrt(1 - c^2) where phi jumps.

    Where phi is a power p < 1/2, it is (1 - c^2)^(p - 1/2). It is the factor of the closest pair of different data:
    c = 1 of equal data is exact.
    """
    power = 0.5 if any(phi.pieces.jumps(n)) else max(0.5 - float(1 if phi.degree is None else phi.degree), 0.0)
    if not power:
        return 1.0
    c = q_ab / n.sqrt(q_a * q_b)
    left = np.asarray(np.maximum(1 - c * c, n.epsilon), dtype=float)
    unlike = np.broadcast_to((q_ab != q_a) | (q_ab != q_b), left.shape)
    return float(np.max(left**-power, where=unlike, initial=1.0))
