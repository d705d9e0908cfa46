"""Ties: the first of the largest outputs counts, as in argmax, and all verbs tell the share of ties, against NumPy."""

import json
from typing import Any

import numpy as np
import pytest
from repeated import slow

import igbtheory as igb
from igbtheory.presentation.cli import main

torch = pytest.importorskip("torch")

Z = 5.0
"""Standard errors that an estimate may miss, with a probability below 1e-6."""
DATA = np.random.default_rng(3).standard_normal((12, 4))
pytestmark = pytest.mark.filterwarnings("ignore::igbtheory.EstimateWarning")  # few networks make up most of var_mu


def plain(depth: int, width: int, networks: int, inputs: Any = None, size: int = 300) -> tuple[Any, Any]:
    """Return the share of class 0, by argmax of two outputs, and that of ties, of networks of plain NumPy."""
    shares, ties = [], []
    for i in range(networks):
        rng = np.random.default_rng([5, i])
        x = rng.standard_normal((size, width)) if inputs is None else inputs
        for _ in range(depth):
            x = np.maximum(x @ rng.standard_normal((x.shape[1], width)) * (2 / x.shape[1]) ** 0.5, 0)
        outputs = x @ rng.standard_normal((width, 2))
        shares.append(np.mean(outputs.argmax(axis=1) == 0))
        ties.append(np.mean(outputs[:, 0] == outputs[:, 1]))
    return np.array(shares), np.array(ties)


def scored(values: Any, error: float = 0.0) -> tuple[float, float]:
    """Return the mean and its standard error, with another error."""
    return values.mean(), np.hypot(values.std() / len(values) ** 0.5, error)


@pytest.mark.parametrize(
    ("depth", "width", "given"),
    [slow((10, 3, False)), (3, 2, True), slow((20, 8, False)), slow((1, 3, False)), (1, 1, False)],
)
def test_predictions_and_simulations_of_dead_networks_are_plain_networks(
    depth: int, width: int, *, given: bool
) -> None:
    inputs = DATA if given else None
    shares, ties = plain(depth, width, 1500, inputs)
    net = igb.mlp(depth)
    simulated = net.simulate(1500, width, 300, 1, inputs)
    predicted = net.predict(inputs, width=width, networks=6000)
    mean, error = scored(ties)
    assert abs(simulated.ties - mean) < Z * error * 1.5
    # the share of ties of a pair of data scatters by at most 1/2
    assert abs(predicted.ties - mean) < Z * np.hypot(error * 1.5, 0.0 if given else 0.5 / 6000**0.5)
    mean, error = scored(shares)
    assert abs(simulated.G0.mean() - mean) < Z * error * 1.5
    assert abs(predicted.G0.mean() - mean) < Z * error * 1.5
    squares = (shares - mean) ** 2
    # 300 Gaussian data are finitely many: a datum with itself adds less than 1/4
    least = 0.0 if given else 0.25 / 300
    variance, error = scored(squares, predicted.var_g0_error)
    assert abs(predicted.var_g0 - variance) < Z * error + least
    assert (
        abs(simulated.per_layer.var_g0[-1] - variance)
        < Z * np.hypot(error, simulated.per_layer.var_g0_error[-1]) + least
    )
    drawn = predicted.G0.rvs(4000, 0)
    for g in (0.25, 0.6, 0.999):
        below = shares <= g
        # shares of 300 data are not those of 1024
        assert abs(np.mean(drawn <= g) - below.mean()) < Z * np.hypot(*[0.5 / n**0.5 for n in (1500, 1500)]) + 0.02
    assert abs(float(predicted.G0.majority()) - np.maximum(shares, 1 - shares).mean()) < 0.03
    assert predicted.G0.var() == pytest.approx(drawn.var(), abs=0.01)


def test_networks_that_are_dead_altogether_give_all_data_to_class_0() -> None:
    law = igb.mlp(10).predict(width=2, networks=2000).G0
    assert np.mean(law.rvs(4000, 0) == 1) > 0.7
    kernel = np.zeros((3, 3))
    outputs = igb.guesses.KernelOutputs(3, 0.0, lambda: kernel, 1.0)
    dead = igb.GuessLaw(outputs)
    assert (dead.mean(), dead.var(), *dead.rvs(2, 0)) == (1, 0, 1, 1)
    assert igb.guesses.ClassGuessLaw(outputs, 4).rvs((), 0).tolist() == [1, 0, 0, 0]
    assert igb.guesses.SoftmaxLaw(outputs, 4).rvs((), 0).tolist() == [0.25] * 4
    assert igb.guesses.RouterLaw(outputs, 4, 2).rvs((), 0).tolist() == [1, 1, 0, 0]
    with pytest.raises(AttributeError, match="multiples of 1/1024"):
        law.pdf(0.5)


