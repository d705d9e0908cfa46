"""States of a unit: its moments over Gaussian inputs, and its second moments at pairs of given data.

Both have the same verbs, which say what a layer does to units: `weighted`, `over_root`, `times_number`, `of_copies`,
`dropped`, `times`, `plus` and `mixed`. A layer's rule is a sentence of them, and so it is written once: for laws, for
kernels, for gradients (`Moments.noise`) and for the tangent kernel (`Pairs.tangent`).
"""

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.mathematics.averages.each import Each
from igbtheory.mathematics.averages.errors import Errors
from igbtheory.mathematics.averages.noise import Noise
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
    + variance if it is smaller than `error`, as behind a norm; noise: the distance of two data that are infinitely
    close, None if no gradients are asked for. All are numbers or arrays of one kind that broadcast. A mean that is the
    integer 0 marks a unit that is centred by construction, for which closed forms hold.
    """

    mean: Any
    var_mu: Any
    var_chi: Any
    error: Any = 0.0
    within: Any = None
    of_scale: Any = None
    noise: Noise | None = None

    @property
    def variance(self) -> Any:
        """Variance var_mu + var_chi over inputs and weights."""
        return self.var_mu + self.var_chi

    @property
    def varies(self) -> bool:
        """True if the variance is positive, everywhere in a sweep."""
        q = self.variance
        return bool(q.all() if isinstance(q, np.ndarray) else q)

    @property
    def square(self) -> Any:
        """Mean square E x^2 over inputs and weights."""
        return self.mean * self.mean + self.variance

    @property
    def unshared(self) -> Any:
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

    def weighted(self, sigma_w2: Any, sigma_b2: Any, rounding: float) -> "Moments":
        """Return the moments of sums of many units with independent weights and biases."""
        mean2, of_scale = self.mean * self.mean, self.of_scale
        var_mu, var_chi = sigma_w2 * (mean2 + self.var_mu) + sigma_b2, sigma_w2 * self.var_chi
        if of_scale is not None:
            q = var_mu + var_chi  # of which the biases have no error
            of_scale = np.asarray((q - sigma_b2) / (q + (q == 0)), dtype=float) * of_scale + rounding
        return Moments(
            0,
            var_mu,
            var_chi,
            self.error + rounding,
            None if self.within is None else sigma_w2 * (mean2 + self.within) + sigma_b2,
            of_scale,
            self.noise and self.noise.times(sigma_w2),
        )

    def over_root(self, n: Kind, q: Any, centre: Any) -> "Moments":
        """Return the moments of (x - centre)/sqrt(q); the centre is the mean of x, or 0."""
        mean = 0 if self.centred or not is_centred(centre) else self.mean / n.sqrt(q)
        scaled = self._linear(lambda variance: variance / q, mean, self.error)
        return scaled if n.exact else replace(scaled, of_scale=self.error * abs(1 - scaled.square) + n.epsilon)

    def with_one_error(self) -> "Moments":
        """Return the moments whose mean square has no smaller error than its parts."""
        return replace(self, of_scale=None)

    def times_number(self, s: Any) -> "Moments":
        """Return the moments of s x."""
        return self._linear(lambda variance: s * s * variance, 0 if self.centred else s * self.mean)

    def of_copies(self, m: int) -> "Moments":
        """Return the moments of the mean of m independent copies of x."""
        return self._linear(lambda variance: variance / m, self.mean)

    def dropped(self, p: Any) -> "Moments":
        """Return the moments of x d/(1 - p), d = 0 with probability p, else 1, independently for every datum.

        Data that are infinitely close lose the same units.
        """
        return replace(
            self,
            var_chi=self.var_chi + self.square * p / (1 - p),
            noise=self.noise and self.noise.times(1 / (1 - p)),
        )

    def times(self, other: "Moments") -> "Moments":
        """Return the moments of x y, y the `other`, independent unit."""
        x, y, within, noise = self, other, None, None
        if x.within is not None and y.within is not None:
            within = x.within * (y.mean * y.mean + y.within) + x.mean * x.mean * y.within
        if x.noise and y.noise:
            change = x.noise.variance * y.square + x.square * y.noise.variance
            noise = Noise(change, x.noise.error + y.noise.error)
        return Moments(
            0 if x.centred or y.centred else x.mean * y.mean,
            x.var_mu * (y.mean * y.mean + y.var_mu) + x.mean * x.mean * y.var_mu,
            x.var_chi * y.square + (x.mean * x.mean + x.var_mu) * y.var_chi,
            x.error + y.error,
            within,
            noise=noise,
        )

    def plus(self, a: Any, other: "Moments", b: Any) -> "Moments":
        """Return the moments of a x + b y, y the `other`, independent unit."""
        x, y, noise = self, other, None
        batches = x.within is not None or y.within is not None
        if x.noise and y.noise:
            change = a * a * x.noise.variance + b * b * y.noise.variance
            noise = Noise(change, np.maximum(x.noise.error, y.noise.error))
        return Moments(
            0 if x.centred and y.centred else a * x.mean + b * y.mean,
            a * a * x.var_mu + b * b * y.var_mu,
            a * a * x.var_chi + b * b * y.var_chi,
            np.maximum(x.error, y.error),
            a * a * x.covariance + b * b * y.covariance if batches else None,
            noise=noise,
        )

    @staticmethod
    def mixed(kinds: "Sequence[tuple[Any, Moments]]") -> "Moments":
        """Return the moments over units of several kinds: pairs of the share of a kind and of its moments.

        The scatter of the means over the kinds differs between units as their own means do, and adds to var_mu.
        """
        centred = all(x.centred for _, x in kinds)
        mean = 0 if centred else weighted_sum(kinds, lambda x: x.mean)
        scatter = 0 if centred else weighted_sum(kinds, lambda x: (x.mean - mean) * (x.mean - mean))
        batches = any(x.within is not None for _, x in kinds)
        noises = [(share, x.noise) for share, x in kinds if x.noise is not None]
        noise = None
        if len(noises) == len(kinds):
            noise = Noise(weighted_sum(noises, lambda x: x.variance), reduce(np.maximum, (x.error for _, x in noises)))
        return Moments(
            mean,
            weighted_sum(kinds, lambda x: x.var_mu) + scatter,
            weighted_sum(kinds, lambda x: x.var_chi),
            reduce(np.maximum, (x.error for _, x in kinds)),
            weighted_sum(kinds, lambda x: x.covariance) + scatter if batches else None,
            noise=noise,
        )

    def _linear(self, factor: Callable[[Any], Any], mean: Any, error: Any = 0.0) -> "Moments":
        """Return the moments with this mean whose variances are multiplied by a factor with this relative error."""
        return replace(
            self,
            mean=mean,
            var_mu=factor(self.var_mu),
            var_chi=factor(self.var_chi),
            within=None if self.within is None else factor(self.within),
            noise=self.noise and self.noise.changed(factor, error),
        )


def weighted_sum(kinds: Sequence[tuple[Any, Any]], value: Callable[[Any], Any]) -> Any:
    """Return the sum over pairs of a share and of moments of the share times a value of the moments."""
    terms = [share * value(x) for share, x in kinds]
    return reduce(operator.add, terms)


def is_centred(mean: Any) -> bool:
    """Return whether a mean is the integer 0, which marks units whose mean is zero by construction."""
    return isinstance(mean, int) and mean == 0


def stated(n: Kind, values: tuple[Any, Any, Any], errors: tuple[Any, Any, Any]) -> Any:
    """Return the relative error that `Moments` states, from mean, var_mu, var_chi and their absolute errors."""
    (mean, var_mu, var_chi), tiny = values, n.number(1e-290)
    product = mean * mean + abs(var_mu)
    counted = product > (ZERO / FLOAT64.epsilon * n.epsilon) ** 2 * (product + var_chi)
    of_product = (errors[1] + (2 * abs(mean) + errors[0]) * errors[0]) / (product + tiny)
    return of_product * counted + errors[2] / (abs(var_chi) + tiny)


CENTRED = Each(0, 0)
"""The means of two data whose units are centred."""
EXACT = Errors()
"""The errors of moments without any."""


@final
@dataclass(frozen=True)
class Pairs:
    """Second moments over W of a unit at pairs of data: q_a and q_b of the two data, q_ab of the pair; they broadcast.

    same: True where a and b are one datum; errors: the relative errors of all these; mean: E x at each of the two data;
    tangent: the tangent kernel of the pairs, None if it is not asked for: see `networks.training.tangent`.
    """

    q_a: Any
    q_b: Any
    q_ab: Any
    same: Any = False
    errors: Errors = EXACT
    mean: Each = CENTRED
    tangent: Any = None

    @property
    def error(self) -> float:
        """The error of q_ab relative to sqrt(q_a q_b), but for that of draws."""
        return self.errors.product

    @property
    def centred(self) -> bool:
        """True if the mean is zero by construction."""
        return is_centred(self.mean.a)

    @property
    def square(self) -> Each:
        """Mean squares of the two data."""
        return Each(self.q_a, self.q_b)

    @property
    def variance(self) -> Each:
        """Variances over the weights of the two data."""
        return self.square - self.mean * self.mean

    def error_of_means(self, other: "Pairs") -> float:
        """The error of the product of the means of two units, relative to the roots of their mean squares."""
        of_x, of_y = self.errors.mean, other.errors.mean
        if not (of_x or of_y):
            return 0.0
        return self.share_of_mean * of_y + of_x * (other.share_of_mean + of_y)

    @property
    def share_of_mean(self) -> float:
        """The largest mean over the root of the mean square."""
        q, mean = (np.asarray(part, dtype=float) for part in (self.q_a, self.mean.a))
        return float(np.max(np.abs(mean) / np.sqrt(q + (q == 0))))

    def weighted(self, sigma_w2: Any, sigma_b2: Any, rounding: float) -> "Pairs":
        """Return the second moments of sums of many units with independent weights and biases.

        The tangent kernel of these weights and biases is the kernel itself.
        """
        q = sigma_w2 * self.square + sigma_b2
        q_ab = sigma_w2 * self.q_ab + sigma_b2
        tangent = None if self.tangent is None else q_ab + sigma_w2 * self.tangent
        of_square = None if self.errors.square is None else self.errors.square + rounding
        errors = replace(self.errors, product=self.errors.product + rounding, square=of_square, mean=0.0)
        return self._with(q, q_ab, tangent, errors, CENTRED)

    def over_root(self, n: Kind, q: Any, centre: Any) -> "Pairs":
        """Return the second moments of (x - centre)/sqrt(q); q and the centre may differ between the two data.

        Units that do not vary become 0, as in samples.
        """
        q = Each.of(q).map(lambda part: np.where(part == 0, n.number(1), part))
        root, c, mean = q.map(n.sqrt), Each.of(centre), self.mean
        square = self.square - c * (2 * mean - c)
        error = self.error if is_centred(centre) else self.error + self.error_of_means(self)
        apart = self.q_ab - c.product - c.a * (mean.b - c.b) - (mean.a - c.a) * c.b
        tangent = None if self.tangent is None else self.tangent / root.product
        scaled, error = square / q, self._magnified(square, error)
        of_square = error * float(np.max(abs(1 - scaled.a))) + n.epsilon
        of_mean = 0.0 if np.all(mean.a == c.a) else self.errors.mean
        errors = replace(self.errors, product=error, square=of_square, mean=of_mean)
        # rounding would tell a datum from itself, at the steepest place of an angle
        q_ab = np.where(self.same, scaled.a, apart / root.product)
        return self._with(scaled, q_ab, tangent, errors, CENTRED if self.centred else (mean - c) / root)

    def with_one_error(self) -> "Pairs":
        """Return the second moments whose squares have no smaller error than their products."""
        return replace(self, errors=replace(self.errors, square=None))

    def times_number(self, s: Any) -> "Pairs":
        """Return the second moments of s x."""
        mean = CENTRED if self.centred else s * self.mean
        return self.linear(lambda product: s * s * product, s * s * self.square, mean=mean)

    def of_copies(self, m: int) -> "Pairs":
        """Return the second moments of the mean of m independent copies of x."""
        tangent = None if self.tangent is None else self.tangent / m
        product, mean2 = self.mean.product, self.mean * self.mean
        square = mean2 + (self.square - mean2) / m
        error = self.error + self._magnified(square, self.error_of_means(self))
        errors = replace(self.errors, product=error, square=None)
        return self._with(square, product + (self.q_ab - product) / m, tangent, errors)

    def dropped(self, p: Any) -> "Pairs":
        """Return the second moments of x d/(1 - p), d = 0 with probability p, else 1, independently for every datum."""
        return self.linear(lambda product: np.where(self.same, product / (1 - p), product), self.square / (1 - p))

    def times(self, other: "Pairs") -> "Pairs":
        """Return the second moments of x y, y the `other`, independent unit."""
        x, y = self, other
        tangent = None if x.tangent is None else x.tangent * y.q_ab + x.q_ab * y.tangent
        return self._with(x.square * y.square, x.q_ab * y.q_ab, tangent, x.errors.plus(y.errors), x.mean * y.mean)

    def plus(self, a: Any, other: "Pairs", b: Any) -> "Pairs":
        """Return the second moments of a x + b y, y the `other`, independent unit."""
        x, y = self, other
        square = a * a * x.square + b * b * y.square + 2 * a * b * x.mean * y.mean
        means = x.mean.a * y.mean.b + x.mean.b * y.mean.a
        tangent = None if x.tangent is None else a * a * x.tangent + b * b * y.tangent
        mean = CENTRED if x.centred and y.centred else a * x.mean + b * y.mean
        # twice the product of two roots is at most the sum of the squares
        error = max(x.error, y.error) + x.error_of_means(y)
        of_mean = x.errors.mean + y.errors.mean
        errors = replace(x.errors.largest(y.errors), product=error, mean=of_mean)
        return self._with(square, a * a * x.q_ab + b * b * y.q_ab + a * b * means, tangent, errors, mean)

    @staticmethod
    def mixed(kinds: "Sequence[tuple[Any, Pairs]]") -> "Pairs":
        """Return the second moments over units of several kinds: pairs of the share of a kind and of its moments."""
        moments = [x for _, x in kinds]
        tangent = weighted_sum(kinds, lambda x: x.tangent) if moments[0].tangent is not None else None
        mean = CENTRED if all(x.centred for x in moments) else weighted_sum(kinds, lambda x: x.mean)
        errors = reduce(Errors.largest, (x.errors for x in moments))
        square, q_ab = weighted_sum(kinds, lambda x: x.square), weighted_sum(kinds, lambda x: x.q_ab)
        return Pairs(square.a, square.b, q_ab, moments[0].same, errors, mean, tangent)

    def linear(self, change: Callable[[Any], Any], square: Each, mean: Each | None = None) -> "Pairs":
        """Return the second moments with these squares, and with a linear change of q_ab and of its tangent kernel.

        mean: the means, if they change.
        """
        tangent = None if self.tangent is None else change(self.tangent)
        return self._with(square, change(self.q_ab), tangent, mean=mean)

    def _magnified(self, square: Each, error: float) -> float:
        """Return an error relative to the mean squares, which subtracting the means makes as small as these."""
        varies = np.where(square.a == 0, self.q_a + (self.q_a == 0), square.a)
        return float(np.max(np.asarray(self.q_a / varies, dtype=float))) * error if error else 0.0

    def _with(
        self, square: Each, q_ab: Any, tangent: Any, errors: Errors | None = None, mean: Each | None = None
    ) -> "Pairs":
        """Return these second moments of the same pairs; by default the squares have the errors of the products."""
        errors = errors or replace(self.errors, square=None)
        return Pairs(square.a, square.b, q_ab, self.same, errors, self.mean if mean is None else mean, tangent)


def kernel_root(kernel: NDArray[np.float64], largest: float = 0.0) -> NDArray[np.float64]:
    """Return a root L of a kernel L L^T, shape (D, rank), with orthogonal columns.

    Eigenvalues that are zero up to rounding are dropped; `largest` is the size of numbers from which the kernel was
    computed.
    """
    values, vectors = np.linalg.eigh(kernel)
    kept = values > 2 * len(kernel) * FLOAT64.epsilon * max(largest, values[-1])
    return np.asarray(vectors[:, kept] * np.sqrt(values[kept]))


def pivoted_root(kernel: NDArray[np.float64], least: float = 0.0) -> NDArray[np.float64]:
    """Return a root L of a kernel L L^T, shape (D, rank), by pivoted Cholesky: some directions may have no variance.

    least: a variance that the root may lack at each datum.
    """
    from scipy.linalg.lapack import dpstrf  # noqa: PLC0415 - only drawing needs it

    rounding = len(kernel) * FLOAT64.epsilon * kernel.diagonal().max()
    factor, pivots, rank, _ = dpstrf(kernel, tol=max(rounding, least), lower=1)
    root = np.zeros((len(kernel), rank))
    root[pivots - 1] = np.tril(factor[:, :rank])
    return root
