"""Rules for averages of phi over Gaussian units, or over the largest of m of them, that have no closed form.

Moments of one unit (`moments`), the first rule that serves:

1. a smooth phi: tables for many points (`moment_tables`), its Hermite series (`smooth`), or a sum of exponentials
   (`waves`);
2. a phi with kinks: tables in double precision (`moment_tables`), or all pairs of kinks if phi consists
   of more than four straight lines (`broken_lines`) or of a straight line with the steps of a floor (`stairs`);
3. quadrature on panels between the kinks, in any number of digits (`quadrature`);
4. what panels do not resolve, in double precision: the Hermite series of any formula (`any_formula`).

Kernels of pairs of units (`product`):

1. a smooth phi: `smooth`, or `waves`;
2. a phi with kinks, in double precision: truncated powers and a series (`kinked_kernel`);
3. interpolated mean slopes for a data set, in double precision (`kernel_tables`);
4. `any_formula`; for few pairs, or in more digits, `quadrature` pair by pair.

The largest of m > 1 units: `maximum`, or `moment_tables` for many points and `kernel_tables` for many pairs.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations.threads import one_thread
from igbtheory.mathematics.averages import (
    any_formula,
    broken_lines,
    kernel_tables,
    kinked_kernel,
    maximum,
    moment_tables,
    quadrature,
    smooth,
    stairs,
    waves,
)
from igbtheory.mathematics.averages.maximum import IDENTITY
from igbtheory.mathematics.averages.mesh import UnresolvedError
from igbtheory.mathematics.averages.resolved import is_rough
from igbtheory.mathematics.averages.state import Moments, is_centred
from igbtheory.mathematics.averages.steepness import steepness
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.numbers import FLOAT64, Float64, Kind

MANY = 64
"""Points of a sweep from which on a table of maxima takes less time than a double integral at each point."""
MANY_PAIRS = 1000
"""Pairs from which on quadrature pair by pair takes seconds."""
MANY_KINKS = 16
"""Number of kinks beyond which a series takes less time than panels between the kinks in two dimensions."""
BLOCK = 2**9
"""Variances at which panels are held at once: each may have thousands of nodes."""
FEW = 3
"""Number of kinks of a piecewise linear function beyond which its own rule takes less time than a table."""


def moments(n: Kind, phi: Function | None, h: Moments, m: int = 1) -> Moments:
    """Return the moments of phi(M) for any formula, at all points of a sweep, with the error of the rule."""
    phi = phi or IDENTITY
    if m > 1 and phi.degree is not None and not np.any(h.mean) and np.all(h.variance):
        return _of_homogeneous(n, phi, h, m)
    return _unscaled(n, phi, h, m)


def _of_homogeneous(n: Kind, phi: Function, h: Moments, m: int) -> Moments:
    """Return the moments if phi(a x) = a^degree phi(x), a > 0: scaled from variance 1, so that sweeps share a table."""
    q = n.number(h.variance)
    power = n.sqrt(q) ** n.number(phi.degree)
    at_one = _unscaled(n, phi, replace(h, var_mu=h.var_mu / q, var_chi=h.var_chi / q), m)
    return replace(at_one, mean=power * at_one.mean, var_mu=power**2 * at_one.var_mu, var_chi=power**2 * at_one.var_chi)


def _unscaled(n: Kind, phi: Function, h: Moments, m: int) -> Moments:
    """Return the moments at the points as they are."""
    given = [n.number(part) for part in (h.mean, h.var_mu, h.var_chi)]
    if not any(isinstance(part, np.ndarray) for part in given):
        mean, var_mu, var_chi, error = _at_point(n, phi, m, *given)
        return Moments(mean, var_mu, var_chi, float(error))
    arrays = np.broadcast_arrays(*given)
    rows = _at_points(n, phi, m, np.array([part.ravel() for part in arrays]))
    mean, var_mu, var_chi, error = (part.reshape(arrays[0].shape) for part in rows)
    return Moments(mean, var_mu, var_chi, error.astype(float))


@lru_cache(maxsize=256)
def _at_point(n: Kind, phi: Function, m: int, *point: Any) -> tuple[Any, ...]:
    """Return mean, var_mu, var_chi and error at one point, which a deep network repeats in every layer."""
    return tuple(_at_points(n, phi, m, np.array(point)[:, None])[:, 0])


def _at_points(n: Kind, phi: Function, m: int, points: NDArray[Any]) -> NDArray[Any]:
    """Return rows mean, var_mu, var_chi and error at the points, whose rows are mean, var_mu, var_chi of h.

    Series and tables serve many points at once; the points at which they miss the goal are integrated one by one.
    """
    rows = np.empty((4, points.shape[1]), dtype=points.dtype)
    rows[3] = n.number(1)
    goal, double = max(n.goal, moment_tables.GOAL), isinstance(n, Float64)
    rule = partial(_by_panels, n, phi) if m == 1 else partial(maximum.moments, n, phi, m)
    if double and points.shape[1] >= (MANY if m > 1 else moment_tables.SWEPT) and (m > 1 or phi.smooth):
        moment_tables.fill(phi, m, points, rows)
    if m == 1 and phi.smooth:
        goal = n.goal
        smooth.fill(n, phi, points, rows)
        if double:
            _fill_of_one_variance(partial(quadrature.of_one_variance, n, phi), points, rows)
        _fill_waves(n, phi, points, rows)
    elif m == 1 and (stepped := stairs.stairs(n, phi)) is not None:
        rule = partial(_by_stairs, n, phi, stepped)
        if double:
            _fill_of_one_variance(stepped.of_one_variance, points, rows)
    elif m == 1 and len(phi.kinks) > FEW and (lines := broken_lines.lines(n, phi)) is not None:
        rule = partial(broken_lines.moments, lines)
        if double:
            _fill_of_one_variance(lines.of_one_variance, points, rows)
    elif m == 1 and double:
        moment_tables.fill(phi, m, points, rows)
        if len(phi.pieces.kinks) <= MANY_KINKS:
            _fill_of_one_variance(partial(quadrature.of_one_variance, n, phi), points, rows)
    for i in np.flatnonzero(~(rows[3] <= goal)):
        with one_thread():
            last = rule(*points[:, i])
        if last[3] < rows[3, i] or not rows[3, i] < 1:
            rows[:, i] = last
    return rows


def _fill_waves(n: Kind, phi: Function, points: NDArray[Any], rows: NDArray[Any]) -> None:
    """Write the moments of a sum of exponentials at the points that have no moments yet."""
    unreached = np.flatnonzero(~(rows[3] <= n.goal))
    exponentials = waves.terms(n, phi) if unreached.size else None
    if exponentials is None:
        return
    whole = [points[:, unreached]] if isinstance(n, Float64) else points[:, unreached].T
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        columns = [np.reshape(np.array(waves.moments(n, exponentials, phi.parity, *part)), (4, -1)) for part in whole]
    rows[:, unreached] = np.concatenate(columns, axis=1)


def _fill_of_one_variance(rule: Callable[..., tuple[Any, ...]], points: NDArray[Any], rows: NDArray[Any]) -> None:
    """Write the moments of the points at which var_mu or var_chi is 0, as on a data set.

    rule: returns means, variances and relative errors of phi from one mean and an array of standard deviations.
    """
    mean, var_mu, var_chi = points
    q = var_mu + var_chi
    missing = ~(rows[3] <= FLOAT64.goal)
    alone = np.flatnonzero(missing & (mean == mean[0]) & (q > 0) & ((var_mu == 0) | (var_chi == 0)))
    sizes = np.rint(np.log2(q[alone]))
    for size in np.unique(sizes):
        inside = alone[sizes == size]
        for part in np.array_split(inside, 1 + inside.size // BLOCK):
            with suppress(UnresolvedError), one_thread():
                average, total, error = rule(mean[0], np.sqrt(q[part]))
                rows[:, part] = average, total * (var_mu[part] > 0), total * (var_chi[part] > 0), error


def _best(rules: Iterable[Callable[[], Any]]) -> Any:
    """Return the first result whose error, its last entry, reaches the goal, or else the one with the smallest error.

    A rule that does not apply returns None or raises UnresolvedError.
    """
    candidates = []
    for rule in rules:
        with suppress(UnresolvedError):
            result = rule()
            if result is not None:
                candidates.append(result)
                if result[-1] <= moment_tables.GOAL:
                    break
    return min(candidates, key=lambda one: float(one[-1]))


def _by_panels(n: Kind, phi: Function, *point: Any) -> Any:
    """Return the moments at a point by panels or by `any_formula`, whichever has the smaller error.

    The second rule is not tried if the first reaches the goal. With many kinks, `any_formula` is the faster one. A
    series in double precision cannot improve on panels that resolve a smooth phi, or on more digits.
    """

    def by_series() -> Any:
        return tuple(map(n.number, any_formula.moments(phi, *map(float, point))))

    panels = partial(quadrature.moments, n, phi, *point)
    if phi.smooth or not isinstance(n, Float64) or not any(point[1:]):
        try:
            return panels()
        except UnresolvedError:
            return by_series()
    return _best([by_series, panels] if len(phi.pieces.kinks) > MANY_KINKS else [panels, by_series])


def _by_stairs(n: Kind, phi: Function, stepped: stairs.Stairs, *point: Any) -> Any:
    """Return the moments at a point of `stairs`, or of `any_formula` where their terms cancel in double precision."""
    rules = [partial(stepped.moments, *point)]
    if isinstance(n, Float64):
        rules.append(partial(any_formula.moments, phi, *map(float, point)))
    return _best(rules)


def product(n: Kind, phi: Function | None, m: int, pair: tuple[Any, Any, Any], mean: Any) -> tuple[Any, Any]:
    """Return E phi(M_a) phi(M_b) of two data, as `gaussian.product` does, and its estimated relative error."""
    phi = phi or IDENTITY
    if m > 1:
        return _of_maxima(n, phi, m, pair, n.number(mean))
    values, error = _best(_rules(n, phi, pair, mean))
    return values, error * steepness(n, phi, *pair)


def _rules(n: Kind, phi: Function, pair: tuple[Any, Any, Any], mean: Any) -> Iterator[Callable[[], Any]]:
    """Yield the rules for the mean products of single units, the fastest first."""
    centre, double = n.number(mean), isinstance(n, Float64)
    panels, of_any_formula = (partial(rule, n, phi, pair, centre) for rule in (_by_panels_each, _of_any_formula))
    if phi.smooth:
        yield partial(smooth.product, n, phi, pair, centre)
    if not double:
        yield panels
        yield of_any_formula
        return
    if phi.smooth and (terms := waves.terms(n, phi)) is not None:
        yield partial(waves.pairs, n, terms, pair, centre)
    many, of_kinks = np.size(pair[2]) > MANY_PAIRS, None
    if not phi.smooth and (kinked := kinked_kernel.kinked(phi)) is not None:
        with suppress(UnresolvedError):
            of_kinks = kinked_kernel.product(kinked, pair, float(mean))
            yield lambda: of_kinks
            if kinked.exact:  # it has rounding errors only
                return
    if is_centred(mean):
        yield partial(kernel_tables.kernel, phi, 1, pair)
    if many and of_kinks is not None:  # a long series at each of many variances takes too much time
        return
    yield of_any_formula
    if not many and not is_rough(phi, float(mean), float(np.sqrt(np.max(pair[0])))):
        yield panels


def _by_panels_each(n: Kind, phi: Function, pair: tuple[Any, Any, Any], mean: Any) -> tuple[Any, float]:
    """Return the mean products by panels, pair by pair."""
    return _pair_by_pair(partial(quadrature.product, n, phi, mean), pair)


def _pair_by_pair(rule: Callable[..., tuple[Any, Any]], pair: tuple[Any, Any, Any]) -> tuple[Any, float]:
    """Return the values and the largest error of a rule for one pair; pairs that are equal are computed once."""
    q_a, q_b, q_ab = np.broadcast_arrays(*pair)
    pairs = [(*sorted(of_two), ab) for *of_two, ab in zip(*map(np.ravel, (q_a, q_b, q_ab)), strict=True)]
    products = {one: rule(*one) for one in dict.fromkeys(pairs)}
    values, errors = zip(*map(products.__getitem__, pairs), strict=True)
    return np.array(values).reshape(q_ab.shape)[()], float(max(errors))


def _of_any_formula(n: Kind, phi: Function, pair: tuple[Any, Any, Any], mean: Any) -> tuple[Any, Any]:
    """Return the mean products by the Hermite series of any formula, computed in double precision."""
    q_a, q_b, q_ab = (np.asarray(part, dtype=float) for part in pair)
    values, error = any_formula.product(phi, (q_a, q_b, q_ab), float(mean))
    return n.number(values), error


def _of_maxima(n: Kind, phi: Function, m: int, pair: tuple[Any, Any, Any], mean: Any) -> tuple[Any, Any]:
    """Return the products of maxima; if phi is homogeneous the variances factor out, and only the angle is left."""
    scale = n.number(1)
    if phi.degree is not None and not mean:
        q_a, q_b, q_ab = pair
        root_a, root_b = n.sqrt(q_a), n.sqrt(q_b)
        pair = (1 + 0 * q_a, 1 + 0 * q_b, n.correlation(q_ab, root_a * root_b))
        scale = (root_a * root_b) ** n.number(phi.degree)
    table = kernel_tables.kernel(phi, m, pair) if isinstance(n, Float64) and not mean else None
    values, error = table or _pair_by_pair(partial(maximum.product, n, phi, m, mean), pair)
    return scale * values, error
