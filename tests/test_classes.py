"""Several classes: laws of the shares, their moments by independent quadrature, draws, and finite networks."""

# what is wrong is passed on purpose, and which of several types a result has is known here
# mypy: disable-error-code="arg-type, comparison-overlap, union-attr"

import json
from functools import lru_cache
from typing import Any

import mpmath
import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st
from repeated import every_second, slow

import igbtheory as igb
from igbtheory.guesses import (
    Batches,
    ClassGuessLaw,
    Estimate,
    FiniteClassLaw,
    KernelOutputs,
    SampledLaw,
    accuracy_bounds,
    mean_shares,
)
from igbtheory.presentation.cli import main

Z = 5.0
"""Standard errors that an estimate may miss: 6e-7 for one, under 1e-4 for all of a test that compares a hundred."""
gammas = st.floats(-8, 8).map(lambda x: 10.0**x)
# every number of classes costs a quarter of a second once
numbers = st.sampled_from([2, 3, 4, 10, 57, 300, 1000])


def deviation(estimate: Any, expected: Any) -> float:
    return float(np.max(np.abs(estimate.value - expected) / estimate.error))


@settings(max_examples=15)
@given(gammas, numbers)
@pytest.mark.slow
def test_two_data_agree_or_disagree(gamma: float, m: int) -> None:
    law = ClassGuessLaw(gamma, m)
    # the two are integrated from opposite ends
    assert law.collision() + law.disagreement() == pytest.approx(1.0, abs=1e-12)
    assert law.collision() == pytest.approx(m * (law.var() + law.mean() ** 2), rel=1e-13)
    assert 0 < law.var() < (1 - 1 / m) / m


@given(gammas, numbers)
@pytest.mark.slow
def test_collisions_grow_with_gamma(gamma: float, m: int) -> None:
    less, more = ClassGuessLaw(gamma, m), ClassGuessLaw(gamma * 1.01, m)
    assert less.var() < more.var()
    assert less.disagreement() > more.disagreement()


@given(gammas)
def test_two_classes_are_the_binary_law(gamma: float) -> None:
    law = ClassGuessLaw(gamma, 2)
    assert law.var() == pytest.approx(igb.GuessLaw(gamma).var(), rel=1e-15)
    angle = np.arctan2(np.sqrt(1 + 2 * gamma), gamma)
    assert law.disagreement() == pytest.approx(angle / np.pi, rel=1e-12)


@pytest.mark.parametrize("m", [slow(2), slow(3), 10, slow(1000)])
def test_limits(m: int) -> None:
    least, most = ClassGuessLaw(0.0, m), ClassGuessLaw(np.inf, m)
    assert (least.var(), least.collision(), least.disagreement()) == (0.0, 1 / m, pytest.approx(1 - 1 / m, rel=1e-15))
    assert (most.var(), most.disagreement()) == (pytest.approx((1 - 1 / m) / m, rel=1e-15), 0.0)
    assert np.allclose(least.rvs(5, 0), 1 / m, rtol=1e-15, atol=0)
    assert np.array_equal(np.sort(most.rvs(5, 0))[:, -1], np.ones(5))
    # next to them, the same but for the first order
    assert ClassGuessLaw(1e-12, m).var() == pytest.approx(1e-12 * first_order(m), rel=1e-10)
    assert np.allclose(ClassGuessLaw(1e-24, m).rvs(5, 0), 1 / m, rtol=1e-10)
    # the next order is 1e-12 of it
    assert ClassGuessLaw(1e24, m).disagreement() == pytest.approx(2e-12 * edge(m), rel=1e-10)


def guess_covariance(c: float, m: int) -> float:
    """Covariance of the guesses of one class at two data whose outputs have the correlation c."""
    law = ClassGuessLaw(KernelOutputs(2, 0.0, lambda: np.array([[1.0, c], [c, 1.0]])), m)
    # the share of a class among two data has the variance (own + covariance)/2
    return float(2 * law.var() - (1 - 1 / m) / m)


