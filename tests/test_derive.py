"""Formulas: laws, and every closed form against quadrature of what a textbook says of one variable."""

# what is wrong is passed on purpose, and which of several types a result has is known here
# mypy: disable-error-code="arg-type"

import json
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy as sp
from hypothesis import example, given, settings
from hypothesis import strategies as st
from repeated import slow

import igbtheory as igb
from igbtheory.presentation.cli import main

DIGITS = 25
W, B = sp.symbols("sigma_w2 sigma_b2", positive=True)
MP = mpmath.mp.clone()
MP.dps = 32


def rectified(low: str, high: str) -> Callable[[Any, Any], Any]:
    def mean(x: Any, s: Any) -> Any:
        up = x * MP.ncdf(x / s) + s * MP.npdf(x / s)
        return MP.mpf(high) * up + MP.mpf(low) * (x - up)

    return mean


MEANS: dict[str, Callable[[Any, Any], Any]] = {
    "relu": rectified("0", "1"),
    "linear": lambda x, _: x,
    "step": lambda x, s: MP.ncdf(x / s),
    "erf": lambda x, s: MP.erf(x / MP.sqrt(1 + 2 * s * s)),
    "gelu": lambda x, s: (
        x * MP.ncdf(x / MP.sqrt(1 + s * s)) + s * s / MP.sqrt(1 + s * s) * MP.npdf(x / MP.sqrt(1 + s * s))
    ),
    "cos": lambda x, s: MP.cos(x) * MP.exp(-s * s / 2),
    "x**2": lambda x, s: x * x + s * s,
    "x*sin(x)": lambda x, s: (x * MP.sin(x) + s * s * MP.cos(x)) * MP.exp(-s * s / 2),
    "max(x, 0)**2": lambda x, s: (x * x + s * s) * MP.ncdf(x / s) + x * s * MP.npdf(x / s),
}
"""E phi(x + s z): the mean over one normal variable."""
VALUES: dict[str, Callable[[Any], Any]] = {
    "relu": lambda x: max(x, 0),
    "linear": lambda x: x,
    "step": lambda x: MP.mpf(x > 0),
    "erf": MP.erf,
    "gelu": lambda x: x * MP.ncdf(x),
    "cos": MP.cos,
    "x**2": lambda x: x * x,
    "x*sin(x)": lambda x: x * MP.sin(x),
    "max(x, 0)**2": lambda x: max(x, 0) ** 2,
}


def average(f: Callable[[Any], Any]) -> Any:
    """E f(u), u normal, of an entire f, by the trapezoidal rule: at this step its error is below 1e-50."""
    step = MP.mpf(1) / 5
    return step * MP.fsum(f(step * i) * MP.npdf(step * i) for i in range(-80, 81))


def square_of(name: str, s: Any) -> Any:
    """E phi(s u)^2, with a panel that ends at the kink."""
    return MP.quad(lambda u: VALUES[name](s * u) ** 2 * MP.npdf(u), [-16, -4, 0, 4, 16])


def by_quadrature(name: str, depth: int, w: Any, b: Any) -> tuple[Any, Any]:
    """Variances of the output from Var_u m(u) and E phi^2, layer by layer."""
    mu, chi = MP.mpf(b), MP.mpf(w)
    for _ in range(depth):
        mean, square = MEANS[name](MP.mpf(0), MP.sqrt(mu + chi)), square_of(name, MP.sqrt(mu + chi))
        shared = average(partial(deviation, MEANS[name], MP.sqrt(mu), MP.sqrt(chi), mean))
        mu, chi = w * (mean**2 + shared) + b, w * (square - mean**2 - shared)
    return mu, chi


def deviation(mean_of: Callable[[Any, Any], Any], root: Any, s: Any, mean: Any, u: Any) -> Any:
    """Squared deviation of a unit's mean."""
    return (mean_of(root * u, s) - mean) ** 2


def same(found: Any, expected: Any, digits: int = DIGITS) -> bool:
    found, expected = MP.mpf(str(sp.N(found, 55))), MP.mpf(expected)
    return bool(abs(found - expected) <= MP.mpf(10) ** -digits * max(abs(expected), MP.mpf(10) ** -digits))


# one layer shows the closed forms of an activation; what a second one adds, the chain, is one rule for all of them
CHAINED = {"relu"}
# erf and x**2 are as smooth; the formula of relu is printed and the digits of gelu are checked by tests below
LIKE_OTHERS = {"relu", "gelu", "cos", "max(x, 0)**2", "x*sin(x)", "step", "linear", "x**2"}


