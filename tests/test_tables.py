"""Tables that stand for quadrature: moments of an octave of q, mean slopes on circles, kernels of data sets."""

# which of several types a result has is known here
# mypy: disable-error-code="index"

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from repeated import every_second, slow
from second_moments import second_moment

import igbtheory as igb
from igbtheory.mathematics.averages import kinked_kernel, maximum, moment_tables, quadrature, smooth
from igbtheory.mathematics.averages import mean_slopes as rule
from igbtheory.mathematics.averages.gaussian import moments
from igbtheory.mathematics.averages.kernel_tables import angle, interpolant, kernel
from igbtheory.mathematics.averages.state import Moments
from igbtheory.mathematics.formulas import FUNCTIONS, function_of
from igbtheory.mathematics.numbers import FLOAT64

# the moments of an octave of q

variances = st.floats(-9.9, 9.9).map(lambda exponent: 2.0**exponent)
ratios = st.floats(-9, 9).map(lambda exponent: 10.0**exponent)


def has_table(name: str) -> bool:
    return filled(name, 1.0, 3 / 7)[1]


FORMULAS = [
    "x*exp(-abs(x))",
    "max(0, x)/(1 + max(0, x))",
    "log(1 + abs(x))",
    "max(0, x - 1)/(1 + abs(x))",
    "max(x, tanh(x))",
]
"""Formulas whose slopes no closed form smoothes."""


def filled(name: str, q: float, ratio: float, m: int = 1) -> tuple[np.ndarray, bool]:
    """Mean, var_mu, var_chi and error by a table, and whether it knows them."""
    found = np.ones((4, 1))
    point = np.array([[0.0], [q * ratio / (1 + ratio)], [q / (1 + ratio)]])
    moment_tables.fill(function_of(name), m, point, found)
    return found[:, 0], bool(found[3, 0] <= moment_tables.GOAL)


KINKED = [name for name in FUNCTIONS if function_of(name).pieces.kinks]


@pytest.mark.parametrize("name", ["relu", "abs", slow("leaky_relu")])
@given(q=variances, ratio=ratios)
@settings(max_examples=8)
def test_tables_err_by_no_more_than_they_say(name: str, q: float, ratio: float) -> None:
    found, known = filled(name, q, ratio)
    exact = moments(FLOAT64, function_of(name), 1, Moments(0, q * ratio / (1 + ratio), q / (1 + ratio)))
    if name != "abs":  # phi' of an even phi jumps by so much that no table is exact at c = 0
        assert known
    if known:
        shared, error = exact.mean**2 + exact.var_mu, found[3] + exact.error
        assert abs(found[0] ** 2 + found[1] - shared) <= error * shared
        assert abs(found[2] - exact.var_chi) <= error * exact.var_chi


@pytest.mark.parametrize(("name", "m"), [("relu", 10), slow(("tanh", 3))])
def test_tables_of_maxima_and_double_integrals_agree(name: str, m: int) -> None:
    for q, ratio in ((0.8, 1e-6), (1.1, 0.3), (1.3, 3.0), (0.9, 1e6)):
        found, _ = filled(name, q, ratio, m)
        chi = np.float64(q / (1 + ratio))
        mean, var_mu, var_chi, error = maximum.moments(FLOAT64, function_of(name), m, np.float64(0), ratio * chi, chi)
        # what counts for ten units is a rare event that few nodes see, as the error says
        assert found[3] < 1e-11
        assert abs(found[0] - mean) <= (error + found[3]) * mean
        assert abs(found[1] - var_mu) <= (error + found[3]) * var_mu
        assert abs(found[2] - var_chi) <= (error + found[3]) * var_chi


@pytest.mark.parametrize("name", every_second(KINKED + FORMULAS))
@given(q=variances, ratio=ratios)
@settings(max_examples=2)
def test_tables_and_panels_agree(name: str, q: float, ratio: float) -> None:
    found, known = filled(name, q, ratio)
    if known:
        mean, var_mu, var_chi, error = quadrature.moments(
            FLOAT64, function_of(name), 0.0, np.float64(q * ratio / (1 + ratio)), np.float64(q / (1 + ratio))
        )
        error, shared = error + found[3], mean**2 + var_mu
        # below 1e-22 of the second moment a product of means is what rounding leaves of zero
        assert abs(found[0] ** 2 + found[1] - shared) <= error * shared + 1e-22 * (shared + var_chi)
        assert abs(found[2] - var_chi) <= error * var_chi