@pytest.mark.parametrize("m", every_second([2, 3, 10, 100, 1000]))
def test_opposite_data_are_never_guessed_alike(m: int) -> None:
    # rounding of a variance of 1/m
    assert guess_covariance(-1.0, m) == pytest.approx(-1 / m**2, abs=1e-12 / m)


@settings(max_examples=3)
@given(st.floats(-1.0, 1.0), numbers.filter(lambda m: m > 2))
def test_guesses_covary_with_the_sign_of_the_outputs(c: float, m: int) -> None:
    found, rounding = guess_covariance(c, m), 1e-12 / m
    assert found * np.sign(c) >= -rounding
    # less than two classes would, as more classes leave less to each
    assert abs(found) <= abs(np.arcsin(c)) / (2 * np.pi) + rounding


@pytest.mark.parametrize(("m", "c"), [(3, -0.7), (10, -0.3), (5, -0.95)])
def test_negative_correlations_agree_with_draws(m: int, c: float) -> None:
    rng = np.random.default_rng(3)
    x, y = rng.standard_normal((2, 100_000, m))
    alike = np.mean(x.argmax(axis=1) == (c * x + np.sqrt(1 - c * c) * y).argmax(axis=1))
    expected = m * guess_covariance(c, m) + 1 / m
    assert abs(alike - expected) < Z * np.sqrt(expected / 100_000)


def first_order(m: int) -> float:
    """Derivative of the variance by c at 0: squared means of the outputs where the first is largest."""
    nodes = [-8, -4, -1, 2, 5, 12]
    own = mpmath.quad(lambda x: x * mpmath.npdf(x) * mpmath.ncdf(x) ** (m - 1), nodes)
    return float(own**2 * m / (m - 1))


def edge(m: int) -> float:
    """Disagreement over 2 sqrt(1/gamma) at gamma = inf: m (m-1)/2 pairs, each at a gap of 0 at the top of the others.

    At a gap d of the two largest centres data differ with probability 2 p (1 - p), p = Phi(-d sqrt(gamma/2)), of which
    the integral over d is sqrt(2/gamma) (2 int_0^inf Phi(x) Phi(-x) dx); the density of d at 0 sums over pairs.
    """
    nodes = [-9, -3, 0, 3, 9]
    pair = mpmath.quad(lambda x: mpmath.npdf(x) ** 2 * mpmath.ncdf(x) ** (m - 2), nodes)
    swaps = mpmath.quad(lambda x: 2 * mpmath.ncdf(x) * mpmath.ncdf(-x), [0, 3, 10])
    return float(m * (m - 1) * pair * mpmath.sqrt(2) * swaps / 2)


def second_moment(m: int, c: float) -> Any:
    """E Phi_2(x, y; c)^(m-1) by one plain rule, Phi_2 by the shared factor: nothing of the library's rules."""
    x, w = np.polynomial.legendre.leggauss(300)
    grid, weights = 9.5 * x, 9.5 * w * np.exp(-0.5 * (9.5 * x) ** 2) / np.sqrt(2 * np.pi)
    # x = sqrt(c) u + sqrt(1 - c) z for a shared u
    conditional = scipy.special.ndtr((grid[:, None] - np.sqrt(c) * grid) / np.sqrt(1 - c))
    joint = (conditional * weights) @ conditional.T
    s2 = 1 - c * c
    square = grid[:, None] ** 2 + grid**2 - 2 * c * np.outer(grid, grid)
    law = np.exp(-square / (2 * s2)) / (2 * np.pi * np.sqrt(s2))
    return (9.5 * w) @ (law * joint ** (m - 1)) @ (9.5 * w)


@pytest.mark.parametrize(("c", "issue"), [(0.1, 0.012840), (0.3183, 0.020673), (0.5, 0.029381), (0.9, 0.064593)])
def test_ten_classes_have_the_issues_moments(c: float, issue: float) -> None:
    found = ClassGuessLaw(c / (1 - c), 10).var() + 0.01
    assert found == pytest.approx(second_moment(10, c), rel=1e-11)
    # six decimals
    assert abs(found - issue) < 6e-7


