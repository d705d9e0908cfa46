"""Single rules inside the package, each beside a sum, a draw or a formula that it does not use."""

import inspect
import re
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import scipy.integrate
import scipy.special
import scipy.stats
import sympy
from conftest import draw_less

import igbtheory as igb
from igbtheory.claims import simulated, tanh
from igbtheory.guesses import vocabulary
from igbtheory.mathematics.averages.state import stated
from igbtheory.mathematics.formulas import function_of
from igbtheory.mathematics.formulas.tree import X, add, call, evaluate, mul, number
from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.networks.simulation.estimates import jackknife
from igbtheory.networks.width.widths import sizes
from igbtheory.phases.block import block_of
from igbtheory.phases.depth_rates import kept
from igbtheory.phases.diagram import near_zero
from igbtheory.phases.variance import Variance, variances
from igbtheory.presentation.pictures import trained_networks, verdict
from igbtheory.theory.cost import refuse_long
from igbtheory.theory.refusals import TooLargeError

RNG = np.random.default_rng(0)


def test_a_small_batch_with_eps_has_its_law() -> None:
    """Half of the units behind ReLU are 0, and E y^2 = E s^2/(s^2 + eps), s^2 ~ chi^2 of n - 1 over n."""
    n, eps = 4, 0.1
    network = igb.Network(igb.Dense(1.0), igb.BatchNorm(n, eps=eps), igb.Activation("relu"), igb.Dense(2.0))
    found = network.predict()

    def square(x: float) -> float:
        return x / n / (x / n + eps) * scipy.stats.chi2(n - 1).pdf(x)

    assert found.var_mu + found.var_chi == pytest.approx(
        scipy.integrate.quad(square, 0, np.inf, epsabs=1e-13, epsrel=1e-12)[0], rel=1e-9
    )


def test_the_logit_of_a_tied_token_scatters_as_drawn() -> None:
    """E (e + r)/|e + r| over the deviation of e' (e + r)/|e + r|, e and e' of the variance a, r of 1 - a."""
    a, d = 0.9, 200
    e, r = a**0.5 * RNG.standard_normal((8000, d)), (1 - a) ** 0.5 * RNG.standard_normal((8000, d))
    logits = (e * (e + r)).sum(axis=1) / np.linalg.norm(e + r, axis=1) / a**0.5
    tied = vocabulary.Tied(d, np.array([a]))
    assert tied.deviations[0] == pytest.approx(logits.std(), rel=0.04)  # 5 standard errors
    assert tied.lifts[0] == pytest.approx(logits.mean(), rel=0.01)


def test_a_pole_is_passed_just_right_of_it() -> None:
    value = float(function_of("log(abs(x - 3))")(FLOAT64, 3.0))
    assert np.finfo(float).eps / 8 < np.exp(value) < 1e-14


def test_roots_between_the_points_of_the_grid_are_kinks() -> None:
    kinks = function_of("where((x - 0.3337)**2 < 1e-14, 1, x)").kinks
    assert np.allclose([*map(float, kinks)], [0.3337 - 1e-7, 0.3337 + 1e-7], rtol=0, atol=1e-12)


def test_logarithms_of_products_are_split_where_all_factors_are_positive() -> None:
    """Both of these are negative below -log 2."""
    x, factors = np.array([-2.0, 0.0, 2.0]), [add(number("-1/2"), call("exp", X)), add(number("-1/3"), call("exp", X))]
    found = evaluate(call("log", mul(*factors)), FLOAT64, x)
    np.testing.assert_allclose(found, np.log((np.exp(x) - 1 / 2) * (np.exp(x) - 1 / 3)), rtol=1e-12)


def test_stated_errors_of_a_mean_and_of_variances_are_those_of_their_squares() -> None:
    assert stated(FLOAT64, (2.0, 0.0, 1.0), (0.1, 0.0, 0.0)) == pytest.approx(2.1**2 / 2**2 - 1)
    assert stated(FLOAT64, (0.0, 4.0, 2.0), (0.0, 0.1, 0.3)) == pytest.approx(0.1 / 4 + 0.3 / 2)