SMOOTH = ["tanh", "sigmoid", "softplus", "silu", "mish", "x*tanh(x)", "atan(x)", "exp(-x**2) + x/9"]


@pytest.mark.parametrize("name", SMOOTH)
def test_tables_of_smooth_formulas_err_by_no_more_than_they_say(name: str) -> None:
    """Points of all octaves, with correlations near 0 and 1 and at both, against the series at each point."""
    rng, phi = np.random.default_rng(0), function_of(name)
    q, share = 2.0 ** rng.uniform(-9.9, 5, 600), 10.0 ** rng.uniform(-14, 0, 600) / 2
    q[:2], share[:9] = (2.0**-11, 2.0**101), 0
    shared = np.where(rng.integers(2, size=600), share, 1 - share)
    points = np.array([0 * q, q * shared, q * np.where(shared < 0.5, 1 - share, share)])
    table, plain = np.ones((2, 4, 600))
    moment_tables.fill(phi, 1, points, table)
    smooth.fill(FLOAT64, phi, points[:, 2:], plain[:, 2:])
    assert np.all(table[3, :2] == 1)
    some = (plain[3] < FLOAT64.goal) & (table[3] < moment_tables.GOAL)
    assert np.mean(some) > 0.8  # of variances above 16, single points of atan(x) and of tanh take panels
    (mean, mu, chi, error), (mean_plain, mu_plain, chi_plain, error_plain) = table[:, some], plain[:, some]
    square, error = mean_plain**2 + mu_plain, error + error_plain
    # below 1e-22 of the second moment a product of means is what rounding leaves of zero
    assert np.all(np.abs(mean**2 + mu - square) <= error * square + 1e-22 * (square + chi))
    assert np.all(np.abs(chi - chi_plain) <= error * chi_plain)


@pytest.mark.parametrize("name", ["softplus", *map(slow, ["silu", "x*tanh(x)", "elu"])])
def test_tables_of_large_variances_and_panels_agree(name: str) -> None:
    """K1 varies for theta below 1e-6: correlations on both sides."""
    q, share = 2.0**40, np.geomspace(1e-16, 0.5, moment_tables.SWEPT)
    points, table = np.array([0 * share, q * (1 - share), q * share]), np.ones((4, share.size))
    moment_tables.fill(function_of(name), 1, points, table)
    assert np.all(table[3] < 1e-13)
    for i in (0, 6, 12, 19):
        mean, var_mu, var_chi, error = quadrature.moments(FLOAT64, function_of(name), *points[:, i])
        assert table[:3, i] == pytest.approx([mean, var_mu, var_chi], rel=float(error + table[3, i]))


@pytest.mark.parametrize("name", ["tanh", *map(slow, SMOOTH[1:5])])
def test_sweeps_of_smooth_activations_have_proven_digits(name: str) -> None:
    sigma_w2, sigma_b2 = np.linspace(0.08, 4, 64), np.linspace(0.004, 2, 64)
    sweep = igb.mlp(3, name, sigma_w2=sigma_w2, sigma_b2=sigma_b2).predict()
    for i in (20, 63):
        ball = igb.mlp(3, name, sigma_w2=float(sigma_w2[i]), sigma_b2=float(sigma_b2[i])).certify(digits=16)
        exact = float(ball.gamma.mid())
        assert sweep.error[i] < 1e-12
        assert sweep.gamma[i] == pytest.approx(exact, rel=2 * float(sweep.error[i]))


CATALOGUE = ["elu", "selu", "celu", "relu6", "hardswish", "hardsigmoid", "hardtanh", "softsign"]


@pytest.mark.parametrize("name", CATALOGUE + FORMULAS)
def test_kinked_activations_have_a_table(name: str) -> None:
    assert has_table(name)


@pytest.mark.parametrize(
    "name",
    [
        "where(x > 1, 1, 0)",  # jumps
        "where(x > 0, exp(x), 1 + x)",  # grows too fast
        slow("sqrt(abs(x))"),  # its slope has no second moment
        "sin(20*x)*abs(x)",  # oscillates
        "max(x - 1, 0) + max(x - 1.001, 0)",  # its K1 varies over a thousandth
    ],
)
def test_formulas_that_one_series_does_not_hold_have_no_table(name: str) -> None:
    assert not has_table(name)


def test_slopes_of_no_size_have_no_table() -> None:
    """The kink is 38 standard deviations away: K1 is zero."""
    assert not filled("max(x - 30, 0)", 0.6, 0.5)[1]


