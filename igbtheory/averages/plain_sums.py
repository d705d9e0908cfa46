"""Plain sums over evenly spaced points, where a formula varies too fast for panels: the last resort, to a few digits.

Three unlike spacings take the same average; their largest difference is the error, also where no spacing resolves the
formula, whose values are then as good as random.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from igbtheory.averages.quadrature import difference
from igbtheory.averages.resolved import reach_of
from igbtheory.formulas.function import Function
from igbtheory.numbers import FLOAT64, Kind

SIZES, OF_PAIRS = (2**18, 185_363, 131_101), (2**15, 23_173, 16_411)
"""Points of the three sums: of moments, and of products, which are computed for many pairs."""
ROUNDED = 1e-15
"""Rounding error of a value that is averaged."""
WIDE = 4
"""Standard deviation, in spacings, from which on a Gaussian is summed over."""
Array = NDArray[np.float64]


@np.errstate(all="ignore")
def moments(n: Kind, phi: Function, mean: Any, var_mu: Any, var_chi: Any) -> tuple[Any, Any, Any, Any]:
    """Return mean, var_mu, var_chi of phi(h) and their estimated relative error, at one point of a sweep."""
    at = float(mean), float(var_mu), float(var_chi)
    reach = reach_of(FLOAT64, phi, at[0], float(np.sqrt(at[1] + at[2])))
    fine, *others = (_moments(phi, *at, reach, size) for size in SIZES)
    product, own = fine[0] ** 2 + fine[1], fine[2]
    total = product + own
    counted = product > (1e5 * FLOAT64.epsilon) ** 2 * total  # less is what rounding leaves of zero
    rounding = 20 + (total / own if own else 0) + (np.sqrt(total / product) if counted else 0)
    error = 2 * max(difference(FLOAT64, other, fine) for other in others) + ROUNDED * rounding
    return *map(n.number, fine), n.number(error)


def _moments(
    phi: Function, mean: float, var_mu: float, var_chi: float, reach: float, size: int
) -> tuple[float, float, float]:
    x, y, whole = _points(phi, mean, var_mu + var_chi, reach, size)
    average = 0.0 if phi.parity < 0 and not mean else float(whole @ y)
    total = float(whole @ (y - average) ** 2)
    if not var_mu or not var_chi:
        return average, total if var_mu else 0.0, total if var_chi else 0.0
    step = x[1] - x[0]
    given = _smoothed(y, np.sqrt(var_chi) / step)
    if var_mu > (WIDE * step) ** 2:
        shared = float(_weights(x - mean, var_mu) @ (given - average) ** 2)
    else:
        shared = var_mu * float(np.interp(mean, x, np.gradient(given, step))) ** 2
    return average, shared, max(total - shared, FLOAT64.epsilon * total)


@np.errstate(over="ignore", under="ignore")
def product(phi: Function, mean: Any, q_a: Any, q_b: Any, q_ab: Any) -> tuple[Any, Any]:
    """Return E phi(h_a) phi(h_b) of one pair with that mean, and its error relative to the mean absolute value."""
    reach = max(reach_of(FLOAT64, phi, float(mean), float(np.sqrt(q))) for q in (q_a, q_b))
    fine, *others = (
        _product(phi, (float(q_a), float(q_b), float(q_ab)), float(mean), reach, size) for size in OF_PAIRS
    )
    return fine[0], 2 * max(abs(other[0] - fine[0]) for other in others) / (fine[1] + 1e-300) + ROUNDED


def _product(phi: Function, pair: tuple[float, float, float], mean: float, reach: float, size: int) -> Any:
    """Mean of the product and of its absolute value: phi(h_a) times the mean of phi(h_b) given h_a."""
    q_a, q_b, q_ab = pair
    x, y, weights = _points(phi, mean, q_a, reach, size)
    other, partner, _ = _points(phi, mean, q_b, reach, size)
    given = _smoothed(partner, np.sqrt(max(q_b - q_ab * q_ab / q_a, 0.0)) / (other[1] - other[0]))
    values = weights * y * np.interp(mean + q_ab / q_a * (x - mean), other, given)
    return values.sum(), np.abs(values).sum()


def _points(phi: Function, mean: float, q: float, reach: float, size: int) -> tuple[Array, Array, Array]:
    """Points, values of phi, and the weights of a Gaussian of that mean and variance."""
    x = mean + np.sqrt(q) * np.linspace(-reach, reach, size)
    return x, phi(FLOAT64, x), _weights(x - mean, q)


def _weights(x: Array, variance: float) -> Array:
    density = np.exp(-x * x / (2 * variance))
    return np.asarray(density / density.sum())


def _smoothed(y: Array, width: float) -> Array:
    """Values averaged with a Gaussian that is `width` spacings wide."""
    waves = np.fft.rfft(y, 2 * y.size)
    rates = 2 * np.pi * width * np.arange(waves.size) / (2 * y.size)
    return np.fft.irfft(waves * np.exp(-rates * rates / 2))[: y.size]
