"""Networks on Gaussian inputs: values against other arithmetic, invariants, printing, and what is refused."""

# what is wrong is passed on purpose, and which of several types a result has is known here
# mypy: disable-error-code="arg-type, attr-defined, call-overload, index, list-item, union-attr"

import warnings
from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import scipy
import sympy
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st
from repeated import slow

import igbtheory as igb
from igbtheory.mathematics.numbers import Multiprecision

ACTIVATIONS = ("linear", "relu", "leaky_relu", "tanh", "erf", "gelu", "min(max(x, -1), 1)")
SEVERAL = settings(max_examples=5, deadline=None)
sigma_w2s, sigma_b2s = st.floats(0.3, 4.0), st.floats(0.0, 1.0)


def relu_recursion(depth: int, digits: int) -> Any:
    """Bias ratio by c' = (sqrt(1 - c^2) + c (pi - acos c))/pi, in nothing but mpmath's own functions."""
    context = mpmath.MPContext()
    context.dps = digits
    c = context.mpf(0)
    for _ in range(depth):
        c = (context.sqrt(1 - c * c) + c * (context.pi - context.acos(c))) / context.pi
    return c / (1 - c)


@pytest.mark.parametrize("depth", [1, 2, 20, 1000])
def test_gamma_of_relu_is_the_recursion(depth: int) -> None:
    # 1e-13: a hundred times the rounding seen; the oracle loses at most 10 of its 60 digits to 1 - c
    assert igb.mlp(depth, "relu").predict().gamma == pytest.approx(float(relu_recursion(depth, 60)), rel=1e-13)


def test_fifty_digits_are_right() -> None:
    found = igb.mlp(20, "relu").predict(digits=50).gamma
    assert abs(found / found.context.mpf(str(relu_recursion(20, 80))) - 1) < 1e-50


def test_one_hidden_relu_layer_is_its_closed_form() -> None:
    assert igb.mlp(1, "relu").predict().gamma == pytest.approx(1 / (np.pi - 1), rel=1e-15)


def test_relu_very_deep() -> None:
    depth = 500
    p = igb.mlp(depth, "relu").predict()
    assert p.gamma == pytest.approx(float(relu_recursion(depth, 50)), rel=1e-11)
    assert 1e-14 < p.error < 1e-8  # the rounding errors of 500 layers add up
    assert repr(igb.mlp(depth)) == f"Network(*(Dense(2.0), Activation('relu')) * {depth}, Dense(2.0))"


def trapezoid(f: Any) -> Any:
    """Mean of f(z), z normal, of an analytic f by the trapezoidal rule, whose error falls as exp(-2 pi width/step)."""
    z = np.linspace(-9, 9, 361)
    weights = np.exp(-z * z / 2)
    return f(z) @ weights / weights.sum()


@pytest.mark.parametrize(
    ("activation", "phi"),
    [
        ("tanh", np.tanh),
        ("gelu", lambda x: x * scipy.special.ndtr(x)),
        ("x*tanh(x)", lambda x: x * np.tanh(x)),
    ],
)
def test_one_layer_is_a_double_integral(activation: str, phi: Any) -> None:
    p = igb.mlp(1, activation, sigma_w2=1.3, sigma_b2=0.4).predict()
    # a unit has the part u that data share and a part of its own
    q_ab = 1.3 * trapezoid(
        lambda u: trapezoid(lambda z: phi(np.sqrt(0.4) * u[:, None] + np.sqrt(1.3) * z)) ** 2
    ) + 0.4  # fmt: skip
    q_aa = 1.3 * trapezoid(lambda z: phi(np.sqrt(1.7) * z) ** 2) + 0.4
    # at a step of 1/20 the pole of tanh leaves exp(-2 pi 20 (pi/2)/sqrt(1.7)); rounding leaves 1e-15
    assert p.var_mu == pytest.approx(q_ab, rel=1e-13)
    assert p.var_chi == pytest.approx(q_aa - q_ab, rel=1e-12)


@pytest.mark.parametrize("activation", ACTIVATIONS)
@given(sigma_w2=sigma_w2s, sigma_b2=sigma_b2s, depth=st.integers(1, 4))
@SEVERAL
def test_invariants_of_every_layer(activation: str, sigma_w2: float, sigma_b2: float, depth: int) -> None:
    layers = igb.mlp(depth, activation, sigma_w2=sigma_w2, sigma_b2=sigma_b2).predict().per_layer
    assert layers.gamma.shape == (depth + 1,)
    assert np.all(layers.var_mu >= 0)
    assert np.all(layers.var_chi > 0)
    assert np.all((layers.c >= 0) & (layers.c <= 1))
    # c and gamma are the same number in two ways
    assert np.allclose(layers.c, layers.gamma / (1 + layers.gamma), rtol=1e-14)


