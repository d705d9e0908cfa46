"""Control: designed networks have the wanted gamma, and drawn ones the law of those that rejection would keep."""

# which of several types a result has is known here
# mypy: disable-error-code="arg-type"

import json
import warnings
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from repeated import slow

import igbtheory as igb
from igbtheory.presentation.cli import main

# z-scores of this file: about 40, so that one beyond 5.5 (two-sided 4e-8 each) has a chance below 2e-6
LIMIT = 5.5
untimed = settings(deadline=None, max_examples=12)
DATA = np.random.default_rng(0).standard_normal((40, 20))
RESIDUAL = igb.Network(
    igb.Dense(2.0, 0.1),
    igb.Residual(igb.Activation("relu"), igb.Dense(1.0), scale=0.5),
    igb.Activation("relu"),
    igb.Dense(2.0, 0.1),
)


@pytest.mark.parametrize(
    ("target", "vary", "architecture"),
    [
        (0.5, "sigma_b2", {"depth": 3, "activation": "erf", "sigma_w2": 1.5}),
        (5.0, "sigma_w2", {"depth": 2, "activation": "erf", "sigma_b2": 0.1}),
        (100.0, "sigma_b2", {"depth": 2, "norm": "layer", "placement": "after"}),
        (3.0, "shift", {"depth": 3}),
        (0.7, "activation_shift", {"depth": 20}),
        (1e-6, "activation_shift", {"depth": 3, "activation": "gelu", "norm": "rms"}),
    ],
)
def test_the_network_designed_has_the_wanted_gamma(target: float, vary: str, architecture: dict[str, Any]) -> None:
    found = igb.design(target, vary, **architecture)
    assert abs(found.miss) <= 1e-10
    assert found.network.predict(found.inputs).gamma == found.prediction.gamma
    assert found.value == found.values[0]
    # 25 digits: the wanted gamma is that of the network, not of its arithmetic
    exact = found.network.predict(found.inputs, digits=25).gamma
    assert float(exact) == pytest.approx(target, rel=1e-9)  # the rule in double precision promises 1e-10


@untimed
@given(st.floats(-3, 1), st.integers(1, 6))
def test_the_value_that_made_a_gamma_is_found_again(log_value: float, depth: int) -> None:
    value = 10**log_value
    gamma = igb.mlp(depth, "relu", sigma_b2=value).predict().gamma
    found = igb.design(gamma, "sigma_b2", depth=depth, activation="relu")
    # a last digit of gamma moves the value by gamma/(value dgamma/dvalue) of it: below 1e5 here
    assert any(candidate == pytest.approx(value, rel=1e-10) for candidate in found.values)


def test_a_shift_of_the_inputs_of_relu_in_closed_form() -> None:
    # Dense(2) on N(s, 1): gamma_0 = s^2; of the linear network gamma is that at every depth
    found = igb.design(0.25, "shift", depth=4, activation="linear")
    assert found.value == pytest.approx(0.5, rel=1e-14)
    assert found.inputs.shift == found.value


@pytest.mark.parametrize("target", [slow(0.01), 1e-6])  # the two values of the latter are within one step of the grid
def test_all_values_are_found_where_gamma_is_not_monotone(target: float) -> None:
    def bent(a: Any) -> igb.Network:
        return igb.Network(igb.Dense(2.0), igb.Activation(f"where(x > 0, x, {float(a):.17g}*x)"), igb.Dense(2.0))

    found = igb.design(target, bent, within=(0.0, 2.0))
    # (1 - a)^2 = gamma (pi (1 + a^2) - (1 - a)^2), two roots whose product is 1
    p, q = 1 + target, 1 + target - np.pi * target
    np.testing.assert_allclose(found.values, (p + np.sqrt(p * p - q * q) * np.array([-1, 1])) / q, rtol=1e-9)


def test_pools_leave_the_shift_of_an_activation_alone() -> None:
    found = igb.design(2.0, "activation_shift", depth=3, activation="relu", pool=2)
    np.testing.assert_allclose(found.prediction.per_layer.gamma[1:], 2.0, rtol=1e-10)  # as promised


@pytest.mark.parametrize("target", [0.0, 0.3, 4.0])
def test_a_matched_shift_holds_gamma_at_every_layer(target: float) -> None:
    found = igb.design(target, "activation_shift", depth=12, activation="relu")
    # layer 0 has that of the inputs, 0; the shift of every layer is a number of last digits
    np.testing.assert_allclose(found.prediction.per_layer.gamma[1:], target, rtol=1e-12, atol=1e-15)
    # ReLU, one layer, no bias left: the shift is E relu = 1/sqrt(pi) (initial-guessing-bias, appendix)
    if target == 0:
        assert found.value[0] == pytest.approx(1 / np.sqrt(np.pi), rel=1e-15)