@pytest.mark.parametrize(
    ("name", "depth"),
    [
        *(slow((name, 1)) if name in LIKE_OTHERS else (name, 1) for name in MEANS),
        *(slow((name, 2)) for name in MEANS if name in CHAINED),
    ],
)
def test_closed_forms_are_quadratures_to_25_digits(name: str, depth: int) -> None:
    w, b = sp.Rational(3, 2), sp.Rational(1, 5)
    symbolic = igb.mlp(depth, name, sigma_w2=W, sigma_b2=B).derive()
    numbers = {W: w, B: b}
    mu, chi = by_quadrature(name, depth, MP.mpf(3) / 2, MP.mpf(1) / 5)
    assert same(symbolic.var_mu.subs(numbers), mu)
    assert same(symbolic.var_chi.subs(numbers), chi)
    if name == "relu":
        assert same(symbolic.gamma.subs(numbers), mu / chi)
        assert same(symbolic.c.subs(numbers), mu / (mu + chi))


ALONE: dict[str, tuple[int, Callable[[Any], Any], list[Any]]] = {
    "hardtanh": (1, lambda x: min(max(x, -1), 1), [-1, 1]),
    "max(x - 1/2, 0)": (1, lambda x: max(x - MP.mpf(1) / 2, 0), [MP.mpf(1) / 2]),
    "where(x > 0, x, exp(2*x) - 1)": (1, lambda x: x if x > 0 else MP.expm1(2 * x), [0]),
    "abs(x)*exp(-x**2)": (1, lambda x: abs(x) * MP.exp(-x * x), [0]),
    "relu": (3, lambda x: max(x, 0), [0]),
    "linear": (3, lambda x: x, [0]),
}
"""Closed forms where data are independent: units of the maximum, phi and its kinks."""


REPEATED = {"hardtanh", "abs(x)*exp(-x**2)", "where(x > 0, x, exp(2*x) - 1)"}
"""Two kinks, and an exponential piece, each like one of the others."""


@pytest.mark.parametrize("name", [slow(name) if name in REPEATED else name for name in ALONE])
def test_closed_forms_of_independent_data_are_quadratures_to_25_digits(name: str) -> None:
    m, phi, kinks = ALONE[name]
    found = igb.mlp(1, name, pool=m if m > 1 else None, sigma_w2=W, sigma_b2=0).derive()
    assert "Integral" not in str(found.var_chi)
    w = MP.mpf(3) / 2

    def moment(power: int) -> Any:
        def weighed(z: Any) -> Any:
            return phi(MP.sqrt(w) * z) ** power * m * MP.npdf(z) * MP.ncdf(z) ** (m - 1)

        return MP.quad(weighed, sorted([-16, -4, 0, 4, 16, *(kink / MP.sqrt(w) for kink in kinks if kink)]))

    mean, square = moment(1), moment(2)
    assert same(found.var_mu.subs(W, sp.Rational(3, 2)), w * mean**2)
    assert same(found.var_chi.subs(W, sp.Rational(3, 2)), w * (square - mean**2))


def test_results_read_as_a_person_would_print_them() -> None:
    assert igb.mlp(1, "relu").derive().gamma == 1 / (sp.pi - 1)
    assert igb.mlp(1, "abs").derive().gamma == 2 / (sp.pi - 2)
    assert igb.mlp(1, "tanh").derive().gamma == 0  # an odd function without a closed form has the mean 0 all the same
    assert igb.mlp(1, "relu", norm="batch", batch_size=8).derive().gamma == sp.Rational(175, 337)
    # a batch of two is normalised to 1 and -1, so that the largest of two units is 1 in three quarters of all cases
    of_two = igb.Network(igb.Dense(), igb.BatchNorm(2), igb.MaxPool(2), igb.Activation("relu"), igb.Dense())
    assert of_two.derive().gamma == 3
    pooled = igb.mlp(1, "relu", pool=2).derive()
    assert sp.simplify(pooled.gamma - (3 + 2 * sp.sqrt(2)) / (3 * sp.pi - 1 - 2 * sp.sqrt(2))) == 0
    two = igb.mlp(2, "relu").derive().gamma
    angle = sp.acos(1 / sp.pi)
    root = sp.sqrt(sp.pi**2 - 1)
    assert sp.simplify(two - (sp.pi + root - angle) / (sp.pi**2 - sp.pi + angle - root)) == 0
    assert sp.count_ops(two) < 25


