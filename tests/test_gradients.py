"""Squared gradients: twins through the law faces, and closed values; `faces` adds noise to units of finite networks."""

# what is wrong is passed on purpose, and which of several types a result has is known here
# mypy: disable-error-code="arg-type, list-item"

import math
from typing import Any

import mpmath
import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st
from repeated import slow

import igbtheory as igb
from igbtheory.mathematics.formulas import FUNCTIONS
from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.phases import gradients

NORMED = math.pi / (math.pi - 1)
CONTINUOUS = sorted(name for name, phi in FUNCTIONS.items() if not any(phi.pieces.jumps(FLOAT64)))
LIMITED = settings(max_examples=5, deadline=None)
CLOSE = 1e-24
"""Share of the variance by which twins differ."""


# the laws


@settings(max_examples=8, deadline=None)
@given(
    st.sampled_from(CONTINUOUS),
    st.floats(0.1, 10),
    st.sampled_from([1, 2, 3]),
    st.sampled_from(["", "", "x - 1/2", "x + 1/4"]),
)
def test_twins_part_by_the_slope_of_the_activation(name: str, q: float, m: int, shift: str) -> None:
    if m > 1 and (shift or not FUNCTIONS[name].closed):
        m = 1  # maxima of formulas without closed forms take long
    hidden = [igb.Activation(shift)] if shift else []
    hidden += [igb.MaxPool(m), igb.Activation(name), igb.Dense(1.7)]
    twins = igb.Network(igb.Dense(q * CLOSE, q * (1 - CLOSE)), *hidden).predict()
    factor = gradients(igb.Network(igb.Dense(q), *hidden)).factor[0]
    # kinks: the slope changes over a distance of sqrt(CLOSE)
    assert twins.var_chi / (q * CLOSE) == pytest.approx(factor, rel=1e-9)


@LIMITED
@given(st.sampled_from(CONTINUOUS), st.floats(0.3, 3), st.sampled_from(["layer", "rms", "batch", None]))
def test_squared_gradients_are_the_products_of_the_factors(name: str, sigma_w2: float, norm: str | None) -> None:
    found = gradients(igb.mlp(3, name, norm=norm, sigma_w2=sigma_w2, sigma_b2=0.1))
    assert found.factor.shape == (3,)
    assert found.squared == pytest.approx(np.append(np.cumprod(found.factor[::-1])[::-1], 1.0), rel=1e-14)
    assert math.exp(np.log(found.factor).mean()) == pytest.approx(found.growth, rel=1e-13)


@LIMITED
@given(
    st.sampled_from([name for name in CONTINUOUS if FUNCTIONS[name].degree == 1]),
    st.sampled_from(["layer", "batch", "rms"]),
    st.sampled_from(["before", "after"]),
    st.floats(0.01, 100),
)
def test_behind_a_norm_the_scale_of_the_weights_counts_for_nothing(
    name: str, norm: str, placement: str, sigma_w2: float
) -> None:
    one, other = (
        gradients(igb.mlp(3, name, norm=norm, placement=placement, sigma_w2=s)).factor for s in (1.0, sigma_w2)
    )
    assert other[1:] == pytest.approx(one[1:], rel=1e-12)


def test_rounding_at_a_kink_is_no_jump() -> None:
    # the clip of hardsigmoid begins at x = -2.5 here, where the formula is 0 only up to rounding
    found = gradients(
        igb.Network(igb.Dense(1.0), igb.Activation("x - 1/2"), igb.Activation("hardsigmoid"), igb.Dense())
    )
    inside = scipy.special.ndtr(3.5) - scipy.special.ndtr(-2.5)
    assert found.factor[0] == pytest.approx(2.0 * inside / 36, rel=1e-12)


# values


