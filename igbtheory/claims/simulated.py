"""Evidence from finite networks, so wide that it stands for infinite width, or extrapolated."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from igbtheory.claims.evidence import measured
from igbtheory.claims.finding import Finding, Trial

Array = NDArray[Any]


def mean_with_error(numbers: NDArray[Any]) -> tuple[float, float]:
    """Return the mean and its standard error; the first axis has independent networks or draws."""
    means = numbers.reshape(len(numbers), -1).mean(axis=1)
    return float(means.mean()), float(means.std(ddof=1) / np.sqrt(len(means)))


def standardised(x: NDArray[np.float64], axis: int | None) -> NDArray[np.float64]:
    """Return values standardised along an axis; for shape (data, units) axis 0 is BatchNorm and axis 1 LayerNorm."""
    return np.asarray((x - x.mean(axis, keepdims=True)) / x.std(axis, keepdims=True))


def ratio_with_error(top: Array, bottom: Array, power: int = 1) -> tuple[float, float]:
    """Return the mean of `top` over a power of the mean of `bottom`, and its error; both have a value per network."""
    scale = bottom.mean() ** power
    value = top.mean() / scale
    influence = top / scale - power * value * bottom / bottom.mean()
    return float(value), float(influence.std(ddof=1) / np.sqrt(len(top)))


def wide_limit(
    trial: Trial, label: str, values: Iterable[tuple[float, float]], expected: Any, against: Any = None
) -> Finding:
    """Return the finding that values with errors at the widths N, 2N and optionally 4N tend to the expected value.

    They are extrapolated by a straight line in 1/width, or by a parabola if there are three. against: the value under
    the nearest other hypothesis; by default the value at the smallest width if 0 is expected.
    """
    numbers, errors = np.array(list(values)).T
    against = numbers[0] if against is None and expected == 0 else against
    weights = np.array([-1, 2] if len(numbers) == 2 else [1 / 3, -2, 8 / 3])
    error = np.sqrt(weights**2 @ errors**2)
    return measured(trial, f"{label}, width to infinity", weights @ numbers, error, expected, against)


def relu(h: Array) -> Array:
    """Return max(h, 0)."""
    return np.maximum(h, 0)


def hidden_units(
    rng: np.random.Generator,
    shape: tuple[int, int, int],
    *,
    depth: int = 1,
    phi: Callable[[Array], Array] = relu,
    pool: int = 1,
    sigma_w2: float = 2.0,
) -> Array:
    """Return the units of the last hidden layer for Gaussian data of dimension `width`.

    shape: shape of the result, (networks, samples, width). pool: number of units in each of the `width` maxima.
    """
    networks, samples, width = shape
    units = rng.standard_normal((networks, samples, width), dtype=np.float32)
    for _ in range(depth):
        units = np.float32(np.sqrt(sigma_w2 / width)) * weighted(rng, units, width * pool)
        units = phi(units).reshape(networks, samples, pool, width).max(axis=2)
    return units


def weighted(rng: np.random.Generator, units: Array, number: int) -> Array:
    """Return the products of the units, (networks, samples, width), with a normal matrix, (networks, width, number).

    Their law depends on the inner products of the samples alone: of few samples, vectors with as many components take
    the place of the units, and wide layers cost little.
    """
    if units.shape[1] < units.shape[2]:
        triangles: Any = np.linalg.qr(units.transpose(0, 2, 1), mode="r")
        units = triangles.transpose(0, 2, 1)
    return units @ rng.standard_normal((len(units), units.shape[2], number), dtype=np.float32)


def at_width(
    trial: Trial,
    label: str,
    measure: Callable[[Array], tuple[float, float]],
    expected: Any,
    against: Any = None,
    *,
    shape: tuple[int, int, int],
    **layers: Any,
) -> Finding:
    """Return the finding that a measure of drawn `hidden_units`, which returns a value and its error, is as expected.

    shape: numbers of networks and samples, and the width, at which terms of order 1/width are below the error.
    layers: the other keywords of `hidden_units`.
    """
    networks, samples, width = shape
    units = hidden_units(trial.rng, (trial.draws(networks), samples, width), **layers)
    return measured(trial, f"{label}, width {width}", *measure(units), expected, against)


def drawn_limit(
    trial: Trial,
    label: str,
    measure: Callable[[Array], tuple[float, float]],
    expected: Any,
    against: Any = None,
    *,
    shape: tuple[int, int, tuple[int, ...]],
    **layers: Any,
) -> Finding:
    """Return the finding of `wide_limit` for a measure of drawn `hidden_units`, which returns a value and its error.

    shape: numbers of networks and samples, and the widths. layers: the other keywords of `hidden_units`.
    """
    networks, samples, widths = shape
    drawn = (hidden_units(trial.rng, (trial.draws(networks), samples, width), **layers) for width in widths)
    return wide_limit(trial, label, map(measure, drawn), expected, against)


def second_moments(units: Array) -> tuple[Array, Array]:
    """Return for every network the means over the units of the product for two data, and of the square for one."""
    samples, width = units.shape[1:]
    squares = (units.astype(np.float64) ** 2).sum(axis=(1, 2))
    square_of_sum = (units.sum(axis=1, dtype=np.float64) ** 2).sum(axis=1)
    return (square_of_sum - squares) / (samples * (samples - 1) * width), squares / (samples * width)


def bias_ratio(units: Array) -> tuple[float, float]:
    """Return gamma after the next layer, averaged exactly over its weights, and its error."""
    both, square = second_moments(units)
    return ratio_with_error(both, square - both)


def variance_of_guesses(units: Array) -> tuple[float, float]:
    """Return the mean of (f_0 - 1/2)^2 for infinitely many data, by Sheppard's arcsine formula, and its error.

    The average over the output weights is exact, and that over the data is over pairs. If all units are 0, the guess is
    a fair coin.
    """
    products = (units @ units.transpose(0, 2, 1)).astype(np.float64)
    lengths = np.sqrt(np.maximum(np.einsum("naa->na", products), np.finfo(float).tiny))
    cosines = products / (lengths[:, :, None] * lengths[:, None, :])
    first, second = np.triu_indices(units.shape[1], 1)
    return mean_with_error(np.arcsin(np.clip(cosines[:, first, second], -1, 1)) / (2 * np.pi))


def excess_kurtosis(units: Array) -> tuple[float, float]:
    """Return the mean over networks of the excess kurtosis over the data of an output of the units, and its error.

    The average over the output weights is exact. With the second moments K_ab of pairs of data over the units, the mean
    fourth cumulant is 3 Var_a K_aa - 6 mean_ab K_ab^2, and it is divided by the square of the mean of K_aa.
    """
    samples, width = units.shape[1:]
    products = (units @ units.transpose(0, 2, 1)).astype(np.float64) / width
    diagonal = np.einsum("naa->na", products)
    square = ((products**2).sum(axis=(1, 2)) - (diagonal**2).sum(axis=1)) / (samples * (samples - 1))
    return mean_with_error(3 * (diagonal.var(axis=1, ddof=1) - 2 * square) / diagonal.mean(axis=1) ** 2)


def fractions(rng: np.random.Generator, units: Array, outputs: int) -> Array:
    """Return f_0 for `outputs` random outputs of the units, shape (networks, outputs)."""
    return np.asarray((weighted(rng, units, outputs) > 0).mean(axis=1))
