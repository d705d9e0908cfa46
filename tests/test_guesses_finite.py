"""The law of the count of guesses among D data: its laws, its limits, its values against 50 digits."""

# what is wrong is passed on purpose, and which of several types a result has is known here
# mypy: disable-error-code="arg-type"

from fractions import Fraction
from math import comb
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from repeated import every_second, slow
from scipy import stats

from igbtheory.guesses import FiniteGuessLaw, GuessLaw

# what the law promises: relative errors of pmf and cdf below 1e-12, and below 1e-11 where these are below 1e-100
PROMISE = 1e-12

untimed = settings(deadline=None, max_examples=8)  # no test asserts a wall-clock time
gammas = st.one_of(st.sampled_from([0.0, 1e-300, 1.0, 1e300, np.inf]), st.floats(-14.0, 14.0).map(lambda e: 10.0**e))
data_counts = st.integers(1, 3000)
fractions = st.floats(0.0, 1.0)


@untimed
@given(gammas, data_counts)
def test_probabilities_sum_to_1_and_to_the_moments(gamma: float, count: int) -> None:
    law = FiniteGuessLaw(gamma, count)
    k = np.arange(count + 1)
    pmf = law.pmf(k)
    # positive terms: the sums are as good as the terms
    assert pmf.sum() == pytest.approx(1.0, rel=PROMISE)
    assert (k * pmf).sum() == pytest.approx(law.mean(), rel=PROMISE)
    assert ((k - 0.5 * count) ** 2 * pmf).sum() == pytest.approx(law.var(), rel=PROMISE)
    assert law.std() ** 2 == pytest.approx(law.var(), rel=1e-15)


@untimed
@given(gammas, data_counts)
def test_cdf_is_the_sum_of_pmf(gamma: float, count: int) -> None:
    law = FiniteGuessLaw(gamma, count)
    k = np.arange(count + 1)
    cdf, total = law.cdf(k), np.cumsum(law.pmf(k))
    carried = total > 1e-290
    # two different integrals, each within the promise
    np.testing.assert_allclose(cdf[carried], total[carried], rtol=2 * PROMISE)
    assert cdf[-1] == 1.0
    assert np.all(cdf[~carried] < 1e-289)


@untimed
@given(gammas, data_counts, fractions)
def test_the_law_is_symmetric(gamma: float, count: int, fraction: float) -> None:
    law = FiniteGuessLaw(gamma, count)
    k = round(fraction * count)
    assert law.pmf(k) == law.pmf(count - k)
    assert law.cdf(k) + law.cdf(count - 1 - k) == pytest.approx(1.0, abs=4e-16)  # a last digit each


@pytest.mark.parametrize("gamma", every_second([1e-3, 1.0, 1e14, 1e20, 1e300, np.inf]))
def test_the_whole_law_is_symmetric_and_its_cdf_never_falls(gamma: float) -> None:
    law = FiniteGuessLaw(gamma, 12_345)
    k = np.arange(12_346)
    pmf = law.pmf(k)
    np.testing.assert_array_equal(pmf, pmf[::-1])
    # the terms are positive: their sum is as good as they are
    assert pmf.sum() == pytest.approx(1.0, rel=PROMISE)
    assert np.all(np.diff(law.cdf(k)) >= 0.0)


@untimed
@given(gammas, data_counts, st.floats(0.0, 1.0, exclude_min=True, exclude_max=True))
def test_ppf_is_the_smallest_count_that_reaches_p(gamma: float, count: int, p: float) -> None:
    law = FiniteGuessLaw(gamma, count)
    k = law.ppf(p)
    assert law.cdf(k) >= p > law.cdf(k - 1)


