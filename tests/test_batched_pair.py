"""Maxima of batch-normalised units at two data of one batch: the rule of single units, closed forms, simulation."""

import numpy as np
import pytest

import igbtheory as igb
from igbtheory.activations import batched, function_of, spherical
from igbtheory.activations.batched_pair import covariance, share
from igbtheory.activations.panels import orders
from igbtheory.activations.sphere import Sphere
from igbtheory.numbers import FLOAT64

EXACT = 1e-12  # of the variance: ten times less than promised, a hundred times more than seen
Z = 5.5  # below it chance keeps all draws of this file but for one in a million


@pytest.mark.parametrize("size", [3, 4, 5, 6, 9, 30, 200])
@pytest.mark.parametrize("name", ["relu", "tanh", "linear", "step", "hardtanh", "abs"])
def test_of_one_unit_it_is_what_the_other_rule_finds(name: str, size: int) -> None:
    phi = function_of(name)
    mean, variance, within, _ = spherical.moments(FLOAT64, phi, size)
    unit = Sphere(FLOAT64, phi, size, proxy=False, scale=1.0)
    for order in orders(FLOAT64):
        assert covariance(unit, 1, mean, order) == pytest.approx(within, abs=EXACT * variance)


@pytest.mark.parametrize("m", [2, 3, 20, 100])
@pytest.mark.parametrize("size", [3, 4, 7, 8, 50, 1000])
def test_both_maxima_are_negative_with_the_probability_of_an_orthant(size: int, m: int) -> None:
    # P(B_1 < 0, B_2 < 0) = 1/4 + asin(r)/(2 pi) of any rotation-invariant pair, r = -1/(n - 1)
    found = batched.moments(FLOAT64, function_of("step"), m, size, "exact")
    both = (0.25 + np.arcsin(-1 / (size - 1)) / (2 * np.pi)) ** m
    assert found.within == pytest.approx(both - 0.25**m, abs=EXACT * found.var_chi)
    assert found.var_chi == pytest.approx(0.5**m * (1 - 0.5**m), rel=EXACT)


@pytest.mark.parametrize(
    ("name", "m", "size"), [("relu", 2, 4), ("x", 3, 3), ("tanh", 2, 8), ("step", 5, 5), ("elu", 4, 6)]
)
def test_draws_agree(name: str, m: int, size: int) -> None:
    phi, rng = function_of(name), np.random.default_rng(1)
    h = rng.standard_normal((60_000, m, size))
    h -= h.mean(axis=2, keepdims=True)
    x = phi(FLOAT64, (h / np.sqrt(np.square(h).mean(axis=2, keepdims=True))).max(axis=1))
    found = batched.moments(FLOAT64, phi, m, size, "exact")
    deviations = x - found.mean
    pairs = (deviations.sum(axis=1) ** 2 - np.square(deviations).sum(axis=1)) / (size * (size - 1))
    assert abs(pairs.mean() - found.within) < Z * pairs.std() / np.sqrt(len(pairs))


@pytest.mark.parametrize("m", [2, 100, 10**6])
@pytest.mark.parametrize("size", [3, 4, 16, 500])
def test_the_sum_over_a_batch_has_a_variance(size: int, m: int) -> None:
    found = batched.moments(FLOAT64, function_of("relu"), m, size, "exact")
    tolerance = 4 * found.error
    assert -1 / (size - 1) - tolerance <= found.within / found.var_chi <= tolerance
    assert found.error < (1e-11 if m <= 100 else 1e-4)


@pytest.mark.parametrize("exponent", [0, 1, 2, 5, 40])
def test_shares_of_cosines_are_those_of_the_incomplete_beta_function(exponent: int) -> None:
    from scipy.special import betainc  # noqa: PLC0415 - of this test alone

    t = np.linspace(-1.57, 1.57, 31)
    expected = (1 + np.sign(t) * betainc(0.5, (exponent + 1) / 2, np.sin(t) ** 2)) / 2
    np.testing.assert_allclose(share(FLOAT64, np.sin(t), np.cos(t), t, exponent), expected, rtol=0, atol=1e-14)


def test_the_law_of_guesses_behind_maxima_agrees_with_simulation() -> None:
    net = igb.Network(igb.Dense(2.0), igb.BatchNorm(4), igb.MaxPool(2), igb.Activation("relu"), igb.Dense(2.0))
    comparison = net.simulate(networks=300, width=24, samples=48, seed=2, workers=1).compare(workers=1)
    assert comparison.agrees()
    p = net.predict()
    law = p.G0.finite(48)
    k = np.arange(49)
    assert law.pmf(k).sum() == pytest.approx(1, rel=1e-12)
    independent = igb.GuessLaw(p.gamma).finite(48).var()
    assert law.var() < independent, "a batch balances its own guesses"
