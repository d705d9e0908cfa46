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

from igbtheory.guesses.arguments import non_negative_number
from igbtheory.guesses.centred import FEW, checked_centres, differ
from igbtheory.guesses.law import ClassLaw
from igbtheory.guesses.sampled import DRAWS
from igbtheory.guesses.source import GaussianOutputs
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
@dataclass(frozen=True, eq=False, repr=False)
class SoftmaxLaw(ClassLaw):
    """Law over initialisations of p_c, the mean of softmax_c(O/temperature) over the data, for M = `n_classes` classes.

    source: the outputs O. Of Gaussian ones the mean is over infinitely many data: it depends on their `variances`, and
    not only on their ratio, and the variance is an integral; elsewhere it is an estimate. As temperature -> 0, p_c
    becomes the share of the guesses; as temperature -> inf, all p_c become 1/M.

    n_classes: M. temperature: what the outputs are divided by.

    >>> law = igb.mlp(2, "relu").predict().softmax(10)
    >>> print(f"{law.mean():.2f}")
    0.10
    """

    source: Any
    n_classes: int
    temperature: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "temperature", checked_temperature(self.temperature))
        if self._swept:
            raise ValueError(f"expected one network, got a sweep of shape {self._swept}; loop over its values")

    def of_outputs(self, outputs: Array, rng: np.random.Generator) -> Array:
        weights = np.exp((outputs - outputs.max(axis=2, keepdims=True)) / self.temperature)
        return np.asarray((weights / weights.sum(axis=2, keepdims=True)).mean(axis=0))

    def of_gammas(self, gamma: Array, rng: np.random.Generator) -> Array:
        """Return the mean probabilities over infinitely many data: the centres are drawn."""
        of_centres, _ = self.source.deviations(gamma[:, None])
        return self.given(of_centres * rng.standard_normal((gamma.size, self.n_classes)))

    def var(self, draws: int = DRAWS, random_state: Any = 0) -> Any:
        """Return the variance of p_c over initialisations, of Gaussian outputs a double integral."""
        if not isinstance(self.source, GaussianOutputs):
            return super().var(draws, random_state)
        of_centres = float(self.source.deviations(self.source.gamma)[0])
        if of_centres == 0.0:
            return 0.0
        mu, smooth = of_centres / self.temperature, max(1.0, self._scale)
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

    def to_dict(self) -> dict[str, Any]:
        numbers = super().to_dict()
        if isinstance(self.source, GaussianOutputs):
            del numbers["gamma"]
            var_mu, var_chi = np.square(self.source.deviations(self.source.gamma))
            return {"var_mu": float(var_mu), "var_chi": float(var_chi), **numbers}
        return numbers

    @property
    def _scale(self) -> float:
        return float(self.source.deviations(getattr(self.source, "gamma", 1.0))[1]) / self.temperature

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