@pytest.mark.parametrize("m", [3, 100, 1000])
@pytest.mark.parametrize("c", [0.05, 0.4, 0.7, 0.9])
def test_moments_agree_with_an_independent_quadrature(m: int, c: float) -> None:
    # the oracle subtracts 1/m^2 and has panels of its own, good to 1e-9 at 1000 classes
    expected = second_moment(m, c) - 1 / m**2
    assert ClassGuessLaw(c / (1 - c), m).var() == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("m", [3, 10])
def test_collisions_are_the_slope_of_the_covariance_of_the_maximum(m: int) -> None:
    """By Price's theorem d Cov(max_a, max_b)/dc = P(the same output is the largest)."""
    c, step = 0.4, 1e-3

    def covariance(c: float) -> float:  # and the square of the mean, which does not depend on c
        return float(igb.Network(igb.Dense(1 - c, c), igb.MaxPool(m), igb.Dense(1.0)).predict().var_mu)

    slope = (covariance(c + step) - covariance(c - step)) / (2 * step)
    # central differences err by step^2
    assert slope == pytest.approx(ClassGuessLaw(c / (1 - c), m).collision(), rel=1e-5)


def test_sweeps_have_the_shape_of_gamma() -> None:
    gamma = np.array([[0.0, 0.5], [2.0, np.inf]])
    law = ClassGuessLaw(gamma, 4)
    assert law.var()[1, 0] == ClassGuessLaw(2.0, 4).var()
    assert (law.mean().shape, law.cov().shape, law.collision().shape) == ((2, 2), (2, 2, 4, 4), (2, 2))
    assert law.rvs((3, 2, 2), 0).shape == (3, 2, 2, 4)
    assert law.rvs(random_state=0).shape == (2, 2, 4)
    assert igb.mlp(2, "relu", sigma_b2=np.array([0.0, 0.1])).predict().guesses(4).var().shape == (2,)


def test_covariances_of_what_sums_to_a_constant() -> None:
    for law in (ClassGuessLaw(0.7, 5), ClassGuessLaw(0.7, 5).finite(30)):
        cov = law.cov()
        assert np.allclose(np.diag(cov), law.var(), rtol=1e-14)
        assert np.allclose(cov.sum(axis=0), 0, atol=1e-14 * 30**2)


@given(gammas, st.integers(2, 60), st.integers(0, 2**32))
def test_shares_sum_to_one(gamma: float, m: int, seed: int) -> None:
    shares = ClassGuessLaw(gamma, m).rvs(20, seed)
    assert np.abs(shares.sum(axis=1) - 1).max() < 1e-12
    assert shares.min() >= 0


def test_draws_have_the_exact_moments() -> None:
    for gamma, m in ((0.3, 3), (2.0, 10)):
        law = ClassGuessLaw(gamma, m)
        shares = law.rvs(1_500, 1)
        squares = ((shares - 1 / m) ** 2).mean(axis=1)
        assert abs(squares.mean() - law.var()) < Z * squares.std() / np.sqrt(len(squares))
        first = shares.mean(axis=0) - 1 / m
        # exchangeable: every class has the mean and the variance of any
        assert np.abs(first).max() < Z * law.std() / np.sqrt(len(shares))


def test_draws_of_two_classes_follow_the_binary_law() -> None:
    shares = ClassGuessLaw(1.7, 2).rvs(20_000, 2)[:, 0]
    assert scipy.stats.kstest(shares, igb.GuessLaw(1.7).cdf).pvalue > 1e-6


@pytest.mark.parametrize("gamma", [0.01, 0.5, 5.0, 100.0])
def test_the_density_of_two_classes_needs_no_draws(gamma: float) -> None:
    g = np.array([0.001, 0.05, 0.3, 0.7, 0.999])
    assert np.array_equal(ClassGuessLaw(gamma, 2).pdf(g).value, igb.GuessLaw(gamma).pdf(g))


DRAWN = 20_000


@lru_cache
def drawn_shares() -> Any:
    return ClassGuessLaw(0.5, 10).rvs(DRAWN, 5)


