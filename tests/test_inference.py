"""Inference: estimates are the likeliest, intervals cover as they promise, tests refuse as seldom as they say."""

# what is wrong is passed on purpose, and which of several types a result has is known here
# mypy: disable-error-code="arg-type, attr-defined, call-overload"

import json
from itertools import product
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from repeated import slow
from scipy import stats
from scipy.integrate import quad
from scipy.special import log_ndtr

import igbtheory as igb
from igbtheory.guesses.centred import fractions
from igbtheory.guesses.inference.centres import centres
from igbtheory.guesses.inference.gamma import GammaEstimate
from igbtheory.guesses.inference.several_classes import Votes
from igbtheory.guesses.inference.unbiased import unbiased
from igbtheory.guesses.several import ClassGuessLaw
from igbtheory.presentation.cli import main

Array = NDArray[np.float64]
untimed = settings(deadline=None, max_examples=12)
CHANCE = 1e-7
"""Level of each comparison of a share with a probability; there are about ten."""


def within(hits: int, trials: int, low: float, high: float) -> bool:
    """Whether so many hits may come from a probability between low and high."""
    return bool(stats.binom.sf(hits - 1, trials, high) > CHANCE and stats.binom.cdf(hits, trials, low) > CHANCE)


def counts(gamma: float, size: int, shape: Any, rng: Any) -> Any:
    return igb.GuessLaw(gamma).finite(size).rvs(shape, rng)


@pytest.mark.parametrize("m", [2, 3, 10, 300])
def test_shares_given_the_centres(m: int) -> None:
    rng = np.random.default_rng(m)
    centres = 1.5 * rng.standard_normal(m)
    shares = fractions(centres[None, :])[0]
    for c in (0, m - 1):
        others = np.delete(centres, c)
        found = quad(
            lambda t, c=c, others=others: np.exp(stats.norm.logpdf(t - centres[c]) + log_ndtr(t - others).sum()),
            centres.min() - 9,
            centres.max() + 9,
            epsabs=1e-13,
            limit=200,
        )[0]
        assert shares[c] == pytest.approx(found, abs=1e-12)


def test_equal_centres_have_equal_shares() -> None:
    centres = np.array([[0.3, 0.3, 0.3], [1.0, 0.0, -1.0]])
    assert np.all(fractions(centres)[0] == 1 / 3)
    assert np.array_equal(fractions(centres)[1], fractions(centres[1:])[0])


@untimed
@given(st.integers(0, 10_000), st.integers(2, 12), st.floats(-2, 1.3))
def test_centres_are_the_inverse_of_shares(seed: int, n_classes: int, log_gamma: float) -> None:
    m = np.random.default_rng(seed).standard_normal((3, n_classes)) * 10 ** (log_gamma / 2)
    m -= m.mean(axis=1, keepdims=True)
    # shares of 1e-20 and less are where `fractions` ends, its last digit 1e-13 of the largest
    shares = fractions(m)
    if shares.min() > 1e-6:
        np.testing.assert_allclose(centres(shares), m, atol=1e-7)
    np.testing.assert_allclose(fractions(centres(shares)), shares, atol=1e-12)


def test_two_centres_are_the_quantile_of_the_share() -> None:
    g = np.array([1e-30, 1e-3, 0.5, 0.9])
    m = centres(np.stack([g, 1 - g], axis=1)[1:])
    np.testing.assert_allclose(m[:, 0] - m[:, 1], np.sqrt(2) * stats.norm.ppf(g[1:]), rtol=1e-12, atol=1e-15)


def test_infinitely_many_data_are_a_normal_variance() -> None:
    g = np.array([0.2, 0.9, 0.55])
    found = igb.infer(g)
    squares = stats.norm.ppf(g) ** 2
    assert found.gamma == pytest.approx(squares.mean(), rel=1e-14)
    assert found.low == pytest.approx(squares.sum() / stats.chi2.ppf(0.975, 3), rel=1e-13)
    assert found.high == pytest.approx(squares.sum() / stats.chi2.ppf(0.025, 3), rel=1e-13)
    # the density says the same: no other gamma is likelier
    nearby = found.gamma * np.array([0.99, 1.0, 1.01])
    assert int(np.argmax(igb.GuessLaw(nearby).logpdf(g[:, None]).sum(axis=0))) == 1


