"""Error of second moments because an activation is only known approximately."""

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from igbtheory.mathematics.averages.state import ZERO, Moments, Pairs
from igbtheory.mathematics.formulas.function import Function

T = TypeVar("T", Moments, Pairs)


def doubted(phi: Function, m: int, h: T, of_phi: T) -> T:
    """Return the moments `of_phi` of phi(M) with the error of the formula of phi added to their error.

    h: the moments of the pre-activations; M: the largest of m pre-activations, whose density is at most m times theirs.
    With e the distance of the formula from phi, E |e(h_a) phi(h_b)| is at most the product of the root mean squares.
    """
    if isinstance(h, Moments):
        return replace(of_phi, error=of_phi.error + _of_moments(phi, m, h, of_phi))
    error = of_phi.error + _of_pairs(phi, m, h, of_phi)
    return replace(of_phi, errors=replace(of_phi.errors, product=error))


def _of_moments(phi: Function, m: int, h: Moments, of_phi: Moments) -> Any:
    """Return the relative error of mean^2 + var_mu and of var_chi.

    The mean of an odd phi is 0 for any e, and the covariance of two centred functions of data of correlation c is at
    most c times the product of their standard deviations.
    """
    mean, var_mu, var_chi = (np.asarray(part, dtype=float) for part in (h.mean, h.var_mu, h.var_chi))
    centre, outer, inner = (np.asarray(part, dtype=float) for part in (of_phi.mean, of_phi.var_mu, of_phi.var_chi))
    e = np.sqrt(m) * _distance(phi, mean, var_mu + var_chi)
    second = centre**2 + outer
    # a mean product that is 0 up to rounding errors has no relative error
    counted = second + e * e > ZERO**2 * (second + inner)
    with np.errstate(all="ignore"):
        product_error = 2 * e * (np.abs(centre) + var_mu / (var_mu + var_chi) * np.sqrt(outer + inner))
        product_error = np.where((product_error > 0) & counted, product_error / second, 0.0)
        # var_chi is half the mean square of phi_a - phi_b, and e_a - e_b has a root mean square of at most 2 e
        chi_error = np.where(e > 0, np.sqrt(8 / inner) * e, 0.0)
    return np.nan_to_num(np.maximum(product_error, chi_error), nan=np.inf)[()]


def _of_pairs(phi: Function, m: int, h: Pairs, of_phi: Pairs) -> float:
    """Return the error of q_ab relative to sqrt(q_a q_b)."""
    sides = ((h.q_a, of_phi.q_a), (h.q_b, of_phi.q_b))
    return float(
        sum(
            np.max(np.sqrt(m / np.asarray(square, dtype=float)) * _distance(phi, 0.0, np.asarray(q, dtype=float)))
            for q, square in sides
        )
    )


def _distance(phi: Function, mean: Any, variance: Any) -> Any:
    return phi.doubt.root_mean_square(mean, np.sqrt(variance)) if phi.doubt else 0.0
