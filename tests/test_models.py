"""PyTorch models read into the theory and explained: beside networks written by hand, and beside `measure`."""

# what is wrong is passed on purpose, and which of several types a result has is known here
# mypy: disable-error-code="attr-defined, index, union-attr"

import copy
import json
import re
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import cycle, product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from conftest import average_fewer
from repeated import slow
from scipy.optimize import brentq

import igbtheory as igb
from igbtheory import EstimateWarning
from igbtheory.foundations.text import measured
from igbtheory.guesses.bias_of_guesses import with_itself
from igbtheory.guesses.favoured import FavouredOf, even_share, favoured_share
from igbtheory.layers.nodes.places import units_first
from igbtheory.networks.width.widths import sizes, units_made
from igbtheory.presentation.cli import main
from igbtheory.torch import Explanation
from igbtheory.torch.outputs import shares

torch = pytest.importorskip("torch")

from igbtheory.torch import few_numbers, last_layer  # noqa: E402 - they need PyTorch
from igbtheory.torch.changes import changes  # noqa: E402
from igbtheory.torch.reading import reading  # noqa: E402
from igbtheory.torch.tracing import draws_of  # noqa: E402

nn = torch.nn
functional = nn.functional
torch.set_num_threads(1)  # the models are small, and several processes run tests

Make = Callable[[], Any]
X = np.random.default_rng(4).standard_normal((12, 20)) + 0.4
IMAGES = igb.gaussian_images(6, 2, 4, 4, seed=1)
RELU, TANH, HALF = igb.Activation("relu"), igb.Activation("tanh"), igb.Activation("0.5 * x")
UNIT = 1e-12


def default(fan_in: int) -> igb.Dense:
    """Dense as PyTorch's default draws it."""
    return igb.Dense(fan_in * (1 / (3 * fan_in)), 1 / (3 * fan_in))


class Forward(torch.nn.Module):  # type: ignore[misc, name-defined] # PyTorch is an extra
    """The modules by their names, and a function of them and the data as the forward pass."""

    def __init__(self, forward: Callable[[Any, Any], Any], **modules: Any) -> None:
        super().__init__()
        self.parts = nn.ModuleDict(modules)
        self.of = forward

    def forward(self, x: Any) -> Any:
        return self.of(self.parts, x)


def model(forward: Callable[[Any, Any], Any], **modules: Make) -> Make:
    """Function that makes such models."""
    return lambda: Forward(forward, **{name: make() for name, make in modules.items()})


def stack(*makers: Make) -> Make:
    return lambda: nn.Sequential(*(make() for make in makers))


def linear(fan_in: int, fan_out: int, draw: Callable[[Any], Any] | None = None) -> Make:
    """Linear without biases, its weights drawn by a function."""

    def make() -> Any:
        layer = nn.Linear(fan_in, fan_out, bias=draw is None)
        if draw is not None:
            draw(layer.weight)
        return layer

    return make