@untimed
@given(st.integers(0, 10_000), st.integers(2, 6))
def test_order_of_networks_and_of_classes_tells_nothing(seed: int, n_classes: int) -> None:
    rng = np.random.default_rng(seed)
    shares = ClassGuessLaw(0.7, n_classes).rvs(5, rng)
    found, other = igb.infer(shares), igb.infer(shares[rng.permutation(5)][:, rng.permutation(n_classes)])
    assert found.gamma == pytest.approx(other.gamma, rel=1e-9)  # the centres are found to 1e-11 of every share
    if n_classes == 2:
        assert found.gamma == igb.infer(shares[:, 0]).gamma


@settings(untimed, max_examples=6)
@given(st.integers(0, 10_000), st.integers(2, 60), st.integers(2, 12))
@pytest.mark.slow
def test_the_estimate_from_counts_is_the_likeliest(seed: int, size: int, networks: int) -> None:
    rng = np.random.default_rng(seed)
    k = counts(10 ** rng.uniform(-2, 1), size, networks, rng)
    found = igb.infer(k / size, size)
    assert igb.infer(1 - k[::-1] / size, size).gamma == found.gamma

    def likelihood(gamma: Any) -> Any:
        return igb.GuessLaw(gamma).finite(size).logpmf(k[:, None]).sum(axis=0)

    scanned = likelihood(np.concatenate([[0.0], np.geomspace(1e-6, 1e6, 300), [np.inf]]))
    best = likelihood(np.array([found.gamma]))[0]
    # the maximum is found to a square root of a last digit, its height to a few of them
    assert best >= scanned.max() - 1e-9 * max(1, abs(best))
    assert found.low <= found.gamma <= found.high
    for end in (found.low, found.high):
        if 0 < end < np.inf:
            drop = 2 * (best - likelihood(np.array([end]))[0])
            assert drop == pytest.approx(stats.chi2.ppf(0.95, 1) * (1 + 1 / (3 * networks)), rel=1e-6)


def test_the_estimate_from_counts_a_little_wider_than_at_random_is_small() -> None:
    """The squares of (k - D/2) of four counts add up to D + 2, and their mean at gamma = 0 to D."""
    found = igb.infer((5000 + np.array([50, 51, 50, 49])) / 10_000, 10_000)
    assert 0 <= found.gamma < 1e-7
    # they add up to D + 6: the likelihood has its maximum far below what such counts tell from 0
    more = igb.infer((5000 + np.array([71, 70, 7, 4])) / 10_000, 10_000)
    near = more.observed.log_likelihood(more.gamma * np.array([0.0, 0.9, 1.0, 1.1]))
    assert 0 < more.gamma < 1e-6
    assert near.argmax() == 2


def test_the_likelihood_is_the_mixture_of_binomials() -> None:
    k, size, gamma = [3, 10, 0], 10, 0.8

    def mixed(k: int) -> float:
        def integrand(u: float) -> float:
            p = stats.norm.cdf(np.sqrt(gamma) * u)
            return float(comb(size, k) * p**k * (1 - p) ** (size - k) * stats.norm.pdf(u))

        return quad(integrand, -10, 10, epsabs=1e-13)[0]

    observed = igb.infer(np.array(k) / size, size).observed
    got = observed.log_likelihood(np.array([gamma]))[0]
    assert got == pytest.approx(sum(np.log(mixed(j)) for j in k), rel=1e-11)


def test_many_data_are_as_good_as_infinitely_many() -> None:
    g, size = np.array([0.2, 0.9, 0.55, 0.31, 0.7]), 10**9
    found, limit = igb.infer(np.round(g * size) / size, size), igb.infer(g)
    # the counting noise is 1e-9 of the variance; the maximum is found to 1e-7
    assert found.gamma == pytest.approx(limit.gamma, rel=1e-6)


