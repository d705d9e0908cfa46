"""BatchNorm on a given data set: exact for homogeneous phi, centring and scaling for any other.

Over the weights, the units of a Dense are a Gaussian vector g over the data, its covariance the kernel K. A batch of n
is centred, J = C K C, and divided by s = sqrt(|g|^2/n + eps), which is random too. For phi(a x) = a^p phi(x), a > 0,

    E phi(g_a) phi(g_b)/s^(2p) = (1/Gamma(p)) int_0^inf t^(p-1) exp(-t eps) det(1 + 2 t J/n)^(-1/2) E_t[phi phi] dt

where E_t is the mean over the tilted law of covariance J (1 + 2 t J/n)^-1. Two batches have a t each.
"""

from dataclasses import dataclass
from itertools import combinations
from typing import Any, final

import numpy as np
import scipy
from numpy.typing import NDArray

from igbtheory.averages.gaussian import steepness
from igbtheory.averages.state import kernel_root
from igbtheory.formulas.function import Function
from igbtheory.layers.given_batches_scaled import Array, approximate, mean_variances, slices
from igbtheory.numbers import FLOAT64

STEPS = (0.25, 0.2)
"""Steps of a coarser and of the finer rule in u, t = exp(u - exp(-u))."""
NEGLIGIBLE = 37.0
"""Logarithm of what is large against anything dropped from an integral."""
TOGETHER = 128
"""Data whose pairs with later ones are computed at once: their arrays stay in the cache."""
SAMPLE = 64
"""Data whose rows of the kernel are computed by both rules."""
_TINY = 1e-140


@final
@dataclass(frozen=True)
class Batch:
    """Batch of data: its rows, the roots and the spectrum of its centred kernel.

    sigma^2 = tr J/n. roots: shape (n, rank), roots roots^T = J/sigma^2, nothing but zeros for dead data;
    spectrum: the eigenvalues of J/(n sigma^2), of sum 1; rounding: largest variance before centring over sigma^2;
    eps: that of the norm over sigma^2.
    """

    rows: slice
    roots: Array
    spectrum: Array
    rounding: float
    eps: float

    @property
    def size(self) -> int:
        """Number n of its data."""
        return len(self.roots)

    @property
    def dead(self) -> bool:
        """Whether its data are all the same."""
        return not self.rounding


@final
@dataclass(frozen=True)
class Rule:
    """Nodes t and logarithms of the weights of (1/Gamma(s)) int t^(s-1) exp(-t eps) f(t) dt."""

    t: Array
    log_weight: Array


def homogeneous(phi: Function | None, kernel: Array, size: int, eps: float = 0.0) -> tuple[Array, float]:
    """Second moments E phi(x_a) phi(x_b), consecutive batches of `size` data normalised, and their estimated error.

    phi: homogeneous, with a closed form; None: the identity. kernel: covariance before the norm, shape (D, D).
    The error is against the roots of the two diagonal entries. Pairs of different batches take a double integral each:
    (D/size)^2/2 of them.
    """
    normalised = approximate(kernel, size)
    batches = [_batch(kernel, normalised, rows, eps) for rows in slices(len(kernel), size)]
    degree = _degree(phi)
    if degree == 0:  # phi does not see the scale
        return _of_signs(phi, normalised, max(batch.rounding for batch in batches))
    rough, found = (np.full(kernel.shape, np.nan) for _ in STEPS)
    for batch in batches:
        drawn = np.unique(np.linspace(0, batch.size - 1, SAMPLE).astype(int))
        (rough[batch.rows.start + drawn, batch.rows],) = _within(phi, degree, batch, STEPS[0], [(drawn, 0)])
        found[batch.rows, batch.rows] = _all_within(phi, degree, batch, STEPS[1])
    for pair in combinations(batches, 2):
        rows = np.r_[pair[0].rows, pair[1].rows]
        roots = kernel_root(normalised[np.ix_(rows, rows)], max(batch.rounding for batch in pair))
        for into, step in zip((rough, found), STEPS, strict=True):
            block = _between(phi, degree, pair, roots, step)
            into[pair[0].rows, pair[1].rows], into[pair[1].rows, pair[0].rows] = block, block.T
    root = np.sqrt(np.diagonal(found)) + _TINY
    error = float(np.nanmax(np.abs(rough - found) / (root[:, None] * root)))
    # centring turns the rounding of a common part of the data into an error of their differences
    return found, error + FLOAT64.epsilon * (100 + 4 * max(batch.rounding for batch in batches))


