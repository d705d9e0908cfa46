from typing import Any

import numpy as np
import pytest

import igbtheory as igb
from igbtheory.guesses import GuessLaw
from igbtheory.simulation import Comparison
from igbtheory.simulation.extrapolation import FACTORS, RICHARDSON, SLOPE
from igbtheory.simulation.kolmogorov import CountLaw, kolmogorov_smirnov

RELU = igb.mlp(3, "relu")


@pytest.fixture(scope="module")
def relu() -> Comparison:
    comparison: Comparison = RELU.simulate(1000, 32, 32).compare()
    return comparison


def test_relu_networks_agree_with_theory(relu: Comparison) -> None:
    assert relu.agrees()
    assert [row.name for row in relu.rows[-3:]] == ["var_chi[3]", "gamma[3]", "Var(G0)"]
    assert abs(relu.largest_z.z) == max(abs(row.z) for row in relu.rows)


def test_the_difference_at_finite_width_is_shown(relu: Comparison) -> None:
    gamma = relu.rows[-2]
    assert gamma.values[0] + 10 * gamma.errors[0] < gamma.theory
    assert gamma.slope < -5 * gamma.slope_error < 0
    assert abs(gamma.value - gamma.theory) < 5 * gamma.error


def test_wider_networks_are_simulations_of_their_own(relu: Comparison) -> None:
    first, second, third = relu.simulations
    assert [first.width, second.width, third.width] == [32, 64, 128]
    again = RELU.simulate(1000, 64, 32, second.seed)
    assert np.array_equal(again.G0, second.G0)


def test_deep_tanh_networks_agree_with_theory() -> None:
    assert igb.mlp(20, "tanh", sigma_b2=0.1).simulate(300, 24, 16, seed=1).compare().agrees()


def test_a_wrong_prediction_is_found_by_moments_and_by_the_law_of_guesses() -> None:
    comparison = RELU.simulate(1000, 32, 32).compare(igb.mlp(3, "relu", sigma_w2=1.0, sigma_b2=10.0).predict())
    assert not comparison.agrees()
    assert comparison.ks.pvalue < 1e-6
    assert "no" in repr(comparison).splitlines()[-1]


def test_a_slightly_wrong_prediction_is_found() -> None:
    assert not RELU.simulate(1000, 32, 32).compare(igb.mlp(3, "relu", sigma_b2=0.1).predict()).agrees()


def test_the_digits_agree_with_the_theory_of_that_data_set() -> None:
    data = igb.standardised(igb.digits())[:500]
    comparison = RELU.simulate(150, 64, inputs=data).compare(progress=False)
    theory = {row.name: row.theory for row in comparison.rows}
    assert theory["var_mu[3]"] == pytest.approx(1.5077, abs=5e-5)
    assert theory["var_chi[3]"] == pytest.approx(0.5245, abs=5e-5)
    assert theory["Var(G0)"] == pytest.approx(0.1344, abs=5e-5)
    assert comparison.agrees()
    shifted = RELU.predict(data + 0.5)
    assert not RELU.simulate(150, 64, inputs=data).compare(shifted).agrees()


def test_a_network_without_hidden_layers_agrees() -> None:
    data = np.random.default_rng(0).standard_normal((6, 4))
    assert igb.Network(igb.Dense(2.0, 0.5)).simulate(400, 4, inputs=data).compare().agrees()


def test_a_network_of_biases_alone_agrees_and_always_guesses_one_class() -> None:
    comparison = igb.mlp(1, sigma_w2=0.0, sigma_b2=1.0).simulate(50, 4, 5).compare()
    assert comparison.agrees()
    assert set(comparison.simulations[0].G0) == {0.0, 1.0}


def test_networks_that_all_guess_alike_do_not_refute_a_law_that_seldom_does_not() -> None:
    data = np.random.default_rng(0).standard_normal((5, 4))
    for inputs in (igb.GaussianInputs(), data):
        comparison = igb.mlp(1, sigma_w2=0.02, sigma_b2=1.0).simulate(50, 4, 5, 1, inputs).compare()
        assert comparison.rows[-1].theory < comparison.rows[-1].values[0] == 0.25
        assert comparison.agrees()


def test_the_printed_form_is_a_table(relu: Comparison) -> None:
    text = repr(relu)
    for part in ("theory", "width 128", "width -> inf", "slope", "Var(G0)", "Kolmogorov-Smirnov", "agreement", "yes"):
        assert part in text


@pytest.mark.parametrize(
    ("prediction", "error", "words"),
    [
        ("relu", TypeError, "Prediction"),
        (igb.mlp(2).predict(), ValueError, "4 Dense"),
        (igb.mlp(3, sigma_w2=np.ones(2)).predict(), ValueError, "one network"),
        (RELU.predict(np.eye(3)), ValueError, "Gaussian inputs"),
    ],
)
def test_a_prediction_of_something_else_is_refused(prediction: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        RELU.simulate(2, 4, 4).compare(prediction)


def test_a_prediction_of_many_digits_is_one_too() -> None:
    net = igb.mlp(1)
    assert net.simulate(100, 16, 8).compare(net.predict(digits=25)).agrees()


def test_the_weights_extrapolate_what_they_say() -> None:
    inverse = 1 / np.array(FACTORS)
    assert [RICHARDSON @ inverse**k for k in range(3)] == pytest.approx([1, 0, 0], abs=1e-14)
    assert [SLOPE @ inverse**k for k in range(2)] == pytest.approx([0, 1], abs=1e-14)


@pytest.mark.parametrize("gamma", [0.4, 3.0])
def test_the_test_of_the_law_finds_the_largest_distance_and_keeps_its_level(gamma: float) -> None:
    law, rng = GuessLaw(gamma).finite(40), np.random.default_rng(0)
    exact = CountLaw(lambda k: np.asarray(law.cdf(k)))
    p_values = []
    for _ in range(200):
        counts = law.rvs((3, 100), random_state=rng)
        test = kolmogorov_smirnov(counts, RICHARDSON, exact)
        p_values.append(test.pvalue)
        shares = (counts[..., None] <= np.arange(41)).mean(axis=1)
        assert test.statistic == pytest.approx(np.abs(RICHARDSON @ shares - law.cdf(np.arange(41))).max())
    for level in (0.01, 0.1, 0.5):
        accepted = level + 5 * np.sqrt(level * (1 - level) / 200)
        assert np.mean(np.array(p_values) < level) < accepted
    assert np.median(p_values) < 0.95