@pytest.mark.parametrize("largest", [slow((False,)), True])
def test_densities_are_those_of_the_draws(*, largest: bool) -> None:
    law = ClassGuessLaw(0.5, 10)
    edges = np.linspace(0, 1, 21)
    nodes, weights = np.polynomial.legendre.leggauss(4)
    g = (edges[:-1, None] + (1 + nodes) / 40).ravel()
    found = law.largest_pdf(g, 400, 4) if largest else law.pdf(g, 400, 4)
    masses = (found.value.reshape(20, 4) * weights).sum(axis=1) / 40
    errors = (found.error.reshape(20, 4) * weights).sum(axis=1) / 40
    shares = drawn_shares()
    drawn = shares.max(axis=1) if largest else shares[:, 3]
    counts = np.histogram(drawn, edges)[0]
    seen = counts > 50  # elsewhere the counts are not normal
    z = (masses - counts / DRAWN)[seen] / np.hypot(errors, np.sqrt(counts) / DRAWN)[seen]
    # a density that rises as a power at 0 is no polynomial in the first bin
    assert np.abs(z[1:]).max() < Z
    assert seen.sum() > 9


def test_densities_of_a_class_are_probabilities() -> None:
    """For every draw of the other classes the density integrates to 1: over g = sin(t)^2, which bends both ends."""
    nodes, weights = np.polynomial.legendre.leggauss(40)
    t = (1 + nodes) * np.pi / 4
    found = ClassGuessLaw(0.5, 4).pdf(np.sin(t) ** 2, 100, 4)
    assert (found.value * np.sin(2 * t) * weights).sum() * np.pi / 4 == pytest.approx(1, abs=1e-8)


@pytest.mark.parametrize("gamma", [0.0, slow(1e-6), 0.5, slow(20.0)])
def test_mean_shares_in_order_are_exact(gamma: float) -> None:
    # of two classes the favoured one gets 1/2 + arctan(sqrt(gamma))/pi
    assert mean_shares(gamma, 2) == pytest.approx(0.5 + np.array([1, -1]) * np.arctan(gamma**0.5) / np.pi, abs=1e-12)
    for n_classes in (3, 100):
        shares = mean_shares(gamma, n_classes)
        assert shares.sum() == pytest.approx(1, abs=1e-12)
        assert np.all(np.diff(shares) <= 1e-12)
        assert mean_shares(gamma, n_classes, 50, ranks=1)[0] > shares[0]  # few data exaggerate


@pytest.mark.parametrize("n_classes", [1030, slow(10**4)])
def test_mean_shares_of_many_classes_are_those_of_draws(n_classes: int) -> None:
    """Binomials of more than 1029 overflow."""
    ranks = 3 if n_classes > 1030 else None
    shares = mean_shares(0.3, n_classes, ranks=ranks)
    assert ranks or shares.sum() == pytest.approx(1, abs=1e-12)
    draws = ClassGuessLaw(0.3, n_classes).ranked(60).draws[:, :3]
    assert np.all(np.abs(draws.mean(axis=0) - shares[:3]) < 5 * draws.std(axis=0) / 60**0.5)


def test_mean_shares_of_a_million_classes_are_those_of_a_finer_rule() -> None:
    """The favoured class wins all data if they are equal, and the largest of many outputs is that of its mean."""
    assert mean_shares(1e12, 10**6, ranks=1)[0] == pytest.approx(1, abs=1e-3)
    # with one datum a class is favoured that gets it
    assert mean_shares(0.3, 10**6, 1, ranks=2) == pytest.approx([1, 0], abs=1e-9)


def test_the_largest_share_and_the_order() -> None:
    law = ClassGuessLaw(0.7, 6)
    largest, ranked = law.largest(4000, 1), law.ranked(4000, 1)
    assert np.array_equal(largest.draws, ranked.draws[:, 0])
    assert np.all(np.diff(ranked.mean().value) < 0)
    assert ranked.mean().value.sum() == pytest.approx(1.0, abs=1e-12)
    binary = ClassGuessLaw(0.7, 2).largest(4000, 1).mean()
    assert deviation(binary, igb.GuessLaw(0.7).majority()) < Z


