"""Certificates: every ball contains the value that many digits of an independent quadrature give, and is narrow."""

# which of several types a result has is known here
# mypy: disable-error-code="union-attr"

import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import acb, arb, ctx
from repeated import every_second, slow
from scipy import integrate

import igbtheory as igb
from igbtheory import GaussianInputs, Layer
from igbtheory.layers.nodes.gaussian import Gaussian
from igbtheory.layers.nodes.node import LawNode
from igbtheory.mathematics.averages.state import Moments
from igbtheory.mathematics.formulas import FUNCTIONS, function_of
from igbtheory.mathematics.formulas.tree import ZERO, Number, Power
from igbtheory.mathematics.numbers import FLOAT64, decimals
from igbtheory.mathematics.numbers.certified import Certified
from igbtheory.presentation.cli import main
from igbtheory.theory.certificate import Certificate, batches, boxes, gaussian, maxima, smooth
from igbtheory.theory.certificate.bounds import growth
from igbtheory.theory.certificate.growth import Growth
from igbtheory.theory.certificate.rules import Panel
from igbtheory.theory.certificate.signs import increases

NAMES = ("var_mu", "var_chi", "gamma", "c")
LEAKY = "where(x>0,x,x/10)"
CLOSED = [
    igb.mlp(1),
    igb.mlp(3),
    igb.mlp(3, "gelu", sigma_b2=0.1),
    igb.mlp(4, norm="layer", sigma_b2=0.3),
    igb.mlp(4, norm="layer", placement="after"),
    igb.mlp(4, norm="rms", placement="after"),
    igb.mlp(3, "erf", norm="rms", sigma_b2=0.1),
    igb.mlp(3, norm="batch"),
    igb.mlp(3, norm="batch", batch_size=8),
    igb.mlp(2, "squared_relu", norm="batch", batch_size=5),
    igb.mlp(1, "relu", norm="batch", batch_size=2, pool=2),
    igb.Network(
        igb.Dense(), igb.LayerNorm(eps=0.1), igb.Activation("abs"), igb.AvgPool(3), igb.Dropout(0.3), igb.Dense()
    ),
    igb.Network(
        igb.Dense(),
        igb.Residual(igb.Activation("relu"), igb.Dense(0.5, 0.1), scale=0.7, shortcut=igb.Dense(0.8)),
        igb.Dense(1.5),
    ),
    *(igb.mlp(2, name, sigma_b2=0.1) for name in ("step", "sin", "cos", "gaussian", "prelu")),
    igb.Network(igb.Dense(2.0, 0.5), igb.ReGLU(), igb.Dense(2.0, 0.1)),
]
"""Networks of closed forms, whose 50 digits take no time."""
INTEGRALS = [
    igb.mlp(1, "tanh"),
    igb.mlp(3, "tanh", sigma_w2=1.5, sigma_b2=0.1),
    igb.mlp(2, "sigmoid"),
    igb.Network(igb.Dense(2.0, 0.5), igb.SwiGLU(), igb.Dense(2.0, 0.1)),
    igb.mlp(2, "silu", sigma_b2=0.1),
    igb.mlp(1, LEAKY, pool=2),
    igb.mlp(1, "elu"),
    igb.mlp(1, "relu", pool=3),
    igb.mlp(1, "hardtanh", norm="batch", batch_size=6, pool=3),
]
"""Networks of integrals: 25 digits of quadrature, which shares neither nodes nor error bounds."""
RECORDED = [
    (igb.mlp(2, "elu"), "0.3571850097787850537207333", "2.473796851738172705162937"),
    (igb.mlp(2, "hardtanh", sigma_b2=0.2), "0.4052649120301500893546215", "0.983395248881286371813648"),
    (igb.mlp(2, LEAKY), "0.8498582555357915716400144", "1.190341744464208428359986"),
    (igb.mlp(2, "sigmoid", norm="batch", batch_size=8), "0.5", "0.09118613902381681395254168"),
]
"""Networks, var_mu and var_chi as quadrature gives them, `predict(kind=decimals(25))`, in a minute or less."""