@pytest.mark.parametrize("activation", ["linear", "relu", "leaky_relu", "abs(x)"])
@given(sigma_w2=sigma_w2s)
@SEVERAL
def test_scale_of_the_weights_leaves_gamma_of_a_homogeneous_activation(activation: str, sigma_w2: float) -> None:
    gamma = igb.mlp(3, activation, sigma_w2=sigma_w2).predict().gamma
    assert gamma == pytest.approx(igb.mlp(3, activation).predict().gamma, rel=1e-12)


@pytest.mark.parametrize("activation", ACTIVATIONS)
@given(shift=st.floats(-2, 2), sigma_w2=sigma_w2s)
@SEVERAL
def test_after_a_dense_a_shifted_input_is_a_bias(activation: str, shift: float, sigma_w2: float) -> None:
    shifted = igb.mlp(1, activation, sigma_w2=sigma_w2).predict(igb.GaussianInputs(shift=shift)).per_layer
    first = igb.Dense(sigma_w2, sigma_w2 * shift**2)
    biased = igb.Network(first, igb.Activation(activation), igb.Dense(sigma_w2)).predict().per_layer
    # the product sigma_w2 shift^2 rounds differently, nothing else
    assert np.allclose(shifted.var_mu, biased.var_mu, rtol=1e-12, atol=1e-14)
    assert np.allclose(shifted.var_chi, biased.var_chi, rtol=1e-12)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_a_sweep_is_its_points(activation: str) -> None:
    sigma_w2, sigma_b2 = np.array([0.5, 1.0, 3.0])[:, None], np.array([0.0, 0.2])
    sweep = igb.mlp(2, activation, sigma_w2=sigma_w2, sigma_b2=sigma_b2).predict()
    assert sweep.per_layer.gamma.shape == (3, 3, 2)
    for i in range(3):
        for j in range(2):
            point = igb.mlp(2, activation, sigma_w2=sigma_w2[i, 0], sigma_b2=sigma_b2[j]).predict()
            # a matrix product may sum in another order
            assert np.allclose(sweep.per_layer.gamma[:, i, j], point.per_layer.gamma, rtol=1e-12, atol=0)


@pytest.mark.parametrize("inputs", [None, np.eye(3)])
def test_the_last_layer_alone_is_that_of_all(inputs: Any) -> None:
    every, last = (igb.mlp(3).predict(inputs, layers=layers) for layers in ("all", "last"))
    assert (every.per_layer.left_out, last.per_layer.left_out) == (0, 3)
    assert last.per_layer.gamma.tolist() == [every.gamma]
    assert last.columns()["layer"].tolist() == [4]


def test_an_odd_activation_has_no_bias_without_biases() -> None:
    for activation in ("linear", "tanh", "erf", "min(max(x, -1), 1)"):
        p = igb.mlp(4, activation).predict()
        assert p.gamma == 0
        assert p.regime == "neutral"


def test_the_stated_error_never_falls_over_the_layers() -> None:
    tanh = (igb.Activation("tanh"), igb.Dense())
    for norm in ((), (igb.BatchNorm(8),), (igb.LayerNorm(),)):
        error = igb.Network(igb.Dense(2.0, 0.1), *norm, *tanh * 4).predict().per_layer.error
        assert np.all(error > 0)
        assert np.all(np.diff(error) >= 0)


def test_regimes_are_told_apart() -> None:
    assert igb.mlp(1, "relu").predict().regime == "neutral"
    assert igb.mlp(20, "relu").predict().regime == "prejudiced"
    assert igb.mlp(1, "linear", sigma_w2=1.0, sigma_b2=0.5).predict().regime == "uniform"
    assert list(igb.mlp(2, "relu", sigma_b2=[0.0, 9.0]).predict().regime) == ["neutral", "prejudiced"]


def test_identical_data_give_infinite_gamma() -> None:
    p = igb.mlp(1, "relu").predict(igb.GaussianInputs(shift=1.0, variance=0.0))
    assert p.gamma == np.inf
    assert p.G0.cdf(0.3) == 0.5