def test_finitely_many_data() -> None:
    law = ClassGuessLaw(0.8, 4).finite(50)
    counts = law.rvs(20_000, 3)
    assert counts.dtype == np.int64
    assert np.all(counts.sum(axis=1) == 50)
    squares = ((counts - law.mean()) ** 2).mean(axis=1)
    assert abs(squares.mean() - law.var()) < Z * squares.std() / np.sqrt(len(squares))
    assert law.mean() == 12.5
    binary = ClassGuessLaw(0.8, 2).finite(50)
    assert binary.var() == pytest.approx(igb.GuessLaw(0.8).finite(50).var(), rel=1e-14)
    assert ClassGuessLaw(0.8, 4).finite(1).var() == pytest.approx(3 / 16, rel=1e-14)


def test_finite_networks_guess_as_predicted() -> None:
    """ReLU networks with ten outputs, two hidden layers: the collisions among their guesses."""
    rng = np.random.default_rng(7)
    m, width, networks, data = 10, 150, 200, 200
    found = np.empty(networks)
    for i in range(networks):
        h = rng.standard_normal((data, 200))
        for fan_out in (width, width, m):
            h = np.maximum(h, 0) if h.shape[1] == width else h
            h = h @ (rng.standard_normal((h.shape[1], fan_out)) * np.sqrt(2 / h.shape[1]))
        counts = np.bincount(h.argmax(axis=1), minlength=m)
        found[i] = (counts * (counts - 1)).sum() / (data * (data - 1))
    expected = igb.mlp(2, "relu").predict().guesses(m).collision()
    # finite width shifts by O(1/width), some 0.6 %; the standard error is 2 %
    assert abs(found.mean() - expected) < Z * found.std(ddof=1) / np.sqrt(networks)
    assert found.std(ddof=1) / np.sqrt(networks) < 0.04 * expected


@pytest.mark.parametrize(
    ("c", "c_within", "size"), [(0.3, 0.17, 6), (0.0, -0.2, 6), (0.3, 0.6, 3), (0.5, 0.5, 1), (0.2, -0.05, 12)]
)
def test_counts_in_batches(c: float, c_within: float, size: int) -> None:
    batches = Batches(c, c_within, size)
    binary, law = igb.GuessLaw(batches.outputs).finite(12), FiniteClassLaw(batches.outputs, 4, 12)
    counts = law.rvs((200, 100), 5).reshape(-1, 4)
    assert counts.dtype == np.int64
    assert np.all(counts.sum(axis=1) == 12)
    squares = ((counts - law.mean()) ** 2).mean(axis=1)
    assert abs(squares.mean() - law.var()) < Z * squares.std() / np.sqrt(len(squares))
    assert np.allclose(law.cov().sum(axis=0), 0, atol=1e-13)
    two = FiniteClassLaw(batches.outputs, 2, 12)
    assert (two.mean(), two.var()) == (6.0, pytest.approx(binary.var(), rel=1e-14))


def test_independent_data_are_batches_of_one() -> None:
    law, batched = ClassGuessLaw(1.5, 6).finite(20), FiniteClassLaw(Batches(0.6, 0.6, 1).outputs, 6, 20)
    assert batched.var() == pytest.approx(law.var(), rel=1e-12)
    spread = FiniteClassLaw(Batches(0.6, 0.6, 5).outputs, 6, 20)
    assert spread.var() == pytest.approx(law.var(), rel=1e-12)


def test_batch_normalised_networks_have_counts_in_batches() -> None:
    for network in (
        igb.mlp(1, "relu", norm="batch", batch_size=8),
        igb.mlp(2, "relu", norm="batch", placement="after"),
    ):
        p = network.predict()
        counts = p.guesses(3).finite(16)
        assert isinstance(counts, FiniteClassLaw)
        assert p.guesses(2).finite(16).var() == p.G0.finite(16).var()
        # the data of a full batch cancel, and finitely many of them scatter less than independent ones
        assert counts.var() < 16 * 2 / 9 + 16 * 15 * p.guesses(3).var() + 1e-12


