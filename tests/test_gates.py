"""Gates: their second moments are products, against quadrature and the rules of their factors."""

# what is wrong is passed on purpose, and which of several types a result has is known here
# mypy: disable-error-code="union-attr"

from typing import Any

import numpy as np
import pytest
from scipy import integrate, special, stats

import igbtheory as igb
from igbtheory.phases import gradients

DENSE, LAST = igb.Dense(2.0, 0.3), igb.Dense(1.0)


@pytest.mark.parametrize("inputs", [None, igb.GaussianInputs(0.4), "digits"])
def test_second_moments_are_products(inputs: Any) -> None:
    data = igb.standardised(igb.digits())[:30] if isinstance(inputs, str) else inputs
    gate, alone, gating = (
        igb.Network(DENSE, layer, LAST).predict(data) if layer else igb.Network(DENSE, LAST).predict(data)
        for layer in (igb.ReGLU(), None, igb.Activation("relu"))
    )
    if isinstance(inputs, str):
        product = alone.dataset.kernel() * gating.dataset.kernel()
        np.testing.assert_allclose(gate.dataset.kernel(), product, rtol=1e-13)
    else:
        assert gate.var_mu == pytest.approx(alone.var_mu * gating.var_mu, rel=1e-13)
        total = (alone.var_mu + alone.var_chi) * (gating.var_mu + gating.var_chi)
        assert gate.var_mu + gate.var_chi == pytest.approx(total, rel=1e-13)


@pytest.mark.parametrize("front", ["linear", "relu"])
def test_gradients_are_those_of_both_factors(front: str) -> None:
    """Behind units f(h), here the identity or relu: E f'^2 E sigmoid(f)^2 + E f^2 E (sigmoid'(f) f')^2."""

    def mean(of: Any) -> float:
        return float(integrate.quad(lambda z: of(z) * stats.norm.pdf(z), -12, 12, points=[0])[0])

    def f(z: float) -> float:
        return z if front == "linear" else max(z, 0.0)

    def slope(z: float) -> float:
        return float(front == "linear" or z > 0)

    gating = mean(lambda z: (special.expit(f(z)) * special.expit(-f(z)) * slope(z)) ** 2)
    expected = (
        mean(lambda z: slope(z) ** 2) * mean(lambda z: special.expit(f(z)) ** 2) + mean(lambda z: f(z) ** 2) * gating
    )
    found = gradients(igb.Network(igb.Dense(1.0), igb.Activation(front), igb.GLU(), LAST)).factor
    assert found[0] == pytest.approx(expected, rel=1e-10)


def test_an_odd_number_of_units_is_refused() -> None:
    with pytest.raises(ValueError, match=r"expected a number of units that GLU\(2\) divides, got 3"):
        igb.GLU().samples(np.zeros((2, 3)), np.random.default_rng(0), 1)
