"""The bias ratio of the guesses: the gamma whose law of G0 has a given variance."""

from typing import Any

import numpy as np

from igbtheory.guesses.arguments import float64_array

MEANING = (
    "Two bias ratios: gamma is var_mu/var_chi of the outputs, and gamma_guess is the gamma whose law of G0 has the "
    "variance of these guesses; in infinite width they are equal on Gaussian inputs."
)
"""What the two bias ratios are, for every result that shows both."""


def on_ties(share: float) -> str:
    """Return a sentence on the share of the data that tie, or nothing."""
    if not share:
        return ""
    return (
        f"At {100 * share:.3g} % of the data the largest outputs tie: the first of them counts, as argmax returns it."
    )


def with_itself(variance: Any, size: int) -> Any:
    """Return E (G0 - 1/2)^2 over all pairs of `size` data, from that over pairs of different data.

    A datum agrees with itself. So 1/size of all pairs contribute 1/4 each, and without a bias 1/(4 size) remains.
    """
    return variance + (0.25 - variance) / size


def without_itself(variance: Any, size: int) -> Any:
    """Return E (G0 - 1/2)^2 over pairs of different data, from that over all pairs of `size` data; of one it is 1/4."""
    return (size * variance - 0.25) / (size - 1) if size > 1 else variance


def gamma_of_variance(variance: Any) -> Any:
    """Return gamma_guess = c/(1 - c), c = sin(2 pi Var(G0)): at this gamma Phi(sqrt(gamma) U) has this variance.

    variance: Var(G0) over networks, where E G0 = 1/2; a number or an array, whose shape the result has. A negative one,
    which an estimate can be, gives 0; 1/4, where every network guesses one class, and more give inf; NaN gives NaN.

    Given the hidden weights, outputs with Gaussian last-layer weights are a Gaussian process over the data, so that
    Var(G0) = E arcsin(c_ab)/(2 pi) at any width, with the cosine c_ab of the last-layer features of two data. So
    gamma_guess depends on directions only, where var_mu/var_chi also counts how norms of features differ.
    """
    angle = np.pi * np.clip(float64_array("variance", variance), 0.0, 0.25)
    with np.errstate(divide="ignore"):
        # 1 - sin(2 x) = 2 sin(pi/4 - x)^2 does not cancel as x approaches pi/4
        ratio = np.sin(2 * angle) / (2 * np.sin(np.pi / 4 - angle) ** 2)
    return np.where(angle >= np.pi / 4, np.inf, ratio)[()]


def slope_of_gamma(gamma: Any) -> Any:
    """Return the derivative 2 pi (1 + gamma) sqrt(1 + 2 gamma) of `gamma_of_variance` by the variance."""
    return 2 * np.pi * (1 + gamma) * np.sqrt(1 + 2 * gamma)
