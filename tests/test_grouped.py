"""GroupNorm through networks: its limits, exact values, errors, sweeps, batches behind it."""

# which of several types a result has is known here
# mypy: disable-error-code="arg-type"

from typing import Any

import mpmath
import numpy as np
import pytest
from repeated import slow
from scipy.special import gammaln, hyp2f1

import igbtheory as igb
from igbtheory import Activation, AvgPool, BatchNorm, Dense, GroupNorm, LayerNorm

pytestmark = pytest.mark.filterwarnings("ignore::igbtheory.EstimateWarning")
SIGMAS = 5.5
"""Standard errors: the comparisons of this file exceed them by chance less than once in a million."""


def behind(*hidden: Any, bias: float = 0.4) -> Any:
    return igb.Network(Dense(1.0, bias), *hidden, Dense(1.0)).predict()


@pytest.mark.parametrize("name", ["relu", slow("tanh"), slow("min(max(x, -1), 1)")])
def test_large_groups_are_layernorm(name: str) -> None:
    layer = behind(LayerNorm(), Activation(name))
    found = [behind(GroupNorm(size), Activation(name)) for size in (20, 400)]
    away = [abs(p.var_mu - layer.var_mu) + abs(p.var_chi - layer.var_chi) for p in found]
    # the law differs by terms of the order 1/size
    assert away[0] < 0.15
    assert away[1] < 0.055 * away[0] + 1e-12


@pytest.mark.parametrize("size", [2, 4, 9])
def test_odd_activations_have_no_bias(size: int) -> None:
    for name in ("tanh", "x", "sin"):
        assert behind(GroupNorm(size), Activation(name), bias=0.0).gamma == 0


@pytest.mark.parametrize("bias", [0.01, 0.3, 3.0, 100.0])
@pytest.mark.parametrize("size", [2, slow(3), 8])
def test_the_error_covers_the_mean_sample_correlation(size: int, bias: float) -> None:
    """Identity behind groups: the covariance is the mean sample correlation, Hotelling's series in c."""
    p = behind(GroupNorm(size), bias=bias)
    d, c = size - 1, bias / (1 + bias)
    series = c * hyp2f1(0.5, 0.5, d / 2 + 1, c * c)
    var_mu = 2 / d * np.exp(2 * gammaln((d + 1) / 2) - 2 * gammaln(d / 2)) * series
    assert abs(p.var_mu - var_mu) <= p.error * var_mu
    assert abs(p.var_chi - (1 - var_mu)) <= p.error * (1 - var_mu)
    assert p.error < 0.05


def test_data_that_share_nothing_are_exact() -> None:
    """Units of groups of four are uniform on (-sqrt(3), sqrt(3)): E relu = sqrt(3)/4, half of the square is left."""
    net = igb.Network(Dense(2.0), GroupNorm(4), Activation("relu"), Dense(2.0))
    assert net.predict().gamma == pytest.approx(0.6, rel=1e-14)
    assert net.predict().estimated == ()
    with mpmath.workdps(60):
        assert abs(net.predict(digits=40).gamma - mpmath.mpf(3) / 5) < mpmath.mpf(10) ** -40
    with pytest.raises(ValueError, match=r"closed forms|has none behind"):
        igb.Network(Dense(1.0, 0.1), *net.layers[1:]).derive()


@pytest.mark.parametrize(("size", "eps"), [(2, 0.0), (3, 0.3), (8, 0.3)])
def test_simulated_groups(size: int, eps: float) -> None:
    q, c = 2.5, 0.6
    p = igb.Network(Dense(1.0, 1.5), GroupNorm(size, eps=eps), Activation("relu"), Dense(1.0)).predict()
    z = np.random.default_rng(size).standard_normal((2, 200_000, size)) * np.sqrt(q)
    a, b = (
        np.maximum((x[:, 0] - x.mean(axis=1)) / np.sqrt(x.var(axis=1) + eps), 0)
        for x in (z[0], c * z[0] + np.sqrt(1 - c * c) * z[1])
    )
    shared, apart = a * b, (a - b) ** 2 / 2
    # behind the last Dense var_mu is that of mean^2 + var_mu in front of it
    assert abs(shared.mean() - p.var_mu) < SIGMAS * shared.std() / np.sqrt(shared.size) + p.error * p.var_mu
    assert abs(apart.mean() - p.var_chi) < SIGMAS * apart.std() / np.sqrt(apart.size) + p.error * p.var_chi


def test_a_sweep_is_its_points() -> None:
    biases = np.array([0.0, 0.3, 5.0])
    together = igb.Network(Dense(1.0, biases), GroupNorm(3), Activation("relu"), Dense(2.0)).predict()
    for bias, var_mu, var_chi in zip(biases, together.var_mu, together.var_chi, strict=True):
        one = igb.Network(Dense(1.0, bias), GroupNorm(3), Activation("relu"), Dense(2.0)).predict()
        assert (one.var_mu, one.var_chi) == (var_mu, var_chi)


@pytest.mark.slow
def test_constant_batches_behind_groups() -> None:
    """A datum is negative with probability 1/2, in pairs of data as their correlation says: 1/4 + asin(c)/(2 pi)."""
    c = 0.3
    first = Dense(0.7, c)
    both = 0.25 + np.arcsin(c) / (2 * np.pi)
    last = (BatchNorm(2), Dense(1.0))
    for hidden, value in (
        ((GroupNorm(4), Activation("relu")), 1 - both),
        ((GroupNorm(2),), 1 - 2 * both),
    ):
        with pytest.warns(igb.EstimateWarning, match=r"BatchNorm\(2\) ha(s|ve) no exact rule"):
            found = igb.Network(first, *hidden, *last).predict()
        assert abs(found.var_chi - value) <= found.error * value
        assert found.error < 1e-2


@pytest.mark.slow  # as test_own_layers, which pools drawn units
def test_units_of_groups_are_pooled_by_draws() -> None:
    """The average of both units of a group of two is 0."""
    found = igb.Network(Dense(1.0), GroupNorm(2), AvgPool(2), Dense(1.0, 0.5)).predict()
    assert (found.var_mu, found.var_chi, found.estimated) == (0.5, 0, (AvgPool(2),))