def test_activations_may_follow_each_other() -> None:
    twice = igb.Network(igb.Dense(), igb.Activation("relu"), igb.Activation("tanh"), igb.Dense())
    once = igb.Network(igb.Dense(), igb.Activation("max(tanh(x), 0)"), igb.Dense())
    # the test tanh(x) >= 0 has no exact kink, so the same function is written with an exact one
    once = igb.Network(igb.Dense(), igb.Activation("where(x > 0, tanh(x), 0)"), igb.Dense())
    assert twice.predict().gamma == pytest.approx(once.predict().gamma, rel=1e-12)


def test_an_activation_may_come_first() -> None:
    p = igb.Network(igb.Activation("x**2"), igb.Dense(1.0)).predict(igb.GaussianInputs(shift=0.5))
    # E x^2 = 1 + 1/4; Var x^2 = 2 + 4 shift^2
    assert p.var_mu == pytest.approx(1.25**2, rel=1e-12)
    assert p.var_chi == pytest.approx(3.0, rel=1e-12)


@pytest.mark.slow
def test_deep_tanh_grid_agrees_with_many_digits() -> None:
    """A corner of the ordered and of the chaotic phase, eight layers: 1e-8 is the issue's bound for the grid."""
    for sigma_w2, sigma_b2 in ((0.5, 0.3), (4.0, 0.1)):
        found = igb.mlp(8, "tanh", sigma_w2=sigma_w2, sigma_b2=sigma_b2).predict().gamma
        exact = igb.mlp(8, "tanh", sigma_w2=sigma_w2, sigma_b2=sigma_b2).predict(digits=16).gamma
        assert found == pytest.approx(float(exact), rel=1e-11)


def test_printing_is_readable() -> None:
    net = igb.Network(igb.Dense(1.5, 0.1), igb.Activation("x*tanh(x)"), igb.Dense(2.0))
    assert repr(net) == "Network(Dense(1.5, 0.1), Activation('x*tanh(x)'), Dense(2.0))"
    assert eval(repr(net), {**vars(igb), **{name: getattr(igb, name) for name in igb.__all__}}) == net  # noqa: S307
    assert net._repr_latex_().startswith("$")
    assert "gamma=0.46694220692426" in repr(igb.mlp(1).predict())
    assert r"\gamma = 0.46694220692426" in igb.mlp(1).predict()._repr_latex_()
    assert "sweep of shape (2,)" in repr(igb.mlp(1, sigma_b2=[0.0, 1.0]).predict())