@pytest.mark.parametrize(
    ("options", "factor"),
    [
        ({"norm": "batch"}, NORMED),
        ({"norm": "batch", "placement": "after"}, NORMED),
        ({"norm": "layer", "placement": "after"}, NORMED),
        ({"norm": "layer", "sigma_w2": 0.3}, 1.0),
        ({"norm": "layer", "sigma_w2": 7.0}, 1.0),
        ({"norm": "rms"}, 1.0),
        ({"norm": "rms", "placement": "after"}, 1.0),
        ({"sigma_w2": 1.2}, 0.6),
        ({"pool": igb.AvgPool(2), "sigma_w2": 3.0}, 0.75),
        ({"pool": 2, "sigma_w2": 4 / 3}, 1.0),
        ({"pool": igb.Dropout(0.2), "sigma_w2": 2.0}, 1.25),
    ],
)
def test_relu_has_the_factors_of_the_formulas(options: dict[str, Any], factor: float) -> None:
    found = gradients(igb.mlp(4, "relu", **options))
    assert found.factor[1:] == pytest.approx(factor, rel=1e-13)
    assert np.all(found.error < 1e-12)


def test_many_digits_agree_with_the_formula_and_with_double_precision() -> None:
    found = gradients(igb.mlp(2, "relu", norm="batch"), digits=40)
    with mpmath.workdps(45):
        assert abs(found.factor[-1] - mpmath.pi / (mpmath.pi - 1)) < mpmath.mpf(10) ** -38
    erf = igb.mlp(2, "erf", norm="layer", placement="after", sigma_w2=1.5, sigma_b2=0.1)
    assert gradients(erf).factor == pytest.approx(gradients(erf, digits=20).factor.astype(float), rel=1e-12)


def test_slopes_of_tanh_agree_with_quadrature_in_many_digits() -> None:
    q, sigma_w2 = mpmath.mpf("1.7"), mpmath.mpf("1.3")
    with mpmath.workdps(30):
        mean = mpmath.quad(
            lambda z: mpmath.sech(mpmath.sqrt(q) * z) ** 4 * mpmath.npdf(z), [-mpmath.inf, -1, 0, 1, mpmath.inf]
        )
    net = igb.Network(igb.Dense(1.7), igb.Activation("tanh"), igb.Dense(1.3))
    assert gradients(net).factor[0] == pytest.approx(float(sigma_w2 * mean), rel=1e-13)


# behind an eps, moments are estimated from draws, which takes five seconds, though gradients need none of them
@pytest.mark.parametrize("eps", [0.0, slow(0.05)])
def test_batchnorm_over_units_of_different_centres_agrees_with_plain_quadrature(eps: float) -> None:
    net = igb.Network(igb.Dense(1.5, 0.4), igb.Activation("relu"), igb.BatchNorm(eps=eps), igb.Dense(2.0))
    u = np.linspace(-10, 10, 2001)
    t = math.sqrt(0.4 / 1.5) * u
    above, density = scipy.special.ndtr(t), np.exp(-t * t / 2) / math.sqrt(2 * math.pi)
    variance = 1.5 * ((t * t + 1) * above + t * density - (t * above + density) ** 2)
    weights = (u[1] - u[0]) * np.exp(-u * u / 2) / math.sqrt(2 * math.pi)
    assert gradients(net).factor[0] == pytest.approx(2.0 * float(weights @ (above / (variance + eps))), rel=1e-12)


# bad input