def test_sizes_may_differ_between_networks() -> None:
    k, sizes = np.array([3, 80, 55]), np.array([10, 100, 100])
    found = igb.infer(k / sizes, sizes)
    grid = np.geomspace(found.gamma / 1.05, found.gamma * 1.05, 3)
    likelihood = sum(igb.GuessLaw(grid).finite(int(D)).logpmf(j) for j, D in zip(k, sizes, strict=True))
    assert int(np.argmax(likelihood)) == 1


def test_the_ends_of_the_range() -> None:
    even = igb.infer([0.5, 0.5, 0.5], 10)
    assert (even.gamma, even.low) == (0.0, 0.0)
    assert 0 < even.high < 4
    tied = igb.infer([0.0, 1.0, 1.0, 0.0], 10)
    assert (tied.gamma, tied.high) == (np.inf, np.inf)
    assert tied.low > 1


@pytest.mark.slow
def test_the_ends_of_the_range_of_several_classes() -> None:
    classes = igb.infer(np.eye(3)[[0, 1, 1]], 50)
    assert (classes.gamma, classes.high) == (np.inf, np.inf)
    level = igb.infer(np.full((4, 4), 0.25), 100)
    assert (level.gamma, level.low) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("gamma", "size", "networks", "low", "high"),
    [
        # the chi-squared limit, for so few counts, errs by a few per cent; next to gamma = 0 the end 0 never errs
        (0.46694, 100, 20, 0.88, 0.92),
        (0.05, 100, 5, 0.87, 0.93),
        (5.0, 20, 8, 0.88, 0.93),
        (1.0, 10, 3, 0.88, 0.95),
        (0.001, 20, 10, 0.93, 1.0),
    ],
)
def test_intervals_cover_as_promised(gamma: float, size: int, networks: int, low: float, high: float) -> None:
    # an interval is made of the gamma that the likelihood ratio allows, see above: here on a lattice, for many trials
    trials, threshold = 4000, stats.chi2.ppf(0.9, 1) * (1 + 1 / (3 * networks))
    lattice = np.concatenate([[gamma, 0.0], np.geomspace(1e-5, 1e5, 400), [np.inf]])
    table = igb.GuessLaw(lattice).finite(size).logpmf(np.arange(size + 1)[:, None])
    k = counts(gamma, size, (trials, networks), np.random.default_rng(0))
    likelihood = sum(table[column] for column in k.T)
    covers = 2 * (likelihood.max(axis=1) - likelihood[:, 0]) <= threshold
    assert within(int(covers.sum()), trials, low, high)


def test_intervals_for_infinitely_many_data_are_exact() -> None:
    rng, trials = np.random.default_rng(0), 500
    found = [igb.infer(igb.GuessLaw(2.0).rvs(2, rng), level=0.8) for _ in range(trials)]
    assert within(sum(e.low <= 2 <= e.high for e in found), trials, 0.8, 0.8)
    classes = [igb.infer(ClassGuessLaw(0.5, 4).rvs(2, rng), level=0.8) for _ in range(100)]
    assert within(sum(e.low <= 0.5 <= e.high for e in classes), 100, 0.8, 0.8)


@pytest.mark.slow
def test_several_classes_from_finitely_many_data() -> None:
    law = ClassGuessLaw(0.5, 3).finite(200)
    shares = law.rvs(40, 3) / 200
    found = igb.infer(shares, 200)
    # unbiased: sum k (k - 1)/(D (D - 1)) has the collision probability as its mean, at the estimate by its definition
    k = shares * 200
    coincidence = float((k * (k - 1)).sum(axis=1).mean() / (200 * 199))
    assert ClassGuessLaw(found.gamma, 3).collision() == pytest.approx(coincidence, rel=1e-8)
    assert found.low < 0.5 < found.high
    # as wide as the interval of centres seen exactly, or a little wider
    exact = igb.infer(ClassGuessLaw(0.5, 3).rvs(40, 3))
    ratio = np.log(found.high / found.low) / np.log(exact.high / exact.low)
    assert 0.9 < ratio < 2
    assert found.unbiased().pvalue < 1e-3


