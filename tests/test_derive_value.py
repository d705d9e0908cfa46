"""`Derivation.value` is right to double precision, however much its formula cancels."""

import mpmath
import numpy as np
import pytest
import sympy as sp
from sympy.core.symbol import Str

import igbtheory as igb
from igbtheory.theory.derivation.average import GaussianAverage, Phi
from igbtheory.theory.derivation.evaluated import number

MP = mpmath.mp.clone()
MP.dps = 40


GAMMA = 314743.35181675098859
"""Of E x_a x_b, the integral to 40 digits over what two data share, given which the mean of hardswish is elementary."""


def test_nearly_equal_data_keep_their_digits() -> None:
    """var_chi is printed as E x^2 - E x_a x_b, whose first five digits are equal."""
    net = igb.Network(igb.Dense(1.234, 30), igb.Activation("hardswish"), igb.Dense(1.0))
    assert net.derive(igb.GaussianInputs(-3, 1e-4)).value() == pytest.approx(GAMMA, rel=1e-14)


def test_a_mean_that_is_nearly_all_keeps_its_digits() -> None:
    """var_mu is printed as E x_a x_b - (E x)^2: for small biases it is their variance times (E phi'(h))^2."""
    small = 1e-9
    net = igb.Network(igb.Dense(1.0, small), igb.Activation("softplus"), igb.LayerNorm(), igb.Dense(1.0))
    slope = MP.mpf(1) / 2  # E sigmoid(h)
    mean = MP.quad(lambda u: MP.log1p(MP.exp(u)) * MP.npdf(u), [-14, 0, 14])
    square = MP.quad(lambda u: MP.log1p(MP.exp(u)) ** 2 * MP.npdf(u), [-14, 0, 14])
    assert net.derive().value() == pytest.approx(float(slope**2 * small / (square - mean**2)), rel=1e-8)


def test_what_double_precision_cannot_tell_apart_is_computed_with_more_digits() -> None:
    """The slope of E tanh(h)^2 in the variance of h, as a quotient of differences."""

    def square(q: sp.Rational) -> GaussianAverage:
        return GaussianAverage(
            Str("square"), Phi(igb.Activation("tanh").phi), sp.Integer(1), sp.Integer(0), sp.Integer(0), q
        )

    distance = "1e-11"
    apart = sp.Rational(distance)
    found = number((square(1 + apart) - square(sp.Integer(1))) / apart, 1e-13)

    def by_quadrature(q: mpmath.mpf) -> mpmath.mpf:
        root = MP.sqrt(q)
        return 2 * MP.quad(lambda u: MP.tanh(root * u) ** 2 * MP.npdf(u), np.linspace(0, 14, 8).tolist())

    step = MP.mpf(distance)
    expected = (by_quadrature(1 + step) - by_quadrature(MP.mpf(1))) / step
    assert abs(MP.mpf(str(found)) / expected - 1) < 1e-13