@untimed
@given(st.sampled_from(["relu", "tanh", "gelu", "sigmoid", "sin(x) + 1", "abs(x)"]), st.floats(0.01, 3))
def test_any_gamma_can_be_held_without_biases(activation: str, target: float) -> None:
    # the covariance of a centred activation is at most c times its variance: no layer is beyond reach
    found = igb.design(target, "activation_shift", depth=4, activation=activation)
    # E phi less a cancels where little bias is wanted: 1e-16 of E phi^2/Var phi, below 100 here
    np.testing.assert_allclose(found.prediction.per_layer.gamma[1:], target, rtol=1e-9, atol=1e-12)


def test_the_batch_size_is_the_nearest_whole_number() -> None:
    architecture: dict[str, Any] = {"depth": 1, "activation": "relu", "norm": "batch"}
    found = igb.design(0.5, "batch_size", **architecture)
    gammas = [igb.mlp(**architecture, batch_size=size).predict().gamma for size in range(2, 100)]
    assert found.value == 2 + int(np.argmin(np.abs(np.log(gammas) - np.log(0.5))))
    assert found.miss == pytest.approx(float(found.prediction.gamma) / 0.5 - 1)


@pytest.mark.slow
def test_a_data_set_is_designed_for_as_it_is() -> None:
    found = igb.design(0.8, "shift", depth=1, activation="tanh", inputs=DATA[:4], within=(0.0, 3.0))
    assert igb.mlp(1, "tanh").predict(DATA[:4] + found.value).gamma == pytest.approx(0.8, rel=1e-10)