def means(phi: Function | None, kernel: Array, size: int, eps: float = 0.0) -> Array:
    """Means E phi(x_a) of normalised batches, shape (D,): one integral, with the power p/2. Arguments as above."""
    normalised, found, degree = approximate(kernel, size), np.zeros(len(kernel)), _degree(phi)
    if phi is None or phi.closed is None:
        return found
    for batch in (_batch(kernel, normalised, rows, eps) for rows in slices(len(kernel), size)):
        rule = _rule(batch, degree / 2, STEPS[1]) if degree and not batch.dead else Rule(np.zeros(1), np.zeros(1))
        shrunk = 1 + 2 * rule.t[:, None] * batch.spectrum
        q = np.square(batch.roots) @ (1 / shrunk).T
        weights = np.exp(rule.log_weight - np.log(shrunk).sum(axis=1) / 2)
        found[batch.rows] = np.where(q > 0, phi.closed.mean(FLOAT64, np.maximum(q, _TINY)), 0) @ weights
    return found


def is_homogeneous(phi: Function | None) -> bool:
    """Whether phi has these rules: homogeneous, with closed forms, or the identity."""
    return phi is None or (phi.degree is not None and phi.closed is not None)


def _degree(phi: Function | None) -> float:
    """Degree p of a homogeneous phi."""
    return 1.0 if phi is None or phi.degree is None else float(phi.degree)


def _batch(kernel: Array, normalised: Array, rows: slice, eps: float) -> Batch:
    """Batch of the rows, from the eigenvectors of its block of the normalised kernel."""
    own = normalised[rows, rows]
    if not own.any():
        return Batch(rows, np.zeros((len(own), 1)), np.zeros(1), 0.0, 0.0)
    variance = float(mean_variances(kernel[rows, rows], len(own))[0])
    rounding = float(np.max(np.diagonal(kernel)[rows])) / variance
    # in the tails of t what rounding leaves of zero would count
    roots = kernel_root(own, rounding)
    spectrum = np.sum(roots * roots, axis=0)
    return Batch(rows, roots, spectrum / spectrum.sum(), rounding, eps / variance)


def _rule(batch: Batch, power: float, step: float) -> Rule:
    """Nodes in t of an integral with t^(power - 1); those that a batch on its own makes negligible are dropped.

    In u, where t = exp(u - exp(-u)), the integrand is smooth. It ends twice exponentially on the left and like
    exp(-rank u/2) or faster on the right, where two batches that share directions need the even steps in log t. The
    trapezoidal rule converges exponentially: 40 nodes at high rank, 400 at rank 1.
    """
    u = np.arange(-np.log(2 * NEGLIGIBLE / power), 2 * NEGLIGIBLE, step)
    # in units of the time in which exp(-t (s^2 + eps)) ends
    x = u - np.exp(-u) - np.log1p(batch.eps)
    t = np.exp(x)
    slope = 1 + np.exp(-u)
    weight = power * x + np.log(step * slope) - t * batch.eps - scipy.special.gammaln(power)
    shrunk = 1 + 2 * t[:, None] * batch.spectrum
    size = weight - np.log(shrunk).sum(axis=1) / 2 + power * np.log((batch.spectrum / shrunk).sum(axis=1))
    kept = size > size.max() - NEGLIGIBLE
    return Rule(t[kept], weight[kept])


def _mean(phi: Function | None, q_a: Any, q_b: Any, q_ab: Any) -> Any:
    """Mean E phi(h_a) phi(h_b) of centred Gaussian pairs."""
    if phi is None or phi.closed is None:
        return q_ab
    q_a, q_b = np.maximum(q_a, _TINY), np.maximum(q_b, _TINY)  # a datum at the mean of its batch has none
    means = phi.closed.mean(FLOAT64, q_a) * phi.closed.mean(FLOAT64, q_b)
    return phi.closed.covariance(FLOAT64, q_a, q_b, q_ab) + means


