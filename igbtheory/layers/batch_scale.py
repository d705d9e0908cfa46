"""The random scale of a batch of given data: the integral over t that stands for a power of it."""

from dataclasses import dataclass
from typing import final

import numpy as np
import scipy

from igbtheory.averages.state import kernel_root
from igbtheory.layers.batch_kernel_scaled import Array, mean_variances

NEGLIGIBLE = 37.0
"""Logarithm of what is large against anything dropped from an integral."""
Rule = tuple[Array, Array]
"""Nodes t and logarithms of the weights of an integral."""


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
        size = log_weight - np.log(shrunk).sum(axis=1) / 2 + power * np.log((self.spectrum / shrunk).sum(axis=1))
        kept = size > size.max() - NEGLIGIBLE
        return t[kept], log_weight[kept]


def batch_of_rows(kernel: Array, normalised: Array, rows: slice, eps: float) -> Batch:
    """Return the batch of these rows of a kernel, whose centred and scaled kernel is `normalised`."""
    variance = float(mean_variances(kernel[rows, rows], rows.stop - rows.start)[0])
    rounding = float(np.max(np.diagonal(kernel)[rows])) / variance
    # in the tails of t what rounding leaves of zero would count
    roots = kernel_root(normalised[rows, rows], rounding)
    spectrum = np.sum(roots * roots, axis=0)
    return Batch(rows, roots, spectrum / spectrum.sum(), rounding, eps / variance)
