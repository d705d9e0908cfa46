"""Finite networks: the same numbers from the same seed, moments as predicted, and comparisons that can fail."""

# what is wrong is passed on purpose, and which of several types a result has is known here
# mypy: disable-error-code="arg-type, index, union-attr"

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from repeated import slow

import igbtheory as igb
from igbtheory.foundations.runs import chosen
from igbtheory.foundations.text import measured
from igbtheory.guesses import GuessLaw
from igbtheory.guesses.bias_of_guesses import with_itself, without_itself
from igbtheory.layers import dense
from igbtheory.networks.simulation import Comparison, Simulation, simulate
from igbtheory.networks.simulation.estimates import (
    LayerEstimates,
    bias_of_guesses,
    layer_estimates,
    mean,
    ratio_of_means,
)
from igbtheory.networks.simulation.extrapolation import FACTORS, RICHARDSON, SLOPE
from igbtheory.networks.simulation.kolmogorov import kolmogorov_smirnov
from igbtheory.networks.width import moments
from igbtheory.networks.width.result import WidthPrediction

FAMILY = 6.0
"""Standard errors that none of a hundred z-scores exceeds but with probability 2e-7."""
DATA = np.random.default_rng(5).standard_normal((7, 5))


def small(**changed: Any) -> Simulation:
    spec = {"networks": 12, "width": 9, "samples": 6, "seed": 3} | changed
    simulation: Simulation = igb.mlp(2, "relu", sigma_b2=0.1).simulate(**spec)
    return simulation


def same(a: Simulation, b: Simulation) -> bool:
    return bool(np.array_equal(a.G0, b.G0) and np.array_equal(a.moments, b.moments))


@pytest.mark.parametrize("inputs", [igb.GaussianInputs(0.3, 2.0), DATA], ids=["Gaussian", "data set"])
def test_a_seed_gives_the_same_numbers_whatever_the_number_of_workers(inputs: Any) -> None:
    one, two, other = (small(inputs=inputs, workers=w, seed=s) for w, s in ((1, 3), (2, 3), (2, 4)))
    assert same(one, two)
    assert same(one, small(inputs=inputs, executor="processes:2"))
    assert not same(two, other)


def test_a_store_goes_on_where_it_ended_and_knows_other_data(tmp_path: Path) -> None:
    file = tmp_path / "run.db"
    plain, first, second = (small(inputs=DATA, store=store) for store in (None, file, file))
    assert same(plain, first)
    assert same(first, second)
    with pytest.raises(ValueError, match="numbers of the first network"):
        small(inputs=DATA + 0.1, store=file)
    with pytest.raises(ValueError, match="width = 9, and this one has width = 10"):
        small(inputs=DATA, store=file, width=10)
    first.compare(store=file)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.db", "run.db.18", "run.db.36"]


IMAGES = np.random.default_rng(6).standard_normal((4, 2, 5, 5))
LAYERS = {
    "dense": ((), DATA),
    "convolution": ((igb.Conv2d(3), igb.GlobalAvgPool()), IMAGES),
    "attention": ((igb.Attention(2), igb.GlobalAvgPool()), IMAGES[:, :, 0]),
}


@pytest.mark.parametrize("name", LAYERS)
def test_a_device_has_the_same_networks_but_for_rounding(name: str) -> None:
    pytest.importorskip("torch")
    front, inputs = LAYERS[name]
    network = igb.Network(*front, igb.Dense(), igb.Activation("relu"), igb.Dense())
    plain, torch, two = (
        network.simulate(6, 40, inputs=inputs, **who)
        for who in ({}, {"device": "cpu"}, {"device": "cpu", "executor": "processes:2"})
    )
    # single precision, whose sums are in another order
    np.testing.assert_allclose(torch.moments, plain.moments, rtol=1e-4)
    assert same(torch, two)
    with pytest.raises(NotImplementedError, match="meta tensor"):  # a device that computes nothing
        network.simulate(6, 40, inputs=inputs, device="meta")


def test_a_card_is_for_threads() -> None:
    assert chosen(None, 3, 60.0, "cuda") == "threads:3"
    with pytest.raises(ValueError, match='expected threads for the device cuda, got "processes:2"'):
        chosen("processes:2", None, 60.0, "cuda")


def test_workers_and_an_executor_are_one_too_many() -> None:
    with pytest.raises(ValueError, match='"processes:2"'):
        small(workers=2, executor="processes:2")


