"""The law of the count of guesses with BatchNorm: its limits, closed forms, moments, draws; batches within bounds."""

# what is wrong is passed on purpose, and which of several types a result has is known here
# mypy: disable-error-code="arg-type"

from typing import Any

import mpmath as mp
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from repeated import every_second, slow
from scipy import stats

from igbtheory.guesses import Batches, FiniteGuessLaw

# what the law promises: absolute errors below 1e-13
PROMISE = 1e-13
DIGITS = 2e-15  # some last digits of a probability

untimed = settings(deadline=None, max_examples=8)  # no test asserts a wall-clock time
shared = st.one_of(st.sampled_from([0.0, 1e-12, 0.5, 1.0 - 1e-6, 1.0]), st.floats(0.0, 1.0))
# position of rho between its least value, where a batch sums to zero, and 1
positions = st.one_of(st.sampled_from([-1.0, -1.0 + 1e-12, -0.999, 0.0, 0.01, 1.0]), st.floats(-1.0, 1.0))
sizes, batch_counts = st.sampled_from([1, 2, 3, 4, 7, 10, 11, 16, 30]), st.sampled_from([1, 2, 3, 8, 25])


def batched(c: Any, c_within: Any, count: Any, size: Any) -> FiniteGuessLaw:
    """The law of the count among data in batches of this size."""
    return FiniteGuessLaw(Batches(c, c_within, size).outputs, count)


def _law(c: float, position: float, size: int, batches: int) -> FiniteGuessLaw:
    """Law whose rho is `position`, below 0 in units of 1/(n-1)."""
    rho = position if position > 0.0 or size == 1 else position / (size - 1)
    base = 0.0 if batches == 1 else c
    return batched(c, base + (1.0 - base) * rho, size * batches, size)


@untimed
@given(shared, positions, sizes, batch_counts)
@example(0.25, 1.0 - 2.0**-53, 7, 8)
def test_probabilities_sum_to_1_and_to_the_moments(c: float, position: float, size: int, batches: int) -> None:
    law = _law(c, position, size, batches)
    k = np.arange(law.D + 1)
    pmf = law.pmf(k)
    assert np.all(pmf >= 0.0)
    np.testing.assert_array_equal(pmf, pmf[::-1])
    assert pmf.sum() == pytest.approx(1.0, abs=PROMISE)
    assert (k * pmf).sum() == pytest.approx(law.mean(), rel=1e-12)
    # the probabilities count the float rho as exact, the variance c_within: near -1 and 1 the last digit between them
    # moves the angle arcsin(c_within) by its square root
    ends = np.clip(law.source.batches.c_within + np.array([-1.0, 1.0]) * np.finfo(float).eps, -1.0, 1.0)
    angle = 0.0 if law.source.batches.c_within == 1.0 else np.ptp(np.arcsin(ends))
    moved = law.D * (size - 1) * angle / (2.0 * np.pi)
    assert ((k - 0.5 * law.D) ** 2 * pmf).sum() == pytest.approx(law.var(), rel=1e-12, abs=1e-12 + moved)
    assert law.std() ** 2 == pytest.approx(law.var(), rel=1e-15)


@untimed
@given(shared, positions, sizes, batch_counts)
def test_cdf_is_the_sum_of_pmf_and_ppf_its_inverse(c: float, position: float, size: int, batches: int) -> None:
    law = _law(c, position, size, batches)
    k = np.arange(law.D + 1)
    cdf = law.cdf(k)
    np.testing.assert_allclose(cdf, np.cumsum(law.pmf(k)), rtol=0.0, atol=PROMISE)
    assert np.all(np.diff(cdf) >= 0.0)
    assert cdf[-1] == 1.0
    for p in (1e-9, 0.2, 0.5, 0.77):
        assert law.cdf(law.ppf(p)) >= p > law.cdf(law.ppf(p) - 1)


@pytest.mark.parametrize("gamma", every_second([0.0, 1e-9, 0.5, 1e-3, 4.0, 1.0, 1e6, 1e3, np.inf]))
@pytest.mark.parametrize(
    ("size", "batches"), every_second([(1, 1), (2, 1), (1, 300), (2, 150), (10, 30), (11, 20), (300, 1)])
)
def test_one_correlation_is_the_law_without_batches(gamma: float, size: int, batches: int) -> None:
    c = 1.0 if np.isinf(gamma) else gamma / (1.0 + gamma)
    law = batched(c, c, size * batches, size)
    k = np.arange(law.D + 1)
    # the ratio of what c keeps of gamma: a last digit of c is 1e-10 of 1 - c at gamma = 1e6
    expected = FiniteGuessLaw(np.divide(c, 1.0 - c) if c < 1.0 else np.inf, law.D)
    np.testing.assert_allclose(law.pmf(k), expected.pmf(k), rtol=0.0, atol=PROMISE)
    np.testing.assert_allclose(law.cdf(k), expected.cdf(k), rtol=0.0, atol=PROMISE)