def test_an_expansion_is_not_taken_where_units_may_all_be_0() -> None:
    found = igb.mlp(1).predict(width=8)
    assert found.method == "pairs"
    assert "the expansion knows no ties, and all units of a layer may be 0 at 0.0039 of the data" in str(found)
    with pytest.raises(ValueError, match="knows no ties"):
        igb.mlp(1).predict(width=8, method="expansion")
    # a bias of the output keeps outputs apart, and odd functions are 0 nowhere else
    assert igb.mlp(1, sigma_b2=0.1).predict(width=8).ties == 0
    assert igb.mlp(1, "tanh").predict(width=8).ties == 0
    assert igb.mlp(1).predict(width=32).method == "expansion"


def test_a_single_unit_leaves_one_guess_of_all_data() -> None:
    """All features have one direction if they have one sign; tanh has both, and a dead ReLU gives class 0."""
    found = igb.mlp(1, "sigmoid").predict(width=1)
    assert (found.gamma_guess, found.gamma_guess_error) == (np.inf, np.inf)
    assert set(np.round(found.G0.rvs(50, 0), 9)) == {0, 1}
    assert abs(igb.mlp(1, "tanh").predict(width=1).gamma_guess) < 0.1
    relu = igb.mlp(1).predict(width=1)
    # half of the data are dead, so that G0 is 1/2 or 1
    assert relu.ties == pytest.approx(0.5, abs=0.03)
    assert relu.var_g0 == pytest.approx(1 / 16, abs=5 * relu.var_g0_error)


def test_the_share_of_ties_is_told_wherever_it_is_not_0(capsys: Any) -> None:
    told = f"At {100 * (s := igb.mlp(3).simulate(30, 2, 20, 0)).ties:.3g} % of the data the largest outputs tie"
    assert s.ties > 0
    assert told in str(s)
    assert s.to_dict()["ties"] == s.ties == s.to_dict()["per_layer"]["ties"][-1]
    p = igb.mlp(3).predict(width=2, networks=200)
    assert f"ties         {100 * p.ties:.3g} % of the data" in str(p)
    assert p.to_dict()["ties"] == p.ties
    for wide in (igb.mlp(3).simulate(5, 20, 5, 0), igb.mlp(3).predict(width=50)):
        assert wide.ties == 0
        assert "tie" not in str(wide)
    for command in (["simulate", "--networks", "30", "--width", "2", "--samples", "20"], ["predict", "--width", "2"]):
        assert main([*command[:1], "--depth", "3", *command[1:]]) == 0
        assert "% of the data" in capsys.readouterr().out
        assert main([*command[:1], "--depth", "3", *command[1:], "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["ties"] > 0


@pytest.mark.filterwarnings("ignore:.*of the data tie exactly")
def test_models_of_pytorch_that_tie_have_the_guesses_of_argmax() -> None:
    x = torch.tensor(DATA, dtype=torch.float32)

    def model(outputs: int = 2) -> Any:
        layers = [torch.nn.Linear(4, 3, bias=False), torch.nn.ReLU(), torch.nn.Linear(3, outputs, bias=False)]
        return torch.nn.Sequential(*layers)

    measured = igb.measure(model, DATA, 400)
    shares, ties = [], []
    for i in range(400):
        torch.manual_seed(i)
        with torch.no_grad():
            outputs = model()(x)
        shares.append((outputs.argmax(dim=1) == 0).double().mean().item())
        ties.append((outputs[:, 0] == outputs[:, 1]).double().mean().item())
    for found, plain_ones in ((measured.G0, shares), (measured.tied, ties)):
        error = np.hypot(np.std(found), np.std(plain_ones)) / 20
        assert abs(np.mean(found) - np.mean(plain_ones)) < Z * error
    variance = measured.per_layer.var_g0[-1]
    assert variance == pytest.approx(np.var(measured.G0), abs=Z * measured.per_layer.var_g0_error[-1])
    assert np.var(measured.G0) < np.mean((measured.G0 - 0.5) ** 2)
    assert f"{100 * measured.ties:.3g}% of the data tie exactly" in str(measured)
    assert measured.to_dict()["ties"] == measured.ties > 0.05
    one = igb.measure(lambda: model(1), DATA, 400)
    assert abs(one.G0.mean() - np.mean(shares)) < Z * np.std(shares) / 10
