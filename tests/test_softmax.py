"""Mean softmax probabilities: laws, limits in the temperature, independent quadrature, draws and finite networks."""

# what is wrong is passed on purpose, and which of several types a result has is known here
# mypy: disable-error-code="call-arg, union-attr"

from typing import Any

import numpy as np
import pytest
import scipy
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from repeated import slow

import igbtheory as igb
from igbtheory.guesses import ClassGuessLaw, GaussianOutputs, SoftmaxLaw

Z = 5.0
"""Standard errors that an estimate may miss: 6e-7 for one."""
variances = st.floats(-4, 3).map(lambda x: 10.0**x)


def softmax_law(var_mu: float, var_chi: float, n_classes: int, temperature: float = 1.0) -> SoftmaxLaw:
    """The law of Gaussian outputs with these variances."""
    gamma = var_mu / var_chi if var_chi else np.inf
    return SoftmaxLaw(GaussianOutputs(gamma, variances=(var_mu, var_chi)), n_classes, temperature)


@settings(max_examples=5)
@given(variances, variances, st.integers(2, 30), st.integers(0, 2**32))
def test_probabilities_sum_to_one_and_follow_the_centres(mu: float, chi: float, m: int, seed: int) -> None:
    law = softmax_law(mu, chi, m)
    centres = np.sqrt(mu) * np.random.default_rng(seed).standard_normal(m)
    p = law.given(centres)
    assert p.sum() == pytest.approx(1.0, abs=1e-13)
    assert p.min() >= 0
    # two centres that differ by rounding alone may change places
    assert np.all(np.diff(p[np.argsort(centres)]) > -1e-12)
    assert law.given(centres + 3.0) == pytest.approx(p, rel=1e-9, abs=1e-13)
    assert law.given(centres[::-1]) == pytest.approx(p[::-1], rel=1e-12, abs=1e-15)


@settings(max_examples=8)  # four double integrals each
@given(variances, variances, st.integers(2, 50), st.floats(0.5, 10))
@pytest.mark.slow
def test_temperature_divides_the_outputs(mu: float, chi: float, m: int, temperature: float) -> None:
    assume(np.sqrt(mu) < 20 * max(temperature, np.sqrt(chi)))
    law, scaled = softmax_law(mu, chi, m, temperature), softmax_law(mu / temperature**2, chi / temperature**2, m)
    variance, cov = law.var(), law.cov()
    assert variance == pytest.approx(scaled.var(), rel=1e-9)
    # hotter is flatter
    assert softmax_law(mu, chi, m, 1.1 * temperature).var() < variance < (1 - 1 / m) / m
    assert np.diag(cov) == pytest.approx(np.full(m, variance), rel=1e-13)
    assert np.abs(cov.sum(axis=0)).max() < 1e-13


@pytest.mark.parametrize("centres", [[0.3, -1.0, 2.0], [0.0, 0.0], [5.0, -20.0, 4.0, 3.0]])
def test_without_scatter_over_the_data_it_is_softmax(centres: list[float]) -> None:
    found = softmax_law(1.0, 0.0, len(centres), 0.7).given(centres)
    # an interpolation in a table of logarithms
    assert found == pytest.approx(scipy.special.softmax(np.array(centres) / 0.7), rel=1e-9)


@pytest.mark.parametrize("chi", [0.0, 0.3, 20.0])
def test_many_classes_by_an_integral_of_each(chi: float) -> None:
    centres = 2 * np.random.default_rng(0).standard_normal(20)
    z = np.linspace(-9, 9, 301)
    density = np.exp(-0.5 * z * z) / np.exp(-0.5 * z * z).sum()
    s = centres.max() + np.arange(-10 - 9 * np.sqrt(chi), 40 + 9 * np.sqrt(chi), 0.05)
    y = np.exp(np.minimum(centres[:, None, None] - s[:, None] + np.sqrt(chi) * z, 300))
    below, rate = np.exp(-y) @ density, (y * np.exp(-y)) @ density
    others = np.array([np.delete(below, c, axis=0).prod(axis=0) for c in range(20)])
    expected = (rate * others).sum(axis=1)
    found = softmax_law(4.0, chi, 20).given(centres)
    assert found == pytest.approx(expected / expected.sum(), rel=1e-10)