def conv(channels: int, out: int, size: Any = 3, **named: Any) -> Make:
    return lambda: nn.Conv2d(channels, out, size, **{"padding": size // 2 if isinstance(size, int) else 0, **named})


MLP = stack(linear(20, 40), nn.ReLU, linear(40, 30), nn.ReLU, linear(30, 3))
CONV = igb.Conv2d(3, sigma_w2=18 * (1 / 54), sigma_b2=1 / 54)


class Snake(torch.nn.Module):  # type: ignore[misc, name-defined] # PyTorch is an extra
    """An activation with a parameter, made of functions."""

    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Parameter(torch.tensor(5.0))

    def forward(self, x: Any) -> Any:
        return x + torch.sin(self.a * x) ** 2 / self.a


@pytest.mark.parametrize(
    ("make", "data", "expected"),
    [
        (
            stack(linear(20, 40), Snake, linear(40, 3)),
            X,
            [default(20), igb.Activation("0.2*sin(5*x)**2 + x"), default(40)],
        ),
        (MLP, X, [default(20), RELU, default(40), RELU, default(30)]),
        (
            model(
                lambda m, x: functional.log_softmax(m.b(torch.relu(functional.dropout(m.a(x), 0.2))), dim=1),
                a=linear(20, 40),
                b=linear(40, 3),
            ),
            X,
            [default(20), igb.Dropout(0.2), RELU, default(40)],
        ),
        (
            stack(linear(20, 40), lambda: nn.BatchNorm1d(40).eval(), nn.GELU, lambda: nn.LayerNorm(40), linear(40, 3)),
            X,
            [
                default(20),
                igb.BatchNorm(law="evaluation", eps=1e-5),
                igb.Activation("gelu"),
                igb.LayerNorm(eps=1e-5),
                default(40),
            ],
        ),
        (
            model(lambda m, x: m.c(m.a(x) * 0.5 + m.b(m.a(x))), a=nn.Identity, b=linear(20, 20), c=linear(20, 2)),
            X,
            [igb.Residual(default(20), shortcut=igb.Activation("0.5*x")), default(20)],
        ),
        (
            model(lambda m, x: m.c(m.a(x) + m.b(x)), a=linear(20, 9), b=stack(linear(20, 9), nn.ReLU), c=linear(9, 2)),
            X,
            [igb.Residual(default(20), RELU, shortcut=default(20)), default(9)],
        ),
        (
            model(lambda m, x: m.c(x + m.b((x + m.a(x)).tanh())), a=linear(20, 20), b=linear(20, 20), c=linear(20, 2)),
            X,
            [igb.Residual(igb.Residual(default(20)), TANH, default(20)), default(20)],
        ),
        (
            stack(conv(2, 6), nn.ReLU, lambda: nn.AvgPool2d(2), nn.Flatten, linear(24, 3)),
            IMAGES,
            [CONV, RELU, igb.AvgPool2d(2), igb.Flatten(), default(24)],
        ),
        (
            model(
                lambda m, x: m.b(functional.adaptive_avg_pool2d(m.a(x).relu(), 1).view(x.size(0), -1)),
                a=conv(2, 6),
                b=linear(6, 3),
            ),
            IMAGES,
            [CONV, RELU, igb.GlobalAvgPool(), default(6)],
        ),
        (
            model(lambda m, x: m.b(torch.flatten(m.a(x), 1).sin().mul(2)), a=conv(2, 6), b=linear(96, 3)),
            IMAGES,
            [CONV, igb.Activation("sin"), igb.Activation("2*x"), igb.Flatten(), default(96)],
        ),
        (
            model(lambda m, x: m.b(m.a(x.view(-1, 2, 4, 4)).mean((2, 3))), a=conv(2, 6), b=linear(6, 3)),
            IMAGES.reshape(6, -1),
            [None, CONV, igb.GlobalAvgPool(), default(6)],
        ),
        (model(lambda m, x: m.b(m.a(x).mean(1)), a=linear(4, 6), b=linear(6, 3)), IMAGES[:, :, 0], "tokens"),
    ],
    ids=[
        "own activation",
        "mlp",
        "functions",
        "norms",
        "scaled",
        "shortcut",
        "residual",
        "pool",
        "adaptive",
        "method",
        "unflatten",
        "tokens",
    ],
)
def test_models_are_read_as_they_would_be_written(make: Make, data: Any, expected: Any) -> None:
    found = igb.from_torch(make, data)
    if expected == "tokens":
        expected = [default(4), igb.GlobalAvgPool(), default(6)]
    if expected[0] is None:  # a layer of the reader alone
        assert found.predict(data).gamma == igb.Network(*expected[1:]).predict(IMAGES).gamma
        expected[0] = found.layers[0]
    assert repr(found) == repr(igb.Network(*expected))
    # one model is enough
    assert repr(igb.from_torch(make(), data)) == repr(found)


@pytest.mark.parametrize(
    ("function", "formula"),
    [
        (lambda x: torch.where(x > 0, x, 0.2 * x), "leaky_relu(x, 0.2)"),
        (lambda x: torch.where(x > 0, x, torch.zeros_like(x)), "relu"),
        (lambda x: torch.maximum(x, torch.zeros_like(x)), "relu"),
        (lambda x: x * torch.sigmoid(x), "silu"),
        (lambda x: x * functional.relu6(x + 3), "6*hardswish(x)"),
        (lambda x: x + x, "2*x"),
        (lambda x: x * x, "x**2"),
        (lambda x: x + x.relu(), "x + relu(x)"),
    ],
)
def test_a_function_of_several_steps_is_one_activation(function: Any, formula: str) -> None:
    make = model(lambda m, x: m.b(function(m.a(x))), a=linear(20, 9), b=linear(9, 2))
    expected = igb.Network(default(20), igb.Activation(formula), default(9))
    assert igb.from_torch(make, X).predict(X).gamma == pytest.approx(expected.predict(X).gamma, rel=1e-12)


def zero_norm() -> Any:
    norm = nn.LayerNorm(9)
    nn.init.zeros_(norm.weight)
    return norm


@pytest.mark.parametrize(
    "branch",
    [
        lambda m, x: m.norm(m.b(x)),
        lambda m, x: m.alpha * m.b(x).relu(),
        lambda m, x: m.b(x) * m.scales,
    ],
    ids=["norm", "rezero", "layerscale"],
)
def test_a_branch_that_is_0_at_first_adds_nothing(branch: Any) -> None:
    def make() -> Any:
        own = model(
            lambda m, x: m.c((x := m.a(x).relu()) + branch(m, x)),
            a=linear(20, 9),
            b=linear(9, 9),
            c=linear(9, 2),
            norm=zero_norm,
        )()
        own.parts.alpha, own.parts.scales = nn.Parameter(torch.zeros(1)), nn.Parameter(torch.zeros(9))
        return own

    assert repr(igb.from_torch(make(), X)) == repr(igb.Network(default(20), RELU, default(9)))


@pytest.mark.parametrize(
    ("draw", "sigma_w2"),
    [
        (nn.init.kaiming_normal_, 2.0),
        (nn.init.kaiming_uniform_, 2.0),
        (lambda w: nn.init.kaiming_normal_(w, mode="fan_out"), 0.5),
        (nn.init.xavier_normal_, 0.4),
        (lambda w: nn.init.xavier_uniform_(w, nn.init.calculate_gain("tanh")), 25 / 9 * 0.4),
        (nn.init.orthogonal_, 0.25),
        (lambda w: nn.init.normal_(w, 0.0, 0.02), 50 * 0.02**2),
    ],
)
def test_the_variance_of_a_known_initialiser_is_exact(draw: Any, sigma_w2: float) -> None:
    net = igb.from_torch(stack(linear(20, 50), nn.ReLU, linear(50, 200, draw)), X)
    assert net.layers[-1].sigma_w2 == pytest.approx(sigma_w2, rel=UNIT)
    assert net.layers[-1].sigma_b2 == 0


def test_where_few_weights_fit_several_initialisers_the_other_layers_decide() -> None:
    def draw(weight: Any) -> None:
        nn.init.kaiming_normal_(weight, mode="fan_out")

    from igbtheory.torch.initialisers import variance  # noqa: PLC0415 - it loads PyTorch

    torch.manual_seed(0)
    make = stack(linear(20, 20, draw), nn.ReLU, linear(20, 100, draw), nn.ReLU, linear(100, 2, draw))
    few = igb.from_torch(make(), X)
    assert [layer.sigma_w2 for layer in few.layers[::2]] == pytest.approx([2, 0.4, 100])
    last = variance([make()[4].weight], 100, 2)
    assert last.laws == ("measured",)


def test_another_variance_is_measured_and_said_with_its_error() -> None:
    make = stack(linear(20, 50), nn.ReLU, linear(50, 200, lambda w: nn.init.normal_(w, 0.0, 0.173)))
    with pytest.warns(EstimateWarning, match=r"sigma_w2 of 2 is 1\.\d+ ± 0\.007"):
        net = igb.from_torch(make, X)
    assert abs(net.layers[-1].sigma_w2 - 50 * 0.173**2) < 5 * 0.0075  # five times the stated error
    found = igb.explain(make, X, 2)
    # gamma of a model without biases does not depend on the last variance: its error is that of the drawn networks,
    # whose weights are not uniform as those of the first layer are
    own = found.at_widths.per_layer
    assert found.doubt == pytest.approx(np.hypot(own.gamma_error[-1], 0.2 / 50 * own.gamma[-1]), rel=1e-8)


def test_a_model_without_bias_has_an_error() -> None:
    data = np.concatenate([X, -X])
    odd = stack(linear(20, 16, nn.init.kaiming_normal_), nn.Tanh, linear(16, 2, nn.init.kaiming_normal_))
    found = igb.explain(odd, data, 2)
    assert found.predicted_gamma[-1] == 0
    assert found.doubt == pytest.approx(found.at_widths.per_layer.gamma_error[-1], rel=1e-9)


def test_states_of_an_lstm_whose_layers_come_first_are_no_layers() -> None:
    """The outputs read the last state, h of the shape (layers, data, units), which has no row for each datum."""
    make = model(
        lambda m, x: m.b(m.a(x[:, None])[1][0][-1]), a=lambda: nn.LSTM(20, 9, 2, batch_first=True), b=linear(9, 2)
    )
    found = igb.explain(make, X, 3)
    assert found.names == ("data", "parts.a", "getitem_3", "parts.b")
    assert np.isfinite(found.per_layer.gamma).all()


def test_a_model_that_is_not_read_as_a_whole_has_no_sentence_on_the_size_of_its_width() -> None:
    found = igb.explain(stack(linear(20, 9), nn.ReLU, lambda: nn.LSTM(9, 9)), X, 2)
    assert "Not predicted at the model's widths: the model is not read as a whole." in found.sentences()
    assert not any("finite width may change" in sentence for sentence in found.sentences())


def copied() -> Any:
    layer = nn.Linear(20, 20)
    return nn.Sequential(layer, nn.ReLU(), copy.deepcopy(layer), nn.Linear(20, 2))


def branching(_: Any, x: Any) -> Any:
    return x if x.sum() > 0 else -x


def emptied(m: Any, x: Any) -> Any:
    x = m.a(x)
    x[:, 0] = 0
    return m.b(x)


def pruned(m: Any, x: Any) -> Any:
    weights = m.a.weight.clone()
    weights[:, :10] = 0
    return m.b(functional.linear(x, 2 * weights))


def test_weights_that_a_step_changes_in_part_are_read_as_it_leaves_them() -> None:
    make = model(pruned, a=linear(20, 400), b=linear(400, 2))
    with pytest.warns(EstimateWarning, match="sigma_w2"):
        first = igb.from_torch(make, X).layers[0]
    # half of 4 times the usual variance
    assert first.sigma_w2 == pytest.approx(2 / 3, abs=0.02)


def filled(m: Any, x: Any) -> Any:
    x, factors = m.a(x), torch.zeros(9)
    functional.relu(x, inplace=True)
    factors[:] = 2
    return m.b(x * factors)


SIZES = cycle([2, 3])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: nn.Sequential(*[nn.Linear(20, 20)] * 2, nn.Linear(20, 2)), "'0' .* stands in two places"),
        (copied, r"'2' \(Linear\): has the same weights as '0'"),
        (stack(linear(20, 2, nn.init.ones_)), "mean 1"),
        (stack(linear(20, 2), nn.ReLU), "ends in a linear layer"),
        (model(branching, a=linear(20, 2)), r"line \d+: return x if x.sum\(\) > 0"),
        (
            model(lambda m, x: m.c(m.a(x).relu() + m.a(x)), a=linear(20, 9), c=linear(9, 2)),
            r"'parts.a' \(Linear\): stands in two places",
        ),
        (stack(nn.GLU, linear(10, 2)), "'0' .*put one in front"),
        (stack(linear(20, 9), lambda: nn.LSTM(9, 9)), r"'1' \(LSTM\): the theory has no layer for LSTM"),
        (stack(lambda: nn.LazyLinear(9), linear(9, 2)), "the lazy '0'; pass data through"),
        (
            model(lambda m, x: m.b((y := m.a(x)) + torch.rand_like(y)), a=linear(20, 9), b=linear(9, 2)),
            "drawn in every pass",
        ),
        (model(lambda m, x: m.b(m.a(x) * torch.rand(9)), a=linear(20, 9), b=linear(9, 2)), "drawn in every pass"),
        (
            model(lambda m, x: m.b(m.a(x) * np.random.rand()), a=linear(20, 9), b=linear(9, 2)),  # noqa: NPY002 - as meant
            "draws them with NumPy or Python",
        ),
        (model(emptied, a=linear(20, 9), b=linear(9, 2)), "a step in front has changed a part in place"),
        (
            stack(lambda: nn.Linear(20, next(SIZES))),
            r"models of one size, got '0.weight' of the shape \(2, 20\) in one and \(3, 20\)",
        ),
    ],
    ids=[
        "shared",
        "copied",
        "ones",
        "no logits",
        "control flow",
        "twice",
        "gate of data",
        "recurrent",
        "lazy",
        "random",
        "random of a fixed shape",
        "random of NumPy",
        "changed in part",
        "several widths",
    ],
)
def test_what_cannot_be_read_is_named(make: Make, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        igb.from_torch(make, X)


def test_values_are_read_as_steps_in_place_leave_them() -> None:
    layers = {"a": linear(20, 9), "b": linear(9, 2)}
    plain = igb.from_torch(model(lambda m, x: m.b(2 * functional.relu(m.a(x))), **layers), X)
    assert igb.from_torch(model(filled, **layers), X) == plain


def test_values_are_let_go_when_they_are_read() -> None:
    from igbtheory.torch import dataflow, reader, trial  # noqa: PLC0415 - they need PyTorch

    chain = nn.Sequential(nn.Conv2d(1, 8, 3), *[nn.Tanh()] * 5, nn.Flatten(), nn.Linear(288, 2))
    shown = torch.zeros(3, 1, 8, 8)
    with torch.no_grad():
        walk = reader.Reader(dataflow.Dataflow(trial.tried(chain, shown, 3, None), [chain], shown), "")
        streams = walk.streams(shown)
    assert len(streams) == len(chain) + 1
    images = [value for node, value in walk.values.items() if node.name in streams and value.ndim == 4]
    assert [value.untyped_storage().nbytes() for value in images[1:]] == [4] * 6  # one number each, and the data
    assert len({id(stream.entries) for stream in streams.values()}) == 4  # data, images, vectors and outputs


class Initialised(nn.Module):  # type: ignore[misc, name-defined] # PyTorch is an extra
    """Large layers, each with an initialiser that works in another way."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(600, 80, padding_idx=0)
        self.layers = nn.Sequential(nn.Linear(80, 200), nn.ReLU(), nn.Linear(200, 150, bias=False), nn.Linear(150, 120))
        nn.init.trunc_normal_(self.layers[0].weight, std=0.02)  # it draws anew what is too large
        self.layers[2].weight.data.normal_().mul_(0.03)
        nn.init.xavier_uniform_(self.layers[3].weight)

    def forward(self, x: Any) -> Any:
        return self.layers(self.embedding(x).mean(1))


def test_models_larger_than_the_memory_have_the_laws_of_their_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    data = torch.randint(0, 600, (4, 6))
    with pytest.warns(EstimateWarning, match="of layers.2 is"):
        expected = igb.from_torch(Initialised, data)
    monkeypatch.setattr(few_numbers, "WHOLE", 0)
    monkeypatch.setattr(few_numbers, "KEPT", 2**11)
    model = few_numbers.sparing(Initialised)
    assert all(model.get_parameter(f"layers.{i}.weight").untyped_storage().nbytes() < 2**15 for i in (0, 2, 3))
    with pytest.warns(EstimateWarning, match="of layers.2 is"):
        network = igb.from_torch(Initialised, data)
    assert network.widths == expected.widths
    # the known ones to rounding; the error of about 2500 normal numbers is 3 %
    assert [*map(repr, network.layers[1:4])] == [*map(repr, expected.layers[1:4])]
    assert network.layers[5] == expected.layers[5]
    assert network.layers[0].variance == pytest.approx(expected.layers[0].variance, rel=0.12)
    assert network.layers[4].sigma_w2 == pytest.approx(expected.layers[4].sigma_w2, rel=0.12)
    # orthogonal weights need all of their numbers, and so does a half of them that is changed
    for change in (nn.init.orthogonal_, lambda weight: weight.data[:100].zero_()):

        def make(change: Any = change) -> Any:
            made = Initialised()
            change(made.layers[0].weight)
            return made

        assert few_numbers.sparing(make).layers[0].weight.is_contiguous()


def test_weights_that_are_no_draws_are_refused() -> None:
    weight = torch.linspace(-1, 1, 40).reshape(2, 20)
    with pytest.raises(ValueError, match="same weights in every model"):
        igb.from_torch(stack(linear(20, 2, lambda w: w.data.copy_(weight))), X)


def residual(m: Any, x: Any) -> Any:
    x = m.a(x)
    return m.c(functional.relu(x + m.b(functional.relu(m.n(x)))))


NORMED: dict[str, Make] = {"n": lambda: nn.BatchNorm1d(30), "a": linear(20, 30), "b": linear(30, 30)}
RESIDUAL = model(residual, **NORMED, c=linear(30, 3))


@pytest.fixture(scope="module")
def explained() -> Explanation:
    found: Explanation = igb.explain(RESIDUAL, X, 30, seed=3, check=True)
    return found


def test_every_layer_is_measured_and_predicted(explained: Explanation) -> None:
    found, plain = explained, igb.measure(RESIDUAL, X, 30, seed=3)
    norm = igb.BatchNorm(eps=1e-5)
    net = igb.Network(default(20), igb.Residual(norm, RELU, default(30)), RELU, default(30))
    branch = igb.Network(default(20), norm, RELU, default(30)).predict(X)
    predicted = net.predict(X)
    names = ["data", "parts.a", "parts.n", "relu", "parts.b", "add", "relu_1", "parts.c"]
    assert found.names == tuple(names)
    assert found.branch == (False, False, True, True, True, False, False, False)
    assert (found.gamma, found.gamma_error) == pytest.approx((plain.gamma, plain.gamma_error), rel=1e-9)
    outer = [names.index(name) for name in ("parts.a", "add", "parts.c")]
    assert found.predicted_gamma[outer] == pytest.approx(predicted.per_layer.gamma, rel=1e-9)
    assert found.predicted_gamma[4] == pytest.approx(branch.gamma, rel=1e-9)
    # what the activation leaves is what a Dense without biases passes on
    assert found.predicted_gamma[3] == pytest.approx(
        igb.Network(default(20), norm, RELU, igb.Dense(1)).predict(X).gamma, rel=1e-9
    )
    # a few networks, of 30 units and of 3 outputs, whose errors are the widest
    known, errors = found.predicted_gamma[:-1], found.per_layer.gamma_error[:-1]
    assert np.all(np.abs(found.per_layer.gamma[:-1] - known) < 5 * errors + known / 15 + 1e-9)
    biases, errors = found.per_layer.gamma_guess, found.per_layer.gamma_guess_error
    assert np.all(np.abs(biases - found.predicted_gamma_guess) < 5 * errors + found.predicted_gamma_guess / 15)
    assert found.outputs is not None
    assert found.outputs.shares == pytest.approx(plain.shares)
    shares = found.columns()["favoured"]
    assert shares[-1] == plain.majority
    even, (now, first, created, removed, *_) = even_share(12, 3), found.sentences()
    assert now.startswith(f"One class gets {100 * plain.majority:.1f} ± ")
    assert now.endswith(f" would get {100 * even:.1f} %.")
    assert first.startswith(f"The first cross-entropy is {measured(plain.loss, plain.loss_error)}; ")
    steps = [("relu_1 (Activation('relu'))", shares[5], shares[6]), ("the data", even, shares[0])]
    told = (f"{name}, {100 * before:.1f} to {100 * behind:.1f} %" for name, before, behind in steps)
    assert created.startswith(f"Bias is created by {'; '.join(told)}; add and its branches (Residual), ")
    assert removed == "No layer is named to remove bias."


EXACT = "data less their mean, feature by feature", "BatchNorm in the mode of evaluation, where it is the identity"


def test_changes_are_predicted_and_measured_as_models_that_were_written_so(explained: Explanation) -> None:
    def behind(m: Any, x: Any) -> Any:
        x = m.a(x)
        return m.c(functional.relu(x + m.b(m.n(functional.relu(x)))))

    def tanh(m: Any, x: Any) -> Any:
        x = m.a(x)
        return m.c(torch.tanh(x + m.b(torch.tanh(m.n(x)))))

    def unbiased() -> Any:
        made = RESIDUAL()
        nn.init.zeros_(made.parts.c.bias)
        return made

    written = {
        "norms behind the activations": (model(behind, **NORMED, c=linear(30, 3)), X),
        "tanh for relu": (model(tanh, **NORMED, c=linear(30, 3)), X),
        EXACT[0]: (RESIDUAL, X - X.mean(axis=0)),
        EXACT[1]: (lambda: RESIDUAL().eval(), X),
        "no norms": (model(residual, **NORMED | {"n": nn.Identity}, c=linear(30, 3)), X),
        "no biases in 'parts.c'": (unbiased, X),
        "data of mean 0 and variance 1, feature by feature": (RESIDUAL, (X - X.mean(axis=0)) / X.std(axis=0)),
    }
    lines = {line.change: line for line in explained.what_if}
    assert set(written) <= set(lines)
    for change, (make, data) in written.items():
        with pytest.warns(UserWarning, match="identity") if change == EXACT[1] else nullcontext():
            alone = igb.measure(make, data, 30, seed=3)
            biases = lines[change].measured, lines[change].measured_guess, lines[change].majority
            assert biases == pytest.approx((alone.gamma, alone.gamma_guess, alone.majority), rel=1e-9)
        if change in EXACT:  # others are estimated from draws, which takes time
            predicted = igb.from_torch(make, data).predict(data)
            ratios = lines[change].predicted, lines[change].predicted_guess
            assert ratios == pytest.approx((predicted.gamma, predicted.gamma_guess), rel=1e-9), change


def test_a_remedy_helps_and_changes_what_it_says_alone() -> None:
    """A change of the last biases stays out of the other changes, which share the parameters of the model."""
    make = stack(nn.Flatten, linear(20, 30), nn.ReLU, nn.Flatten, linear(30, 3))
    found = igb.explain(make, X + 2, 60, check=True)
    lines = {line.change: line for line in found.what_if}
    for change, data in (("no biases in '4'", X + 2), ("data less their mean, feature by feature", X - X.mean(axis=0))):
        made = igb.from_torch(make, X)
        layers = [*made.layers[:-1], igb.Dense(made.layers[-1].sigma_w2, 0.0)] if "biases" in change else made.layers
        expected = igb.Network(*layers).predict(data)
        assert lines[change].predicted == pytest.approx(expected.gamma, rel=1e-5), change
    normed = stack(linear(20, 30), lambda: nn.LayerNorm(30), nn.ReLU, linear(30, 3))
    assert lines["norms over the units in front of the activations"].measured == pytest.approx(
        igb.measure(normed, X + 2, 60).gamma, rel=1e-6
    )
    assert replace(found.changes, changes=(found.changes.model,)).remedy is None
    best = found.changes.remedy
    assert best is not None
    assert best.change.startswith("data ")
    assert best.majority < found.outputs.majority - 0.1  # 4 standard errors
    (said,) = (sentence for sentence in found.sentences() if "helps most" in sentence)
    assert best.change in said
    evened = next(sentence for sentence in found.sentences() if sentence.startswith("igb.initialise("))
    assert "no class more than 33.3 %; '4' was changed by" in evened


def test_what_the_theory_lacks_is_measured_alone() -> None:
    make = model(lambda m, x: m.c(m.b(m.b(m.a(x)).relu())), a=linear(20, 30), b=linear(30, 30), c=linear(30, 3))
    found = igb.explain(make, X, 5)
    assert found.names == ("data", "parts.a", "parts.b", "relu", "parts.b", "parts.c")
    assert np.isnan(found.predicted_gamma).tolist() == [False] * 4 + [True] * 2
    assert found.gamma == pytest.approx(igb.measure(make, X, 5).gamma, rel=1e-9)
    assert found.unpredicted() == [f"Not read: {found.unread}."]
    assert "'parts.b' (Linear): stands in two places" in found.unread
    assert found.layers[4:] == ("Linear, not read", "Linear, not read")
    assert any(sentence.endswith("have no prediction; check=True measures them.") for sentence in found.sentences())


def test_a_last_layer_of_zeros_is_named_and_all_in_front_of_it_explained() -> None:
    found = igb.explain(stack(linear(20, 30), nn.ReLU, linear(30, 3, nn.init.zeros_)), X, 3)
    assert np.isnan(found.predicted_gamma).tolist() == [False, False, False, True]
    assert "Not read: '2' (Linear): its weights are 0 when the model is new" in found.unpredicted()[0]


def explanation_of(variances: Any, predicted: Any = None) -> Explanation:
    """Explain Var(G0) of pairs of nine different data, (networks, layers), behind the data and layers a, b, ..."""
    count = variances.shape[1]
    names, layers = ("data", *"abc"[: count - 1]), ("", *["Dense"] * (count - 1))
    predicted = np.ones((count, 2)) if predicted is None else predicted
    moments = np.ones((*variances.shape, 2))  # they make no causes
    measured = with_itself(variances, 9)
    return Explanation(9, 0, names, layers, (False,) * count, moments, predicted, 0.0, "", "", (), measured)


@pytest.mark.parametrize(("data", "n_classes"), [(1, 4), (5, 2), (4, 3), (3, 6)])
def test_even_guesses_give_some_class_more_than_its_share(data: int, n_classes: int) -> None:
    # all guesses that there are
    guesses = np.array(list(product(range(n_classes), repeat=data)))
    largest = (guesses[:, :, None] == np.arange(n_classes)).sum(axis=1).max(axis=1)
    assert FavouredOf(data, n_classes).even == pytest.approx(largest.mean() / data, rel=1e-12)


@pytest.mark.parametrize(("data", "n_classes"), [(40, 10), slow((8, 2)), slow((200, 10)), slow((100, 100))])
def test_the_share_of_the_favoured_class_has_the_scatter_of_few_guesses(data: int, n_classes: int) -> None:
    rng, of, networks = np.random.default_rng(0), FavouredOf(data, n_classes), 4000
    for gamma in (0.0, 0.1, 0.5, 3.0):
        shares = np.empty(networks)
        for i in range(networks):
            outputs = gamma**0.5 * rng.standard_normal(n_classes) + rng.standard_normal((data, n_classes))
            shares[i] = np.bincount(outputs.argmax(axis=1)).max() / data
        error = 0.2 * (of.at_gamma(gamma) - favoured_share(gamma, n_classes)) * (gamma > 0)
        assert abs(shares.mean() - of.at_gamma(gamma)) < error + 5 * shares.std() / networks**0.5
        if gamma:
            share, stated = of.at(gamma)
            apart = brentq(lambda x, share=share: of.at_gamma(x) - share, 0, 9)  # of pairs of different data
            assert stated == pytest.approx(0.2 * (share - favoured_share(apart, n_classes)), rel=1e-6)


def test_the_scatter_of_few_guesses_falls_where_the_share_grows() -> None:
    """Of 40 data and 10 classes at gamma = 3, where finitely many data make a difference of 0.01."""
    rng, of, gamma, drawn = np.random.default_rng(0), FavouredOf(40, 10), 3.0, list[Any]()
    for _ in range(4):
        centres = gamma**0.5 * rng.standard_normal((15_000, 1, 10), dtype=np.float32)
        guesses = (centres + rng.standard_normal((15_000, 40, 10), dtype=np.float32)).argmax(axis=2)
        drawn.append((guesses[:, :, None] == np.arange(10)).sum(axis=1).max(axis=1) / 40)
    share, added = of.at_gamma(gamma), of.at_gamma(gamma) - favoured_share(gamma, 10)
    assert abs(np.mean(drawn) - share) < 0.05 * added + 4 * np.std(drawn) / 60_000**0.5


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("errors", [1.8, 2.2])
def test_a_cause_differs_by_two_errors_in_the_same_networks(errors: float, sign: int) -> None:
    """The networks differ from one another by much more than two layers of one network do."""
    common, between = np.tile([-1.0, -1.0, 1.0, 1.0], 5), np.tile([-0.35, 0.35], 10)
    variances = np.full((20, 3), 0.15) + 0.02 * common[:, None]
    variances[:, 2] += 0.02 * (between + sign * errors * between.std(ddof=1) / np.sqrt(20))
    # predictions of other values, in front of the layer and behind it, make no cause
    for predicted in (None, np.array([[1.0, 1], [9, 1], [2, 1]])):
        found = explanation_of(variances, predicted)
        created, removed = found.sentences()[:2]
        named, other = (created, removed) if sign > 0 else (removed, created)
        parts = [f"{100 * share:.1f}" for share in found.columns()["favoured"][1:]]
        assert named.endswith(f"b (Dense), {' to '.join(parts)} %.") == (errors > 2)
        assert other.startswith("No layer is named" if sign > 0 else "Bias is created by the data, ")


@pytest.mark.parametrize(("change", "named"), [(0.0019, False), (0.0021, True)])
def test_a_change_of_hardly_any_datum_is_no_cause(change: float, *, named: bool) -> None:
    shares = 0.8 + np.array([0, 0, change])  # of nine data

    def bias(share: float) -> float:
        return brentq(lambda gamma: favoured_share(gamma, 2, 9) - share, 0, 100, xtol=1e-13)

    found = explanation_of(np.tile(igb.GuessLaw(np.array([*map(bias, shares)])).var(), (5, 1)))
    assert found.columns()["favoured"] == pytest.approx(shares, abs=1e-12)
    assert ("; b (Dense), 80.0 to 80.2 %" in found.sentences()[0]) == named


def test_what_stands_in_front_of_a_layer_without_bias_creates_none() -> None:
    """Behind a BatchNorm, b, different data agree less often than not, and each agrees with itself."""
    found = explanation_of(np.tile([*igb.GuessLaw(np.array([2.0, 3.0])).var(), -0.01, 0.1], (5, 1)))
    of = [f"{100 * share:.1f}" for share in found.columns()["favoured"]]
    assert found.sentences()[:3] == [
        f"Bias is created by c (Dense), {of[2]} to {of[3]} %.",
        f"Bias is removed by b (Dense), {of[1]} to {of[2]} %.",
        "Behind b there is no bias: what stands in front of it creates none.",
    ]
    old = replace(found, guess_variances=np.nan)
    assert old.sentences()[0].startswith("This explanation was saved without gamma_guess")


def test_outputs_that_are_not_centred_have_no_bias_of_guesses() -> None:
    def last() -> Any:
        layer = nn.Linear(9, 2)
        layer.bias.data = torch.tensor([3.0, 0.0])
        return layer

    found = igb.explain(stack(linear(20, 9), nn.ReLU, last), X, 9)
    assert np.isnan(found.per_layer.gamma_guess).tolist() == [False, False, False, True]
    assert found.sentences()[2].startswith("gamma_guess of the outputs is not defined: they are not centred")


def test_a_softmax_at_the_end_removes_no_bias() -> None:
    """Its input has no other gamma than its output, but the prediction differs from both."""
    narrow = [linear(20, 8), nn.ReLU, linear(8, 8), nn.ReLU, linear(8, 3)]
    found = igb.explain(stack(*narrow, lambda: nn.Softmax(1)), X, 30, check=True)
    logits = igb.measure(stack(*narrow), X, 30)
    measured, errors = found.per_layer.gamma[-2:], found.per_layer.gamma_error[-2:]
    assert measured[0] == pytest.approx(logits.gamma, rel=1e-9)
    assert abs(measured[1] - measured[0]) < errors[0]
    assert found.predicted_gamma[-2] > 1.02 * measured[1]
    assert "No layer is named to remove bias." in found.sentences()
    assert "of the sum 1, which are probabilities" in found.what_if[0].unmeasured
    assert found.what_if[0].unpredicted == found.unread


def test_a_function_at_the_end_is_compared_with_its_input_and_not_predicted() -> None:
    layers = linear(20, 30), nn.ReLU, linear(30, 3)
    found = igb.explain(stack(*layers, nn.Softplus), X, 5)
    assert found.per_layer.gamma[-2] == pytest.approx(igb.measure(stack(*layers), X, 5).gamma, rel=1e-9)
    assert found.gamma == pytest.approx(igb.measure(stack(*layers, nn.Softplus), X, 5).gamma, rel=1e-9)
    assert np.isnan(found.predicted_gamma).tolist() == [False] * 4 + [True]
    assert found.refused.startswith("'3' (Activation): the theory compares outputs of mean 0")
    end = "No prediction of 'gelu for relu, softplus': expected a model that ends in a linear layer"
    assert any(sentence.startswith(end) for sentence in found.sentences())


def write_models(modules: str) -> str:
    """Write models.py, whose function `make` returns a Sequential of these modules; return the code."""
    code = f"from torch import nn\ndef make():\n    return nn.Sequential({modules})"
    Path("models.py").write_text(code, encoding="utf-8")
    return code


def test_what_the_theory_refuses_is_said_wherever_the_explanation_is_shown(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code = write_models("nn.Conv2d(1, 4, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(900, 3)")
    images = igb.gaussian_images(6, 1, 32, 32, seed=1)
    np.save("images.npy", images)
    reason = "Not predicted: '2' (MaxPool2d): in infinite width the kernel of all pairs of data and positions would"
    command = ["explain", "models.py:make", "--data", "images.npy", "--networks", "2"]
    assert main(command) == 0
    shown = capsys.readouterr().out
    assert reason in " ".join(shown.split())
    assert main([*command, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert f"Not predicted: {told['refused']}.".startswith(reason)
    line = told["what_if"][0]
    # pools over positions are drawn at the model's own widths
    assert (line["undrawn"], line["at_widths"] > 0) == ("", True)
    assert re.search(
        r"gamma, what if +at its widths\nthe model as it is +[\d.]+ ± [\d.]+\ngelu for relu +[\d.]+ ±", shown
    )
    assert [value == "nan" for value in told["layers"]["predicted_gamma"]] == [False, False, False, True, True]
    scope: dict[str, Any] = {}
    exec(code, scope)  # noqa: S102 - the lines above
    found = igb.explain(scope["make"], images, 2)
    assert " ".join(found.plot().get_title(loc="left").split()).startswith(reason)


def test_labels_of_their_own_are_explained_as_two_classes_each() -> None:
    rows = (np.random.default_rng(0).random((12, 3)) < 0.5).astype(float)
    make = stack(linear(20, 64), nn.ReLU, linear(64, 3))
    explained = igb.explain(make, (X, rows), networks=20, multi_label=True)
    told = igb.measure(make, (X, rows), networks=20, multi_label=True)
    assert (explained.majority, explained.gamma) == (told.majority, pytest.approx(told.gamma, rel=UNIT))
    assert explained.favoured.n_classes == 2
    # three labels of twenty networks have an error of 2 % of the data
    assert explained.favoured.at(explained.predicted_gamma_guess)[0][-1] == pytest.approx(told.majority, abs=0.08)
    with pytest.raises(ValueError, match="leave the sigmoid out"):
        igb.explain(lambda: nn.Sequential(make(), nn.Sigmoid()), X, networks=20, multi_label=True)


@pytest.mark.parametrize("networks", [2, 10])
def test_a_sigmoid_is_not_explained_however_few_the_networks(networks: int) -> None:
    with pytest.raises(ValueError, match="leave the sigmoid out"):
        igb.explain(lambda: nn.Sequential(nn.Linear(20, 1), nn.Sigmoid()), X, networks=networks)
    igb.explain(linear(20, 1), X, networks=networks)  # its outputs may be positive by chance


def test_a_loop_over_the_data_is_named_where_it_is_not_read() -> None:
    def passed_one_by_one(m: Any, x: Any) -> Any:
        return torch.stack([m.a(row) for row in x])

    with pytest.raises(ValueError, match="loops over them; pass them at once"):
        igb.from_torch(model(passed_one_by_one, a=linear(20, 3)), X)


def test_models_that_are_the_same_are_not_explained() -> None:
    def make() -> Any:
        torch.manual_seed(0)
        return MLP()

    with pytest.raises(ValueError, match="exactly the same ones in networks 0 and 1"):
        igb.explain(make, X, 3)


def test_blocks_within_a_block_show_their_layers() -> None:
    twice = model(lambda m, x: m.b((y := m.n(x)) + (y + m.a(y))), n=linear(20, 9), a=linear(9, 9), b=linear(9, 2))
    found = igb.explain(twice, X, 3)
    assert found.names == ("data", "parts.n", "parts.a", "add", "add_1", "parts.b")
    assert not np.isnan(found.predicted).any()
    # the stream of the outer block is twice that of the inner one
    assert found.predicted[4] == pytest.approx(4 * found.predicted[1] + found.predicted[2], rel=UNIT)


def test_a_model_and_the_random_state_are_left_as_they_were() -> None:
    own = RESIDUAL()
    before = {name: value.clone() for name, value in own.state_dict().items()}
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    igb.from_torch(own, X)
    igb.explain(MLP, X, 2)
    assert torch.equal(torch.rand(2), expected)
    assert own.training
    assert all(torch.equal(value, before[name]) for name, value in own.state_dict().items())


def test_the_explanation_is_a_result_and_a_command(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_models("nn.Linear(64, 30), nn.Linear(30, 2)")
    command = ["explain", "models.py:make", "--data", "digits", "--first", "30", "--networks", "3"]
    assert main([*command, "--check", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["networks"], told["layers"]["name"]) == (3, ["data", "0", "1"])
    found = igb.explain(MLP, X, 3)
    assert type(found).from_json(found.to_json()) == found
    assert list(found.columns()["name"]) == list(found.names)
    assert "<img" in found._repr_html_()
    assert "gelu for relu" in str(found)
    np.savez("labelled.npz", X=igb.digits()[:30], y=igb.digit_labels()[:30] % 2)
    assert main(["measure", "models.py:make", "--data", "labelled.npz", "--networks", "3", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert np.mean(told["by_label"], axis=2) == pytest.approx(0.5)
    assert main(["measure", "models.py:make", "--data", "labelled.npz", "--networks", "3"]) == 0
    assert "its own class, mean\n0" in capsys.readouterr().out


def test_a_check_is_one_line_and_an_exit_status(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_models("nn.Linear(64, 30), nn.ReLU(), nn.Linear(30, 30), nn.ReLU(), nn.Linear(30, 2)")
    command = ["check", "models.py:make", "--data", "digits", "--first", "30"]
    assert main(command) == 1
    (line,) = capsys.readouterr().out.splitlines()
    numbers = re.fullmatch(
        r"failed: one class gets ([\d.]+) ± [\d.]+ % of the data \(even: 57\.2 %\); first loss .*, "
        r"log\(2\) = 0\.6931; ([\d.]+) % would pass; created by .* to .* %; try .* \(predicted ([\d.]+) ± [\d.]+ %\)",
        line,
    )
    assert numbers is not None
    share, most, remedied = map(float, numbers.groups())
    assert most == round(100 * float(favoured_share(1.0, 2, 30)), 1)
    assert most < share
    assert remedied < share
    assert main([*command, "--most", str((share + 1) / 100), "--networks", "30", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["passed"]
    assert told["layers"]["favoured"][-1] == pytest.approx(share / 100, abs=0.01)  # printed in whole per cent
    assert main([*command, "--most", "2"]) == 2
    assert "expected --most above 0 and at most 1, got 2; pass" in capsys.readouterr().err


def fractions(own: Any, data: Any) -> Any:
    """Fractions of the data that a model gives to its classes."""
    with torch.no_grad():
        outputs = copy.deepcopy(own)(torch.tensor(data, dtype=torch.float32))
    return shares(outputs.double().numpy())


MANY = np.random.default_rng(5).standard_normal((200, 20)) + 0.4


def head(outputs: int, *, bias: bool = True) -> Make:
    return stack(linear(20, 30), lambda: nn.BatchNorm1d(30), nn.ReLU, lambda: nn.Linear(30, outputs, bias=bias))


@pytest.mark.parametrize("make", [head(1), head(2), head(5), head(4, bias=False)], ids=["one", "two", "five", "none"])
@pytest.mark.parametrize("wish", [{"G0": (0.3, 0.4)}, {"G0": (0.995, 1)}, {"neutral": True}, "shares"], ids=str)
def test_a_model_guesses_as_it_is_told(make: Make, wish: Any) -> None:
    own = make()
    classes = max(2, own[-1].out_features)
    if wish == "shares":
        wish = {"shares": np.arange(1, classes + 1) / (classes * (classes + 1) / 2)}
    before = {name: value.clone() for name, value in own.state_dict().items()}
    old = fractions(own, MANY)
    found = igb.initialise(own, MANY, **wish)
    told = fractions(own, MANY)
    assert found.before.tolist() == old.tolist()
    assert found.after.tolist() == told.tolist()
    if "G0" in wish:
        assert wish["G0"][0] <= told[0] <= wish["G0"][1]
    else:
        expected = wish.get("shares", np.full(classes, 1 / classes))
        assert np.abs(told - expected).max() <= 1.5 / len(MANY)
    changed = {name for name, value in own.state_dict().items() if not torch.equal(value, before[name])}
    assert changed <= {"3.weight", "3.bias"}
    assert own.training


@pytest.mark.parametrize(
    ("wish", "missed", "refused"),
    [("shares", 1, False), ("shares", 2, True), ("G0", 0, False), ("G0", 1, True)],
)
def test_counts_that_a_shift_does_not_reach(
    wish: str, missed: int, *, refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One datum of a share may stay, as rounding decides it; a range of G0 has its ends already."""
    own, data = nn.Linear(1, 2), np.linspace(-1, 1, 20)[:, None]
    with torch.no_grad():
        own.weight.copy_(torch.tensor([[1.0], [-1.0]]))
        own.bias.zero_()
    monkeypatch.setattr(last_layer.LastLayer, "shift", lambda *_: None)
    monkeypatch.setattr(last_layer.LastLayer, "redraw", lambda *_: 0)
    wanted = (10 + missed) / 20
    asked: dict[str, Any] = {wish: {"shares": [wanted, 1 - wanted], "G0": (wanted, 0.9)}[wish]}
    if refused:
        with pytest.raises(ValueError, match="the shares stay"):
            igb.initialise(own, data, **asked)
    else:
        assert igb.initialise(own, data, **asked).after.tolist() == [0.5, 0.5]


@pytest.mark.parametrize(("share", "told"), [(0.005, False), (0.02, True)])
def test_data_that_are_nearly_centred_are_not_centred_again(share: float, *, told: bool) -> None:
    """share: of the squares of the mean of the data in their mean square; from a hundredth on it is worth telling."""
    data = np.random.default_rng(0).standard_normal((64, 20))
    data -= data.mean(axis=0)
    data += np.sqrt(share / (1 - share) * np.mean(data**2))
    data *= 0.3  # of whatever size they are
    read = reading(draws_of(linear(20, 4), 0), torch.tensor(data, dtype=torch.float32), None)
    names = [change.name for change in changes(read, data)]
    assert ("data less their mean, feature by feature" in names) == told


def test_shares_are_those_without_dropout_and_with_the_statistics_of_the_batch() -> None:
    own = stack(linear(20, 8), lambda: nn.BatchNorm1d(8), nn.ReLU, nn.Dropout, linear(8, 4))()
    data = MANY[:200]
    assert igb.initialise(own, data, neutral=True).after.tolist() == [0.25] * 4
    assert own[3].training
    own[3].eval()
    assert fractions(own, data).tolist() == [0.25] * 4


def test_the_score_layer_of_tokens_is_set_for_the_token_that_decides() -> None:
    """As in GPT-2's classifier: the last linear layer acts on every token, and that of the last word is returned."""

    def at_last_word(m: Any, ids: Any) -> Any:
        scores = m.b(m.a(ids).cumsum(1).relu())
        return scores[torch.arange(len(ids)), (ids != 0).sum(dim=1) - 1]

    ids = np.random.default_rng(2).integers(1, 20, (120, 6))
    ids[::3, 4:] = 0
    own = model(at_last_word, a=lambda: nn.Embedding(20, 30), b=linear(30, 3))()
    assert igb.initialise(own, ids, neutral=True).after.tolist() == [1 / 3] * 3
    told = shares(own(torch.tensor(ids)).detach().double().numpy())
    assert told.tolist() == [1 / 3] * 3


def test_orthogonal_weights_stay_orthogonal() -> None:
    own = stack(linear(20, 3, lambda w: nn.init.orthogonal_(w, 2.0)))()
    before = own[0].weight.detach().clone()
    assert igb.initialise(own, MANY, G0=(0.5, 0.9)).tries
    after = own[0].weight.detach()
    assert not torch.equal(after, before)
    assert torch.allclose(after @ after.T, 4 * torch.eye(3), atol=1e-5)  # single precision


def test_equal_shares_may_take_many_steps() -> None:
    """The outputs of a deep model differ little from datum to datum, so that its classes take turns."""
    torch.manual_seed(146)
    deep = stack(*[lambda: nn.Linear(64, 64), nn.ReLU] * 4, lambda: nn.Linear(64, 10))()
    assert igb.initialise(deep, igb.digits()[:40] / 16, neutral=True).after.tolist() == [0.1] * 10


def test_a_last_layer_that_is_drawn_has_the_law_of_its_initialiser_in_the_window() -> None:
    own = head(2)()
    drawn = [igb.initialise(own, MANY, G0=(0.6, 0.8), seed=i) for i in range(60)]
    assert all(found.tries for found in drawn)
    weights = own[-1].weight.detach().numpy()
    assert np.abs(weights).max() <= 1 / np.sqrt(30)
    # rejection: the shares are those of fresh layers that happen to lie in the window
    features = nn.Sequential(*own[:-1])(torch.tensor(MANY, dtype=torch.float32)).detach().numpy()
    fresh = np.random.default_rng(1).uniform(-1, 1, (20000, 31)) / np.sqrt(30)
    share = ((features @ (fresh[:10000] - fresh[10000:])[:, :30].T + (fresh[:10000] - fresh[10000:])[:, 30]) > 0).mean(
        0
    )
    inside = share[(share >= 0.6) & (share <= 0.8)]
    mean, error = inside.mean(), inside.std() / np.sqrt(60)
    assert abs(np.mean([found.after[0] for found in drawn]) - mean) < 5 * error


def half_zeros(weight: Any) -> None:
    nn.init.sparse_(weight, 0.5)


def shifted_by_a_hook() -> Any:
    """Return a model whose guesses are not those of its last layer, but of what a hook makes of its outputs."""
    own = nn.Sequential(nn.Linear(20, 3))
    own[0].register_forward_hook(lambda *given: given[2] + torch.tensor([9.0, 0.0, 0.0]))
    return own


@pytest.mark.parametrize(
    ("make", "wish", "words"),
    [
        (head(3), {}, "exactly one"),
        (head(3), {"neutral": True, "G0": (0.1, 0.2)}, "exactly one"),
        (head(3), {"shares": [0.5, 0.5]}, "shares of 3 classes"),
        (head(3), {"G0": (0.4, 0.3)}, "low < high"),
        (stack(linear(20, 64, half_zeros)), {"G0": (0.1, 0.9)}, "from a known initialiser"),
        (stack(linear(20, 64, nn.init.eye_)), {"G0": (0.1, 0.9)}, "mean|from a known initialiser"),
        (stack(linear(20, 3), lambda: nn.Unflatten(1, (3, 1)), nn.Flatten, nn.Tanhshrink), {}, "exactly one"),
        (stack(lambda: nn.LayerNorm(20)), {"neutral": True}, "ends in a linear layer"),
        (model(lambda m, x: -m.a(x), a=linear(20, 1)), {"neutral": True}, "ends in a linear layer"),
        (stack(lambda: nn.LayerNorm(20), lambda: nn.Linear(20, 3, bias=False)), {"neutral": True}, "give it biases"),
        (stack(linear(20, 3, nn.init.zeros_)), {"neutral": True}, "zeros in '0'"),
        (shifted_by_a_hook, {"neutral": True}, "ends in a linear layer"),
    ],
)
def test_a_wish_that_cannot_be_met_changes_nothing(make: Make, wish: Any, words: str) -> None:
    own = make()
    before = [value.clone() for value in own.state_dict().values()]
    with pytest.raises(ValueError, match=words):
        igb.initialise(own, MANY, **wish)
    assert all(torch.equal(a, b) for a, b in zip(own.state_dict().values(), before, strict=True))


def test_normal_weights_with_one_far_from_the_others_are_drawn_anew() -> None:
    own = nn.Linear(100, 2, bias=False)
    torch.manual_seed(2729)  # of 5,000 seeds the one with the largest kurtosis
    nn.init.normal_(own.weight, std=0.1)
    shares = igb.initialise(own, np.random.default_rng(0).standard_normal((50, 100)), G0=(0.1, 0.9))
    assert 0.1 <= shares.after[0] <= 0.9


def test_labels_give_losses_and_shares_by_label() -> None:
    labels = torch.arange(12) % 3
    data = torch.utils.data.TensorDataset(torch.tensor(X), labels)
    with_labels = igb.measure(MLP, torch.utils.data.DataLoader(data, batch_size=5), 4, batch_size=5)
    plain = igb.measure(MLP, X, 4)
    torch.manual_seed(int(np.random.SeedSequence(0, spawn_key=(0,)).generate_state(3, np.uint64)[0]))
    outputs = MLP()(torch.tensor(X, dtype=torch.float32)).detach().double()
    expected = functional.cross_entropy(outputs, labels)
    assert with_labels.losses[0] == pytest.approx(float(expected), rel=1e-5)  # single precision, here and below
    even = -functional.log_softmax(outputs, dim=1).mean()
    assert plain.losses[0] == pytest.approx(float(even), rel=1e-5)
    for found in (with_labels, plain):
        assert found.probabilities[0] == pytest.approx(outputs.softmax(1).mean(0).tolist(), rel=1e-5)
    assert with_labels.shares == pytest.approx(plain.shares)
    assert igb.measure(MLP, (X, labels.numpy()), 4).losses == pytest.approx(with_labels.losses, rel=1e-5)
    assert with_labels.by_label.mean(axis=1) == pytest.approx(plain.shares)
    assert with_labels.by_label[0, 1] == pytest.approx(shares(outputs[1::3].numpy()))
    one = igb.measure(lambda: nn.Linear(20, 1), X, 2)
    assert one.probabilities.sum(axis=1) == pytest.approx(1)
    with pytest.warns(UserWarning, match="labels go from 0 to 2, and the classes of the model from 0 to 1"):
        assert not igb.measure(lambda: nn.Linear(20, 2), data, 2).by_label.size


CLASSES = np.arange(12) % 3
BATCHES = [(torch.tensor(X[:5]), torch.tensor(CLASSES[:5])), (torch.tensor(X[5:]), torch.tensor(CLASSES[5:]))]


@pytest.mark.parametrize(
    "data",
    [
        lambda: (X, CLASSES.tolist()),
        lambda: (X, CLASSES[:, None].astype(float)),
        lambda: (X, np.eye(3)[CLASSES]),
        lambda: {"image": X, "labels": CLASSES, "number": CLASSES},
        lambda: torch.utils.data.TensorDataset(torch.tensor(X), torch.tensor(CLASSES)),
        lambda: iter(BATCHES),
        lambda: BATCHES,
        lambda: [*zip(torch.tensor(X), CLASSES.tolist(), strict=True)],
        lambda: [*zip(X, np.array(["ant", "bee", "cat"])[CLASSES], strict=True)],
        lambda: (X, None),
        lambda: torch.utils.data.TensorDataset(torch.tensor(X)),
        lambda: (batch for batch, _ in BATCHES),
        lambda: torch.utils.data.TensorDataset(torch.tensor(X), torch.tensor(X)),
        lambda: torch.utils.data.TensorDataset(torch.tensor(X), torch.tensor(CLASSES), torch.tensor(CLASSES) + 3),
    ],
)
def test_data_come_in_many_forms_with_labels_or_without(data: Callable[[], Any]) -> None:
    found, expected = (igb.measure(linear(20, 3), given, 2) for given in (data(), (X, CLASSES)))
    assert np.array_equal(found.moments, expected.moments)
    assert found.by_label.size == 0 or np.array_equal(found.by_label, expected.by_label)
    assert igb.from_torch(linear(20, 3), data()) == igb.from_torch(linear(20, 3), X)


class Pictures(torch.utils.data.Dataset):  # type: ignore[misc, name-defined] # PyTorch is an extra
    """A Dataset that returns objects."""

    def __len__(self) -> int:
        return 3

    def __getitem__(self, i: int) -> Any:
        return Path(), i


@pytest.mark.parametrize(
    ("data", "error", "words"),
    [
        ((X, CLASSES[:5]), ValueError, "a label for each of 12 data, got 5"),
        ([X, CLASSES], TypeError, r"got list; .*as a pair \(X, y\)"),
        (
            {"labels": CLASSES},
            TypeError,
            "data and labels, got a dictionary of 'labels'; pass the arrays",
        ),
        ([({"a": 1, "b": 2},)][0], TypeError, "stack the data into one"),
        (iter([]), ValueError, "batches of data, got none"),
        (Pictures(), TypeError, "PosixPath.*transform=torchvision.transforms.ToTensor()"),
    ],
)
def test_data_that_are_no_tensors_are_told_how_to_be(data: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        igb.measure(linear(20, 3), data, 2)


class Named(torch.nn.Linear):  # type: ignore[misc, name-defined] # PyTorch is an extra
    """A model that returns its outputs by a name."""

    def forward(self, x: Any) -> Any:
        return SimpleNamespace(logits=super().forward(x), more=None)


@dataclass
class Outputs:
    """Outputs as models of language return them."""

    loss: Any
    logits: Any


@pytest.mark.parametrize(
    ("returned", "output"),
    [
        (lambda y: {"logits": y, "more": y.exp()}, None),
        (lambda y: {"scores": y, "indices": y.argmax(1)}, None),
        (lambda y: (y,), None),
        (lambda y: (y, (y.exp(), y)), None),
        (lambda y: SimpleNamespace(logits=y, more=y.exp()), None),
        (lambda y: (y.exp(), y), 1),
        (lambda y: {"a": y.exp(), "b": y}, "b"),
        (lambda y: {"logits": y.exp(), "b": y}, "b"),
        (lambda y: y, "b"),  # as in evaluation mode, where some models return less
    ],
)
def test_of_several_outputs_the_logits_are_measured(returned: Any, output: Any) -> None:
    make = model(lambda m, x: returned(m.a(x)), a=linear(20, 3))
    assert np.array_equal(igb.measure(make, X, 3, output=output).moments, igb.measure(linear(20, 3), X, 3).moments)


def test_of_several_outputs_one_is_chosen_to_be_read_explained_and_set() -> None:
    def forward(m: Any, x: Any) -> Any:
        return {"a": (y := m.a(x)).relu(), "b": m.b(y.relu()), "c": m.c(y.softmax(1))}

    two = model(forward, a=linear(20, 40), b=linear(40, 3), c=linear(40, 3))
    plain = stack(linear(20, 40), nn.ReLU, linear(40, 3))
    with pytest.raises(TypeError, match="such as output='a'"):
        igb.from_torch(two, X)
    with pytest.raises(TypeError, match="expected an output 'd'"):
        igb.explain(two, X, 2, output="d")
    assert igb.from_torch(two, X, output="b") == igb.from_torch(plain, X)
    told, expected = igb.explain(two, X, 2, check=True, output="b"), igb.explain(plain, X, 2, check=True)
    assert told.names[-1] == "parts.b"
    assert (told.gamma, told.what_if[0]) == (expected.gamma, expected.what_if[0])
    assert igb.initialise(two(), X, neutral=True, output="b").after.tolist() == [1 / 3] * 3


def test_outputs_have_names_and_images_are_numbers_with_a_point() -> None:
    of_two = model(lambda m, x: Outputs((y := m.a(x)).mean(), y), a=linear(20, 3))
    assert igb.from_torch(of_two, X) == igb.from_torch(linear(20, 3), X) == igb.Network(default(20))
    with pytest.raises(TypeError, match="X / 255"):
        igb.measure(MLP, np.zeros((3, 4, 5), dtype=np.uint8), 2)


@pytest.mark.parametrize(
    ("data", "remedy"),
    [
        (X[:, :18], r"X\.reshape\(-1, 2, 3, 3\)"),
        (IMAGES.transpose(0, 2, 3, 1), r"X\.transpose\(0, 3, 1, 2\)"),
    ],
)
def test_data_that_are_no_images_of_a_convolution_are_told_how_to_be(data: Any, remedy: str) -> None:
    with pytest.raises(RuntimeError) as raised:
        igb.measure(stack(conv(2, 6), nn.Flatten), data, 2)
    assert re.search(remedy, str(raised.value.__notes__))


def encoder(width: int, *, first: bool) -> Make:
    return lambda: nn.TransformerEncoderLayer(
        width, 4, 2 * width, dropout=0, activation="gelu", norm_first=first, batch_first=True
    )


class ViT(torch.nn.Module):  # type: ignore[misc, name-defined] # PyTorch is an extra
    """Patches, a class token, marked positions, a block of attention and one of nn.TransformerEncoderLayer."""

    def __init__(self, width: int = 16) -> None:
        super().__init__()
        self.patches = nn.Conv2d(2, width, 2, 2)
        self.token = nn.Parameter(0.5 * torch.randn(1, 1, width))
        self.places = nn.Parameter(0.02 * torch.randn(1, 5, width))
        self.norm, self.attention = nn.LayerNorm(width), nn.MultiheadAttention(width, 4, batch_first=True)
        self.block, self.head = encoder(width, first=True)(), nn.Linear(width, 3)

    def forward(self, x: Any) -> Any:
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], dim=1) + self.places
        y = self.norm(x)
        x = x + self.attention(y, y, y, need_weights=False)[0]
        return self.head(self.block(x)[:, 0])