@pytest.mark.parametrize(("gamma", "size"), [(0.47, 100), slow((1e6, 1))])
def test_ten_thousand_data_keep_the_promise(gamma: float, size: int) -> None:
    c = gamma / (1.0 + gamma)
    law, expected = batched(c, c, 10_000, size), FiniteGuessLaw(c / (1.0 - c), 10_000)
    k = np.linspace(0, 10_000, 301).round()
    np.testing.assert_allclose(law.pmf(k), expected.pmf(k), rtol=0.0, atol=PROMISE)
    np.testing.assert_allclose(law.cdf(k), expected.cdf(k), rtol=0.0, atol=PROMISE)


@pytest.mark.parametrize("size", [50, slow(2000)])
def test_small_differences_of_the_correlations_move_the_law_little(size: int) -> None:
    # imaginary and real loadings, and the two methods for real ones, meet: the law is smooth in c_within
    step = 1e-7 / size
    k = np.arange(0, 2001, 10)
    laws = [batched(0.0, rho, 2000, size).pmf(k) for rho in (-step, 0.0, step)]
    np.testing.assert_allclose(laws[0] + laws[2], 2.0 * laws[1], rtol=0.0, atol=PROMISE)
    edge = 1.0 / (size + 1.0)
    below, above = (batched(0.0, edge * (1.0 + e), 2000, size).pmf(k) for e in (-1e-13, 1e-13))
    np.testing.assert_allclose(below, above, rtol=0.0, atol=PROMISE)


@pytest.mark.parametrize("rho", [-1.0, -0.999999, -0.5, -0.3, 0.0, 0.2, 0.34, 0.9, 1.0])
def test_two_and_three_data_of_a_batch_follow_the_orthant_probabilities(rho: float) -> None:
    pair = 0.25 + np.arcsin(rho) / (2.0 * np.pi)
    assert batched(0.3, rho, 2, 2).pmf(2) == pytest.approx(pair, abs=DIGITS)
    if rho >= -0.5:
        triple = 0.125 + 3.0 * np.arcsin(rho) / (4.0 * np.pi)
        assert batched(0.3, rho, 3, 3).pmf(3) == pytest.approx(triple, abs=DIGITS)


def test_four_data_that_sum_to_zero() -> None:
    # none or all positive is impossible; with p1 = p3 the pairs, E C(k, 2) = 6 pair = p2 + 3 p3, give the rest
    pair = 0.25 + np.arcsin(-1.0 / 3.0) / (2.0 * np.pi)
    three = 6.0 * pair - 1.0
    law = batched(0.0, -1.0 / 3.0, 4, 4)
    np.testing.assert_allclose(
        law.pmf(np.arange(5)), [0.0, three, 1.0 - 2.0 * three, three, 0.0], rtol=0.0, atol=DIGITS
    )


@pytest.mark.parametrize("batches", [1, 20, 5000])
def test_two_data_of_opposite_values_go_to_one_class_each(batches: int) -> None:
    law = batched(0.0, -1.0, 2 * batches, 2)
    np.testing.assert_allclose(law.pmf(np.arange(2 * batches + 1)), np.arange(2 * batches + 1) == batches, atol=PROMISE)
    assert law.var() == pytest.approx(0.0, abs=1e-16 * law.D)  # D/4 less as much


@pytest.mark.parametrize("c", [2.0**-27, 0.25, 0.5, 0.75, 1.0 - 2.0**-13])
@pytest.mark.slow
def test_batches_of_two_opposite_values_agree_only_beyond_the_threshold(c: float) -> None:
    # given U, t = scale U: both to one class with probability 2 Phi(|t|) - 1, else one to each; by adaptive quadrature
    scale, batches = mp.sqrt(c / (1.0 - c)), 3
    law = batched(c, c - (1.0 - c), 2 * batches, 2)

    def one_to_each(u: Any) -> Any:
        return mp.npdf(u) * (2 * mp.ncdf(-scale * u)) ** batches

    expected = 2 * mp.quad(one_to_each, [0, *(x for x in (1 / scale, 4 / scale, 9 / scale, 1, 4) if x < 9), 9])
    # c is a binary fraction, so that rho is -1 exactly
    assert law.pmf(batches) == pytest.approx(float(expected), abs=PROMISE)