def test_the_jackknife_has_the_square_of_a_mean_without_its_bias() -> None:
    x = RNG.standard_normal((1, 12)) + 1
    value, error = jackknife(np.square, np.ones(1), x)
    assert value == pytest.approx(x.mean() ** 2 - x.var(ddof=1) / 12, rel=1e-12)
    assert error == pytest.approx(2 * abs(x.mean()) * x.std(ddof=1) / 12**0.5, rel=0.1)


def test_a_norm_undoes_a_factor_of_units_with_a_mean() -> None:
    class Tripled(igb.Layer):
        def samples(self, x: Any, rng: Any, width: int) -> Any:
            return 3 * x

        def rule(self, node: Any) -> Any:
            return node.times_number(3.0)

    front, behind, data = (igb.Dense(), igb.Activation("relu")), (igb.LayerNorm(), igb.Dense()), RNG.normal(size=(5, 3))
    plain, tripled = (igb.Network(*front, *way, *behind).predict(data).kernel() for way in ((), (Tripled(),)))
    np.testing.assert_allclose(tripled, plain, rtol=1e-12)


def test_the_mean_loss_of_several_outputs_for_each_datum() -> None:
    outputs, labels = RNG.normal(size=(6, 4, 3)), RNG.integers(3, size=(6, 4))
    log_p = outputs - scipy.special.logsumexp(outputs, axis=-1, keepdims=True)
    expected = -np.take_along_axis(log_p, labels[..., None], axis=-1)[..., 0].mean(axis=0)
    np.testing.assert_allclose(igb.losses.CrossEntropy().mean(outputs, labels), expected, rtol=1e-12)


def test_data_whose_variances_overflow_are_refused() -> None:
    with pytest.raises(ValueError, match="out of range"):
        igb.Network(*[igb.Dense(1e60)] * 3).predict(RNG.normal(size=(4, 3)))


def test_a_maximum_behind_a_norm_over_few_data_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    layers = igb.Dense(1.0), igb.BatchNorm(eps=0.1), igb.MaxPool(3), igb.Activation("relu"), igb.Dense(1.0)
    data = RNG.normal(size=(6, 4))
    draw_less(monkeypatch, 64)
    with pytest.warns(igb.EstimateWarning):
        found = igb.Network(*layers).predict(data)
    z = RNG.normal(size=(20_000, 3, 4)) @ data.T / 2
    z = (z - z.mean(axis=-1, keepdims=True)) / np.sqrt(z.var(axis=-1, keepdims=True) + 0.1)
    y = np.maximum(z.max(axis=1), 0)
    np.testing.assert_allclose(found.kernel(), y.T @ y / len(y), rtol=0.05)


def test_a_norm_behind_a_maximum_subtracts_its_mean() -> None:
    data = RNG.normal(size=(4, 3))
    layers = igb.Dense(1.0), igb.MaxPool(2), igb.Activation("relu"), igb.LayerNorm(), igb.Dense(1.0)
    y = np.maximum((RNG.normal(size=(200_000, 2, 3)) @ data.T / 3**0.5).max(axis=1), 0)
    y = (y - y.mean(axis=0)) / y.std(axis=0)
    np.testing.assert_allclose(igb.Network(*layers).predict(data).kernel(), y.T @ y / len(y), atol=0.01)


def test_accuracies_of_drawn_networks_count_what_is_right() -> None:
    outputs, labels = np.zeros((1, 4, 2, 2)), np.array([0, 0, 0, 1])
    outputs[0, :, 0, 0] = 1.0  # the first network always says 0, and the second one is right
    outputs[0, np.arange(4), 1, labels] = 1.0
    found = trained_networks.Accuracies.of_outputs(outputs, labels)
    assert found.accuracy.ravel().tolist() == [0.75, 1.0]
    assert (found.favoured.ravel().tolist(), found.others.ravel().tolist()) == ([1.0, 1.0], [0.0, 1.0])
    assert found.largest.tolist() == [1.0, 0.75]


