"""Averages of functions that have rules of their own: waves, broken lines, powers, formulas with kinks without end."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy as sp
from repeated import slow

import igbtheory as igb
from igbtheory.layers.nodes.gaussian import GaussianPairs
from igbtheory.mathematics.averages import any_formula, broken_lines, quadrature, stairs, waves
from igbtheory.mathematics.averages.errors import Errors
from igbtheory.mathematics.averages.state import Pairs
from igbtheory.mathematics.formulas import FUNCTIONS, ClosedForm, function_of
from igbtheory.mathematics.formulas.catalogue.powers import Powers
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.formulas.reader import read
from igbtheory.mathematics.formulas.shift import shifted
from igbtheory.mathematics.formulas.tree import Tree, X, add, choice, mul, number
from igbtheory.mathematics.numbers import FLOAT64, Multiprecision

# sums of x^k exp(a x) with complex a, against Gauss-Hermite sums of the same averages and against many digits

WAVES: dict[str, Callable[[Any], Any]] = {
    "x**2*cos(3*x) - x": lambda x: x**2 * np.cos(3 * x) - x,
    "exp(x/2)*sin(2*x + 1) + x**3": lambda x: np.exp(x / 2) * np.sin(2 * x + 1) + x**3,
    "expm1(x/4)*cos(x)**2": lambda x: np.expm1(x / 4) * np.cos(x) ** 2,
}


@pytest.mark.parametrize("point", [(0.0, 0.5, 0.5), (0.3, 0.2, 1e-4), (0.0, 1e-5, 1.0)])
@pytest.mark.parametrize("name", WAVES)
def test_waves_against_sums(name: str, point: tuple[float, float, float]) -> None:
    phi = function_of(name)
    known = waves.terms(FLOAT64, phi)
    assert known is not None
    mean, var_mu, var_chi, error = waves.moments(FLOAT64, known, phi.parity, *map(np.float64, point))
    z, weights = np.polynomial.hermite_e.hermegauss(120)
    weights /= weights.sum()
    values = WAVES[name](point[0] + np.sqrt(point[1]) * z[:, None] + np.sqrt(point[2]) * z)
    given = values @ weights
    product, own = weights @ given**2, weights @ ((values - given[:, None]) ** 2 @ weights)
    assert error < 1e-12
    assert mean**2 + var_mu == pytest.approx(product, rel=1e-11)
    assert var_chi == pytest.approx(own, rel=1e-11)


@pytest.mark.parametrize(("name", "depth", "sigma_w2"), [("x + sin(5*x)**2/5", 3, 2.0), ("sin(50*x)", 2, 1.0)])
@pytest.mark.slow
def test_fine_waves_are_not_refused(name: str, depth: int, sigma_w2: float) -> None:
    net = igb.mlp(depth, name, sigma_w2=sigma_w2)
    found, exact = net.predict(), net.predict(digits=25)
    assert abs(found.var_chi / float(exact.var_chi) - 1) <= found.error < 1e-11
    assert abs(found.gamma - float(exact.gamma)) <= 2 * found.error * found.gamma


@pytest.mark.parametrize("name", ["sin(50*x)", "exp(1.1*x) - exp(-1.3*x)"])
def test_the_stated_error_is_that_of_the_terms_which_count(name: str) -> None:
    """Of a wave, they are near 1; of growing exponentials, they have exponents of 40, which round more."""
    phi, n = function_of(name), Multiprecision(40)
    quick, slow = waves.terms(FLOAT64, phi), waves.terms(n, phi)
    assert quick is not None
    assert slow is not None
    for point in [(0.0, 30.0, 0.001), (0.0, 25.0, 0.01)]:
        found = waves.moments(FLOAT64, quick, phi.parity, *map(np.float64, point))
        exact = waves.moments(n, slow, phi.parity, *map(n.number, point))
        assert all(abs(one / other - 1) <= found[3] for one, other in zip(found[1:3], exact[1:3], strict=True))
        assert found[3] < (1e-14 if phi.parity else 2e-13)


@pytest.mark.parametrize("name", WAVES)
def test_waves_of_unequal_variances(name: str) -> None:
    phi, q_a, q_b, q_ab, mean = function_of(name), 0.7, 1.3, -0.4, 0.2
    known = waves.terms(FLOAT64, phi)
    assert known is not None
    found, error = waves.pairs(FLOAT64, known, (np.float64(q_a), np.float64(q_b), np.float64(q_ab)), np.float64(mean))
    z, weights = np.polynomial.hermite_e.hermegauss(120)
    weights /= weights.sum()
    along, across = q_ab / np.sqrt(q_a), np.sqrt(q_b - q_ab**2 / q_a)
    given = WAVES[name](mean + along * z[:, None] + across * z) @ weights
    assert found == pytest.approx(weights @ (WAVES[name](mean + np.sqrt(q_a) * z) * given), rel=1e-11)
    assert error < 1e-12
    scaled = {key: 1000 * factor for key, factor in known.items()}
    of_scaled = waves.pairs(FLOAT64, scaled, (np.float64(q_a), np.float64(q_b), np.float64(q_ab)), np.float64(mean))
    assert of_scaled[1] == pytest.approx(error, rel=1e-6)  # it is relative


# piecewise linear functions of many kinks: against panels, and in more digits

ODD = "min(max(x, -1), 1) - 2*min(max(x, -1/7), 1/7) + x/3"
"""Odd lines whose means at variances of order 1 would have rounding errors."""


def zigzag(kinks: list[Fraction]) -> Tree:
    """Slopes 1, -1/2, 1, ... between the kinks, as a sum of absolute values."""
    rise = number(Fraction(3, 4))
    steps = (mul(rise if i % 2 else -rise, choice(t, t, -t)) for i, t in enumerate(add(X, number(-k)) for k in kinks))
    return add(mul(number(Fraction(1, 4)), X), *steps)


def flowing(found: Sequence[Any]) -> tuple[Any, Any]:
    """Mean^2 + var_mu and var_chi, of which errors are stated."""
    return found[0] ** 2 + found[1], found[2]


@pytest.mark.parametrize("point", [(0.0, 0.9, 0.4), (0.3, 1.1, 1e-9), (-0.2, 1e-7, 0.8)])
def test_few_kinks_are_what_panels_find(point: tuple[float, float, float]) -> None:
    phi = Function("zigzag", zigzag([Fraction(k, 3) for k in (-4, -1, 0, 1, 5)]))
    lines = broken_lines.lines(FLOAT64, phi)
    assert lines is not None
    found = broken_lines.moments(lines, *map(np.float64, point))
    panels = quadrature.moments(FLOAT64, phi, *map(np.float64, point))
    for one, other in zip(flowing(found), flowing(panels), strict=True):
        assert abs(one - other) <= (found[3] + panels[3]) * abs(other)
    assert found[3] < 1e-12


STEPS = ("floor(x)", "round(x)", "x - floor(x)", "2*x + floor(3*x + 1/2)/3 - 1", "x/2 - ceil(x)/2")


@pytest.mark.parametrize(
    "point",
    [(0.0, 0.01, 0.003), slow(((0.3, 0.9, 0.4),)), (-0.2, 1e-7, 0.8), slow(((0.1, 2.0, 0.2),)), (0.0, 9.0, 0.02)],
)
@pytest.mark.parametrize("formula", STEPS)
def test_steps_are_what_a_series_finds(formula: str, point: tuple[float, float, float]) -> None:
    """With few steps within reach, and with so many that the fraction of a unit is uniform."""
    phi = Function(formula, read(formula))
    stepped = stairs.stairs(FLOAT64, phi)
    assert stepped is not None
    found, series = stepped.moments(*map(np.float64, point)), any_formula.moments(phi, *point)
    for one, other in zip(flowing(found), flowing(series), strict=True):
        assert abs(one - other) <= (found[3] + series[3]) * abs(other)
    assert found[3] < 1e-12
    scales = np.sqrt([0.9 * (point[1] + point[2]), point[1] + point[2]])
    average, variance, lost = stepped.of_one_variance(np.float64(point[0]), scales)
    whole = stepped.moments(np.float64(point[0]), np.float64(0), scales[1] ** 2)
    assert average[1] == pytest.approx(whole[0], rel=1e-13, abs=1e-15)
    assert abs(variance[1] / whole[2] - 1) <= lost[1] + whole[3]


def test_nearly_equal_data_keep_the_digits_of_their_steps() -> None:
    """Thirty digits, and the mean of (h_a - h_b)^2/2 of nearly equal data: a step lies between few of them."""
    phi, n = Function("floor", read("floor(x)")), Multiprecision(30)
    quick, slow = stairs.stairs(FLOAT64, phi), stairs.stairs(n, phi)
    assert quick is not None
    assert slow is not None
    for point in ((0.25, 8.0, 2.0**-20), (0.25, 8.0, 0.25)):
        found, exact = quick.moments(*map(np.float64, point)), slow.moments(*n.number(np.array(point)))
        for one, other in zip(found[:3], exact[:3], strict=True):
            assert one == pytest.approx(float(other), rel=1e-13)
        assert float(exact[3]) < 1e-29
    assert quick.moments(*np.array([0.0, 9.0, 1e-24]))[2] == pytest.approx(1e-12 / np.sqrt(np.pi), rel=1e-11)


@pytest.mark.slow
def test_many_kinks_state_their_error() -> None:
    """Multiprecision sees what double precision loses where the slopes cancel."""
    phi, n = Function("zigzag", zigzag([Fraction(k * k, 500) - 2 for k in range(1, 40, 9)])), Multiprecision(12)
    quick, slow = broken_lines.lines(FLOAT64, phi), broken_lines.lines(n, phi)
    assert quick is not None
    assert slow is not None
    point = np.array([0.0, 1.5, 1e-5])
    found, exact = broken_lines.moments(quick, *point), broken_lines.moments(slow, *n.number(point))
    for one, other in zip(flowing(found), flowing(exact), strict=True):
        assert abs(one - other) <= found[3] * abs(other)
    assert float(exact[3]) < 1e-15


def test_a_hundred_knots() -> None:
    phi = Function("zigzag", zigzag([Fraction(k, 40) - Fraction(5, 2) for k in range(100)]))
    found = igb.mlp(1, phi).predict()
    assert found.error < 1e-10
    assert len(phi.pieces.kinks) == 100


@pytest.mark.parametrize("mean", [0.0, -0.4])
@pytest.mark.parametrize("formula", [zigzag([Fraction(k, 3) for k in (-4, -1, 0, 1, 5)]), read(ODD)])
def test_many_variances_at_once_are_what_one_is(formula: Tree, mean: float) -> None:
    phi = Function("lines", formula)
    lines = broken_lines.lines(FLOAT64, phi)
    assert lines is not None
    scales = np.array([0.01, 0.3, 1.0, 20.0])
    average, variance, lost = lines.of_one_variance(mean, scales)
    for i, scale in enumerate(scales):
        other = broken_lines.moments(lines, np.float64(mean), np.float64(0), scale**2)
        assert phi.parity >= 0 or mean or average[i] == 0  # exactly
        assert average[i] == pytest.approx(other[0], rel=1e-12, abs=1e-15)
        assert abs(variance[i] / other[2] - 1) <= lost[i] + other[3]
    assert lost[1:].max() < 1e-11  # the slopes cancel where the variance is small


# powers of either sign against integrals over the angle of a pair, whose length has the moment 2^p Gamma(p + 1)

HALVES, LOPSIDED = "max(x, 0)**1.5", "where(x > 0, pi*x**2.2, -2*(-x)**2.2)"
POWERS = {
    HALVES: (Fraction(3, 2), 0, 1),
    "abs(x)**0.1": (Fraction(1, 10), 1, 1),
    LOPSIDED: (Fraction(11, 5), -2, mpmath.pi),
}
"""Power, and the factors on the left and on the right."""
MANY = Multiprecision(14)


def _over_angles(name: str, theta: Any, of_pair: Any) -> Any:
    """Mean of of_pair(phi(u), phi(v)), of degree 2p, of standard normal u and v with the angle theta between them."""
    p, left, right = POWERS[name]
    power = mpmath.mpf(p.numerator) / p.denominator

    def phi(x: Any) -> Any:
        return right * x**power if x > 0 else left * (-x) ** power

    def integrand(b: Any) -> Any:
        return of_pair(phi(mpmath.cos(b + theta / 2)), phi(mpmath.cos(b - theta / 2)))

    kinks = [side * mpmath.pi / 2 + sign * theta / 2 for side in (-1, 1) for sign in (-1, 1)]
    whole = mpmath.quad(integrand, [*kinks, kinks[0] + 2 * mpmath.pi])
    return 2**power * mpmath.gamma(power + 1) * whole / (2 * mpmath.pi)


@pytest.mark.parametrize(
    ("name", "c"),
    [
        (HALVES, "0.3"),
        slow((HALVES, "0.9999999")),
        slow(("abs(x)**0.1", "0.97")),
        (LOPSIDED, "-0.8"),
        (LOPSIDED, "0.9999999"),
    ],
)
def test_moments_of_powers(name: str, c: str) -> None:
    closed = function_of(name).closed
    assert isinstance(closed, Powers)
    with mpmath.workdps(20):
        exact = mpmath.mpf(c)
        theta = 2 * mpmath.asin(mpmath.sqrt((1 - exact) / 2))
        product = _over_angles(name, theta, lambda a, b: a * b)
        spread = _over_angles(name, theta, lambda a, b: (a - b) ** 2 / 2)
        for n, lost in ((FLOAT64, closed.roundings * FLOAT64.epsilon), (MANY, 1e-15)):
            one, q_ab = n.number(1), n.number(c)
            found = closed.covariance(n, one, one, q_ab) + closed.mean(n, one) ** 2
            assert abs(found / product - 1) <= lost
            # of 1 - c, what 1 + c has left of it in double precision
            assert exact < 0 or abs(closed.spread(n, q_ab, n.number(str(1 - exact))) / spread - 1) <= lost
            step = n.number("1e-11")
            if n is MANY:  # by differences in 29 digits
                rise = closed.covariance(n, one, one, q_ab + step) - closed.covariance(n, one, one, q_ab - step)
                assert abs(rise / (2 * step) / closed.slope(n, one, one, q_ab) - 1) < 1e-12


def test_closed_forms_of_their_own_agree_with_the_general_ones() -> None:
    q_a, q_b, c = np.array([1e-3, 0.7, 30.0])[:, None], np.array([0.2, 1.0, 50.0])[:, None], np.linspace(-1, 1, 5)
    pair = q_a, q_b, c * np.sqrt(q_a * q_b)
    for name in ("relu", "prelu"):
        closed: Any = FUNCTIONS[name].closed
        expected = ClosedForm.product(closed, FLOAT64, *pair)
        # opposite data of ReLU cancel to zero
        assert closed.product(FLOAT64, *pair) == pytest.approx(expected, rel=1e-14, abs=1e-15)
        assert closed.square(FLOAT64, q_a) == pytest.approx(ClosedForm.square(closed, FLOAT64, q_a), rel=1e-14)
        product, slope = closed.product_and_slope(FLOAT64, *pair)
        assert product == pytest.approx(expected, rel=1e-14, abs=1e-15)
        assert np.array_equal(slope, closed.slope(FLOAT64, *pair))
    for name in ("erf", "gelu"):
        closed = FUNCTIONS[name].closed
        square = ClosedForm.product(closed, FLOAT64, q_a, q_a, q_a)
        power, by_differences = closed.power(FLOAT64, q_a, square), ClosedForm.power(closed, FLOAT64, q_a, square)
        assert (by_differences <= power + 1e-3).all()  # the step of the difference
        assert name == "erf" or power == pytest.approx(by_differences, abs=1e-3)


def test_a_shift_keeps_the_variances() -> None:
    """At nearly equal data, too, where the covariance of gelu loses the digits of var_chi."""
    closed: Any = FUNCTIONS["gelu"].closed
    less: Any = shifted(FUNCTIONS["gelu"], 0.3).closed
    assert less.variances(FLOAT64, 2.0, 1e-12) == closed.variances(FLOAT64, 2.0, 1e-12)
    # without a closed form: sin(exp(x)) - 1/4 has the moments of sin(exp(x)), and those of its own formula
    both = shifted(function_of("sin(exp(x))"), 0.25), function_of("sin(exp(x)) - 0.25")
    of_shift, of_text = (any_formula.moments(phi, 0.0, 0.0, 1.5) for phi in both)
    assert of_shift == pytest.approx(of_text, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(("name", "p"), [("relu", 1), ("abs", 1), ("squared_relu", 2)])
def test_powers_that_have_other_closed_forms(name: str, p: int) -> None:
    phi = FUNCTIONS[name]
    closed, known = Powers(phi.pieces, Fraction(p)), phi.closed
    assert known is not None
    q_a, q_b, c = np.array([0.3, 1.0, 7.0]), np.array([2.0, 1.0, 0.5]), np.array([-1.0, 0.1, 0.9])
    pair = q_a, q_b, c * np.sqrt(q_a * q_b)
    small = np.array([1e-30, 1e-8, 1.0])
    for found, expected in (
        (closed.covariance(FLOAT64, *pair), known.covariance(FLOAT64, *pair)),
        (closed.slope(FLOAT64, *pair), known.slope(FLOAT64, *pair)),
        (closed.spread(FLOAT64, 2.0, small), known.spread(FLOAT64, 2.0, small)),
    ):
        assert found == pytest.approx(expected, rel=1e-14, abs=1e-16)


@pytest.mark.parametrize("name", ["squared_relu", "x**3"])
def test_a_power_multiplies_the_error_of_given_data(name: str) -> None:
    """A kernel that is off by its error moves that of the power by up to p times as much; errors stay near it."""
    kernel, phi, error = np.array([[1.0, 0.97], [0.97, 1.0]]), function_of(name), 1e-7

    def behind(change: Any, of_scale: float | None = None) -> Pairs:
        off = kernel * (1 + change)
        q = np.diagonal(off)
        pairs = Pairs(q[:, None], q[None, :], off, np.eye(2, dtype=bool), Errors(error, of_scale))
        return GaussianPairs(pairs).average(FLOAT64, phi, 1)

    exact, of_angles = behind(0.0), behind(0.0, of_scale=0.0)
    for stated, change in ((exact, error), (of_angles, error * (1 - np.eye(2)))):
        moved = np.max(np.abs(behind(change).q_ab - exact.q_ab) / exact.q_a)
        assert moved < stated.error * (1 + 1e-6) < 1.1 * moved


def test_networks_of_powers() -> None:
    found, formula = igb.mlp(1, "abs(x)**0.7").predict(), igb.mlp(1, "abs(x)**0.7").derive().gamma
    assert float(sp.N(formula)) == pytest.approx(found.gamma, rel=1e-13)
    deep = igb.mlp(30, HALVES, norm="layer")
    found, ball = deep.predict(), deep.certify(15).gamma
    # a norm forgets the errors of the scale, which every layer multiplies by 3/2
    assert abs(float(ball.mid()) / found.gamma - 1) <= 2 * found.error < 1e-12


# formulas that panels do not resolve


def test_a_variance_has_the_same_error_wherever_it_comes_from() -> None:
    phi = function_of("sign(sin(x))")
    of_weights, of_data = (any_formula.moments(phi, 0.0, *variances) for variances in ((3.0, 0.0), (0.0, 3.0)))
    assert of_weights[1] == of_data[2] > 0
    assert of_weights[3] == pytest.approx(of_data[3], rel=1e-9)
    assert of_data[3] > 0


def test_a_series_reaches_the_goal_where_panels_miss_it() -> None:
    phi, point = function_of("sqrt(abs(x - 1))"), (0.0, 0.3, 2.0)
    panels = quadrature.moments(FLOAT64, phi, *point)[3]
    found = igb.Network(igb.Dense(2.0, 0.3), igb.Activation("sqrt(abs(x - 1))"), igb.Dense(1.0)).predict()
    assert found.error < 1e-12 < panels


def test_what_both_series_of_a_pair_lack_is_the_error_of_the_product() -> None:
    """A series of 4096 terms lacks 3e-6 of the mean square, and that power of .999 is .017: both are multiplied."""
    q = np.array([2.0])
    _, error = any_formula.product(function_of("abs(sin(x))"), (q, q, 0.999 * q), 0.0)
    assert 1e-8 < error < 1e-7
