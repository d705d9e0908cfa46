"""BatchNorm(eps) of the full batch behind anything: exact rules, closed forms, NumPy, large batches, networks."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from laws import law, through
from scipy import stats

import igbtheory as igb
from igbtheory import AvgPool, BatchNorm, Dense, Dropout, GroupNorm, LayerNorm, MaxPool, Residual, RMSNorm
from igbtheory.averages import gaussian
from igbtheory.averages.batches import share_of_full_batch
from igbtheory.averages.given_weights import given_weights
from igbtheory.averages.state import Moments
from igbtheory.formulas import function_of
from igbtheory.layers import Layer
from igbtheory.layers.estimated_share import JOINED, estimated_share
from igbtheory.layers.strata import Strata
from igbtheory.numbers import FLOAT64

RELU, TANH, STEP, LINEAR = map(igb.Activation, ("relu", "tanh", "step", "linear"))
Z = 5.0
"""Standard errors that a hundred draws leave unpassed, but once in 17,000 runs; the seeds are fixed."""


@pytest.mark.parametrize("name", ["relu", "tanh", "gelu", "abs", "step"])
def test_one_activation_has_its_exact_share(name: str) -> None:
    rng = np.random.default_rng(3)
    for c in (0.01, 0.3, 0.9, 0.99):
        eps, mean = 10 ** rng.uniform(-12, 4), rng.choice([0.0, 0.5])
        known, lost = share_of_full_batch(FLOAT64, function_of(name), (mean, 2.0 * c, 2.0 - 2.0 * c), eps)
        found, error = estimated_share(law(mean, 2.0, c).then(function_of(name)), None, eps)
        assert abs(found - known) < (error + lost) * known
        assert error < 1e-3


MIXED: list[tuple[Layer, ...]] = [
    (),
    (RELU,),
    (MaxPool(3), TANH),
    (MaxPool(2), igb.Activation("abs")),
    (STEP, MaxPool(2)),
    (RELU, AvgPool(3)),
    (MaxPool(2), RELU, AvgPool(2), AvgPool(2), Dropout(0.2)),
    (Dropout(0.3),),
    (RELU, LayerNorm(), AvgPool(2)),
    (RELU, RMSNorm(eps=0.1), Dropout(0.1)),
    (RELU, BatchNorm(law="evaluation", eps=0.5)),
    (RELU, AvgPool(2), Residual(Dense(1.0), RELU, AvgPool(1), Residual(Dense(0.5)), scale=0.7)),
    (RELU, Residual(Dense(0.5, 0.2)), Residual(LayerNorm(), Dense(1.0), TANH, scale=0.5), Residual(Dense(0.1))),
]


@pytest.mark.parametrize("c", [0.0, 0.4])
@pytest.mark.parametrize("layers", MIXED, ids=repr)
def test_spreads_of_a_law_have_its_moments(layers: tuple[Layer, ...], c: float) -> None:
    """Mean, var_mu, var_chi of a unit are the mean and the variance of its means, and the mean of its variances."""
    node = through(law(0.3, 1.3, c), *layers)
    x, count = node.averaged(), 200
    strata = Strata(np.random.default_rng(7), count)
    blocks = np.array([node.spread(strata, count) for _ in range(40)])
    mu, variance = blocks[:, 0], blocks[:, 1]
    # a block is in strata, so that its averages are nearly known, and blocks are independent
    for values, known in ((mu, x.mean), ((mu - x.mean) ** 2, x.var_mu), (variance, x.var_chi)):
        averaged = values.mean(axis=1)
        assert abs(averaged.mean() - known) < Z * stats.sem(averaged) + 1e-8 * (x.mean**2 + x.variance)


@pytest.mark.parametrize("m", [1, 2, 5, 1000])
@pytest.mark.parametrize("name", ["relu", "gelu", "abs", "x**3"])
def test_units_that_share_nothing_have_one_variance(name: str, m: int) -> None:
    phi = function_of(name)
    x = gaussian.moments(FLOAT64, phi, m, Moments(-0.7, np.float64(0), np.float64(2.0)))
    mean, variance = given_weights(phi, np.zeros((m, 3)), -0.7, 0.0, 2.0)
    # the error of a quadrature that `estimated_share` claims
    assert mean == pytest.approx(np.full(3, x.mean), rel=JOINED)
    assert variance == pytest.approx(np.full(3, x.var_chi), rel=JOINED)


@pytest.mark.parametrize("m", [1, 2])
def test_units_that_do_not_vary_over_the_data_give_nothing(m: int) -> None:
    found, error = estimated_share(law(c=1.0).largest(m).then(function_of("step")), None, 1e-5)
    assert found == 0
    assert error < 1e-14


@pytest.mark.parametrize("name", ["relu", "tanh", "step"])
def test_maxima_of_different_centres(name: str) -> None:
    """Against a sum over a fine grid of the distribution function; the last centres leave one unit alone."""
    phi, u = function_of(name), np.array([[0.0, -3.0, 2.0, 9.0], [0.0, 1.5, 1.0, -9.0]])
    mean, variance = given_weights(phi, u, 0.1, 0.6, 0.4)
    x = np.linspace(-13, 13, 200_001)  # the kinks at 0 among them
    for i, centres in enumerate(0.1 + np.sqrt(0.6) * u.T):
        mass = np.diff(np.prod([stats.norm.cdf((x - centre) / np.sqrt(0.4)) for centre in centres], axis=0))
        values = phi(FLOAT64, (x[1:] + x[:-1]) / 2)
        # intervals of 1.3e-4, whose square counts, against the width 0.6 of the law
        assert mean[i] == pytest.approx(mass @ values, rel=1e-6)
        assert variance[i] == pytest.approx(mass @ (values - mass @ values) ** 2, rel=1e-6)


@pytest.mark.parametrize("eps", [1e-5, 0.1])
def test_closed_forms(eps: float) -> None:
    # nodes of a normal variable, and the variance of a step given it, at c = 0.4
    u, weights = np.polynomial.hermite_e.hermegauss(100)
    weights = weights / weights.sum()
    step = stats.norm.cdf(np.sqrt(0.4 / 0.6) * u) * stats.norm.cdf(-np.sqrt(0.4 / 0.6) * u)
    dropped = (0.6 + 0.3 * (0.2 + np.sqrt(0.4) * u) ** 2) / 0.7
    cases: list[tuple[float, tuple[Layer, ...], Any]] = [
        (0.2, (Dropout(0.3),), weights @ (dropped / (dropped + eps))),
        (0.2, (LINEAR, Dropout(0.3)), weights @ (dropped / (dropped + eps))),
        (0.0, (STEP, BatchNorm(), Dropout(0.3)), 1 / (1 + 0.7 * eps)),
    ]
    two = np.add.outer(step, step) / 4
    cases.append((0.0, (STEP, AvgPool(2)), weights @ (two / (two + eps)) @ weights))
    for mean, layers, known in cases:
        found, error = estimated_share(through(law(mean, 1.0, 0.4), *layers), None, eps)
        assert abs(found - known) < error * known
        assert error < 1e-3


@pytest.mark.parametrize("size", [None, 4])
def test_a_scale_in_front_is_a_scale_of_eps(size: int | None) -> None:
    """Behind LayerNorm and RMSNorm the share is the exact one at eps times what they divide by."""
    node = through(law(0.3, 1.3, 0.4), RELU)
    once = through(node, LayerNorm(eps=3.0))
    first, second = (x.mean**2 + x.variance for x in (node.averaged(), once.averaged()))
    scale = (first - node.averaged().mean ** 2 + 3.0) * second
    found = through(once, RMSNorm(), BatchNorm(size, eps=0.1)).averaged()
    known = through(node, BatchNorm(size, eps=0.1 * scale)).averaged()
    assert found.variance == pytest.approx(known.variance, rel=1e-13)
    assert found.error < 1e-11


def relu(x: Any) -> Any:
    return np.maximum(x, 0)


UNITS, DATA = 2_000, 1_000
OWN: list[tuple[tuple[Layer, ...], Callable[..., Any]]] = [
    ((RELU, MaxPool(2)), lambda h, _: relu(h(2)).max(axis=1)),
    ((MaxPool(2), igb.Activation("abs"), AvgPool(2)), lambda h, _: (abs(h(2).max(1)) + abs(h(2).max(1))) / 2),
    ((RELU, AvgPool(3)), lambda h, _: relu(h(3)).mean(axis=1)),
    ((RELU, Dropout(0.3)), lambda h, rng: relu(h(1)[:, 0]) * (rng.random((UNITS, DATA)) > 0.3) / 0.7),
    ((STEP, Residual(Dense(0.5))), lambda h, _: (h(1)[:, 0] > 0) + np.sqrt(0.5) * h(1, 0.5, 1 / 3)[:, 0]),
]
"""Layers, and units behind them from normal ones of a variance and covariance: those of steps at c = 1/2 are 1/3."""


@pytest.mark.parametrize(("layers", "own"), OWN, ids=[repr(layers) for layers, _ in OWN])
def test_shares_are_those_of_numpy(layers: tuple[Layer, ...], own: Any) -> None:
    rng = np.random.default_rng(11)

    def h(units: int, q: float = 1.0, pair: float = 0.5) -> Any:
        common, alone = rng.standard_normal((UNITS, units, 1)), rng.standard_normal((UNITS, units, DATA))
        return np.sqrt(pair) * common + np.sqrt(q - pair) * alone

    v = own(h, rng).var(axis=1, ddof=1)
    share = v / (v + 0.1)
    x = through(law(c=0.5), *layers, BatchNorm(eps=0.1)).averaged()
    # the variance of V in a batch, 2 V^2/n and a few times that, moves the share by a few s (1 - s)/n
    assert abs(share.mean() - x.variance) < Z * stats.sem(share) + x.error * x.variance + 3 / DATA
    assert x.within is None
    assert x.error < 0.01


@pytest.mark.parametrize("layers", [(TANH, AvgPool(2)), (RELU, Dropout(0.3)), (RELU, Residual(Dense(0.5)))], ids=repr)
def test_large_batches_approach_the_full_one(layers: tuple[Layer, ...]) -> None:
    node = through(law(0.2, 1.0, 0.5), *layers)
    found, error = estimated_share(node, None, 1.0)
    large, lost = estimated_share(node, 1024, 1.0)
    assert abs(large - found) < error * found + lost * large + 3 / 1024


def test_a_sweep_is_its_points() -> None:
    def net(sigma_w2: Any) -> igb.Network:
        block = Residual(Dense(0.5), RELU, Dense(0.3), scale=0.5)
        return igb.Network(Dense(sigma_w2, 0.1), RELU, AvgPool(2), block, RMSNorm(), BatchNorm(eps=0.1), Dense(1.0))

    with pytest.warns(igb.AccuracyWarning, match="estimated from draws"):
        several = net(np.array([0.5, 2.0])).predict()
    for i, sigma_w2 in enumerate((0.5, 2.0)):
        with pytest.warns(igb.AccuracyWarning):
            assert net(sigma_w2).predict().var_chi == pytest.approx(several.var_chi[i], rel=1e-12)  # the same draws


@pytest.mark.parametrize(
    ("layers", "options", "sentence"),
    [
        ((GroupNorm(3), RELU, BatchNorm(eps=0.1)), {}, "normalised groups.*use eps=0"),
        ((RELU, AvgPool(2), BatchNorm(eps=0.1)), {"digits": 20}, "without `digits`"),
        ((RELU, AvgPool(10**6), BatchNorm(eps=0.1)), {}, "at most 262144 random numbers.*use eps=0"),
    ],
    ids=repr,
)
def test_what_is_not_known_is_refused(layers: tuple[Layer, ...], options: dict[str, int], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        igb.Network(Dense(2.0), *layers, Dense(2.0)).predict(**options)
