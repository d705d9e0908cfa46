"""What `derive` prints is true: text and LaTeX, read back, are one formula with the values of `predict`."""

import re
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy as sp
from formula_reader import Values, read_latex, read_text
from repeated import slow
from scipy import integrate, stats
from sympy.core.symbol import Str

import igbtheory as igb
from igbtheory.mathematics.formulas import FUNCTIONS
from igbtheory.theory.derivation import writing
from igbtheory.theory.derivation.average import GaussianAverage, Phi
from igbtheory.theory.derivation.evaluated import number
from igbtheory.theory.derivation.functions import density
from igbtheory.theory.derivation.integrals import B
from igbtheory.theory.derivation.states import UnitSymbol

MP = mpmath.mp.clone()
MP.dps = 40
TOLERANCE = 1e-3
"""Relative: the sums over midpoints of the reader meet a kink or a jump inside of a panel."""
BIAS = 0.3
BATCH = 8
Build = Callable[[igb.Layer], tuple[igb.Layer, ...]]
LAYERS: dict[str, Build] = {
    "plain": lambda phi: (igb.Dense(1.5, BIAS), phi),
    "without biases": lambda phi: (igb.Dense(1.5), phi),
    "LayerNorm": lambda phi: (igb.Dense(1.5, BIAS), igb.LayerNorm(), phi),
    "RMSNorm behind": lambda phi: (igb.Dense(1.5, BIAS), phi, igb.RMSNorm()),
    "BatchNorm": lambda phi: (igb.Dense(1.5, BIAS), igb.BatchNorm(), phi),
    "BatchNorm in batches": lambda phi: (igb.Dense(1.5, BIAS), igb.BatchNorm(BATCH), phi),
    "proxy": lambda phi: (igb.Dense(1.5, BIAS), igb.BatchNorm(16, law="proxy"), phi),
    "MaxPool": lambda phi: (igb.Dense(1.5, BIAS), igb.MaxPool(2), phi),
    "MaxPool of batches": lambda phi: (igb.Dense(1.5, BIAS), igb.BatchNorm(BATCH), igb.MaxPool(3), phi),
    "AvgPool": lambda phi: (igb.Dense(1.5, BIAS), phi, igb.AvgPool(3)),
    "Residual": lambda phi: (igb.Dense(1.5, BIAS), igb.Residual(phi, igb.Dense(0.5)), phi),
}
QUICK = {("relu", "BatchNorm in batches", 2)}
OTHERS = {("silu", name, 1) for name in LAYERS if name not in ("MaxPool", "Residual", "without biases", "AvgPool")} | {
    ("relu", "Residual", 1),
    ("hardtanh", "plain", 1),
}
QUICK |= {("silu", "AvgPool", 1), ("elu", "plain", 1)}
NAMED = list(LAYERS)
TURNS = {(name, NAMED[(i + 1) % len(NAMED)], 1 + i % 2) for i, name in enumerate(FUNCTIONS) if i % 3 == 1}
"""One of three activations, with every layer in turn, at depths 1 and 2: all 594 take ten minutes."""
CASES = sorted(QUICK | OTHERS | TURNS)


def network(name: str, layers: str, depth: int) -> igb.Network:
    return igb.Network(*LAYERS[layers](igb.Activation(name)) * depth, igb.Dense(1.5, BIAS))


@pytest.mark.parametrize(
    ("name", "layers", "depth"),
    [case if case in QUICK else slow(case) for case in CASES],
)
def test_printed_formulas_have_the_values_of_predictions(name: str, layers: str, depth: int) -> None:
    net = network(name, layers, depth)
    found, expected = net.derive(), net.predict()
    text, latex = read_text(str(found)), read_latex(found.latex())
    assert same(text, latex)
    values = Values(latex, {"g": 0.3})
    scale = float(expected.var_chi)
    for symbol, value in (("var_mu", expected.var_mu), ("var_chi", scale)):
        assert float(values.of(symbol)) == pytest.approx(float(value), rel=TOLERANCE)
    assert float(values.of("gamma_")) == pytest.approx(float(expected.gamma), rel=2 * TOLERANCE)
    assert float(values.of("c")) == pytest.approx(float(expected.c), rel=2 * TOLERANCE)
    density = values.evaluate(latex["f_G0"][1], {"g": 0.3})
    assert float(density) == pytest.approx(float(expected.G0.pdf(0.3)), rel=2 * TOLERANCE)


