"""Mean slopes circle by circle, against closed forms, against rules of another kind, and their errors."""

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

from igbtheory.averages import kinked_kernel
from igbtheory.averages import mean_slopes as rule
from igbtheory.averages.resolved import resolved
from igbtheory.formulas import function_of
from igbtheory.numbers import FLOAT64

VARIANCES = 2.0 ** np.linspace(-0.5, 0.5, 3)
ANGLES = np.array([0, 1e-8, 1e-3, 0.1, 0.7, 1.2, 1.5, np.pi / 2])
ROUNDING = 30 * FLOAT64.epsilon
"""Rounding error of a mean against the largest one, as the tables assume it."""


def mean_slopes(name: str, q: np.ndarray, theta: np.ndarray) -> tuple[np.ndarray, float]:
    """Mean slopes and their estimated error, against the largest mean slope."""
    seen = resolved(FLOAT64, function_of(name), 0.0, float(np.sqrt(q.max())))
    values, error = rule.mean_slopes(seen, q, theta)
    return values, error / float(values.max())


@pytest.mark.parametrize(("name", "negative"), [("relu", 0.0), ("leaky_relu", 0.01), ("abs", -1.0)])
def test_mean_slopes_of_two_rays_are_linear_in_the_angle(name: str, negative: float) -> None:
    """Both pre-activations have one sign on two wedges of the angle pi - theta, and opposite ones on two of theta."""
    values, error = mean_slopes(name, VARIANCES, ANGLES)
    like, unlike = (np.pi - ANGLES) / (2 * np.pi), ANGLES / np.pi
    exact = like * (1 + negative**2) + unlike * negative
    assert np.max(np.abs(values - exact)) <= error + ROUNDING


@pytest.mark.parametrize("octave", [-8, -2, 0, 2, 8])
@pytest.mark.parametrize(
    "name", ["elu", "relu6", "hardtanh", "hardswish", "x*abs(x)", "abs(abs(x) - 1)", "max(x + 1, 2*min(x, 3), -2)"]
)
def test_circles_and_smoothed_slopes_agree(name: str, octave: int) -> None:
    """Slopes of polynomial and exponential pieces: a closed form given one pre-activation, panels over the other."""
    q, phi = VARIANCES * 2.0**octave, function_of(name)
    values, error = mean_slopes(name, q, ANGLES)
    smooth = kinked_kernel.smoothing(phi.derivative)
    assert smooth is not None
    root = np.sqrt(q)[:, None]
    scales = np.array(np.broadcast_arrays(root, root * np.cos(ANGLES), root * np.sin(ANGLES)))
    expected, missed = kinked_kernel.by_scales(phi.derivative, smooth, scales.reshape(3, -1))
    difference = np.max(np.abs(values - expected.reshape(values.shape))) / values.max()
    assert difference <= error + missed + ROUNDING


@pytest.mark.parametrize(
    ("name", "slope"),
    [("softsign", lambda x: 1 / (1 + abs(x)) ** 2), ("log(1 + abs(x))", lambda x: mpmath.sign(x) / (1 + abs(x)))],
)
def test_mean_slopes_agree_with_iterated_integrals_in_more_digits(name: str, slope: Callable[[Any], Any]) -> None:
    """Polar coordinates one way, Cartesian ones the other: sums s + and differences of the pair are independent."""
    c = np.cos(0.7)
    with mpmath.workdps(18):
        wide, narrow = mpmath.sqrt((1 + c) / 2), mpmath.sqrt((1 - c) / 2)

        def given(s: Any) -> Any:
            """Mean over the difference, even in it; v changes sign at d = s wide/narrow."""
            ends = sorted({mpmath.mpf(0), *(min(s * wide / narrow * share, 9) for share in (0.5, 1, 1.5)), 3, 9})
            return mpmath.quad(
                lambda d: slope(wide * s + narrow * d) * slope(wide * s - narrow * d) * mpmath.npdf(d), ends
            )

        exact = 4 * mpmath.quad(lambda s: given(s) * mpmath.npdf(s), [0, 0.3, 1, 3, 9])
    values, error = mean_slopes(name, VARIANCES, np.array([0.0, 0.7]))
    assert abs(values[1, 1] - float(exact)) <= (error + ROUNDING) * values.max()


@pytest.mark.parametrize("octave", [-6, 0, 6])
@pytest.mark.parametrize("name", ["elu", "softsign", "log(1 + abs(x))", "max(0, x)*tanh(x)", "x*exp(-abs(x))"])
def test_errors_are_no_less_than_what_a_finer_rule_changes(
    name: str, octave: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    q = VARIANCES * 2.0**octave
    values, error = mean_slopes(name, q, ANGLES)
    monkeypatch.setattr(rule, "ORDERS", (rule.ORDERS[1], (24, 36)))
    finer, _ = mean_slopes(name, q, ANGLES)
    assert np.max(np.abs(values - finer)) <= (error + ROUNDING) * values.max()
