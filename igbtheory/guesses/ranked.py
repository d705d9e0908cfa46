"""Mean shares of the data that the favoured class, the second class and so on get, as double integrals.

Classes are ranked by their mean output over the data. With infinitely many data this is the order of their shares. The
mean output X of a class and its output Y at one of the D data are normal variables with the correlation
sqrt((gamma + 1/D)/(gamma + 1)). Different classes are independent. With f the density of (X, Y), the datum is given to
the class of rank k with the probability

    M binom(M - 1, k - 1) iint f(x, y) P(X < x, Y < y)^(M-k) P(X > x, Y < y)^(k-1) dx dy.

Source: initial-guessing-bias, extension to several classes.
"""

import numpy as np
import scipy
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.guesses.arguments import MOST_CLASSES, MOST_TOKENS, checked_classes, checked_gamma, one_number
from igbtheory.guesses.coincidence import FINE_STEP, STEP
from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.mathematics.numerics.bivariate import both_below
from igbtheory.mathematics.numerics.limits import TINY
from igbtheory.mathematics.numerics.log_binomial import log_largest

REACH = 8.5
"""Standard deviations beyond which the normal density is negligible."""
NEGLIGIBLE = -50.0
"""Logarithm of 2e-22, of which the 1e5 nodes of an integral do not add up to a rounding error."""


def mean_shares(
    gamma: float,
    n_classes: int,
    D: float = np.inf,  # noqa: N803 - the papers' letter
    ranks: int | None = None,
) -> NDArray[np.float64]:
    """Return the mean shares of D data that up to 10^6 classes get, the favoured one first.

    Absolute errors are below 2e-12. Of more than 1000 classes, each share takes about a millisecond.

    ranks: the number of shares to return, by default those of all M classes, which sum to one.

    gamma: the bias ratio. n_classes: M. D: number of data, inf for infinitely many.

    >>> igb.guesses.mean_shares(0.5, 3).round(4)
    array([0.5724, 0.2888, 0.1388])
    """
    gamma, n_classes = one_number("gamma", checked_gamma(gamma)), checked_classes(n_classes, MOST_TOKENS)
    count = n_classes if ranks is None else checks.whole("ranks", ranks, 1, n_classes)
    if not one_number("D", D) >= 1:
        raise ValueError(f"expected D >= 1, got {D}; pass the number of data, or inf")
    step, others = STEP if n_classes <= MOST_CLASSES else FINE_STEP, n_classes - 1
    u, v = np.arange(-REACH, REACH, step)[:, None], np.arange(0.5 * step - REACH, REACH, step)
    half = 0.5 * np.arccos(np.sqrt((gamma + 1.0 / D) / (gamma + 1.0)))
    a, b = np.cos(half), np.sin(half)
    x, y = a * u + b * v, a * u - b * v
    first = both_below(x, y, b * u + a * v, b * u - a * v)
    # powers and binomials of many classes overflow, and their logarithms do not
    below, above = (np.log(np.maximum(part, TINY)) for part in (first, scipy.special.ndtr(y) - first))
    point = np.log(n_classes * step**2 * FLOAT64.npdf(u) * FLOAT64.npdf(v))
    # the sum over all ranks, of which each one is a part
    there = point + others * scipy.special.log_ndtr(y) > NEGLIGIBLE
    terms, ratio = (point + others * below)[there], (above - below)[there]
    with np.errstate(under="ignore"):
        return np.array([np.exp(terms + log_binomials(others, i) + i * ratio).sum() for i in range(count)])


def log_binomials(n: int, k: int) -> float:
    """Return the logarithm of the number of choices of k out of n, from that of the largest probability of k."""
    rest = n - k
    return float(
        log_largest(n, np.array(float(k))) - scipy.special.xlogy(k, k / n) - scipy.special.xlogy(rest, rest / n)
    )