@pytest.mark.parametrize(("law", "end", "square"), [("exact", np.sqrt(6), 1), ("proxy", np.inf, 7 / 3)])
def test_the_printed_densities_of_batches_are_normalised(law: str, end: float, square: float) -> None:
    """The mean square over a batch of 7 is 1; normalised by six others, it is n/(n - 4)."""
    formula = sp.lambdify(B, density(sp.Integer(7), law))
    powers = (0, 2)
    found = [integrate.quad(lambda b, p=p: b**p * formula(b), -end, end)[0] for p in powers]
    assert found == pytest.approx([1, square], rel=1e-6)


def same(text: dict[str, Any], latex: dict[str, Any]) -> bool:
    """Whether both define the same symbols by the same expressions; numbers may be written in two ways."""
    assert text.keys() == latex.keys()
    for name, right in text.items():
        left, other = (sp.Tuple(part[1] if isinstance(part, tuple) else part) for part in (right, latex[name]))
        assert left == other or sp.simplify(left[0] - other[0]) == 0, f"{name}: {left[0]} and {other[0]}"
    return True


def test_a_wrong_constant_in_the_print_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    original = writing.latex
    monkeypatch.setattr(writing, "latex", lambda expression: original(expression).replace(r"2 A", r"3 A"))
    found = igb.mlp(1, "sigmoid", sigma_b2=BIAS).derive()
    values = Values(read_latex(found.latex()), {})
    expected = float(igb.mlp(1, "sigmoid", sigma_b2=BIAS).predict().var_chi)
    assert float(values.of("var_chi")) != pytest.approx(expected, rel=0.1)  # 3 for 2 changes more than a tenth
    assert float(Values(read_text(str(found)), {}).of("var_chi")) == pytest.approx(expected, rel=TOLERANCE)


def test_a_product_too_wide_for_a_column_is_printed_as_a_sum() -> None:
    w, q, v = sp.symbols("sigma_w2 q v", positive=True)
    product = w * (q - v) * (15 * q**2 + 6 * q * v + 2 * q + 6 * v**2 + 2 * v) * sp.exp(q) * sp.cos(v)
    assert writing.width(product) > writing.COLUMN
    rows = writing.rows(product, writing.text)
    parts = [sp.sympify(row, locals={"sigma_w2": w, "q": q, "v": v}) for row in rows]
    assert all(writing.width(part) <= writing.COLUMN for part in parts)
    assert sp.expand(sp.Add(*parts) - product) == 0
    assert writing.rows(w * (q - v), writing.text) == ["sigma_w2*(q - v)"]
    # the name of a function is wider than a letter
    assert writing.width(sp.tanh(q)) > writing.width(sp.Function("f")(q)) + 3


def test_the_functions_in_integrals_are_the_normal_laws() -> None:
    printed = read_latex(igb.mlp(1, "elu", sigma_b2=BIAS, pool=4).derive().latex())
    values = Values(printed, {})
    z = np.linspace(-3, 3, 7)
    assert np.allclose(values.called("N", [z]), stats.norm.pdf(z), rtol=1e-12)
    names, right = printed["Phi"]
    # the sums of the reader, see TOLERANCE
    assert np.allclose(values.evaluate(right, {names[0]: z}), stats.norm.cdf(z), atol=1e-3)
    pair = stats.multivariate_normal([0, 0], [[1, 0.4], [0.4, 1]])
    assert values.called("Phi_2", [np.array(0.3), np.array(-0.5), np.array(0.4)]) == pytest.approx(
        pair.cdf([0.3, -0.5]),
        rel=1e-3,  # as above
    )


def test_what_cannot_be_printed_is_refused_before_it_is_derived() -> None:
    branch = igb.Residual(igb.Activation("prelu"), igb.Dense(1.0))
    net = igb.Network(igb.Dense(2.0), igb.Activation("sin"), branch, igb.Dense(2.0))
    with pytest.raises(ValueError, match="fewer kinks or jumps"):
        net.derive()


