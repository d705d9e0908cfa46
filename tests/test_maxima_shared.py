"""Products of maxima of many variances on shared nodes: closed forms, the rule of single pairs, and data sets."""

from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtr

from igbtheory.averages import averages, interpolation, maxima, maxima_shared
from igbtheory.formulas import function_of
from igbtheory.numbers import FLOAT64

VARIANCES = np.array([0.1, 0.7, 0.75, 5.0])
ROUNDING = 1e-14
"""Error allowed against sqrt(E f_a^2 E f_b^2): sums of positive terms of size 1 lose a few units of 1e-16."""
ANGLES = [1e-4, 0.01, 0.3, 1.4, 2.5, 3.1, np.pi - 1e-4]
"""Angles up to the outermost nodes of an interpolation."""


def grid(theta: float) -> tuple[Any, Any, Any]:
    """All pairs of the variances at one angle."""
    q_a, q_b = np.broadcast_arrays(VARIANCES[:, None], VARIANCES)
    return q_a, q_b, np.sqrt(q_a * q_b) * np.cos(theta)


@pytest.mark.parametrize("theta", ANGLES)
def test_the_larger_of_two_is_half_their_sum_and_half_their_distance(theta: float) -> None:
    q_a, q_b, q_ab = grid(theta)
    found, _ = maxima_shared.product(None, 2, 0.0, q_a, q_b, q_ab)
    # (h + h')/2 is independent of |h - h'|/2, whose kernel is the one of |x|
    folded = (np.sin(theta) + (np.pi / 2 - theta) * np.cos(theta)) / np.pi
    assert found / np.sqrt(q_a * q_b) == pytest.approx(np.cos(theta) / 2 + folded + 0 * q_a, abs=ROUNDING)


@pytest.mark.parametrize("theta", [0.01, 0.3, 1.4, 2.5])
def test_steps_off_the_origin_are_masses_of_the_law(theta: float) -> None:
    """P(M_a > x, M_b > y) = 1 - Phi(x)^m - Phi(y)^m + Phi_2(x, y)^m, at an x of its own for every variance."""
    found, _ = maxima_shared.product(function_of("where(x > 1/2, 1, 0)"), 3, 0.0, *grid(theta))
    c, s = np.cos(theta), np.sin(theta)

    def density(t: float, y: float) -> float:
        return float(np.exp(-t * t / 2) / np.sqrt(2 * np.pi) * ndtr((y - c * t) / s))

    for i, j in ((0, 3), (1, 2), (3, 3)):
        x, y = 0.5 / np.sqrt(VARIANCES[[i, j]])
        both = quad(density, -9, x, args=(y,), epsabs=1e-13, limit=200, points=[min(y / c, x)] if c > 0 else None)[0]
        # three times the error of the oracle
        assert found[i, j] == pytest.approx(1 - ndtr(x) ** 3 - ndtr(y) ** 3 + both**3, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "m", "angles"),
    [
        ("tanh", 2, ANGLES),
        ("gelu", 100, ANGLES),
        ("elu", 3, ANGLES),
        ("relu6", 2, ANGLES),
        ("tanh(20*(x - 1))", 100, ANGLES[2::2]),
    ],
)
def test_shared_nodes_find_what_a_pair_finds(name: str, m: int, angles: list[float]) -> None:
    """Smooth functions, kinks, and a steep rise that every variance sees elsewhere: the mesh of each is resolved."""
    phi = function_of(name)
    second = np.array([maxima.second_moment(FLOAT64, phi, m, q, np.float64(0)) for q in VARIANCES])
    for theta in angles:
        pairs = grid(theta)
        found, error = maxima_shared.product(phi, m, np.float64(0), *pairs)
        for i, j in ((0, 3), (1, 2)):
            assert abs(found[i, j] - single(phi, m, pairs, (i, j))) < ROUNDING * np.sqrt(second[i] * second[j])
        # of the rule of three quarters of the order
        assert np.max(error * np.abs(found) / np.sqrt(np.outer(second, second))) < 1e-11


def single(phi: Any, m: int, pairs: Any, at: tuple[int, int], mean: float = 0.0) -> Any:
    """Product of one pair by the rule of single pairs."""
    q_a, q_b, q_ab = (part[at] for part in pairs)
    return maxima.product(FLOAT64, phi, m, q_a, q_b, q_ab, np.float64(mean))[0]


def test_the_mean_of_both_shifts_them() -> None:
    phi, pairs = function_of("elu"), grid(1.0)
    found, _ = maxima_shared.product(phi, 3, np.float64(0.4), *pairs)
    assert found[0, 3] == pytest.approx(single(phi, 3, pairs, (0, 3), 0.4), rel=ROUNDING)


@pytest.mark.parametrize(("name", "m"), [("tanh", 100), ("elu", 2)])
def test_a_data_set_asks_for_few_single_pairs(name: str, m: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Data of different norms, one a near duplicate and one nearly opposite: series from shared nodes alone."""
    x = np.random.default_rng(3).standard_normal((30, 20)) * np.random.default_rng(4).uniform(0.7, 1.3, (30, 1))
    x[1], x[2] = x[0] + 0.01 * x[5], 0.02 * x[5] - x[0]
    kernel = x @ x.T / 20
    q = np.diagonal(kernel).copy()
    asked, rule = [], maxima.product

    def counted(*point: Any) -> Any:
        asked.append(point)
        return rule(*point)

    monkeypatch.setattr(maxima, "product", counted)
    phi = function_of(name)
    values, error = averages.product(FLOAT64, phi, m, (q[:, None], q[None], kernel))
    assert len(asked) <= interpolation.WITNESSES + 2
    root = np.sqrt(averages.second_moment(FLOAT64, phi, m, q))
    for i, j in ((0, 1), (0, 2), (7, 29), (20, 9)):
        exact, _ = rule(FLOAT64, phi, m, q[i], q[j], kernel[i, j], np.float64(0))
        # pairs that were not asked may be a little worse than those that were
        assert abs(values[i, j] - exact) < 3 * error * root[i] * root[j]
    # series end at 2e-13 on lines
    assert error < 1e-11
