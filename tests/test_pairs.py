"""Gaussian moments of pairs: any mean, variances and correlation, against plain Gauss-Legendre sums split at kinks."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import igbtheory as igb
from igbtheory.averages.gaussian import moments, product, second_moment
from igbtheory.averages.state import Moments
from igbtheory.formulas import function_of
from igbtheory.numbers import FLOAT64

Real = Callable[[Any], Any]
ROWS: list[tuple[str, Real, tuple[float, ...]]] = [
    ("tanh", np.tanh, ()),
    ("x*tanh(x)", lambda x: x * np.tanh(x), ()),
    ("relu", lambda x: np.maximum(x, 0), (0,)),
    ("min(max(x, -1), 1)", lambda x: np.clip(x, -1, 1), (-1, 1)),
    ("where(x > 1/2, 1, 0)", lambda x: 1.0 * (x > 0.5), (0.5,)),
]
PAIRS = [(0.7, 1.0, 2.0, -1.2), (-0.4, 0.5, 3.0, 1.1), (0.0, 2.0, 2.0, 1.9), (0.0, 1.0, 4.0, -1.99)]


def nodes(cuts: list[float]) -> tuple[Any, Any]:
    """Gauss-Legendre rule on [-10, 10], panels of at most half a standard deviation that end at the cuts."""
    x, weights = np.polynomial.legendre.leggauss(20)
    ends = np.unique([*np.linspace(-10, 10, 41), *(cut for cut in cuts if abs(cut) < 10)])
    half = np.diff(ends)[:, None] / 2
    return (ends[:-1, None] + half * (1 + x)).ravel(), (half * weights).ravel()


def oracle(f: Real, kinks: tuple[float, ...], pair: tuple[float, float, float, float]) -> float:
    mean, q_a, q_b, q_ab = pair
    along, across = q_ab / np.sqrt(q_a), np.sqrt(q_b - q_ab**2 / q_a)
    smoothed = [(k + s * across - mean) / along for k in kinks for s in (-6, -3, 0, 3, 6)]
    total = 0.0
    for u, weight in zip(*nodes([(k - mean) / np.sqrt(q_a) for k in kinks] + smoothed), strict=True):
        centre = mean + along * u
        z, weights = nodes([(k - centre) / across for k in kinks])
        inner = weights @ (np.exp(-z * z / 2) * f(centre + across * z))
        total += weight * np.exp(-u * u / 2) / (2 * np.pi) * f(mean + np.sqrt(q_a) * u) * inner
    return float(total)


@pytest.mark.parametrize(("name", "f", "kinks"), ROWS, ids=[row[0] for row in ROWS])
@pytest.mark.parametrize("pair", PAIRS)
def test_a_pair_is_its_double_integral(
    name: str, f: Real, kinks: tuple[float, ...], pair: tuple[float, float, float, float]
) -> None:
    mean, q_a, q_b, q_ab = pair
    phi = function_of(name)
    value, error = product(FLOAT64, phi, 1, (np.float64(q_a), np.float64(q_b), np.float64(q_ab)), mean or 0)
    exact = oracle(f, kinks, pair)
    # absolute, since products of odd functions cancel; the oracle itself is good to about 1e-13
    assert value == pytest.approx(exact, abs=1e-12)
    assert error < 1e-10


@pytest.mark.parametrize(("name", "f", "kinks"), ROWS, ids=[row[0] for row in ROWS])
def test_law_pair_and_second_moment_agree_at_any_mean(name: str, f: Real, kinks: tuple[float, ...]) -> None:
    phi, mean, var_mu, var_chi = function_of(name), 0.7, np.float64(0.8), np.float64(0.4)
    law = moments(FLOAT64, phi, 1, Moments(np.float64(mean), var_mu, var_chi))
    q = var_mu + var_chi
    z, weights = nodes([(k - mean) / np.sqrt(q) for k in kinks])
    density = weights * np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
    values = f(mean + np.sqrt(q) * z)
    assert law.mean == pytest.approx(density @ values, abs=1e-13)
    assert law.mean**2 + law.var_mu + law.var_chi == pytest.approx(density @ values**2, rel=1e-12)
    assert second_moment(FLOAT64, phi, 1, q, mean) == pytest.approx(density @ values**2, rel=1e-12)
    assert law.mean**2 + law.var_mu == pytest.approx(product(FLOAT64, phi, 1, (q, q, var_mu), mean)[0], rel=1e-12)


@pytest.mark.parametrize("name", ["tanh", "gelu", "x*tanh(x)"])
def test_price_the_slope_of_the_kernel_is_the_kernel_of_the_slope(name: str) -> None:
    phi, q, step = function_of(name), np.float64(1.3), 1e-4
    above, below = (product(FLOAT64, phi, 1, (q, q, np.float64(0.6 + s * step)))[0] for s in (1, -1))
    slope, _ = product(FLOAT64, phi.derivative, 1, (q, q, np.float64(0.6)))
    # a central difference errs by step^2 times a third derivative of order 1
    assert (above - below) / (2 * step) == pytest.approx(slope, rel=1e-6)


def test_grey_values_as_they_are_need_a_long_series_and_get_it() -> None:
    """Digits that nobody standardised: q is about 120, and tanh all but a sign."""
    found = igb.mlp(1, "tanh").predict(igb.digits()[:60])
    kernel = 2 * igb.digits()[:60] @ igb.digits()[:60].T / 64
    exact = oracle(np.tanh, (), (0.0, kernel[3, 3], kernel[8, 8], kernel[3, 8]))
    assert found.error < 1e-10
    single = igb.mlp(1, "tanh").predict(igb.digits()[[3, 8]])
    diagonal = [second_moment(FLOAT64, function_of("tanh"), 1, kernel[i, i]) for i in (3, 8)]
    # 20 nodes on half a standard deviation, over which tanh turns ten times, are good to 1e-7
    assert single.var_mu == pytest.approx((2 * exact + sum(diagonal)) / 2, rel=1e-6)
