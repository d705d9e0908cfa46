from typing import Any

import numpy as np
import pytest

import igbtheory as igb
from igbtheory.simulation import Simulation, simulate

DATA = np.random.default_rng(5).standard_normal((7, 5))


def small(**changed: Any) -> Simulation:
    spec = {"networks": 12, "width": 9, "samples": 6, "seed": 3} | changed
    simulation: Simulation = igb.mlp(2, "relu", sigma_b2=0.1).simulate(**spec)
    return simulation


def same(a: Simulation, b: Simulation) -> bool:
    return bool(np.array_equal(a.G0, b.G0) and np.array_equal(a.moments, b.moments))


@pytest.mark.parametrize("inputs", [igb.GaussianInputs(0.3, 2.0), DATA], ids=["Gaussian", "data set"])
def test_a_seed_gives_the_same_numbers_whatever_the_number_of_workers(inputs: Any) -> None:
    one, two, other = (small(inputs=inputs, workers=w, seed=s) for w, s in ((1, 3), (2, 3), (2, 4)))
    assert same(one, two)
    assert not same(two, other)


def test_a_network_does_not_depend_on_how_many_there_are() -> None:
    few, many = small(), small(networks=20)
    assert np.array_equal(many.moments[:12], few.moments)


def test_a_data_set_is_taken_whole() -> None:
    assert small(inputs=DATA, samples=None).samples == small(inputs=DATA, samples=3).samples == 7


@pytest.mark.parametrize("factor", [4, 400])
def test_layers_before_the_first_dense_act_on_the_data(factor: int) -> None:
    data = np.random.default_rng(6).standard_normal((5, factor))
    rectified = igb.Network(igb.Activation("relu"), igb.Dense(), igb.Activation("tanh"), igb.Dense())
    plain = igb.Network(igb.Dense(), igb.Activation("tanh"), igb.Dense())
    ends = [net.simulate(5, 8, inputs=x) for net, x in ((rectified, data), (plain, np.maximum(data, 0)))]
    assert same(*ends)


def test_the_first_layer_of_a_data_set_is_known_exactly() -> None:
    # 7 data of 300 features enter through their Gram matrix, the very same for all networks
    data = np.random.default_rng(7).standard_normal((7, 300))
    first = igb.mlp(1).simulate(3, 20, inputs=data).per_layer
    theory = igb.mlp(1).predict(data).per_layer
    # products are in single precision
    assert first.var_mu[0] == pytest.approx(theory.var_mu[0], rel=1e-5)
    assert first.var_chi[0] == pytest.approx(theory.var_chi[0], rel=1e-5)
    assert first.var_mu_error[0] < 1e-15


def test_an_output_layer_alone_is_a_network() -> None:
    found = igb.Network(igb.Dense(2.0, 1.0)).simulate(4000, 3, 2, 0, igb.GaussianInputs(2.0))
    assert found.per_layer.var_mu.shape == (1,)
    assert abs(found.var_mu - 9) < 5.5 * found.var_mu_error


def test_progress_stands_on_standard_error(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert same(small(progress=True), small())
    out, err = capsys.readouterr()
    assert out == ""
    assert "finite networks" in err


def test_the_printed_form_says_what_was_simulated() -> None:
    text = repr(small())
    for part in ("12 networks", "width=9", "samples=6", "seed=3", "GaussianInputs", "gamma=", "±"):
        assert part in text
    assert "data set of shape (7, 5)" in repr(small(inputs=DATA))


@pytest.mark.parametrize(
    ("changed", "error", "words"),
    [
        ({"networks": 1}, ValueError, "networks >= 2"),
        ({"networks": 2.5}, ValueError, "whole"),
        ({"width": 0}, ValueError, "width >= 1"),
        ({"width": "wide"}, TypeError, "whole"),
        ({"samples": 1}, ValueError, "samples >= 2"),
        ({"samples": None}, TypeError, "whole"),
        ({"seed": -1}, ValueError, "seed >= 0"),
        ({"workers": 0}, ValueError, "workers >= 1"),
        ({"inputs": DATA[:1]}, ValueError, "two data"),
        ({"inputs": DATA[0]}, ValueError, "shape"),
        ({"inputs": [["a", "b"], ["c", "d"]]}, TypeError, "numbers"),
        ({"inputs": igb.GaussianInputs(np.zeros(2))}, ValueError, "sweep"),
        ({"inputs": DATA * 1e39}, ValueError, "overflow"),
    ],
)
def test_bad_input_is_refused(changed: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        small(**changed)


def test_a_sweep_of_networks_is_refused() -> None:
    with pytest.raises(ValueError, match="sweep"):
        simulate(igb.mlp(1, sigma_w2=np.array([1.0, 2.0])), 2, 4, 4, 0, igb.GaussianInputs())