def test_sweeps_find_what_single_points_find() -> None:
    """Points of several octaves, of mean 0 and others, in one array and one by one."""
    phi = function_of("elu")
    q = np.geomspace(0.01, 30, 12)
    together = moments(FLOAT64, phi, 1, Moments(np.where(q < 1, 0, 0.1), 0.3 * q, 0.7 * q))
    for i, value in enumerate(q):
        alone = moments(FLOAT64, phi, 1, Moments(0 if value < 1 else 0.1, 0.3 * value, 0.7 * value))
        assert (alone.mean, alone.var_mu, alone.var_chi) == pytest.approx(
            (together.mean[i], together.var_mu[i], together.var_chi[i]), rel=1e-15
        )


@pytest.mark.slow
def test_deep_normalised_networks_agree_with_more_digits() -> None:
    """Two layers of a table in double precision, panels in 15 digits."""
    net = igb.mlp(1, "softsign", norm="layer", placement="before")
    exact = net.predict(digits=15)
    assert float(net.predict().gamma) == pytest.approx(float(exact.gamma), rel=1e-13)


# mean slopes on circles

VARIANCES = 2.0 ** np.linspace(-0.5, 0.5, 3)
ANGLES = np.array([0, 1e-8, 1e-3, 0.1, 0.7, 1.2, 1.5, np.pi / 2])
ROUNDING = 30 * FLOAT64.epsilon
"""Rounding error of a mean against the largest one, as the tables assume it."""


def mean_slopes(name: str, q: np.ndarray, theta: np.ndarray) -> tuple[np.ndarray, float]:
    """Mean slopes and their estimated error, against the largest mean slope."""
    meshed = rule.on_mesh(function_of(name), 1, float(q.max()))
    assert meshed is not None
    slopes = rule.Slopes(meshed, 1, q)
    values = slopes.at(theta)
    return values, slopes.error(theta) / float(values.max())


@pytest.mark.parametrize(("name", "negative"), [("relu", 0.0), ("leaky_relu", 0.01), ("abs", -1.0)])
def test_mean_slopes_of_two_rays_are_linear_in_the_angle(name: str, negative: float) -> None:
    """Both pre-activations have one sign on two wedges of the angle pi - theta, and opposite ones on two of theta."""
    values, error = mean_slopes(name, VARIANCES, ANGLES)
    like, unlike = (np.pi - ANGLES) / (2 * np.pi), ANGLES / np.pi
    exact = like * (1 + negative**2) + unlike * negative
    assert np.max(np.abs(values - exact)) <= error + ROUNDING


@pytest.mark.parametrize("octave", [-8, -2, 0, 2, 8])
@pytest.mark.parametrize(
    "name", ["relu6", "hardtanh", "hardswish", "x*abs(x)", "abs(abs(x) - 1)", "max(x + 1, 2*min(x, 3), -2)"]
)
@pytest.mark.slow
def test_circles_and_smoothed_slopes_agree(name: str, octave: int) -> None:
    """Slopes of polynomial pieces: closed forms and series in the correlation."""
    q, phi = VARIANCES * 2.0**octave, function_of(name)
    values, error = mean_slopes(name, q, ANGLES)
    known = kinked_kernel.kinked(phi.derivative)
    assert known is not None
    assert known.exact
    expected, missed = kinked_kernel.product(known, (q[:, None], q[:, None], q[:, None] * np.cos(ANGLES)))
    # q_ab is rounded, which a jump of the slope sees divided by the angle
    rounded = 20 * FLOAT64.epsilon / np.maximum(ANGLES, 1e-3)
    tolerance = np.where(ANGLES == 1e-8, np.inf, error + missed + ROUNDING + rounded)
    assert np.all(np.abs(values - expected) / values.max() <= tolerance)


GAUSS = np.polynomial.legendre.leggauss(20)


def panel_rule(cuts: list[float]) -> tuple[Any, Any]:
    """Gauss-Legendre rule for the normal law on [-9, 9]: panels of at most half a standard deviation, cut as told."""
    x, weights = GAUSS
    ends = np.unique([*np.linspace(-9, 9, 37), *(cut for cut in cuts if abs(cut) < 9)])
    half = np.diff(ends)[:, None] / 2
    z = (ends[:-1, None] + half * (1 + x)).ravel()
    return z, (half * weights).ravel() * np.exp(-z * z / 2) / np.sqrt(2 * np.pi)