@pytest.mark.parametrize(("norm", "placement"), [(None, "before"), ("layer", "before"), ("batch", "before")])
def test_norms_have_the_formulas_that_theorems_say(norm: str | None, placement: str) -> None:
    found = igb.mlp(2, "relu", norm=norm, placement=placement, sigma_w2=W).derive()
    depth = 1 if norm == "batch" else 2
    assert sp.simplify(found.gamma - igb.mlp(depth, "relu").derive().gamma) == 0
    assert W not in found.gamma.free_symbols


@pytest.mark.parametrize("norm", ["batch", "layer"])
def test_norms_behind_the_activation_leave_no_bias(norm: str) -> None:
    assert igb.mlp(2, "relu", norm=norm, placement="after", sigma_w2=W).derive().gamma == 0


@pytest.mark.parametrize("size", [3, slow(16)])
@pytest.mark.slow
def test_a_symbolic_batch_size_is_every_batch_size(size: int) -> None:
    n = sp.Symbol("n", integer=True, positive=True)
    for name in ("relu", "step"):
        symbolic = igb.mlp(1, name, norm="batch", batch_size=n).derive()
        numeric = igb.mlp(1, name, norm="batch", batch_size=size).predict(digits=20)
        assert same(symbolic.gamma.subs(n, size), str(numeric.gamma), 18)


@pytest.mark.parametrize(
    ("name", "w", "b", "shift", "depth"),
    [
        slow(("relu", "1.3", "0.3", "0", 2)),
        ("erf", "4", "0", "0.7", 1),
        ("step", "4", "0.3", "0.7", 1),
        ("gelu", "1.3", "0", "0", 1),
        ("x**2", "0.5", "0.3", "0.7", 2),
    ],
)
def test_formulas_and_digits_are_one_rule(name: str, w: str, b: str, shift: str, depth: int) -> None:
    inputs = igb.GaussianInputs(shift=float(shift))
    net = igb.mlp(depth, name, sigma_w2=float(w), sigma_b2=float(b))
    found, digits = net.derive(inputs), net.predict(inputs, digits=35)
    for quantity in ("var_mu", "var_chi"):
        value = getattr(found, quantity).evalf(34)
        expected = getattr(digits, quantity)
        assert abs(MP.mpf(str(value)) - MP.mpf(str(expected))) <= MP.mpf(10) ** -30 * MP.mpf(str(digits.var_chi))


@pytest.mark.slow
def test_the_largest_of_three_units_has_a_mean() -> None:
    net = igb.Network(igb.Dense(2.0), igb.MaxPool(3), igb.Activation("relu"), igb.Dense(1.0))
    assert net.derive().value() == pytest.approx(net.predict().gamma, rel=1e-12)


def test_a_bump_of_units_that_have_a_mean() -> None:
    inputs, net = igb.GaussianInputs(0.5, 0.7), igb.Network(igb.Activation("x*exp(-x**2)"), igb.Dense(1.0))
    derived, found = net.derive(inputs), net.predict(inputs)
    for name in ("var_mu", "var_chi"):
        assert float(getattr(derived, name)) == pytest.approx(getattr(found, name), rel=1e-12)


def test_a_shift_of_the_inputs_stays_a_symbol() -> None:
    k = sp.Symbol("k", real=True)
    found = igb.mlp(1, "relu", sigma_w2=W).derive(igb.GaussianInputs(shift=k))
    for value in ("0", "0.5"):
        expected = igb.mlp(1, "relu").predict(igb.GaussianInputs(shift=float(value)), digits=30).gamma
        assert same(found.gamma.subs(k, sp.Rational(value)), str(expected), 28)


def test_the_density_of_the_guesses() -> None:
    found = igb.mlp(1, "relu").derive()
    symbol = sp.Symbol("s", real=True)
    shifted = igb.mlp(1, "linear").derive(igb.GaussianInputs(shift=symbol)).pdf(sp.Rational(1, 3))
    law = igb.mlp(1, "linear").predict(igb.GaussianInputs(shift=0.8)).G0
    assert float(shifted.subs(symbol, sp.Rational(4, 5))) == pytest.approx(law.pdf(1 / 3), rel=1e-12)
    g = sp.Symbol("g", positive=True)
    law = igb.mlp(1, "relu").predict().G0
    for x in (0.1, 0.5, 0.77):
        assert float(found.pdf(g).subs(g, x)) == pytest.approx(law.pdf(x), rel=1e-12)


