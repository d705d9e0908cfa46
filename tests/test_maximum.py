"""Moments of a maximum over nodes: closed forms, plain sums with Owen's T, simulations, and panels where m = 1."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from repeated import every_second, slow
from scipy.integrate import quad
from scipy.special import log_ndtr, ndtr, owens_t

import igbtheory as igb
from igbtheory.mathematics.averages import maximum as maxima
from igbtheory.mathematics.averages import quadrature
from igbtheory.mathematics.formulas import function_of
from igbtheory.mathematics.numbers import FLOAT64, Kind, Multiprecision

GAMMAS = [0.0, 1e-12, 1e-4, 0.3, 1.0, 2.9, 3.1, 1e4, 1e12]
PHIS = ["relu", "tanh", "where(x > 1/2, 1, 0)", "exp(x)", "x*tanh(x)", "min(max(x, -1), 1)"]
TIGHT = 1e-12
"""Relative error allowed to double precision: rounding adds up to 1e-15 to 1e-13, a rule that is too coarse to more."""


def shares(n: Kind, q: float, gamma: float) -> tuple[Any, Any]:
    """Variances var_mu and var_chi with sum q and ratio gamma."""
    chi = n.number(q) / (1 + n.number(gamma))
    return n.number(gamma) * chi, chi


def close(found: Any, exact: Any, tolerance: float) -> None:
    assert abs(found - exact) <= tolerance * abs(exact), (found, exact)


@pytest.mark.parametrize("gamma", every_second(GAMMAS))
@pytest.mark.parametrize("name", PHIS)
@pytest.mark.parametrize("mean", [slow(0.0), 0.3])
def test_one_node_is_the_activation(name: str, gamma: float, mean: float) -> None:
    phi, (var_mu, var_chi) = function_of(name), shares(FLOAT64, 1.5, gamma)
    expected = quadrature.moments(FLOAT64, phi, np.float64(mean), var_mu, var_chi)
    found = maxima.moments(FLOAT64, phi, 1, np.float64(mean), var_mu, var_chi)
    # beside a jump off the origin, both round distances of the size s = sqrt(1 - c^2)
    tolerance = TIGHT + (1e-15 * np.sqrt(gamma) if "where" in name else 0)
    # without a mean, 0 is what rounding leaves of it
    assert found[0] ** 2 + found[1] == pytest.approx(expected[0] ** 2 + expected[1], rel=tolerance, abs=1e-30)
    close(found[2], expected[2], 10 * tolerance)


@pytest.mark.parametrize("c", every_second([-1, 0, -0.95, -0.3, 0.9999, 0.5, 1]))
@pytest.mark.parametrize("name", ["relu", "tanh", "where(x > 1/2, 1, 0)"])
def test_one_node_of_a_pair_is_the_activation(name: str, c: float) -> None:
    given = (np.float64(0.3), np.float64(1), np.float64(2), c * np.sqrt(np.float64(2)))
    expected, _ = quadrature.product(FLOAT64, function_of(name), *given)
    found, error = maxima.product(FLOAT64, function_of(name), 1, *given)
    assert found == pytest.approx(expected, abs=TIGHT)  # a product may cancel: the functions are of size 1
    assert error < 1e-11


@pytest.mark.parametrize("m", [2, 30, 100])
@pytest.mark.parametrize("scale", [1e2, 1e4])
def test_what_saturates_keeps_the_digits_of_its_variance(m: int, scale: float) -> None:
    # f = x/sqrt(1 + x^2) of large x: 1 - f is about 1/(2 x^2), and Var f the square of that
    found = maxima.moments(FLOAT64, function_of("tanh(asinh(x))"), m, *map(np.float64, (0, 0, scale**2)))
    ends = [-9, -1, *(x / scale for x in (-10, 0, 10, 100)), *range(1, 10)]
    parts = [
        [quad(lambda z, k=k: lacking(scale * z) ** k * density(m, z), *pair, epsabs=0)[0] for pair in pairwise(ends)]
        for k in (1, 2)
    ]
    first, second = map(sum, parts)
    close(found[2], second - first**2, 1e-11)
    assert found[3] < TIGHT


def lacking(x: float) -> float:
    """1 - x/sqrt(1 + x^2)."""
    root = np.hypot(1, x)
    return float(1 / (root * (root + x)) if x > 0 else 1 - x / root)


def density(m: int, z: float) -> float:
    """Density of the largest of m standard normal numbers."""
    return float(m * np.exp((m - 1) * log_ndtr(z) - z * z / 2) / np.sqrt(2 * np.pi))


def two(n: Kind, var_mu: Any, var_chi: Any) -> tuple[Any, Any, Any]:
    """Mean, covariance and var_chi of max(h_1, h_2) = (h_1 + h_2)/2 + |h_1 - h_2|/2, from the kernel of |x|."""
    q = var_mu + var_chi
    c = var_mu / q
    angle = 2 * n.asin(n.sqrt(var_chi / (2 * q)))
    half = n.asin(c)  # the kernel of |x| is 2/pi (cos + c asin c), less its value 2/pi at c = 0
    folded = c * half - 2 * n.sin(half / 2) ** 2
    spread = (var_chi / q) - n.sin_minus_t_cos(angle) / n.pi
    return n.sqrt(q / n.pi), q * (c / 2 + folded / n.pi), q * spread


@pytest.mark.parametrize("gamma", GAMMAS)
def test_the_larger_of_two_is_its_closed_form(gamma: float) -> None:
    given = shares(FLOAT64, 2.0, gamma)
    found = maxima.moments(FLOAT64, maxima.IDENTITY, 2, np.float64(0), *given)
    for value, exact in zip(found, two(FLOAT64, *given), strict=False):
        close(value, exact, TIGHT)
    assert found[3] < 1e-11


@pytest.mark.parametrize("c", [-1, -0.999, -0.6, -0.1, 0, 0.4, 0.8, 0.999999, 1])
def test_the_product_of_the_larger_of_two_is_its_closed_form(c: float) -> None:
    found, error = maxima.product(FLOAT64, maxima.IDENTITY, 2, *map(np.float64, (0.5, 1, 4, 2 * c)))
    mean_a, mean_b = 0.5 + np.sqrt(1 / np.pi), 0.5 + np.sqrt(4 / np.pi)
    covariance = 2 * (c / 2 + (np.sqrt(1 - c * c) + c * np.arcsin(c) - 1) / np.pi)
    assert found == pytest.approx(mean_a * mean_b + covariance, rel=TIGHT)
    assert error < 1e-11


@pytest.mark.parametrize("gamma", GAMMAS)
@pytest.mark.parametrize("m", [1, 2, 7, 100])
def test_a_step_of_a_maximum_is_its_closed_form(m: int, gamma: float) -> None:
    """Phi_2(0, 0; c) = 1/4 + asin(c)/(2 pi) = 1/2 - acos(c)/(2 pi), so that no quadrature is needed."""
    var_mu, var_chi = shares(FLOAT64, 1.0, gamma)
    found = maxima.moments(FLOAT64, function_of("where(x > 0, 1, 0)"), m, np.float64(0), var_mu, var_chi)
    angle = 2 * np.arcsin(np.sqrt(var_chi / 2))
    covariance = 4.0**-m * np.expm1(m * np.log1p(2 / np.pi * np.arctan2(var_mu, np.sqrt(var_chi * (1 + var_mu)))))
    spread = -(2.0**-m) * np.expm1(m * np.log1p(-angle / np.pi))
    close(found[0], 1 - 2.0**-m, TIGHT)
    # the law of M is cut where its distribution function is 1e-36, and 2^-100 is seen beside that
    assert found[1] == pytest.approx(covariance, rel=TIGHT, abs=1e-39)
    assert found[2] == pytest.approx(spread, rel=TIGHT, abs=1e-39)


def test_three_independent_nodes_and_the_first_layer_after_a_max_pool() -> None:
    mean, covariance, variance, _ = maxima.moments(FLOAT64, maxima.IDENTITY, 3, *map(np.float64, (0, 0, 1)))
    close(mean, 1.5 / np.sqrt(np.pi), TIGHT)
    assert covariance == 0
    close(variance, 1 + np.sqrt(3) / (2 * np.pi) - 9 / (4 * np.pi), TIGHT)
    mean, covariance, variance, _ = maxima.moments(FLOAT64, function_of("relu"), 2, *map(np.float64, (0, 0, 2)))
    assert covariance == 0
    assert 2 * mean**2 == pytest.approx(1.8552459747, abs=1e-10)  # digits as given
    assert 2 * variance == pytest.approx(1.7813737977, abs=1e-10)


def test_data_that_agree_have_no_spread() -> None:
    mean, covariance, spread, _ = maxima.moments(FLOAT64, function_of("tanh"), 4, *map(np.float64, (0.2, 1.5, 0)))
    assert spread == 0
    close(mean**2 + covariance, mean_square(SLOPES[1], 4, 0.2, 1.5), TIGHT)


def phi2(x: Any, y: Any, c: float) -> Any:
    """Distribution function of two standard normal variables of correlation c by Owen's T, x and y off 0."""
    s = np.sqrt(1 - c * c)
    apart = np.where(x * y < 0, 0.5, 0)
    terms = owens_t(x, (y - c * x) / (x * s)) + owens_t(y, (x - c * y) / (y * s))
    return (ndtr(x) + ndtr(y)) / 2 - terms - apart