@pytest.mark.parametrize(
    ("arguments", "architecture", "message"),
    [
        ((0.5, "sigma_w2"), {"depth": 3}, "whatever sigma_w2 is"),
        ((0.5, "sigma_b2"), {"depth": 3}, "ranges from 1.53053 .* to"),
        ((0.01, "activation_shift"), {"depth": 3, "sigma_b2": 0.1}, "of activation 1 gives .* at least"),
        (
            (0.5, "activation_shift"),
            {"depth": 3, "norm": "layer", "placement": "after"},
            "after activation 1, .* moves",
        ),
        ((-1.0, "shift"), {"depth": 3}, "gamma >= 0"),
        ((0.0, "shift"), {"depth": 3}, "gamma > 0"),
        ((np.nan, "shift"), {"depth": 3}, "gamma"),
        ((np.array([1.0, 2.0]), "shift"), {"depth": 3}, "gamma: expected one number"),
        ((0.5, "sigma_w"), {"depth": 3}, "did you mean 'sigma_w2'"),
        ((0.5, "sigma_b2"), {"depth": 3, "sigma_b2": 1.0}, "to be found"),
        ((0.5, "sigma_b2"), {"depth": 3, "within": (1.0, 1.0)}, "low < high"),
        ((0.5, "sigma_b2"), {"depth": 3, "within": 1.0}, "low, high"),
        ((0.5, "sigma_b2"), {"depth": 3, "activation": "rleu"}, "did you mean"),
        ((0.5, lambda _: igb.mlp(1)), {}, "within"),
        ((0.5, lambda _: igb.mlp(1)), {"depth": 3}, "depth"),
        ((0.5, "activation_shift"), {"depth": 3, "within": (0, 1)}, "closed form"),
    ],
)
def test_what_cannot_be_designed_is_refused(
    arguments: tuple[Any, ...], architecture: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        igb.design(*arguments, **architecture)


def outputs_of(network: igb.Network, weights: Any) -> Any:
    """Outputs on DATA by plain products: Dense in order, activations between; the residual block by hand."""
    pairs = list(weights)
    x = DATA
    for layer in network.layers:
        if isinstance(layer, igb.Dense):
            matrix, bias = pairs.pop(0)
            x = x @ matrix + bias
        elif isinstance(layer, igb.Activation):
            x = np.maximum(x, 0) if layer.phi.name == "relu" else np.tanh(x)
        elif isinstance(layer, igb.MaxPool):
            x = x.reshape(len(x), -1, layer.m).max(axis=2)
        else:
            matrix, bias = pairs.pop(0)
            x = x + 0.5 * (np.maximum(x, 0) @ matrix + bias)
    assert not pairs
    return x


NETWORKS = {
    "relu": igb.mlp(3, "relu"),
    "tanh": igb.mlp(2, "tanh", sigma_b2=0.1),
    "pool": igb.mlp(2, "relu", pool=2),
    "residual": RESIDUAL,
}


@pytest.mark.parametrize("name", NETWORKS)
def test_every_drawn_network_has_its_guesses_in_the_window(name: str) -> None:
    network = NETWORKS[name]
    found = igb.draw(network, DATA, (0.7, 0.9), networks=50, width=16, seed=3)
    assert len(found.G0) == 50
    assert np.all((found.G0 >= 0.7) & (found.G0 <= 0.9))
    for i in (0, 17, 49):
        outputs = outputs_of(network, found.drawn(i))
        assert outputs.shape == (40, 2)
        assert (outputs[:, 0] > outputs[:, 1]).mean() == found.G0[i]


def z(first: tuple[float, float], second: tuple[float, float]) -> float:
    return abs(first[0] - second[0]) / float(np.hypot(first[1], second[1]))


def mean_in(weights: Any, values: Any) -> tuple[float, float]:
    """Weighted mean and its error."""
    mean = float(weights @ values)
    return mean, float(np.sqrt(weights**2 @ (values - mean) ** 2))


@lru_cache
def unconditional(name: str) -> Any:
    """G0 of networks from the simulator, which knows nothing of windows."""
    return NETWORKS[name].simulate(600, 12, 40, 2, DATA).G0


@pytest.mark.parametrize(
    ("name", "window"),
    [("tanh", (0.1, 0.25)), slow(("pool", (0.6, 0.8))), slow(("residual", (0.9, 1.0)))],
)
def test_weighted_draws_have_the_law_that_rejection_has(name: str, window: tuple[float, float]) -> None:
    network = NETWORKS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = igb.draw(network, DATA, window, networks=60, width=12, seed=1)
    all_shares = unconditional(name)
    kept = all_shares[(all_shares >= window[0] - 1e-9) & (all_shares <= window[1] + 1e-9)]
    probability = len(kept) / len(all_shares)
    error = np.sqrt(probability * (1 - probability) / len(all_shares))
    assert z((found.probability, found.probability_error), (probability, error)) < LIMIT
    for power in (1, 2):
        mean = mean_in(found.weights, found.G0**power)
        assert z(mean, (float((kept**power).mean()), float((kept**power).std() / np.sqrt(len(kept))))) < LIMIT


@pytest.mark.slow  # the weights of the output always run
def test_hidden_weights_too_have_the_law_that_rejection_has() -> None:
    network, window = NETWORKS["relu"], (0.9, 1.0)
    found = igb.draw(network, DATA, window, networks=400, width=8, seed=4)
    free = igb.draw(network, DATA, (0.0, 1.0), networks=3000, width=8, seed=5)
    kept = np.flatnonzero(free.G0 >= 0.9 - 1e-9)

    def length(outputs: Any) -> float:  # how far all outputs of a network lie from zero
        return float(np.log(np.mean(outputs**2)))

    inside = np.array([length(outputs_of(network, found.drawn(i))) for i in range(400)])
    rejected = np.array([length(outputs_of(network, free.drawn(int(i)))) for i in kept])
    direct = float(rejected.mean()), float(rejected.std() / np.sqrt(len(rejected)))
    assert z(mean_in(found.weights, inside), direct) < LIMIT


def test_the_whole_window_draws_unconditional_networks() -> None:
    found = igb.draw(NETWORKS["relu"], DATA, (0, 1), networks=200, width=10, seed=0)
    np.testing.assert_allclose(found.log_weights, 0.0, atol=1e-15)
    assert found.effective == pytest.approx(200)
    assert found.probability == pytest.approx(1)
    # the two output rows are independent normals of variance sigma_w2/width, and so is every hidden matrix
    matrices = [found.drawn(i) for i in range(200)]
    for layer, variance in enumerate([2 / 20, 2 / 10, 2 / 10, 2 / 10]):
        entries = np.concatenate([weights[layer][0].ravel() for weights in matrices])
        assert abs(np.mean(entries**2) / variance - 1) < LIMIT * np.sqrt(2 / entries.size)
    products = np.array([np.mean(weights[-1][0][:, 0] * weights[-1][0][:, 1]) for weights in matrices])
    assert abs(products.mean()) < LIMIT * products.std() / np.sqrt(200)


def test_rare_windows_cost_no_more_draws() -> None:
    found = igb.draw(igb.mlp(1, "relu"), DATA, (0.975, 1.0), networks=100, width=200, seed=0)
    assert found.tried == 100
    assert found.effective > 30
    # 0.975 = 39/40 in infinite width, by the Gaussian vector of the outputs; width 200 differs by a few per cent
    shares = igb.mlp(1, "relu").predict(DATA).G0.rvs(100_000, 1)
    assert found.probability == pytest.approx(np.mean(shares >= 0.975 - 1e-9), rel=0.5)


@pytest.mark.parametrize(
    "data",
    [
        np.linspace(0.1, 1, 30)[:, None],  # multiples of one datum guess alike
        np.full((20, 2), 0.5),
        np.repeat(DATA[:3], 10, axis=0),
    ],
)
def test_data_that_go_together_are_not_parted_by_rounding(data: Any) -> None:
    with pytest.raises(ValueError, match="go together"):
        igb.draw(igb.mlp(2), data, (0.45, 0.6), networks=5, width=8)


def test_every_share_lies_in_the_window() -> None:
    data = np.random.default_rng(1).normal(size=(100, 1))  # shares 0, 1, and those of either sign
    positive = float((data > 0).mean())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", igb.AccuracyWarning)
        found = igb.draw(igb.mlp(2), data, (0.4, 0.6), networks=5, width=8)
    assert set(np.round(found.G0, 12)) <= {round(positive, 12), round(1 - positive, 12)}


def test_a_small_effective_sample_says_so() -> None:
    with pytest.warns(igb.AccuracyWarning, match="effective sample"):
        igb.draw(igb.mlp(1, "tanh"), DATA - DATA.mean(axis=0) + 0.2, (0.9, 1.0), networks=60, width=30, seed=0)


def test_the_same_seed_draws_the_same_networks() -> None:
    first, second = (igb.draw(RESIDUAL, DATA, (0.7, 0.9), networks=3, width=5, seed=9) for _ in range(2))
    assert first.G0.tolist() == second.G0.tolist()
    for a, b in zip(first.drawn(2), second.drawn(2), strict=True):
        assert np.array_equal(a[0], b[0])
        assert np.array_equal(a[1], b[1])


@pytest.mark.parametrize(
    ("network", "window", "message"),
    [
        (igb.mlp(1), (0.5, 0.5), "low < high"),
        (igb.mlp(1), (0.9, 0.8), "low < high"),
        (igb.mlp(1), (-0.1, 0.8), "0 <= low"),
        (igb.mlp(1), (0.9, 1.1), "<= 1"),
        (igb.mlp(1), (np.nan, 1.0), "finite"),
        (igb.mlp(1), (0.51, 0.52), "multiple of 1/40"),
        (igb.mlp(1), 0.5, "window"),
        (igb.Network(igb.Dense(2.0), igb.Dropout(0.1), igb.Dense(2.0)), (0.8, 0.9), "Dropout"),
    ],
)
def test_impossible_windows_are_refused(network: igb.Network, window: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        igb.draw(network, DATA, window, networks=2, width=4)


def test_a_window_that_no_network_reaches_is_refused() -> None:
    # a linear network of one unit gives opposite data opposite guesses: always one half
    data = np.concatenate([DATA, -DATA])
    with pytest.raises(ValueError, match="widen the window"):
        igb.draw(igb.mlp(1, "linear"), data, (0.7, 0.9), networks=2, width=4)


def test_the_command_lines(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    options = ["--depth", "5", "--activation", "erf", "--sigma-w2", "1.5"]
    assert main(["design", "0.5", "--vary", "sigma_b2", *options, "--json"]) == 0
    got = json.loads(capsys.readouterr().out)
    assert got["value"] == igb.design(0.5, "sigma_b2", depth=5, activation="erf", sigma_w2=1.5).value
    assert main(["design", "0.5", "--vary", "activation_shift", "--depth", "2"]) == 0
    assert "hidden layer 2: activation_shift" in capsys.readouterr().out
    assert main(["design", "0.1", "--vary", "sigma_b2", "--sigma-b2", "1"]) == 2
    assert "leave --sigma-b2 out" in capsys.readouterr().err

    out = tmp_path / "weights.npz"
    draw = ["draw", "--window", "0.7", "0.9", "--data", "digits", "--first", "20", "--networks", "2", "--width", "5"]
    assert main([*draw, "--out", str(out), "--json"]) == 0
    got = json.loads(capsys.readouterr().out)
    data = igb.standardised(igb.digits())[:20]
    expected = igb.draw(igb.mlp(3), data, (0.7, 0.9), networks=2, width=5)
    assert got["G0"] == expected.G0.tolist()
    with np.load(out) as saved:
        assert np.array_equal(saved["matrix_1_3"], expected.drawn(1)[3][0])
    assert main(draw) == 0
    assert "effective sample" in capsys.readouterr().out
    assert main(["draw", "--window", "0.7", "0.9"]) == 2
    assert "--data" in capsys.readouterr().err
