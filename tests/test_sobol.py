"""Scrambled Sobol points: evenly spread in every dimension, unbiased, and different each time."""

import numpy as np
import pytest
from scipy.special import ndtr

from igbtheory.mathematics.numerics.sobol import DIMENSIONS, normal_points


@pytest.mark.parametrize(("points", "dimensions"), [(1, 3), (2, 5), (64, DIMENSIONS + 7), (512, 40), (2**13, 3)])
def test_every_interval_has_one_point_in_every_dimension(points: int, dimensions: int) -> None:
    found = normal_points(np.random.default_rng(1), points, dimensions)
    places = np.sort(np.floor(ndtr(found) * points), axis=0)
    assert np.array_equal(places, np.broadcast_to(np.arange(points)[:, None], places.shape))


def test_the_first_dimensions_are_spread_evenly_together() -> None:
    # 2^8 points of the first two dimensions have one point in each rectangle of 2^-j x 2^(j - 8)
    found = ndtr(normal_points(np.random.default_rng(2), 2**8, 2))
    for j in range(9):
        cells = np.floor(found * [2**j, 2 ** (8 - j)]) @ [2 ** (8 - j), 1]
        assert np.unique(cells).size == 2**8


def test_means_are_unbiased_and_replicates_independent() -> None:
    values = []
    for i in range(100):
        x = normal_points(np.random.default_rng(i), 8, 60)
        values.append([x.mean(), (x**2).mean(), np.exp(x).mean(), (x[:, :30] * x[:, 30:]).mean(), x[0] @ x[1] / 60])
    means, errors = np.mean(values, axis=0), np.std(values, axis=0) / np.sqrt(100)
    assert np.all(np.abs(means - [0, 1, np.exp(0.5), 0, 0])[[1, 2, 3]] < 5 * errors[[1, 2, 3]])
    # the points of one replicate repel each other
    assert -5 * errors[4] - 1 / 7 <= means[4] < 5 * errors[4]
    assert abs(means[0]) < 5 * errors[0] + 1e-9