GAUSS = np.polynomial.legendre.leggauss(12)


def grid(low: float, high: float, width: float) -> tuple[Any, Any]:
    """Gauss-Legendre rule on panels of about `width`."""
    x, weights = GAUSS
    ends = np.linspace(low, high, 1 + int(np.ceil((high - low) / width)))
    half = np.diff(ends)[:, None] / 2
    return (ends[:-1, None] + half * (1 + x)).ravel(), (half * weights).ravel()


Row = tuple[str, Callable[[Any], Any], float, float]
SLOPES: list[Row] = [
    ("relu", lambda h: 1 + 0 * h, 0.0, 12.0),
    ("tanh", lambda h: np.cosh(h) ** -2.0, -12.0, 12.0),
    ("min(max(x, -1), 1)", lambda h: 1 + 0 * h, -1.0, 1.0),
    ("sin(3*x)", lambda h: 3 * np.cos(3 * h), -12.0, 12.0),
]


def hoeffding(row: Row, m: int, mean: float, scales: tuple[float, float], c: float) -> float:
    """Covariance iint f'(x) f'(y) (Phi_2(x, y)^m - Phi(x)^m Phi(y)^m) dx dy by a plain sum."""
    _, slope, low, high = row
    sides = []
    for scale in scales:
        x, weights = grid(max((low - mean) / scale, -8.5), min((high - mean) / scale, 9.0), 0.6)
        sides.append((x, weights * scale * slope(mean + scale * x)))
    (x, left), (y, right) = sides
    inner = phi2(x[:, None], y, c) ** m - np.multiply.outer(ndtr(x) ** m, ndtr(y) ** m)
    return float(left @ inner @ right)


