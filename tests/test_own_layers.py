"""Layers as a user writes them: one with its rules, one with `samples` alone, next to every norm and in every verb."""

# what is wrong is passed on purpose, and which of several types a result has is known here
# mypy: disable-error-code="arg-type, index"

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from conftest import draw_less
from repeated import slow

import igbtheory as igb
from igbtheory.phases import gradients

pytestmark = pytest.mark.usefixtures("few_draws")

WAVE = np.random.default_rng(0).standard_normal((8, 20)) + 0.2


@dataclass(frozen=True)
class LayerScale(igb.Layer):
    """Every unit times a number, with its exact rule."""

    scale: float

    def samples(self, x: Any, rng: Any, width: int) -> Any:
        return x * x.dtype.type(self.scale)

    def rule(self, node: Any) -> Any:
        return node.times_number(self.scale)


@dataclass(frozen=True)
class Scaled(igb.Layer):
    """The same with `samples` alone."""

    scale: float

    def samples(self, x: Any, rng: Any, width: int) -> Any:
        return x * x.dtype.type(self.scale)


@dataclass(frozen=True)
class Gate(igb.Layer):
    """The gate x1 * sigmoid(x2) of the two halves of the units."""

    pooled = 2

    def samples(self, x: Any, rng: Any, width: int) -> Any:
        a, b = np.split(x, 2, axis=1)
        return a / (1 + np.exp(-b))


@dataclass(frozen=True)
class Repeated(igb.Layer):
    """Every second unit, twice."""

    def samples(self, x: Any, rng: Any, width: int) -> Any:
        return np.repeat(x[:, ::2], 2, axis=1)


@dataclass(frozen=True)
class Noise(igb.Layer):
    """Independent noise of variance 1 on every unit at every datum."""

    def samples(self, x: Any, rng: Any, width: int) -> Any:
        return x + rng.standard_normal(x.shape).astype(x.dtype)


@dataclass(frozen=True)
class Twice(igb.Layer):
    """Two rows of every datum: it, and its opposite."""

    def samples(self, x: Any, rng: Any, width: int) -> Any:
        return np.concatenate([x, -x])


@dataclass(frozen=True)
class OwnBatchNorm(igb.Layer):
    """A full batch normalised, as one writes it in two lines: it mixes data."""

    def samples(self, x: Any, rng: Any, width: int) -> Any:
        return (x - x.mean(axis=0)) / x.std(axis=0)


NORMS = [igb.BatchNorm(), igb.BatchNorm(4), igb.BatchNorm(4, eps=0.1), igb.LayerNorm(), igb.RMSNorm(), igb.GroupNorm(4)]
FIRST, LAST, RELU = igb.Dense(2.0, 0.3), igb.Dense(1.0, 0.1), igb.Activation("relu")


def estimated(*layers: igb.Layer, inputs: Any = None) -> igb.Prediction:
    """A prediction that may be an estimate."""
    import warnings  # noqa: PLC0415 - of this helper alone

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", igb.AccuracyWarning)
        return igb.Network(*layers).predict(inputs)


@pytest.mark.parametrize("norm", [*NORMS[:5], slow(NORMS[5])], ids=repr)
@pytest.mark.parametrize("inputs", [None, WAVE], ids=["gaussian", "data"])
def test_a_scale_beside_a_norm_is_the_dense_with_that_variance(norm: igb.Layer, inputs: Any) -> None:
    """0.5 x behind a Dense is the Dense with a quarter of its variances; in front of one likewise."""
    half = LayerScale(0.5)
    found = estimated(FIRST, half, norm, RELU, half, LAST, inputs=inputs)
    exact = estimated(igb.Dense(0.5, 0.075), norm, RELU, igb.Dense(0.25, 0.1), inputs=inputs)
    for name in ("var_mu", "var_chi"):
        # both may be estimates, of the same draws
        size = exact.var_mu + exact.var_chi
        assert abs(getattr(found, name) - getattr(exact, name)) <= (1e-12 + 2 * exact.error) * size


