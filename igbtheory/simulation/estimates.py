"""Estimates over an ensemble, with their standard errors."""

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@final
@dataclass(frozen=True)
class LayerEstimates:
    """Estimates after every Dense layer, input side first, with standard errors: arrays of shape (dense layers,)."""

    var_mu: Array
    var_mu_error: Array
    var_chi: Array
    var_chi_error: Array
    gamma: Array
    gamma_error: Array


def layer_estimates(moments: Array) -> LayerEstimates:
    """Estimates from the moments var_mu, var_chi of every network, shape (networks, dense layers, 2)."""
    var_mu, var_chi = moments[..., 0], moments[..., 1]
    return LayerEstimates(*mean(var_mu), *mean(var_chi), *ratio_of_means(var_mu, var_chi))


def mean(values: Array) -> tuple[Array, Array]:
    """Mean over the first axis, and its standard error."""
    return values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(len(values))


def ratio_of_means(a: Array, b: Array) -> tuple[Array, Array]:
    """Ratio R = <a>/<b> of means over the first axis, less its bias of order 1/n, and its standard error.

    Jackknife, with the ratios R_i that leave out one network each: n R - (n - 1) <R_i> and (n - 1)/n sum (R_i - <R_i>)^2.
    """
    n = len(a)
    total_a, total_b = a.sum(axis=0), b.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        whole, left_out = total_a / total_b, (total_a - a) / (total_b - b)
        centre = left_out.mean(axis=0)
        corrected = n * whole - (n - 1) * centre
        error = np.sqrt((n - 1) / n * np.square(left_out - centre).sum(axis=0))
    return np.where(np.isfinite(corrected), corrected, whole), error