def mean_square(row: Row, m: int, mean: float, q: float) -> float:
    """E f(M)^2 by a plain sum over the density of M."""
    name, _, low, high = row
    cuts = np.clip([-9.0, (low - mean) / np.sqrt(q), (high - mean) / np.sqrt(q), 10.0], -9.0, 10.0)
    x, weights = np.concatenate([grid(*ends, 0.3) for ends in pairwise(cuts)], axis=1)
    values = function_of(name)(FLOAT64, mean + np.sqrt(q) * x) ** 2
    return float(weights @ (values * m * FLOAT64.npdf(x) * ndtr(x) ** (m - 1)))


@pytest.mark.parametrize("row", SLOPES, ids=[row[0] for row in SLOPES])
@pytest.mark.parametrize(("m", "c"), every_second([(2, 0.2), (2, 0.8), (3, 0.7), (10, 0.5), (100, 0.85), (100, 0.4)]))
def test_moments_are_a_plain_double_sum_with_owens_t(row: Row, m: int, c: float) -> None:
    mean, q = 0.3, 1.5
    found = maxima.moments(FLOAT64, function_of(row[0]), m, *map(np.float64, (mean, c * q, (1 - c) * q)))
    second = mean_square(row, m, mean, q)
    # the oracle's own differences lose digits against E f^2; twelve digits of that are left
    assert found[1] == pytest.approx(hoeffding(row, m, mean, (np.sqrt(q), np.sqrt(q)), c), abs=1e-12 * second)
    assert found[0] ** 2 + found[1] + found[2] == pytest.approx(second, rel=TIGHT)