def test_a_network_does_not_depend_on_how_many_there_are() -> None:
    few, many = small(), small(networks=20)
    assert np.array_equal(many.moments[:12], few.moments)
    assert str(few).endswith("they may still be too small by a third.")
    assert "too small" not in str(small(networks=30))


def test_a_data_set_is_taken_whole() -> None:
    assert small(inputs=DATA, samples=None).samples == small(inputs=DATA, samples=3).samples == 7


@pytest.mark.parametrize("factor", [4, 400])
def test_layers_before_the_first_dense_act_on_the_data(factor: int) -> None:
    data = np.random.default_rng(6).standard_normal((5, factor))
    rectified = igb.Network(igb.Activation("relu"), igb.Dense(), igb.Activation("tanh"), igb.Dense())
    plain = igb.Network(igb.Dense(), igb.Activation("tanh"), igb.Dense())
    ends = [net.simulate(5, 8, inputs=x) for net, x in ((rectified, data), (plain, np.maximum(data, 0)))]
    assert same(*ends)


def test_the_first_layer_of_a_data_set_is_known_exactly() -> None:
    # 7 data of 300 features enter through their Gram matrix, the very same for all networks
    data = np.random.default_rng(7).standard_normal((7, 300))
    first = igb.mlp(1).simulate(3, 20, inputs=data).per_layer
    theory = igb.mlp(1).predict(data).per_layer
    # products are in single precision
    assert first.var_mu[0] == pytest.approx(theory.var_mu[0], rel=1e-5)
    assert first.var_chi[0] == pytest.approx(theory.var_chi[0], rel=1e-5)
    assert first.var_mu_error[0] < 1e-15


def test_an_output_layer_alone_is_a_network() -> None:
    found = igb.Network(igb.Dense(2.0, 1.0)).simulate(250, 3, 2, 0, igb.GaussianInputs(2.0))
    assert found.per_layer.var_mu.shape == (1,)
    assert abs(found.var_mu - 9) < 5.5 * found.var_mu_error


