"""The kernel of a given data set behind BatchNorm and a homogeneous phi: exact integrals over the scales of batches.

Over the weights, a unit of a Dense is a Gaussian vector g over the data, whose covariance is the kernel K. A batch of n
data is centred, J = C K C, and divided by the random scale s = sqrt(|g|^2/n + eps). For phi(a x) = a^p phi(x), a > 0,

    E phi(g_a) phi(g_b)/s^(2p) = (1/Gamma(p)) int_0^inf t^(p-1) exp(-t eps) det(1 + 2 t J/n)^(-1/2) E_t[phi phi] dt

where E_t is the mean over a Gaussian of covariance J (1 + 2 t J/n)^-1. Two batches have one t each.
"""

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from igbtheory.layers.batches.scales import TINY, Array, Batch, Batches, Rule, centred, mean_variances
from igbtheory.mathematics.averages.state import kernel_root
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.numbers import FLOAT64

STEPS = (0.25, 0.2)
"""Steps in u of a coarser and a finer rule, t = exp(u - exp(-u))."""
LARGE, ORDERS = 256, (8, 12)
"""Batch size from which on shorter Gauss rules are used, and the orders of the coarser and the finer rule."""
SAMPLE = 64
"""Number of rows of a batch that are computed by both rules, for the error: of larger batches a small part of the
work."""
ROWS = 256
"""Number of rows of a batch that are computed at once: of more, more pairs are computed twice; fewer pass through the
roots more often."""


def is_homogeneous(phi: Function | None) -> bool:
    """Return whether the rules of this file hold for phi: homogeneous with closed forms, p > 0, or the identity."""
    return phi is None or bool(phi.degree and phi.closed)


def second_moments(phi: Function | None, batches: Batches) -> tuple[Array, float]:
    """Return E phi(x_a) phi(x_b) behind BatchNorm, shape (D, D), and its estimated error.

    phi: see `is_homogeneous`; None for the identity. The error is relative to the roots of the two diagonal entries.
    Each of the (D/size)^2/2 pairs of different batches takes a double integral. Batches that do not vary give zeros.
    """
    size, shape = batches.size, batches.kernel.shape
    moments, change = np.zeros(shape), np.zeros(shape)
    for batch in batches.varying:
        coarse, fine = _rules(batch, _degree(phi), size)
        within = np.empty((size, size))
        for first in range(0, size, ROWS):  # the pairs above the diagonal, and few below it
            rows = np.arange(first, min(first + ROWS, size))
            part = _within(phi, batch, fine, rows, first)
            within[rows, first:], within[first:, rows] = part, part.T
        data = np.unique(np.linspace(0, size - 1, SAMPLE).astype(int))
        moments[batch.rows, batch.rows] = within
        change[batch.rows.start + data, batch.rows] = _within(phi, batch, coarse, data) - within[data]
    for a, b in combinations(batches.varying, 2):
        rows = np.r_[a.rows, b.rows]
        roots = kernel_root(batches.normalised[np.ix_(rows, rows)], max(a.rounding, b.rounding))
        rough, block = (_between(phi, a, b, roots, step) for step in STEPS)
        moments[a.rows, b.rows], moments[b.rows, a.rows] = block, block.T
        change[a.rows, b.rows] = rough - block
    root = np.sqrt(np.diagonal(moments)) + TINY
    error = float(np.max(np.abs(change) / (root[:, None] * root)))
    rounding = max((batch.rounding for batch in batches.varying), default=0.0)
    # centring turns rounding errors of a common part of the data into errors of their differences
    return moments, error + FLOAT64.epsilon * (100 + 4 * rounding)


def means(phi: Function | None, batches: Batches) -> Array:
    """Return the means E phi(x_a), shape (D,): the integral with p/2 in place of p. See `second_moments`."""
    averages = np.zeros(len(batches.kernel))
    if phi is None or phi.closed is None:
        return averages
    for batch in batches.varying:
        t, log_weight = batch.rule(_degree(phi) / 2, STEPS[1])
        shrunk = 1 + 2 * t[:, None] * batch.spectrum
        q = np.maximum(np.square(batch.roots) @ (1 / shrunk).T, TINY)
        averages[batch.rows] = phi.closed.mean(FLOAT64, q) @ np.exp(log_weight - np.log(shrunk).sum(axis=1) / 2)
    return averages


def tangent_kernel(phi: Function | None, batches: Batches, tangent: Array) -> Array:
    """Return E sum_cd (dx_a/dg_c) (dx_b/dg_d) tangent_cd, x = phi behind BatchNorm over all data as one batch.

    phi: see `is_homogeneous`. tangent: the tangent kernel of the units g before the norm. It is the derivative of
    E x_a(g) x_b(g') by the covariance of two copies g, g' of the batch. With x_a = phi(g_a)/s^p,

        dx_a/dg_c = phi'(g_a) [a = c]/s^p - p phi(g_a) g_c/(n s^(p+2)).

    Means of products with one and two further factors g follow from derivatives of the mean product (Stein's lemma).
    """
    size, p = batches.size, _degree(phi)
    total = np.zeros(tangent.shape)
    for batch in batches.varying:
        variance = mean_variances(batches.kernel, size)[0]
        theta = centred(centred(tangent, size).T, size) / variance
        moved = theta @ batch.roots
        inner = batch.roots.T @ moved
        for t, log_weight in zip(*batch.rule(p, STEPS[1]), strict=True):
            shrunk = 1 + 2 * t * batch.spectrum
            roots = batch.roots / np.sqrt(shrunk)
            q, q_ab = np.sum(roots * roots, axis=1), roots @ roots.T
            np.fill_diagonal(q_ab, q)
            mean, slope = _mean(phi, q[:, None], q, q_ab), _slope(phi, q[:, None], q, q_ab)
            bent = (p * mean - q_ab * slope) / np.maximum(q, TINY)  # E phi(g_a) phi''(g_b), by Euler's theorem
            once = (moved / shrunk) @ batch.roots.T  # covariances of theta g and g
            twice = (batch.roots / shrunk) @ inner @ (batch.roots / shrunk).T
            with_one = once.T * slope + np.diagonal(once) * bent  # E phi(g_a) phi'(g_b) (theta g)_b
            with_two = (np.trace(inner / shrunk) * mean + 2 * twice * slope) + _symmetric(np.diagonal(twice) * bent)
            terms = theta * slope - t / size * _symmetric(with_one) + p / (p + 1) * (t / size) ** 2 * with_two
            total += np.exp(log_weight - np.log(shrunk).sum() / 2) * terms
    return total


