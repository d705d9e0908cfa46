"""BatchNorm(eps) of what comes from one Gaussian unit through a maximum, dropout or noise: sums, other rules, draws."""

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import law, through
from scipy import integrate, stats

import igbtheory as igb
from igbtheory import AvgPool, BatchNorm, Dense, Dropout, LayerNorm, MaxPool, Residual, RMSNorm
from igbtheory.averages.batches import Mix, share_of_batch, share_of_full_batch
from igbtheory.averages.batches.shared import over_common
from igbtheory.formulas import function_of
from igbtheory.layers import Gaussian, Layer
from igbtheory.layers.estimated_share import estimated_share
from igbtheory.layers.share import share
from igbtheory.numbers import FLOAT64

LINEAR, RELU, STEP, TANH = map(function_of, ("x", "relu", "step", "tanh"))
PROMISE = 1e-11
"""Relative error that is promised for every placement."""
OTHER = 1e-12
"""Error of the plain quadratures here."""
variances = st.floats(-3, 2).map(lambda e: 10.0**e)
sizes = st.integers(2, 40)


@given(size=sizes, own=variances, noise=variances, eps=variances, shared=st.floats(-1, 1))
@settings(max_examples=25)
def test_noise_on_a_gaussian_unit_makes_another(size: int, own: float, noise: float, eps: float, shared: float) -> None:
    """Only what data do not share counts, and of two Gaussian parts that is their sum."""
    within = own * shared if shared > 0 else own * shared / (size - 1 - shared)
    found, error = share_of_batch(LINEAR, size, 0.0, own + within, within, eps, Mix(noise=noise))
    known, lost = share_of_batch(LINEAR, size, 0.0, own + noise, 0.0, eps)
    assert error < PROMISE
    assert abs(found / known - 1) < error + lost


def binomial(size: int, p: Any, eps: float) -> Any:
    """Mean of V/(V + eps) of a batch of independent coins."""
    k = np.arange(size + 1.0)
    v = k * (size - k) / size**2
    return np.tensordot(v / (v + eps), stats.binom.pmf(k[:, None], size, np.atleast_1d(p)), 1)


@pytest.mark.parametrize("eps", [1e-5, 0.1])
@pytest.mark.parametrize("size", [2, 3, 8, 50])
@pytest.mark.parametrize("kept", [0.05, 0.5, 0.99])
def test_dropped_steps_are_coins(size: int, kept: float, eps: float) -> None:
    found, error = share_of_batch(STEP, size, 0.3, 1.0, 0.0, eps, Mix(kept=kept))
    known = binomial(size, kept * stats.norm.cdf(0.3), eps)[0]
    assert abs(found / known - 1) < min(error + 1e-14 * size, PROMISE)


@pytest.mark.parametrize("size", [2, 5, 20])
def test_dropped_steps_that_share_something(size: int) -> None:
    found, error = share_of_batch(STEP, size, 0.0, 1.0, 0.4, 1e-3, Mix(kept=0.7))
    v, weights = np.polynomial.legendre.leggauss(400)  # to 9 standard deviations, smooth on the scale 1
    v, weights = 9 * v, 9 * weights * stats.norm.pdf(9 * v)
    known = weights @ binomial(size, 0.7 * stats.norm.cdf(np.sqrt(0.4 / 0.6) * v), 1e-3)
    assert abs(found / known - 1) < error + OTHER


@pytest.mark.parametrize("m", [2, 3, 100, 10**6])
@pytest.mark.parametrize("size", [2, 7])
def test_steps_of_maxima_are_coins(m: int, size: int) -> None:
    mean = -stats.norm.isf(0.6 / m)  # so that both sides occur
    found, error = share_of_batch(STEP, size, mean, 1.0, 0.0, 1e-3, Mix(maximum=m))
    known = binomial(size, -np.expm1(m * stats.norm.logcdf(-mean)), 1e-3)[0]
    assert abs(found / known - 1) < min(error + OTHER, PROMISE)


@pytest.mark.parametrize("m", [2, 5, 100, 10**5])
@pytest.mark.parametrize("phi", [LINEAR, TANH, RELU])
def test_two_maxima(m: int, phi: Any) -> None:
    """A plain double integral over the density m Phi^(m - 1) phi, whose poles eps = 1 keeps away."""
    z, weights = np.polynomial.legendre.leggauss(600)
    z, weights = np.concatenate([4.5 * z - 4.5, 4.5 * z + 4.5]), np.concatenate([4.5 * weights] * 2)  # a kink at 0
    law = weights * m * stats.norm.pdf(z) * np.exp((m - 1) * stats.norm.logcdf(z))
    x = phi(FLOAT64, z)
    square = np.square(x[:, None] - x) / 4
    found, error = share_of_batch(phi, 2, 0.0, 1.0, 0.0, 1.0, Mix(maximum=m))
    assert abs(found / (law @ (square / (square + 1)) @ law) - 1) < min(error + OTHER, PROMISE)


