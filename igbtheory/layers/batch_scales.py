"""Scales of batches of given data: the mean one, and the random one as an integral.

BatchNorm divides a unit by the root of its variance over a batch, which differs from unit to unit. `approximate`
divides by the root of the mean variance instead; a `Batch` writes a power of the random scale as an integral over t.
"""

from dataclasses import dataclass
from typing import final

import numpy as np
import scipy
from numpy.typing import NDArray

from igbtheory.averages.state import kernel_root
from igbtheory.numbers import FLOAT64

Array = NDArray[np.float64]
NEGLIGIBLE = 37.0
"""Logarithm of the ratio of an integrand at its peak and where it is left out."""
Rule = tuple[Array, Array]
"""Nodes t and logarithms of the weights of an integral."""
_TINY = 1e-140


def slices(count: int, size: int) -> list[slice]:
    """Rows of the batches of `size` data, which divides their number."""
    return [slice(i, i + size) for i in range(0, count, size)]


def centred(x: Array, size: int) -> Array:
    """Values at data along the first axis, less the means of their batches."""
    found = np.array(x, dtype=np.float64)
    for rows in slices(len(x), size):
        found[rows] -= found[rows].mean(axis=0)
    return found


def mean_variances(kernel: Array, size: int) -> Array:
    """Mean variances tr J/n over the batch of every datum, shape (D,), J the centred kernel.

    0 where rounding of the kernel explains it.
    """
    once, q = np.diagonal(centred(kernel, size)), np.diagonal(kernel)
    found = np.empty(len(kernel))
    for rows in slices(len(kernel), size):
        variance = float(np.mean(once[rows]))
        found[rows] = variance if variance > 8 * FLOAT64.epsilon * np.max(q[rows]) else 0.0
    return found


def scales(variances: Array, eps: float = 0.0) -> Array:
    """Factors 1/sqrt(tr J/n + eps) of every datum, from its mean variance tr J/n; 0 for batches without."""
    return np.where(variances > 0, 1 / np.sqrt(variances + eps + _TINY), 0.0)


def approximate(kernel: Array, size: int, eps: float = 0.0) -> Array:
    """Kernel J_ab/(sigma_a sigma_b) of the centred and scaled data, sigma^2 = tr J/n + eps of the batch of each.

    What BatchNorm does where the scale is that of its mean square: relative error about 1/`effective_rank` where the
    units are Gaussian. Rows in consecutive batches of `size` data; batches without variance give zeros.
    """
    factor = scales(mean_variances(kernel, size), eps)
    found = centred(centred(kernel, size).T, size) * (factor[:, None] * factor)
    return np.asarray((found + found.T) / 2)  # exactly symmetric: a jump magnifies rounding


def effective_rank(kernel: Array, size: int) -> float:
    """Effective rank (tr J)^2/tr J^2 of the centred kernel, the least of the batches; dead batches do not count."""
    normalised = approximate(kernel, size)
    blocks = [normalised[rows, rows] for rows in slices(len(normalised), size)]
    return min((float(np.trace(block) ** 2 / np.sum(block * block)) for block in blocks if block.any()), default=np.inf)


@final
@dataclass(frozen=True)
class Batch:
    """Batch of n data that vary: its rows, the roots and the spectrum of its centred kernel J, sigma^2 = tr J/n.

    roots: shape (n, rank), roots roots^T = J/sigma^2; spectrum: the eigenvalues of J/(n sigma^2), of sum 1; rounding:
    largest variance before centring over sigma^2; eps: that of the norm over sigma^2.
    """

    rows: slice
    roots: Array
    spectrum: Array
    rounding: float
    eps: float

    def rule(self, power: float, step: float) -> Rule:
        """Return the rule of (1/Gamma(power)) int t^(power - 1) exp(-t eps) f(t) dt, less nodes that are negligible.

        In u, where t = exp(u - exp(-u)), the integrand is smooth. It ends twice exponentially on the left and like
        exp(-rank u/2) or faster on the right, where two batches that share directions need the even steps in log t. The
        trapezoidal rule converges exponentially: 40 nodes at high rank, 400 at rank 1.
        """
        u = np.arange(-np.log(2 * NEGLIGIBLE / power), 2 * NEGLIGIBLE, step)
        # in units of the time in which exp(-t (s^2 + eps)) ends
        x = u - np.exp(-u) - np.log1p(self.eps)
        t = np.exp(x)
        log_weight = power * x + np.log(step * (1 + np.exp(-u))) - t * self.eps - scipy.special.gammaln(power)
        shrunk = 1 + 2 * t[:, None] * self.spectrum
        size = log_weight - self._decay(t) + power * np.log((self.spectrum / shrunk).sum(axis=1))
        kept = size > size.max() - NEGLIGIBLE
        return t[kept], log_weight[kept]

    def short(self, rule: Rule, order: int) -> Rule:
        """Return the rule of `order` nodes that integrates polynomials in y = t/(t + tau) as this rule does.

        tau = 1/(2 largest eigenvalue): what is averaged is smooth in y, also at the end t = infinity.
        """
        t, log_weight = rule
        tau, size = 1 / (2 * self.spectrum.max()), log_weight - self._decay(t)
        y, weights = gauss(t / (t + tau), np.exp(size - size.max()), order)
        t = tau * y / (1 - y)
        return t, np.log(weights) + size.max() + self._decay(t)

    def _decay(self, t: Array) -> Array:
        """Return log det(1 + 2 t J/n)/2."""
        return np.asarray(np.log(1 + 2 * t[:, None] * self.spectrum).sum(axis=1) / 2)


def batch_of_rows(kernel: Array, normalised: Array, rows: slice, eps: float) -> Batch:
    """Return the batch of these rows of a kernel, whose centred and scaled kernel is `normalised`."""
    variance = float(mean_variances(kernel[rows, rows], rows.stop - rows.start)[0])
    rounding = float(np.max(np.diagonal(kernel)[rows])) / variance
    # in the tails of t what rounding leaves of zero would count
    roots = kernel_root(normalised[rows, rows], rounding)
    spectrum = np.sum(roots * roots, axis=0)
    return Batch(rows, roots, spectrum / spectrum.sum(), rounding, eps / variance)


def gauss(nodes: Array, weights: Array, order: int) -> tuple[Array, Array]:
    """Return nodes and weights, `order` of them, that integrate polynomials of degree < 2 order as the given ones do.

    weights: positive. Lanczos's recursion with all vectors kept orthogonal gives the Jacobi matrix of the measure.
    """
    total = weights.sum()
    basis = [np.sqrt(weights / total)]
    diagonal, beside = [], []
    for _ in range(order):
        moved = nodes * basis[-1]
        diagonal.append(moved @ basis[-1])
        for vector in basis * 2:  # twice, since once leaves what rounding makes of large parts
            moved = moved - (moved @ vector) * vector
        beside.append(np.linalg.norm(moved))
        basis.append(moved / beside[-1])
    found, vectors = scipy.linalg.eigh_tridiagonal(diagonal, beside[:-1])
    return np.asarray(found, dtype=float), np.asarray(total * vectors[0] ** 2, dtype=float)