def text(value: Any, digits: int) -> str:
    return str(value.context.nstr(value, digits))


def inside(value: Any, ball: arb, digits: int) -> bool:
    """Whether the ball contains the value: it may be narrower than what is known of the value, all but 5 digits."""
    with ctx.workdps(digits + 10):
        known = arb(text(value, digits))
        error = abs(known) * arb(10) ** (5 - digits)
        return bool(ball.contains(known)) or bool(ball.rad() < error and abs(ball.mid() - known) < error)


def holds(found: Certificate, value: Any, name: str, digits: int) -> bool:
    return inside(value, getattr(found, name), digits)


def narrow(found: Certificate, digits: int) -> bool:
    balls = [getattr(found, name) for name in NAMES]
    with ctx.workdps(digits + 10):
        return all(ball.is_exact() or bool(ball.rad() * 10**digits < abs(ball)) for ball in balls)


@pytest.mark.parametrize(
    ("network", "digits"), every_second([(n, 50) for n in CLOSED] + [(n, 20) for n in INTEGRALS]), ids=repr
)
def test_every_ball_is_narrow_and_contains_the_value_of_many_digits(network: igb.Network, digits: int) -> None:
    found, expected = network.certify(15), network.predict(kind=decimals(digits))
    assert narrow(found, 15)
    for name in NAMES:
        assert holds(found, getattr(expected, name), name, digits), name
    assert len(found.per_layer.gamma) == len(expected.per_layer.gamma)
    for i, value in enumerate(expected.per_layer.var_chi):
        assert inside(value, found.per_layer.var_chi[i], digits)


@pytest.mark.parametrize(("network", "var_mu", "var_chi"), RECORDED)
def test_recorded_digits_are_enclosed(network: igb.Network, var_mu: str, var_chi: str) -> None:
    found = network.certify(20)
    assert narrow(found, 20)
    with ctx.workdps(40):
        for ball, value in ((found.var_mu, var_mu), (found.var_chi, var_chi)):
            assert ball.overlaps(arb(value, arb(10) ** -24))


@pytest.mark.parametrize("network", [slow(igb.mlp(1, "tanh")), igb.mlp(1, "silu", sigma_b2=0.1)])
def test_shifted_inputs_are_enclosed(network: igb.Network) -> None:
    inputs = GaussianInputs(shift=0.3, variance=0.5)
    found, expected = network.certify(inputs=inputs), network.predict(inputs, kind=decimals(25))
    assert all(holds(found, getattr(expected, name), name, 25) for name in NAMES)


def test_the_check_of_containment_can_fail() -> None:
    network = igb.mlp(1, "erf", sigma_b2=0.1)
    found, expected = network.certify(15), network.predict(kind=decimals(25))
    assert holds(found, expected.gamma, "gamma", 25)
    assert not holds(found, expected.gamma * (1 + expected.gamma.context.mpf(10) ** -15), "gamma", 25)
    assert not narrow(found, 30)


def test_one_hidden_relu_layer_is_the_closed_form() -> None:
    found = igb.mlp(1).certify(40)
    with ctx.workdps(60):
        assert found.gamma.contains(1 / (arb.pi() - 1))
    assert narrow(found, 40)
    assert "0.46694220692425" in str(found)
    assert "+/-" in str(found)


def test_a_thousand_layers_raise_the_precision_by_themselves() -> None:
    """Balls hardly widen from layer to layer: the first attempt has 83 bits."""
    network = igb.mlp(1000)
    found = network.certify(15)
    assert narrow(found, 15)
    assert 83 < found.bits < 150
    assert holds(found, network.predict(digits=50).gamma, "gamma", 50)