@pytest.mark.parametrize(
    ("name", "slope"),
    [
        ("softsign", lambda x: 1 / (1 + np.abs(x)) ** 2),
        slow(("log(1 + abs(x))", lambda x: np.sign(x) / (1 + np.abs(x)))),
    ],
)
def test_mean_slopes_agree_with_iterated_integrals(name: str, slope: Callable[[Any], Any]) -> None:
    """Polar coordinates one way, Cartesian ones the other: the second unit given the first, cut where it is 0."""
    c, s = np.cos(0.7), np.sin(0.7)
    cuts = [float(sign * s * 2.0**k) for k in range(-3, 5) for sign in (-1, 1)]
    total = 0.0
    for u, weight in zip(*panel_rule([0.0, *cuts]), strict=True):
        z, weights = panel_rule([-c * u / s])
        total += weight * slope(u) * (weights @ slope(c * u + s * z))
    values, error = mean_slopes(name, VARIANCES, np.array([0.0, 0.7]))
    assert abs(values[1, 1] - total) <= (error + ROUNDING) * values.max()


@pytest.mark.parametrize(("octave", "waves"), [(-6, rule.MOST_WAVES), (6, rule.MOST_WAVES), (0, 0)])
def test_mean_slopes_of_a_smooth_function_agree_with_trapezoidal_sums(
    octave: int, waves: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Waves or panels in b, and sums over half the sum and half the difference of both units, right to rounding."""
    monkeypatch.setattr(rule, "MOST_WAVES", waves)
    rule._ring.cache_clear()  # noqa: SLF001 - it may have been made with the other waves
    q = VARIANCES * 2.0**octave
    t = np.linspace(-9, 9, 1 + 2 * int(40 * np.sqrt(max(1.0, q.max()))))
    weights = np.exp(-t * t / 2) / np.exp(-t * t / 2).sum()
    values, error = mean_slopes("silu", q, ANGLES)
    for i, j in ((0, 2), (2, 4), (1, 6)):
        u, v = (
            np.sqrt(q[i]) * (np.cos(ANGLES[j] / 2) * t + sign * np.sin(ANGLES[j] / 2) * t[:, None]) for sign in (1, -1)
        )
        total = weights @ (silu_slope(u) * silu_slope(v)) @ weights
        assert abs(values[i, j] - total) <= min(error, 1e-13) + ROUNDING
    rule._ring.cache_clear()  # noqa: SLF001 - as above


def silu_slope(x: np.ndarray) -> np.ndarray:
    share = 1 / (1 + np.exp(-x))
    return np.asarray(share * (1 + x * (1 - share)))


@pytest.mark.parametrize("octave", every_second([-6, 0, 4]))
@pytest.mark.parametrize("name", ["elu", "softsign", "log(1 + abs(x))", "max(0, x)*tanh(x)", "x*exp(-abs(x))"])
def test_errors_are_no_less_than_what_a_finer_rule_changes(
    name: str, octave: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    q = VARIANCES * 2.0**octave
    values, error = mean_slopes(name, q, ANGLES)
    monkeypatch.setattr(rule, "ORDERS", (rule.ORDERS[1], (24, 36)))
    finer, _ = mean_slopes(name, q, ANGLES)
    assert np.max(np.abs(values - finer)) <= (error + ROUNDING) * values.max()


def test_mean_slopes_of_pairs_and_of_equals_agree() -> None:
    """Circles in units of the standard deviation, and in units of phi for several variances at once."""
    meshed = rule.on_mesh(function_of("softsign"), 1, float(VARIANCES.max()))
    assert meshed is not None
    roots = np.sqrt(VARIANCES)
    pairs, error = rule.of_pairs(meshed, 1, (roots, roots), ANGLES)
    slopes = rule.Slopes(meshed, 1, VARIANCES)
    alone, missed = slopes.at(ANGLES), slopes.error(ANGLES)
    assert np.max(np.abs(np.diagonal(pairs).T - alone)) <= error + missed + ROUNDING
    assert pairs[0, 1] == pytest.approx(pairs[1, 0], rel=1e-14)


# kernels of data sets by interpolation


def data(size: int, features: int, *, equal: bool) -> tuple[Any, Any]:
    """Variances and kernel of random data, of equal norms or not."""
    x = np.random.default_rng(1).standard_normal((size, features))
    if equal:
        x /= np.sqrt(np.square(x).mean(axis=1, keepdims=True))
    kernel = x @ x.T / features
    q = np.diagonal(kernel).copy()
    return (np.ones(size) if equal else q), kernel


@pytest.mark.parametrize(
    ("name", "m", "features", "equal"),
    [
        slow(("softsign", 1, 400, False)),
        slow(("where(x>0, tanh(x), x/4)", 1, 40, True)),
        ("hardtanh", 2, 40, True),
        slow(("abs(tanh(x))", 1, 40, True)),
    ],
)
def test_interpolated_pairs_are_what_a_rule_for_one_pair_finds(
    name: str, m: int, features: int, *, equal: bool
) -> None:
    phi = function_of(name)
    q, q_ab = data(100, features, equal=equal)
    np.fill_diagonal(q_ab, q)
    found = kernel(phi, m, (q[:, None], q[None], q_ab))
    assert found is not None
    values, error = found
    stacked = kernel(phi, m, (np.tile(q[:, None], (2, 1, 1)), np.tile(q[None], (2, 1, 1)), np.tile(q_ab, (2, 1, 1))))
    assert stacked is not None  # images have a matrix for each pair of positions
    assert np.array_equal(stacked[0], np.stack([values, values]))
    pairs = [(i, j) for i, j in np.random.default_rng(5).integers(100, size=(8, 2))]
    root = np.sqrt(np.diagonal(values))

    def exact(i: int, j: int) -> Any:
        zero = np.float64(0)
        if m == 1:
            return quadrature.product(FLOAT64, phi, zero, q[i], q[j], q_ab[i, j])[0]
        return maximum.product(FLOAT64, phi, m, zero, q[i], q[j], q_ab[i, j])[0]

    missed = max(abs(values[i, j] - exact(i, j)) / (root[i] * root[j]) for i, j in pairs)
    # series end at 2e-13; 1e-11 is promised
    assert missed < 1e-11
    # the error of other pairs than those that were asked may be a little larger than at those
    assert missed < 3 * error < 1e-10
    assert np.diagonal(values) == pytest.approx([second_moment(FLOAT64, phi, m, one) for one in q], rel=1e-11)


def test_an_error_of_the_means_is_one_of_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """The product of both means fixes the constant of a table, so that their relative error counts twice."""
    phi, q, missed, means = function_of("max(x, 0) + x/2"), 0.01, 1e-7, maximum.means
    fit = interpolant(phi, 1, (q, q), (0, np.pi))
    monkeypatch.setattr(maximum, "means", lambda *given: (means(*given)[0] + missed, missed))
    moved = interpolant(phi, 1, (q, q), (0, np.pi))
    assert fit is not None
    assert moved is not None
    pair = np.array([[q]]), np.array([q]), np.array([[0.3 * q]])
    deviation = np.max((moved(*pair) - fit(*pair)) / fit.second_moment(q))
    # a mean is at most a root mean square, and here about a third of one
    assert fit.error < 1e-12 < deviation < moved.error < 4 * deviation


@pytest.mark.parametrize(("name", "m"), [slow(("softsign", 2))])
def test_one_fit_serves_all_angles(name: str, m: int) -> None:
    phi = function_of(name)
    fit = interpolant(phi, m, (1.0, 1.5), (0, np.pi))
    assert fit is not None
    q = np.array([1.0, 1.2, 1.5])
    for theta in (0.0, 1e-6, 1e-4, 1.0, np.pi / 2, 3.1, np.pi):
        q_ab = np.sqrt(q[0] * q[1:]) * np.cos(theta)
        exact = [
            maximum.product(FLOAT64, phi, m, np.float64(0), q[0], *pair)[0] for pair in zip(q[1:], q_ab, strict=True)
        ]
        # between the last coefficients and rounding: series end at 2e-13
        assert fit(q[:1, None], q[1:], q_ab[None])[0] == pytest.approx(exact, abs=1e-12)


def test_few_pairs_and_kernels_that_are_not_smooth_have_no_interpolant() -> None:
    q, q_ab = data(4, 3, equal=False)
    assert kernel(function_of("softsign"), 1, (q[:, None], q[None], q_ab)) is None
    q, q_ab = data(40, 30, equal=False)
    for name in ("max(x - 1/2, 0)", "where(x > 0, 1, 0)"):
        assert kernel(function_of(name), 2, (q[:, None], q[None], q_ab)) is None


def test_angles_keep_their_digits_near_0_and_pi() -> None:
    for theta in (1e-6, 1e-3, 1.0, np.pi - 1e-3):
        q_a, q_b = 1.3, 0.9
        found = angle(q_a, q_b, np.sqrt(q_a * q_b) * np.cos(theta))
        # the covariance itself is rounded, which an angle near 0 or pi sees divided by its sine
        assert found == pytest.approx(theta, abs=1e-15 / np.sin(theta) + 1e-15)
    assert angle(2.0, 2.0, 2.0) == 0
    assert angle(2.0, 2.0, -2.0) == pytest.approx(np.pi)
