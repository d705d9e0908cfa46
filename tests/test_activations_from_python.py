"""Activations as Python has them: callables, modules, tables and formulas with parameters give what the names give."""

# which of several types a result has is known here
# mypy: disable-error-code="index, union-attr"

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy
import sympy
from repeated import slow

import igbtheory as igb
from igbtheory.mathematics.formulas import function_of
from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.presentation.cli import main

A = sympy.Symbol("a", positive=True)
RECORDED: dict[str, list[Callable[[Any], Any]]] = {
    "relu": [
        lambda x: np.maximum(x, 0),
        lambda x: x * (x > 0),
        lambda x: np.where((x > 0) & ~(x < -1), x, np.zeros_like(x)),
        lambda x: np.clip(x, 0, None),
        lambda x: (x + abs(x)) / 2,
        lambda x: x.clip(min=0),
    ],
    "gelu": [lambda x: x * scipy.special.ndtr(x), lambda x: 0.5 * x * (1 + scipy.special.erf(x / np.sqrt(2)))],
    "softplus": [lambda x: np.log1p(np.exp(x)), lambda x: np.logaddexp(0, x)],
    "tanh": [np.tanh, lambda x: 2 / (1 + np.exp(-2 * x)) - 1],
    "hardtanh": [lambda x: np.minimum(np.maximum(x, -1), 1)],
}


def gamma(activation: Any, depth: int = 3) -> float:
    return float(igb.mlp(depth, activation, sigma_b2=0.1).predict().gamma)


@pytest.mark.parametrize(("name", "function"), [(name, f) for name, fs in RECORDED.items() for f in fs])
def test_a_recorded_callable_is_its_formula(name: str, function: Callable[[Any], Any]) -> None:
    phi = function_of(function)
    assert phi.doubt is None
    assert gamma(phi) == pytest.approx(gamma(name), rel=1e-12)


def test_a_recorded_formula_of_the_catalogue_has_its_closed_form() -> None:
    assert function_of(lambda x: np.where(x > 0, x, 0.25 * x)) is function_of("prelu")


def loop(x: Any) -> Any:
    return np.array([value if value > 0.3 else 0.1 * value + 0.27 for value in x])


def staircase(x: Any) -> Any:
    return np.interp(x, np.linspace(-3, 3, 12), np.cos(np.linspace(-3, 3, 12)))


UNTRACED: dict[str, tuple[Callable[[Any], Any], list[float]]] = {
    "a kink": (scipy.special.i0e, []),
    "dawson": (lambda x: scipy.special.dawsn(x) + x / 3 + 1, []),
    "loop": (loop, [0.3]),
    "interpolated": (staircase, np.linspace(-3, 3, 12).tolist()),
    "of numbers": (lambda x: math.tanh(x) if x > 0 else math.expm1(x) / 2, [0.0]),
}


@pytest.mark.parametrize("name", [slow(name) if name == "a kink" else name for name in UNTRACED])
def test_the_error_of_an_approximation_covers_the_true_one(name: str) -> None:
    """Against E phi and E phi^2 by Gauss-Legendre between the kinks."""
    function, kinks = UNTRACED[name]
    phi = function_of(function)
    assert phi.doubt is not None
    assert np.allclose([float(kink) for kink in phi.kinks], kinks, rtol=1e-12, atol=1e-12)
    nodes, weights = np.polynomial.legendre.leggauss(24)
    ends = np.unique([*np.arange(-16, 17), *kinks])
    ends = ends[np.abs(ends) <= 16]
    half = np.diff(ends)[:, None] / 2
    x = (ends[:-1, None] + half + half * nodes).ravel()
    weight = (half * weights).ravel() * np.exp(-(x**2) / 4) / np.sqrt(4 * np.pi)
    y = np.vectorize(function)(x) if name == "of numbers" else function(x)
    mean, square = weight @ y, weight @ y**2
    found = igb.mlp(1, phi).predict()
    assert abs(found.gamma - mean**2 / (square - mean**2)) <= (float(found.error) + 1e-14) * found.gamma
    assert found.error < 1e-12


