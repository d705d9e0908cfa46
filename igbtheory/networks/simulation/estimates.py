"""Estimates from ensembles, with standard errors.

One array, (ensembles, networks, ...), holds the values of one or several ensembles. The means of the ensembles are
combined with weights: 1 for a single ensemble, or the weights that extrapolate to infinite width.
"""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np
import scipy
from numpy.typing import NDArray

from igbtheory.foundations.result import Result
from igbtheory.guesses.bias_of_guesses import gamma_of_variance, slope_of_gamma
from igbtheory.theory.output_layer import of_output

Array = NDArray[np.float64]
NAMES = ("var_mu", "var_chi", "gamma")
FEW = 30
"""Number of networks from which on Student's quantile is within 5 % of the normal one, which is used then."""
ROUNDED = 1e-15
"""Largest rounding error of a mean of variances of G0, which are at most 1/4."""
TIED = 1e-3
"""Largest share of ties that the expansion and a law of a varied gamma leave out: it moves a Var(G0) of 1/12 by at most
.3 %. With more, G0 = 1 has a probability, as in networks of which nothing is alive, and so have other shares: they are
drawn."""
TIES = "Share of the data at which the outputs tie: class 0 gets them, as argmax returns the first of the largest."
ESTIMATES = tuple(f"{name}{suffix}" for name in (*NAMES, "gamma_guess") for suffix in ("", "_error"))


@final
@dataclass(frozen=True, eq=False)
class LayerEstimates:
    """Estimates after every Dense layer, from the input to the output, with their errors; shape (dense layers,).

    var_g0: the variance of G0 if outputs read what this layer reads, NaN if it is not known. gamma_guess: the gamma
    whose law has this variance; 0 where the variance is negative, inf with an infinite error where it is 1/4 or more.
    ties: the share of the data at which such outputs tie, which class 0 gets, so that E G0 = (1 + ties)/2. A residual
    block counts as one Dense layer.

    var_mu, var_chi, gamma: the moments and their ratio. var_mu_error, var_chi_error, gamma_error, var_g0_error,
    gamma_guess_error: standard errors.

    >>> layers = igb.mlp(1, "relu").simulate(networks=20, width=50, samples=50).per_layer
    >>> layers.gamma.shape
    (2,)
    """

    var_mu: Array
    var_mu_error: Array
    var_chi: Array
    var_chi_error: Array
    gamma: Array
    gamma_error: Array
    var_g0: Array
    var_g0_error: Array
    gamma_guess: Array
    gamma_guess_error: Array
    ties: Array

    @property
    def c(self) -> Array:
        """Correlation c = var_mu/(var_mu + var_chi) of an output for two data, over all networks."""
        with np.errstate(invalid="ignore"):
            return self.var_mu / (self.var_mu + self.var_chi)


class OutputEstimates(Result):
    """Estimates of var_mu, var_chi, gamma and gamma_guess of the output of an ensemble, with errors, and its ties."""

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
    gamma_guess = of_output("gamma_guess", "Bias ratio of the guesses: the gamma whose law of G0 has their variance.")
    gamma_guess_error = of_output("gamma_guess_error", "Standard error of `gamma_guess`.")
    ties = of_output("ties", TIES)

    def _estimates(self) -> str:
        """Return the estimates of the output with their errors, for `repr`."""
        pairs = zip(ESTIMATES[::2], ESTIMATES[1::2], strict=True)
        return ", ".join(f"{name}={getattr(self, name):.6g}±{getattr(self, error):.2g}" for name, error in pairs)


def layer_estimates(
    moments: Array, weights: Array, squares: Array | float = np.nan, ties: Array | float = 0.0
) -> LayerEstimates:
    """Return the estimates from var_mu and var_chi of every network, (ensembles, networks, dense layers, 2).

    squares, ties: E (G0 - 1/2)^2 and the share of ties of every network, (ensembles, networks, dense layers); NaN if
    they are not known. Errors from few networks are multiplied by `student`.
    """
    var_mu, var_chi = moments[..., 0], moments[..., 1]
    squares, ties = (np.broadcast_to(values, var_mu.shape) for values in (squares, ties))
    of_guesses = jackknife(lambda square, tied: square - (tied / 2) ** 2, weights, squares, ties)
    pairs = (
        mean(var_mu, weights),
        mean(var_chi, weights),
        ratio_of_means(var_mu, var_chi, weights),
        of_guesses,
        bias_of_guesses(*of_guesses),
    )
    wider = student(moments.shape[1])
    estimates = (part for value, error in pairs for part in (value, wider * error))
    return LayerEstimates(*[*estimates, mean(ties, weights)[0]])


def student(networks: int) -> float:
    """Return Student's quantile over the normal one, with which 1.96 errors from few networks contain 95 %."""
    if networks >= FEW:
        return 1.0
    return float(scipy.special.stdtrit(networks - 1, 0.975) / scipy.special.ndtri(0.975))


def on_few(networks: int) -> str:
    """Return a sentence on errors from few networks, with an empty line in front, or nothing."""
    if networks >= FEW:
        return ""
    return (
        f"\n\nOf fewer than {FEW} networks, errors contain Student's quantile. Where gamma is skewed, as in deep and "
        "narrow ReLU networks, they may still be too small by a third."
    )


def bias_of_guesses(variance: Array, error: Array) -> tuple[Array, Array]:
    """Return gamma_guess at a Var(G0) with a standard error, and its own: that of the variance times the slope.

    A jackknife would correct the bias of order 1/n, but the slope gives deviations that are closer to normal. Both
    are infinite where the variance is 1/4 up to rounding: every network guesses one class.
    """
    gamma = gamma_of_variance(np.where(variance > 0.25 - ROUNDED, 0.25, variance))
    with np.errstate(invalid="ignore"):
        return gamma, np.where(np.isinf(gamma), np.inf, slope_of_gamma(gamma) * error)


def mean(values: Array, weights: Array) -> tuple[Array, Array]:
    """Return the weighted mean sum_i w_i <x>_i over the ensembles i, and its standard error."""
    variances = values.var(axis=1, ddof=1) / values.shape[1]
    return np.tensordot(weights, values.mean(axis=1), 1), np.sqrt(np.tensordot(weights**2, variances, 1))


def ratio_of_means(a: Array, b: Array, weights: Array) -> tuple[Array, Array]:
    """Return the ratio of the weighted means of a and b, as `jackknife` estimates it, and its standard error.

    The ratio is inf or NaN if the mean of b is 0. A correction that changes its sign is left out: few networks make up
    the mean of b then, and they do not tell the bias.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        corrected, error = jackknife(np.divide, weights, a, b)
        whole = np.divide(*(np.tensordot(weights, x.mean(axis=1), 1) for x in (a, b)))
        return np.where(corrected * whole < 0, whole, corrected), error


def jackknife(statistic: Callable[..., Array], weights: Array, *values: Array) -> tuple[Array, Array]:
    """Return a statistic S of the weighted means of some values, without its bias of order 1/n, and its error.

    S_ij is the statistic without network j of ensemble i, which has n networks. The estimate is
    S - (n - 1) sum_i (<S_ij>_j - S) and its standard error the root of (n - 1)/n sum_ij (S_ij - <S_ij>_j)^2.
    """
    n = values[0].shape[1]
    whole, left = (statistic(*means) for means in zip(*(_left_out(x, weights) for x in values), strict=True))
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