SYMBOL = sympy.Symbol("s", positive=True)
BRANCH = igb.Residual(igb.Dense(), igb.Activation("abs"))
POOLED_PAIRS = igb.Network(igb.Dense(), igb.GroupNorm(2, 0.1), igb.AvgPool(2), BRANCH, igb.Dense())
REFUSED = [
    (lambda: igb.Dense(-1.0), ValueError, "sigma_w2 >= 0 .* such as 2.0"),
    (lambda: igb.Dense(2.0, float("nan")), ValueError, "sigma_b2 .* no biases"),
    (lambda: igb.BatchNorm(eps=-1), ValueError, "eps >= 0 .* such as 1e-5"),
    (lambda: igb.mlp(1, pool=0), ValueError, "pool >= 1"),
    (lambda: igb.mlp(1, sigma_w2=SYMBOL).predict(), TypeError, r"sigma_w2 .* expression s; .* derive\(\)"),
    (lambda: igb.mlp(1, sigma_b2=SYMBOL).simulate(2, 2, 2), TypeError, r"sigma_b2 .* expression s; .* derive\(\)"),
    (lambda: igb.mlp(1).predict(igb.GaussianInputs(SYMBOL)), TypeError, "expected shift to be a number"),
    (lambda: igb.mlp(1, sigma_w2=SYMBOL).certify(), TypeError, "expected sigma_w2 to be a number"),
    (lambda: igb.Dense("2"), TypeError, "number"),
    (lambda: igb.Dense(None), TypeError, "number"),
    (lambda: igb.mlp(0), ValueError, "depth >= 1"),
    (lambda: igb.mlp(2.5), ValueError, "whole number"),
    (lambda: igb.mlp("3"), TypeError, "whole number"),
    (lambda: igb.mlp(1, "rellu"), ValueError, "did you mean 'relu'"),
    (lambda: igb.GaussianInputs(variance=-1), ValueError, "variance"),
    (lambda: igb.GaussianInputs(shift=np.inf), ValueError, "shift"),
    (igb.Network, ValueError, "no layer"),
    (lambda: igb.Network(igb.Dense(), igb.Activation("relu")), ValueError, "append Dense"),
    (lambda: igb.Network("relu"), ValueError, "append Dense"),
    (lambda: igb.Network("relu", "Dense"), TypeError, "expected layers"),
    (lambda: igb.mlp(1).predict(digits=1), ValueError, "digits"),
    (lambda: igb.mlp(1, sigma_w2=0.0).predict(), ValueError, "outputs tie exactly.* use sigma_w2 > 0"),
    # the mean of two centred units is 0
    (POOLED_PAIRS.predict, ValueError, "layer 2 is 0, so its outputs tie exactly"),
    (lambda: igb.mlp(1).predict(igb.GaussianInputs(0, 0)), ValueError, "inputs that are not all 0"),
    (lambda: igb.mlp(3000, sigma_w2=0.5).predict(), ValueError, "out of range"),
    (lambda: igb.Dense(np.ma.masked_array([1.0, 2.0], [False, True])), TypeError, "drop or fill"),
    (lambda: igb.LayerNorm(np.ma.masked_array(1e-3, mask=True)), TypeError, "drop or fill"),
    (lambda: igb.AvgPool(10**400), ValueError, "expected m <= "),
    (lambda: igb.GroupNorm(10**400), ValueError, "expected size <= "),
    (lambda: igb.BatchNorm(10**400), ValueError, "expected batch_size <= "),
    (lambda: igb.mlp(1, "exp(x)", sigma_w2=1e6).predict(), ValueError, "grows too fast"),
    (lambda: igb.Dense(1 + 0j), TypeError, "real number"),
    (lambda: igb.Dense(["2.0"]), TypeError, "real number"),
    (lambda: igb.Dense(10**400), TypeError, "real number"),
    (lambda: igb.Dense(np.True_), TypeError, "real number"),
    (lambda: igb.Dense([]), ValueError, "empty"),
    (lambda: igb.mlp(10**9), ValueError, "depth <="),
    (lambda: igb.mlp(1, sigma_w2=np.ones(4), sigma_b2=np.ones(3)).predict(), ValueError, "shapes broadcast"),
    (lambda: igb.nonsense, AttributeError, "it has"),
]


@pytest.mark.usefixtures("few_draws")
@pytest.mark.parametrize(("call", "error", "sentence"), REFUSED)
def test_bad_input_is_refused_with_a_sentence(call: Any, error: type[Exception], sentence: str) -> None:
    with pytest.raises(error, match=sentence):
        call()


def test_an_inaccurate_prediction_warns() -> None:
    # the means of both halves cancel but for 1e-8 of their size
    with pytest.warns(igb.AccuracyWarning, match="estimated relative error"):
        igb.mlp(1, "where(x > 0, x, exp(x) - 1)", sigma_w2=1e-16).predict()


@pytest.mark.parametrize("steepness", [100, 5_000, 10_000, 1e5])
def test_a_steep_step_is_not_overlooked(steepness: float) -> None:
    """tanh(a x) is sign(x) but for E sech^2 = 2 npdf(0)/a of its second moment, to first order in 1/a."""
    p = igb.mlp(1, f"tanh({steepness}*x)", sigma_w2=1.0).predict(igb.GaussianInputs(0.5)).per_layer
    q = 1.25
    whole = p.var_mu[1] + p.var_chi[1]
    assert whole == pytest.approx(1 - 2 / steepness / np.sqrt(2 * np.pi * q), abs=10 / steepness**2)


@pytest.mark.parametrize(
    "formula", ["max(x - 8, 0)", "softplus(x - 20)", "1 + tanh(x - 10)", "exp(x - 40)", "abs(x)**1.5"]
)
def test_odd_but_harmless_formulas_are_predicted(formula: str) -> None:
    p = igb.mlp(1, formula, sigma_b2=0.1).predict()
    assert p.gamma > 0
    assert p.error < 1e-10


@pytest.mark.parametrize("frequency", [1, 7, 15])
def test_an_oscillation_is_not_taken_for_a_slower_one(frequency: int) -> None:
    """Nodes too far apart would see an alias: for sin, E sin h_a sin h_b = exp(-q) sinh(q_ab) exactly."""
    p = igb.mlp(1, f"sin({frequency}*x)", sigma_w2=0.5, sigma_b2=1.0).predict().per_layer
    q_aa, q_ab = 1.5 * frequency**2, 1.0 * frequency**2
    expected = 0.5 * np.exp(q_ab - q_aa) * (1 - np.exp(-2 * q_ab)) / 2 + 1
    assert p.var_mu[1] == pytest.approx(expected, rel=1e-11)
    assert p.var_chi[1] == pytest.approx(0.5 * (1 - np.exp(-2 * q_aa)) / 2 - expected + 1, rel=1e-11)


