"""Results of averages: the moments of a unit over Gaussian inputs, and second moments at pairs of given data."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.mathematics.numbers import FLOAT64, Kind

ZERO = 1e5 * FLOAT64.epsilon
"""Share of sqrt(E phi^2) below which E phi, and the root of the mean product of two data, are zero up to rounding."""


@final
@dataclass(frozen=True)
class Moments:
    """First two moments of a node over its inputs and weights.

    mean: E x; var_mu: the variance over W of the mean over the data, equal to the covariance of two data; var_chi: the
    variance over the data; within: the covariance of two data of one batch, None without batches, NaN if it has no
    rule; error: the estimated relative error of mean^2 + var_mu and of var_chi; of_scale: the relative error of mean^2
    + variance if it is smaller than `error`, as behind a norm. All are numbers or arrays of one kind that broadcast. A
    mean that is the integer 0 marks a unit that is centred by construction, for which closed forms hold.
    """

    mean: Any
    var_mu: Any
    var_chi: Any
    error: Any = 0.0
    within: Any = None
    of_scale: Any = None

    @property
    def variance(self) -> Any:
        """Variance var_mu + var_chi over inputs and weights."""
        return self.var_mu + self.var_chi

    @property
    def own(self) -> Any:
        """Variance that data of one batch (or any data, without batches) do not share."""
        return self.var_chi if self.within is None else self.variance - self.within

    @property
    def covariance(self) -> Any:
        """Covariance of two data of one batch (or of any two data, without batches)."""
        return self.var_mu if self.within is None else self.within

    @property
    def within_has_no_rule(self) -> bool:
        """True if there are batches, and the covariance of two data of one batch has no rule."""
        return self.within is not None and bool(np.isnan(np.asarray(self.within, dtype=float)).any())

    @property
    def centred(self) -> bool:
        """True if the mean is zero by construction."""
        return is_centred(self.mean)


def is_centred(mean: Any) -> bool:
    """Return whether a mean is the integer 0, which marks units whose mean is zero by construction."""
    return isinstance(mean, int) and mean == 0


def stated(n: Kind, found: tuple[Any, Any, Any], lost: tuple[Any, Any, Any]) -> Any:
    """Return the relative error that `Moments` states, from mean, var_mu, var_chi and their absolute errors."""
    (mean, var_mu, var_chi), tiny = found, n.number(1e-290)
    product = mean * mean + abs(var_mu)
    counted = product > (ZERO / FLOAT64.epsilon * n.epsilon) ** 2 * (product + var_chi)
    of_product = (lost[1] + (2 * abs(mean) + lost[0]) * lost[0]) / (product + tiny)
    return of_product * counted + lost[2] / (abs(var_chi) + tiny)


@final
@dataclass(frozen=True)
class Pairs:
    """Second moments over W of a unit at pairs of data: q_a and q_b of the two data, q_ab of the pair; they broadcast.

    same: True where a and b are one datum; error: the estimated error of q_ab relative to sqrt(q_a q_b); rank: the
    smallest effective rank of a batch whose norm was estimated from draws, or inf if there is none.
    """

    q_a: Any
    q_b: Any
    q_ab: Any
    same: Any = False
    error: float = 0.0
    rank: float = float("inf")


def kernel_root(kernel: NDArray[np.float64], largest: float = 0.0) -> NDArray[np.float64]:
    """Return a root L of a kernel L L^T, shape (D, rank), with orthogonal columns.

    Eigenvalues that are zero up to rounding are dropped; `largest` is the size of numbers from which the kernel was
    computed.
    """
    values, vectors = np.linalg.eigh(kernel)
    kept = values > 2 * len(kernel) * FLOAT64.epsilon * max(largest, values[-1])
    return np.asarray(vectors[:, kept] * np.sqrt(values[kept]))


def pivoted_root(kernel: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a root L of a kernel L L^T, shape (D, rank), by pivoted Cholesky: some directions may have no variance."""
    from scipy.linalg.lapack import dpstrf  # noqa: PLC0415 - only drawing needs it

    factor, pivots, rank, _ = dpstrf(kernel, lower=1)
    root = np.zeros((len(kernel), rank))
    root[pivots - 1] = np.tril(factor)[:, :rank]
    return root
