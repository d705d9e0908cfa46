"""Powers of either sign against integrals over the angle of a pair, whose length has the moment 2^p Gamma(p + 1)."""

from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy as sp
from repeated import slow

import igbtheory as igb
from igbtheory.formulas import FUNCTIONS, function_of
from igbtheory.layers.nodes.gaussian import GaussianPairs
from igbtheory.mathematics.averages.state import Pairs
from igbtheory.mathematics.formulas.catalogue.powers import Powers
from igbtheory.numbers import FLOAT64, Multiprecision

HALVES, LOPSIDED = "max(x, 0)**1.5", "where(x > 0, pi*x**2.2, -2*(-x)**2.2)"
FORMULAS = {
    HALVES: (Fraction(3, 2), 0, 1),
    "abs(x)**0.1": (Fraction(1, 10), 1, 1),
    LOPSIDED: (Fraction(11, 5), -2, mpmath.pi),
}
"""Power, and the factors on the left and on the right."""
MANY = Multiprecision(14)


def _over_angles(name: str, theta: Any, of_pair: Any) -> Any:
    """Mean of of_pair(phi(u), phi(v)), of degree 2p, of standard normal u and v with the angle theta between them."""
    p, left, right = FORMULAS[name]
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
        pairs = Pairs(q[:, None], q[None, :], off, np.eye(2, dtype=bool), error, of_scale)
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