POOLED = igb.Network(igb.Dense(), igb.BatchNorm(5), igb.Activation("exp(x)"), igb.MaxPool(2), igb.Dense())


@pytest.mark.slow  # what is printed of averages is compared in every run
@pytest.mark.parametrize(
    "net",
    [
        igb.mlp(1, "tanh", sigma_w2=1.5, sigma_b2=0.1),
        igb.mlp(1, sp.tanh(sp.Symbol("t")) + 1, sigma_w2=1.5, sigma_b2=0.1),
        POOLED,
    ],
)
def test_what_has_no_closed_form_stays_an_average_of_any_precision(net: igb.Network) -> None:
    found = net.derive()
    assert "Integral" in str(found.var_chi)
    assert r"\int" in found.latex()
    assert same(found.gamma.evalf(9), str(net.predict(digits=12).gamma), 8)


def test_deep_networks_are_told_layer_by_layer() -> None:
    found = igb.mlp(12, "relu").derive()
    assert not found.per_layer[-1].explicit
    expected = igb.mlp(12, "relu").predict(digits=30)
    assert same(found.gamma.evalf(30), str(expected.gamma), 28)
    last = found.per_layer[10].var_mu
    assert {str(s) for s in last.free_symbols} == {"v_mu_10", "v_chi_10"}
    text = found.latex()
    assert r"l = 3, \dots, 13" in text
    assert "sin(theta_k)" in str(found)  # in the angle, as arc-cosine kernels are printed
    assert len(text) < 2000
    assert str(found.gamma) == "gamma_13"
    assert same((found.gamma - 1).evalf(30), str(expected.gamma - 1), 28)
    assert float(found.pdf(sp.Rational(1, 3))) == pytest.approx(igb.mlp(12, "relu").predict().G0.pdf(1 / 3), rel=1e-9)


@pytest.mark.slow
def test_a_short_chain_is_the_formula_in_full() -> None:
    found = igb.mlp(3, "relu", sigma_w2=W).derive()
    assert same(found.gamma.doit().subs(W, 2), str(igb.mlp(3, "relu").predict(digits=45).gamma))
    assert same(found.var_mu.evalf(40, subs={W: 2}), str(igb.mlp(3, "relu").predict(digits=45).var_mu), 38)


@pytest.mark.slow
def test_a_chain_keeps_its_symbols_until_they_have_values() -> None:
    found = igb.mlp(3, "relu", sigma_w2=W, sigma_b2=B).derive()
    assert found.gamma.free_symbols == {W, B}
    assert found.gamma.subs(W, 2).free_symbols == {B}
    expected = igb.mlp(3, "relu", sigma_b2=0.5).predict(digits=30).gamma
    assert same(found.gamma.subs({W: 2, B: sp.Rational(1, 2)}).evalf(25), str(expected), 23)


def test_what_no_layer_changes_has_a_closed_form_at_any_depth() -> None:
    assert igb.mlp(7, "relu", norm="batch").derive().gamma == 1 / (sp.pi - 1)
    assert igb.mlp(30, "linear", sigma_w2=W).derive().var_chi == W**31


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        slow(("relu", {}, "2*L**2/(9*pi**2)")),
        ("relu", {"norm": "batch"}, "1/(pi - 1)"),
        ("linear", {"sigma_w2": W, "sigma_b2": B}, "sigma_b2*(1 - sigma_w2**(-L - 1))/(sigma_w2 - 1)"),
    ],
)
def test_gamma_at_a_symbolic_depth(name: str, options: dict[str, Any], expected: str) -> None:
    depth = sp.Symbol("L", positive=True)
    found = igb.mlp(3, name, **options).derive().at_depth(depth)
    wanted = sp.sympify(expected, locals={"L": depth, "sigma_w2": W, "sigma_b2": B})
    assert sp.simplify(found.gamma - wanted) == 0
    assert found.exact == ((name, options) != ("relu", {}))
    assert ("~" in str(found)) == (not found.exact)
    numbers = {"sigma_w2": 1.3, "sigma_b2": 0.2} if "sigma_w2" in options else {}
    layers = 6 if found.exact else 20_000
    gamma = igb.mlp(layers, name, **(options | numbers)).predict().gamma
    value = found.gamma.subs({depth: layers, W: sp.Rational(13, 10), B: sp.Rational(1, 5)})
    # the next term is smaller by log(L)/L
    assert float(value) == pytest.approx(float(gamma), rel=1e-12 if found.exact else 0.01)


