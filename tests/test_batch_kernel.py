"""BatchNorm on a given data set: exact kernels against drawn vectors; exchangeable values of a batch within bounds."""

from typing import Any

import mpmath as mp
import numpy as np
import pytest
from scipy import special, stats

from igbtheory.formulas import FUNCTIONS
from igbtheory.layers.given_batches_exact import homogeneous
from igbtheory.layers.given_batches_scaled import approximate, effective_rank
from igbtheory.numbers import FLOAT64
from igbtheory.numerics.exchangeable import all_within, counts_above

NAMES = [None, "linear", "relu", "abs", "leaky_relu", "squared_relu", "step"]
DRAWS = 20_000
PROMISE = 1e-13
"""Absolute error of a probability."""
DIGITS = 2e-15
"""Some last digits of a probability."""
FIVE = 5.0
"""Standard errors beyond which none of some 4000 entries drawn here, with fixed seeds, lies but once in 400 times."""


def function(name: str | None) -> Any:
    return None if name is None else FUNCTIONS[name]


def kernel(size: int, rank: int, seed: int = 0) -> Any:
    data = np.random.default_rng(seed).standard_normal((size, rank))
    return data @ data.T / rank


def z_scores(name: str | None, covariance: Any, size: int, eps: float, found: Any) -> Any:
    """Deviations of `found` from the mean over drawn and normalised Gaussian vectors, in standard errors."""
    values, vectors = np.linalg.eigh(covariance)
    kept = values > 1e-12 * values[-1]
    draws = np.random.default_rng(1).standard_normal((DRAWS, kept.sum()))
    x = draws @ (vectors[:, kept] * np.sqrt(values[kept])).T
    for start in range(0, x.shape[1], size):
        part = x[:, start : start + size]
        part -= part.mean(axis=1, keepdims=True)
        part /= np.sqrt(np.square(part).mean(axis=1, keepdims=True) + eps)
    f = x if name is None else FUNCTIONS[name](FLOAT64, x)
    mean, square = f.T @ f / DRAWS, np.square(f).T @ np.square(f) / DRAWS
    # at rank 1 nothing is random, and both sides err by the rounding of a correlation of 1
    return np.abs(found - mean) / (np.sqrt(np.maximum(square - mean**2, 0) / DRAWS) + 1e-7)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("data", "size"), [(8, 8), (8, 4), (6, 2)])
@pytest.mark.parametrize(("rank", "eps"), [(1, 0.0), (2, 0.0), (5, 0.0), (2, 0.3)])
def test_the_exact_kernel_is_that_of_drawn_vectors(
    name: str | None, data: int, size: int, rank: int, eps: float
) -> None:
    covariance = kernel(data, rank)
    found, error = homogeneous(function(name), covariance, size, eps)
    assert z_scores(name, covariance, size, eps, found).max() < FIVE
    # signs see a correlation of 1 only to the root of its rounding
    assert error < (1e-6 if name == "step" else 1e-11)
    assert np.abs(found - found.T).max() < 1e-13  # one matrix product for both halves, but for its rounding


@pytest.mark.parametrize("rank", [1, 2, 40])
def test_normalised_data_have_mean_zero_and_mean_square_one(rank: int) -> None:
    found, _ = homogeneous(None, kernel(12, rank), 12)
    # 12 additions of numbers of order 1
    assert np.trace(found) == pytest.approx(12, abs=1e-12)
    assert found.sum(axis=1) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(("q", "q_ab"), [(1.0, 0.3), (2.0, 0.0), (1.0, -0.05)])
def test_exchangeable_data_have_the_arc_cosine_kernel(q: float, q_ab: float) -> None:
    """The scale of exchangeable data is independent of their direction, so that it drops out altogether."""
    size = 12
    found, error = homogeneous(FUNCTIONS["relu"], np.full((size, size), q_ab) + (q - q_ab) * np.eye(size), size)
    c = -1 / (size - 1)
    theta = np.arccos(c)
    expected = (np.sin(theta) + (np.pi - theta) * c) / (2 * np.pi)
    # rounding of an integral of positive terms
    assert np.diagonal(found) == pytest.approx(0.5, abs=1e-13)
    assert found[~np.eye(size, dtype=bool)] == pytest.approx(expected, abs=1e-13)
    assert error < 1e-12