def test_single_precision_leaves_its_error() -> None:
    phi = function_of(lambda x: np.tanh(np.asarray(x, dtype=np.float32)) + np.float32(0.5))
    with pytest.warns(igb.AccuracyWarning, match="approximated"):
        found = igb.mlp(2, phi).predict()
    # single precision rounds by 6e-8; the error is for the worst case
    assert abs(found.gamma / igb.mlp(2, "tanh(x) + 1/2").predict().gamma - 1) < found.error < 1e-4


def test_the_error_of_a_mean_is_what_the_worst_function_within_the_bounds_changes() -> None:
    doubt = function_of(math.exp).doubt
    assert doubt is not None
    within = replace(function_of("x + 1/100"), doubt=replace(doubt, ends=(), bounds=(1e-6,), kinks=()))
    with pytest.warns(igb.AccuracyWarning, match="approximated"):
        found = igb.mlp(1, within, sigma_w2=1.0).predict()
    worst = igb.mlp(1, "x + 1/100 - 1/10**6", sigma_w2=1.0).predict()
    assert abs(worst.var_mu / found.var_mu - 1) < found.error < 1e-3  # 1e-6 of a mean of 1/100, squared, is 2e-4


def test_an_approximation_on_a_data_set_and_in_sweeps() -> None:
    x = np.random.default_rng(0).standard_normal((12, 5))
    phi, exact = function_of(lambda x: math.tanh(x) + 0.5), "tanh(x) + 1/2"
    assert phi.doubt is not None
    for inputs, sigma_w2 in ((x, 2.0), (None, np.array([0.5, 2.0]))):
        found, true = (igb.mlp(2, name, sigma_w2=sigma_w2).predict(inputs) for name in (phi, exact))
        assert np.all(np.abs(found.gamma / true.gamma - 1) <= found.error + true.error)
        assert np.all(found.error >= true.error)


def test_a_doubted_formula_is_not_proven() -> None:
    phi = function_of(loop)
    for verb in ("certify", "derive"):
        with pytest.raises(ValueError, match=r"use predict\(\)"):
            getattr(igb.mlp(1, phi), verb)()
    with pytest.raises(ValueError, match="one callable that does both"):
        igb.Network(igb.Dense(), igb.Activation(phi), igb.Activation("tanh"), igb.Dense()).predict()


def test_a_table_is_piecewise_linear_and_straight_beyond() -> None:
    phi = function_of(([-1, 0.5, 2], [0, 0, 3]))
    assert phi.kinks == (Fraction(1, 2),)
    assert phi(FLOAT64, np.array([-9.0, 0.0, 1.0, 9.0])).tolist() == [0.0, 0.0, 1.0, 17.0]
    assert gamma(([-1, 0, 1], [0, 0, 1])) == pytest.approx(gamma("max(x, 0)"), rel=1e-12)


def test_parameters_are_the_numbers_in_their_places() -> None:
    expected = gamma("x + sin(1.5*x)**2/1.5")
    assert gamma(igb.Activation("x + sin(a*x)**2/a", a=1.5)) == expected
    assert gamma(igb.Activation(lambda x, a: x + np.sin(a * x) ** 2 / a, a=1.5)) == pytest.approx(expected, rel=1e-13)
    y = sympy.Symbol("y")
    of_y = igb.Activation(sympy.Lambda(y, y + sympy.sin(A * y) ** 2 / A), a=1.5)
    assert gamma(of_y) == pytest.approx(expected, rel=1e-13)
    assert gamma(igb.Activation("LeakyReLU", negative_slope=0.25)) == pytest.approx(gamma("prelu"), rel=1e-12)
    assert igb.Activation("tanh(a*x)", a=-2).phi.name == "tanh((-2)*x)"


