"""The law of the mean softmax probability p_c of each class over the data, in an untrained network.

The outputs are O_c = mu_c + sqrt(var_chi) z. Since 1/S = int exp(-t S) dt, given the centres mu_c

    p_c = int ds A(mu_c - s) prod_{d != c} L(mu_d - s),    L(x) = E exp(-Y), A(x) = E Y exp(-Y), log Y ~ N(x, var_chi).

The mean of p_c^2 over the centres is a double integral over s and s', in which L(mu - s) L(mu - s') and
A(mu - s) A(mu - s') are averaged over mu.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.guesses.centred import FEW, checked_centres, differ
from igbtheory.guesses.law import ClassLaw, checked_classes, non_negative_number
from igbtheory.guesses.sampled import DrawnClasses
from igbtheory.mathematics.numerics.limits import BLOCK, DEPTH
from igbtheory.mathematics.numerics.log_normal import PEAK, REACH, LogNormalLaplace
from igbtheory.mathematics.numerics.many_factors import ManyFactors

STEP = 0.25
"""Step of the trapezoidal rules for a variance. The integrands are analytic in strips of pi/2: errors are 1e-16."""
WIDEST = 30.0
"""Largest standard deviation of the centres for which the variance is computed.

The unit is the width over which a mean probability rises: that of softmax or of the data, whichever is larger.
"""
LEAST = 1e-6
"""Standard deviation of the centres, in the same unit, below which the variance is proportional to var_mu."""

Array = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class SoftmaxLaw(DrawnClasses, ClassLaw):
    """Law over initialisations of p_c = E_chi softmax_c(O/temperature), for M = `n_classes` classes.

    The means are over infinitely many data. They depend on var_mu and var_chi, and not only on their ratio. As
    temperature -> 0, p_c becomes the share of the guesses; as temperature -> inf, all p_c become 1/M.

    var_mu, var_chi: variances of the outputs. n_classes: M. temperature: what the outputs are divided by.

    >>> law = igb.mlp(2, "relu").predict().softmax(10)
    >>> print(f"{law.mean():.2f}")
    0.10
    """

    var_mu: float
    var_chi: float
    n_classes: int
    temperature: float = 1.0

    def __post_init__(self) -> None:
        for name in ("var_mu", "var_chi"):
            object.__setattr__(self, name, non_negative_number(name, getattr(self, name)))
        object.__setattr__(self, "temperature", checked_temperature(self.temperature))
        object.__setattr__(self, "n_classes", checked_classes(self.n_classes))

    def var(self) -> float:
        """Return the variance of p_c over initialisations."""
        if self.var_mu == 0.0:
            return 0.0
        mu, smooth = np.sqrt(self.var_mu) / self.temperature, max(1.0, self._scale)
        if mu > WIDEST * smooth:
            raise ValueError(
                f"expected a scatter of the centres of at most {WIDEST:g} times the width of softmax and of the data, "
                f"got {mu / smooth:.3g}: softmax is nearly the largest output; use rvs, or "
                "prediction.guesses(n_classes).var()"
            )
        # below LEAST the variance is proportional to var_mu, and rounding errors would dominate
        scatter = max(mu, LEAST * smooth)
        return self._variance(scatter, smooth) * float(mu / scatter) ** 2

    def given(self, centres: Any) -> Array:
        """Return the probabilities p_c given the centres mu, both of shape (..., M). Equal centres have equal p_c."""
        mu = checked_centres(centres, self.n_classes)
        rows = mu.reshape(-1, self.n_classes) / self.temperature
        probabilities = np.ones(rows.shape)
        apart = differ(rows)
        if apart.any() and self.n_classes > FEW:
            probabilities[apart] = self._of_many(rows.max(axis=1, keepdims=True)[apart] - rows[apart])
        elif apart.any():
            blocks = np.array_split(rows[apart], 1 + rows.size * len(self._laplace.nodes) // BLOCK)
            probabilities[apart] = np.concatenate([self._given(part) for part in blocks])
        return np.asarray(probabilities / probabilities.sum(axis=1, keepdims=True)).reshape(mu.shape)

    def rvs(self, size: Any = None, random_state: Any = None) -> Array:
        """Return independent draws of all p_c, shape (*size, M)."""
        shape = checks.shape_of(size)
        rng = checks.generator(random_state)
        return self.given(np.sqrt(self.var_mu) * rng.standard_normal((*shape, self.n_classes)))

    @property
    def _scale(self) -> float:
        return float(np.sqrt(self.var_chi)) / self.temperature

    @cached_property
    def _laplace(self) -> LogNormalLaplace:
        return LogNormalLaplace(self._scale)

    @cached_property
    def _of_many(self) -> ManyFactors:
        """The probabilities up to one factor, as a function of the distances of the centres from the largest one."""
        s = self._laplace.nodes

        def log_rate(d: Array) -> Array:
            log_l, log_a, _ = self._laplace(-d - s)
            return np.asarray(log_a - log_l)

        # L and A vary over the width of softmax or of the data
        return ManyFactors(lambda d: self._laplace(-d - s)[0], log_rate, float(np.ptp(s)), max(1.0, self._scale))

    def _variance(self, mu: float, smooth: float) -> float:
        """Return the variance of p_c for centres of standard deviation mu, as a sum of covariances at pairs (s, s')."""
        reach, step = REACH * np.hypot(mu, self._scale), STEP * smooth
        s = np.arange(-reach - PEAK, reach + DEPTH, step)
        u = np.arange(-REACH, REACH, STEP * min(1.0, smooth / mu))
        weights = np.exp(-0.5 * u * u)
        weights /= weights.sum()
        log_l, log_a, _ = self._laplace(np.minimum(mu * u[:, None] - s, -self._laplace.nodes[0]))
        (alone, excess), (rate, rate_excess) = (_averaged(weights, np.exp(part)) for part in (log_l, log_a))
        both, excess, power = np.multiply.outer(alone, alone), np.maximum(excess, 0.0), self.n_classes - 1
        with np.errstate(under="ignore"):
            ratio = excess / np.maximum(both, 1e-290)
            # computed from the larger power, which does not overflow
            gain = -((both + excess) ** power) * np.expm1(-power * np.log1p(ratio))
            covariances = rate_excess * both**power + (np.multiply.outer(rate, rate) + rate_excess) * gain
        return float(step**2 * covariances.sum())

    def _given(self, mu: Array) -> Array:
        x = mu[:, :, None] - mu.max(axis=1)[:, None, None] - self._laplace.nodes
        log_l, log_a, _ = self._laplace(x)
        with np.errstate(under="ignore"):
            weights = np.exp(log_l.sum(axis=1, keepdims=True))
            return np.asarray((weights * np.exp(log_a - log_l)).sum(axis=2))


def checked_temperature(temperature: Any) -> float:
    """Return the temperature of a softmax as a float; refuse anything but one finite number above 0."""
    number = non_negative_number("temperature", temperature)
    if number == 0.0:
        raise ValueError("expected temperature > 0, got 0; use prediction.guesses, the law in the limit 0")
    return number


def _averaged(weights: Array, values: Array) -> tuple[Array, Array]:
    """Return the mean over the centres of functions of mu - s, shape (centres, s), and their covariance matrix."""
    mean = weights @ values
    rest = values - mean
    return mean, (weights[:, None] * rest).T @ rest
