"""Error of second moments because an activation is only known approximately."""

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from igbtheory.mathematics.averages.state import ZERO, Moments, Pairs
from igbtheory.mathematics.formulas.function import Function

T = TypeVar("T", Moments, Pairs)


def doubted(phi: Function, m: int, h: T, found: T) -> T:
    """Return the moments `found` of phi(M) with the error of the formula of phi added to their error.

    h: the moments of the pre-activations; M: the largest of m pre-activations, whose density is at most m times theirs.
    With e the distance of the formula from phi, E |e(h_a) phi(h_b)| is at most the product of the root mean squares.
    """
    error = _of_moments(phi, m, h, found) if isinstance(h, Moments) else _of_pairs(phi, m, h, found)
    return replace(found, error=found.error + error)


def _of_moments(phi: Function, m: int, h: Moments, found: Moments) -> Any:
    """Return the relative error of mean^2 + var_mu and of var_chi.

    The mean of an odd phi is 0 for any e, and the covariance of two centred functions of data of correlation c is at
    most c times the product of their standard deviations.
    """
    mean, var_mu, var_chi = (np.asarray(part, dtype=float) for part in (h.mean, h.var_mu, h.var_chi))
    centre, outer, inner = (np.asarray(part, dtype=float) for part in (found.mean, found.var_mu, found.var_chi))
    e = np.sqrt(m) * _distance(phi, mean, var_mu + var_chi)
    second = centre**2 + outer
    counted = second + e * e > ZERO**2 * (second + inner)
    with np.errstate(all="ignore"):
        shared = 2 * e * (np.abs(centre) + var_mu / (var_mu + var_chi) * np.sqrt(outer + inner))
        shared = np.where((shared > 0) & counted, shared / second, 0.0)
        own = np.where(e > 0, np.sqrt(8 / inner) * e, 0.0)
    return np.nan_to_num(np.maximum(shared, own), nan=np.inf)[()]


def _of_pairs(phi: Function, m: int, h: Pairs, found: Pairs) -> float:
    """Return the error of q_ab relative to sqrt(q_a q_b)."""
    sides = ((h.q_a, found.q_a), (h.q_b, found.q_b))
    return float(
        sum(
            np.max(np.sqrt(m / np.asarray(square, dtype=float)) * _distance(phi, 0.0, np.asarray(q, dtype=float)))
            for q, square in sides
        )
    )


def _distance(phi: Function, mean: Any, variance: Any) -> Any:
    return phi.doubt.root_mean_square(mean, np.sqrt(variance)) if phi.doubt else 0.0
