"""The law of the mean softmax probability p_c of each class over the data, in an untrained network.

Outputs O_c = mu_c + sqrt(var_chi) z. As 1/S = int exp(-t S) dt, given the centres

    p_c = int ds A(mu_c - s) prod_{d != c} L(mu_d - s),    L(x) = E exp(-Y), A(x) = E Y exp(-Y), log Y ~ N(x, var_chi).

The mean of p_c^2 over the centres is the double integral of the same with L(x) L(y) and A(x) A(y) averaged over mu.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.guesses.centred import checked_centres, differ
from igbtheory.guesses.law import ClassLaw, checked_classes, non_negative_number, shape_of
from igbtheory.guesses.sampled import DrawnClasses
from igbtheory.numerics.log_normal import PEAK, REACH, TAIL, LogNormalLaplace

STEP = 0.25
"""Steps of the trapezoidal rules of a variance: analytic in strips of pi/2, they err by 1e-16."""
WIDEST = 30.0
"""Scatter of the centres up to which the variance is computed, in units of the width that data and softmax smooth."""
LEAST = 1e-6
"""Scatter of the centres, in the same units, below which the variance is proportional to var_mu."""
BLOCK = 2**20
"""Numbers held at once."""

Array = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class SoftmaxLaw(DrawnClasses, ClassLaw):
    """Law over initialisations of p_c = E_chi softmax_c(O/temperature) of M = `n_classes` classes.

    Means over infinitely many data, which depend on var_mu and var_chi themselves: the scale of the logits counts. As
    temperature -> 0 it is the law of the shares of the guesses, as temperature -> inf all p_c are 1/M.
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
                f"expected centres that scatter by at most {WIDEST:g} times what smooths them, got {mu / smooth:.3g}: "
                "softmax is nearly the largest output; use rvs, or prediction.guesses(n_classes).var()"
            )
        # where it is proportional to var_mu, from a scatter whose effects rounding does not touch
        seen = max(mu, LEAST * smooth)
        return self._variance(seen, smooth) * float(mu / seen) ** 2

    def given(self, centres: Any) -> Array:
        """Probabilities p_c given the centres mu, both of shape (..., M): they sum to one. Equal centres, equal p_c."""
        mu = checked_centres(centres, self.n_classes)
        rows = mu.reshape(-1, self.n_classes) / self.temperature
        found = np.ones(rows.shape)
        apart = differ(rows)
        if apart.any():
            parts = np.array_split(rows[apart], 1 + rows.size * len(self._laplace.nodes) // BLOCK)
            found[apart] = np.concatenate([self._given(part) for part in parts])
        return np.asarray(found / found.sum(axis=1, keepdims=True)).reshape(mu.shape)

    def rvs(self, size: Any = None, random_state: Any = None) -> Array:
        """Return independent draws of all p_c, shape (*size, M)."""
        shape = shape_of(size)
        rng = np.random.default_rng(random_state)
        return self.given(np.sqrt(self.var_mu) * rng.standard_normal((*shape, self.n_classes)))

    @property
    def _scale(self) -> float:
        return float(np.sqrt(self.var_chi)) / self.temperature

    @cached_property
    def _laplace(self) -> LogNormalLaplace:
        return LogNormalLaplace(self._scale)

    def _variance(self, mu: float, smooth: float) -> float:
        """Return the variance of p_c for centres of standard deviation mu, as sums of covariances over them."""
        reach, step = REACH * np.hypot(mu, self._scale), STEP * smooth
        s = np.arange(-reach - PEAK, reach + TAIL, step)
        u = np.arange(-REACH, REACH, STEP * min(1.0, smooth / mu))
        weights = np.exp(-0.5 * u * u)
        weights /= weights.sum()
        log_l, log_a, _ = self._laplace(np.minimum(mu * u[:, None] - s, -self._laplace.nodes[0]))
        (alone, excess), (rate, rate_excess) = (_averaged(weights, np.exp(part)) for part in (log_l, log_a))
        both, excess, power = np.multiply.outer(alone, alone), np.maximum(excess, 0.0), self.n_classes - 1
        with np.errstate(under="ignore"):
            ratio = excess / np.maximum(both, 1e-290)
            # falling from the larger power, which overflows nowhere
            gain = -((both + excess) ** power) * np.expm1(-power * np.log1p(ratio))
            found = rate_excess * both**power + (np.multiply.outer(rate, rate) + rate_excess) * gain
        return float(step**2 * found.sum())

    def _given(self, mu: Array) -> Array:
        x = mu[:, :, None] - mu.max(axis=1)[:, None, None] - self._laplace.nodes
        log_l, log_a, _ = self._laplace(x)
        with np.errstate(under="ignore"):
            weights = np.exp(log_l.sum(axis=1, keepdims=True))
            return np.asarray((weights * np.exp(log_a - log_l)).sum(axis=2))


def checked_temperature(temperature: Any) -> float:
    """Return the temperature of a softmax, one number above 0."""
    found = non_negative_number("temperature", temperature)
    if found == 0.0:
        raise ValueError("expected temperature > 0, got 0; its limit is the law of the guesses, prediction.guesses")
    return found


def _averaged(weights: Array, values: Array) -> tuple[Array, Array]:
    """Return the mean over the centres, and covariance matrix over s, of functions of mu - s, shape (centres, s)."""
    mean = weights @ values
    rest = values - mean
    return mean, (weights[:, None] * rest).T @ rest