def test_given_data() -> None:
    data = igb.standardised(igb.digits())[:60]
    p = igb.mlp(3, "relu").predict(data)
    law = p.guesses(2)
    assert isinstance(law, ClassGuessLaw)
    assert law.mean() == 0.5
    assert law.var() == p.G0.var()
    shares = p.guesses(5).rvs((3, 4), 0)
    assert shares.shape == (3, 4, 5)
    assert np.allclose(shares.sum(axis=-1), 1, atol=1e-14)
    assert np.allclose(60 * shares, np.round(60 * shares), atol=1e-12)
    five = p.guesses(5)
    assert five.collision() == pytest.approx(5 * five.var() + 0.2, rel=1e-12)
    assert np.allclose(five.cov().sum(axis=0), 0, atol=1e-15)
    squares = ((five.rvs(4000, 1) - 0.2) ** 2).mean(axis=1)
    assert abs(squares.mean() - five.var()) < Z * squares.std() / np.sqrt(4000)
    assert five.ranked(500, 2).mean().value[0] == pytest.approx(five.largest(500, 2).mean().value, rel=1e-14)


def test_data_of_one_correlation_have_the_law_of_gaussian_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    """An equicorrelated kernel, c = 1/2, in blocks: the variance has a part of the diagonal, the rest is exact."""
    count, m = 40, 7
    scale = np.linspace(0.3, 2, count)
    kernel = (0.5 * np.ones((count, count)) + 0.5 * np.eye(count)) * np.outer(scale, scale)
    monkeypatch.setattr("igbtheory.guesses.outputs_at_data.PAIRS", 3 * count)
    law = ClassGuessLaw(KernelOutputs(count, 0.0, lambda: kernel), m)
    apart, same = ClassGuessLaw(1.0, m).var(), (1 - 1 / m) / m
    assert law.var() == pytest.approx(((count - 1) * apart + same) / count, rel=1e-12)
    assert law.std() == np.sqrt(law.var())


def test_classes_share_the_world_of_few_weights() -> None:
    """The covariance of two guesses is no linear function of the kernel: it is averaged over worlds, not the kernel."""
    worlds = np.array([np.eye(2), [[4.0, 3.6], [3.6, 4.0]]])
    law = ClassGuessLaw(KernelOutputs(2, 0.0, lambda: worlds), 6)
    alone = [((1 - 1 / 6) / 6 + guess_covariance(c, 6)) / 2 for c in (0.0, 0.9)]
    assert law.var() == pytest.approx(np.mean(alone), rel=1e-12)
    squares = ((law.rvs(100_000, 1) - 1 / 6) ** 2).mean(axis=1)
    assert abs(squares.mean() - law.var()) < Z * squares.std() / np.sqrt(100_000)
    assert law.collision() == pytest.approx(6 * squares.mean() + 1 / 6, rel=5e-3)


def test_the_outputs_of_one_network_share_one_world() -> None:
    """In one of two worlds both data are one datum, so that all classes of a network have equal outputs at them."""
    worlds = np.stack([np.ones((2, 2)), np.eye(2)])
    outputs = np.concatenate([*KernelOutputs(2, 0.0, lambda: worlds).of_networks(200, np.random.default_rng(0), 3)], 1)
    alike = outputs[0] == outputs[1]
    assert alike.shape == (200, 3)
    assert np.all(alike == alike[:, :1])
    assert alike[:, 0].sum() == 100


def test_a_deviation_of_normal_draws_has_their_error() -> None:
    draws = np.random.default_rng(0).standard_normal(2_000)
    found = SampledLaw(np.stack([3 * draws, 0 * draws], axis=1)).std()
    # s/sqrt(2 n), as far as the fourth moment of these draws is normal
    assert found.error == pytest.approx([3 / np.sqrt(4_000), 0], rel=0.1)
    assert abs(found.value - [3, 0]).max() < 5 * found.error[0]


@pytest.mark.parametrize(("x", "count", "p"), [(-1.0, 0, 0.1), (3.0, 4, 0.5), (6.5, 7, 0.8), (7.0, 8, 0.9)])
def test_a_share_of_draws_has_the_error_of_the_rule_of_succession(x: float, count: int, p: float) -> None:
    found = SampledLaw(np.arange(8.0)).cdf(x)
    assert found.value == count / 8
    assert found.error == pytest.approx(np.sqrt(p * (1 - p) / 8), rel=1e-14)