def test_vision_transformers_are_read() -> None:
    norm, attention = igb.LayerNorm(eps=1e-5), igb.Attention(4, 0.5, 0.5)
    wide = igb.Dense(16 * (1 / 48), 1 / 48)
    inner = [wide, igb.Activation("gelu"), igb.Dense(32 * (1 / 96), 1 / 96)]
    expected = [
        *(igb.Conv2d(2, 2, 0, 8 * (1 / 24), 1 / 24), igb.Tokens()),
        *(igb.ClassToken(0.25), igb.PositionEmbedding(0.0004)),
        igb.Residual(norm, attention, igb.Dense(16 * (1 / 48))),
        *(igb.Residual(norm, attention, igb.Dense(16 * (1 / 48))), igb.Residual(norm, *inner)),
        *(igb.FirstToken(), wide),
    ]
    with pytest.warns(EstimateWarning, match=r"variance of cat is 0\.254 ± 0\.035"):
        found = igb.from_torch(ViT, IMAGES)
    for layer, other in zip(found.layers, expected, strict=True):
        # the law of the positions is recognised; that of the token, of which eight models have 16 numbers each, is not
        measured_one = isinstance(layer, igb.ClassToken)
        assert repr(layer) == repr(other) or (measured_one and abs(layer.variance - other.variance) < 2 * 0.035)


