"""Estimates from ensembles, with standard errors.

One array, (ensembles, networks, ...), holds the values of one or several ensembles. The means of the ensembles are
combined with weights: 1 for a single ensemble, or the weights that extrapolate to infinite width.
"""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations.result import Result
from igbtheory.theory.output_layer import of_output

Array = NDArray[np.float64]
NAMES = ("var_mu", "var_chi", "gamma")
FEW = 40
"""Number of networks from which on deviations have an rms of at most 1.1 standard errors; for 12 it is 1.1 to 1.5."""
ESTIMATES = tuple(f"{name}{suffix}" for name in NAMES for suffix in ("", "_error"))


@final
@dataclass(frozen=True)
class LayerEstimates:
    """Estimates after every Dense layer, from the input to the output, with standard errors; shape (dense layers,)."""

    var_mu: Array
    var_mu_error: Array
    var_chi: Array
    var_chi_error: Array
    gamma: Array
    gamma_error: Array


class OutputEstimates(Result):
    """Estimates of var_mu, var_chi and gamma of the output of an ensemble, with standard errors."""

    @property
    @abstractmethod
    def per_layer(self) -> LayerEstimates:
        """Estimates after every measured layer, the output last."""

    def _output(self, name: str) -> float:
        """Return the estimate after the last layer."""
        return float(getattr(self.per_layer, name)[-1])

    var_mu = of_output("var_mu", "Variance over the weights of an output's mean over the data.")
    var_mu_error = of_output("var_mu_error", "Standard error of `var_mu`.")
    var_chi = of_output("var_chi", "Variance of an output over the data at fixed weights.")
    var_chi_error = of_output("var_chi_error", "Standard error of `var_chi`.")
    gamma = of_output("gamma", "Bias ratio of the output: mean var_mu over mean var_chi.")
    gamma_error = of_output("gamma_error", "Standard error of `gamma`.")

    def _estimates(self) -> str:
        """Return the three estimates with their errors, for `repr`."""
        return ", ".join(f"{name}={getattr(self, name):.6g}±{getattr(self, f'{name}_error'):.2g}" for name in NAMES)


def caution(networks: int) -> str:
    """Return a line for printed results if there are too few networks for their standard errors, or nothing."""
    if networks >= FEW:
        return ""
    return f"\n\nStandard errors from fewer than {FEW} networks are too small, from 12 by a factor of up to 1.5."


def layer_estimates(moments: Array, weights: Array) -> LayerEstimates:
    """Return the estimates from var_mu and var_chi of every network, (ensembles, networks, dense layers, 2)."""
    var_mu, var_chi = moments[..., 0], moments[..., 1]
    return LayerEstimates(*mean(var_mu, weights), *mean(var_chi, weights), *ratio_of_means(var_mu, var_chi, weights))


def mean(values: Array, weights: Array) -> tuple[Array, Array]:
    """Return the weighted mean sum_i w_i <x>_i over the ensembles i, and its standard error."""
    variances = values.var(axis=1, ddof=1) / values.shape[1]
    return np.tensordot(weights, values.mean(axis=1), 1), np.sqrt(np.tensordot(weights**2, variances, 1))


def ratio_of_means(a: Array, b: Array, weights: Array) -> tuple[Array, Array]:
    """Return the ratio of the weighted means of a and b, as `jackknife` estimates it, and its standard error.

    The ratio is inf or NaN if the mean of b is 0.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return jackknife(np.divide, a, b, weights)


def jackknife(statistic: Callable[[Array, Array], Array], a: Array, b: Array, weights: Array) -> tuple[Array, Array]:
    """Return a statistic S of the weighted means of a and b, corrected for its bias of order 1/n, and its error.

    S_ij is the statistic without network j of ensemble i, which has n networks. The estimate is
    S - (n - 1) sum_i (<S_ij>_j - S) and its standard error the root of (n - 1)/n sum_ij (S_ij - <S_ij>_j)^2.
    """
    n = a.shape[1]
    (whole_a, left_a), (whole_b, left_b) = _left_out(a, weights), _left_out(b, weights)
    whole, left = statistic(whole_a, whole_b), statistic(left_a, left_b)
    centres = left.mean(axis=1, keepdims=True)
    corrected = whole - (n - 1) * (centres[:, 0] - whole).sum(axis=0)
    error = np.sqrt((n - 1) / n * np.square(left - centres).sum(axis=(0, 1)))
    return np.where(np.isfinite(corrected), corrected, whole), error


def _left_out(x: Array, weights: Array) -> tuple[Array, Array]:
    """Return the weighted mean, and for each network the mean without it, (ensembles, networks, ...)."""
    means = x.mean(axis=1, keepdims=True)
    whole = np.tensordot(weights, means[:, 0], 1)
    shares = weights.reshape(-1, *[1] * (x.ndim - 1)) / (x.shape[1] - 1)
    return whole, whole - shares * (x - means)