@pytest.mark.parametrize("name", ["tanh", "sigmoid"])
def test_depth_takes_no_more_bits_and_data_may_nearly_agree(name: str) -> None:
    network = igb.mlp(6, name, sigma_w2=1.5, sigma_b2=0.1)
    found, first = network.certify(12), igb.mlp(1, name, sigma_w2=1.5, sigma_b2=0.1).certify(12)
    assert narrow(found, 12)
    assert found.bits == first.bits
    # gamma of sigmoid is 2e7
    assert float(found.gamma) == pytest.approx(network.predict().gamma, rel=1e-12)


def test_with_kinks_data_that_agree_too_nearly_are_refused() -> None:
    inputs = GaussianInputs(shift=1.0, variance=1e-8)
    with pytest.raises(ValueError, match="whose correlation is too near to 1"):
        igb.mlp(1, "hardtanh").certify(inputs=inputs)
    found = igb.mlp(1, "tanh").certify(inputs=inputs)
    assert float(found.gamma) == pytest.approx(igb.mlp(1, "tanh").predict(inputs).gamma, rel=1e-12)


@pytest.mark.parametrize(("name", "mean"), [("tanh", 0), ("softplus", 0.3), ("hardtanh", 0.3), ("x**2/4 - x", 0)])
def test_wide_balls_contain_the_moments_of_their_points_and_little_more(name: str, mean: float) -> None:
    """Slopes are tested: without one, a ball would miss corners; with naive balls, it would be ten times as wide."""
    n, phi = Certified(60), function_of(name)
    with n.precision():
        low, high = (arb(0.4), arb(0.9)), (arb(0.4) * 1.0001, arb(0.9) * 1.0001)
        h = Moments(mean, low[0].union(high[0]), low[1].union(high[1]))
        wide = gaussian.moments(n, phi, h)
        corners = [
            gaussian.moments(n, phi, Moments(mean, arb(x), arb(y)))
            for x in (low[0], high[0])
            for y in (low[1], high[1])
        ]
        for part in ("mean", "var_mu", "var_chi"):
            ball, points = getattr(wide, part), [getattr(x, part) for x in corners]
            reached = max(float(abs(x - y)) for x in points for y in points)
            assert all(ball.contains(x.mid()) for x in points), part
            assert 2 * float(ball.rad()) <= 1.05 * reached + 1e-12, part


def test_what_lies_outside_the_nodes_is_bounded_nearly_tightly() -> None:
    """A function of values -1 and 1 has (phi - phi)^2/2 = 2 at most; one of the two variables is outside."""
    n = Certified(60)
    with n.precision():
        s, r = (smooth.Nodes(arb(0), arb(x), arb(x), 0.0, 0.5, count, 1.0) for x, count in ((1, 4), (0.25, 2)))
        inside = [(nodes.ends / arb(2).sqrt()).erf() for nodes in (s, r)]
        true, bound = 2 * (1 - inside[0] * inside[1]), smooth.beyond(Growth(arb(1), Fraction(0), arb(0)), s, r)
        assert true <= bound
        assert bound <= 1.1 * true


@pytest.mark.parametrize(("step", "count", "height", "most"), [(2.0, 8, np.pi, 1.01), (0.5, 4, 2.0, 10.0)])
def test_aliases_and_ends_of_a_rule_of_fixed_nodes_are_bounded_nearly_tightly(
    step: float, count: int, height: float, most: float
) -> None:
    """The error is 2 exp(-2 pi^2/step^2) if the ends are far away, and otherwise that of the rule near them."""
    n = Certified(60)
    with n.precision():
        nodes = smooth.Nodes(arb(0), arb(1), arb(1), 0.0, step, count, height)
        weights = nodes.weights(n, mirrored=False)
        total = sum((weights[0, j] for j in range(2 * count + 1)), start=arb(0))
        missed = abs(total - (nodes.ends / arb(2).sqrt()).erf())
        assert missed <= nodes.error(n)
        assert nodes.error(n) <= most * missed