def test_a_sweep_over_parameters_broadcasts_with_others() -> None:
    a, sigma_w2 = np.array([1.0, 2.5]), np.array([1.0, 2.0, 3.0])
    swept = igb.Activation("x + sin(a*x)**2/a", a=a)
    found = igb.mlp(2, swept, sigma_w2=sigma_w2[:, None], norm="layer").predict()
    assert found.gamma.shape == (3, 2)
    one = igb.Activation("x + sin(a*x)**2/a", a=2.5)
    assert found.gamma[:, 1] == pytest.approx(
        igb.mlp(2, one, sigma_w2=sigma_w2, norm="layer").predict().gamma, rel=1e-12
    )
    assert "a=array([1. , 2.5])" in repr(swept)
    with pytest.raises(ValueError, match=r"sweep.*loop over its values"):
        igb.mlp(1, swept).predict(np.eye(2))
    with pytest.raises(ValueError, match=r"sweep.*loop over its values"):
        igb.phases.edge_of_chaos(swept)


def test_a_sweep_over_parameters_in_front_of_a_maximum() -> None:
    a = np.array([0.1, 0.2])
    net = igb.Network(igb.Dense(2.0), igb.Activation("max(x, a*x)", a=a), igb.MaxPool(2), igb.Dense(a[:, None]))
    for i, one in enumerate(a):
        alone = igb.Network(igb.Dense(2.0), igb.Activation("max(x, a*x)", a=one), igb.MaxPool(2), igb.Dense(1.0))
        assert net.predict().gamma[:, i] == pytest.approx(alone.predict().gamma, rel=1e-12)
    assert "MaxPool(2)" in repr(net)


def test_slopes_refuse_what_is_known_to_few_digits() -> None:
    single = igb.Activation(lambda x: np.tanh(np.asarray(x, dtype=np.float32)) + np.float32(0.5))
    with pytest.raises(ValueError, match=r"known to ten digits.*pass its formula as text"):
        igb.phases.gradients(igb.mlp(2, single))
    with pytest.raises(ValueError, match=r"known to ten digits.*pass its formula as text"):
        igb.phases.edge_of_chaos(single)


def test_a_symbol_stays_in_formulas() -> None:
    derived = igb.mlp(1, igb.Activation("b*x", b=A)).derive()
    assert A in derived.var_chi.free_symbols


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("swish", "silu"),
        ("ReLU", "relu"),
        ("LeakyReLU", "leaky_relu"),
        ("hard_tanh", "hardtanh"),
        ("Identity", "linear"),
        ("torch.nn.Hardswish", "hardswish"),
        ("keras.activations.swish", "silu"),
    ],
)
def test_names_of_libraries_are_understood(alias: str, name: str) -> None:
    assert function_of(alias) is function_of(name)
    assert function_of(f"{alias}(x) + 1").tree == function_of(f"{name}(x) + 1").tree


def test_clip_and_heaviside_are_read() -> None:
    assert function_of("clip(x, -1, 1)").pieces == function_of("hardtanh").pieces
    assert function_of("Softshrink").tree == function_of("x - clip(x, -1/2, 1/2)").tree
    assert function_of("heaviside(x)").tree == function_of("step").tree


@pytest.mark.parametrize(
    ("name", "formula"),
    [
        ("exponential", "exp(x)"),
        ("squareplus", "(x + sqrt(x**2 + 4))/2"),
        ("sparse_plus", "where(x >= 1, x, where(x > -1, (x + 1)**2/4, 0))"),
        ("sparse_sigmoid", "where(x >= 1, 1, where(x > -1, (x + 1)/2, 0))"),
        ("RReLU", "where(x > 0, x, 11*x/48)"),
        ("thresholded_relu", "where(x > 1, x, 0)"),
        ("quick_gelu", "x*sigmoid(1.702*x)"),
        ("snake", "x + sin(x)**2"),
    ],
)
def test_names_of_libraries_without_a_place_in_the_catalogue(name: str, formula: str) -> None:
    x = np.linspace(-3, 3, 61)
    assert function_of(name)(FLOAT64, x) == pytest.approx(function_of(formula)(FLOAT64, x), rel=1e-14)


def test_classes_of_pytorch_stand_in_a_network_written_as_text() -> None:
    net = igb.Network.read("Dense | ReLU | Dense | LeakyReLU(0.2) | Dense")
    assert net.layers[1] == igb.Activation("relu")
    assert net.layers[3] == igb.Activation("LeakyReLU(0.2)")


