"""Sums of x^k exp(a x) with complex a, against Gauss-Hermite sums of the same averages and against many digits."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import igbtheory as igb
from igbtheory.formulas import function_of
from igbtheory.mathematics.averages import waves
from igbtheory.numbers import FLOAT64, Multiprecision

FORMULAS: dict[str, Callable[[Any], Any]] = {
    "x**2*cos(3*x) - x": lambda x: x**2 * np.cos(3 * x) - x,
    "exp(x/2)*sin(2*x + 1) + x**3": lambda x: np.exp(x / 2) * np.sin(2 * x + 1) + x**3,
    "expm1(x/4)*cos(x)**2": lambda x: np.expm1(x / 4) * np.cos(x) ** 2,
}


@pytest.mark.parametrize("point", [(0.0, 0.5, 0.5), (0.3, 0.2, 1e-4), (0.0, 1e-5, 1.0)])
@pytest.mark.parametrize("name", FORMULAS)
def test_waves_against_sums(name: str, point: tuple[float, float, float]) -> None:
    phi = function_of(name)
    known = waves.terms(FLOAT64, phi)
    assert known is not None
    mean, var_mu, var_chi, error = waves.moments(FLOAT64, known, phi.parity, *map(np.float64, point))
    z, weights = np.polynomial.hermite_e.hermegauss(120)
    weights /= weights.sum()
    values = FORMULAS[name](point[0] + np.sqrt(point[1]) * z[:, None] + np.sqrt(point[2]) * z)
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


@pytest.mark.parametrize("name", FORMULAS)
def test_waves_of_unequal_variances(name: str) -> None:
    phi, q_a, q_b, q_ab, mean = function_of(name), 0.7, 1.3, -0.4, 0.2
    known = waves.terms(FLOAT64, phi)
    assert known is not None
    found, error = waves.pairs(FLOAT64, known, (np.float64(q_a), np.float64(q_b), np.float64(q_ab)), np.float64(mean))
    z, weights = np.polynomial.hermite_e.hermegauss(120)
    weights /= weights.sum()
    along, across = q_ab / np.sqrt(q_a), np.sqrt(q_b - q_ab**2 / q_a)
    given = FORMULAS[name](mean + along * z[:, None] + across * z) @ weights
    assert found == pytest.approx(weights @ (FORMULAS[name](mean + np.sqrt(q_a) * z) * given), rel=1e-11)
    assert error < 1e-12
    scaled = {key: 1000 * factor for key, factor in known.items()}
    of_scaled = waves.pairs(FLOAT64, scaled, (np.float64(q_a), np.float64(q_b), np.float64(q_ab)), np.float64(mean))
    assert of_scaled[1] == pytest.approx(error, rel=1e-6)  # it is relative