@pytest.mark.parametrize("c", [0.0, 0.4, -0.9, 0.999, 1.0])
def test_pairs_of_batches_of_two_are_signs(c: float) -> None:
    """A batch of two becomes (1, -1) or (-1, 1): the product of two such signs has the mean (2/pi) asin c."""
    root = np.array([[0.5, 0], [-0.5, 0], [0.5 * c, 0.5 * np.sqrt(1 - c * c)], [-0.5 * c, -0.5 * np.sqrt(1 - c * c)]])
    found, error = homogeneous(None, root @ root.T, 2)
    # asin 1 keeps half of the digits of its argument, which is a rounded product here
    tolerance = 1e-7 if c == 1 else 1e-12
    assert found[0, 2] == pytest.approx(2 / np.pi * np.arcsin(c), abs=tolerance)
    assert error < tolerance


def test_the_approximation_errs_by_the_inverse_of_the_effective_rank() -> None:
    errors, ranks = [], []
    for features in (10, 50, 500):
        covariance = kernel(60, features)
        exact, _ = homogeneous(None, covariance, 60)
        errors.append(np.abs(approximate(covariance, 60) - exact).max())
        ranks.append(effective_rank(covariance, 60))
    assert np.all(np.diff(ranks) > 0)
    # the correction of order 1/rank has a factor of order 1
    assert np.all(np.array(errors) * ranks < 10)
    assert errors[-1] < errors[0] / 10


def test_the_approximation_is_the_centred_and_scaled_kernel() -> None:
    data = np.random.default_rng(4).standard_normal((12, 6))
    normalised = np.concatenate([part - part.mean(axis=0) for part in (data[:4], data[4:8], data[8:])])
    for rows in (slice(0, 4), slice(4, 8), slice(8, 12)):
        normalised[rows] /= np.sqrt(np.square(normalised[rows]).sum(axis=1).mean() + 0.2)
    assert approximate(data @ data.T, 4, 0.2) == pytest.approx(normalised @ normalised.T, abs=1e-13)


def test_a_wide_batch_needs_no_correction() -> None:
    found, _ = homogeneous(None, np.eye(4), 4)
    # orthonormal data: rank 3, exactly exchangeable
    assert found == pytest.approx(approximate(np.eye(4), 4), abs=1e-13)
    assert effective_rank(np.eye(4), 4) == pytest.approx(3)


@pytest.mark.parametrize("name", NAMES)
def test_a_batch_of_equal_data_gives_zeros(name: str | None) -> None:
    data = np.random.default_rng(2).standard_normal((6, 3))
    data[:3] = data[0]
    found, error = homogeneous(function(name), data @ data.T, 3)
    assert not found[:3].any()
    assert not found[:, :3].any()
    assert found[3:, 3:] == pytest.approx(homogeneous(function(name), (data @ data.T)[3:, 3:], 3)[0], abs=1e-12)
    assert error < 1e-12
    assert not approximate(data @ data.T, 3)[:3].any()


def test_a_common_part_of_the_data_costs_digits_and_the_error_says_so() -> None:
    data = np.random.default_rng(3).standard_normal((6, 4))
    plain, _ = homogeneous(FUNCTIONS["relu"], data @ data.T, 6)
    found, error = homogeneous(FUNCTIONS["relu"], data @ data.T + 1e6, 6)
    assert 1e-13 < np.abs(found - plain).max() < error < 1e-8


# values of a batch that are exchangeable


def test_the_kink_of_two_opposite_values_is_met() -> None:
    t = np.asarray([0.0, 1e-9, 0.3, 5.0])
    np.testing.assert_allclose(counts_above(2, -1.0, t)[:, 2], special.erf(t / np.sqrt(2.0)), rtol=0.0, atol=DIGITS)


@pytest.mark.parametrize("rho", [-1.0, -0.9, -0.2, 0.3, 6.0])
@pytest.mark.parametrize("size", [7, 10, 11, 64])
def test_given_what_is_shared_two_data_have_their_own_law(rho: float, size: int) -> None:
    t = np.asarray([0.0, 1e-4, 0.5, 1.7, 4.0, 8.0])
    rho = rho / (size - 1)
    k = np.arange(size + 1)
    table, pairs = counts_above(size, rho, t), counts_above(2, rho, t)
    np.testing.assert_allclose(table @ k, size * special.ndtr(t), rtol=DIGITS)
    np.testing.assert_allclose(table @ (k * (k - 1.0)), size * (size - 1) * pairs[:, 2], rtol=DIGITS)