@untimed
@given(gammas, st.integers(1, 10**6), fractions)
def test_pmf_is_a_difference_of_cdf_for_a_million_data(gamma: float, count: int, fraction: float) -> None:
    law = FiniteGuessLaw(gamma, count)
    k = round(fraction * count)
    below, upto = law.cdf([k - 1, k])
    # each of the two within the promise, whatever their difference cancels
    assert upto - below == pytest.approx(law.pmf(k), rel=PROMISE, abs=2 * PROMISE * upto)


@untimed
@given(gammas)
def test_one_datum_is_a_fair_coin(gamma: float) -> None:
    law = FiniteGuessLaw(gamma, 1)
    # 1e-13: the weights of Gauss-Legendre rules are that good
    np.testing.assert_allclose(law.pmf([0, 1]), 0.5, rtol=1e-13)
    assert law.var() == 0.25


@untimed
@given(gammas)
def test_two_and_three_data_follow_the_orthant_probabilities(gamma: float) -> None:
    # P(all at class 0) of 2 or 3 normal variables of correlation c = gamma/(1 + gamma); Sheppard 1898
    angle = 2.0 * np.pi * GuessLaw(gamma).var()
    pair = 0.25 + angle / (2.0 * np.pi)
    triple = 0.125 + 3.0 * angle / (4.0 * np.pi)
    assert FiniteGuessLaw(gamma, 2).pmf(2) == pytest.approx(pair, rel=1e-13)
    assert FiniteGuessLaw(gamma, 3).pmf(3) == pytest.approx(triple, rel=1e-13)
    if gamma < 1e6:  # beyond, 1/4 - angle/(2 pi) loses the digits of the oracle
        oracle = PROMISE * np.sqrt(1.0 + gamma)
        assert FiniteGuessLaw(gamma, 2).pmf(1) == pytest.approx(1.0 - 2.0 * pair, rel=oracle)


@pytest.mark.parametrize("count", [1, 2, 17, 3000, 1_000_000])
def test_gamma_1_is_the_uniform_law(count: int) -> None:
    law = FiniteGuessLaw(1.0, count)
    k = np.unique(np.linspace(0, count, 50).round())
    np.testing.assert_allclose(law.pmf(k), 1.0 / (count + 1), rtol=PROMISE)
    np.testing.assert_allclose(law.cdf(k), (k + 1) / (count + 1), rtol=PROMISE)


