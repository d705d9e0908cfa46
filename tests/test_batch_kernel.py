"""BatchNorm on a given data set: exact kernels against drawn vectors; exchangeable values of a batch within bounds."""

import warnings
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from repeated import slow
from scipy import special

import igbtheory as igb
from igbtheory.formulas import FUNCTIONS
from igbtheory.layers.batches import homogeneous_kernel
from igbtheory.layers.batches.homogeneous_kernel import second_moments
from igbtheory.layers.batches.scales import approximate, effective_rank
from igbtheory.mathematics.numerics.exchangeable import counts_above
from igbtheory.numbers import FLOAT64

NAMES = [None, "linear", "relu", "abs", "leaky_relu", "squared_relu"]
DRAWS = 20_000
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


@pytest.mark.parametrize("name", [None, slow("leaky_relu"), "relu", slow("squared_relu")])
@pytest.mark.parametrize(("data", "size"), [(8, 4), (6, 2)])
@pytest.mark.parametrize(("rank", "eps"), [(1, 0.0), slow((2, 0.0)), (5, 0.0), (2, 0.3)])
def test_the_exact_kernel_is_that_of_drawn_vectors(
    name: str | None, data: int, size: int, rank: int, eps: float
) -> None:
    covariance = kernel(data, rank)
    found, error = second_moments(function(name), covariance, size, eps)
    assert z_scores(name, covariance, size, eps, found).max() < FIVE
    assert error < 1e-11
    assert np.abs(found - found.T).max() < 1e-13  # one matrix product for both halves, but for its rounding


@pytest.mark.parametrize("eps", [0.0, 0.3])
@pytest.mark.parametrize(("name", "rank", "least"), [("relu", 8, 1e-6), ("squared_relu", 4, 1e-5), (None, 20, 1e-8)])
def test_short_rules_of_large_batches_are_the_long_ones(
    name: str | None, rank: int, least: float, eps: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    covariance = kernel(30, rank)
    exact, _ = second_moments(function(name), covariance, 30, eps)
    monkeypatch.setattr(homogeneous_kernel, "LARGE", 30)
    found, error = second_moments(function(name), covariance, 30, eps)
    root = np.sqrt(np.diagonal(exact))
    assert np.max(np.abs(found - exact) / np.outer(root, root)) < error < least


@pytest.mark.parametrize("rank", [1, 2, 40])
def test_normalised_data_have_mean_zero_and_mean_square_one(rank: int) -> None:
    found, _ = second_moments(None, kernel(12, rank), 12)
    # 12 additions of numbers of order 1
    assert np.trace(found) == pytest.approx(12, abs=1e-12)
    assert found.sum(axis=1) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(("q", "q_ab"), [(1.0, 0.3), (2.0, 0.0), (1.0, -0.05)])
def test_exchangeable_data_have_the_arc_cosine_kernel(q: float, q_ab: float) -> None:
    """The scale of exchangeable data is independent of their direction, so that it drops out altogether."""
    size = 12
    found, error = second_moments(FUNCTIONS["relu"], np.full((size, size), q_ab) + (q - q_ab) * np.eye(size), size)
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
    found, error = second_moments(None, root @ root.T, 2)
    # asin 1 keeps half of the digits of its argument, which is a rounded product here
    tolerance = 1e-7 if c == 1 else 1e-12
    assert found[0, 2] == pytest.approx(2 / np.pi * np.arcsin(c), abs=tolerance)
    assert error < tolerance


@pytest.mark.parametrize("size", [2, 5, 10])
def test_signs_do_not_see_the_scale_of_a_batch(size: int) -> None:
    """Behind BatchNorm the kernel of sign is (2/pi) asin of the correlation of the centred data, in any batches."""
    data = np.random.default_rng(7).standard_normal((10, 30))
    net = igb.Network(igb.Dense(1.0), igb.BatchNorm(size), igb.Activation("sign"), igb.Dense(1.0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", igb.AccuracyWarning)  # in batches of two c = -1, whose rounding has a root
        found = net.predict(data)
    centred = (data.reshape(-1, size, 30) - data.reshape(-1, size, 30).mean(axis=1, keepdims=True)).reshape(10, 30)
    c = centred @ centred.T / np.outer(*[np.linalg.norm(centred, axis=1)] * 2)
    np.fill_diagonal(c, 1)  # asin makes much of a last digit there
    expected = np.mean(2 / np.pi * np.arcsin(np.clip(c, -1, 1)))
    assert abs(found.var_mu - expected) <= found.error + 1e-15
    assert found.error < (1e-6 if size == 2 else 1e-12)


def test_the_approximation_errs_by_the_inverse_of_the_effective_rank() -> None:
    errors, ranks = [], []
    for features in (10, 50, 500):
        covariance = kernel(60, features)
        exact, _ = second_moments(None, covariance, 60)
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
    found, _ = second_moments(None, np.eye(4), 4)
    # orthonormal data: rank 3, exactly exchangeable
    assert found == pytest.approx(approximate(np.eye(4), 4), abs=1e-13)
    assert effective_rank(np.eye(4), 4) == pytest.approx(3)


@pytest.mark.parametrize("name", NAMES)
def test_a_batch_of_equal_data_gives_zeros(name: str | None) -> None:
    data = np.random.default_rng(2).standard_normal((6, 3))
    data[:3] = data[0]
    found, error = second_moments(function(name), data @ data.T, 3)
    assert not found[:3].any()
    assert not found[:, :3].any()
    assert found[3:, 3:] == pytest.approx(second_moments(function(name), (data @ data.T)[3:, 3:], 3)[0], abs=1e-12)
    assert error < 1e-12
    assert not approximate(data @ data.T, 3)[:3].any()


def test_a_common_part_of_the_data_costs_digits_and_the_error_says_so() -> None:
    data = np.random.default_rng(3).standard_normal((6, 4))
    plain, _ = second_moments(FUNCTIONS["relu"], data @ data.T, 6)
    found, error = second_moments(FUNCTIONS["relu"], data @ data.T + 1e6, 6)
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


@pytest.mark.parametrize(("size", "rho"), [(2, -1.0), (3, -0.3), (7, 0.9999), (11, -0.05), (50, 0.05), (1000, 0.3)])
def test_all_values_of_a_batch_are_positive_with_the_probability_of_an_integral(size: int, rho: float) -> None:
    """E_v Phi((t + sqrt(rho) v)/sqrt(1 - rho))^n, for rho < 0 with the imaginary root, by mpmath."""
    t = 0.7
    if rho == -1.0:  # two opposite values: both are positive where one lies within t
        expected = special.erf(t / np.sqrt(2))
    else:
        own, common = mp.sqrt(1 - mp.mpf(rho)), mp.sqrt(mp.mpf(rho))

        def density(v: Any) -> Any:
            return mp.npdf(v) * (mp.erfc(-(t + common * v) / own / mp.sqrt(2)) / 2) ** size

        expected = float(mp.re(mp.quad(density, [-20, -9, -3, -t - 0.1, -t, -t + 0.1, 3, 9, 20])))
    assert counts_above(size, rho, np.asarray([t]))[0, -1] == pytest.approx(expected, abs=1e-13)