def test_an_average_that_quadrature_does_not_resolve_is_printed_without_digits() -> None:
    net = igb.Network(igb.Dense(2.0), igb.BatchNorm(5, law="proxy"), igb.Activation("cos"), igb.Dense(2.0))
    found = net.derive()
    assert "gamma = var_mu/var_chi\n" in str(found)
    assert found.to_dict()["gamma"] == str(found.gamma)
    with pytest.raises(ValueError, match="panels"):
        found.value()


@pytest.mark.slow
def test_averages_of_one_layer_are_told_apart() -> None:
    inner = igb.Residual(igb.Activation("sigmoid"), igb.Dense(1.0))
    branch = igb.Residual(igb.Activation("tanh"), igb.Dense(1.0), inner)
    found = igb.Network(igb.Dense(2.0, 0.1), branch, igb.Dense(2.0)).derive()
    assert r"K_{1} + K_{\mathrm{a},1} + c_{1} q_{1}" in found.latex()
    # an average inside an average names its own activation
    names = set(re.findall(r"phi\w*", str(found)))
    assert names == {"phi_1", "phi_2"}
    assert r"m_{\mathrm{b},l-1}^{2}" in writing.latex(UnitSymbol("mb_k") ** 2)


@pytest.mark.parametrize(
    ("formula", "value", "depth"),
    [slow(("x + sin(a*x)**2/a", 5, 3)), ("x*sigmoid(a*x)", 2, 1), ("abs(x)**a", sp.Rational(3, 2), 1)],
)
def test_a_symbol_in_an_activation_is_every_number(formula: str, value: Any, depth: int) -> None:
    a = sp.Symbol("a", positive=True)
    found = igb.mlp(depth, igb.Activation(formula, a=a)).derive()
    assert a in found.gamma.free_symbols
    at = number(found.gamma.subs(a, value), 1e-12)
    assert float(at) == pytest.approx(igb.mlp(depth, igb.Activation(formula, a=value)).predict().gamma, rel=1e-11)


GAMMA = 314743.35181675098859
"""Of E x_a x_b, the integral to 40 digits over what two data share, given which the mean of hardswish is elementary."""


def test_nearly_equal_data_keep_their_digits() -> None:
    """var_chi is printed as E x^2 - E x_a x_b, whose first five digits are equal."""
    net = igb.Network(igb.Dense(1.234, 30), igb.Activation("hardswish"), igb.Dense(1.0))
    assert net.derive(igb.GaussianInputs(-3, 1e-4)).value() == pytest.approx(GAMMA, rel=1e-14)


def test_a_mean_that_is_nearly_all_keeps_its_digits() -> None:
    """var_mu is printed as E x_a x_b - (E x)^2: for small biases it is their variance times (E phi'(h))^2."""
    small = 1e-9
    net = igb.Network(igb.Dense(1.0, small), igb.Activation("softplus"), igb.LayerNorm(), igb.Dense(1.0))
    slope = MP.mpf(1) / 2  # E sigmoid(h)
    mean = MP.quad(lambda u: MP.log1p(MP.exp(u)) * MP.npdf(u), [-14, 0, 14])
    square = MP.quad(lambda u: MP.log1p(MP.exp(u)) ** 2 * MP.npdf(u), [-14, 0, 14])
    assert net.derive().value() == pytest.approx(float(slope**2 * small / (square - mean**2)), rel=1e-8)


def test_what_double_precision_cannot_tell_apart_is_computed_with_more_digits() -> None:
    """The slope of E tanh(h)^2 in the variance of h, as a quotient of differences."""

    def square(q: sp.Rational) -> GaussianAverage:
        return GaussianAverage(
            Str("square"), Phi(igb.Activation("tanh").phi), sp.Integer(1), sp.Integer(0), sp.Integer(0), q
        )

    distance = "1e-11"
    apart = sp.Rational(distance)
    found = number((square(1 + apart) - square(sp.Integer(1))) / apart, 1e-13)

    def by_quadrature(q: mpmath.mpf) -> mpmath.mpf:
        root = MP.sqrt(q)
        return 2 * MP.quad(lambda u: MP.tanh(root * u) ** 2 * MP.npdf(u), np.linspace(0, 14, 8).tolist())

    step = MP.mpf(distance)
    expected = (by_quadrature(1 + step) - by_quadrature(MP.mpf(1))) / step
    assert abs(MP.mpf(str(found)) / expected - 1) < 1e-13