def test_many_given_data_have_no_kernel_to_hold() -> None:
    law = ClassGuessLaw(KernelOutputs(10_000, 0.0, lambda: np.eye(2)), 3)
    with pytest.raises(ValueError, match="at most 8192 data"):
        law.var()


@pytest.mark.parametrize(
    ("n_classes", "kind"),
    [
        (1, ValueError),
        (1_000_001, ValueError),
        (2.5, ValueError),
        ("3", TypeError),
        (True, TypeError),
        (None, TypeError),
    ],
)
def test_numbers_of_classes_that_are_none(n_classes: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind, match="n_classes"):
        igb.mlp(1, "relu").predict().guesses(n_classes)
    with pytest.raises(kind, match="n_classes"):
        ClassGuessLaw(igb.mlp(1, "relu").predict(igb.digits()[:5]).dataset, n_classes)


def test_bad_input_is_refused() -> None:
    law = ClassGuessLaw(0.5, 3)
    with pytest.raises(ValueError, match="0 < g < 1"):
        law.pdf(1.5)
    with pytest.raises(ValueError, match="point masses"):
        ClassGuessLaw(0.0, 3).pdf(0.5)
    with pytest.raises(ValueError, match="sweep"):
        ClassGuessLaw(np.array([0.5, 1.0]), 3).largest()
    with pytest.raises(ValueError, match="draws"):
        law.ranked(1)
    with pytest.raises(ValueError, match="gamma"):
        ClassGuessLaw(-1.0, 3)
    with pytest.raises(ValueError, match="D"):
        law.finite(0)
    with pytest.raises(ValueError, match="batch_size"):
        igb.mlp(1, "relu", norm="batch", batch_size=8).predict().guesses(3).finite(15)


def test_the_command_prints_the_library(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["classes", "--depth", "3", "--classes", "10", "--draws", "100", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    p = igb.mlp(3, "relu").predict()
    assert found["guesses"]["var"] == p.guesses(10).var()
    assert found["guesses"]["ranked"]["value"] == p.guesses(10).ranked(100, 0).mean().value.tolist()
    assert found["softmax"]["ranked"]["value"] == p.softmax(10).ranked(100, 0).mean().value.tolist()
    assert found["accuracy"]["tight"]["value"] == accuracy_bounds(p.guesses(10), None, 100).tight.mean().value
    tokens = ["classes", "--classes", "3", "--draws", "50", "--proportions", "0.5", "0.3", "0.2", "--json"]
    assert main(tokens) == 0
    tight = accuracy_bounds(p.guesses(3), [0.5, 0.3, 0.2], 50).tight.mean().value
    assert json.loads(capsys.readouterr().out)["accuracy"]["tight"]["value"] == tight
    assert main(["classes", "--classes", "12", "--draws", "100"]) == 0
    out = capsys.readouterr().out
    assert "collision" in out
    assert "10 of 12 classes" in out
    assert main(["classes", "--data", "digits", "--first", "20", "--draws", "50", "--classes", "3"]) == 0
    assert "probability" in capsys.readouterr().out


@pytest.mark.parametrize(
    "tokens",
    [
        ("--classes", "1"),
        ("--classes", "2.5"),
        ("--temperature", "0"),
        ("--classes", "2", "--proportions", "0.5", "0.6"),
        ("--classes", "3", "--proportions", "0.5", "0.5"),
    ],
)
def test_the_command_refuses(tokens: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["classes", *tokens]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("igb: error: ")


def test_an_estimate_is_a_number() -> None:
    one = Estimate(0.25, 0.01)
    assert (float(one), 1 - one, 2 * one, one < 0.3, np.sqrt(one)) == (0.25, 0.75, 0.5, True, 0.5)
    assert f"{one:.0%}" == "25%"
    assert f"{one}" == "0.25 ± 0.01"
    assert one != Estimate(0.25, 0.02)
    several = Estimate(np.array([0.5, 0.25]), np.zeros(2))
    assert np.asarray(several).tolist() == [0.5, 0.25]