def test_no_warning_where_the_promise_is_kept() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        igb.mlp(50, "tanh", sigma_b2=0.1).predict()


def test_digits_are_carried_by_parameters_as_decimals() -> None:
    n = Multiprecision(40)
    p = igb.mlp(1, "linear", sigma_w2=0.1, sigma_b2=0.3).predict(digits=40)
    # var_mu = 0.1 * 0.3 + 0.3 = 33/100 exactly
    assert abs(p.var_mu - n.number("0.33")) < 1e-50


def test_many_digits_are_those_of_quadrature_and_of_certificates() -> None:
    """Balls where they have rules; a sweep, in quadrature, has the digits of its networks alone."""
    net = igb.mlp(2, "tanh", sigma_b2=0.1)
    p, ball = net.predict(igb.GaussianInputs(0.2), digits=30), net.certify(35, inputs=igb.GaussianInputs(0.2))
    with ball.per_layer.n.precision():
        assert abs(arb(str(p.gamma)) - ball.gamma) < 1e-30
    assert 0 < p.error < 1e-30
    sweep = igb.mlp(1, "softplus", sigma_w2=np.array([1.0, 2.0])).predict(digits=8)
    alone = igb.mlp(1, "softplus", sigma_w2=2.0).predict(digits=8)
    assert float(sweep.gamma[1] / alone.gamma - 1) == pytest.approx(0, abs=1e-8)


SWEPT = {
    "eps": (np.array([0.0, 0.1, 1.0]), igb.LayerNorm),
    "eps of rms": (np.array([0.0, 0.1, 1.0]), igb.RMSNorm),
    "p": (np.array([0.0, 0.1, 0.5]), igb.Dropout),
}


@pytest.mark.parametrize("name", SWEPT)
def test_norms_and_dropout_are_swept_as_weights_are(name: str) -> None:
    values, layer = SWEPT[name]

    def net(value: Any) -> igb.Network:
        return igb.Network(igb.Dense(2.0, 0.1), igb.Activation("tanh"), layer(value), igb.Dense(2.0, 0.3))

    sweep = net(values).predict()
    assert sweep.gamma.tolist() == [pytest.approx(net(value).predict().gamma, rel=1e-12) for value in values.tolist()]
    assert len({*sweep.gamma.tolist()}) == 3
    assert sweep.columns()[name.partition(" ")[0]].tolist() == values.tolist()
    assert "(3,)" in repr(net(values))
    for drawn in (lambda: net(values).simulate(2, 4, 5), lambda: net(values).predict(np.eye(4))):
        with pytest.raises(ValueError, match="got a sweep"):
            drawn()


def test_changing_a_sweep_later_changes_no_network() -> None:
    values = np.array([1.0, 2.0])
    layers = igb.Dense(values, values), igb.GaussianInputs(values, values), igb.Residual(igb.Dense(), scale=values)
    before = list(map(repr, layers))
    values[0] = 99.0
    assert list(map(repr, layers)) == before


def test_a_power_multiplies_the_error_of_the_variance_and_no_error_is_below_a_rounding() -> None:
    """x^2 squares the variance: what is lost of it doubles in every layer."""
    scale = Fraction(0.47)
    found = igb.mlp(8, "x**2", sigma_w2=float(scale)).predict().per_layer
    var_mu, var_chi, true = Fraction(0), scale, []
    for value in found.var_chi:
        true.append(abs(float(Fraction(value) / var_chi - 1)))
        # E x^2 y^2 = q^2 + 2 q_ab^2 of normal x and y
        square, product = 3 * (var_mu + var_chi) ** 2, (var_mu + var_chi) ** 2 + 2 * var_mu**2
        var_mu, var_chi = scale * product, scale * (square - product)
    assert np.all(found.error >= np.maximum(true, 2.0**-53))
    assert true[-1] > 64 * 2.0**-53  # so that a sum of one rounding a layer would not do