def test_a_class_token_is_shown_alone() -> None:
    """Behind the token the moments are its own: it is the same for all data until attention mixes the others in."""

    def forward(m: Any, x: Any) -> Any:
        x = torch.cat([m.t.weight[None].expand(x.shape[0], -1, -1), m.a(x)], dim=1)
        return m.h((x + m.b(x, x, x)[0])[:, 0])

    attend: Make = lambda: nn.MultiheadAttention(24, 2, batch_first=True)  # noqa: E731 - one of several makers
    make = model(forward, a=linear(4, 24), t=lambda: nn.Embedding(1, 24), b=attend, h=linear(24, 3))
    found = igb.explain(make, IMAGES[:, 0], 40)
    assert found.names == ("data", "parts.a", "cat", "parts.b[:, 0]", "add[:, 0]", "parts.h")
    layers = found.per_layer
    for name in ("var_mu", "var_chi"):
        known, error = found.columns()[f"predicted_{name}"], getattr(layers, f"{name}_error")
        assert np.all(np.abs(getattr(layers, name) - known)[1:] < 5 * error[1:] + 0.05 * known[1:])


@pytest.mark.parametrize(
    ("make", "data", "expected"),
    [
        (lambda: nn.Conv2d(6, 6, 3, padding=1, groups=6), IMAGES, "DepthwiseConv2d(3"),
        (
            lambda: nn.Conv2d(6, 6, 3, padding=1, groups=2),
            IMAGES,
            "GroupedConv2d(3, sigma_w2=0.3333333333333333, sigma_b2=0.012345679012345678, reads=3, makes=3",
        ),
        (lambda: nn.GroupNorm(1, 6), IMAGES, "LayerNorm(eps=1e-05, positions_too=True)"),
        (lambda: nn.GroupNorm(2, 6), IMAGES, "GroupNorm(3, eps=1e-05)"),
        (lambda: nn.LayerNorm([6, 4, 4]), IMAGES, "LayerNorm(eps=1e-05, positions_too=True)"),
    ],
)
def test_modules_of_images_are_read(make: Make, data: Any, expected: str) -> None:
    found = igb.from_torch(stack(conv(2, 6), make, nn.Flatten, linear(96, 2)), data)
    assert expected in repr(found.layers[1])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: nn.TransformerEncoder(encoder(4, first=False)(), 2, enable_nested_tensor=False), "copies of one"),
        (lambda: nn.TransformerEncoderLayer(4, 2, 8, dropout=0), "batch_first=True"),
    ],
)
def test_attention_that_the_theory_lacks_is_named(make: Make, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        igb.from_torch(stack(make, nn.Flatten, linear(16, 2)), IMAGES[:, 0])


A, B, C = (igb.Dense(1 / 3, 1 / fan / 3) for fan in (20, 20, 12))


@pytest.mark.parametrize(
    ("forward", "expected"),
    [
        # as in dual path networks: of three values side by side, one is taken again, or two
        (lambda m, _, y: m.c(y) + y[:, :4], [igb.Residual(igb.Concat(A, B, A), C, shortcut=A)]),
        (lambda m, _, y: m.e(y) + y[:, 4:], [igb.Residual(igb.Concat(A, B, A), C, shortcut=igb.Concat(B, A))]),
        (lambda m, x, _: torch.stack([m.a(x), m.b(x)]).mean(dim=0), [igb.Residual(B, shortcut=A), HALF]),
    ],
)
def test_values_that_are_taken_again_or_averaged_are_read(forward: Any, expected: Any) -> None:
    def forwarded(m: Any, x: Any) -> Any:
        y = forward(m, x, torch.cat([m.a(x), m.b(x), m.d(x)], dim=1))
        return torch.relu(y[:, :4]) @ m.head.weight.T

    wide = {"a": linear(20, 4), "b": linear(20, 4), "d": linear(20, 4), "c": linear(12, 4), "e": linear(12, 8)}
    found = igb.from_torch(model(forwarded, **wide, head=linear(4, 3)), X)
    assert repr(found.layers[: len(expected)]) == repr(tuple(expected))


def test_resized_images_are_data() -> None:
    """A function of the data alone stands in front of a convolution, though this one reads few channels."""

    def resized(x: Any) -> Any:
        return functional.interpolate(torch.as_tensor(x), scale_factor=2, mode="bicubic")

    layers = {"conv": conv(2, 6), "head": linear(6 * 64, 2)}
    found = igb.from_torch(model(lambda m, x: m.head(m.conv(resized(x)).flatten(1)), **layers), IMAGES)
    large = igb.Network(*found.layers[1:]).predict(resized(IMAGES).numpy())
    assert found.predict(IMAGES).gamma == pytest.approx(large.gamma, rel=1e-6)  # PyTorch counts in single precision


def test_outputs_of_a_mean_of_networks_are_predicted_at_their_widths() -> None:
    """The networks are of 9, of 5 and of 7 units, which the first layer of each reads from 20 features."""
    layers = {
        f"{one}{i}": linear(*sizes) for i, n in enumerate((9, 5, 7)) for one, sizes in (("a", (20, n)), ("b", (n, 30)))
    }
    make = model(lambda m, x: torch.stack([m[f"b{i}"](m[f"a{i}"](x).relu()) for i in range(3)]).mean(0), **layers)
    found = igb.explain(make, X, 200)
    assert found.unread == found.refused == ""
    assert found.at_widths.widths == (7, 20, 5, 20, 9, 30)
    assert abs(found.z) < 4


@pytest.mark.parametrize(
    "flat",
    [
        lambda x: x.view(x.size(0), -1),
        lambda x: x.view(-1, 96),
    ],
)
@pytest.mark.parametrize("layers", [(conv(2, 6, 1),), (conv(2, 6, 1), nn.ReLU, lambda: nn.MaxPool2d(1))])
def test_images_are_flattened_in_all_usual_ways(layers: Any, flat: Any) -> None:
    expected = igb.from_torch(stack(*layers, nn.Flatten, linear(96, 2)), IMAGES)
    make = model(lambda m, x: m.b(flat(m.a(x))), a=stack(*layers), b=linear(96, 2))
    assert igb.from_torch(make, IMAGES) == expected


@pytest.mark.parametrize("exported", [False, True])
def test_the_length_of_the_data_is_no_constant(*, exported: bool) -> None:
    def forward(m: Any, x: Any) -> Any:
        if exported and isinstance(x, torch.fx.Proxy):
            raise TypeError("torch.fx is refused, so that torch.export is asked")
        return m.b((m.a(x) * torch.ones(1, 9).expand(len(x), -1)).relu().reshape(len(x), 9))

    layers = {"a": linear(20, 9), "b": linear(9, 2)}
    plain = igb.from_torch(model(lambda m, x: m.b(m.a(x).relu()), **layers), X)
    assert igb.from_torch(model(forward, **layers), X) == plain
    assert len([0, 0]) == 2


@pytest.mark.filterwarnings("ignore::igbtheory.EstimateWarning")
def test_few_draws_of_constants_have_their_error() -> None:
    """Eight models tell little of the law of three weights; if all worlds were independent, 0.18."""
    pooled = model(
        lambda m, x: m.head((m.logits[0].softmax(0)[:, None] * m.a(x).relu()).sum(dim=1)),
        a=linear(20, 8),
        head=linear(8, 2),
        logits=lambda: nn.ParameterList([2 * torch.randn(3)]),
    )
    assert 0.4 < igb.from_torch(pooled, TOKENS).predict(TOKENS).error < 0.8


class Experts(torch.nn.Module):  # type: ignore[misc, name-defined] # PyTorch is an extra
    """A residual block of two of four experts, weighted by the softmax of their scores."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.router, self.head = linear(20, 16)(), linear(16, 4)(), linear(16, 8)()
        self.inner, self.outer = (nn.Parameter(torch.randn(4, 16, 16) / 2) for _ in range(2))

    def forward(self, x: Any) -> Any:
        x = self.first(x)
        scores, chosen = self.router(x).softmax(dim=-1).topk(2)
        hidden = torch.relu(torch.einsum("dtu,euv->detv", x, self.inner))
        outputs = torch.einsum("detv,evu->dtue", hidden, self.outer).movedim(-1, 2)
        weights = torch.zeros_like(outputs[..., 0]).scatter(2, chosen, scores / scores.sum(dim=-1, keepdim=True))
        return self.head((x + (weights[..., None] * outputs).sum(dim=2)).mean(dim=1))


def moments_of_models(make: Make, data: Any, count: int) -> tuple[float, float]:
    """Return the variances of the centres and over the data, averaged over models and their outputs of mean 0."""
    torch.manual_seed(0)
    with torch.no_grad():
        outputs = torch.stack([make()(torch.tensor(data).float()) for _ in range(count)])
    var_mu = float(outputs.mean(dim=1).square().mean())
    return var_mu, float(outputs.square().mean()) - var_mu


@pytest.mark.filterwarnings("ignore::igbtheory.EstimateWarning")
def test_experts_are_independent_of_the_stream_to_which_they_are_added(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare with 300 networks of eight outputs; without the experts, both moments are less than a quarter."""
    average_fewer(monkeypatch, 8)
    predicted = igb.from_torch(Experts, TOKENS).predict(TOKENS)
    var_mu, var_chi = moments_of_models(Experts, TOKENS, 300)
    assert predicted.var_mu == pytest.approx(var_mu, rel=0.2)
    assert predicted.var_chi == pytest.approx(var_chi, rel=0.2)


@pytest.mark.filterwarnings("ignore::igbtheory.EstimateWarning")
def test_steps_between_layers_are_drawn_at_the_widths_of_the_model() -> None:
    """Compare with 200 networks of sixteen outputs; the tolerance is three standard errors of both together."""
    make = model(
        lambda m, x: m.h((torch.maximum(m.a(x), m.b(x)) + m.c(x)).relu()),
        **dict.fromkeys("abc", linear(20, 16)),
        h=linear(16, 16),
    )
    found = igb.from_torch(make, X)
    predicted = found.predict(X, width=found.widths, networks=400)
    var_mu, var_chi = moments_of_models(make, X, 200)
    assert predicted.var_mu == pytest.approx(var_mu, rel=0.1)
    assert predicted.var_chi == pytest.approx(var_chi, rel=0.1)
    with pytest.raises(ValueError, match="a multiple of 16 units"):
        found.predict(X, width=20, networks=2)


class Attending(torch.nn.Module):  # type: ignore[misc, name-defined] # PyTorch is an extra
    """Attention whose forward has an argument of its own, in one step of PyTorch or by hand."""

    def __init__(self, *, by_hand: bool) -> None:
        super().__init__()
        self.projection, self.head, self.by_hand = linear(4, 12)(), linear(4, 2)(), by_hand

    def forward(self, x: Any, is_causal: bool = False) -> Any:  # noqa: FBT001, FBT002 - as models of timm have it
        q, k, v = self.projection(x).reshape(-1, 3, 3, 2, 2).permute(2, 0, 3, 1, 4)
        p = 0.25 if self.training else 0.0
        if self.by_hand:
            weights = (q @ k.transpose(-1, -2) * 0.5**0.5).softmax(dim=3)
            x = functional.dropout(weights, p=p, training=self.training) @ v
        else:
            x = functional.scaled_dot_product_attention(q, k, v, dropout_p=p, is_causal=is_causal)
        return self.head(x.transpose(1, 2).flatten(2).mean(dim=1))


@pytest.mark.parametrize("train", [True, False])
@pytest.mark.parametrize("by_hand", [True, False])
def test_arguments_of_attention_are_read(*, by_hand: bool, train: bool) -> None:
    found = igb.from_torch(lambda: Attending(by_hand=by_hand).train(train), TOKENS[:, :, :4])
    attention = found.layers[0]
    assert isinstance(attention, igb.Attention)
    assert (attention.causal, attention.dropout) == (False, 0.25 * train)
    assert attention.sigma_qk2 == pytest.approx(1 / 3)


def test_an_encoder_has_norms_behind_its_blocks() -> None:
    found = igb.from_torch(stack(encoder(4, first=False), nn.Flatten, linear(16, 2)), IMAGES[:, 0])
    assert [type(layer).__name__ for layer in found.layers] == [*["Residual", "LayerNorm"] * 2, "Flatten", "Dense"]


def block(channels: int, out: int) -> Make:
    """Block of a ResNet, with a stride and a projection."""

    def forward(m: Any, x: Any) -> Any:
        return functional.relu(m.n(m.b(functional.relu(m.a(x)))) + m.m(m.s(x)))

    free: dict[str, Any] = {"bias": False}
    return model(
        forward,
        a=lambda: nn.Conv2d(channels, out, 3, 2, 1, **free),
        b=lambda: nn.Conv2d(out, out, 3, 1, 1, **free),
        s=lambda: nn.Conv2d(channels, out, 1, 2, **free),
        n=lambda: nn.BatchNorm2d(out),
        m=lambda: nn.BatchNorm2d(out),
    )


def resnet() -> Any:
    """ResNet as torchvision builds them, with a norm less."""
    stem = nn.Conv2d(2, 48, 7, 2, 3, bias=False), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)
    made = nn.Sequential(*stem, block(48, 48)(), nn.AdaptiveAvgPool2d((1, 1)), nn.Flatten(), nn.Linear(48, 3))
    for module in made.modules():
        if isinstance(module, nn.Conv2d):
            nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
    return made


