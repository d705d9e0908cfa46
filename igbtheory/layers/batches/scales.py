"""Scales by which BatchNorm divides units of given data: their mean, and an integral for the random ones.

BatchNorm divides a unit by the root of its variance over a batch, which differs from unit to unit. `approximate`
divides by the root of the mean variance instead; a `Batch` has the quadrature rules of an integral over t that stands
for a power of the random scale.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from numpy.typing import NDArray

from igbtheory.mathematics.averages.state import kernel_root
from igbtheory.mathematics.numbers import FLOAT64

Array = NDArray[np.float64]
NEGLIGIBLE = 37.0
"""Nodes are dropped if the logarithm of the integrand is more than this below its peak: exp(-37) is less than half a
rounding error."""
Rule = tuple[Array, Array]
"""Nodes t and logarithms of the weights of an integral."""
TINY = 1e-140
"""In place of a variance of 0: the product of two of them is still a float."""


def slices(count: int, size: int) -> list[slice]:
    """Return the rows of the batches of `size` data, which divides `count`."""
    return [slice(i, i + size) for i in range(0, count, size)]


def centred(x: Array, size: int) -> Array:
    """Return a matrix whose rows are data, less its means over the batches."""
    batches = x.reshape(-1, size, x.shape[1])
    return np.asarray(batches - batches.mean(axis=1, keepdims=True)).reshape(x.shape)


def mean_variances(kernel: Array, size: int) -> Array:
    """Return the mean variance tr J/n over the batch of every datum, shape (D,), J the centred kernel.

    It is 0 for batches that do not vary by more than rounding errors of the kernel.
    """
    once, q = (np.diagonal(x).reshape(-1, size) for x in (centred(kernel, size), kernel))
    variances = once.mean(axis=1)
    return np.repeat(np.where(variances > 8 * FLOAT64.epsilon * q.max(axis=1), variances, 0.0), size)


def inverse_scales(variances: Array, eps: float = 0.0) -> Array:
    """Return the factors 1/sqrt(tr J/n + eps) of all data from their mean variances tr J/n, or 0 if tr J = 0."""
    return np.where(variances > 0, 1 / np.sqrt(variances + eps + TINY), 0.0)


def approximate(kernel: Array, size: int, eps: float = 0.0) -> Array:
    """Return the kernel J_ab/(sigma_a sigma_b) of centred data, sigma^2 = tr J/n + eps of the batch of each datum.

    It is the kernel behind BatchNorm for a mean scale; for Gaussian units the relative error is about
    1/`effective_rank`. Batches are `size` consecutive rows; batches that do not vary give zeros.
    """
    factor = inverse_scales(mean_variances(kernel, size), eps)
    scaled = centred(centred(kernel, size).T, size) * (factor[:, None] * factor)
    return np.asarray((scaled + scaled.T) / 2)  # exactly symmetric: a jump magnifies rounding


def effective_rank(kernel: Array, size: int) -> float:
    """Return the smallest effective rank (tr J)^2/tr J^2 of a batch; batches that do not vary do not count."""
    normalised = approximate(kernel, size)
    blocks = [normalised[rows, rows] for rows in slices(len(normalised), size)]
    return min((float(np.trace(block) ** 2 / np.sum(block * block)) for block in blocks if block.any()), default=np.inf)


@final
@dataclass(frozen=True)
class Batch:
    """Batch of n data that vary, J its centred kernel, sigma^2 = tr J/n.

    roots: shape (n, rank), roots roots^T = J/sigma^2; spectrum: the eigenvalues of J/(n sigma^2), whose sum is 1;
    rounding: largest variance before centring over sigma^2; eps: eps of the norm over sigma^2.
    """

    rows: slice
    roots: Array
    spectrum: Array
    rounding: float
    eps: float

    def rule(self, power: float, step: float) -> Rule:
        """Return a quadrature rule of (1/Gamma(power)) int t^(power - 1) exp(-t eps) f(t) dt, without negligible nodes.

        In u, where t = exp(u - exp(-u)), the integrand is smooth. It decays doubly exponentially on the left, and like
        exp(-rank u/2) or faster on the right, where two batches that share directions need equal steps in log t. The
        trapezoidal rule converges exponentially: it needs 40 nodes at high rank, 400 at rank 1.
        """
        from scipy.special import gammaln  # noqa: PLC0415 - a prediction without batches loads no SciPy

        u = np.arange(-np.log(2 * NEGLIGIBLE / power), 2 * NEGLIGIBLE, step)
        # in units of the scale on which exp(-t (s^2 + eps)) decays
        x = u - np.exp(-u) - np.log1p(self.eps)
        t = np.exp(x)
        log_weight = power * x + np.log(step * (1 + np.exp(-u))) - t * self.eps - gammaln(power)
        shrunk = 1 + 2 * t[:, None] * self.spectrum
        size = log_weight - self._decay(t) + power * np.log((self.spectrum / shrunk).sum(axis=1))
        kept = size > size.max() - NEGLIGIBLE
        return t[kept], log_weight[kept]

    def short(self, rule: Rule, order: int) -> Rule:
        """Return a rule of `order` nodes that integrates polynomials in y = t/(t + tau) as the given rule does.

        tau = 1/(2 largest eigenvalue): the averaged function is smooth in y, also at the end t = infinity.
        """
        t, log_weight = rule
        tau, size = 1 / (2 * self.spectrum.max()), log_weight - self._decay(t)
        y, weights = gauss(t / (t + tau), np.exp(size - size.max()), order)
        t = tau * y / (1 - y)
        return t, np.log(weights) + size.max() + self._decay(t)

    def _decay(self, t: Array) -> Array:
        """Return log det(1 + 2 t J/n)/2."""
        return np.asarray(np.log(1 + 2 * t[:, None] * self.spectrum).sum(axis=1) / 2)


@final
@dataclass(frozen=True)
class Batches:
    """Batches of `size` consecutive data, whose units have this kernel, shape (D, D), before a norm with this eps."""

    kernel: Array
    size: int
    eps: float = 0.0

    @cached_property
    def normalised(self) -> Array:
        """The kernel of the centred and scaled data."""
        return approximate(self.kernel, self.size)

    @cached_property
    def varying(self) -> list[Batch]:
        """The batches that vary."""
        rows = slices(len(self.kernel), self.size)
        return [self._batch(part) for part in rows if self.normalised[part, part].any()]

    def _batch(self, rows: slice) -> Batch:
        """Return the batch in these rows."""
        variance = float(mean_variances(self.kernel[rows, rows], self.size)[0])
        rounding = float(np.max(np.diagonal(self.kernel)[rows])) / variance
        # in the tails of t, eigenvalues that are zero up to rounding errors would count
        roots = kernel_root(self.normalised[rows, rows], rounding)
        spectrum = np.sum(roots * roots, axis=0)
        return Batch(rows, roots, spectrum / spectrum.sum(), rounding, self.eps / variance)


def gauss(nodes: Array, weights: Array, order: int) -> tuple[Array, Array]:
    """Return `order` nodes and weights that integrate polynomials of degree < 2 order as the given rule does.

    The given weights are positive. Lanczos's recursion, with all vectors kept orthogonal, gives the Jacobi matrix.
    """
    from scipy.linalg import eigh_tridiagonal  # noqa: PLC0415 - as above

    total = weights.sum()
    basis = [np.sqrt(weights / total)]
    diagonal, beside = [], []
    for _ in range(order):
        moved = nodes * basis[-1]
        diagonal.append(moved @ basis[-1])
        for vector in basis * 2:  # twice, since subtracting large parts once leaves rounding errors
            moved = moved - (moved @ vector) * vector
        beside.append(np.linalg.norm(moved))
        basis.append(moved / beside[-1])
    points, vectors = eigh_tridiagonal(diagonal, beside[:-1])
    return np.asarray(points, dtype=float), np.asarray(total * vectors[0] ** 2, dtype=float)