def test_a_class_is_what_it_makes() -> None:
    assert function_of(sympy.tanh).tree == function_of("tanh").tree


@pytest.mark.slow
def test_expressions_of_sympy_with_conditions_and_functions_that_no_formula_has() -> None:
    x = sympy.Symbol("x")
    inside = sympy.Piecewise((x, (x > 0) & (x < 1)), (0, sympy.Or(x < -2, ~(x < 3))), (2, True))
    text = "where(x > 0 and x < 1, x, where(x < -2 or x >= 3, 0, 2))"
    points = np.linspace(-5, 5, 1001)
    assert function_of(inside)(FLOAT64, points) == pytest.approx(function_of(text)(FLOAT64, points))
    assert function_of(sympy.Mod(x, 2)).pieces == function_of("mod(x, 2)").pieces
    assert function_of(sympy.Derivative(sympy.tanh(x), x)).doubt is None
    bessel = function_of(sympy.besselj(0, x) + 1)
    assert bessel.doubt is not None
    assert bessel(FLOAT64, points) == pytest.approx(scipy.special.j0(points) + 1, rel=1e-12)


def test_a_gate_in_the_place_of_an_activation_is_a_layer() -> None:
    """Two units for every one that is read, and no silu in place of it."""
    net = igb.mlp(2, igb.SwiGLU())
    assert net.layers[1] == igb.SwiGLU()
    by_hand = igb.Network(*[igb.Dense(2.0), igb.SwiGLU()] * 2, igb.Dense(2.0))
    assert net.predict().var_chi == by_hand.predict().var_chi


def test_numbers_that_overflow_are_where_a_callable_ends() -> None:
    found, exact = (igb.mlp(1, phi, sigma_w2=1.0).predict() for phi in (math.exp, "exp(x)"))
    assert found.gamma == pytest.approx(exact.gamma, rel=1e-10)


def test_a_spline_of_scipy_is_its_polynomials() -> None:
    """Between the knots, which are its kinks, and beyond them."""
    knots = np.linspace(-3, 3, 20)
    spline = scipy.interpolate.CubicSpline(knots, np.tanh(knots))
    phi = function_of(spline)
    x = np.linspace(-5, 5, 999)
    assert phi.doubt is None
    assert phi(FLOAT64, x) == pytest.approx(spline(x), rel=1e-12, abs=1e-14)
    z, weights = np.polynomial.hermite_e.hermegauss(200)
    found = igb.mlp(1, phi, sigma_w2=1.0).predict()
    assert found.var_mu < 1e-20
    assert found.error < 1e-10
    assert found.var_chi == pytest.approx(weights @ spline(z) ** 2 / weights.sum(), rel=1e-5)


def noisy(x: Any) -> Any:
    return np.array(x) + np.random.default_rng().standard_normal(np.shape(x))