def mixer() -> Any:
    """Mixer of one block, whose channels come last in front of its perceptron."""
    mixing = stack(linear(4, 6), nn.GELU, linear(6, 4))

    def forward(m: Any, x: Any) -> Any:
        x = m.c(m.e(x).permute(0, 2, 3, 1)).permute(0, 3, 1, 2).flatten(2).transpose(1, 2)
        x = x + m.t(m.n(x).transpose(1, 2)).transpose(1, 2)
        return m.h(x.mean(1))

    return model(
        forward,
        e=conv(2, 48, 4, stride=4, padding=0),
        c=linear(48, 48),
        n=lambda: nn.LayerNorm(48),
        t=mixing,
        h=linear(48, 3),
    )()


@pytest.mark.usefixtures("few_draws")
@pytest.mark.filterwarnings("ignore::igbtheory.EstimateWarning")
@pytest.mark.parametrize("sides", [(3, 3), (6, 6), (2, 3), (None, 1), (2, 2)])
def test_adaptive_pools_average_over_windows_of_any_size(sides: Any) -> None:
    """The kernel of a linear layer behind the pool is that of the images, averaged by PyTorch itself."""
    pool = nn.AdaptiveAvgPool2d(sides)
    count = pool(torch.zeros(1, 1, 4, 4)).numel()
    found = igb.from_torch(stack(conv(2, 6, 1, bias=False), lambda: pool, nn.Flatten, linear(6 * count, 3)), IMAGES)
    averaged = pool(torch.tensor(IMAGES)).flatten(1).numpy()
    kernel = averaged @ averaged.T / averaged.shape[1] / 9 + 1 / (18 * count)
    prediction = found.predict(IMAGES)
    var_mu = kernel.mean()
    assert prediction.var_mu == pytest.approx(var_mu, rel=prediction.error + UNIT)
    assert prediction.var_chi == pytest.approx(np.trace(kernel) / len(kernel) - var_mu, rel=prediction.error + UNIT)
    assert prediction.error < UNIT


