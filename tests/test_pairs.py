"""Gaussian moments of pairs: any mean, variances and correlation, against plain Gauss-Legendre sums split at kinks."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from repeated import every_second

import igbtheory as igb

Real = Callable[[Any], Any]
ROWS: list[tuple[str, Real, tuple[float, ...]]] = [
    ("tanh", np.tanh, ()),
    ("x*tanh(x)", lambda x: x * np.tanh(x), ()),
    ("relu", lambda x: np.maximum(x, 0), (0,)),
    ("min(max(x, -1), 1)", lambda x: np.clip(x, -1, 1), (-1, 1)),
    ("where(x > 1/2, 1, 0)", lambda x: 1.0 * (x > 0.5), (0.5,)),
]
NAMED = {"relu": "max(x, 0)", "tanh": "tanh(x)"}
"""Formulas of activations that have names."""
PAIRS = [(0.7, 1.0, 2.0, -1.2), (-0.4, 0.5, 3.0, 1.1), (0.0, 2.0, 2.0, 1.9), (0.0, 1.0, 4.0, -1.99)]


GAUSS = np.polynomial.legendre.leggauss(20)


def nodes(cuts: list[float]) -> tuple[Any, Any]:
    """Gauss-Legendre rule on [-10, 10], panels of at most half a standard deviation that end at the cuts."""
    x, weights = GAUSS
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


def square(f: Real, kinks: tuple[float, ...], mean: float, q: float) -> float:
    """Mean square of one unit."""
    z, weights = nodes([(k - mean) / np.sqrt(q) for k in kinks])
    return float(weights @ (np.exp(-z * z / 2) * f(mean + np.sqrt(q) * z) ** 2) / np.sqrt(2 * np.pi))


def one_layer(formula: str, kernel: Any) -> igb.Prediction:
    """Return the prediction of one layer of the formula behind pre-activations of that kernel, of two data."""
    data = np.linalg.cholesky(kernel) * np.sqrt(2)
    prediction: igb.Prediction = igb.Network(igb.Dense(1.0), igb.Activation(formula), igb.Dense(1.0)).predict(data)
    return prediction


@pytest.mark.parametrize(("name", "f", "kinks"), every_second(ROWS), ids=[row[0] for row in ROWS])
@pytest.mark.parametrize("pair", PAIRS[::3])
def test_a_pair_is_its_double_integral(
    name: str, f: Real, kinks: tuple[float, ...], pair: tuple[float, float, float, float]
) -> None:
    mean, q_a, q_b, q_ab = pair
    formula = re.sub(r"\bx\b", f"(x + {mean})", NAMED.get(name, name)) if mean else name
    p = one_layer(formula, [[q_a, q_ab], [q_ab, q_b]])
    # absolute, since products of odd functions cancel; the oracle itself is good to about 1e-13
    assert p.var_mu - p.var_chi == pytest.approx(oracle(f, kinks, pair), abs=1e-12)
    assert p.var_mu + p.var_chi == pytest.approx((square(f, kinks, mean, q_a) + square(f, kinks, mean, q_b)) / 2)
    assert p.error < 1e-10


@pytest.mark.parametrize(("name", "f", "kinks"), every_second(ROWS), ids=[row[0] for row in ROWS])
def test_exchangeable_units_of_any_mean_are_a_pair(name: str, f: Real, kinks: tuple[float, ...]) -> None:
    """Gaussian inputs, whose law has rules of its own, against the double integral of two of them."""
    mean, own, common = 0.7, 0.4, 0.8
    formula = re.sub(r"\bx\b", f"(x + {mean})", NAMED.get(name, name))
    p = igb.Network(igb.Dense(own, common), igb.Activation(formula), igb.Dense(1.0)).predict()
    pair = oracle(f, kinks, (mean, own + common, own + common, common))
    assert p.var_mu == pytest.approx(pair, abs=1e-12)
    assert p.var_chi == pytest.approx(square(f, kinks, mean, own + common) - pair, abs=1e-12)


@pytest.mark.slow
def test_grey_values_as_they_are_need_a_long_series_and_get_it() -> None:
    """Digits that nobody standardised: q is about 120, and tanh all but a sign."""
    found = igb.mlp(1, "tanh").predict(igb.digits()[:60])
    kernel = 2 * igb.digits()[:60] @ igb.digits()[:60].T / 64
    exact = oracle(np.tanh, (), (0.0, kernel[3, 3], kernel[8, 8], kernel[3, 8]))
    assert found.error < 1e-10
    single = igb.mlp(1, "tanh").predict(igb.digits()[[3, 8]])
    diagonal = [square(np.tanh, (), 0.0, kernel[i, i]) for i in (3, 8)]
    # 20 nodes on half a standard deviation, over which tanh turns ten times, are good to 1e-7
    assert single.var_mu == pytest.approx((2 * exact + sum(diagonal)) / 2, rel=1e-6)


def test_a_kink_that_a_function_removes_changes_nothing() -> None:
    """exp(-|x - 1|^2/2) is smooth, although its formula has a kink at which no derivative jumps."""
    data = np.random.default_rng(0).standard_normal((6, 4))
    folded, smooth = (
        igb.Network(igb.Dense(), igb.Activation(f"exp(-{square}/2)"), igb.Dense()).predict(data)
        for square in ("abs(x - 1)**2", "(x - 1)**2")
    )
    assert folded.gamma == pytest.approx(smooth.gamma, rel=1e-11)