@pytest.mark.parametrize(("name", "bias"), [("step", 0.0), slow(("relu", 0.1))])
def test_a_depth_without_a_solution_is_refused(name: str, bias: float) -> None:
    with pytest.raises(ValueError, match="closed solution"):
        igb.mlp(3, name, sigma_b2=bias).derive().at_depth(sp.Symbol("L", positive=True))


@pytest.mark.slow
def test_a_symbolic_number_of_units_is_every_number() -> None:
    m = sp.Symbol("m", integer=True, positive=True)
    found = igb.mlp(1, "relu", pool=m).derive().gamma
    for units in (2, 5):
        assert same(found.subs(m, units).evalf(18), str(igb.mlp(1, "relu", pool=units).predict(digits=20).gamma), 16)


@pytest.mark.parametrize("size", [5, slow(12)])
def test_the_proxy_of_batches_is_that_of_the_paper(size: int) -> None:
    """Equations 57 and 59 of where-you-place-the-norm."""
    n = sp.Symbol("n", integer=True, positive=True)
    layers = (igb.Dense(1.0), igb.BatchNorm(n, law="proxy"), igb.Activation("relu"), igb.Dense(1.0))
    found = igb.Network(*layers).derive()
    mean = MP.gamma(MP.mpf(size - 1) / 2) / MP.gamma(MP.mpf(size - 2) / 2) * size / (size - 3) / MP.sqrt(size * MP.pi)
    assert same(found.var_mu.subs(n, size), mean**2)
    assert same(found.var_chi.subs(n, size), MP.mpf(size) / (2 * (size - 4)) - mean**2)


def test_symbols_are_refused_in_words() -> None:
    with pytest.raises(TypeError, match="not as a bound"):
        igb.Activation("clip(x, -a, a)", a=sp.Symbol("a", positive=True))
    with pytest.raises(TypeError, match="expected depth to be a number"):
        igb.mlp(sp.Symbol("L"))
    p = sp.Symbol("p", positive=True)
    layers = (igb.Dense(2.0), igb.Activation("relu"), igb.Dropout(p), igb.Dense(2.0))
    assert p in igb.Network(*layers).derive().gamma.free_symbols


def test_refusals_say_what_to_do() -> None:
    with pytest.raises(TypeError, match=r"predict\(X\)"):
        igb.mlp(1).derive(np.eye(3))
    with pytest.raises(ValueError, match="sweep"):
        igb.mlp(1, sigma_w2=[1.0, 2.0]).derive()
    with pytest.raises(ValueError, match=r"eps=0 .* predict\(\)"):
        igb.Network(igb.Dense(), igb.BatchNorm(8, eps=0.1), igb.Activation("relu"), igb.Dense()).derive()
    with pytest.raises(ValueError, match="constant over a batch of 4 data has no closed form"):
        igb.mlp(2, "relu", norm="batch", placement="after", batch_size=4, sigma_b2=0.1).derive()


RELU = igb.Activation("relu")


@pytest.mark.parametrize(
    ("batch", "chance"), [(3, sp.Rational(1, 8) + 3 * sp.asin(sp.Rational(1, 11)) / (4 * sp.pi)), (8, None)]
)
def test_batches_on_which_relu_is_constant(batch: int, chance: Any) -> None:
    """BatchNorm makes 0 of them; in front of it two data have the correlation 1/11. Then their mean is 0."""
    once = (igb.Dense(2.0, 0.2), RELU, igb.BatchNorm(batch), igb.Dense(2.0))
    twice = igb.Network(*once, RELU, igb.BatchNorm(batch), igb.Dense(2.0)).derive()
    expected = igb.Network(*once).predict().var_chi if chance is None else 2 * (1 - chance)
    assert float(twice.per_layer[1].var_chi.evalf(15)) == pytest.approx(float(expected), rel=1e-12)
    assert twice.var_chi == 2


def test_what_notebooks_show() -> None:
    found = igb.mlp(1, "relu", sigma_w2=W).derive()
    shown = found._repr_latex_()
    assert shown.startswith(r"\begin{align*}")
    assert r"\frac{1}{\pi - 1}" in shown
    assert r"\sigma_w^{4}" in shown