@pytest.mark.parametrize("size", [1, 2, 3, 10, 11, 50, 1000])
@pytest.mark.parametrize("position", [-1.0, -0.99, -0.3, 0.0, 0.01, 0.6, 1.0])
def test_all_within_a_half_line_is_the_end_of_the_counts(size: int, position: float) -> None:
    rho = position if position > 0.0 or size == 1 else position / (size - 1)
    for t in (-2.0, 0.0, 0.7, 6.0):
        counts = counts_above(size, 0.0 if size == 1 else rho, np.asarray([t]))[0]
        assert all_within(size, 0.0, np.inf, 3.0 * t, 9.0, 9.0 * rho) == pytest.approx(counts[-1], abs=PROMISE)
        assert all_within(size, -np.inf, 0.0, 3.0 * t, 9.0, 9.0 * rho) == pytest.approx(counts[0], abs=PROMISE)


@pytest.mark.parametrize("bound", [0.01, 1.0, 3.0, 8.0, 30.0])
def test_two_opposite_values_are_within_bounds_when_one_is(bound: float) -> None:
    assert all_within(2, -bound, bound, 0.0, 1.0, -1.0) == pytest.approx(special.erf(bound / np.sqrt(2)), abs=PROMISE)


@pytest.mark.parametrize("rho", [-0.5, -0.4, 0.3, 0.8])
def test_three_values_within_bounds_agree_with_scipy(rho: float) -> None:
    covariance = np.full((3, 3), rho) + (1.0 - rho) * np.eye(3)
    law = stats.multivariate_normal(np.zeros(3), covariance, allow_singular=True, seed=1)
    expected = law.cdf(np.full(3, 0.7), lower_limit=np.full(3, -1.0))
    assert all_within(3, -1.0, 0.7, 0.0, 1.0, rho) == pytest.approx(expected, abs=3e-5)  # scipy's own error is 1e-5


@pytest.mark.parametrize(("size", "low", "high"), [(4, -1.0, 0.9), (10, -2.0, 1.5), (11, -2.0, 1.5)])
def test_values_of_zero_sum_within_bounds_agree_with_draws(size: int, low: float, high: float) -> None:
    x = np.random.default_rng(2).standard_normal((200_000, size))
    x = (x - x.mean(axis=1, keepdims=True)) / np.sqrt(1.0 - 1.0 / size)
    seen = np.mean(np.all((x > low) & (x < high), axis=1))
    p = all_within(size, low, high, 0.0, 1.0, -1.0 / (size - 1))
    assert abs(seen - p) < 5.0 * np.sqrt(p * (1.0 - p) / 200_000)  # five standard errors: once in a million


@pytest.mark.parametrize(
    ("size", "rho", "low", "high"),
    [(1000, 0.3, -3.0, 4.0), (10_000, 0.01, -np.inf, 4.2), (7, 0.9999, 0.1, 0.2), (50, 0.05, -2.0, 2.0)],
)
def test_values_of_a_common_part_within_bounds_agree_with_quadrature(
    size: int, rho: float, low: float, high: float
) -> None:
    own, common = mp.sqrt(1 - mp.mpf(rho)), mp.sqrt(rho)

    def density(v: Any) -> Any:
        return mp.npdf(v) * (mp.ncdf((high - common * v) / own) - mp.ncdf((low - common * v) / own)) ** size

    ends = [float((e + own * x) / common) for e in (low, high) if np.isfinite(e) for x in np.linspace(-9, 9, 25)]
    expected = mp.quad(density, sorted({-9.0, 9.0, *(x for x in ends if abs(x) < 9.0)}), maxdegree=4)
    assert all_within(size, low, high, 0.0, 1.0, rho) == pytest.approx(float(expected), abs=PROMISE)


def test_an_empty_interval_holds_nothing() -> None:
    assert all_within(3, 1.0, 1.0, 0.0, 1.0, 0.2) == 0.0


@pytest.mark.parametrize(
    ("low", "high", "q", "w"),
    [(0.0, 1.0, 0.0, 0.0), (0.0, 1.0, 1.0, -0.6), (0.0, 1.0, 1.0, 1.1), (np.nan, 1.0, 1.0, 0.0)],
)
def test_moments_and_bounds_of_no_batch_are_refused(low: float, high: float, q: float, w: float) -> None:
    with pytest.raises(ValueError, match=r"expected .* got .*; "):
        all_within(3, low, high, 0.0, q, w)