@pytest.mark.slow
def test_intervals_of_several_classes_cover_as_promised() -> None:
    # the two tails of the coincidence at the true gamma are what the interval asks about: uniform, of either side
    law, rng, trials = ClassGuessLaw(0.5, 3).finite(50), np.random.default_rng(1), 60
    tails = [Votes(law.rvs(6, rng).astype(float), 50).tail(0.5, 1) for _ in range(trials)]
    for tail in (0.1, 0.9):
        assert within(sum(p <= tail for p in tails), trials, tail - 0.02, tail + 0.02)


def test_the_test_of_no_bias_is_exact_by_enumeration() -> None:
    sizes = np.array([2.0, 3.0, 3.0])
    weights = {}
    for k in product(*(range(int(size) + 1) for size in sizes)):
        probability = np.prod([comb(int(size), j) / 2**size for size, j in zip(sizes, k, strict=True)])
        weights[k] = (float(sum((2 * j - size) ** 2 for size, j in zip(sizes, k, strict=True))), float(probability))
    for k, (statistic, _) in weights.items():
        found = unbiased(np.array(k, dtype=float), sizes)
        assert found.statistic == statistic
        exact = sum(probability for other, probability in weights.values() if other >= statistic)
        assert found.pvalue == pytest.approx(exact, rel=1e-12)


def test_one_network_is_a_binomial_test() -> None:
    for k in (30, 42, 50, 61):
        expected = stats.binomtest(k, 100).pvalue
        assert igb.infer([k / 100], 100).unbiased().pvalue == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize(("size", "networks"), [(20, 10), slow((1000, 30)), slow((101, 4))])
def test_the_test_of_no_bias_has_its_level_and_sees_a_bias(size: int, networks: int) -> None:
    rng, trials = np.random.default_rng(0), 50
    draws = rng.binomial(size, 0.5, (trials, networks)).astype(float)
    sizes = np.full(networks, float(size))
    pvalues = np.array([unbiased(k, sizes).pvalue for k in draws])
    for level in (0.01, 0.1, 0.5):
        # discrete: p-values are multiples of small probabilities, at most a tenth of the level here
        assert within(int((pvalues <= level).sum()), trials, 0.85 * level, level)
    biased = counts(10 / size, size, networks, np.random.default_rng(1))
    assert unbiased(biased.astype(float), sizes).pvalue < 0.01


@pytest.mark.slow
def test_a_lattice_too_fine_is_widened_with_care() -> None:
    # 30,000,000 data would need 10^9 points: (2k - D)^2/D is chi-squared to 1e-7 there
    size, statistic = 30_000_000.0, 23.0
    k = np.array([size / 2, size / 2 + np.round(np.sqrt(statistic * size) / 2)])
    found = unbiased(k, np.full(2, size))
    assert found.pvalue == pytest.approx(stats.chi2.sf(found.statistic / size, 2), rel=1e-4)


@pytest.mark.slow
def test_several_classes_without_bias_are_not_refused() -> None:
    k = np.random.default_rng(0).multinomial(60, [1 / 3] * 3, 4)
    assert igb.infer(k / 60, 60).unbiased().pvalue > 1e-3


def test_the_law_of_the_shares_is_tested() -> None:
    rng = np.random.default_rng(0)
    for observed in (igb.infer(igb.GuessLaw(0.5).rvs(100, rng)), igb.infer(counts(0.5, 50, 100, rng) / 50, 50)):
        assert observed.fit().pvalue > 1e-3
    # two clumps that no gamma makes
    clumps = np.repeat([0.3, 0.7], 50)
    assert igb.infer(clumps).fit().pvalue < 1e-3
    assert igb.infer(clumps, 50).fit().pvalue < 0.01


def test_two_architectures_are_compared_exactly_among_infinitely_many_data() -> None:
    rng = np.random.default_rng(0)
    first, second = igb.infer(igb.GuessLaw(2.0).rvs(20, rng)), igb.infer(igb.GuessLaw(0.5).rvs(30, rng))
    found = igb.compare(first, second)
    assert found.ratio == first.gamma / second.gamma
    assert found.low == pytest.approx(found.ratio / stats.f.ppf(0.975, 20, 30), rel=1e-12)
    assert found.pvalue == pytest.approx(2 * stats.f.sf(found.ratio, 20, 30), rel=1e-12)
    back = igb.compare(second, first)
    assert (back.low, back.high) == pytest.approx((1 / found.high, 1 / found.low), rel=1e-12)
    assert back.pvalue == pytest.approx(found.pvalue, rel=1e-12)


