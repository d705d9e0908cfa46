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
from igbtheory.guesses.coincidence import STEP
from igbtheory.guesses.law import checked_gamma, one_number
from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.mathematics.numerics.bivariate import both_below

_U = np.arange(-8.5, 8.5, STEP)[:, None]  # beyond, the normal density is negligible
_V = np.arange(0.5 * STEP - 8.5, 8.5, STEP)


def mean_shares(
    gamma: float,
    n_classes: int,
    D: float = np.inf,  # noqa: N803 - the papers' letter
    ranks: int | None = None,
) -> NDArray[np.float64]:
    """Return the mean shares of D data that the classes get, the favoured one first; absolute errors are below 1e-12.

    ranks: the number of shares to return, by default those of all M classes, which sum to one.

    gamma: the bias ratio. n_classes: M. D: number of data, inf for infinitely many.

    >>> igb.guesses.mean_shares(0.5, 3).round(4)
    array([0.5724, 0.2888, 0.1388])
    """
    gamma, n_classes = one_number("gamma", checked_gamma(gamma)), checks.whole("n_classes", n_classes, 2)
    count = n_classes if ranks is None else checks.whole("ranks", ranks, 1, n_classes)
    if not one_number("D", D) >= 1:
        raise ValueError(f"expected D >= 1, got {D}; pass the number of data, or inf")
    half = 0.5 * np.arccos(np.sqrt((gamma + 1.0 / D) / (gamma + 1.0)))
    a, b = np.cos(half), np.sin(half)
    x, y = a * _U + b * _V, a * _U - b * _V
    first = both_below(x, y, b * _U + a * _V, b * _U - a * _V)
    later = np.maximum(scipy.special.ndtr(y) - first, 0.0)
    point = STEP**2 * FLOAT64.npdf(_U) * FLOAT64.npdf(_V)
    with np.errstate(under="ignore"):
        terms = [np.sum(point * first ** (n_classes - 1 - i) * later**i) for i in range(count)]
    return np.asarray(n_classes * scipy.special.binom(n_classes - 1, np.arange(len(terms))) * np.array(terms))
