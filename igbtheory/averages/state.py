"""Results of averages: the moments of a unit over Gaussian inputs, and second moments at pairs of given data."""

import operator
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.numbers import FLOAT64, Kind
from igbtheory.numbers.first_order import first_order, is_first_order

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

    @property
    def square(self) -> Any:
        """Mean square E x^2 over inputs and weights."""
        return self.mean * self.mean + self.variance

    # What a layer may do to units. `Pairs` has the same methods, so that a layer's rule is written once.

    def weighted(self, sigma_w2: Any, sigma_b2: Any, lost: float) -> "Moments":
        """Return the moments of sums of many units with independent weights and biases."""
        mean2 = self.mean * self.mean
        within = None if self.within is None else sigma_w2 * (mean2 + self.within) + sigma_b2
        of_scale = None if self.of_scale is None else self.of_scale + lost
        return Moments(
            0, sigma_w2 * (mean2 + self.var_mu) + sigma_b2, sigma_w2 * self.var_chi, self.error + lost, within, of_scale
        )

    def over_root(self, n: Kind, q: Any, centre: Any) -> "Moments":
        """Return the moments of (x - centre)/sqrt(q), q a number for each datum, the centre its mean or 0."""
        within = None if self.within is None else self.within / q
        mean = 0 if self.centred or not is_centred(centre) else self.mean / n.sqrt(q)  # a centre is the mean
        found = replace(self, mean=mean, var_mu=self.var_mu / q, var_chi=self.var_chi / q, within=within)
        if n.exact:
            return found
        return replace(found, of_scale=self.error * abs(1 - found.variance - found.mean**2) + n.epsilon)

    def times_number(self, s: Any) -> "Moments":
        """Return the moments of s x."""
        within = None if self.within is None else s * s * self.within
        mean = 0 if self.centred else s * self.mean
        return replace(self, mean=mean, var_mu=s * s * self.var_mu, var_chi=s * s * self.var_chi, within=within)

    def of_copies(self, m: int) -> "Moments":
        """Return the moments of the mean of m independent copies."""
        within = None if self.within is None else self.within / m
        return replace(self, var_mu=self.var_mu / m, var_chi=self.var_chi / m, within=within)

    def dropped(self, p: Any) -> "Moments":
        """Return the moments of x m/(1 - p), m = 0 with probability p, else 1, independently for every datum."""
        return replace(self, var_chi=self.var_chi + self.square * p / (1 - p))

    def times(self, other: "Moments") -> "Moments":
        """Return the moments of the product of independent units."""
        x, y = self, other
        within = None
        if x.within is not None and y.within is not None:
            within = x.within * (y.mean * y.mean + y.within) + x.mean * x.mean * y.within
        return Moments(
            0 if x.centred or y.centred else x.mean * y.mean,
            x.var_mu * (y.mean * y.mean + y.var_mu) + x.mean * x.mean * y.var_mu,
            x.var_chi * y.square + (x.mean * x.mean + x.var_mu) * y.var_chi,
            x.error + y.error,
            within,
        )

    def plus(self, a: Any, other: "Moments", b: Any) -> "Moments":
        """Return the moments of a x + b y of independent units."""
        x, y = self, other
        batches = x.within is not None or y.within is not None
        return Moments(
            0 if x.centred and y.centred else a * x.mean + b * y.mean,
            a * a * x.var_mu + b * b * y.var_mu,
            a * a * x.var_chi + b * b * y.var_chi,
            np.maximum(x.error, y.error),
            a * a * x.covariance + b * b * y.covariance if batches else None,
        )


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
    mean: "Each" = field(default_factory=lambda: Each(0, 0))

    @property
    def square(self) -> "Each":
        """Mean squares of the two data."""
        return Each(self.q_a, self.q_b)

    @property
    def variance(self) -> "Each":
        """Variances over the weights of the two data."""
        return self.square - self.mean * self.mean

    def weighted(self, sigma_w2: Any, sigma_b2: Any, lost: float) -> "Pairs":
        """See `Moments`. If q_ab carries the tangent kernel, these weights and biases add q_ab to it."""
        q_a, q_b, q_ab = (sigma_w2 * q + sigma_b2 for q in (self.q_a, self.q_b, self.q_ab))
        if is_first_order(q_ab):
            q_ab = first_order(q_ab, np.real(q_ab))
        return replace(self, q_a=q_a, q_b=q_b, q_ab=q_ab, error=self.error + lost, mean=Each(0, 0))

    def over_root(self, n: Kind, q: "Each", centre: Any) -> "Pairs":
        """See `Moments`; q and the centre may differ between the two data."""
        root, c = q.map(n.sqrt), Each.of(centre)
        square = self.square - c * (2 * self.mean - c)
        lost = np.max(np.asarray(self.q_a / square.a, dtype=float))  # subtracting the means magnifies the error
        apart = self.q_ab - c.a * c.b - c.a * (self.mean.b - c.b) - (self.mean.a - c.a) * c.b
        scaled = square / q
        return replace(
            self,
            q_a=scaled.a,
            q_b=scaled.b,
            q_ab=apart / (root.a * root.b),
            error=float(lost) * self.error,
            mean=(self.mean - c) / root,
        )

    def _with(self, q: "Each", q_ab: Any, **changes: Any) -> "Pairs":
        return replace(self, q_a=q.a, q_b=q.b, q_ab=q_ab, **changes)

    def times_number(self, s: Any) -> "Pairs":
        """See `Moments`."""
        return self._with(s * s * self.square, s * s * self.q_ab, mean=s * self.mean)

    def of_copies(self, m: int) -> "Pairs":
        """See `Moments`."""
        mean2, product = self.mean * self.mean, self.mean.a * self.mean.b
        return self._with(mean2 + (self.square - mean2) / m, product + (self.q_ab - product) / m)

    def dropped(self, p: Any) -> "Pairs":
        """See `Moments`."""
        return self._with(self.square / (1 - p), np.where(self.same, self.q_ab / (1 - p), self.q_ab))

    def times(self, other: "Pairs") -> "Pairs":
        """See `Moments`."""
        x, y = self, other
        of = {"error": x.error + y.error, "rank": min(x.rank, y.rank), "mean": x.mean * y.mean}
        return self._with(x.square * y.square, x.q_ab * y.q_ab, **of)

    def plus(self, a: Any, other: "Pairs", b: Any) -> "Pairs":
        """See `Moments`."""
        x, y, mixed = self, other, a * b
        of = {"error": max(x.error, y.error), "rank": min(x.rank, y.rank), "mean": a * x.mean + b * y.mean}
        square = a * a * x.square + b * b * y.square + 2 * mixed * x.mean * y.mean
        means = x.mean.a * y.mean.b + x.mean.b * y.mean.a
        return self._with(square, a * a * x.q_ab + b * b * y.q_ab + mixed * means, **of)


@final
@dataclass(frozen=True)
class Each:
    """A number for each of the two data of a pair, with the arithmetic of numbers."""

    a: Any
    b: Any

    __array_ufunc__ = None

    @classmethod
    def of(cls, value: Any) -> "Each":
        """Return the same number for both data, unless there are two."""
        return value if isinstance(value, Each) else cls(value, value)

    def map(self, f: Callable[..., Any], other: Any = None) -> "Each":
        """Return f of the numbers, or of the numbers of two pairs."""
        if other is None:
            return Each(f(self.a), f(self.b))
        other = Each.of(other)
        return Each(f(self.a, other.a), f(self.b, other.b))

    def __add__(self, other: Any) -> "Each":
        return self.map(operator.add, other)

    def __sub__(self, other: Any) -> "Each":
        return self.map(operator.sub, other)

    def __mul__(self, other: Any) -> "Each":
        return self.map(operator.mul, other)

    __radd__, __rmul__ = __add__, __mul__

    def __truediv__(self, other: Any) -> "Each":
        return self.map(operator.truediv, other)


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