@pytest.mark.slow
def test_two_architectures_are_compared_by_the_likelihood_ratio_among_counts() -> None:
    rng, size = np.random.default_rng(0), 2000
    first, second = igb.GuessLaw(2.0).rvs(30, rng), igb.GuessLaw(0.5).rvs(20, rng)
    found = igb.compare(*(igb.infer(rng.binomial(size, g) / size, size) for g in (first, second)))
    # nearly infinitely many data: the likelihood ratio of two normal variances, whose law is F, a little different
    limit = igb.compare(igb.infer(first), igb.infer(second))
    assert found.ratio == pytest.approx(limit.ratio, rel=0.05)
    assert np.log([found.low, found.high]) == pytest.approx(np.log([limit.low, limit.high]), abs=0.1)
    same = igb.infer(counts(1.0, 50, 10, rng) / 50, 50)
    unity = igb.compare(same, same)
    assert unity.ratio == 1
    assert unity.pvalue == pytest.approx(1, abs=1e-6)  # the root of rounding errors of the likelihood
    assert unity.low * unity.high == pytest.approx(1, rel=1e-3)  # the lattice of log gamma


def test_ratios_of_confidence_distributions_that_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """If both logarithms are normal, the logarithm of the ratio is, with the sum of the variances."""
    normal = stats.norm.ppf((np.arange(400) + 0.5) / 400)
    monkeypatch.setattr(Votes, "log_quantiles", property(lambda votes: votes.k[0, 0] + votes.k[0, 1] * normal))
    first, second = (
        GammaEstimate(1.0, 0.5, 2.0, 0.95, Votes(np.array([law]), 2)) for law in ([1.2, 0.8, 0.0], [0.3, 0.6, 0.0])
    )
    for level in (0.5, 0.95):
        found = igb.compare(first, second, level=level)
        # 400 quantiles have the variance .996
        assert np.log([found.low, found.high]) == pytest.approx(stats.norm(0.9).interval(level), abs=0.01)
    # twice the probability that the ratio is on the other side of 1
    assert found.pvalue == pytest.approx(2 * stats.norm.sf(0.9), abs=0.003)
    assert igb.compare(second, first).pvalue == pytest.approx(found.pvalue, rel=1e-9)


@pytest.mark.slow  # shares of several classes, and counts of two, are compared in every run
def test_two_architectures_are_compared_by_their_coincidences_among_counts_of_several_classes() -> None:
    rng, size = np.random.default_rng(0), 30
    shares = [ClassGuessLaw(gamma, 3).finite(size).rvs(12, rng) / size for gamma in (0.1, 4.0)]
    first, second = (igb.infer(part, size) for part in shares)
    found, back, same = igb.compare(first, second), igb.compare(second, first), igb.compare(first, first)
    assert found.ratio == first.gamma / second.gamma
    assert found.low < 0.1 / 4.0 < found.high < 1
    assert found.pvalue == pytest.approx(0.001)  # the smallest that is told
    assert (back.low, back.high) == pytest.approx((1 / found.high, 1 / found.low), rel=1e-9)
    assert same.ratio == 1
    assert same.low * same.high == pytest.approx(1, rel=1e-9)
    assert same.pvalue == pytest.approx(1, abs=0.01)  # the diagonal of 400 x 400 pairs counts twice


@pytest.mark.slow
def test_the_law_of_the_shares_of_several_classes_is_tested() -> None:
    rng, size = np.random.default_rng(0), 60
    drawn = ClassGuessLaw(1.0, 3).finite(size).rvs(40, rng) / size
    assert igb.infer(drawn, size).fit().pvalue > 1e-3
    clumps = np.repeat([[0.2, 0.3, 0.5]], 40, axis=0)
    assert igb.infer(clumps, size).fit().pvalue < 0.01