@pytest.mark.parametrize("mix", [Mix(kept=0.5), Mix(noise=0.3), Mix(kept=0.8, at=0.4, noise=1e-3), Mix(noise=1e-4)])
@pytest.mark.parametrize("name", ["relu", "abs", "step"])
def test_batches_of_two_by_two_rules(name: str, mix: Mix) -> None:
    phi = function_of(name)
    found, error = share_of_batch(phi, 2, 0.2, 1.0, 0.3, 1e-2, mix)
    other, lost = over_common(phi, 2, (0.2, np.sqrt(0.3), np.sqrt(0.7)), 1e-2, mix)
    assert error < PROMISE
    assert abs(found - other) < error * found + lost + 1e-14


def test_noise_on_the_sign_behind_a_norm() -> None:
    """Batches of two behind BatchNorm(2): h = +-1, so that x1 - x2 is 1 or -1 and the noise is averaged over it."""
    found, error = share_of_batch(STEP, 2, 0.0, 1.0, -1.0, 0.1, Mix(noise=0.5))
    known, _ = integrate.quad(lambda s: stats.norm.pdf(s, 0.5, 0.5) * s * s / (s * s + 0.1), -6, 7, epsabs=1e-14)
    assert abs(found - known) < error + OTHER


@pytest.mark.parametrize(("name", "size"), [("relu", 3), ("relu", 8), ("tanh", 4), ("abs", 30)])
def test_noise_makes_large_what_it_dominates(name: str, size: int) -> None:
    """Behind a norm, too: s^2 n/noise is chi squared where the noise is all there is, and little else changes it."""
    phi, within = function_of(name), -1 / (size - 1)
    found, error = share_of_batch(phi, size, 0.0, 1.0, within, 1e-2, Mix(noise=1e8))
    known, lost = share_of_batch(LINEAR, size, 0.0, 1e8, 0.0, 1e-2)
    assert abs(found - known) < error + lost + 1e-8
    small, error = share_of_batch(phi, size, 0.0, 1.0, within, 1.0, Mix(noise=1e-9))
    known, lost = share_of_batch(phi, size, 0.0, 1.0, within, 1.0)
    assert error < PROMISE
    assert abs(small - known) < error + lost + 1e-8


ACT = igb.Activation
CHAINS: list[tuple[Layer, ...]] = [
    (ACT("relu"), Dropout(0.3)),
    (ACT("gelu"), LayerNorm(), Dropout(0.3), Dropout(0.2), RMSNorm(eps=0.3)),
    (ACT("relu"), Residual(Dense(0.5), scale=0.7)),
    (ACT("tanh"), LayerNorm(), Residual(Dense(1.0), ACT("relu"), Dense(0.5, 0.2), scale=0.3), LayerNorm()),
    (ACT("relu"), RMSNorm(), Dropout(0.4), Residual(Dense(0.5)), Residual(Dense(0.1))),
    (Dropout(0.4),),
]


@pytest.mark.parametrize("start", [{}, {"mean": 0.3, "q": 1.3, "c": 0.4}, {"q": 2.0, "within": -0.25}], ids=repr)
@pytest.mark.parametrize("layers", CHAINS, ids=repr)
def test_a_single_unit_has_the_moments_of_the_layers(layers: tuple[Layer, ...], start: dict[str, float]) -> None:
    """Mean, and what two data of a batch do not share, of (x - centre)/scale, x = phi if kept, else `at`, and noise."""
    node = through(law(**start), *layers)
    single = node.single()
    assert single is not None
    x, mix = Gaussian(single.h).average(FLOAT64, single.phi, 1), single.mix
    mean = mix.kept * x.mean + mix.dropped * mix.at
    square = mix.kept * (x.mean**2 + x.variance) + mix.dropped * mix.at**2
    pair = mix.kept**2 * (x.covariance + x.mean**2) + mix.dropped * mix.at * (2 * mean - mix.dropped * mix.at)
    known = node.averaged()
    assert (mean - single.centre) / single.scale == pytest.approx(known.mean, rel=1e-12, abs=1e-14)
    assert (square - pair + mix.noise) / single.scale**2 == pytest.approx(known.own, rel=1e-12)