def test_the_estimate_of_gamma_from_pairs_of_data() -> None:
    """Networks split two data with the probability 1/2 - 2 Var(G0), and Var(G0) is asin(c)/(2 pi)."""
    c = np.sin(2 * np.pi * (1 / 2 - 0.3) / 2)
    assert igb.infer([0.5] * 3 + [1.0] * 4 + [0.0] * 3, 2).gamma == pytest.approx(c / (1 - c), rel=1e-6)


def test_all_claims_are_checked_in_full_unless_asked() -> None:
    assert inspect.signature(igb.verify).parameters["quick"].default is False


def test_a_parameter_is_found_near_a_peak_over_many_decades() -> None:
    """The gamma of one hidden layer increases with the variance of its bias, which has a peak of 1 at v = 1 here."""
    found = igb.design(1.0, lambda v: igb.mlp(1, "relu", sigma_b2=float(np.exp(-(np.log(v) ** 2)))), within=(1e-6, 1e6))
    assert len(found.values) == 2
    assert found.values[0] * found.values[1] == pytest.approx(1, rel=1e-6)


def test_claims_about_tanh_use_its_averages() -> None:
    z = np.linspace(-9, 9, 2001)
    weights = np.exp(-z * z / 2) / np.exp(-z * z / 2).sum()
    q, x, y = 1.7, z[:, None], (z[:, None] + 3**0.5 * z) / 2
    square = weights @ np.tanh(q**0.5 * z) ** 2
    both = weights @ (np.tanh(q**0.5 * x) * np.tanh(q**0.5 * y)) @ weights
    assert tanh.square(q) == pytest.approx(square, rel=1e-9)
    assert tanh.neutrality(q) == pytest.approx(q / 2 / (square - both), rel=1e-9)


def test_claims_about_drawn_units_use_their_moments_and_angles() -> None:
    units = RNG.normal(size=(2, 3, 4)) + 1
    products = units @ units.transpose(0, 2, 1)
    squares = np.diagonal(products, axis1=1, axis2=2)
    both, square = simulated.second_moments(units)
    np.testing.assert_allclose(square, squares.mean(axis=1) / 4, rtol=1e-12)
    np.testing.assert_allclose(both, (products.sum(axis=(1, 2)) - squares.sum(axis=1)) / 6 / 4, rtol=1e-12)
    cosines = products / np.sqrt(squares[:, :, None] * squares[:, None])
    angles = [np.arcsin(one[np.triu_indices(3, 1)]).mean() / (2 * np.pi) for one in cosines]
    assert simulated.variance_of_guesses(units)[0] == pytest.approx(np.mean(angles), rel=1e-9)


def test_a_measure_that_tends_to_0_is_told_from_that_of_the_smallest_width() -> None:
    trial = igb.claims.Trial("an example")
    found = simulated.wide_limit(trial, "gamma", [(0.4, 0.001), (0.2, 0.001)], 0.0)
    assert found.detail.endswith("; 0.4 would be told from it")
    found = simulated.wide_limit(trial, "gamma", [(0.4, 0.001), (0.2, 0.001)], 0.0, against=0.001)
    assert found.detail.endswith("; 0.001 would not be told from it")


def test_equations_that_hold_by_themselves_stay_equations() -> None:
    assert isinstance(igb.claims.equation(sympy.Integer(2), 2), sympy.Eq)


def test_the_perceptron_of_gpt_2_has_four_times_its_width() -> None:
    perceptron: Any = igb.gpt(1, width=8, heads=2, norm=None).layers[3]
    assert perceptron.inner[-1].sigma_w2 == pytest.approx(4 * 8 * 0.02**2 / 2)
    assert igb.gpt(1, width=8, heads=2).widths == (8, 8, 8, 32, 8)