@pytest.mark.parametrize("row", SLOPES, ids=[row[0] for row in SLOPES])
@pytest.mark.parametrize(("m", "c"), every_second([(3, -0.8), (2, -0.3), (40, 0.6), (40, -0.5)]))
def test_a_product_is_a_plain_double_sum_with_owens_t(row: Row, m: int, c: float) -> None:
    mean, scales, phi = 0.3, (1.0, 1.4), function_of(row[0])
    q_a, q_b, q_ab = (np.float64(q) for q in (1.0, 1.96, 1.4 * c))
    found, error = maxima.product(FLOAT64, phi, m, np.float64(mean), q_a, q_b, q_ab)
    means = [maxima.moments(FLOAT64, phi, m, np.float64(mean), np.float64(0), q)[0] for q in (q_a, q_b)]
    # absolute: both are of size 1, and the oracle has no more digits
    assert found == pytest.approx(hoeffding(row, m, mean, scales, c) + means[0] * means[1], abs=1e-12)
    assert error < 1e-11


@pytest.mark.parametrize("name", ["relu", slow("tanh"), "where(x > 1/2, 1, 0)"])
def test_opposite_data_are_a_single_sum(name: str) -> None:
    """At c = -1, M_b = -min h_a: m (m - 1) (F(x) + F(y) - 1)^(m-2) npdf(x) npdf(y) over x + y > 0."""
    m, phi = 3, function_of(name)
    found, _ = maxima.product(FLOAT64, phi, m, *map(np.float64, (0, 1, 1, -1)))
    x, weights = grid(-9, 9, 0.5)  # ends at 0 and 1/2, where the functions break
    total = 0.0
    for point, weight in zip(x, weights, strict=True):
        cuts = np.unique([-point, *(cut for cut in (0, 0.5, 2, 4, 6) if cut > -point), 9.0])
        y, parts = (np.concatenate(part) for part in zip(*map(grid, cuts[:-1], cuts[1:], np.diff(cuts)), strict=True))
        law = m * (m - 1) * (ndtr(point) - ndtr(-y)) ** (m - 2) * FLOAT64.npdf(point) * FLOAT64.npdf(y)
        total += weight * phi(FLOAT64, point) * (parts @ (phi(FLOAT64, y) * law))
    # the outer function of x has its kinks at the kinks of f and at their mirror images
    assert found == pytest.approx(total, abs=1e-10 if "where" in name else TIGHT)


@pytest.mark.parametrize("m", [10**3, 10**6])
def test_the_mean_of_a_large_maximum_is_a_single_integral(m: int) -> None:
    def law(x: float) -> float:
        return float(m * np.exp((m - 1) * log_ndtr(x) - x * x / 2) / np.sqrt(2 * np.pi))

    moments = [
        quad(lambda x, p=p: x**p * law(x), 1, 11, epsabs=0, epsrel=1e-13, limit=500, points=[3, 4, 5, 6])[0]
        for p in (1, 2)
    ]
    found = maxima.moments(FLOAT64, maxima.IDENTITY, m, *map(np.float64, (0, 0.5, 0.5)))
    close(found[0], moments[0], TIGHT)
    # a variance of 0.06 beside a square of 24
    assert found[1] + found[2] == pytest.approx(moments[1] - moments[0] ** 2, abs=1e-11)
    assert found[3] < 1e-11