@pytest.mark.parametrize("size", [3, 5, 10, 11, 40, 1000])
def test_a_full_batch_of_zero_sum_has_its_variance(size: int) -> None:
    law = batched(0.9, -1.0 / (size - 1), size, size)
    k = np.arange(size + 1)
    assert law.pmf(0) < 1e-15
    assert ((k - 0.5 * size) ** 2 * law.pmf(k)).sum() == pytest.approx(law.var(), rel=1e-12)


def _brute_force(law: FiniteGuessLaw, draws: int) -> NDArray[np.int64]:
    """Counts from Gaussian vectors with the covariance written out, seed 5."""
    batches = law.source.batches
    batch = np.arange(law.D) // batches.size
    covariance = np.where(batch[:, None] == batch, batches.c_within, batches.c)
    np.fill_diagonal(covariance, 1.0)
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return np.asarray(np.sum(np.random.default_rng(5).standard_normal((draws, law.D)) @ root.T > 0.0, axis=1))


LAWS = [
    (0.0, -0.2, 12, 6),
    (0.4, 0.31, 12, 3),
    (0.4, 0.8, 12, 4),
    (0.95, 0.94, 8, 4),
    (0.5, -0.2, 5, 5),
    (0.2, -0.6, 8, 2),
]


@pytest.mark.parametrize("row", LAWS)
def test_draws_and_brute_force_follow_the_law(row: tuple[float, float, int, int]) -> None:
    law = batched(*row)
    probabilities = law.pmf(np.arange(law.D + 1))
    draws = law.rvs(40_000, random_state=3)
    possible = 40_000 * probabilities > 5.0
    for counts in (draws, _brute_force(law, 40_000)):
        seen = np.bincount(counts, minlength=law.D + 1)
        # the seeds are fixed: one in a million would fail, for each of 12 comparisons
        assert stats.chisquare(seen[possible], 40_000 * probabilities[possible], sum_check=False).pvalue > 1e-6
    np.testing.assert_array_equal(draws, law.rvs(40_000, random_state=np.random.default_rng(3)))


def test_draws_have_the_shape_that_is_asked_for() -> None:
    law = batched(0.0, -1.0, 200_000, 2)
    assert law.rvs((2, 4), random_state=0).tolist() == [[100_000] * 4] * 2
    assert np.ndim(law.rvs()) == 0


def test_identical_values_in_a_batch_count_as_one() -> None:
    law, one = batched(0.5, 1.0, 12, 3), FiniteGuessLaw(1.0, 4)
    np.testing.assert_allclose(law.pmf(3 * np.arange(5)), one.pmf(np.arange(5)), atol=PROMISE)


def test_what_is_no_count_has_no_probability() -> None:
    law = batched(0.2, 0.1, 6, 3)
    assert law.pmf([-1, 0.5, 7, np.inf, -np.inf]).tolist() == [0.0] * 5
    assert law.cdf([-1, -np.inf, 6, 6.5, np.inf]).tolist() == [0.0, 0.0, 1.0, 1.0, 1.0]
    assert law.cdf(2.9) == law.cdf(2)
    assert law.ppf([0, 1]).tolist() == [-1.0, 6.0]
    assert np.all(np.isnan([law.pmf(np.nan), law.cdf(np.nan), law.ppf(np.nan), law.ppf(-0.1), law.ppf(1.1)]))


def test_scalars_give_scalars() -> None:
    law = batched(0.2, 0.1, 6, 3)
    for value in (law.pmf(2), law.cdf(2), law.ppf(0.2), law.mean(), law.var(), law.std()):
        assert isinstance(value, float)


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("c", (-0.1, 0.0, 6, 3)),
        ("c", (np.nan, 0.0, 6, 3)),
        ("c", ([0.1, 0.2], 0.0, 6, 3)),
        ("c_within", (0.0, -0.6, 6, 3)),
        ("c_within", (0.5, 0.2, 6, 3)),  # possible for one batch, not for two of correlation 1/2
        ("D", (0.0, 0.0, 0, 1)),
        ("batch_size", (0.0, 0.0, 7, 3)),
        ("batch_size", (0.0, 0.0, 6, 0)),
        ("batch_size", (0.0, 0.0, 6, np.nan)),
    ],
)
def test_numbers_that_belong_to_no_law_are_refused(name: str, row: tuple[Any, Any, Any, Any]) -> None:
    with pytest.raises(ValueError, match=rf"^{name}: expected .*, got .*; "):
        batched(*row)


def test_a_correlation_of_the_wrong_kind_is_refused() -> None:
    with pytest.raises(TypeError, match="c: expected a real number"):
        batched("0.1", 0.0, 6, 3)
