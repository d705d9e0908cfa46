"""Evidence from finite networks, extrapolated to infinite width."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from igbtheory.claims.evidence import measured
from igbtheory.claims.finding import Finding, Trial
from igbtheory.network import Network

Expected = Mapping[str, Any]


def extrapolated(
    trial: Trial,
    network: Network,
    rows: Expected,
    *,
    networks: int = 400,
    width: int = 16,
    samples: int = 200,
    against: Expected | None = None,
) -> Iterator[Finding]:
    """Return findings that rows of a comparison of finite networks, such as "gamma[2]", have the values of `rows`.

    Networks of the widths N, 2N and 4N are extrapolated to infinite width. networks: their number at the smallest
    width; samples: data; against: values under the nearest other hypothesis.
    """
    drawn = network.simulate(trial.draws(networks), width, samples, trial.seed, workers=1)
    for row in drawn.compare(workers=1).rows:
        if row.name in rows:
            other = (against or {}).get(row.name)
            yield measured(trial, f"{row.name}, width to infinity", row.value, row.error, rows[row.name], other)


def mean_with_error(numbers: NDArray[Any]) -> tuple[float, float]:
    """Return the mean and its standard error; the first axis is that of independent networks or draws."""
    means = numbers.reshape(len(numbers), -1).mean(axis=1)
    return float(means.mean()), float(means.std(ddof=1) / np.sqrt(len(means)))


def standardised(x: NDArray[np.float64], axis: int | None) -> NDArray[np.float64]:
    """Return values less their mean and over their deviation: of (data, units) BatchNorm at axis 0, LayerNorm at 1."""
    return np.asarray((x - x.mean(axis, keepdims=True)) / x.std(axis, keepdims=True))


def at_infinite_width(narrow: tuple[float, float], wide: tuple[float, float]) -> tuple[float, float]:
    """Return the value of a straight line in 1/width at infinite width, and its error, from values at N and at 2N."""
    (first, e1), (second, e2) = narrow, wide
    return 2 * second - first, float(np.hypot(2 * e2, e1))
