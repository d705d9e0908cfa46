"""BatchNorm(n, eps) of units that can be drawn alone, and dead batches behind Dropout: exact rules, laws, NumPy."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from laws import law, through
from scipy import integrate, stats

import igbtheory as igb
from igbtheory import AvgPool, BatchNorm, Dense, Dropout, GroupNorm, LayerNorm, MaxPool, Residual, RMSNorm
from igbtheory.averages.batches import share_of_batch
from igbtheory.averages.state import Moments
from igbtheory.formulas import function_of
from igbtheory.layers import Gaussian, LawNode, Layer
from igbtheory.layers.estimated import SPARE
from igbtheory.layers.estimated_share import estimated_share
from igbtheory.numbers import FLOAT64

RELU, TANH = igb.Activation("relu"), igb.Activation("tanh")
Z = 5.0
"""Standard errors that a hundred draws leave unpassed, but once in 17,000 runs; the seeds are fixed."""


@pytest.mark.parametrize("eps", [1e-5, 0.1, 3.0])
@pytest.mark.parametrize("size", [2, 4, 30])
def test_errors_are_standard_errors_of_what_is_known(size: int, eps: float) -> None:
    """One activation has an exact rule: it is met within the claimed error, of which a quarter is a standard error."""
    units = [("relu", 0.0, 0.0), ("tanh", 0.7, 0.0), ("hardtanh", 0.0, 0.9), ("abs", 0.0, 0.0), ("step", 0.0, 0.5)]
    left = []
    for name, mean, c in units:
        known, lost = share_of_batch(function_of(name), size, mean, 2.0, 2.0 * c, eps)
        found, error = estimated_share(law(mean, 2.0, c).then(function_of(name)), size, eps)
        left.append((found / known - 1) / (error + lost))
    # 45 in all: four standard errors once in 350 runs by chance; the root of the mean of five squares, 2.5 in 100,000
    assert np.max(np.abs(left)) < 1
    assert np.sqrt(np.mean(np.square(left))) < 2.5 / SPARE


@pytest.mark.parametrize("size", [3, 5])
def test_batches_that_a_norm_has_centred(size: int) -> None:
    """Behind another BatchNorm data of a batch are negatively correlated, as in the exact rule."""
    node = law(0.0, 1.0, 0.0, -1 / (size - 1)).then(function_of("relu"))
    known, lost = share_of_batch(function_of("relu"), size, 0.0, 1.0, -1 / (size - 1), 0.1)
    found, error = estimated_share(node, size, 0.1)
    assert abs(found / known - 1) < error + lost


CHAINS: list[tuple[Layer, ...]] = [
    (),
    (RELU,),
    (MaxPool(3), TANH),
    (RELU, AvgPool(3)),
    (RELU, Dropout(0.3)),
    (RELU, LayerNorm()),
    (RELU, RMSNorm(eps=0.1)),
    (RELU, BatchNorm(law="evaluation", eps=0.5), Dropout(0.1)),
    (RELU, Residual(Dense(0.5), scale=0.7)),
    (RELU, Residual(Dense(0.5, 0.2)), Residual(LayerNorm(), Dense(1.0), TANH, scale=0.5), Residual(Dense(0.1))),
    (GroupNorm(3), RELU),
    (BatchNorm(6), RELU),
    (BatchNorm(6), MaxPool(2), TANH),
    (BatchNorm(6, eps=0.2), TANH),
    (BatchNorm(6, law="proxy"), TANH),
    (RELU, BatchNorm(6)),
    (RELU, BatchNorm(6), LayerNorm(), AvgPool(2)),
]


@pytest.mark.parametrize("start", [(0.0, 0.4, None), (0.3, 0.4, 0.1), (0.0, 0.4, -0.26)])
@pytest.mark.parametrize("layers", CHAINS, ids=repr)
def test_units_of_a_law_have_its_moments(layers: tuple[Layer, ...], start: Any) -> None:
    mean, c, within = start
    node = through(law(mean, 1.3, c, within), *layers)
    x = node.averaged()
    # units of a group of three, and data of a batch, depend on one another: means over both at once
    y = node.units(np.random.default_rng(7), 90_000, 6).reshape(6, -1, 3)
    one, square = y.mean(axis=(0, 2)), np.square(y).mean(axis=(0, 2))
    pair = (y.sum(axis=0) ** 2 - np.square(y).sum(axis=0)).mean(axis=1) / 30
    for values, known in (
        (one, x.mean),
        (square, x.mean**2 + x.variance),
        (pair, x.mean**2 + x.covariance),
    ):
        assert abs(values.mean() - known) < Z * stats.sem(values) + 1e-12


def test_units_of_a_sweep_are_those_of_its_points() -> None:
    h = Moments(np.array([0.0, 0.5]), np.array([[0.4], [0.0]]), np.array([0.3, 1.0]))
    layers = (RELU, Dropout(0.2), Residual(Dense(np.array([0.5, 0.8])), scale=np.array([[0.5], [1.0]])), LayerNorm())
    found = through(LawNode(FLOAT64, Gaussian(h)), *layers).units(np.random.default_rng(1), 7, 5)
    parts = np.broadcast_arrays(h.mean, h.var_mu, h.var_chi, [0.5, 0.8], [[0.5], [1.0]])
    for at in np.ndindex(2, 2):
        mean, mu, chi, sigma_w2, scale = (part[at] for part in parts)
        block = Residual(Dense(sigma_w2), scale=scale)
        alone = through(LawNode(FLOAT64, Gaussian(Moments(mean, mu, chi))), *layers[:2], block, LayerNorm())
        assert found[at] == pytest.approx(alone.units(np.random.default_rng(1), 7, 5), rel=1e-12)


def relu(x: Any) -> Any:
    return np.maximum(x, 0)


def normed(x: Any, eps: float) -> Any:
    x = x - x.mean(axis=-1, keepdims=True)
    return x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + eps)


RELU_PAIR = (0.5, (3**0.5 / 2 + np.pi / 3) / (2 * np.pi))
"""Second moments of ReLUs of one normal variable, and of two of correlation 1/2: the arc-cosine kernel."""
RELU_AVERAGE = (0.5 - 1 / (2 * np.pi)) / 2
"""Variance of the average of two ReLUs."""
Draw = Callable[..., Any]
OWN: list[tuple[tuple[Layer, ...], Callable[[Draw, Any], Any]]] = [
    ((MaxPool(3),), lambda h, _: h(3).max(axis=1)),
    ((RELU, MaxPool(2)), lambda h, _: relu(h(2)).max(axis=1)),
    ((MaxPool(2), igb.Activation("abs")), lambda h, _: np.abs(h(2).max(axis=1))),
    ((RELU, AvgPool(3)), lambda h, _: relu(h(3)).mean(axis=1)),
    ((RELU, AvgPool(2), LayerNorm(eps=0.1)), lambda h, _: relu(h(2)).mean(axis=1) / np.sqrt(RELU_AVERAGE + 0.1)),
    ((BatchNorm(4), RELU), lambda h, _: relu(normed(h(1)[:, 0], 0.0))),
    ((BatchNorm(4, eps=0.1), TANH), lambda h, _: np.tanh(normed(h(1)[:, 0], 0.1))),
    ((BatchNorm(4, eps=0.1), MaxPool(2), RELU), lambda h, _: relu(normed(h(2), 0.1).max(axis=1))),
    ((GroupNorm(3), RELU), lambda h, _: relu(normed(h(3).swapaxes(1, 2), 0.0)[..., 0])),
    ((RELU, Dropout(0.3)), lambda h, rng: relu(h(1)[:, 0]) * (rng.random((200_000, 4)) > 0.3) / 0.7),
    ((RELU, Residual(Dense(0.5))), lambda h, _: relu(h(1)[:, 0]) + np.sqrt(0.5) * h(1, RELU_PAIR)[:, 0]),
    ((RELU, BatchNorm(4, eps=0.1)), lambda h, _: normed(relu(h(1)[:, 0]), 0.1)),
]
"""Layers in front of BatchNorm(4, eps), and units behind them from normal ones of variance 1 and covariance 1/2."""


@pytest.mark.parametrize("eps", [1e-5, 0.1])
@pytest.mark.parametrize(("layers", "own"), OWN, ids=[repr(layers) for layers, _ in OWN])
def test_shares_are_those_of_numpy(layers: tuple[Layer, ...], own: Any, eps: float) -> None:
    rng = np.random.default_rng(11)

    def h(units: int, moments: tuple[float, float] = (1.0, 0.5)) -> Any:
        q, pair = moments
        common, alone = rng.standard_normal((200_000, units, 1)), rng.standard_normal((200_000, units, 4))
        return np.sqrt(pair) * common + np.sqrt(q - pair) * alone

    v = own(h, rng).var(axis=1)
    share = v / (v + eps)
    x = through(law(c=0.5), *layers, BatchNorm(4, eps=eps)).averaged()
    assert abs(share.mean() - x.variance) < Z * stats.sem(share) + x.error * x.variance
    assert x.within == pytest.approx(-x.variance / 3, rel=1e-15)
    assert x.error < 2e-3


@pytest.mark.parametrize("m", [1, 2, 5])
@pytest.mark.parametrize("eps", [1e-5, 0.1])
def test_two_data_of_a_step_behind_a_maximum(m: int, eps: float) -> None:
    """Two independent coins: V = 1/4 where they differ."""
    p = 0.5**m
    found, error = estimated_share(law().largest(m).then(function_of("step")), 2, eps)
    assert abs(found - 2 * p * (1 - p) / (1 + 4 * eps)) <= error * found


def test_a_scale_in_front_is_a_scale_of_eps() -> None:
    node = law(c=0.3).then(function_of("relu")).largest(2)
    variance = node.averaged().variance
    found, _ = estimated_share(through(node, LayerNorm()), 6, 0.1)
    scaled, _ = estimated_share(node, 6, float(0.1 * variance))
    assert found == pytest.approx(scaled, rel=1e-12)  # the same draws


def test_dead_batches_that_are_known_leave_no_noise() -> None:
    """ReLU, BatchNorm, BatchNorm with eps: V is 1 where the batch varies, with probability 1 - 2^-n at c = 0."""
    x = through(law(), RELU, BatchNorm(4), BatchNorm(4, eps=0.1)).averaged()
    assert x.variance == pytest.approx((1 - 2.0**-4) / 1.1, rel=1e-12)
    assert x.error < 1e-12


@pytest.mark.parametrize("text", ["max(tanh(x), 0)", "tanh(x)"])
def test_values_that_round_to_one_are_no_dead_batch(text: str) -> None:
    """Variance 1e6: tanh of one sign is 1 in double precision, with V far below eps; of two signs V = 1/4 or 1."""
    found, error = estimated_share(law(q=1e6).then(function_of(text)), 2, 1e-5)
    v = 1.0 if text == "tanh(x)" else 0.25
    # tanh differs from 1 by more than eps up to |x| = 6, where a share of 0.005 of the data lies
    assert abs(found - 0.5 * v / (v + 1e-5)) < error * found + 0.01
    known, lost = share_of_batch(function_of(text), 2, 0.0, 1e6, 0.0, 1e-5)
    assert abs(found - known) <= (error + lost) * known


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
@pytest.mark.parametrize(("size", "c"), [(2, 0.0), (4, 0.5), (9, 0.9)])
@pytest.mark.parametrize("m", [1, 3])
def test_dead_batches_behind_dropout(p: float, size: int, c: float, m: int) -> None:
    """Of a ReLU: every datum is dropped, or the maximum negative, independently of others given what they share."""
    node = through(law(c=c), RELU, MaxPool(m), Dropout(p))

    def all_zero(v: tuple[float, ...], kept: int) -> float:
        negative = np.prod(stats.norm.cdf(-np.sqrt(c / (1 - c)) * np.asarray(v)))
        return float(stats.binom.pmf(kept, size, 1 - p) * negative**kept)

    def given(kept: int) -> float:
        # of one unit, which all m units follow, independently
        found = integrate.quad(lambda v: stats.norm.pdf(v) * all_zero((v,), kept), -9, 9, epsabs=1e-13)[0]
        pmf = stats.binom.pmf(kept, size, 1 - p)
        return float(pmf * (found / pmf) ** m)

    known = sum(given(kept) for kept in range(size + 1))
    assert node.constant(size) == pytest.approx(known, abs=1e-11)
    q = through(node, BatchNorm(size)).averaged().variance
    assert q == pytest.approx(1 - known, abs=1e-11)


@pytest.mark.parametrize(
    ("layers", "dead"),
    [
        ((Dropout(0.3),), 0.09),  # both of two dropped
        ((igb.Activation("step"), Dropout(0.5)), 1 / 4 + 1 / 4 + 1 / 8),  # one kept and 0; both kept and alike
        ((igb.Activation("x**2"), Dropout(0.5), LayerNorm()), 1 / 4),
    ],
    ids=repr,
)
def test_two_data_with_dropout(layers: tuple[Layer, ...], dead: float) -> None:
    assert through(law(), *layers, BatchNorm(2)).averaged().variance == pytest.approx(1 - dead, rel=1e-12)


def test_dropout_between_norms_by_draws() -> None:
    rng = np.random.default_rng(5)
    x = relu(normed(rng.standard_normal((400_000, 4)), 0.0)) * (rng.random((400_000, 4)) > 0.6)
    alive = np.ptp(x, axis=1) > 0
    found = through(law(), BatchNorm(4), RELU, Dropout(0.6), BatchNorm(4)).averaged().variance
    assert abs(alive.mean() - found) < Z * stats.sem(alive)


def test_predictions_from_draws_warn_and_are_the_same_twice() -> None:
    def net(sigma_w2: Any) -> igb.Network:
        return igb.Network(Dense(sigma_w2), RELU, AvgPool(2), BatchNorm(8, eps=0.1), Dense(1.0))

    with pytest.warns(igb.AccuracyWarning, match="estimated from draws"):
        one = net(2.0).predict()
    with pytest.warns(igb.AccuracyWarning, match="estimated from draws"):
        several = net(np.array([0.5, 2.0])).predict()
    with pytest.warns(igb.AccuracyWarning):
        assert net(2.0).predict().var_chi == one.var_chi
    assert several.var_chi[1] == pytest.approx(one.var_chi, rel=1e-13)  # the same draws
    assert one.gamma == 0
    with pytest.raises(ValueError, match="without `digits`"):
        net(2.0).predict(digits=20)


def test_a_network_with_pooling_and_eps_agrees_with_simulation() -> None:
    net = igb.Network(Dense(2.0, 0.2), RELU, MaxPool(2), BatchNorm(8, eps=0.1), Dense(2.0, 0.3))
    with pytest.warns(igb.AccuracyWarning):
        assert net.simulate(networks=100, width=32, samples=48, seed=3, workers=1).compare(workers=1).agrees()


@pytest.mark.parametrize(
    ("layers", "sentence"),
    [
        ((RELU, AvgPool(10**6), BatchNorm(4, eps=0.1)), "at most 262144 random numbers.*use eps=0"),
        ((RELU, Dropout(0.1), AvgPool(2), BatchNorm(4)), "average of 2 values of a unit with dropout"),
        ((RELU, AvgPool(2), Dropout(0.1), BatchNorm(4)), "behind Dropout: how often .* not known"),
        ((igb.Activation("hardtanh"), BatchNorm(4), Dropout(0.1), BatchNorm(4)), "behind Dropout"),
    ],
    ids=repr,
)
def test_what_cannot_be_drawn_or_counted_is_refused(layers: tuple[Layer, ...], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        igb.Network(Dense(2.0), *layers, Dense(2.0)).predict()
