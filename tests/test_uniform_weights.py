"""Uniform weights that read few numbers: models of PyTorch's default initialiser beside plain networks of them."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import igbtheory as igb

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402 - torch may not be there

pytestmark = pytest.mark.usefixtures("few_draws")
RNG = np.random.default_rng(0)
POINTS = RNG.uniform(-1, 1, (40, 2)).astype(np.float32)
UNITS, OUTPUTS, NETWORKS = 300, 40, 60


class Function(nn.Module):  # type: ignore[misc] # PyTorch is an extra
    """A function of each number."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def forward(self, x: Any) -> Any:
        return torch.sin(6 * x) if self.name == "sin" else torch.relu(x) ** 2


def model(name: str, features: int) -> Any:
    return nn.Sequential(nn.Linear(features, UNITS), Function(name), nn.Linear(UNITS, OUTPUTS))


def drawn(name: str) -> Any:
    """Return the squared mean and the variance over the data, averaged over the outputs of each of some networks."""
    rows = []
    with torch.no_grad():
        for i in range(NETWORKS):
            torch.manual_seed(i)
            y = model(name, 2)(torch.tensor(POINTS)).double().numpy()
            rows.append([np.square(y.mean(axis=0)).mean(), y.var(axis=0).mean()])
    return np.array(rows)


@pytest.mark.parametrize("name", ["sin", "squared relu"])
def test_few_inputs_are_read_with_the_uniform_weights_that_they_have(name: str) -> None:
    network: Any = igb.from_torch(lambda: model(name, 2), POINTS)
    assert repr(network.layers[0]).startswith("Uniform(Dense(")
    with pytest.warns(igb.EstimateWarning):
        found = network.predict(POINTS)
    rows = drawn(name)
    values, errors = rows.mean(axis=0), rows.std(axis=0) / NETWORKS**0.5
    assert np.all(np.abs(values - [found.var_mu, found.var_chi]) < 4 * errors)
    normal = igb.Network(network.layers[0].layer, *network.layers[1:]).predict(POINTS)
    assert np.any(np.abs(values - [normal.var_mu, normal.var_chi]) > 6 * errors), "this test would tell"


def test_finite_networks_draw_uniform_weights_each_for_itself() -> None:
    network = igb.from_torch(lambda: model("sin", 2), POINTS)
    with pytest.warns(igb.EstimateWarning):
        limit = network.predict(POINTS)
    found = network.predict(POINTS, width=100, networks=200)
    difference = found.gamma - limit.gamma
    assert abs(difference) < 4 * found.gamma_error + 0.05 * limit.gamma  # with normal weights it is 1.6 times as large


def test_few_data_in_single_precision_meet_uniform_weights() -> None:
    """With normal weights their sums come from a root of the data, whose law of uniform numbers is another one."""
    layer: Any = igb.from_torch(lambda: model("sin", 2), POINTS).layers[0]
    x = np.random.default_rng(1).standard_normal((2, 12)).astype(np.float32)
    bare = replace(layer, layer=replace(layer.layer, sigma_b2=0.0))
    z = bare.samples(x, np.random.default_rng(2), 100_000)
    assert z.dtype == np.float32
    squares, of_sums = np.square(x.astype(float)), np.square(z.astype(float))
    excess = np.square(of_sums).mean(axis=1) / of_sums.mean(axis=1) ** 2 - 3
    np.testing.assert_allclose(excess, -1.2 * np.square(squares).sum(axis=1) / squares.sum(axis=1) ** 2, atol=0.05)


@pytest.mark.parametrize(("name", "features"), [("sin", 64), ("squared relu", 32)])
def test_many_inputs_are_read_as_dense(name: str, features: int) -> None:
    data = RNG.normal(size=(40, features)).astype(np.float32)
    assert isinstance(igb.from_torch(lambda: model(name, features), data).layers[0], igb.Dense)


def test_inputs_whose_uniform_weights_change_little_are_read_as_dense() -> None:
    data = RNG.normal(size=(40, 6)).astype(np.float32)
    make = lambda: nn.Sequential(nn.Linear(6, 20), nn.ReLU(), nn.Linear(20, 2))  # noqa: E731
    assert isinstance(igb.from_torch(make, data).layers[0], igb.Dense)