@pytest.mark.parametrize("chi", [0.01, 1.0, 40.0])
def test_two_classes_by_the_logistic_function(chi: float) -> None:
    gap, temperature = 0.8, 1.3
    z = np.linspace(-10, 10, 20_001)
    # a trapezoidal rule of an analytic function: exact to rounding
    density = np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi) * (z[1] - z[0])
    expected = scipy.special.expit((gap + np.sqrt(2 * chi) * z) / temperature) @ density
    assert softmax_law(1.0, chi, 2, temperature).given([gap, 0.0])[0] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("mu", "chi"), [(1.0, 0.0), (0.3, 2.0), slow((20.0, 1.0)), slow((1e-6, 1.0)), (1e-20, 1.0)])
def test_variance_of_two_classes_by_quadrature(mu: float, chi: float) -> None:
    z = np.linspace(-9, 9, 1201)
    density = np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi) * (z[1] - z[0])
    # p - 1/2 is odd in the gap of the centres, so that its square is the variance and nothing cancels
    odd = 0.5 * np.tanh(0.5 * (np.sqrt(2 * mu) * z[:, None] + np.sqrt(2 * chi) * z)) @ density
    assert softmax_law(mu, chi, 2).var() == pytest.approx(odd**2 @ density, rel=1e-8)