@pytest.mark.parametrize(
    "pool",
    [
        nn.MaxPool2d(2, ceil_mode=True),
        nn.MaxPool2d(3, 2, 1, dilation=2, ceil_mode=True),
        nn.MaxPool2d(2, 2, 1, ceil_mode=True),
        nn.MaxPool2d((2, 3)),
        nn.AvgPool2d(2, 2, 1, ceil_mode=True),
    ],
    ids=str,
)
def test_pools_of_the_data_are_those_of_pytorch(pool: Any) -> None:
    pooled = pool(torch.tensor(LONG)).flatten(1).numpy()
    found = igb.from_torch(stack(lambda: pool, nn.Flatten, linear(pooled.shape[1], 3)), LONG).predict(LONG)
    assert found.gamma == pytest.approx(igb.Network(default(pooled.shape[1])).predict(pooled).gamma, rel=1e-10)


SEQUENCES = np.cumsum(np.random.default_rng(0).standard_normal((6, 3, 17)), axis=2) / 2
LONG = igb.gaussian_images(5, 2, 9, 9, 2.0, seed=3)


def convolved(images: Any, size: int, **named: Any) -> Any:
    """Kernel of a convolution without bias, a matrix for each pair of positions, from PyTorch's unfold."""
    read = functional.unfold(torch.tensor(images), size, **named).numpy()
    return np.einsum("aip,biq->abpq", read, read) / read.shape[1]


@pytest.mark.parametrize(
    ("size", "named"),
    [(2, {"dilation": 3, "padding": 2}), (3, {"dilation": 2, "padding": 2}), (3, {"dilation": 2, "stride": 3})],
)
@pytest.mark.filterwarnings("ignore::igbtheory.EstimateWarning")
def test_dilation_and_pools_that_are_cut_off_have_the_kernel_of_pytorch_itself(size: int, named: Any) -> None:
    """Linear networks: the pools average what PyTorch unfolds, and so does the second convolution."""
    first = conv(2, 6, size, **{"padding": 0, "bias": False, **named})
    side = first()(torch.zeros(1, 2, 9, 9)).shape[-1]
    for pool in (
        nn.AvgPool2d(2, ceil_mode=True),
        nn.AvgPool2d(3, 2, 1, ceil_mode=True),
        nn.AvgPool2d(3, 2, 1, count_include_pad=False),
        nn.AvgPool2d((2, 1), (1, 2), divisor_override=5),
    ):
        count = pool(torch.zeros(1, 1, side, side)).numel()
        makers = first, lambda pool=pool: pool, nn.Flatten, linear(6 * count, 3)
        weights = pool(torch.eye(side**2, dtype=torch.double).reshape(-1, 1, side, side)).flatten(1).numpy()
        expected = np.einsum("abpq,pr,qr->ab", convolved(LONG, size, **named), weights, weights) / (9 * count)
        found = igb.from_torch(stack(*makers), LONG).predict(LONG)
        assert found.var_mu == pytest.approx(expected.mean() + 1 / (18 * count), rel=1e-10)
        assert found.var_mu + found.var_chi == pytest.approx(np.trace(expected) / 5 + 1 / (18 * count), rel=1e-10)


def gated(m: Any, x: Any) -> Any:
    x = m.e(x)
    return m.h(x + m.o(functional.silu(m.a(x)) * m.b(x)))


@pytest.mark.usefixtures("few_draws")
@pytest.mark.filterwarnings("ignore::igbtheory.EstimateWarning")
@pytest.mark.parametrize(
    ("make", "data", "expected"),
    [
        (
            stack(
                conv(2, 128, dilation=2), nn.ReLU, lambda: nn.MaxPool2d(2, ceil_mode=True), nn.Flatten, linear(2048, 3)
            ),
            LONG,
            "Conv2d(3, padding=1,|dilation=2|MaxPool2d(kernel_size=2",
        ),
        (
            stack(conv(2, 128), nn.ReLU, lambda: nn.MaxPool2d(2, 3, 1, 2, ceil_mode=True), nn.Flatten, linear(2048, 3)),
            LONG,
            "MaxPool2d(kernel_size=2, stride=3, padding=1, dilation=2, ceil_mode=True)",
        ),
        (
            stack(
                lambda: nn.Conv1d(3, 128, 5, padding=2),
                nn.ReLU,
                lambda: nn.MaxPool1d(2),
                lambda: nn.Conv1d(128, 128, 3, dilation=2),
                nn.ReLU,
                lambda: nn.AdaptiveAvgPool1d(1),
                nn.Flatten,
                linear(128, 3),
            ),
            SEQUENCES,
            "Arranged|Conv1d(5|MaxPool1d(kernel_size=2|Conv1d(3|dilation=2|GlobalAvgPool",
        ),
        (
            model(
                lambda m, x: m.b(m.a(x.transpose(1, 2)).relu().mean(2)),
                a=lambda: nn.Conv1d(3, 128, 5),
                b=linear(128, 3),
            ),
            SEQUENCES.swapaxes(1, 2),
            "Conv1d(5|GlobalAvgPool",
        ),
        (
            stack(lambda: nn.Conv1d(3, 128, 5), nn.ReLU, lambda: nn.AvgPool1d(3), nn.Flatten, linear(512, 3)),
            SEQUENCES,
            "Arranged|Conv1d(5|AvgPool1d(kernel_size=(3,)",
        ),
    ],
    ids=["cut", "dilated pool", "sequences", "tokens first", "average"],
)
def test_windows_are_predicted_as_they_are_measured(make: Make, data: Any, expected: str) -> None:
    found, place = igb.from_torch(make, data), 0
    for part in expected.split("|"):
        place = repr(found).index(part, place)
    predicted, measured = found.predict(data), igb.measure(make, data, 80)
    for name in ("var_mu", "var_chi"):
        known, error = getattr(predicted, name), getattr(measured, f"{name}_error")
        # 0.02: what the finite width of the model changes
        assert abs(getattr(measured, name) - known) < 5 * np.hypot(error, predicted.error * known / 4) + 0.02 * known


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (stack(linear(20, 60), nn.GLU, linear(30, 3)), igb.GLU()),
        (model(lambda m, x: m.b(functional.glu(m.a(x), 1)), a=linear(20, 60), b=linear(30, 3)), igb.GLU()),
        (
            model(
                lambda m, x: m.b((p := m.a(x).chunk(2, dim=-1))[0] * functional.gelu(p[1])),
                a=linear(20, 60),
                b=linear(30, 3),
            ),
            igb.GEGLU(),
        ),
        (
            model(lambda m, x: m.b(m.a(x).relu() * m.c(x)), a=linear(20, 30), c=linear(20, 30), b=linear(30, 3)),
            igb.ReGLU(),
        ),
    ],
)
def test_gates_are_read_as_they_would_be_written(make: Make, expected: Any) -> None:
    assert repr(igb.from_torch(make, X)) == repr(igb.Network(default(20), expected, default(30)))


def test_a_gated_branch_is_predicted_as_it_is_measured() -> None:
    make = model(gated, e=linear(20, 128), a=linear(128, 128), b=linear(128, 128), o=linear(128, 128), h=linear(128, 3))
    found = igb.explain(make, X, 100)
    assert not found.unread
    assert "SwiGLU()" in found.layers
    layers = found.per_layer
    for name in ("var_mu", "var_chi"):
        known, error = found.columns()[f"predicted_{name}"], getattr(layers, f"{name}_error")
        assert np.all(np.abs(getattr(layers, name) - known) < 5 * error + 0.03 * known)  # 0.03: its finite width


@pytest.mark.parametrize(
    ("of", "module"),
    [
        (lambda x: functional.layer_norm(x, (30,), torch.ones(30), eps=0.1), lambda: nn.LayerNorm(30, 0.1)),
        (lambda x: functional.rms_norm(x, [30], None, 0.1), lambda: nn.RMSNorm(30, 0.1)),
        (lambda x: functional.group_norm(x, 1), lambda: nn.GroupNorm(1, 30)),
    ],
)
def test_the_functions_of_norms_are_their_modules(of: Callable[[Any], Any], module: Make) -> None:
    make = model(lambda m, x: m.b(of(m.a(x)).relu()), a=linear(20, 30), b=linear(30, 3))
    expected = stack(linear(20, 30), module, nn.ReLU, linear(30, 3))
    assert repr(igb.from_torch(make, X)) == repr(igb.from_torch(expected, X))


WIDE = igb.gaussian_images(4, 2, 8, 8, 3.0, seed=2)


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (
            resnet,
            "Conv2d(7|Activation|MaxPool2d(3, stride=2, padding=1)|shortcut=[Conv2d(1|BatchNorm|Activation|Flatten",
        ),
        (mixer, "Conv2d(4, stride=4|Conv2d(1,|Tokens|Residual(LayerNorm|TokenMixing(6,|TokenMixing(4,|GlobalAvgPool"),
    ],
)
def test_networks_of_images_are_read(make: Make, expected: str) -> None:
    text, place = repr(igb.from_torch(make, WIDE)), 0
    for part in expected.split("|"):
        place = text.index(part, place)


@pytest.mark.usefixtures("few_draws")
@pytest.mark.filterwarnings("ignore::igbtheory.EstimateWarning")
@pytest.mark.parametrize("make", [resnet, slow(mixer)])
def test_networks_of_images_are_predicted_as_they_are_measured(make: Make) -> None:
    predicted, found = igb.from_torch(make, WIDE).predict(WIDE), igb.measure(make, WIDE, 80)
    for name in ("var_mu", "var_chi", "gamma"):
        known, error = getattr(predicted, name), getattr(found, f"{name}_error")
        # an error of the theory is four standard errors; 48 channels are some per cent from infinite width
        assert abs(getattr(found, name) - known) < 5 * np.hypot(error, predicted.error * known / 4) + 0.03 * known


CONVOLVED = [conv(2, 6), nn.ReLU, lambda: nn.MaxPool2d(2), conv(6, 10, groups=2), nn.Flatten, nn.Tanh, linear(40, 8)]


@pytest.mark.filterwarnings("ignore::igbtheory.EstimateWarning")
@pytest.mark.parametrize(
    ("make", "data", "widths"),
    [
        (MLP, X, (40, 30)),
        (stack(*CONVOLVED, nn.ReLU, linear(8, 3)), IMAGES, (6, 10, 8)),
        (ViT, IMAGES, (16, 16, 16, 16, 16, 32, 16)),
        (model(gated, e=linear(20, 8), a=linear(8, 9), b=linear(8, 9), o=linear(9, 8), h=linear(8, 3)), X, (8, 9, 8)),
        (
            model(
                lambda m, x: m.h(m.b(m.a(x)) + m.c(m.a(x))), a=nn.Tanh, b=linear(20, 9), c=linear(20, 9), h=linear(9, 2)
            ),
            X,
            (20, 9),
        ),
    ],
)
def test_networks_that_are_read_have_the_weights_of_the_model(make: Make, data: Any, widths: tuple[int, ...]) -> None:
    found, given = igb.from_torch(make, data), units_first(data)
    assert found.widths == widths
    made, _ = units_made(found.layers, list(widths), None)
    layers, _ = sizes(found.layers[:-1], iter(made), given.shape[1], given.shape[2:])
    *matrices, last = [p for name, p in make().named_parameters() if p.ndim > 1 and name not in {"token", "places"}]
    assert sum(size.units * size.products for size in layers) == sum(p.numel() for p in matrices)
    assert found.predict(data, width=found.widths, networks=2).widths == widths[: len(made) - 1]
    assert last.shape[1] % widths[-1] == 0


def test_narrow_models_are_predicted_at_their_own_widths() -> None:
    """A ReLU network of width 12 and depth 5, whose gamma is far below that of infinite width."""
    he = nn.init.kaiming_normal_
    hidden = [part for i in range(5) for part in (linear(12 if i else 20, 12, he), nn.ReLU)]
    make = stack(*hidden, linear(12, 30, he))
    found = igb.explain(make, X, 60, seed=1)
    expected = found.at_widths.per_layer
    assert expected is not None
    assert (found.at_widths.widths, found.at_widths.networks) == ((12,) * 5, 6000)
    assert abs(found.z) < 3
    assert found.gamma + 3 * found.gamma_error < found.predicted_gamma[-1]
    # behind every layer Var(G0) is that of the directions of its 12 units
    difference = found.per_layer.var_g0 - expected.var_g0
    errors = np.hypot(found.per_layer.var_g0_error, expected.var_g0_error)
    assert np.isnan(difference).tolist() == [True, *[False] * 11]
    assert np.all(np.abs(difference / errors)[1:] < 4)
    said = next(sentence for sentence in found.sentences() if sentence.startswith("At the model's widths, 12, "))
    assert re.search(r"% below infinite width\) and gamma_guess .* % above infinite width\), by drawing 6000", said)
    told = re.search(r"\(([\d.]+) ± \S+ % below infinite width\)", said)
    assert told is not None
    assert float(told[1]) == pytest.approx(100 * float(1 - expected.gamma[-1] / found.predicted_gamma[-1]), abs=1)
    # the distance from a limit that is known to its size alone is known to the ratio
    ratio = 100 * float(expected.gamma[-1] / found.predicted_gamma[-1])
    rough = " ".join(replace(found, limit_error=float(found.predicted_gamma[-1])).sentences())
    assert f" ± {ratio:.0f} % below infinite width) and gamma_guess" in rough
    assert Explanation.from_json(found.to_json()) == found
    drawn = {line.get_label(): line.get_ydata() for line in found.plot().lines}
    assert drawn["theory, infinite width"] == pytest.approx(100 * found.columns()["predicted_favoured"])
    assert drawn["theory, its own widths"][-1] == pytest.approx(100 * found.columns()["at_widths_favoured"][-1])
    assert drawn["without a bias"][0] == pytest.approx(100 * even_share(12, 30))
    assert "<p>At the model&#x27;s widths, 12, theory predicts" in found._repr_html_()
    # a change is predicted at the same widths, and the tables say which kind they show
    gelu = {line.change: line for line in found.what_if}["gelu for relu"]
    make = stack(*[part for i in range(5) for part in (linear(12 if i else 20, 12, he), nn.GELU)], linear(12, 30, he))
    alone = igb.from_torch(make, X).predict(X, width=12, networks=6000, seed=2)
    assert abs(gelu.at_widths - alone.gamma) < 5 * np.hypot(gelu.at_widths_error, alone.gamma_error)
    assert alone.gamma + 5 * alone.gamma_error < gelu.predicted
    assert re.search(r"gamma, what if +at its widths\nthe model as it is +[\d.]+ ± [\d.]+\n", str(found))
    assert max(map(len, str(found).splitlines())) <= 100


def test_uniform_biases_let_the_largest_output_stand_out_less() -> None:
    """Small data leave the outputs to the biases of the last layer, PyTorch's default ones."""
    make = stack(linear(20, 40), nn.ReLU, linear(40, 100))
    found = igb.explain(make, 0.1 * X, 300)
    columns, normal = found.columns(), found.favoured.at(found.at_widths.per_layer.gamma_guess)[0]
    told, measured = columns["at_widths_favoured"], columns["favoured"]
    assert abs(told[-1] - measured[-1]) < 4 * columns["favoured_error"][-1] + 0.01
    assert normal[-1] > measured[-1] + 0.05
    assert told[:-1] == pytest.approx(normal[:-1], nan_ok=True)
    assert f"Uniform biases of the last layer make {found.uniform_biases:.0%} of var_mu" in " ".join(str(found).split())
    assert "Uniform biases" not in str(
        igb.explain(stack(linear(20, 40), nn.ReLU, linear(40, 9, nn.init.normal_)), X, 2)
    )


