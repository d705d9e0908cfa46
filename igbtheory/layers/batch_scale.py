"""The random scale of a batch of given data: the integral over t that stands for a power of it."""

from dataclasses import dataclass
from typing import final

import numpy as np
import scipy

from igbtheory.averages.state import kernel_root
from igbtheory.layers.batch_kernel_scaled import Array, mean_variances
from igbtheory.numerics.gauss import gauss

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