@pytest.mark.parametrize("gamma", [0.0, 1e-300])
@pytest.mark.parametrize("count", [2, 17, 3000, 50_000])
def test_gamma_0_is_the_binomial_law(gamma: float, count: int) -> None:
    law = FiniteGuessLaw(gamma, count)
    width = count**0.5
    for k in {0, count // 2, int(count / 2 - width), int(max(count / 2 - 15 * width, 0))}:
        exact = Fraction(comb(count, k), 2**count)
        if exact > 1e-290:
            assert law.pmf(k) == pytest.approx(float(exact), rel=PROMISE, abs=0.0)


def test_gamma_inf_is_two_atoms() -> None:
    law = FiniteGuessLaw(np.inf, 5)
    assert law.pmf(np.arange(6)).tolist() == [0.5, 0.0, 0.0, 0.0, 0.0, 0.5]
    assert law.cdf(np.arange(6)).tolist() == [0.5, 0.5, 0.5, 0.5, 0.5, 1.0]
    assert law.ppf([0.3, 0.5, 0.6]).tolist() == [0.0, 0.0, 5.0]


def _log_pmf_50_digits(k: int, count: int, gamma: float) -> Any:
    """Logarithm of C(D, k) int Phi(su)^k Phi(-su)^(D-k) phi(u) du, in steps outward from the largest term."""
    s = mp.sqrt(mp.mpf(gamma))

    def log_term(u: Any) -> Any:
        ones = k * mp.log(mp.erfc(-s * u / mp.sqrt(2)) / 2) if k else 0
        zeros = (count - k) * mp.log(mp.erfc(s * u / mp.sqrt(2)) / 2) if count > k else 0
        return ones + zeros - u * u / 2

    low, high = -45 - 45 / min(s, 1), 45 + 45 / min(s, 1)
    while high - low > mp.mpf(10) ** -9 / (1 + s):
        thirds = low + (high - low) / 3, high - (high - low) / 3
        low, high = (thirds[0], high) if log_term(thirds[0]) < log_term(thirds[1]) else (low, thirds[1])
    h = mp.mpf(10) ** -8 / (1 + s)
    bend = (2 * log_term(low) - log_term(low - h) - log_term(low + h)) / h**2
    step = 1 / mp.sqrt(max(bend, 1))
    top, total = log_term(low), mp.mpf(0)
    for side in (-1, 1):
        u = low
        while log_term(u) - top > -60:
            total += abs(mp.quad(lambda x: mp.exp(log_term(x) - top), [u, u + side * step], maxdegree=4))
            u += side * step
    return mp.log(mp.binomial(count, k)) + top + mp.log(total) - mp.log(2 * mp.pi) / 2


@pytest.mark.parametrize(
    ("gamma", "count", "k"),
    [  # slow: a neighbour of theirs, of the same branch of the rules, always runs
        (1e-12, 3, 0),
        (1e-12, 1_000_000, 485_000),  # 30 standard deviations off
        slow((1.7782794100389228e-08, 1_000_000, 483_630)),  # where the excess k - n p needs p - 1/2
        slow((1e-3, 1_000_000, 400_000)),
        slow((0.011, 1_000_000, 114)),  # 34 standard deviations of the latent variable
        slow((0.3, 40, 0)),
        slow((0.46694220692426, 1797, 500)),
        slow((2.5, 1_000_000, 0)),
        slow((2.5, 1_000_000, 1)),
        slow((2.5, 1_000_000, 999_000)),
        slow((30.0, 1_000_000, 500_000)),
        slow((1e4, 10, 3)),
        slow((1e12, 2, 1)),
        (1e12, 1_000_000, 300_000),
        slow((1e20, 7, 2)),
    ],
)
def test_values_agree_with_50_digits(gamma: float, count: int, k: int) -> None:
    with mp.workdps(50):
        expected = _log_pmf_50_digits(k, count, gamma)
        law = FiniteGuessLaw(gamma, count)
        promise = PROMISE if expected > -230 else 10 * PROMISE  # log 1e-100
        if expected > -667:  # log 1e-290
            assert law.pmf(k) == pytest.approx(float(mp.exp(expected)), rel=promise, abs=0.0)
        # the logarithm as good as the probability, and its own last digits
        assert law.logpmf(k) == pytest.approx(float(expected), rel=1e-15, abs=promise)


@pytest.mark.parametrize(("gamma", "count", "k"), [(1e-4, 100_000, 30_000), slow((1e-7, 1_000_000, 300_000))])
def test_logpmf_goes_on_where_pmf_ends(gamma: float, count: int, k: int) -> None:
    with mp.workdps(50):
        expected = _log_pmf_50_digits(k, count, gamma)
    law = FiniteGuessLaw(gamma, count)
    assert law.pmf(k) == 0.0
    assert law.logpmf(k) == pytest.approx(float(expected), rel=1e-14)


@pytest.mark.parametrize("gamma", [0.3, 1.0, 4.0])
def test_many_data_approach_the_continuous_law(gamma: float) -> None:
    g = np.linspace(0.05, 0.95, 19)
    distances = [
        np.abs(FiniteGuessLaw(gamma, count).cdf(g * count) - GuessLaw(gamma).cdf(g)).max()
        for count in (100, 10_000, 1_000_000)
    ]
    # the distance is of order 1/D (a jump, and a smooth term); a factor of 2 for where g D is not whole
    assert distances[1] < distances[0] / 50.0
    assert distances[2] < distances[1] / 50.0
    assert distances[2] < 1e-5


def test_finite_is_the_law_of_the_same_network() -> None:
    gamma = np.array([[0.5], [2.0]])
    law = GuessLaw(gamma).finite(12)
    k = np.arange(13)
    table = [FiniteGuessLaw(float(one), 12).pmf(k) for one in gamma[:, 0]]
    # sums of 40 terms may be ordered differently
    np.testing.assert_allclose(law.pmf(k), table, rtol=1e-14)
    assert law.var().shape == law.mean().shape == law.rvs().shape == (2, 1)


def test_blocks_leave_no_seam() -> None:
    law = FiniteGuessLaw(0.7, 9000)
    k = np.arange(9001)
    some = [0, 1, 2047, 2048, 2049, 4096, 9000]
    # an end of the integration may depend on the neighbours, the integral does not
    np.testing.assert_allclose(law.pmf(k)[some], [law.pmf(j) for j in some], rtol=1e-13)
    np.testing.assert_allclose(law.cdf(k)[some], [law.cdf(j) for j in some], rtol=1e-13)
    sweep = np.geomspace(1e-3, 1e3, 2500)
    table = FiniteGuessLaw(sweep, 10).pmf(3)
    np.testing.assert_allclose(
        table[[0, 2048, -1]], [FiniteGuessLaw(g, 10).pmf(3) for g in sweep[[0, 2048, -1]]], rtol=1e-13
    )


def test_what_is_no_count_has_no_probability() -> None:
    law = FiniteGuessLaw(0.7, 5)
    nothing = [-1, 0.5, 6, np.inf, -np.inf]
    assert law.pmf(nothing).tolist() == [0.0] * 5
    assert law.cdf([-1, -np.inf, 5, 5.5, np.inf]).tolist() == [0.0, 0.0, 1.0, 1.0, 1.0]
    assert law.cdf(2.9) == law.cdf(2)
    assert law.ppf([0, 1]).tolist() == [-1.0, 5.0]
    assert np.all(np.isnan([law.pmf(np.nan), law.cdf(np.nan), law.ppf(np.nan), law.ppf(-0.1), law.ppf(1.1)]))


def test_scalars_give_scalars() -> None:
    law = FiniteGuessLaw(0.7, 5)
    for value in (law.pmf(2), law.logpmf(2), law.cdf(2), law.ppf(0.2), law.mean(), law.var(), law.std()):
        assert isinstance(value, float)
    assert np.ndim(law.rvs()) == 0


@pytest.mark.parametrize("gamma", [0.0, 0.4, 6.0])
def test_draws_follow_the_law(gamma: float) -> None:
    law = FiniteGuessLaw(gamma, 6)
    draws = law.rvs(20_000, random_state=3)
    seen = np.bincount(draws, minlength=7)
    # the seed is fixed: one in a thousand seeds would fail
    assert stats.chisquare(seen, 20_000 * law.pmf(np.arange(7)), sum_check=False).pvalue > 1e-3
    np.testing.assert_array_equal(draws, law.rvs(20_000, random_state=np.random.default_rng(3)))


@pytest.mark.parametrize("count", [0, -3, 2.5, np.nan, np.inf, [3, 4]])
def test_a_number_of_data_that_is_none_is_refused(count: Any) -> None:
    with pytest.raises(ValueError, match=r"D: expected (.* whole number|one number).*, got"):
        GuessLaw(1.0).finite(count)


@pytest.mark.parametrize("count", ["3", None, 1j])
def test_a_number_of_data_of_the_wrong_kind_is_refused(count: Any) -> None:
    with pytest.raises(TypeError, match="D: expected a real number"):
        FiniteGuessLaw(1.0, count)


def test_a_whole_float_is_a_number_of_data() -> None:
    assert FiniteGuessLaw(1.0, 1e3).D == 1000


def test_a_gamma_that_is_no_ratio_of_variances_is_refused() -> None:
    with pytest.raises(ValueError, match="gamma: expected numbers from 0 to inf"):
        FiniteGuessLaw(-1.0, 10)