@pytest.mark.parametrize(
    ("norm", "behind"), [slow((NORMS[1], True)), (NORMS[2], False), slow((NORMS[4], True)), slow((NORMS[5], False))]
)
def test_a_gate_beside_a_norm_agrees_with_finite_networks(norm: igb.Layer, behind: bool) -> None:  # noqa: FBT001
    hidden = (norm, Gate()) if behind else (Gate(), norm)
    found = estimated(FIRST, *hidden, LAST, inputs=WAVE)
    drawn = igb.Network(FIRST, *hidden, LAST).simulate(networks=60, width=128, inputs=WAVE)
    # five standard errors, the estimate's own, and 1/width
    q = found.var_mu + found.var_chi
    for layers, name in ((drawn.per_layer.var_mu, "var_mu"), (drawn.per_layer.var_chi, "var_chi")):
        value, error = float(np.ravel(layers)[-1]), getattr(found, name)
        assert abs(value - error) <= (found.error + 0.03) * q
    assert found.estimated


def test_samples_alone_find_what_the_rules_say() -> None:
    exact = estimated(FIRST, RELU, LayerScale(0.5), LAST)
    with pytest.warns(igb.EstimateWarning, match=r"Scaled\(scale=0.5\) has no exact rule in this place"):
        found = igb.Network(FIRST, RELU, Scaled(0.5), LAST).predict()
    assert found.estimated == (Scaled(0.5),)
    q = exact.var_mu + exact.var_chi
    assert abs(found.var_mu - exact.var_mu) <= found.error * q
    assert abs(found.var_chi - exact.var_chi) <= found.error * exact.var_chi
    assert 0 < found.error < 2e-3  # the draws keep three digits


def test_independent_data_stay_independent_behind_samples_that_draw_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    draw_less(monkeypatch, 16)
    # what is left is the square of the mean of about 100,000 draws
    assert estimated(igb.Dense(2.0), Gate(), igb.Dense(1.0)).gamma < 2e-5