@pytest.mark.parametrize(
    ("name", "sigma_w2", "sigma_b2", "ends"),
    [
        ("erf", 4.0, 0.1, 1),
        ("relu", 3.0, 0.1, 1),
        ("squared_relu", 0.5, 0.0, 3),  # from above the one in the middle, q grows faster than exponentially
    ],
)
def test_variances_attract_and_repel_in_turn(name: str, sigma_w2: float, sigma_b2: float, ends: int) -> None:
    stable = [at.stable for at in variances(block_of(name), igb.Dense(sigma_w2, sigma_b2))]
    assert len(stable) == ends
    assert all(one != next_one for one, next_one in pairwise(stable))


def test_values_near_zero_are_cubes_in_equal_steps() -> None:
    values = near_zero(0.4, 5)
    assert values[-1] == 0.4
    assert np.diff(np.cbrt([0.0, *values])) == pytest.approx(np.full(5, np.cbrt(0.4) / 5), rel=1e-12)


def test_a_course_is_extrapolated_to_the_value_it_keeps() -> None:
    assert kept(3 - 0.5 ** np.arange(10.0)).limit == pytest.approx(3, rel=1e-12)  # a geometric series
    assert kept(np.full(3, 0.7)).limit == 0.7
    for course in (1.1 ** np.arange(10.0), np.arange(1.0, 9.0)):
        assert np.isnan(kept(course).limit)


@pytest.mark.parametrize("activation", ["softplus", "elu"])
def test_gamma_grows_without_bound_where_the_slope_nears_1_slowly(activation: str) -> None:
    rate = igb.phases.classify(activation, 2.0, 0.0).rate
    assert (rate.form, rate.limit) == ("undecided", np.inf)


def test_steps_of_equal_height_are_a_line_from_afar() -> None:
    rate = igb.phases.classify("floor(x)", 1.0, 0.0).rate
    assert (rate.form, rate.rate, rate.limit) == ("power", 1.0, np.inf)


def test_a_variance_that_falls_like_a_power_is_not_said_to_fall_by_a_factor() -> None:
    assert str(Variance(0.0, 1.0, 1.0, stable=True)) == "vanishes, slower than exponentially"
    assert str(Variance(0.0, 0.5, 0.5, stable=True)) == "vanishes, faster than exponentially"


def test_units_at_positions_are_counted_at_each() -> None:
    layers = igb.Conv2d(3), igb.GlobalAvgPool(), igb.Dense()
    of_layers, units = sizes(layers, iter((5, 2)), 3, (4, 6))
    assert [size.entries for size in of_layers] == [5 * 24, 2]
    assert units == 2


def test_an_activation_is_drawn_beside_itself_less_its_mean() -> None:
    judged = igb.verdict("relu")
    axes, *_ = verdict.picture(judged).axes
    (below,) = (line for line in axes.get_lines() if "\N{MINUS SIGN}" in str(line.get_label()))
    assert np.min(below.get_ydata()) == pytest.approx(-judged.shift)
    assert judged.shift > 0


def test_deviations_are_drawn_within_the_axis() -> None:
    compared = igb.mlp(2, "relu").simulate(20, 16, 16).compare(igb.mlp(2, "tanh").predict())
    (axes,) = compared.plot().figure.axes
    z = max(abs(row.z) for row in compared.rows if np.isfinite(row.z))
    assert z > 4
    assert axes.get_ylim()[1] == pytest.approx(1.1 * z)


def test_the_limit_of_many_blocks_knows_its_digits() -> None:
    blocks = igb.Network.read("Dense | Residual(LayerNorm | gelu | Dense) | Dense")
    assert 0 < igb.phases.residual_limit(blocks).prediction.error < 5e-11


def test_the_time_of_a_whole_kernel_grows_with_the_square_of_the_tokens() -> None:
    layers = igb.Dense(), igb.Attention(2), igb.GlobalAvgPool(), igb.Dense()
    seconds = []
    for tokens in (30, 300):
        with pytest.raises(TooLargeError) as told:
            refuse_long(layers, np.ones((10, tokens, 4)), 0.0)
        seconds.append(float(re.findall(r"about (\S+) seconds", str(told.value))[0]))
    assert 50 < seconds[1] / seconds[0] < 200  # they are told with one digit