@pytest.mark.parametrize(
    ("size", "start"),
    [
        (2, {"mean": 0.3, "q": 1.3, "c": 0.4}),
        (2, {"within": -1.0}),
        (5, {}),
        (6, {"within": -0.2}),
        (None, {"mean": 0.3, "q": 1.3, "c": 0.4}),
    ],
)
@pytest.mark.parametrize("layers", CHAINS, ids=repr)
def test_shares_are_those_of_draws(layers: tuple[Layer, ...], size: int | None, start: dict[str, float]) -> None:
    node, eps = through(law(**start), *layers), 0.03
    found, error = share(node, BatchNorm(size, eps=eps))
    drawn, claim = estimated_share(node, size, eps)
    assert abs(found - drawn) <= (error + claim) * found
    if size != 6 or "Dropout" not in repr(layers):  # dropped again where a norm has centred: drawn
        assert error < PROMISE


def test_shares_behind_a_maximum_are_those_of_draws() -> None:
    node = through(law(q=1.3), MaxPool(3), ACT("tanh"), Dropout(0.2), Residual(Dense(1.0)))
    for size in (2, 9):
        found, error = share(node, BatchNorm(size, eps=0.03))
        drawn, claim = estimated_share(node, size, 0.03)
        assert abs(found - drawn) <= (error + claim) * found
        assert error < PROMISE


@pytest.mark.parametrize("mix", [Mix(kept=0.4), Mix(kept=0.4, at=0.3), Mix(noise=0.2), Mix(kept=0.9, noise=0.2)])
def test_the_full_batch_by_a_plain_integral(mix: Mix) -> None:
    """Over u, of steps: V = k p (1 - k p) of coins, moved by `at`, and noise adds to it."""
    u, weights = np.polynomial.legendre.leggauss(400)
    u, weights = 9 * u, 9 * weights * stats.norm.pdf(9 * u)
    p, k = stats.norm.cdf((0.1 + np.sqrt(0.6) * u) / np.sqrt(0.4)), mix.kept
    mean = k * p + (1 - k) * mix.at
    v = k * p + (1 - k) * mix.at**2 - mean**2 + mix.noise
    found, error = share_of_full_batch(FLOAT64, STEP, (0.1, 0.6, 0.4), 0.05, mix)
    assert abs(found / (weights @ (v / (v + 0.05))) - 1) < error + OTHER
    assert error < PROMISE


@pytest.mark.parametrize("layers", [(ACT("relu"), MaxPool(2)), (MaxPool(3), ACT("abs")), (ACT("tanh"), AvgPool(3))])
def test_units_that_share_nothing_have_one_variance(layers: tuple[Layer, ...]) -> None:
    """First layer, full batch: V/(V + eps) of the mean V, exactly, drawn or not."""
    before = through(law(q=2.0), *layers).averaged().var_chi
    after = through(law(q=2.0), *layers, BatchNorm(eps=0.1)).averaged()
    assert after.var_chi == pytest.approx(before / (before + 0.1), rel=1e-13)
    assert after.error < PROMISE


def test_digits_of_dropout_over_the_full_batch() -> None:
    net = igb.Network(Dense(1.0, 0.2), ACT("step"), Dropout(0.25), BatchNorm(eps=0.1), Dense(1.0))
    double, other = net.predict(), net.predict(digits=6)  # its own rule, without bisection
    assert abs(float(double.var_chi / other.var_chi) - 1) < double.error + other.error
    assert other.error < 1e-6


@pytest.mark.parametrize("size", [4, None])
def test_a_stream_that_does_not_vary_under_one_that_does(size: int | None) -> None:
    """ReLU of units without var_chi, and a Gaussian branch to which Dropout gives some: only that counts."""
    node = through(law(q=1.0, c=1.0), ACT("relu"), Residual(Dropout(0.5), Dense(0.7)))
    found, error = share(node, BatchNorm(size, eps=0.1))
    own = node.averaged().own
    known = share_of_batch(LINEAR, size, 0.0, float(own), 0.0, 0.1)[0] if size else own / (own + 0.1)
    assert abs(found / known - 1) < error + 1e-14


def test_predictions_of_exact_shares_do_not_warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for layers in ((ACT("relu"), Dropout(0.1)), (ACT("gelu"), Residual(Dense(0.5))), (MaxPool(4), ACT("gelu"))):
            net = igb.Network(Dense(np.array([1.0, 2.0])), *layers, BatchNorm(16, eps=1e-5), Dense(1.0))
            assert np.all(net.predict().error < PROMISE)