@pytest.mark.parametrize("mu", [0.01, 1.0, 4.0])
def test_variance_of_three_classes_by_quadrature(mu: float) -> None:
    # data that do not scatter: softmax of the centres on a grid, the trapezoidal rule of an analytic function
    z = np.linspace(-8, 8, 101)
    density = np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi) * (z[1] - z[0])
    a, b, c = np.sqrt(mu) * np.array(np.meshgrid(z, z, z, indexing="ij"))
    p = 1 / (1 + np.exp(b - a) + np.exp(c - a))
    expected = np.einsum("ijk,i,j,k", (p - 1 / 3) ** 2, density, density, density)
    assert softmax_law(mu, 0.0, 3).var() == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize(
    ("mu", "chi", "m", "temperature"),
    [
        (1, 1, 10, 1),
        (20, 1, 10, 0.3),
        slow((1e-6, 1, 10, 1)),
        (1, 0.01, 200, 1),
    ],
)
def test_draws_have_the_exact_variance(mu: float, chi: float, m: int, temperature: float) -> None:
    law = softmax_law(mu, chi, m, temperature)
    p = law.rvs(2_000 // m, 1)
    squares = ((p - 1 / m) ** 2).mean(axis=1)
    assert abs(squares.mean() - law.var()) < Z * squares.std() / np.sqrt(len(squares))


@pytest.mark.parametrize("m", [2, 10, 300])
def test_hot_softmax_is_linear_in_the_outputs(m: int) -> None:
    law = softmax_law(2.0, 3.0, m, 1e4)
    # p_c = 1/M + (O_c - mean O)/(M T) to the first order, here 1e-4 of itself, and the second is of the order T^-2
    assert law.var() == pytest.approx(2.0 * (1 - 1 / m) / (m * 1e4) ** 2, rel=1e-6)


def test_equal_centres_have_equal_probabilities(monkeypatch: pytest.MonkeyPatch) -> None:
    some = softmax_law(0.5, 1.0, 100, 2.0).given([[3.0] * 100, [0.0, 1.0] * 50])
    assert np.all(some[0] == 1 / 100)
    assert some[1].sum() == pytest.approx(1, rel=1e-14)
    monkeypatch.setattr(SoftmaxLaw, "_given", lambda *_: pytest.fail("integrated"))
    assert np.all(softmax_law(0.0, 1.0, 100, 2.0).rvs(5, 0) == 1 / 100)


def test_cold_softmax_is_the_largest_output() -> None:
    g = np.linspace(0.05, 0.95, 19)
    gap = np.sqrt(2) * scipy.stats.norm.ppf(g)
    cold = softmax_law(1.0, 1.0, 2, 1e-3).given(np.stack([gap, 0 * gap], axis=1))
    assert np.abs(cold[:, 0] - g).max() < 1e-5  # the square of the temperature, 1e-6, over a spread
    # the smoothing shifts by the square of the temperature over the spread: 1e-4 at 0.04
    assert softmax_law(1.0, 1.0, 6, 0.04).var() == pytest.approx(ClassGuessLaw(1.0, 6).var(), rel=0.02)


@pytest.mark.parametrize("m", [2, 10, 200])
@pytest.mark.slow
def test_small_scatter_of_the_centres(m: int) -> None:
    # proportional to var_mu, with a correction of var_mu itself; rounding leaves 1e-9 where it is smallest
    expected = softmax_law(1e-9, 1.0, m).var() / 1e-9
    for mu in (1e-11, 1e-13, 1e-300):
        assert softmax_law(mu, 1.0, m).var() == pytest.approx(expected * mu, rel=1e-8, abs=0)


def test_the_scale_counts_and_not_gamma_alone() -> None:
    assert softmax_law(10.0, 10.0, 5).var() > 1.5 * softmax_law(1.0, 1.0, 5).var()
    assert softmax_law(0.0, 1.0, 5).var() == 0.0
    assert softmax_law(0.0, 1.0, 5).rvs(3, 0) == pytest.approx(np.full((3, 5), 0.2), rel=1e-13)


def test_the_largest_and_the_order() -> None:
    law = softmax_law(2.0, 1.0, 5)
    largest, ranked = law.largest(100, 3), law.ranked(100, 3)
    assert np.array_equal(largest.draws, ranked.draws[:, 0])
    assert np.all(np.diff(ranked.mean().value) < 0)
    assert law.rvs((2, 3), 0).shape == (2, 3, 5)
    assert law.rvs(random_state=0).shape == (5,)
    assert law.mean() == 0.2


def test_finite_networks_predict_as_predicted() -> None:
    """ReLU networks, two hidden layers: sum over the classes of the square of their mean probability."""
    rng = np.random.default_rng(11)
    m, width, networks, data, temperature = 10, 150, 100, 100, 0.7
    found = np.empty(networks)
    for i in range(networks):
        h = rng.standard_normal((data, 200))
        for fan_out in (width, width, m):
            h = np.maximum(h, 0) if h.shape[1] == width else h
            h = h @ (rng.standard_normal((h.shape[1], fan_out)) * np.sqrt(2 / h.shape[1]))
        p = scipy.special.softmax(h / temperature, axis=1)
        # of two different data: what is left of one is the spread over the data
        found[i] = (p.sum(axis=0) ** 2 - (p**2).sum(axis=0)).sum() / (data * (data - 1))
    law = igb.mlp(2, "relu").predict().softmax(m, temperature)
    # finite width shifts by O(1/width); the standard error is 4 %
    assert abs(found.mean() - (m * law.var() + 1 / m)) < Z * found.std(ddof=1) / np.sqrt(networks)
    assert found.std(ddof=1) / np.sqrt(networks) < 0.1 * m * law.var()


@pytest.mark.parametrize("temperature", [0.0, -1.0, np.nan, np.inf])
def test_temperatures_that_are_none(temperature: float) -> None:
    with pytest.raises(ValueError, match="temperature"):
        igb.mlp(1, "relu").predict().softmax(3, temperature)


def test_on_a_data_set_hot_softmax_is_linear_in_the_outputs_and_cold_is_the_largest() -> None:
    p = igb.mlp(2, "relu").predict(igb.standardised(igb.digits())[:60])
    assert p.dataset is not None
    m, hot = 4, 1e4
    drawn = p.softmax(m, hot).rvs(500, 1)
    np.testing.assert_allclose(drawn.sum(axis=1), 1, rtol=1e-13)
    # p_c = (1 + (O_c - mean over classes of O)/T)/M to first order, averaged over the data
    expected = (1 - 1 / m) / (m * hot) ** 2 * p.dataset.kernels().mean()
    found = p.softmax(m, hot).var(4000)
    assert abs(found.value - expected) < 5 * found.error + 1e-3 * expected  # the second order is 1/T
    cold, shares = p.softmax(m, 1e-6).var(4000), p.guesses(m).var()
    assert abs(cold.value - shares) < 5 * cold.error


def test_bad_input_is_refused() -> None:
    p: Any = igb.mlp(1, "relu").predict()
    with pytest.raises(ValueError, match="n_classes"):
        p.softmax(1)
    with pytest.raises(ValueError, match="n_classes"):
        p.softmax(2.5)
    with pytest.raises(TypeError, match="temperature"):
        p.softmax(3, "hot")
    with pytest.raises(ValueError, match="temperature > 0"):
        igb.mlp(1, "relu").predict(igb.digits()[:5]).softmax(3, 0.0)
    with pytest.raises(ValueError, match="sweep"):
        igb.mlp(1, "relu", sigma_b2=np.array([0.0, 0.1])).predict().softmax(3)
    with pytest.raises(ValueError, match="nearly the largest output"):
        softmax_law(1.0, 0.0, 3, 1e-3).var()
    with pytest.raises(ValueError, match="finite centres"):
        p.softmax(3).given([0.0, 1.0])
