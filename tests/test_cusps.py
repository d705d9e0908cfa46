"""Formulas with cusps, kinks at which the slope is infinite, against parabolic cylinder functions and mpmath."""

from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

import igbtheory as igb
from igbtheory.averages import moments, panels
from igbtheory.formulas import function_of
from igbtheory.numbers import FLOAT64

FORMULAS = {
    "abs(x)**0.5": (Fraction(1, 2), 1),
    "abs(x)**(1/3)": (Fraction(1, 3), 1),
    "abs(x)**0.1": (Fraction(1, 10), 1),
    "where(x>0,sqrt(x),0)": (Fraction(1, 2), 0),
    "sign(x)*sqrt(abs(x))": (Fraction(1, 2), -1),
}
"""Power a, and the factor of |x|^a on the left."""


def _mean(formula: str, x: Any, s: Any, power: int = 1) -> Any:
    """Mean of phi(x + s z)^power."""
    share, left = FORMULAS[formula]
    a, t = mpmath.mpf(share.numerator) / share.denominator * power, x / s
    parts = [mpmath.pcfd(-a - 1, -t), left**power * mpmath.pcfd(-a - 1, t)]
    return s**a * mpmath.gamma(a + 1) / mpmath.sqrt(2 * mpmath.pi) * mpmath.exp(-t * t / 4) * sum(parts)


def _expected(formula: str, mean: float, var_mu: float, var_chi: float) -> tuple[Any, Any, Any]:
    """Mean, var_mu and var_chi of phi(h)."""
    with mpmath.workdps(24):
        centre, along, across = mpmath.mpf(mean), mpmath.sqrt(var_mu), mpmath.sqrt(var_chi)
        whole = mpmath.hypot(along, across)
        average, second = _mean(formula, centre, whole), _mean(formula, centre, whole, 2)
        cusp, width = -centre / along, across / along
        ends = {cusp + side * width * 2**j for j in range(0, 14, 2) for side in (-1, 1)} | set(range(-12, 13, 3))

        def scatter(u: Any) -> Any:
            return (_mean(formula, centre + along * u, across) - average) ** 2 * mpmath.npdf(u)

        shared = mpmath.quad(scatter, sorted(x for x in ends if abs(x) <= 12), maxdegree=4)
        return average, shared, second - average**2 - shared


@pytest.mark.parametrize("formula", FORMULAS)
def test_moments_of_a_cusp_to_the_last_digits(formula: str) -> None:
    for mean, c, rest in ((0.0, 0.3, 0.7), (0.3, 0.999, 0.001)):
        *found, error = panels.moments(FLOAT64, function_of(formula), *map(np.float64, (mean, c, rest)))
        average, shared, own = _expected(formula, mean, c, rest)
        assert found == pytest.approx([float(average), float(shared), float(own)], rel=3e-14, abs=1e-15)
        assert error < 1e-11
        assert error >= abs(found[2] / own - 1)
        assert error >= abs((found[0] ** 2 + found[1]) / (average**2 + shared) - 1)


def test_the_error_of_a_cusp_does_not_understate() -> None:
    rng = np.random.default_rng(5)
    for formula in FORMULAS:
        mean, rest = rng.normal(), 10.0 ** rng.uniform(-9, 0)
        *found, error = panels.moments(FLOAT64, function_of(formula), *map(np.float64, (mean, 1 - rest, rest)))
        average, shared, own = _expected(formula, mean, 1 - rest, rest)
        assert abs(found[2] / own - 1) <= error
        assert abs((found[0] ** 2 + found[1]) / (average**2 + shared) - 1) <= error


def test_gamma_of_a_cusp_without_a_warning() -> None:
    assert igb.mlp(1, "abs(x)**0.5", sigma_b2=0.1).predict().gamma == pytest.approx(5.8388475726691644, rel=1e-13)
    assert igb.mlp(1, "abs(x)**(1/3)", sigma_b2=0.1).predict().gamma == pytest.approx(11.5741684031923, rel=1e-12)


@pytest.mark.parametrize(("q_a", "q_b", "c"), [(1.3, 0.7, -0.5), (1, 2, 0.9), (1, 1.01, 0.9999), (2, 2, 1 - 1e-7)])
def test_pairs_across_a_cusp(q_a: float, q_b: float, c: float) -> None:
    q_ab = c * np.sqrt(q_a * q_b)
    found, error = panels.product(FLOAT64, function_of("abs(x)**0.5"), *map(np.float64, (q_a, q_b, q_ab, 0)))
    with mpmath.workdps(30):
        exact = mpmath.mpf(q_ab) / mpmath.sqrt(mpmath.mpf(q_a) * q_b)
        root = (mpmath.mpf(q_a) * q_b) ** 0.25
        expected = (
            root * mpmath.gamma(0.75) ** 2 * mpmath.sqrt(2) / mpmath.pi * mpmath.hyp2f1(-0.25, -0.25, 0.5, exact**2)
        )
    assert found == pytest.approx(float(expected), rel=2e-15)
    assert error < 1e-12


def test_a_cusp_away_from_the_origin_and_two_of_them() -> None:
    shifted = moments.integrated(FLOAT64, function_of("sqrt(abs(x-0.3))"), moments.Moments(0.3, 0.9, 0.1))
    centred = moments.integrated(FLOAT64, function_of("sqrt(abs(x))"), moments.Moments(0, 0.9, 0.1))
    assert shifted.var_chi == pytest.approx(centred.var_chi, rel=1e-13)
    assert function_of("sqrt(max(1-x**2,0))").cusps == (Fraction(-1), Fraction(1))
    second = panels.second_moment(FLOAT64, function_of("sqrt(max(1-x**2,0))"), np.float64(1), np.float64(0))
    assert second == pytest.approx(2 * float(mpmath.npdf(1)), rel=1e-14)  # E (1 - x^2) over |x| < 1


def test_smooth_formulas_and_plain_kinks_have_no_cusps() -> None:
    for formula in ("gelu", "relu", "abs(x)**1.5", "x/(1+abs(x))", "elu"):
        assert function_of(formula).cusps == ()


def test_a_maximum_across_a_cusp_states_its_error() -> None:
    with pytest.warns(igb.AccuracyWarning, match="cusp at x = 0"):
        prediction = igb.mlp(1, "sign(x)*sqrt(abs(x))", pool=2, sigma_b2=0.1).predict()
    assert prediction.error < 0.1


def test_many_digits_of_a_cusp() -> None:
    found = igb.mlp(1, "abs(x)**0.5").predict(digits=8).gamma
    assert float(found) == pytest.approx(igb.mlp(1, "abs(x)**0.5").predict().gamma, rel=1e-11)
