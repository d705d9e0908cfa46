"""Residual networks: growth with depth in closed form, and the limit of continuous depth."""

# which of several types a result has is known here
# mypy: disable-error-code="index, union-attr"

import math

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st
from repeated import slow

import igbtheory as igb
from igbtheory.phases import gradients, residual_limit

LIMITED = settings(max_examples=4, deadline=None)


def network(
    scale: float, blocks: int = 1, activation: str = "relu", sigma_w2: float = 2.0, sigma_b2: float = 0.0
) -> igb.Network:
    block = igb.Residual(igb.Activation(activation), igb.Dense(sigma_w2, sigma_b2), scale=scale)
    return igb.Network(igb.Dense(1.0), *[block] * blocks, igb.Dense(1.0))


@LIMITED
@given(st.floats(0.01, 1.5), st.floats(0.2, 4), st.integers(1, 30))
def test_relu_blocks_multiply_variance_and_gradient_by_one_number(scale: float, sigma_w2: float, blocks: int) -> None:
    net, a = network(scale, blocks, sigma_w2=sigma_w2), scale**2 * sigma_w2 / 2
    per_layer = net.predict().per_layer
    assert (per_layer.var_mu + per_layer.var_chi)[-1] == pytest.approx((1 + a) ** blocks, rel=1e-12)
    assert gradients(net).factor[:-1] == pytest.approx(1 + a, rel=1e-13)


def test_plain_relu_blocks_grow_exponentially_and_their_bias_as_the_square_of_depth() -> None:
    # 1 - c falls by (a/(1 + a)) (2 sqrt 2/(3 pi)) (1 - c)^(3/2) a block, a = sigma_w2/2 = 1
    gamma = network(1.0, 450).predict().per_layer.gamma
    # the next order is log(l)/l
    assert gamma[450] / 450**2 == pytest.approx((1 / 2) ** 2 * 2 / (9 * math.pi**2), rel=0.1)


@LIMITED
@given(st.floats(0.2, 2), st.floats(0.2, 4))
def test_the_limit_of_relu_blocks_is_the_closed_form(scale: float, sigma_w2: float) -> None:
    found, a = residual_limit(network(scale, sigma_w2=sigma_w2)), scale**2 * sigma_w2 / 2
    assert found.gradients.factor[0] == pytest.approx(math.exp(a), rel=1e-11)
    prediction = found.prediction
    assert prediction.var_mu + prediction.var_chi == pytest.approx(math.exp(a), rel=1e-11)

    # dc/dt = a (kappa_1(c) - c), c = cos theta: a/pi = int_theta^(pi/2) d theta/(1 - theta cot theta)
    def left(theta: float) -> float:
        return float(scipy.integrate.quad(lambda x: 1 / (1 - x / math.tan(x)), theta, math.pi / 2, epsabs=1e-13)[0])

    theta = scipy.optimize.brentq(lambda x: left(x) - a / math.pi, 0.05, math.pi / 2, xtol=1e-14)
    assert prediction.c == pytest.approx(math.cos(theta), rel=1e-10)


@pytest.mark.parametrize(("activation", "sigma_b2"), [("relu", 0.2), slow(("tanh", 0.1))])
def test_blocks_approach_the_limit_as_one_over_their_number(activation: str, sigma_b2: float) -> None:
    limit = residual_limit(network(1.3, activation=activation, sigma_b2=sigma_b2))
    missing = []
    for blocks in (10, 100, 400):
        net = network(1.3 / math.sqrt(blocks), blocks, activation, sigma_b2=sigma_b2)
        prediction, squared = net.predict(), gradients(net).squared[0]
        pairs = [
            (prediction.var_mu, limit.prediction.var_mu),
            (prediction.var_chi, limit.prediction.var_chi),
            (squared, limit.gradients.squared[0]),
        ]
        missing.append([blocks * (a / b - 1) for a, b in pairs])
    # the next order, 1/L, changes the constant by a few percent from 100 to 400 blocks
    assert missing[2] == pytest.approx(missing[1], rel=0.05, abs=1e-3)
    assert np.all(np.abs(missing) < 3)


@pytest.mark.slow
def test_the_error_of_the_limit_covers_what_more_accuracy_changes() -> None:
    found = residual_limit(network(1.0, activation="tanh", sigma_b2=0.1)).prediction
    assert np.all(found.per_layer.error < 1e-8)
    q, steps = [1.0], 4000

    def rate(x: float) -> float:  # q' = sigma_w2 E tanh^2 + sigma_b2
        z = np.linspace(-9, 9, 181)
        return float(2 * 0.1 * np.exp(-z * z / 2) @ np.tanh(math.sqrt(x) * z) ** 2 / math.sqrt(2 * math.pi) + 0.1)

    for _ in range(steps):  # midpoint rule, error 1/steps^2
        q.append(q[-1] + rate(q[-1] + rate(q[-1]) / (2 * steps)) / steps)
    assert found.var_mu + found.var_chi == pytest.approx(q[-1], rel=1e-7)


def test_a_sweep_is_the_limit_point_by_point() -> None:
    scales = np.array([[0.5], [1.0]])
    block = igb.Residual(igb.Activation("relu"), igb.Dense(np.array([1.0, 2.0])), scale=scales)
    swept = residual_limit(igb.Network(igb.Dense(1.0), block, igb.Dense(1.0))).prediction.gamma
    assert swept.shape == (2, 2)
    one = residual_limit(network(0.5, sigma_w2=2.0)).prediction.gamma
    assert swept[0, 1] == pytest.approx(one, rel=1e-10)


@pytest.mark.parametrize(
    ("block", "match"),
    [
        (igb.Residual(igb.Dense(2.0), igb.Activation("relu")), "mean 0"),
        (igb.Residual(igb.Residual(igb.Dense(1.0))), "multiple of its stream"),
        slow((igb.Residual(igb.Activation("x**3"), igb.Dense(1.0)), "range")),
        (igb.Residual(igb.BatchNorm(8), igb.Activation("tanh"), igb.Dense(1.0)), "use the full batch"),
        (igb.Activation("tanh"), "no depth"),
    ],
)
def test_what_has_no_limit_is_refused(block: igb.Residual, match: str) -> None:
    net = igb.Network(igb.Dense(1.0), block, igb.Dense(1.0))
    with pytest.raises(ValueError, match=match):
        residual_limit(net)