@pytest.mark.parametrize(
    ("net", "match"),
    [
        (igb.mlp(2, "sign"), "jumps .*at 0"),
        (igb.mlp(2, "sqrt(abs(x))"), "mean square"),
        (igb.mlp(2, "relu", norm="batch", batch_size=8, placement="after"), "directly behind each Dense"),
        (igb.mlp(2, "relu", norm="batch", batch_size=8, pool=2), "other layers to be activations"),
        (igb.mlp(2, "relu", norm="batch", batch_size=3), "more than 3 data"),
        (igb.Network(igb.Dense(2.0), igb.GroupNorm(8), igb.Activation("relu"), igb.Dense(2.0)), "estimated from draws"),
        (igb.mlp(2, "relu", norm="batch", placement="after", sigma_b2=0.1, pool=2), "units of different centres"),
        (
            igb.mlp(2, "relu", norm="batch", placement="after", sigma_b2=0.1, pool=igb.AvgPool(2)),
            "units of different centres",
        ),
        (
            igb.Network(igb.Dense(1.0, 0.1), igb.MaxPool(2), igb.BatchNorm(), igb.Dense(1.0)),
            "units of different centres",
        ),
        (igb.Network(igb.Dense(2.0)), "hidden layer"),
        (igb.mlp(2, "relu", sigma_w2=0.0), "variance after Dense"),
    ],
)
def test_what_has_no_known_gradient_is_refused(net: igb.Network, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        gradients(net)


@pytest.mark.parametrize("batch", [4, 9, 500])
def test_gradients_in_batches_have_the_formulas_of_relu_and_of_linear_networks(batch: int) -> None:
    """For ReLU with the mean product R = E relu(b_a) relu(b_b) of a batch, whose correlation is c = -1/(n - 1)."""
    c = -1 / (batch - 1)
    pair = (np.sqrt(1 - c * c) + c * (np.pi - np.arccos(c))) / (2 * np.pi)
    inner = (batch / 2 - 0.75 + np.arcsin(c) / (2 * np.pi) + pair) / ((batch - 3) * (0.5 - pair))
    last = (batch - 2) / (2 * (batch - 3) * (0.5 - pair))
    found = gradients(igb.mlp(3, "relu", norm="batch", batch_size=batch)).factor
    assert found[1:] == pytest.approx([inner, last], rel=1e-11)
    linear = gradients(igb.mlp(3, "linear", norm="batch", batch_size=batch)).factor
    assert linear[1] == pytest.approx((batch - 2) / (batch - 3), rel=1e-11)


def test_gradients_in_batches_are_those_of_networks() -> None:
    """Of 60 networks of width 150, a sum of the outputs of 8 data with random signs, whose mean is that over the data.

    Networks of width 100 have gradients that are up to 1 % larger than those of width 400.
    """
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    squares = []
    for _ in range(60):
        x, units = torch.randn(8, 150, requires_grad=True), []
        for _ in range(3):
            z = x @ (torch.randn(150, 150) * (2 / 150) ** 0.5)
            units.append(z)
            x = torch.relu((z - z.mean(0)) / z.std(0, unbiased=False))
        output = torch.randn(8).sign() @ x @ (torch.randn(150) * (2 / 150) ** 0.5)
        squares.append([float((g**2).sum()) / 8 for g in torch.autograd.grad(output, units)] + [1.0])
    found, mean = np.array(squares), np.mean(squares, axis=0)
    expected = gradients(igb.mlp(3, "relu", norm="batch", batch_size=8)).factor
    errors = np.std(found[:, :-1] / mean[:-1] - found[:, 1:] / mean[1:], axis=0) * expected / 60**0.5
    assert np.all(np.abs(mean[:-1] / mean[1:] - expected) < 5 * errors + 0.01 * expected)
    assert np.all(errors < 0.05 * expected)


def test_a_data_set_is_refused_with_the_remedy() -> None:
    with pytest.raises(TypeError, match="sweeps over the data"):
        gradients(igb.mlp(2, "tanh"), np.ones((3, 4)))


@pytest.mark.slow
def test_deep_networks_do_not_lose_the_factors_with_the_distance_of_data() -> None:
    # 3000 layers on, data differ by less than the smallest number, and factors are what they were
    found = gradients(igb.mlp(3000, "tanh", sigma_w2=1.0, sigma_b2=0.1))
    assert found.factor[-1] == pytest.approx(found.factor[1000], rel=1e-9)
    assert found.squared[0] == 0


def test_a_sweep_over_activations_has_the_factors_of_each() -> None:
    def net(slope: Any) -> igb.Network:
        phi = igb.Activation("where(x>0, x, a*x)", a=slope)
        return igb.Network(igb.Dense(2.0), phi, igb.Dense(2.0, 0.1), igb.LayerNorm(), phi, igb.Dense(1.0))

    slopes = np.array([0.0, 0.3, 1.0])
    together, alone = gradients(net(slopes)), [gradients(net(slope)).factor for slope in slopes]
    assert together.factor == pytest.approx(np.stack(alone, axis=-1), rel=1e-14)
