"""Kernels that cost a quadrature a pair, at arrays of pairs."""

from collections.abc import Callable
from typing import Any

import numpy as np

from igbtheory.averages.interpolation import interpolated
from igbtheory.numbers import Float64, Kind

Rule = Callable[[Any, Any, Any], tuple[Any, Any]]


def pairwise(
    n: Kind,
    rule: Rule,
    second: Callable[[Any], Any],
    pair: tuple[Any, Any, Any],
    *,
    parity: int = 0,
) -> tuple[Any, float]:
    """Values of a `rule` for one pair (q_a, q_b, q_ab) at arrays of pairs, and their largest error.

    second: E phi^2 at one variance; pair: (q_a, q_b, q_ab), arrays that broadcast; parity: of phi. The pairs of a data
    set, q_a (rows, 1) with q_b (1, columns), are interpolated in double precision.
    """
    pairs = np.broadcast_arrays(*pair)
    if isinstance(n, Float64) and pairs[0].ndim == 2 and pairs[0].shape == (np.size(pair[0]), np.size(pair[1])):
        return interpolated(
            lambda *points: _each(rule, *points),
            lambda q: np.array([second(x) for x in q]),
            pair[0],
            np.ravel(pair[1]),
            pairs[2],
            parity=parity,
        )
    values, errors = _each(rule, *pairs)
    return values[()], float(np.max(errors))


def _each(rule: Rule, q_a: Any, q_b: Any, q_ab: Any) -> tuple[Any, Any]:
    """Values and errors pair by pair: a pair and the same in reverse are one."""
    pairs = [(*sorted(pair), ab) for *pair, ab in zip(*map(np.ravel, (q_a, q_b, q_ab)), strict=True)]
    found = {pair: rule(*pair) for pair in dict.fromkeys(pairs)}
    values, errors = (np.array(part).reshape(np.shape(q_ab)) for part in zip(*map(found.get, pairs), strict=True))
    return values, errors