def test_a_change_replaces_a_function_of_several_steps_as_a_whole() -> None:
    def behind(m: Any, x: Any) -> Any:
        x = m.n(m.a(x))
        return m.b(x * torch.sigmoid(x))

    layers = {"a": linear(20, 30), "n": lambda: nn.LayerNorm(30), "b": linear(30, 3)}
    found = igb.explain(model(behind, **layers), X, 3, check=True)
    assert found.names == ("data", "parts.a", "parts.n", "mul", "parts.b")
    lines = {line.change: line for line in found.what_if}
    relu = lines["relu for silu"]
    assert relu.measured == pytest.approx(
        igb.measure(model(lambda m, x: m.b(functional.relu(m.n(m.a(x)))), **layers), X, 3).gamma, rel=1e-9
    )
    moved = igb.measure(model(lambda m, x: m.b(m.n(functional.silu(m.a(x)))), **layers), X, 3)
    assert lines["norms behind the activations"].measured == pytest.approx(moved.gamma, rel=1e-4)  # single precision


def test_an_error_contains_what_width_may_change_where_no_networks_can_be_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from igbtheory.torch import widths  # noqa: PLC0415 - it loads PyTorch

    def refused(*_: Any) -> None:
        raise ValueError("they cannot")

    monkeypatch.setattr(widths, "behind_layers", refused)
    found = igb.explain(MLP, X, 3)
    # 1.2 times 1/40 + 1/30, as a share of gamma
    assert found.doubt == pytest.approx(np.expm1(0.07) * found.predicted_gamma[-1], rel=1e-9)
    assert "at_widths_gamma" not in found.columns()
    (said,) = (sentence for sentence in found.sentences() if "widths" in sentence)
    assert re.fullmatch(r"Not predicted at the model's widths, 40, 30: they cannot.*about 7%.*", said)


def test_images_whose_kernel_takes_too_long_are_predicted_at_the_widths_of_the_model() -> None:
    make = stack(lambda: nn.Conv2d(1, 8, 3, 2), nn.ReLU, lambda: nn.AdaptiveAvgPool2d(1), nn.Flatten, linear(8, 30))
    images = igb.gaussian_images(12, channels=1, height=48, width=48, correlation_length=6)
    found = igb.explain(make, images, 3)
    assert np.isnan(found.predicted_gamma[-1])
    assert abs(found.z) < 4
    assert any(re.match("Not predicted: '2' .*kernel .* would take about .* seconds", x) for x in found.sentences())
    # changes are predicted in the same way
    lines = {line.change: line for line in found.what_if}
    assert (lines["tanh for relu"].unpredicted, lines["tanh for relu"].predicted > 0) == ("", False)
    assert lines["tanh for relu"].at_widths > 0


def test_changes_of_a_model_that_is_estimated_from_draws_are_predicted_at_its_widths_alone() -> None:
    make = stack(conv(1, 6), nn.ReLU, lambda: nn.MaxPool2d(2), nn.Flatten, linear(24, 3))
    found = igb.explain(make, igb.gaussian_images(4, channels=1, height=4, width=4, correlation_length=2), 3)
    assert found.predicted_gamma[-1] > 0
    lines = {line.change: line for line in found.what_if}
    assert (lines["tanh for relu"].unpredicted, lines["tanh for relu"].predicted > 0) == ("", False)
    assert lines["tanh for relu"].at_widths > 0


def tied() -> Any:
    return nn.Sequential(layer := nn.Linear(20, 20), nn.ReLU(), copy.deepcopy(layer), nn.ReLU(), nn.Linear(20, 3))


def ran() -> Any:
    made = stack(linear(20, 20), lambda: nn.BatchNorm1d(20), linear(20, 3))()
    made(torch.tensor(X).float())
    return made.eval()


def passed() -> Any:
    made = nn.Sequential(nn.LazyLinear(3))
    made(torch.tensor(X[:2]).float())
    return made


def transformer(layers: int = 1, *, copies: bool = False, **options: Any) -> Make:
    """Return a function that makes a transformer."""

    def made() -> Any:
        def one() -> Any:
            return nn.TransformerEncoderLayer(20, 2, 30, **{"dropout": 0, "batch_first": True, **options})

        blocks = [nn.TransformerEncoder(one(), layers)] if copies else [one() for _ in range(layers)]
        return nn.Sequential(*blocks, nn.Flatten(), nn.Linear(60, 3))

    return made


PAIR = {"a": linear(20, 20), "b": linear(20, 20)}
TWO = model(lambda m, x: (m.a(x), m.b(-x)), **PAIR)
TOKENS = np.random.default_rng(4).standard_normal((4, 3, 20))
MLP_3, MADE = stack(linear(20, 30), nn.ReLU, linear(30, 3)), nn.Linear(20, 3)
REMEDIES = [
    # a line that fails, words of its message, and the remedy
    ("igb.measure(3, X, 2)", "pass the model's class, or a function", "igb.measure(MLP_3, X, 2)"),
    (
        "igb.measure(nn.Linear(20, 3), X, 2)",
        "put the lines that make it into a function",
        "igb.measure(lambda: nn.Linear(20, 3), X, 2)",
    ),
    ("igb.measure(lambda: 3, X, 2)", "return the model itself", "igb.measure(MLP_3, X, 2)"),
    (
        "igb.measure(lambda: MADE, X, 2)",
        "create the model inside make_model",
        "igb.measure(lambda: nn.Linear(20, 3), X, 2)",
    ),
    (
        "igb.measure(lambda n: nn.Linear(20, n), X, 2)",
        "such as lambda: ",
        "igb.measure(lambda: nn.Linear(20, 10), X, 2)",
    ),
    (
        "igb.measure(stack(linear(20, 3), lambda: nn.Flatten(0)), X, 2)",
        "let the model return one row of logits for each datum",
        "igb.measure(MLP_3, X, 2)",
    ),
    ("igb.from_torch(stack(linear(20, 30), nn.ReLU), X)", "return logits", "igb.from_torch(MLP_3, X)"),
    ("igb.initialise(MLP_3(), X)", "pass exactly one", "igb.initialise(MLP_3(), X, neutral=True)"),
    (
        "igb.initialise(MLP_3(), X, shares=[0.5, 0.4])",
        "pass one number for each class",
        "igb.initialise(MLP_3(), X, shares=[0.5, 0.3, 0.2])",
    ),
    (
        "igb.initialise(stack(linear(20, 3, nn.init.zeros_))(), X, neutral=True)",
        "initialise it",
        "igb.initialise(MLP_3(), X, neutral=True)",
    ),
    (
        "igb.measure(MLP_3, X + 1j, 2)",
        "pass real and imaginary parts as features",
        "igb.measure(MLP_3, np.hstack([X.real[:, :10], X.real[:, :10]]), 2)",
    ),
    ("igb.measure(MLP_3, np.where(X > 1, np.nan, X), 2)", "remove or impute such data", "igb.measure(MLP_3, X, 2)"),
    (
        "igb.measure(MLP_3, igb.GaussianInputs(), 2)",
        "draw data from it, such as numpy.random.default_rng(0).normal(",
        "igb.measure(MLP_3, np.random.default_rng(0).normal(0, 1, (10, 20)), 2)",
    ),
    ("igb.measure(MLP_3, 'abc', 2)", "stack the data into one", "igb.measure(MLP_3, np.stack([*X]), 2)"),
    ("igb.measure(MLP_3, (X, [0, 1]), 2)", "pass as many", "igb.measure(MLP_3, (X, [0, 1, 2] * 4), 2)"),
    ("igb.measure(MLP_3, 1e300 * X, 2)", "scale the data down", "igb.measure(MLP_3, X, 2)"),
    (
        "igb.from_torch(ran, X)",
        "take a fresh model, or training mode",
        "igb.from_torch(stack(linear(20, 20), lambda: nn.BatchNorm1d(20), linear(20, 3)), X)",
    ),
    ("igb.from_torch(tied, X)", "draw them anew in every layer", "igb.from_torch(MLP_3, X)"),
    (
        "igb.from_torch(transformer(batch_first=False), TOKENS)",
        "take batch_first=True",
        "igb.from_torch(transformer(), TOKENS)",
    ),
    (
        "igb.from_torch(transformer(2, copies=True), TOKENS)",
        "into nn.Sequential",
        "igb.from_torch(transformer(2), TOKENS)",
    ),
    (
        "igb.from_torch(lambda: nn.Sequential(nn.LazyLinear(3)), X)",
        "pass data through the model in the function that makes it",
        "igb.from_torch(passed, X)",
    ),
    ("igb.measure(TWO, X, 2)", "choose one, such as output=", "igb.measure(TWO, X, 2, output=0)"),
    (
        "igb.from_torch(lambda: nn.Sequential(nn.GLU(), nn.Linear(10, 3)), X)",
        "put one in front",
        "igb.from_torch(lambda: nn.Sequential(nn.Linear(20, 20), nn.GLU(), nn.Linear(10, 3)), X)",
    ),
    (
        "igb.measure(MLP_3, np.zeros((3, 1, 4, 4), 'u1'), 2)",
        "pass X / 255",
        "igb.measure(stack(nn.Flatten, linear(16, 3)), igb.gaussian_images(3, 1, 4, 4, seed=0) / 255, 2)",
    ),
]


@pytest.mark.parametrize(("line", "words", "remedy"), REMEDIES)
def test_what_a_message_on_models_tells_works(line: str, words: str, remedy: str) -> None:
    with pytest.raises((ValueError, TypeError)) as caught:
        eval(line)  # noqa: S307 - a line of the table
    assert words in str(caught.value)
    eval(remedy)  # noqa: S307 - as above