@pytest.mark.parametrize(
    ("activation", "parameters", "sentence"),
    [
        (lambda x: x.nonsense(), {}, "which raises AttributeError: .* let it return a float for every float"),
        (np.sum, {}, "returns as many numbers as it is given.*shape"),
        (lambda x: np.array(x) - np.mean(x), {}, "acts on every number on its own"),
        (noisy, {}, "from call to call"),
        (lambda x: np.sqrt(np.array(x)), {}, "finite everywhere.* is nan at x = -3.1"),
        (lambda x: 1 / x, {}, "infinite or undefined at x = 0"),
        (lambda x: np.exp(x**4), {}, "grows faster"),
        (lambda x: x + 1j, {}, "returns real numbers"),
        (scipy.special.gamma, {}, "not finite"),
        (([0, 1, 1, 2], [0, 1, 2, 3]), {}, "x increases, got 1 and then 1 at position 2; sort it"),
        (([0], [1]), {}, "2 to 1000 knots"),
        (([0, 1], [1, np.nan]), {}, "finite"),
        ("tanh(a*x)", {}, r"unknown name 'a'; .* a parameter takes a value, as in Activation\(..., a=1\)"),
        ("tanh(a*x)", {"a": 1, "b": 2}, "whose parameters are a, got b"),
        ("tanh(a*x + b)", {"a": [1, 2], "b": [1, 2, 3]}, r"shapes broadcast, got a \(2,\), b \(3,\); give one"),
        ("tanh(a*x)", {"a": math.inf}, "finite number as the parameter a"),
        ("relu", {"a": 1}, "which has no parameters, got a"),
        ("tanh(pi*x)", {"pi": 1}, "got 'pi', which means something"),
        ("tahn(x)", {}, "did you mean 'tanh'"),
        ("Swich", {}, "did you mean 'swish'"),
        ("entropy", {}, "known are linear, relu.* others take their formula"),
        ("SwiGLU", {}, r"takes several; use the layer SwiGLU\(\), as in mlp\(3, igb.SwiGLU\(\)\)"),
        ("maxout", {}, r"takes several; use the layer MaxPool\(m\)"),
        ("softmax", {}, "takes several; leave it out"),
        (igb.SwiGLU(), {}, r"expected an activation .* got SwiGLU\(\)"),
        ("gelu", {"approximate": True}, "expected approximate='none' or 'tanh', got True"),
        (lambda x: 0 * x + 3, {}, "is constant"),
        (lambda x: float(np.sum(x)) / 0, {}, "raises ZeroDivisionError"),
        (lambda x: math.acos(math.tanh(x) / 0.9999), {}, "raises ValueError"),
        (lambda x, a: np.tanh(a * x), {"c": 3}, "got <lambda> with c=3, which raises TypeError"),
        (["relu", "tanh"], {}, r"expected one activation, or a table \(x, y\) of numbers"),
        (sympy.Function("f")(sympy.Symbol("x")), {}, "the SymPy function f has no meaning"),
    ],
)
def test_what_is_no_activation_is_refused_with_the_remedy(activation: Any, parameters: Any, sentence: str) -> None:
    with pytest.raises((ValueError, TypeError), match=sentence):
        igb.Activation(activation, **parameters)


def test_parameters_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    outputs = []
    for formula in (["leaky_relu", "--param", "negative_slope=0.2"], ["leaky_relu(negative_slope=0.2)"]):
        assert main(["predict", "--activation", *formula]) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]
    outputs.clear()
    for formula in (["relu(x)/a + b", "--param", "a=1/2", "--param", "b=0.1"], ["relu(x)/(1/2) + 0.1"]):
        assert main(["predict", "--activation", *formula]) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]
    for command in (["predict", "--activation"], ["activation"], ["phase"]):
        for parameters, words in (
            ([], "a parameter takes a value, as in --param a=1"),
            (["--param", "a"], "NAME=VALUE"),
        ):
            assert main([*command, "tanh(a*x)", *parameters]) == 2
            assert words in capsys.readouterr().err


def test_modules_and_functions_of_pytorch_are_recorded() -> None:
    torch = pytest.importorskip("torch")
    recorded: dict[Any, str] = {
        torch.nn.ReLU(): "relu",
        torch.nn.GELU(): "gelu",
        torch.nn.GELU(approximate="tanh"): "gelu_tanh",
        torch.nn.Softplus(beta=2.0): "softplus(2*x)/2",
        torch.nn.LeakyReLU(0.2): "where(x > 0, x, 0.2*x)",
        torch.nn.ELU(0.5): "where(x > 0, x, expm1(x)/2)",
        torch.nn.PReLU(): "prelu",
        torch.nn.Sequential(torch.nn.Tanh(), torch.nn.ReLU()): "max(tanh(x), 0)",
        torch.nn.functional.silu: "silu",
        (lambda x: torch.where(x > 0, x, torch.zeros_like(x))): "relu",
    }
    for function, name in recorded.items():
        phi = function_of(function)
        assert phi.doubt is None, function
        assert gamma(phi, 1) == pytest.approx(gamma(name, 1), rel=1e-12)
    assert gamma(function_of("elu", alpha=torch.tensor(0.5)), 1) == gamma("elu(x, 0.5)", 1)
    assert function_of(torch.special.bessel_j0).doubt is not None
    with pytest.raises(ValueError, match="on its own"):
        igb.Activation(torch.nn.Softmax(dim=0))