def test_progress_stands_on_standard_error(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr("igbtheory.foundations.progress.PATIENCE", 0.0)
    assert same(small(progress=True), small())
    out, err = capsys.readouterr()
    assert out == ""
    assert "finite networks" in err


def test_the_printed_form_says_what_was_simulated() -> None:
    text = repr(small())
    for part in ("12 networks", "width=9", "samples=6", "seed=3", "GaussianInputs", "gamma=", "±"):
        assert part in text
    assert "data set of shape (7, 5)" in repr(small(inputs=DATA))


def test_tables_show_the_estimates_of_which_z_is_made() -> None:
    found = igb.mlp(1, "linear").simulate(20, 8, 20, seed=2)
    assert found.var_mu < -0.01  # far from what rounding leaves
    assert np.mean(found.guess_variances[:, 1]) < 0
    table = [line.split() for line in str(found).splitlines() if line.startswith(("var_mu", "gamma"))]
    shown = [measured(getattr(found, row[0]), getattr(found, f"{row[0]}_error")) for row in table]
    assert [" ".join(row[2:]) for row in table] == shown
    assert shown[0].startswith("-0.0")
    assert shown[-1].startswith("0.000 ± ")  # no law of G0 has a variance below 0
    row = next(row for row in found.compare().rows if row.name == "var_mu[1]")
    assert row.values[0] == found.var_mu
    assert row.cells()[2].startswith("-0.0")
    value, error = map(float, row.cells()[5].split(" ± "))
    assert (value - row.theory) / error == pytest.approx(row.z, rel=0.4)  # errors are printed with one digit
    # the covariance within a centred batch of 20 is negative, also in theory
    batch = igb.mlp(1, "relu", norm="batch", placement="after").simulate(20, 8, 20, seed=2)
    assert batch.var_mu == pytest.approx(-2 / 19, rel=1e-5)
    assert "-0.105" in str(batch)


def test_guesses_are_compared_in_different_batches() -> None:
    """Two data that make a batch are opposite behind its norm, and so are all units that follow without biases."""
    net = igb.Network(igb.Dense(), igb.BatchNorm(2), igb.Dense())
    assert net.simulate(20, 8, 2, seed=1).gamma_guess == 0  # one batch counts as data without batches
    found = net.simulate(200, 64, 20, seed=1)
    # the mean over pairs of one batch would be -1/4
    assert abs(np.mean(found.guess_variances[:, 1])) < FAMILY * found.guess_variances[:, 1].std() / np.sqrt(200)


@pytest.mark.parametrize(
    ("changed", "error", "words"),
    [
        ({"networks": 1}, ValueError, "networks >= 2"),
        ({"networks": 2.5}, ValueError, "whole"),
        ({"width": 0}, ValueError, "width >= 1"),
        ({"width": "wide"}, TypeError, "whole"),
        ({"samples": 1}, ValueError, "samples >= 2"),
        ({"samples": None}, TypeError, "whole"),
        ({"seed": -1}, ValueError, "seed >= 0"),
        ({"workers": 0}, ValueError, "workers >= 1"),
        ({"inputs": DATA[:1]}, ValueError, "two data"),
        ({"inputs": DATA[0]}, ValueError, "shape"),
        ({"inputs": [["a", "b"], ["c", "d"]]}, TypeError, "numbers"),
        ({"inputs": igb.GaussianInputs(np.zeros(2))}, ValueError, "sweep"),
        ({"inputs": DATA * 1e39}, ValueError, "overflow"),
    ],
)
def test_bad_input_is_refused(changed: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        small(**changed)


def test_a_sweep_of_networks_is_refused() -> None:
    with pytest.raises(ValueError, match="sweep"):
        simulate(igb.mlp(1, sigma_w2=np.array([1.0, 2.0])), 2, 4, 4, 0, igb.GaussianInputs())


# moments


def of_one(x: NDArray[Any], **options: Any) -> tuple[float, float]:
    q_ab, spread = moments.pair_moments(x[None], **options)
    return float(q_ab[0]), float(spread[0])


@given(
    size=st.integers(2, 9),
    units=st.integers(1, 9),
    itself=st.booleans(),
    shift=st.sampled_from([0.0, 1.0, 1e4]),
    seed=st.integers(0, 99),
)
def test_moments_are_those_of_the_kernel(size: int, units: int, itself: bool, shift: float, seed: int) -> None:  # noqa: FBT001
    x = (np.random.default_rng(seed).standard_normal((size, units)) + shift).astype(np.float32)
    kernel = x.astype(float) @ x.astype(float).T / units
    pairs = kernel if itself else kernel[~np.eye(size, dtype=bool)]
    q_ab, spread = of_one(x, itself=itself)
    assert q_ab == pytest.approx(pairs.mean(), rel=1e-13, abs=1e-13)
    assert spread == pytest.approx(np.trace(kernel) / size - pairs.mean(), rel=1e-10, abs=1e-15 * (1 + shift**2))


def test_moments_keep_the_digits_of_nearly_equal_data() -> None:
    x = np.full((3, 4), 1000.0, dtype=np.float32)
    x[1] += np.float32(2**-10)
    assert of_one(x)[1] == pytest.approx(2.0**-20 / 3, rel=1e-12)


def test_moments_of_digits_are_summed_in_double_precision() -> None:
    digits = (igb.digits()[:200] - igb.digits().mean()).astype(np.float32)  # their sums in single precision lose 7e-7
    _, spread = of_one(digits, itself=True)
    assert spread == pytest.approx(digits.astype(float).var(axis=0).mean(), rel=1e-13)


def test_blocks_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.random.default_rng(0).standard_normal((50, 3), dtype=np.float32)
    whole = of_one(x)
    monkeypatch.setattr(moments, "BLOCK", 20)
    assert of_one(x) == pytest.approx(whole, rel=1e-14)


@pytest.mark.parametrize("width", [2, slow(40)])
@pytest.mark.parametrize(
    "inputs",
    [igb.GaussianInputs(0.5, 2.0), np.random.default_rng(1).standard_normal((6, 60)) + 0.3],
    ids=["Gaussian", "data set"],
)
def test_linear_networks_of_any_width_have_the_moments_of_theory(width: int, inputs: Any) -> None:
    # q_ab and q_aa of linear layers have at every width the very mean of the limit
    net = igb.mlp(3, "linear", sigma_w2=1.2, sigma_b2=0.3)
    found, theory = net.simulate(200, width, 6, 11, inputs).per_layer, net.predict(inputs).per_layer
    for name in ("var_mu", "var_chi"):
        error = np.hypot(getattr(found, f"{name}_error"), 1e-6 * getattr(theory, name))
        assert np.all(np.abs(getattr(found, name) - getattr(theory, name)) < FAMILY * error), name


def test_one_hidden_relu_layer_has_the_moments_of_theory_when_its_inputs_are_a_data_set() -> None:
    # given the data the pre-activations are exactly Gaussian, so that width does not enter
    data = np.random.default_rng(2).standard_normal((8, 3))
    net = igb.mlp(1, "relu", sigma_b2=0.2)
    found, theory = net.simulate(400, 4, None, 1, data), net.predict(data)
    assert abs(found.var_mu - theory.var_mu) < FAMILY * found.var_mu_error
    assert abs(found.var_chi - theory.var_chi) < FAMILY * found.var_chi_error


def test_guesses_of_an_output_layer_alone_have_the_variance_of_theory() -> None:
    data = np.random.default_rng(2).standard_normal((8, 3))
    net = igb.Network(igb.Dense(2.0, 0.5))
    found, expected = net.simulate(400, 4, None, 1, data), net.predict(data)
    for squares in ((found.G0 - 0.5) ** 2, found.guess_variances[:, 0]):
        assert abs(squares.mean() - expected.G0.var()) < FAMILY * squares.std() / np.sqrt(400)
    # 8 of the 28 pairs of data scatter less than the guesses of one output
    assert found.guess_variances.std() < 0.5 * ((found.G0 - 0.5) ** 2).std()
    assert abs(found.gamma_guess - expected.gamma_guess) < FAMILY * found.gamma_guess_error


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


# layers drawn from a Gram matrix


def units_of(size: int, units: int) -> NDArray[np.float32]:
    return np.random.default_rng(0).standard_normal((size, units), dtype=np.float32) + np.float32(0.5)


def drawn(x: NDArray[np.float32], width: int = 300, times: int = 40) -> NDArray[np.float64]:
    rng = np.random.default_rng(1)
    return np.hstack([igb.Dense(1.5, 0.2).samples(x, rng, width) for _ in range(times)]).astype(float)


def check_covariance(z: NDArray[np.float64], x: NDArray[np.float32]) -> None:
    kernel = 1.5 * (x.astype(float) @ x.T.astype(float)) / x.shape[1] + 0.2
    error = np.sqrt((np.outer(np.diag(kernel), np.diag(kernel)) + kernel**2) / z.shape[1])
    assert np.max(np.abs(z @ z.T / z.shape[1] - kernel) / error) < FAMILY


def counted(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    calls: list[Any] = []
    real = dense.roots

    def spy(x: NDArray[np.float32]) -> NDArray[np.float64]:
        calls.append(x.shape)
        return real(x)

    monkeypatch.setattr(dense, "roots", spy)
    return calls


@pytest.mark.parametrize(("size", "units", "roots"), [(10, 400, 40), (10, 8, 0)], ids=["Gram root", "weights"])
def test_both_ways_to_draw_a_dense_layer_have_its_covariance(
    size: int, units: int, roots: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = counted(monkeypatch)
    x = units_of(size, units)
    check_covariance(drawn(x), x)
    assert len(calls) == roots


@pytest.mark.parametrize("copies", [2, 8])
def test_a_singular_gram_matrix_is_drawn_exactly(copies: int, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted(monkeypatch)
    x = np.repeat(units_of(10 // copies + 1, 400), copies, axis=0)
    z = drawn(x)
    assert calls
    check_covariance(z, x)
    twins = z.reshape(-1, copies, z.shape[1])
    assert np.abs(twins - twins[:, :1]).max() < 1e-5  # rounding of single precision


@pytest.mark.parametrize("distance", [1e-2, 1e-4, 1e-6])
def test_nearly_equal_data_keep_the_law_of_their_difference(distance: float) -> None:
    x = units_of(6, 400)
    x[1] = x[0] + np.float32(distance) * x[2]
    step = (x[1].astype(float) - x[0]).astype(float)
    z = drawn(x)
    difference = np.square(z[1] - z[0])
    rounding = (1e-7 * np.abs(z).max()) ** 2
    expected = 1.5 * float(step @ step) / 400
    assert abs(difference.mean() - expected) < FAMILY * expected * np.sqrt(2 / z.shape[1]) + 4 * rounding


def test_double_precision_draws_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted(monkeypatch)
    z = igb.Dense().samples(units_of(3, 400).astype(float), np.random.default_rng(0), 300)
    assert z.dtype == np.float64
    assert not calls


def test_the_condensed_units_have_the_same_gram_matrix() -> None:
    x = units_of(20, 400)
    root = dense.roots(x[None])[0]
    assert root.shape == (20, 20)
    assert root @ root.T == pytest.approx(x.astype(float) @ x.T.astype(float), rel=1e-12)


# comparisons

RELU = igb.mlp(3, "relu")


@pytest.fixture(scope="module")
def relu() -> Comparison:
    comparison: Comparison = RELU.simulate(300, 16, 16).compare()
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


@pytest.mark.slow
def test_wider_networks_are_simulations_of_their_own(relu: Comparison) -> None:
    first, second, third = relu.simulations
    assert [first.width, second.width, third.width] == [16, 32, 64]
    again = RELU.simulate(300, 32, 16, second.seed)
    assert np.array_equal(again.G0, second.G0)


@pytest.mark.slow  # ReLU networks, the digits and linear ones are simulated in every run
def test_deep_tanh_networks_agree_with_theory() -> None:
    assert igb.mlp(20, "tanh", sigma_b2=0.1).simulate(300, 24, 16, seed=1).compare().agrees()


def test_a_wrong_prediction_is_found_by_moments_and_by_the_law_of_guesses() -> None:
    comparison = RELU.simulate(250, 8, 8).compare(igb.mlp(3, "relu", sigma_w2=1.0, sigma_b2=10.0).predict())
    assert not comparison.agrees()
    assert comparison.ks.pvalue < 0.05
    assert "no" in str(comparison).splitlines()[-1]
    assert "deviates: " in repr(comparison)


@pytest.mark.slow
def test_a_slightly_wrong_prediction_is_found() -> None:
    assert not RELU.simulate(400, 32, 32).compare(igb.mlp(3, "relu", sigma_b2=0.1).predict()).agrees()


@pytest.fixture(scope="module")
def narrow() -> Comparison:
    comparison: Comparison = RELU.simulate(100, 32, 32, seed=2).compare(RELU.predict(width=32))
    return comparison


def test_networks_agree_with_the_theory_of_their_very_width(narrow: Comparison) -> None:
    """The theory of infinite width is far from these networks, and that of their width is not."""
    assert narrow.agrees()
    (simulation,) = narrow.simulations
    gamma, variance = narrow.rows[-2:]
    assert (gamma.value, variance.value) == (simulation.gamma, simulation.per_layer.var_g0[-1])
    assert gamma.z == pytest.approx((gamma.value - gamma.theory) / np.hypot(gamma.error, gamma.theory_error))
    assert abs(simulation.gamma - RELU.predict().gamma) > narrow.limit() * simulation.gamma_error
    assert "width -> inf" not in str(narrow)
    assert str(narrow).count("Kolmogorov-Smirnov, width 32") == 1


@pytest.mark.parametrize(("name", "row"), [("gamma", -2), ("var_g0", -1), ("var_chi", -3)])
def test_a_prediction_at_finite_width_is_found_wrong_from_the_deviation_that_counts(
    narrow: Comparison, name: str, row: int
) -> None:
    (simulation,), prediction, kept = narrow.simulations, narrow.prediction, narrow.rows[row]
    assert isinstance(prediction, WidthPrediction)
    assert isinstance(simulation, Simulation)
    for by, agrees in ((0.9, True), (1.1, False)):
        estimates = {key: value.copy() for key, value in vars(prediction.per_layer).items()}
        estimates[name][-1] = kept.value + by * narrow.limit() * kept.uncertainty
        found = simulation.compare(replace(prediction, per_layer=LayerEstimates(**estimates)))
        assert found.agrees() is agrees


def test_a_law_of_another_shape_is_found_at_finite_width() -> None:
    simulation = RELU.simulate(300, 32, 32, seed=3)
    prediction = RELU.predict(width=32)
    assert simulation.compare(prediction).ks.pvalue > 1e-3
    other = igb.mlp(20, "relu").predict(width=100).source
    assert simulation.compare(replace(prediction, source=other)).ks.pvalue < 1e-8


def test_a_data_set_is_compared_with_pairs_of_its_data_at_this_width() -> None:
    data = igb.standardised(igb.digits())[:30]
    assert RELU.simulate(60, 16, inputs=data).compare(RELU.predict(data, width=16)).agrees()


def test_the_digits_agree_with_the_theory_of_that_data_set() -> None:
    data = igb.standardised(igb.digits())[:100]
    simulation = RELU.simulate(50, 32, inputs=data)
    comparison = simulation.compare(progress=False)
    assert comparison.agrees()
    shifted = RELU.predict(data + 0.5)
    assert not simulation.compare(shifted).agrees()


def test_a_network_without_hidden_layers_agrees() -> None:
    data = np.random.default_rng(0).standard_normal((6, 4))
    assert igb.Network(igb.Dense(2.0, 0.5)).simulate(100, 4, inputs=data).compare().agrees()


def test_a_network_of_biases_alone_agrees_and_always_guesses_one_class() -> None:
    comparison = igb.mlp(1, sigma_w2=0.0, sigma_b2=1.0).simulate(50, 4, 5).compare()
    assert comparison.agrees()
    assert set(comparison.simulations[0].G0) == {0.0, 1.0}


def test_networks_that_all_guess_alike_do_not_refute_a_law_that_seldom_does_not() -> None:
    data = np.random.default_rng(0).standard_normal((5, 4))
    for inputs in (igb.GaussianInputs(), data):
        comparison = igb.mlp(1, sigma_w2=0.02, sigma_b2=1.0).simulate(50, 4, 5, 1, inputs).compare()
        assert {*comparison.simulations[0].G0} == {0.0, 1.0}
        assert comparison.agrees()


def test_the_printed_form_is_a_table(relu: Comparison) -> None:
    text = str(relu)
    for part in ("theory", "width 64", "width -> inf", "slope", "Var(G0)", "Kolmogorov-Smirnov", "agreement", "yes"):
        assert part in text


@pytest.mark.parametrize(
    ("prediction", "error", "words"),
    [
        ("relu", TypeError, "Prediction"),
        (igb.mlp(2).predict(), ValueError, "4 Dense"),
        (igb.mlp(3, sigma_w2=np.ones(2)).predict(), ValueError, "one network"),
        (RELU.predict(np.eye(3)), ValueError, "Gaussian inputs"),
        (RELU.predict(np.eye(3), width=4, networks=2), ValueError, "Gaussian inputs"),
        (RELU.predict(width=5), ValueError, r"width=4\), or None"),
        (RELU.predict(width=4, features=5, networks=2), ValueError, "at the width that was simulated"),
    ],
)
def test_a_prediction_of_something_else_is_refused(prediction: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        RELU.simulate(2, 4, 4).compare(prediction)


def test_batches_at_finite_width_have_no_law_of_finitely_many_data() -> None:
    net = igb.mlp(1, "relu", norm="batch", batch_size=4)
    with pytest.raises(ValueError, match="no law of finitely many data in batches; pass None"):
        net.simulate(2, 4, 8).compare(net.predict(width=4, networks=4))


def test_a_prediction_of_many_digits_is_one_too() -> None:
    net = igb.mlp(1)
    assert net.simulate(40, 8, 8).compare(net.predict(digits=25)).agrees()


def test_the_weights_extrapolate_what_they_say() -> None:
    inverse = 1 / np.array(FACTORS)
    assert [RICHARDSON @ inverse**k for k in range(3)] == pytest.approx([1, 0, 0], abs=1e-14)
    assert [SLOPE @ inverse**k for k in range(2)] == pytest.approx([0, 1], abs=1e-14)


@pytest.mark.parametrize("gamma", [0.4, slow(3.0)])
def test_the_test_of_the_law_finds_the_largest_distance_and_keeps_its_level(gamma: float) -> None:
    law, rng = GuessLaw(gamma).finite(40), np.random.default_rng(0)
    p_values = []
    for _ in range(60):
        counts = law.rvs((3, 100), random_state=rng)
        test = kolmogorov_smirnov(counts, RICHARDSON, law.cdf)
        p_values.append(test.pvalue)
        shares = (counts[..., None] <= np.arange(41)).mean(axis=1)
        assert test.statistic == pytest.approx(np.abs(RICHARDSON @ shares - law.cdf(np.arange(41))).max())
    for level in (0.01, 0.1, 0.5):
        accepted = level + 5 * np.sqrt(level * (1 - level) / 60)
        assert np.mean(np.array(p_values) < level) < accepted
    assert np.median(p_values) < 0.95


@pytest.mark.parametrize("networks", [2, 5, 12])
def test_errors_of_few_networks_contain_the_truth_as_often_as_those_of_many(networks: int) -> None:
    groups = 4000
    moments = np.random.default_rng(networks).normal(10, 1, (1, networks, groups, 2))
    found = layer_estimates(moments, np.ones(1))
    for name, truth in (("var_mu", 10), ("var_chi", 10), ("gamma", 1)):
        contained = np.abs(getattr(found, name) - truth) < 1.96 * getattr(found, f"{name}_error")
        # five standard errors of a share; without Student's quantile two networks contain it in 70 %, five in 88 %
        assert np.mean(contained) == pytest.approx(0.95, abs=5 * np.sqrt(0.05 * 0.95 / groups))


# the variance of the guesses


def test_the_estimated_bias_of_the_guesses_has_an_honest_error() -> None:
    replicas, networks = 400, 200
    rng = np.random.default_rng(5)
    for gamma in (0.05, 0.5, 2.0, 18.0):
        draws = (GuessLaw(gamma).rvs((1, networks, replicas), rng) - 0.5) ** 2
        found, error = bias_of_guesses(*mean(draws, np.ones(1)))
        # the spread of 400 z-scores errs by 4 %, and their law is a little skewed: at gamma = 18 it is 1.06
        assert np.std((found - gamma) / error) == pytest.approx(1, abs=0.2)
    # all networks guess one class, or give every class exactly one half
    assert [float(x) for x in bias_of_guesses(np.array(0.25), np.array(0.0))] == [np.inf, np.inf]
    assert [float(x) for x in bias_of_guesses(np.array(-0.01), np.array(0.0))] == [0, 0]


def directions(x: NDArray[Any], pairs: Any, sigma_b2: float = 0.0) -> tuple[float, float]:
    square, ties = moments.squares_of_guesses(x[None], 1.0, sigma_b2, pairs)
    return float(square[0]), float(ties[0])


def test_directions_of_features_give_the_variance_of_guesses() -> None:
    pairs = moments.pairs_of_data(np.arange(3), 3)
    x = np.array([[3.0, 0], [0, 0], [0, 0]])
    # a datum without features has no cosine with another one, and the same output as a third without features
    assert directions(x, pairs) == pytest.approx((0.25 / 3, 2 / 3), abs=1e-15)
    # the biases of the outputs are all that a datum without features shares with another one: 1 of 9/2 + 1
    expected = (2 * np.arcsin(1 / np.sqrt(5.5)) + np.pi / 2) / (6 * np.pi)
    assert directions(x, pairs, 1.0) == pytest.approx((expected, 0), abs=1e-15)
    near = np.array([[1.0, 0], [1, 1e-9]])
    angle = 2 * np.pi * (0.25 - directions(near, moments.pairs_of_data(np.arange(2), 2))[0])
    assert angle == pytest.approx(1e-9, rel=1e-6)
    # their squares are 0 in single precision
    small = np.array([[1e-25, 0], [1e-25, 1e-25]], dtype=np.float32)
    assert directions(small, moments.pairs_of_data(np.arange(2), 2)) == pytest.approx((1 / 8, 0), rel=1e-6)


@pytest.mark.parametrize(("size", "count", "stride"), [(1, 4, 1), (2, 9, 1), (7, 5, 1), (8, 64, 1), (12, 100, 4)])
def test_pairs_of_data_are_of_different_data_and_batches(size: int, count: int, stride: int) -> None:
    first, second = moments.pairs_of_data(np.arange(size), count, stride)
    pairs = list(zip(first.tolist(), second.tolist(), strict=True))
    batches = size // stride
    assert len(pairs) == min(count, size * max(1, batches - 1))
    assert len(set(pairs)) == len(pairs)
    assert all(a // stride != b // stride for a, b in pairs) == (size > 1)


@pytest.mark.parametrize("size", [2, 9])
def test_pairs_of_a_datum_with_itself_are_taken_out_as_they_were_put_in(size: int) -> None:
    """The mean over all pairs of 1/4 for a datum with itself, and of the variance for different data."""
    variance, of_itself = 0.07, 0.25
    together = (size * of_itself + size * (size - 1) * variance) / size**2
    assert with_itself(variance, size) == pytest.approx(together, rel=1e-14)
    assert without_itself(together, size) == pytest.approx(variance, rel=1e-14)