def test_the_command_prints_formulas(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["derive", "--depth", "1", "--symbol", "sigma_w2"]) == 0
    out = capsys.readouterr().out
    assert "gamma = 1/(pi - 1) = 0.466942206924260" in out
    assert "sigma_w2/(2*pi)" in out or "sigma_w2**2/(2*pi)" in out
    assert main(["derive", "--depth", "1", "--latex"]) == 0
    assert capsys.readouterr().out.startswith(r"\begin{align*}")
    assert main(["derive", "--depth", "3", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert "1.53052906248304" in found["gamma"]
    assert len(found["per_layer"]) == 4
    assert main(["derive", "--depth", "1", "--symbol", "shift"]) == 0
    assert "N(shift, 1)" in capsys.readouterr().out


X, SLOPE = sp.symbols("x a", real=True)
LEAKY = sp.Max(X, 0) + SLOPE * sp.Min(X, 0)


@pytest.mark.parametrize(("depth", "options"), [(2, {}), (1, {"norm": "batch", "batch_size": 8})])
@pytest.mark.slow
def test_a_symbolic_slope_of_leaky_relu_is_every_slope(depth: int, options: dict[str, Any]) -> None:
    gamma = igb.mlp(depth, LEAKY, **options).derive().gamma
    for slope in ("1/100", "-1/3"):
        net = igb.mlp(depth, f"where(x > 0, x, x*({slope}))", **options)
        assert float(gamma.subs(SLOPE, sp.Rational(slope))) == pytest.approx(net.predict().gamma, rel=1e-11)


def test_the_closed_form_of_leaky_relu() -> None:
    a = SLOPE
    assert sp.simplify(igb.mlp(1, LEAKY).derive().gamma - (1 - a) ** 2 / (sp.pi * (1 + a**2) - (1 - a) ** 2)) == 0


@pytest.mark.parametrize(
    "refused",
    [
        lambda net: net.predict(),
        lambda net: net.certify(),
        lambda net: net.simulate(networks=2),
        lambda _: igb.phases.classify(LEAKY),
        lambda _: igb.mlp(1, LEAKY, pool=2).derive(),
    ],
)
def test_a_symbol_in_an_activation_is_refused_where_numbers_are_needed(refused: Any) -> None:
    with pytest.raises(TypeError, match="pass a number"):
        refused(igb.mlp(1, LEAKY))


def test_an_activation_of_several_symbols_needs_an_x() -> None:
    with pytest.raises(ValueError, match="in a symbol x, got the symbols a, b"):
        igb.Activation(SLOPE * sp.Symbol("b"))


def decimal() -> st.SearchStrategy[float]:
    return st.integers(1, 3000).map(lambda k: k / 1000)


@settings(max_examples=2, deadline=None)
@given(st.sampled_from(["sin", "cos", "sin(x)+x/3", "cos(1.3*x)*exp(-x/5)"]), decimal(), decimal(), st.integers(1, 2))
@example("sin", 1.234, 0.1, 1)
@example("cos", 1.37, 0.05, 2)
@pytest.mark.slow
def test_decimals_are_no_powers_of_one_number(name: str, sigma_w2: float, sigma_b2: float, depth: int) -> None:
    """SymPy factorises a polynomial of degree 1234 in exp(1/1000) for minutes: within 20 s of CPU, or refused."""
    net = igb.mlp(depth, name, sigma_w2=sigma_w2, sigma_b2=sigma_b2)
    with cpu_seconds(20):
        found = net.derive()
    assert found.value() == pytest.approx(float(net.predict().gamma), rel=1e-10)


@contextmanager
def cpu_seconds(limit: int) -> Iterator[None]:
    """Raise TimeoutError in a block that takes more CPU time; it ends what would run for hours."""

    def stop(*_: Any) -> None:
        raise TimeoutError(f"more than {limit} s of CPU time")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, limit)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def test_very_long_formulas_of_two_layers_are_kept_layer_by_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    network = igb.mlp(2, "relu", sigma_b2=0.1)
    full = network.derive()
    monkeypatch.setattr("igbtheory.theory.derivation.layers.LONGEST", 50)  # the second layer has 86 operations
    kept = network.derive()
    assert full.per_layer[-1].explicit
    assert not kept.per_layer[-1].explicit
    assert str(kept.gamma) == "gamma_3"
    for gamma in (kept.gamma, kept.gamma.doit()):
        assert abs(gamma.evalf(30) / full.gamma.evalf(30) - 1) < 1e-28
