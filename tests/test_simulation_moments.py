from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import igbtheory as igb
from igbtheory.simulation import moments
from igbtheory.simulation.estimates import mean, ratio_of_means

FAMILY = 5.5
"""Standard errors that a handful of z-scores exceeds with probability below 1e-6."""


@given(
    size=st.integers(2, 9),
    units=st.integers(1, 9),
    ddof=st.integers(0, 1),
    shift=st.sampled_from([0.0, 1.0, 1e4]),
    seed=st.integers(0, 99),
)
def test_moments_are_those_of_the_kernel(size: int, units: int, ddof: int, shift: float, seed: int) -> None:
    x = (np.random.default_rng(seed).standard_normal((size, units)) + shift).astype(np.float32)
    kernel = x.astype(float) @ x.astype(float).T / units
    pairs = kernel[~np.eye(size, dtype=bool)] if ddof else kernel
    q_ab, spread = moments.pair_moments(x, ddof)
    assert q_ab == pytest.approx(pairs.mean(), rel=1e-13, abs=1e-13)
    assert spread == pytest.approx(np.trace(kernel) / size - pairs.mean(), rel=1e-10, abs=1e-15 * (1 + shift**2))


def test_moments_keep_the_digits_of_nearly_equal_data() -> None:
    x = np.full((3, 4), 1000.0, dtype=np.float32)
    x[1] += np.float32(2**-10)
    assert moments.pair_moments(x, 1)[1] == pytest.approx(2.0**-20 / 3, rel=1e-12)


def test_blocks_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.random.default_rng(0).standard_normal((50, 3), dtype=np.float32)
    whole = moments.pair_moments(x, 1)
    monkeypatch.setattr(moments, "BLOCK", 20)
    assert moments.pair_moments(x, 1) == pytest.approx(whole, rel=1e-14)


@pytest.mark.parametrize("width", [2, 5, 40])
@pytest.mark.parametrize(
    "inputs",
    [igb.GaussianInputs(0.5, 2.0), np.random.default_rng(1).standard_normal((6, 60)) + 0.3],
    ids=["Gaussian", "data set"],
)
def test_linear_networks_of_any_width_have_the_moments_of_theory(width: int, inputs: Any) -> None:
    # q_ab and q_aa of linear layers have at every width the very mean of the limit
    net = igb.mlp(3, "linear", sigma_w2=1.2, sigma_b2=0.3)
    found, theory = net.simulate(4000, width, 6, 11, inputs).per_layer, net.predict(inputs).per_layer
    for name in ("var_mu", "var_chi"):
        error = np.hypot(getattr(found, f"{name}_error"), 1e-6 * getattr(theory, name))
        assert np.all(np.abs(getattr(found, name) - getattr(theory, name)) < FAMILY * error), name


def test_one_hidden_relu_layer_has_the_moments_of_theory_when_its_inputs_are_a_data_set() -> None:
    # given the data the pre-activations are exactly Gaussian, so that width does not enter
    data = np.random.default_rng(2).standard_normal((8, 3))
    net = igb.mlp(1, "relu", sigma_b2=0.2)
    found, theory = net.simulate(6000, 4, None, 1, data), net.predict(data)
    assert abs(found.var_mu - theory.var_mu) < FAMILY * found.var_mu_error
    assert abs(found.var_chi - theory.var_chi) < FAMILY * found.var_chi_error


def test_guesses_of_an_output_layer_alone_have_the_variance_of_theory() -> None:
    data = np.random.default_rng(2).standard_normal((8, 3))
    net = igb.Network(igb.Dense(2.0, 0.5))
    squares = (net.simulate(6000, 4, None, 1, data).G0 - 0.5) ** 2
    assert abs(squares.mean() - net.predict(data).G0.var()) < FAMILY * squares.std() / np.sqrt(6000)


@pytest.mark.parametrize("weights", [(1.0,), (1 / 3, -2.0, 8 / 3)])
def test_a_ratio_of_means_has_no_bias_and_an_honest_error(weights: tuple[float, ...]) -> None:
    replicas, networks, w = 4000, 40, np.array(weights)
    rng = np.random.default_rng(3)
    b = rng.gamma(20.0, 0.1, (len(w), networks, replicas))
    a = 0.5 * b + rng.gamma(10.0, 0.2, b.shape)
    ratio, error = ratio_of_means(a, b, w)
    z = (ratio - 1.5) / (ratio.std() / np.sqrt(replicas))
    assert abs(z.mean()) < 5
    # the jackknife overstates by the order 1/networks, and the spread of 4000 replicas errs by 1 %
    assert np.sqrt(np.mean(error**2)) == pytest.approx(ratio.std(), rel=2 / networks + 0.05)
    naive = mean(a, w)[0] / mean(b, w)[0]
    assert abs(naive.mean() - 1.5) > abs(ratio.mean() - 1.5)


def test_a_ratio_over_nothing_is_infinite() -> None:
    ratio, _ = ratio_of_means(np.ones((1, 3, 1)), np.zeros((1, 3, 1)), np.ones(1))
    assert np.isposinf(ratio).all()