def _of_signs(phi: Function | None, kernel: Array, rounding: float) -> tuple[Array, float]:
    """Second moments of a phi that sees nothing but signs, given the kernel of the centred data."""
    q = np.diagonal(kernel)
    live = q > 0
    found = np.where(live[:, None] & live, _mean(phi, q[:, None], q, kernel), 0.0)
    q, kept = q[live], kernel[np.ix_(live, live)]
    steep = steepness(FLOAT64, phi, q[:, None], q, kept) if phi is not None and q.size else 1.0
    lost = 4 * FLOAT64.epsilon * (1 + rounding)
    return found, min(lost * steep, np.sqrt(2 * lost))


def _all_within(phi: Function | None, degree: float, batch: Batch, step: float) -> Array:
    """Second moments of all data of the batch: those of each pair once."""
    blocks = [(np.arange(i, min(i + TOGETHER, batch.size)), i) for i in range(0, batch.size, TOGETHER)]
    found = np.empty((batch.size, batch.size))
    for (rows, first), part in zip(blocks, _within(phi, degree, batch, step, blocks), strict=True):
        found[rows, first:], found[first:, rows] = part, part.T
    return found


def _within(
    phi: Function | None, degree: float, batch: Batch, step: float, blocks: list[tuple[NDArray[np.intp], int]]
) -> list[Array]:
    """Second moments of the data of each block with those of the batch from a first one on: one basis for every t."""
    totals = [np.zeros((rows.size, batch.size - first)) for rows, first in blocks]
    if batch.dead:
        return totals
    rule = _rule(batch, degree, step)
    for t, log_weight in zip(rule.t, rule.log_weight, strict=True):
        shrunk = 1 + 2 * t * batch.spectrum
        roots = batch.roots / np.sqrt(shrunk)
        q = np.sum(roots * roots, axis=1)
        weight = np.exp(log_weight - np.log(shrunk).sum() / 2)
        for i, (rows, first) in enumerate(blocks):
            q_ab = roots[rows] @ roots[first:].T
            q_ab[np.arange(rows.size), rows - first] = q[rows]  # exactly, so that c = 1
            totals[i] += weight * _mean(phi, q[rows, None], q[first:], q_ab)
    return totals


def _between(phi: Function | None, degree: float, pair: tuple[Batch, Batch], roots: Array, step: float) -> Array:
    """Second moments of the data of one batch with those of another, given the roots L of both, of J = L L^T:

        Gamma(p/2)^-2 iint (t_A t_B)^(p/2-1) exp(-t_A eps - t_B eps) det(1 + 2 T J)^(-1/2) E[phi phi] dt_A dt_B

    under the covariance (J^-1 + 2 T)^-1, T = diag(t_A/n_A, t_B/n_B). For each t_A one basis serves every t_B.
    """
    a, b = pair
    total = np.zeros((a.size, b.size))
    if a.dead or b.dead:
        return total
    rule_a, rule_b = (_rule(batch, degree / 2, step) for batch in pair)
    upper, lower = roots[: a.size], roots[a.size :]
    turn_a, spectrum_a = _diagonal(upper)
    for t_a, weight_a in zip(rule_a.t, rule_a.log_weight, strict=True):
        shrunk_a = 1 + 2 * t_a * spectrum_a
        turn = turn_a / np.sqrt(shrunk_a)
        turn_b, spectrum_b = _diagonal(lower @ turn)
        shrunk_b = 1 + 2 * rule_b.t[:, None] * spectrum_b
        h_a, h_b = upper @ turn @ turn_b, lower @ turn @ turn_b
        q_a, q_b = (np.square(h) @ (1 / shrunk_b).T for h in (h_a, h_b))
        products = (h_a[:, None] * h_b).reshape(a.size * b.size, -1)
        q_ab = (products @ (1 / shrunk_b).T).reshape(a.size, b.size, -1)
        log_weight = weight_a - np.log(shrunk_a).sum() / 2 + rule_b.log_weight - np.log(shrunk_b).sum(axis=1) / 2
        total += _mean(phi, q_a[:, None], q_b, q_ab) @ np.exp(log_weight)
    return total


def _diagonal(rows: Array) -> tuple[Array, Array]:
    """Orthonormal columns of a basis in which R^T R/n is diagonal, and the diagonal, R the n rows."""
    # singular values, not eigenvalues of the square: the tails of t see what is small
    _, values, turned = np.linalg.svd(rows, full_matrices=True)
    spectrum = np.zeros(len(turned))
    spectrum[: values.size] = values**2 / len(rows)
    return turned.T, spectrum