def test_softplus_at_scales_where_it_is_nearly_a_kink() -> None:
    """Var_chi behind four layers, pre-activations of size 1e4, by sums over panels that shrink towards the bend."""
    p = igb.mlp(4, "softplus", sigma_w2=193.2, sigma_b2=6.95).predict()
    found, shared, own = p.var_chi, p.per_layer.var_mu[3] ** 0.5, p.per_layer.var_chi[3] ** 0.5
    nodes, weights = np.polynomial.legendre.leggauss(16)
    fall = np.geomspace(1e-2, 1e9, 45)
    bend = np.concatenate([-fall, [0], fall])

    def rule(centre: float, scale: float) -> tuple[Any, Any]:
        ends = np.unique(np.clip(np.concatenate([np.linspace(-10, 10, 31), (centre + bend) / scale]), -10, 10))
        low, high = ends[:-1, None], ends[1:, None]
        z = ((low + high + (high - low) * nodes) / 2).ravel()
        return z, ((high - low) / 2 * weights).ravel() * np.exp(-z * z / 2) / np.sqrt(2 * np.pi)

    total = 0.0
    for u, weight in zip(*rule(0.0, shared), strict=True):
        z, inner = rule(-shared * u, own)
        value = np.logaddexp(0, shared * u + own * z)
        total += weight * (inner @ (value - inner @ value) ** 2)
    assert found == pytest.approx(193.2 * total, rel=1e-13)


@pytest.mark.parametrize("activation", ["gelu", slow("erf(x)")])
def test_large_variances_cost_closed_forms_no_digits(activation: str) -> None:
    """At sigma_w2 = 4 the variances of gelu reach 1e30, and an AccuracyWarning would be an error here."""
    found = igb.mlp(100, activation, sigma_w2=np.array([1.0, 4.0]), sigma_b2=np.array([[0.1], [2.0]])).predict()
    for i, j in np.ndindex(2, 2):
        exact = igb.mlp(100, activation, sigma_w2=[1.0, 4.0][j], sigma_b2=[0.1, 2.0][i]).predict(digits=40)
        for name in ("var_mu", "var_chi"):
            value = getattr(exact, name)
            missed = abs(float((getattr(found, name)[i, j] - value) / value))
            # an error of 4 roundings in each of 100 layers is stated, and 1e-16 is the rounding of the result
            assert missed <= found.error[i, j] < 1e-13


def test_a_network_is_written_in_layers_or_as_text() -> None:
    assert igb.Network("Dense(2) | relu | Dense(2)") == igb.mlp(1)


def test_two_networks_are_compared_in_a_table() -> None:
    relu, deep = igb.mlp(1, "relu"), igb.mlp(3, "gelu")
    compared = igb.compare(relu, deep)
    assert (compared.first, compared.second) == (relu.predict(), deep.predict())
    shown = compared.columns()
    at = shown["quantity"].index("gamma of the guesses")
    assert (shown["first"][at], shown["second"][at]) == (relu.predict().gamma, deep.predict().gamma)
    assert shown["second"][-1] == deep.predict().G0.majority()
    assert igb.compare(relu, relu, inputs=np.eye(4)).first.gamma == relu.predict(np.eye(4)).gamma
    axes = compared.plot()
    assert [len(line.get_xdata()) for line in axes.lines if not line.get_label().startswith("_")] == [2, 4]
    with pytest.raises(TypeError, match="got Network and GammaEstimate; pass two of one kind"):
        igb.compare(relu, igb.infer([0.2, 0.5]))
    with pytest.raises(TypeError, match="leave it out"):
        igb.compare(relu, deep, level=0.9)
    with pytest.raises(TypeError, match="leave them out"):
        igb.compare(igb.infer([0.2, 0.5]), igb.infer([0.2, 0.5]), inputs=np.eye(4))
    with pytest.raises(ValueError, match="loop over its values"):
        igb.compare(relu, igb.mlp(1, sigma_w2=[1.0, 2.0]))


@pytest.mark.parametrize(
    ("gamma", "error", "regime"),
    [
        (1 + 1e-12, 1e-12, "uniform"),
        (1 + 1e-12, 1e-14, "prejudiced"),
        (1 - 1e-12, 1e-14, "neutral"),
        (1.001, 0.5, "prejudiced"),  # an error, however large, is no reason to call all guesses uniform
        (0.999, 0.5, "neutral"),
    ],
)
def test_only_rounding_makes_guesses_uniform(gamma: float, error: float, regime: str) -> None:
    found = igb.mlp(1, "relu").predict()
    layers = replace(found.per_layer, var_mu=np.array([0.0, gamma]), var_chi=np.ones(2), error=np.array([0.0, error]))
    assert replace(found, per_layer=layers).regime == regime