def draws(m: int, c: float, size: int) -> tuple[Any, Any]:
    """Values of m nodes for two data of correlation c, `size` times."""
    rng = np.random.default_rng(20)
    u, a, b = rng.standard_normal((3, size, m))
    return np.sqrt(c) * u + np.sqrt(1 - c) * a, np.sqrt(c) * u + np.sqrt(1 - c) * b


@pytest.mark.parametrize(("m", "name"), [(2, "relu"), (5, "tanh"), (9, "where(x > 1/2, 1, 0)")])
def test_simulated_maxima_agree_and_commute_with_an_increasing_function(m: int, name: str) -> None:
    phi = function_of(name)
    a, b = (np.max(phi(FLOAT64, h), axis=1) for h in draws(m, 0.5, 100_000))
    mean, covariance, spread, _ = maxima.moments(FLOAT64, phi, m, *map(np.float64, (0, 0.5, 0.5)))
    for values, exact in ((a, mean), ((a - mean) * (b - mean), covariance), ((a - b) ** 2 / 2, spread)):
        # five standard errors: by chance less than once in a million
        assert abs(np.mean(values) - exact) < 5 * np.std(values) / np.sqrt(values.size)


@pytest.mark.parametrize(("gamma", "name"), [(0.01, "hardtanh"), (1e-10, "step")])
def test_double_precision_agrees_with_twenty_digits(gamma: float, name: str) -> None:
    n, phi = Multiprecision(20), function_of(name)
    # one order only, half of the time: the error is not looked at
    given = maxima.maximum_of(n, phi, 2, n.number(0.3), n.number(1)), *shares(n, 1.0, gamma)
    exact = maxima._moments(*given, 24)  # noqa: SLF001
    found = maxima.moments(FLOAT64, phi, 2, np.float64(0.3), *shares(FLOAT64, 1.0, gamma))
    for value, reference in zip(found[:3], exact, strict=True):
        close(value, float(reference), 1e-13)


@pytest.mark.parametrize("name", ["relu", "step"])
@pytest.mark.slow
def test_the_spread_beside_one_datum_agrees_with_twenty_digits(name: str) -> None:
    """The inner integral at gamma = 1e12 and a few x near the kink: the outer one is a sum of hundreds of these."""
    values = []
    for n, order in ((FLOAT64, 17), (Multiprecision(20), 29)):
        maximum = maxima.maximum_of(n, function_of(name), 3, n.number(0), n.number(1))
        given = shares(n, 1.0, 1e12)
        chart = maxima.agreeing(n, *given)
        values.append(maximum.mean_square_rise(chart.s * n.number(np.array([-2.5, -0.5, 0.7])), chart, order))
    for value, reference in zip(*values, strict=True):
        close(value, float(reference), 1e-13)


def behind(*layers: igb.Layer) -> igb.Prediction:
    return igb.Network(*layers, igb.Dense()).predict(igb.GaussianInputs(0.3))


@pytest.mark.parametrize("gamma", [slow(0.1), 2, slow(100)])
def test_the_largest_value_of_a_function_that_falls_keeps_its_stated_error(gamma: float) -> None:
    """max(|a|, |b|) = (|a + b| + |a - b|)/2 is a mean of two copies of twice the variance; max(-a, -b) = -min(a, b)."""
    size = np.array([1.0, 2.5])
    dense, twice = (igb.Dense(scale, scale * (gamma - 0.09)) for scale in (size, 2 * size))
    cases = [
        (behind(twice, igb.Activation("abs"), igb.AvgPool(2)), (igb.Activation("abs"), igb.MaxPool(2))),
        (behind(dense, igb.Activation("relu"), igb.MaxPool(3)), (igb.Activation("max(-x, 0)"), igb.MaxPool(3))),
    ]
    for exact, layers in cases:
        with pytest.warns(igb.EstimateWarning, match="MaxPool"):
            found = behind(dense, *layers)
        assert np.all(found.error < 3e-4)
        assert np.all(np.abs(found.var_mu / exact.var_mu - 1) < found.error)
        assert np.all(np.abs(found.var_chi / exact.var_chi - 1) < found.error)
