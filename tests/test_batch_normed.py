"""Functions of batch-normalised units before a BatchNorm(n, eps): closed forms, circles, limits, symmetries, draws."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

import igbtheory as igb
from igbtheory.averages.batches import Mix, share_of_batch
from igbtheory.averages.batches.mix import PLAIN
from igbtheory.formulas import function_of
from igbtheory.numbers import FLOAT64

PROMISE = 1e-11
QUAD = 1e-12  # what is asked of the quadratures here
Z = 5.5  # below it chance keeps all draws of this file but for one in a million
LEAKY = "where(x > 0, x, x/10)"


def share(name: str, size: int, eps: float, eta: float, q: float = 1.0, mix: Mix = PLAIN) -> tuple[float, float]:
    """Mean of s^2/(s^2 + eps + eta sigma^2), where q is the variance of a datum less what the batch shares."""
    within = -q / size
    return share_of_batch(function_of(name), size, 0.0, q + within, within, eps, mix, eta=eta)


@given(st.integers(3, 200), st.floats(1e-8, 1e3), st.floats(1e-6, 1e6))
@settings(max_examples=25, deadline=None)
def test_of_a_linear_unit_both_variances_are_one(size: int, eta: float, q: float) -> None:
    found, error = share("x", size, 0.0, eta, q)
    assert found == pytest.approx(1 / (1 + eta), rel=PROMISE)
    assert error < PROMISE


@pytest.mark.parametrize("size", [3, 6, 40])
@pytest.mark.parametrize(("eps", "eta"), [(1e-8, 1e-5), (0.1, 1e-5), (1e-5, 0.1), (2.0, 3.0)])
def test_of_a_linear_unit_with_an_eps_before_it_the_length_is_averaged(size: int, eps: float, eta: float) -> None:
    law = stats.chi2(size - 1)
    ends = [0.0, *np.geomspace(1e-8, 1e3, 45)]
    parts = [
        integrate.quad(lambda y: law.pdf(y) * y / (y * (1 + eta) + size * eps), *pair, epsabs=0, epsrel=QUAD)[0]
        for pair in pairwise(ends)
    ]
    found, error = share("x", size, eps, eta)
    assert found == pytest.approx(sum(parts), rel=PROMISE)
    assert error < PROMISE


@pytest.mark.parametrize("eta", [1e-5, 0.1, 3.0])
@pytest.mark.parametrize("name", ["relu", LEAKY, "abs"])
def test_three_normalised_data_lie_on_a_circle(name: str, eta: float) -> None:
    phi = function_of(name)

    def left(angle: float) -> float:
        square = phi(FLOAT64, np.sqrt(2) * np.cos(angle + 2 * np.pi * np.arange(3) / 3)).var()
        return float(square / (square + eta))

    # values of a kind change every pi/6, and agree in clefts of the width sqrt(eta)
    turns = np.pi / 6 * np.arange(13)
    ends = np.unique([turn + side * step for turn in turns for side in (-1, 1) for step in (0, 0.01, 0.1)])
    ends = ends[(ends >= 0) & (ends <= turns[-1])]
    parts = [integrate.quad(left, *pair, epsabs=0, epsrel=QUAD, limit=500)[0] for pair in pairwise(ends)]
    found, error = share(name, 3, 0.0, eta)
    assert found == pytest.approx(sum(parts) / (2 * np.pi), rel=PROMISE)
    assert error < PROMISE


@pytest.mark.parametrize("size", [5, 8, 30])
@pytest.mark.parametrize("name", ["relu", LEAKY, "abs"])
def test_the_scale_of_a_batch_does_not_matter(name: str, size: int) -> None:
    one, other = share(name, size, 0.02, 1e-2, 1.0), share(name, size, 0.02 * 900, 1e-2, 900.0)
    assert one == pytest.approx(other, rel=PROMISE)


@pytest.mark.parametrize("size", [5, 7, 30])
@pytest.mark.parametrize("name", ["relu", "abs"])
def test_no_length_is_the_rule_without(name: str, size: int) -> None:
    plain = share(name, size, 0.1, 0.0)[0]
    found, error = share(name, size, 0.1, 1e-13)
    assert found == pytest.approx(plain, rel=PROMISE)
    assert error < PROMISE


def layers(*between: Any, size: int, before: float, eps: float) -> igb.Network:
    return igb.Network(
        igb.Dense(2.0), igb.BatchNorm(size, eps=before), *between, igb.BatchNorm(size, eps=eps), igb.Dense(1.0)
    )


@pytest.mark.parametrize("before", [0.0, 1e-3, 0.5])
@pytest.mark.parametrize("name", ["relu", "gelu", "tanh", LEAKY, "x**2 + x"])
def test_half_the_difference_of_two_data_is_one_number(name: str, before: float) -> None:
    phi = function_of(name)

    def left(d: float) -> float:
        b = d / np.sqrt(d * d + before)
        square = float(phi(FLOAT64, b) - phi(FLOAT64, -b)) ** 2 / 4
        return square / (square + 0.01) * float(stats.norm.pdf(d))

    # d, half the difference of two data of variance 2, is standard normal
    ends = [0.0, 1e-4, 1e-3, 1e-2, 0.1, 0.5, 1, 2, 4, 8, 12]
    expected = 2 * sum(integrate.quad(left, *pair, epsabs=0, epsrel=QUAD)[0] for pair in pairwise(ends))
    found = layers(igb.Activation(name), size=2, before=before, eps=0.01).predict()
    assert found.var_chi == pytest.approx(expected, rel=PROMISE, abs=1e-15)
    assert found.error < PROMISE


@pytest.mark.parametrize("size", [3, 5, 32])
@pytest.mark.parametrize("before", [0.0, 0.3])
@pytest.mark.parametrize(
    "between",
    [
        (igb.Activation("relu"),),
        (igb.Activation("relu"), igb.LayerNorm()),
        (igb.Activation("relu"), igb.RMSNorm(eps=0.1), igb.Dropout(0.2)),
    ],
)
def test_draws_of_batches_agree(between: tuple[Any, ...], before: float, size: int) -> None:
    net, rng, count = layers(*between, size=size, before=before, eps=0.05), np.random.default_rng(5), 100_000
    x = np.sqrt(2) * rng.standard_normal((size, count))
    for layer in net.layers[1:-1]:
        if isinstance(layer, igb.LayerNorm):
            x = (x - x.mean()) / x.std()
        elif isinstance(layer, igb.RMSNorm):
            x = x / np.sqrt(np.mean(x * x) + layer.eps)
        else:
            x = layer.samples(x, rng, count)
    q = np.mean(x * x, axis=0)
    found = net.predict()
    assert abs(q.mean() - found.var_chi) < Z * q.std() / np.sqrt(count)
    assert found.error < PROMISE


@pytest.mark.parametrize(
    "between", [(igb.Activation("gelu"),), (igb.Activation("relu"), igb.LayerNorm(), igb.Dropout())]
)
def test_what_depends_on_the_length_otherwise_is_estimated(between: tuple[Any, ...]) -> None:
    with pytest.warns(igb.AccuracyWarning, match="estimated from draws"):
        assert layers(*between, size=8, before=0.0, eps=0.1).predict().error > PROMISE