def _symmetric(x: Array) -> Array:
    return np.asarray(x + x.T)


def _degree(phi: Function | None) -> float:
    return 1.0 if phi is None or phi.degree is None else float(phi.degree)


def _rules(batch: Batch, degree: float, size: int) -> tuple[Rule, Rule]:
    """Return a coarser and a finer rule for the pairs of one batch."""
    coarse, fine = (batch.rule(degree, step) for step in STEPS)
    if size < LARGE:
        return coarse, fine
    coarse, fine = (batch.short(fine, order) for order in ORDERS)
    return coarse, fine


def _mean(phi: Function | None, q_a: Any, q_b: Any, q_ab: Any) -> Any:
    """Return E phi(h_a) phi(h_b) of centred Gaussian pairs."""
    if phi is None or phi.closed is None:
        return q_ab
    q_a, q_b = np.maximum(q_a, TINY), np.maximum(q_b, TINY)  # a datum at the mean of its batch has variance 0
    return phi.closed.product(FLOAT64, q_a, q_b, q_ab)


def _slope(phi: Function | None, q_a: Any, q_b: Any, q_ab: Any) -> Any:
    """Return E phi'(h_a) phi'(h_b) of centred Gaussian pairs."""
    if phi is None or phi.closed is None:
        return np.ones_like(q_ab)
    return phi.closed.slope(FLOAT64, np.maximum(q_a, TINY), np.maximum(q_b, TINY), q_ab)


def _within(phi: Function | None, batch: Batch, rule: Rule, data: NDArray[np.intp], first: int = 0) -> Array:
    """Return E phi(x_a) phi(x_b) for a in `data` and for every b in the batch from its datum `first` on."""
    t, log_weight = rule
    shrunk = 1 + 2 * t[:, None] * batch.spectrum
    weights = np.exp(log_weight - np.log(shrunk).sum(axis=1) / 2)
    if phi is None:  # the product is linear in the covariance, so that one sum over t serves all pairs
        return np.asarray((batch.roots[data] * (weights @ (1 / shrunk))) @ batch.roots[first:].T)
    total = np.zeros((data.size, len(batch.roots) - first))
    for factors, weight in zip(shrunk, weights, strict=True):
        roots = batch.roots / np.sqrt(factors)
        q = np.sum(roots * roots, axis=1)
        q_ab = roots[data] @ roots[first:].T
        q_ab[np.arange(data.size), data - first] = q[data]  # exactly, so that c = 1
        total += weight * _mean(phi, q[data, None], q[first:], q_ab)
    return total


def _between(phi: Function | None, a: Batch, b: Batch, roots: Array, step: float) -> Array:
    """Return the second moments of the data of batch A with the data of batch B, given the roots L of J = L L^T:

        Gamma(p/2)^-2 iint (t_A t_B)^(p/2-1) exp(-t_A eps - t_B eps) det(1 + 2 T J)^(-1/2) E[phi phi] dt_A dt_B

    under the covariance (J^-1 + 2 T)^-1, T = diag(t_A/n, t_B/n). For each t_A one basis serves every t_B.
    """
    (t_a, weight_a), (t_b, weight_b) = (batch.rule(_degree(phi) / 2, step) for batch in (a, b))
    upper, lower = np.split(roots, 2)
    turn_a, spectrum_a = _diagonal(upper)
    total = np.zeros((len(upper), len(lower)))
    for t, log_weight in zip(t_a, weight_a, strict=True):
        shrunk_a = 1 + 2 * t * spectrum_a
        turn = turn_a / np.sqrt(shrunk_a)
        turn_b, spectrum_b = _diagonal(lower @ turn)
        shrunk_b = 1 + 2 * t_b[:, None] * spectrum_b
        h_a, h_b = upper @ turn @ turn_b, lower @ turn @ turn_b
        q_a, q_b = (np.square(h) @ (1 / shrunk_b).T for h in (h_a, h_b))
        products = (h_a[:, None] * h_b).reshape(total.size, -1)
        q_ab = (products @ (1 / shrunk_b).T).reshape(*total.shape, -1)
        log_weights = log_weight - np.log(shrunk_a).sum() / 2 + weight_b - np.log(shrunk_b).sum(axis=1) / 2
        total += _mean(phi, q_a[:, None], q_b, q_ab) @ np.exp(log_weights)
    return total


def _diagonal(rows: Array) -> tuple[Array, Array]:
    """Return an orthonormal basis, as columns, in which R^T R/n is diagonal, and the diagonal, R the n rows."""
    # singular values are more precise than eigenvalues of the square; small ones count in the tails of t
    _, values, turned = np.linalg.svd(rows, full_matrices=True)
    spectrum = np.zeros(len(turned))
    spectrum[: values.size] = values**2 / len(rows)
    return turned.T, spectrum