def test_the_largest_of_three_relu_units_twice() -> None:
    found = igb.mlp(2, "relu", pool=3).certify(15)
    assert narrow(found, 15)
    assert float(found.gamma) == pytest.approx(igb.mlp(2, "relu", pool=3).predict().gamma, rel=1e-13)


def test_more_digits_give_balls_inside_the_wider_ones() -> None:
    network = igb.mlp(2, "hardtanh", sigma_b2=0.2)
    wide, close = network.certify(10), network.certify(30)
    assert narrow(close, 30)
    assert all(getattr(wide, name).contains(getattr(close, name)) for name in NAMES)


def test_a_parameter_means_the_decimal_that_it_prints() -> None:
    found = igb.Network(igb.Dense(0.1)).certify(30)
    with ctx.workdps(60):
        assert found.var_chi.contains(arb(1) / 10)
        assert not found.var_chi.contains(arb(0.1))


def test_what_is_zero_is_exactly_zero_and_inputs_that_do_not_vary_give_infinity() -> None:
    assert igb.mlp(3, "tanh").certify().gamma.is_zero()
    found = igb.mlp(2, "relu", sigma_b2=0.1).certify(inputs=GaussianInputs(1.0, 0.0))
    assert found.var_chi.is_zero()
    assert not found.gamma.is_finite()


REFUSED = [
    (igb.mlp(1, "exp(x**2/10)"), r"the term exp\(0\.1\*x\*\*2\)"),
    (igb.mlp(1, "sqrt(abs(x)) + x"), "analytic between its kinks"),
    (igb.mlp(1, "gelu", pool=2), "tree proves that it increases"),
    (igb.Network(igb.Dense(), igb.GroupNorm(4), igb.Activation("relu"), igb.Dense()), "GroupNorm"),
    (
        igb.Network(
            *(igb.Dense(), igb.BatchNorm(2)), *(igb.Dense(), igb.Activation("abs"), igb.BatchNorm(2), igb.Dense())
        ),
        "has none behind",
    ),
    (igb.Network(igb.Dense(), igb.BatchNorm(8, eps=0.1), igb.Activation("relu"), igb.Dense()), "eps=0"),
    (igb.Network(igb.Dense(), igb.BatchNorm(8, law="proxy"), igb.Activation("relu"), igb.Dense()), 'law="exact"'),
    (igb.mlp(1, sigma_w2=0.0), "outputs tie"),
]