def hand_written(m: Any, x: Any) -> Any:
    """Attention of two heads in windows of two of the four tokens, from one layer for queries, keys and values."""
    count, tokens, units = x.shape
    x = x.view(count * tokens // 2, 2, units)
    q, k, v = m.qkv(x).view(-1, 2, 3, 2, units // 2).permute(2, 0, 3, 1, 4).unbind(0)
    weights = ((q * (units // 2) ** -0.5) @ k.transpose(-2, -1) + m.mask.weight).softmax(dim=-1)
    x = (weights @ v).transpose(1, 2).reshape(count, tokens, units)
    return m.head(m.out(x).mean(dim=1))


def excited(m: Any, x: Any) -> Any:
    """A concatenation, whose shuffled halves are joined again, squeezed and excited."""
    x = torch.cat([m.a(x).relu(), m.b(x)], dim=1)
    x = x.view(len(x), 2, -1, 4, 4).transpose(1, 2).flatten(1, 2)
    one, other = x.chunk(2, dim=1)
    x = torch.cat([one, m.c(other).relu()], dim=1)
    return m.head((x * m.e(x.mean(dim=(2, 3), keepdim=True)).sigmoid() - m.d(x)).mean(dim=(2, 3)))


def grown(m: Any, x: Any) -> Any:
    a = m.a(x)
    b = m.b(torch.cat([x, a], 1)).relu()
    return m.head(torch.cat([x, a, m.c(torch.cat([x, a, b], 1))], 1) * 0.5)


class Sized(torch.nn.Module):  # type: ignore[misc, name-defined] # PyTorch is an extra
    """Patches of two by two positions by reshaping, behind a question that torch.fx cannot answer."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.norm, self.b = nn.Linear(8, 24), nn.LayerNorm(24), nn.Linear(24, 3)

    def forward(self, x: Any) -> Any:
        if x.shape[1] != 2:
            raise ValueError("two channels")
        x = x.view(-1, 2, 2, 2, 2, 2).permute(0, 2, 4, 3, 5, 1).reshape(-1, 4, 8)
        return self.b(self.norm(nn.functional.linear(x, self.a.weight, self.a.bias)).mean(1))


class DropPath(torch.nn.Module):  # type: ignore[misc, name-defined] # PyTorch is an extra
    """Stochastic depth as timm has it."""

    drop_prob = 0.25

    def forward(self, x: Any) -> Any:
        return x * torch.bernoulli(x.new_full((len(x), 1), 0.75)) / 0.75


def dropped(x: Any, p: float) -> Any:
    """Return what stochastic depth leaves, in steps in place, of which the second is used without its name."""
    kept = x.new_empty(x.shape[0], 1).bernoulli_(1 - p)
    kept.div_(1 - p)
    return x * kept


IDS = np.random.default_rng(0).integers(0, 9, (5, 6))


def embedded(m: Any, ids: Any) -> Any:
    places = torch.arange(6)[:, None] / 10 ** (torch.arange(16) / 16)
    return m.head((m.e(ids) + places.sin())[:, -1].tanh())


class Misnamed(torch.nn.Module):  # type: ignore[misc, name-defined] # PyTorch is an extra
    """A perceptron whose modules have the names of functions; the logits have no axis of their own."""

    def __init__(self) -> None:
        super().__init__()
        self.new_layer, self.matmul, self.mean = nn.Linear(20, 30), nn.Linear(30, 30), nn.ReLU()
        self.add, self.fc_like = nn.Linear(30, 30), nn.Linear(30, 1)

    def forward(self, x: Any) -> Any:
        return self.fc_like(self.add(self.mean(self.matmul(self.new_layer(x))))).squeeze(-1)


WINDOWED = model(
    hand_written,
    qkv=linear(64, 192),
    out=linear(64, 64),
    head=linear(64, 3),
    mask=lambda: nn.Embedding.from_pretrained(torch.zeros(2, 2)),
)
EXCITED = model(
    excited, a=conv(2, 48), b=conv(2, 48), c=conv(48, 48), d=conv(96, 96), e=conv(96, 96, 1), head=linear(96, 3)
)


@pytest.mark.filterwarnings("ignore::igbtheory.EstimateWarning")
@pytest.mark.parametrize(
    ("make", "data", "expected"),
    [
        (
            WINDOWED,
            IMAGES.reshape(6, 4, 8).repeat(8, 2),
            "Attention(2, |groups=((0, 1), (2, 3)), sigma_qkb2=0.0156|Dense(",
        ),
        (
            EXCITED,
            IMAGES,
            "Concat((Conv2d(3|Activation('relu')), Conv2d(|Concat(Part(of=2), (Part(of=2), Conv2d(|Product(",
        ),
        (
            model(grown, a=linear(20, 9), b=linear(29, 9), c=linear(38, 9), head=linear(38, 2)),
            X,
            "Concat((), Dense(0.3333|shares=(20, 9))|Concat((), (Concat((), (Dense(|shares=(29, 9))|shares=(29, 9))",
        ),
        (Misnamed, X, "Network(Dense(|Dense(|Activation('relu'), *(Dense(|) * 2)"),
        (
            model(lambda m, x: m.b(m.a(x).relu())[:, 1], a=linear(20, 30), b=linear(30, 3)),
            X,
            "Activation('relu')|Dense(0.33|Part(of=3)|Dense(1.0)",
        ),
        (Sized, IMAGES, "Gathered(((0, 1, 4, 5), |Dense(|LayerNorm(eps=1e-05)|GlobalAvgPool()|Dense("),
        (
            model(lambda m, x: m.b(x - m.d(m.a(x))), a=linear(20, 20), d=DropPath, b=linear(20, 3)),
            X,
            "Residual(Dense(|StochasticDepth(0.25), scale=-1.0)",
        ),
        (
            model(
                lambda m, x: m.b((y := m.a(x) + dropped(m.c(x), 0.25)) + dropped(m.d(y), 0.5)),
                **{name: linear(20, 20) for name in "acd"},
                b=linear(20, 3),
            ),
            X,
            "StochasticDepth(0.25)|StochasticDepth(0.5)",
        ),
        (
            model(
                lambda m, x: m.b((y := m.a(x)) * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + 1e-6)),
                a=linear(20, 30),
                b=linear(30, 3),
            ),
            X,
            "Dense(|RMSNorm(eps=1e-06)|Dense(",
        ),
        (
            model(lambda m, x: m.b(x @ m.a.weight.T), a=linear(20, 30), b=linear(30, 3)),
            X,
            "Network(Dense(0.3333333333333333), Dense(",
        ),
        (model(lambda m, x: m.b(1 - m.a(x)), a=linear(20, 20), b=linear(20, 3)), X, "Activation('1 - x')"),
        (
            model(embedded, e=lambda: nn.Embedding(9, 16), head=linear(16, 3)),
            IDS,
            "Embedding(1.0)|Marks(6 positions)|Activation('tanh')|Gathered(((5,),), shape=())|Dense(",
        ),
    ],
    ids=[
        "windows",
        "excited",
        "grown",
        "names",
        "one output",
        "exported",
        "depth",
        "depth in place",
        "norm",
        "matrix",
        "one less",
        "ids",
    ],
)
def test_values_that_are_moved_joined_and_attended_to_are_read(make: Make, data: Any, expected: str) -> None:
    text, place = repr(igb.from_torch(make, data)), 0
    for part in expected.split("|"):
        place = text.index(part, place) + len(part)


@pytest.mark.filterwarnings("ignore::igbtheory.EstimateWarning")
@pytest.mark.parametrize(
    ("make", "data"),
    [
        (WINDOWED, IMAGES.reshape(6, 4, 8).repeat(8, 2)),
        (EXCITED, IMAGES),
        (
            stack(
                conv(2, 64),
                nn.ReLU,
                lambda: nn.ConvTranspose2d(64, 64, 3, 2, 1, 1),
                nn.ReLU,
                conv(64, 64, (1, 5), stride=(2, 1), padding=(0, 2), padding_mode="reflect"),
                lambda: nn.Dropout2d(0.4),
                nn.Flatten,
                linear(64 * 32, 3),
            ),
            IMAGES,
        ),
        (
            stack(conv(2, 64), lambda: nn.InstanceNorm2d(64), nn.ReLU, conv(64, 64), nn.Flatten, linear(1024, 3)),
            IMAGES,
        ),
    ],
    ids=["windows", "excited", "transposed", "instances"],
)
def test_models_of_joined_streams_are_predicted_as_they_are_measured(make: Make, data: Any) -> None:
    predicted, measured = igb.from_torch(make, data).predict(data), igb.measure(make, data, 100)
    for name in ("var_mu", "var_chi"):
        value, error = getattr(predicted, name), getattr(measured, f"{name}_error")
        # 3 %: the networks have 64 and 96 units
        assert abs(getattr(measured, name) - value) < 4 * error + 0.03 * value


def talking(m: Any, x: Any) -> Any:
    """Attention by cosines, whose four heads are mixed, and a highway layer, whose gate stands in two places."""
    count, tokens, units = (y := m.e(x)).shape
    q, k, v = m.qkv(y).reshape(count, tokens, 3, 4, units // 4).permute(2, 0, 3, 1, 4).unbind(0)
    scores = functional.normalize(q, dim=-1) @ functional.normalize(k, dim=-1).transpose(-2, -1)
    weights = m.mix(4 * scores.permute(0, 2, 3, 1)).permute(0, 3, 1, 2).softmax(-1)
    y = y + m.out((weights @ v).transpose(1, 2).reshape(count, tokens, units))
    gate = m.gate(y).sigmoid()
    return m.head((gate * m.plain(y).relu() + (1 - gate) * y).mean(1))


def normal(fan_in: int, fan_out: int) -> Make:
    return linear(fan_in, fan_out, nn.init.kaiming_normal_)


@pytest.mark.filterwarnings("ignore::igbtheory.EstimateWarning")
@pytest.mark.parametrize(
    ("make", "data"),
    [
        slow(
            (
                model(
                    talking,
                    e=normal(8, 64),
                    qkv=normal(64, 192),
                    mix=normal(4, 4),
                    **dict.fromkeys(("out", "gate", "plain"), normal(64, 64)),
                    head=normal(64, 10),
                ),
                IMAGES.reshape(6, 4, 8),
            )
        ),
        (
            stack(
                normal(20, 64),
                lambda: nn.AlphaDropout(0.3),
                lambda: nn.Softmax(1),
                normal(64, 10),
            ),
            X,
        ),
    ],
    ids=["talking heads", "softmax"],
)
def test_what_has_no_layer_is_drawn_as_it_is_measured(make: Make, data: Any) -> None:
    predicted, measured = igb.from_torch(make, data).predict(data), igb.measure(make, data, 100)
    for name in ("var_mu", "var_chi"):
        value, error = getattr(predicted, name), getattr(measured, f"{name}_error")
        # 5 %: the layers have 64 units, and a prediction is a mean over 64 worlds
        assert abs(getattr(measured, name) - value) < 4 * error + 0.05 * value


@pytest.mark.filterwarnings("ignore::igbtheory.EstimateWarning")
def test_units_that_a_step_averages_are_independent() -> None:
    """The mean of u units of the variance v has the square v/u; that of balanced ones, a hundred times less."""
    scaled = model(
        lambda m, x: m.b((y := m.a(x)) * y.mean(1, keepdim=True)),
        a=lambda: nn.Linear(20, 64, bias=False),
        b=lambda: nn.Linear(64, 3, bias=False),
    )
    predicted = igb.from_torch(scaled, X).predict(X)
    variance = np.square(X).sum(axis=1) / 60
    # a chi-squared number of each of 64 worlds
    assert predicted.var_mu + predicted.var_chi == pytest.approx(np.square(variance).mean() / 64 / 3, rel=0.6)


@pytest.mark.filterwarnings("ignore:`torch.nn.utils.weight_norm`")
def test_models_are_explained_as_pytorch_wraps_them() -> None:
    """Several processors, double precision, weights that are computed anew in every pass, and a hook."""

    def make() -> Any:
        made = stack(linear(20, 30), nn.ReLU, lambda: nn.utils.weight_norm(nn.Linear(30, 2)))().double()
        made[0].register_forward_hook(lambda *passed: passed[2] + 1)
        return nn.DataParallel(made)

    explained = igb.explain(make, X, 2)
    assert explained.traced
    assert not explained.unread
    first, shift, *rest = igb.from_torch(make, X).layers
    assert (first, *rest) == (default(20), RELU, default(30))
    assert isinstance(shift, igb.Activation)


def test_what_no_graph_holds_is_measured() -> None:
    mlp = dict.fromkeys("ab", linear(20, 20))
    of_one = model(lambda m, x: torch.vmap(lambda v: m.b(m.a(v).relu()))(x), **mlp)
    one_by_one = model(lambda m, x: torch.stack([m.b(m.a(v).relu()) for v in x.unbind()]), **mlp)
    for make in (of_one, one_by_one):
        explained = igb.explain(make, X, 3)
        assert not explained.traced
        assert explained.gamma == pytest.approx(igb.measure(make, X, 3).gamma)


def test_numbers_that_all_outputs_share_change_no_guess() -> None:
    shared = model(lambda m, x: (y := m.a(x)) + m.b(x) - y.mean(1, keepdim=True), a=linear(20, 6), b=linear(20, 1))
    assert repr(igb.from_torch(shared, X).layers) == repr((default(20),))


def test_a_last_layer_of_zeros_is_read_as_one_that_is_drawn() -> None:
    with pytest.warns(UserWarning, match="'2' starts at 0, so that all guesses tie"):
        read = igb.from_torch(stack(linear(20, 30), nn.ReLU, linear(30, 2, nn.init.zeros_)), X)
    assert read.layers[-1] == igb.Dense(1.0)


@pytest.mark.parametrize("draw", [None, lambda w: nn.init.normal_(w, std=0.137)], ids=["known", "measured"])
def test_outputs_at_one_token_are_explained_as_those_of_this_token(draw: Any) -> None:
    make = model(lambda m, x: m.b(m.a(x).relu())[:, -1], a=linear(4, 64, draw), b=linear(64, 3, draw))
    data = np.concatenate([IMAGES[:, 0, :3], 3 + IMAGES[:, 0, 3:]], axis=1)  # the last token is unlike the others
    explained, alone = igb.explain(make, data, 20), igb.explain(make, data[:, -1:], 20)
    assert explained.predicted_gamma[-1] == pytest.approx(alone.predicted_gamma[-1], rel=1e-9)
    assert explained.predicted_gamma[-1] > 1.5 * explained.predicted_gamma[-2]
    # three logits of 20 networks
    assert abs(explained.gamma - explained.predicted_gamma[-1]) < 4 * explained.gamma_error


@pytest.mark.parametrize(
    "function",
    [functional.relu, functional.relu6, functional.hardtanh, torch.abs, lambda x: (x[:-2] + x[2:]) / 2],
    ids=["relu", "relu6", "hardtanh", "abs", "a mean, which is the number between"],
)
def test_a_function_that_computes_numbers_is_no_move(function: Any) -> None:
    from igbtheory.torch import entries  # noqa: PLC0415 - it needs PyTorch

    few = entries.Entries.laid_out((3, 1), 1, ())
    assert entries.moved(lambda x: function(x[0]), [few], function(torch.zeros(3, 1))) is None
    assert entries.moved(lambda x: x[0].T, [few], torch.zeros(1, 3)) is not None


class LanguageModel(torch.nn.Module):  # type: ignore[misc,name-defined] # PyTorch is an extra
    """A language model with outputs at every token, whose weights may be those of the embedding."""

    def __init__(self, *, tied: bool) -> None:
        super().__init__()
        self.embedding, self.hidden = torch.nn.Embedding(20, 8), torch.nn.Linear(8, 8)
        self.head = torch.nn.Linear(8, 20, bias=False)
        torch.nn.init.normal_(self.embedding.weight, std=0.1)
        torch.nn.init.normal_(self.head.weight, std=0.1)
        if tied:
            self.head.weight = self.embedding.weight

    def forward(self, ids: Any) -> Any:
        x = self.embedding(ids)
        return self.head(torch.nn.functional.rms_norm(x + self.hidden(x).to(torch.float32) * 1.0, (8,)))


def test_outputs_at_every_token_are_read() -> None:
    ids = np.arange(12).reshape(3, 4)
    net = igb.from_torch(lambda: LanguageModel(tied=False), ids)
    kinds = [type(layer).__name__ for layer in (*net.layers, *net.layers[1].inner)]
    # a change of the type of numbers, and a factor of 1, are no layers
    assert kinds == ["Embedding", "Residual", "RMSNorm", "EachToken", "Dense", "Dense"]
    assert net.predict(ids).vocabulary(20, draws=2).positions == 12
    with pytest.warns(UserWarning, match=r"'head' have the weights of the embedding.*tied=8"):
        tied = igb.from_torch(lambda: LanguageModel(tied=True), ids)
    assert tied.predict(ids).vocabulary(20, tied=8, draws=2).lift > 0


@pytest.mark.parametrize("at", ["hidden", "logits"])
def test_tied_outputs_at_one_token_are_read_but_not_explained(at: str) -> None:
    """The last token alone has outputs, as in nanoGPT; outputs of a mean of tokens read none of them."""

    def last(m: Any, ids: Any) -> Any:
        x = m.embedding(ids)
        return m.head(x[:, -1]) if at == "hidden" else m.head(x)[:, -1]

    class Tied(LanguageModel):
        def __init__(self, reads: Callable[..., Any]) -> None:
            super().__init__(tied=True)
            self.reads = reads

        def forward(self, ids: Any) -> Any:
            return self.reads(self, ids)

    ids = np.arange(12).reshape(3, 4)
    with pytest.warns(UserWarning, match="tied=8"):
        net = igb.from_torch(lambda: Tied(last), ids)
    told = net.predict(ids).vocabulary(20, tied=8, draws=2)
    assert told.positions == 3
    assert told.lift == pytest.approx(8**0.5)  # all of what is read is the embedding
    explained = igb.explain(lambda: Tied(last), ids, 3)
    assert "'head' (Linear): has the weights of the embedding" in explained.unread
    assert np.isnan(explained.predicted_gamma[-1])
    with pytest.raises(ValueError, match="has the weights of the embedding"):
        igb.from_torch(lambda: Tied(lambda m, ids: m.head(m.embedding(ids).mean(1))), ids)
    with pytest.raises(ValueError, match="stands behind 'head', which has the weights of the embedding"):
        igb.from_torch(lambda: Tied(lambda m, ids: m.head(m.hidden(m.head(m.embedding(ids))[..., :8]))), ids)


IDS = np.random.default_rng(0).integers(1, 9, (12, 6))
IDS[-1, 4:] = 0


@pytest.mark.parametrize(
    "forward",
    [
        lambda m, x: m.o(m.e(x).masked_fill(~(x != 0)[..., None], 0.0).sum(1)),
        lambda m, x: m.o((m.e(x) * (x != 0).float()[..., None]).mean(1)),
        lambda m, x: m.o(functional.scaled_dot_product_attention(*[m.e(x)] * 3, attn_mask=(x != 0)[:, None]).mean(1)),
        lambda m, x: m.o(((m.e(x) @ m.e(x).mT + -1e4 * (x == 0).float()[:, None]).softmax(-1) @ m.e(x)).mean(1)),
    ],
)
def test_a_mask_of_a_padding_that_the_first_data_lack_is_no_constant(forward: Callable[[Any, Any], Any]) -> None:
    make = model(forward, e=lambda: nn.Embedding(9, 16), o=linear(16, 3))
    with pytest.raises(ValueError, match=r"cannot read '(ne|eq)' .*: the theory has embeddings of the ids"):
        igb.from_torch(make, IDS)


def test_the_last_row_of_a_dueling_head_is_that_of_the_advantages() -> None:
    def dueling(m: Any, x: Any) -> Any:
        advantages = m.a(torch.relu(m.h(x)))
        return m.v(x) + advantages - advantages.mean(1, keepdim=True)

    make = model(dueling, h=linear(20, 40), a=linear(40, 3), v=linear(20, 1))
    found = igb.explain(make, X, 20)
    assert not found.unread
    assert found.names[-1] == "parts.a"
    assert np.isfinite(found.z)


def test_numbers_that_become_tokens_are_read_one_by_one() -> None:
    make = model(lambda m, x: m.o(torch.relu(m.a(x[..., None])).mean(1)), a=linear(1, 40), o=linear(40, 3))
    expected = igb.Network(default(1), RELU, igb.GlobalAvgPool(), default(40)).predict(X[..., None]).gamma
    network = igb.from_torch(make, X)
    assert network.predict(X).gamma == pytest.approx(expected, rel=UNIT)
    drawn = network.predict(X, width=network.widths, networks=400)
    assert drawn.gamma == pytest.approx(expected, rel=0.3)


def test_the_operator_of_an_adaptive_maximum_gives_values_alone() -> None:
    make = model(lambda m, x: m.o(nn.AdaptiveMaxPool2d(1)(m.c(x)).flatten(1)), c=conv(2, 8), o=linear(8, 3))
    assert igb.from_torch(make, IMAGES).widths == (8,)


def test_layers_that_a_world_passes_by_have_no_prediction() -> None:
    """Weights that mix the tokens of the data are few: they are drawn, and no kernel goes through them."""
    make = model(
        lambda m, x: m.o((m.a(x - x.mean(-1, keepdim=True)) + m.b(x)).flatten(1)),
        a=linear(6, 4),
        b=linear(6, 4),
        o=linear(8, 3),
    )
    data = np.random.default_rng(0).standard_normal((12, 2, 6))
    assert igb.explain(make, data, 3).names[-1] == "parts.o"


@pytest.mark.parametrize("last", [lambda: nn.Softmax(dim=1), lambda: nn.Softmax(dim=-1)])
def test_a_softmax_of_the_outputs_is_left_out(last: Make) -> None:
    with pytest.raises(ValueError, match="no softmax of units; leave it out"):
        igb.from_torch(stack(linear(20, 3), last), X)