@pytest.mark.parametrize("inputs", [None, WAVE], ids=["gaussian", "data"])
def test_units_that_samples_make_may_depend_on_one_another(inputs: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The average of two equal units is that unit; of two independent ones it would have half of the variance."""
    draw_less(monkeypatch, 16)
    pooled = estimated(FIRST, Repeated(), igb.AvgPool(2), LAST, inputs=inputs)
    plain = estimated(FIRST, LAST, inputs=inputs)
    q = plain.var_mu + plain.var_chi
    for name in ("var_mu", "var_chi"):
        assert abs(getattr(pooled, name) - getattr(plain, name)) <= pooled.error * q
    assert pooled.error < 0.1


@pytest.mark.slow
def test_a_sweep_is_estimated_point_by_point() -> None:
    sweep = estimated(igb.Dense(np.array([1.0, 2.0]), 0.3), RELU, Gate(), LAST)
    alone = estimated(igb.Dense(2.0, 0.3), RELU, Gate(), LAST)
    assert sweep.gamma[1] == pytest.approx(alone.gamma, rel=1e-12)  # the same draws
    assert sweep.gamma[0] != sweep.gamma[1]


def test_noise_is_drawn_anew_in_front_of_the_first_dense() -> None:
    """A random layer in front of the first Dense is no fixed change of the data: E x x^T gains the noise's identity."""
    found = estimated(Noise(), igb.Dense(1.0), LAST, inputs=WAVE)
    kernel = WAVE @ WAVE.T / WAVE.shape[1] + np.eye(len(WAVE))
    var_mu = kernel.mean()
    assert abs(found.per_layer.var_mu[0] - var_mu) <= found.per_layer.error[0] * np.trace(kernel) / len(kernel)
    drawn = igb.Network(Noise(), igb.Dense(1.0), LAST).simulate(networks=300, width=300, inputs=WAVE)
    assert abs(drawn.gamma - found.gamma) <= 5 * drawn.gamma_error + found.error * (1 + found.gamma)


@pytest.mark.parametrize("first", [(), (igb.Dense(1.0),)])
def test_rows_that_a_layer_adds_are_counted(first: tuple[igb.Layer, ...]) -> None:
    """A datum and its opposite: every mean over the data is 0, so that what biases give alone is the bias."""
    found = estimated(*first, Twice(), igb.Dense(1.0, 0.5), inputs=WAVE)
    kernel = WAVE @ WAVE.T / WAVE.shape[1]
    assert found.var_mu == pytest.approx(0.5, abs=found.error * (0.5 + np.trace(kernel) / len(kernel)) + 1e-12)
    assert found.var_chi == pytest.approx(np.trace(kernel) / len(kernel), rel=0.02 if first else 1e-12)
    assert found.dataset is not None
    assert found.dataset.size == 2 * len(WAVE)


@pytest.mark.slow  # its error takes seconds to be seen
def test_a_layer_that_mixes_data_has_its_limit_within_the_error() -> None:
    found = estimated(FIRST, OwnBatchNorm(), RELU, LAST)
    exact = estimated(FIRST, igb.BatchNorm(), RELU, LAST)
    q = exact.var_mu + exact.var_chi
    assert abs(found.var_mu - exact.var_mu) <= found.error * q
    assert abs(found.var_chi - exact.var_chi) <= found.error * exact.var_chi
    assert found.error < 0.3


@dataclass(frozen=True)
class Faulty(igb.Layer):
    """What a beginner's samples return."""

    found: str

    def samples(self, x: Any, rng: Any, width: int) -> Any:
        return {"nothing": None, "means": x.mean(axis=1), "logarithms": np.log(x)}[self.found]


@pytest.mark.parametrize("inputs", [None, WAVE], ids=["gaussian", "data"])
@pytest.mark.parametrize(
    ("found", "message"),
    [("nothing", "got NoneType; return units"), ("means", "got one of shape"), ("logarithms", "got nan from finite")],
)
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_samples_that_are_no_units_are_refused_by_name(found: str, message: str, inputs: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=rf"samples of Faulty.*{message}"):
        igb.Network(FIRST, Faulty(found), LAST).predict(inputs)


class RuleOfMoments(LayerScale):
    """A rule that forgets the node."""

    def rule(self, node: Any) -> Any:
        return node.averaged()


@pytest.mark.parametrize("inputs", [None, WAVE], ids=["gaussian", "data"])
def test_a_rule_that_returns_no_node_is_refused_by_name(inputs: Any) -> None:
    with pytest.raises(TypeError, match=r"rule of RuleOfMoments\(scale=0.5\) to return a node, got (Moments|Pairs)"):
        igb.Network(FIRST, RuleOfMoments(0.5), LAST).predict(inputs)


@dataclass(frozen=True)
class Square(igb.Layer):
    """The square of every unit: one sentence for every verb."""

    def samples(self, x: Any, rng: Any, width: int) -> Any:
        return x * x

    def rule(self, node: Any) -> Any:
        return node.then("x**2")


def test_a_rule_that_is_not_linear_serves_every_verb() -> None:
    """Hidden layers Dense(1/2), f have the factors of gradients 1 and 3/4, gamma 11/16 = .6875 by hand."""
    half = igb.Dense(0.5)
    own, built_in = (igb.Network(half, f, half, f, half) for f in (Square(), igb.Activation("x**2")))
    assert own.predict().gamma == built_in.predict().gamma == pytest.approx(0.6875, rel=1e-13)
    assert gradients(own).factor == pytest.approx([1.0, 0.75], rel=1e-13)
    assert own.derive().gamma == built_in.derive().gamma
    assert own.predict(WAVE).gamma == built_in.predict(WAVE).gamma
    runs = [net.train(WAVE, np.arange(8) % 2) for net in (own, built_in)]
    assert runs[0] == runs[1]


def test_a_layer_as_the_norm_of_an_mlp_says_how_to_write_it() -> None:
    with pytest.raises(TypeError, match=r"norm: expected batch, layer, rms or None, got GroupNorm\(4\)"):
        igb.mlp(2, norm=igb.GroupNorm(4))


def test_formulas_take_rules_and_refuse_draws() -> None:
    net = igb.Network(FIRST, LayerScale(0.5), RELU, LAST)
    assert float(net.derive().gamma) == pytest.approx(net.predict().gamma, rel=1e-14)
    with pytest.raises(ValueError, match=r"layers of igbtheory to certify, got LayerScale"):
        net.certify()
    for verb in ("derive", "certify"):
        with pytest.raises(ValueError, match=r"Gate\(\)"):
            getattr(igb.Network(FIRST, Gate(), LAST), verb)()


def test_gradients_refuse_estimates_in_words() -> None:
    with pytest.raises(ValueError, match=r"exact rules for gradients, got Gate\(\)"):
        gradients(igb.Network(FIRST, Gate(), LAST))
    assert gradients(igb.Network(FIRST, LayerScale(0.5), RELU, LAST)).factor == pytest.approx([0.125])


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Any:
    """`igb.register` for one test alone."""
    monkeypatch.setattr("igbtheory.layers.registered.REGISTERED", {})
    monkeypatch.setattr("igbtheory.foundations.saved.CITIZENS", {})
    return igb.register


def test_a_registered_layer_is_a_citizen(register: Any) -> None:
    """Of the notation, of JSON, and of `certify` if its rule is declared exact."""
    text = "Dense(2, 0.3) | LayerScale(0.5) | relu | Dense(1, 0.1)"
    with pytest.raises(ValueError, match="LayerScale"):
        igb.Network.read(text)
    assert register(LayerScale, exact=True) is LayerScale
    net = igb.Network.read(text)
    assert net.layers[1] == LayerScale(0.5)
    found = net.predict()
    assert igb.Prediction.from_json(found.to_json()) == found
    quarter = igb.Network(igb.Dense(0.5, 0.075), RELU, LAST)
    assert float(net.certify().gamma) == pytest.approx(quarter.predict().gamma, rel=1e-13)
    register(LayerScale)
    with pytest.raises(ValueError, match="LayerScale, exact=True"):
        net.certify()


def test_a_file_registers_layers_for_the_command_line(
    tmp_path: Any, capsys: pytest.CaptureFixture[str], register: Any
) -> None:
    del register  # what the file registers is forgotten, too
    from igbtheory.presentation.cli import main  # noqa: PLC0415 - of this test alone

    file = tmp_path / "own.py"
    file.write_text(
        "from dataclasses import dataclass\nimport igbtheory as igb\n"
        "@igb.register\n@dataclass(frozen=True)\nclass Tripled(igb.Layer):\n"
        "    def samples(self, x, rng, width):\n        return 3 * x\n"
        "    def rule(self, node):\n        return node.times_number(3)\n"
    )
    assert main(["predict", "Dense | Tripled | relu | Dense", "--register", str(file)]) == 0
    assert f"{igb.mlp(1).predict().gamma:.6g}" in capsys.readouterr().out
    assert main(["predict", "Dense", "--register", str(tmp_path / "none.py")]) == 2


def test_a_result_with_an_unknown_layer_is_refused_by_name(register: Any) -> None:
    register(LayerScale)
    text = igb.Network(FIRST, LayerScale(0.5), LAST).predict().to_json()
    with pytest.raises(ValueError, match="'Unknown'; call igb"):
        igb.Prediction.from_json(text.replace('"LayerScale"', '"Unknown"'))


def test_a_registered_layer_is_read_from_its_module(register: Any) -> None:
    torch = pytest.importorskip("torch")

    class Scale(torch.nn.Module):  # type: ignore[misc, name-defined] # PyTorch is an extra
        def __init__(self) -> None:
            super().__init__()
            self.scale = torch.nn.Parameter(torch.full((16,), 0.5))

        def forward(self, x: Any) -> Any:
            return x * self.scale

    register(LayerScale, modules={Scale: lambda module: LayerScale(module.scale[0].item())})
    net = igb.from_torch(
        lambda: torch.nn.Sequential(torch.nn.Linear(20, 16), Scale(), torch.nn.ReLU(), torch.nn.Linear(16, 2)),
        WAVE.astype("float32"),
    )
    assert net.layers[1] == LayerScale(0.5)


@pytest.mark.parametrize(
    ("layer", "message"),
    [(2, "expected a class of layers"), (type("Plain", (igb.Layer,), {}), "dataclass"), (igb.Dense, "rename")],
)
def test_what_is_no_layer_of_a_user_is_not_registered(layer: Any, message: str, register: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        register(layer)


@dataclass(frozen=True)
class Mask(igb.Layer):
    """Dropout of one half, by the verb of the node alone."""

    def samples(self, x: Any, rng: Any, width: int) -> Any:
        return 2 * x * (rng.random(x.shape) < 0.5)

    def rule(self, node: Any) -> Any:
        return node.dropped(0.5)


@pytest.mark.parametrize("front", [(igb.Dense(1.0), igb.Activation("relu")), ()])
def test_noise_of_an_own_layer_is_off_where_that_of_dropout_is(front: tuple[igb.Layer, ...]) -> None:
    own, built_in, none = (
        igb.Network(*front, *layer, igb.Dense(2.0)) for layer in ((Mask(),), (igb.Dropout(0.5),), ())
    )
    for mine, theirs, without in zip(*map(igb.training.kernels, (own, built_in, none), [WAVE] * 3), strict=True):
        assert np.array_equal(mine, theirs)
        assert np.array_equal(mine, without)
    assert np.array_equal(own.kernel(WAVE), built_in.kernel(WAVE))  # a prediction is in training mode
    assert own.kernel(WAVE)[0, 0] == pytest.approx(2 * none.kernel(WAVE)[0, 0])