@pytest.mark.parametrize(("network", "sentence"), REFUSED)
def test_what_cannot_be_proven_is_refused(network: igb.Network, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        network.certify()


class Halved(Layer):
    """A layer as a user writes it, whose law is the mean over 1,000 draws: an estimate that gives no error."""

    def rule(self, node: Any) -> Any:
        x = node.averaged()
        half = float(np.mean(np.random.default_rng(0).choice([0.0, 1.0], 1000)))
        return LawNode(node.n, Gaussian(Moments(0, half * x.var_mu, half * x.var_chi)))

    def samples(self, x: Any, rng: Any, width: int) -> Any:
        return x * rng.choice([0.0, 1.0], x.shape)

    def latex(self) -> str:
        return "h"


@pytest.mark.parametrize("place", [lambda layer: layer, lambda layer: igb.Residual(layer, igb.Dense())])
def test_layers_from_outside_are_not_certified(place: Any) -> None:
    network = igb.Network(igb.Dense(), place(Halved()), igb.Activation("relu"), igb.Dense())
    with pytest.raises(ValueError, match=r"layers of igbtheory to certify, got .*Halved.* use predict\(\)"):
        network.certify()


@pytest.mark.parametrize("verb", ["certify", "derive"])
def test_estimates_are_neither_certified_nor_derived(verb: str) -> None:
    """An activation of an average of activations has no rule: it is drawn."""
    network = igb.Network(igb.Dense(), igb.Activation("relu"), igb.AvgPool(2), igb.Activation("tanh"), igb.Dense())
    with pytest.raises(ValueError, match=r"got Activation\('tanh'\), which has none behind"):
        getattr(network, verb)()


def test_sweeps_and_data_sets_are_refused() -> None:
    with pytest.raises(ValueError, match="sweep"):
        igb.mlp(1, sigma_w2=[1.0, 2.0]).certify()
    with pytest.raises(TypeError, match="expected GaussianInputs"):
        igb.mlp(1).certify(inputs=[[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(ValueError, match="digits"):
        igb.mlp(1).certify(1)


GROWTHS = [  # with the mean, the scale, where the tails begin, and how much larger than the truth the bound may be
    (Growth(arb(3), Fraction(0), arb(0)), 0.0, 1.0, 4.0, 1.001),
    (Growth(arb(1), Fraction(0), arb(1.5)), 0.0, 1.0, 4.0, 1.001),
    (Growth(arb(1), Fraction(0), arb(1.5)), 0.0, 0.5, 4.0, 1.001),
    (Growth(arb(1), Fraction(0), arb(1)), 0.7, 1.0, 4.0, 2.0),  # as if the mean were on both sides
    (Growth(arb(1), Fraction(1, 2), arb(0)), 0.0, 1.0, 0.0, 1.6),
    (Growth(arb(1), Fraction(1), arb(0)), 0.0, 4.0, 0.0, 10.0),
]


@pytest.mark.parametrize(("of", "mean", "scale", "reach", "most"), GROWTHS)
def test_the_mean_square_in_the_tails_is_bounded_nearly_tightly(
    of: Growth, mean: float, scale: float, reach: float, most: float
) -> None:
    def square(z: float) -> float:
        x = abs(mean + scale * z)
        value = float(of.size) * (1 + x) ** float(of.power) * np.exp(float(of.rate) * x)
        return float(value**2 * np.exp(-z * z / 2) / np.sqrt(2 * np.pi))

    true = sum(integrate.quad(square, low, high, epsrel=1e-10)[0] for low, high in ((-40, -reach), (reach, 40)))
    bound = float(of.beyond(arb(mean), arb(scale), arb(reach)))
    assert true <= bound * (1 + 1e-9)
    assert bound <= most * true


@pytest.mark.parametrize("order", [1, 2, 5, 8])
def test_the_remainder_of_a_rule_is_bounded_nearly_tightly(order: int) -> None:
    """The first polynomial that N nodes miss, T_2N: on the ellipse it is at most (rho^2N + rho^-2N)/2."""
    with ctx.workprec(200):
        middle, half, rho = arb(2), arb(0.3), arb(16)
        panel = Panel(middle, half, order, rho, arb(0), arb(1))
        rule = sum((w * ((x - middle) / half).chebyshev_t(2 * order) for x, w in panel.nodes()), start=arb(0))
        missed = abs(rule - half * 2 / (1 - 4 * arb(order) ** 2))
        bound = panel.remainder((rho ** (2 * order) + rho ** (-2 * order)) / 2)
        assert missed <= bound
        assert bound <= 2.5 * missed


def test_the_aliases_of_the_trapezoidal_rule_are_bounded_nearly_tightly() -> None:
    """Of E m(u)^2, m(u) = E_z cos(a h) = cos(a sqrt(var_mu) u) exp(-a^2 var_chi/2), a the wave of the largest error."""
    n, h = Certified(30), Moments(0, arb(1) / 3, arb(2))
    step, count, error = gaussian.trapezoid(n, h, arb(0.5), arb(1))  # E cos(a h)^2 = 1/2 for a fine wave
    with ctx.workprec(200):
        a = arb.pi() * h.var_mu.sqrt() / (step * (h.var_chi / 2 + h.var_mu))
        decay = (-a * a * h.var_chi).exp() / 2  # of m^2 = decay (1 + cos(2 a sqrt(var_mu) u))
        places = [step * j for j in range(-count, count + 1)]
        values = [n.npdf(u) * (1 + (2 * a * h.var_mu.sqrt() * u).cos()) for u in places]
        missed = abs(step * sum(values, start=arb(0)) - 1 - (-2 * a * a * h.var_mu).exp()) * decay
        assert missed <= error
        assert error <= 4 * missed


@pytest.mark.parametrize("name", ["linear", "sign", "step"])
@pytest.mark.parametrize(("var_mu", "var_chi"), [(0.7, 1.1), (0.0, 1.8), (1.8, 0.0)])
@pytest.mark.parametrize("of_maximum", [False, True])
def test_what_is_cut_off_is_enclosed(
    name: str, var_mu: float, var_chi: float, monkeypatch: pytest.MonkeyPatch, *, of_maximum: bool
) -> None:
    """With an interval of one standard deviation the balls are wide, and still contain mean and variances."""
    monkeypatch.setattr(Growth, "reach", lambda *_: 1.0)
    n, phi = Certified(60), function_of(name)
    with n.precision():
        h = Moments(0, arb(var_mu), arb(var_chi))
        found = maxima.moments(n, phi, 1, h) if of_maximum else gaussian.moments(n, phi, h)
        angle = (h.var_mu / h.variance).asin() / n.pi
    mean, q, shared = {  # by Sheppard's formula
        "linear": (0.0, 1.8, var_mu),
        "sign": (0.0, 1.0, 2 * float(angle)),
        "step": (0.5, 0.5, float(angle) / 2),
    }[name]
    for ball, value in ((found.mean, mean), (found.var_mu, shared), (found.var_chi, q - mean**2 - shared)):
        assert ball.overlaps(arb(value, 1e-12))
    assert name == "linear" or abs(found.mean - mean) < 3  # 2.3 for the maximum of signs


def test_the_bound_of_a_density_is_its_value_on_the_imaginary_axis() -> None:
    n, height, scale = Certified(30), arb(3), arb(2)
    with n.precision():
        value = n.npdf(acb(0, height / scale)).real / scale
        assert gaussian.normal_bound(n, height, scale).overlaps(value)


@pytest.mark.parametrize("rho", [1.2, 2.0, 16.0])
def test_the_remainder_of_a_rule_is_not_below_that_of_the_theorem(rho: float) -> None:
    """Trefethen, Approximation theory and approximation practice, Theorem 19.3: 64/15 M rho^-2N/(1 - rho^-2)."""
    found = Panel(arb(0), arb(1), 3, arb(rho), arb(0), arb(1)).remainder(arb(1))
    assert 1 <= float(found) / (64 / 15 * rho**-6 / (1 - rho**-2)) < 2.5


def test_a_batch_of_two_takes_the_values_at_both_ends() -> None:
    net = igb.Network(igb.Dense(), igb.BatchNorm(2), igb.Activation("gelu"), igb.Dense())
    assert net.certify(12).var_chi.overlaps(arb(float(net.predict().var_chi), 1e-13))


RELU, BATCH = igb.Activation("relu"), igb.BatchNorm(8)


@pytest.mark.parametrize(
    "network",
    [
        igb.Network(igb.Dense(2.0, 0.2), RELU, BATCH, igb.Dense(2.0, 0.3)),
        igb.Network(igb.Dense(2.0, 0.2), igb.MaxPool(2), igb.Activation("relu(x - 1/2)"), BATCH, igb.Dense(2.0, 0.3)),
        igb.mlp(2, "relu", norm="batch", placement="after", batch_size=8),
        igb.mlp(2, "relu", norm="batch", placement="after", batch_size=3, sigma_b2=0.1),
        igb.Network(igb.Dense(), igb.BatchNorm(4), RELU, igb.Dense(), RELU, igb.BatchNorm(4), igb.Dense()),
    ],
)
def test_batches_on_which_an_activation_is_constant_are_enclosed(network: igb.Network) -> None:
    """BatchNorm makes 0 of them. Predictions know how often there is one to 1e-13, by sums on bent contours."""
    assert network.certify(12).var_chi.overlaps(arb(float(network.predict().var_chi), 1e-12))


def test_bounds_of_how_often_a_batch_is_below_a_number_are_nearly_tight() -> None:
    with ctx.workprec(80):
        values = [
            abs(Certified(80).ncdf(acb(x / 4, y / 4))) * float(np.exp(-(y**2) / 32)) for x, y in np.ndindex(16, 16)
        ]
        assert 0.95 < max(map(float, values)) / float(batches.GROWTH) <= 1
        for spare in (arb("1e-4"), arb("1e-2")):  # two data: 1/4 + asin(rho)/(2 pi)
            below = arb(1) / 4 + (spare - 1).asin() / (2 * arb.pi())
            wide = batches.below(Certified(80), 2, arb(0), arb(1), spare - 1 + arb(0, 2 * float(spare)))
            assert wide.contains(below)
            assert float(wide.upper()) < 3 * float(below)
            assert batches.below(Certified(80), 2, arb(0), arb(1), spare - 1).contains(below)


def test_the_growth_of_a_power_is_the_power_of_the_growth() -> None:
    growing, cube = Growth(arb(2), Fraction(1), arb(0.5)), Fraction(3)
    assert float(growing.to(cube).at(arb(4))) == pytest.approx(float(growing.at(arb(4))) ** 3, rel=1e-12)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *((name, getattr(acb, name)) for name in ("sqrt", "log", "asin", "acos", "atan", "asinh", "acosh", "atanh")),
        ("log1p", lambda z: (1 + z).log()),
        ("sigmoid", lambda z: ((z / 2).tanh() + 1) / 2),
        ("softplus", lambda z: (2 * (z / 2).cosh()).log() + z / 2),
    ],
)
def test_functions_of_boxes_are_those_of_the_library(name: str, expected: Callable[[Any], Any]) -> None:
    for point in (acb(0.3, 0.4), acb(1.5, -0.2)):
        assert abs(getattr(boxes.Boxes(), name)(point) - expected(point)) < 1e-12
    # the branches of log and acosh end at 0 and at 1
    end = {"log": 0, "sqrt": 0, "acosh": 1}.get(name)
    assert end is None or not getattr(boxes.Boxes(), name)(acb(arb(end - 1, 0.1), arb(0, 0.1))).is_finite()


def test_a_power_of_zero_is_zero() -> None:
    assert boxes.analytic(Power(Number(Fraction(0)), Number(Fraction(1, 2)))) == ZERO


@pytest.mark.parametrize("name", [*FUNCTIONS, "sqrt(1 + x**4)"])
def test_the_growth_of_a_formula_bounds_it(name: str) -> None:
    phi = function_of(name)
    found = growth(phi)
    for x in (-30.0, -3.0, -0.1, 0.0, 0.4, 2.0, 50.0):
        assert abs(float(phi(FLOAT64, x))) <= float(found.at(arb(abs(x))))


def test_only_increasing_functions_are_proven_to_increase() -> None:
    rising = {name for name in FUNCTIONS if increases(function_of(name))}
    assert {"relu", "tanh", "sigmoid", "hardtanh", "elu", "step", "softplus", "erf"} <= rising
    assert not rising & {"gelu", "silu", "mish", "abs", "sin", "cos", "gaussian", "hardswish"}
    # the slope 1 + a cos(x) is bounded on both sides
    assert increases(function_of("x + sin(x)/2"))
    assert not increases(function_of("x + 2*sin(x)"))


def test_the_command_prints_the_balls(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["certify", "--depth", "1", "--digits", "20"]) == 0
    assert "gamma   [0.46694220692425985998" in capsys.readouterr().out
    assert main(["certify", "--depth", "2", "--activation", "tanh", "--sigma-b2", "0.1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["gamma"].startswith("[0.26446206319989897 +/- ")
    assert len(found["per_layer"]["gamma"]) == 3
    assert main(["certify", "--activation", "exp(x**2/10)"]) == 2
