"""Formulas with cusps, kinks beside which the slope is singular, against parabolic cylinder functions."""

# which of several types a result has is known here
# mypy: disable-error-code="operator"

from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

import igbtheory as igb

FORMULAS = {
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


def _expected(formula: str, mean: float, var_mu: float, var_chi: float) -> tuple[Any, Any]:
    """Product of the means of two data, and var_chi, of phi(h)."""
    with mpmath.workdps(18):
        centre, along, across = mpmath.mpf(mean), mpmath.sqrt(var_mu), mpmath.sqrt(var_chi)
        whole = mpmath.hypot(along, across)
        average, second = _mean(formula, centre, whole), _mean(formula, centre, whole, 2)
        cusp, width = -centre / along, across / along
        ends = {cusp + side * width * 2**j for j in range(0, 14, 3) for side in (-1, 1)} | set(range(-12, 13, 3))

        def scatter(u: Any) -> Any:
            return (_mean(formula, centre + along * u, across) - average) ** 2 * mpmath.npdf(u)

        shared = mpmath.quad(scatter, sorted(x for x in ends if abs(x) <= 12), maxdegree=4)
        return average**2 + shared, second - average**2 - shared


@pytest.mark.slow
@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.filterwarnings("ignore::igbtheory.AccuracyWarning")
def test_the_error_of_a_cusp_does_not_understate(formula: str) -> None:
    rest = 10.0 ** np.random.default_rng(5).uniform(-9, -1)
    net = igb.Network(igb.Dense(1 - rest), igb.Activation(formula), igb.Dense(1.0))
    one = igb.GaussianInputs(shift=1.0, variance=rest / (1 - rest))
    found = net.predict(one)
    product, own = _expected(formula, 0.0, 1 - rest, rest)
    assert abs(found.var_chi / float(own) - 1) <= float(found.error) + 1e-15
    assert abs(found.var_mu / float(product) - 1) <= float(found.error) + 1e-15


def test_gamma_of_a_cusp() -> None:
    for depth in (1, 2):
        prediction = igb.mlp(depth, "abs(x)**0.5", sigma_b2=0.1).predict()
        assert prediction.error < 1e-10  # averages of values, where no variance is small, need no slope
        if depth == 1:
            assert prediction.gamma == pytest.approx(5.8388475726691644, rel=1e-11)


def test_a_maximum_across_a_cusp_states_its_error() -> None:
    with pytest.warns(igb.AccuracyWarning, match="cusp"):
        prediction = igb.mlp(1, "sign(x)*sqrt(abs(x))", pool=2, sigma_b2=0.1).predict()
    assert prediction.error < 1e-4