def test_no_gamma_to_compare_is_nan() -> None:
    even = igb.infer([0.5, 0.5], 10)
    found = igb.compare(even, even)
    assert np.isnan(found.ratio)
    assert (found.low, found.high) == (0.0, np.inf)
    assert found.pvalue == pytest.approx(1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.2, 1.2],), "from 0 to 1"),
        (([0.2, -0.1], 10), "from 0 to 1"),
        (([0.2, np.nan],), "from 0 to 1"),
        (([0.2, 1.0],), "pass D"),
        (([0.25], 10), "counts over D"),
        (([1.0], 1), "D >= 2"),
        (([1.0], 0), "D"),
        (([0.5, 0.5], [10, 10, 10]), "one for each"),
        (([[0.2, 0.2, 0.2]],), "sum to 1"),
        (([[0.0, 0.5, 0.5]],), "pass D"),
        (([[1.0]],), "shape"),
        (([],), "shape"),
        ((0.5,), "shape"),
    ],
)
def test_shares_that_cannot_be_are_refused(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        igb.infer(*arguments)


def test_levels_and_kinds_that_cannot_be_are_refused() -> None:
    found, counted = igb.infer([0.3, 0.6]), igb.infer([0.3, 0.6], 10)
    for level in (0.0, 1.0, np.nan, [0.5, 0.9]):
        with pytest.raises(ValueError, match="level"):
            igb.infer([0.3], level=level)
        with pytest.raises(ValueError, match="level"):
            igb.compare(found, found, level=level)
    with pytest.raises(TypeError, match="estimates"):
        igb.compare(0.5, found)
    with pytest.raises(ValueError, match="one kind"):
        igb.compare(found, counted)
    with pytest.raises(ValueError, match="prove a bias"):
        found.unbiased()
    with pytest.raises(ValueError, match="unequal shares"):
        igb.infer([0.5, 0.5]).fit()
    with pytest.raises(TypeError, match="real"):
        igb.infer(["a"])


@pytest.mark.slow
def test_simulated_networks_have_the_predicted_gamma() -> None:
    network = igb.mlp(3, "relu")
    simulated = network.simulate(200, 200, 500, 0)
    found = igb.infer(simulated.G0, 500, level=1 - 1e-6)
    # width 200: gamma is a few per cent off, the interval is sixty per cent wide
    assert found.low < network.predict().gamma < found.high
    assert found.unbiased().pvalue == 1e-12


def test_the_command_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    shares = counts(1.5, 10, 4, 1) / 10
    expected, first, second = igb.infer(shares, 10), str(tmp_path / "first.csv"), str(tmp_path / "second.npy")
    np.savetxt(first, shares)
    np.save(second, counts(0.4, 10, 4, 1) / 10)
    tokens = ["infer", first, "--samples", "10", "--against", second]
    assert main([*tokens[:4], "--json"]) == 0
    got = json.loads(capsys.readouterr().out)
    assert (got["gamma"], got["low"], got["high"]) == (expected.gamma, expected.low, expected.high)
    assert got["unbiased"]["pvalue"] == expected.unbiased().pvalue
    assert main(tokens) == 0
    out = capsys.readouterr().out
    assert "ratio of the gammas" in out
    assert ", 95 % within [" in out
    assert main(["infer", str(tmp_path / "none.csv")]) == 2
    assert "cannot read" in capsys.readouterr().err
    assert main(["infer", first, "--samples", "9"]) == 2
    assert "counts over D" in capsys.readouterr().err


def test_the_test_of_two_ratios_is_scaled_by_bartletts_factor() -> None:
    """Of two normal variances with as many degrees of freedom: the law of the statistic is chi-squared of its mean."""
    first = igb.infer([0.3, 0.8, 0.55, 0.1, 0.62], D=1000)
    second = igb.infer([0.41, 0.52, 0.6], D=1000)
    found = igb.compare(first, second)
    factor = 1 + (1 / 5 + 1 / 3 - 1 / 8) / 3
    assert found.pvalue == pytest.approx(stats.chi2.sf(found.statistic / factor, 1), rel=1e-9)
    assert found.statistic > 0.5
