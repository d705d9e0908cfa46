"""Models with unusual functions, branches that start at 0 and shared vectors, beside plain loops of PyTorch."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import igbtheory as igb

torch = pytest.importorskip("torch")
nn, functional = torch.nn, torch.nn.functional
torch.set_num_threads(1)  # the models are small, and several processes run tests

pytestmark = pytest.mark.filterwarnings("ignore::igbtheory.EstimateWarning")
WIDTH, OUTPUTS, NETWORKS = 200, 30, 60
"""The change of gamma by the finite width is smaller than its error over so many networks."""
FAR = 3.0
"""Standard errors; the seeds are fixed."""
Make = Callable[[], Any]
X = torch.from_numpy(np.random.default_rng(1).standard_normal((40, 30)) + 0.3).float()
TOKENS = torch.from_numpy(np.random.default_rng(2).standard_normal((30, 6, 8))).float()
SEQUENCES = TOKENS[:16].transpose(1, 2)
IMAGES = torch.from_numpy(igb.gaussian_images(6, 3, 3, 3, seed=1)).float()


class Model(torch.nn.Module):  # type: ignore[misc, name-defined] # PyTorch is an extra
    """A layer, a function of its ReLUs and of the model, and a layer; `parts` are more modules and parameters."""

    def __init__(
        self, function: Callable[[Any, Any], Any], parts: Any = (), size: int = 30, width: int = WIDTH
    ) -> None:
        super().__init__()
        self.first, self.inner, self.last = nn.Linear(size, width), nn.Linear(width, width), nn.Linear(width, OUTPUTS)
        self.function = function
        for name, make in dict(parts).items():
            setattr(self, name, make())

    def forward(self, x: Any) -> Any:
        return self.last(self.function(self, torch.relu(self.first(x))))


def in_a_loop(make: Make, data: Any, networks: int = NETWORKS) -> tuple[float, float]:
    """Return gamma of the outputs of networks in a plain loop, and its standard error by leaving out each network."""
    torch.manual_seed(0)
    moments = []
    with torch.no_grad():
        for _ in range(networks):
            y = make()(data).double()
            centres = y.mean(dim=0)
            moments.append([float(centres.square().mean()), float((y - centres).square().mean())])
    var_mu, var_chi = np.array(moments).T
    without = (var_mu.sum() - var_mu) / (var_chi.sum() - var_chi)
    return var_mu.sum() / var_chi.sum(), without.std() * np.sqrt(networks - 1)


def far(make: Make, data: Any, networks: int = NETWORKS) -> float:
    """Return the difference of the prediction from a plain loop in standard errors of both."""
    predicted = igb.from_torch(make, data.numpy()).predict(data.numpy())
    gamma, error = in_a_loop(make, data, networks)
    return float(abs(predicted.gamma - gamma) / np.hypot(error, predicted.error * (1 + gamma) * gamma))


@pytest.mark.parametrize(
    "function",
    [
        lambda h: torch.floor(3 * h),
        lambda h: torch.round(3 * h),
        lambda h: torch.trunc(3 * h),
        lambda h: functional.hardshrink(3 * h),
        lambda h: functional.hardshrink(20 * h, 5),
        lambda h: torch.clamp(20 * h, -3, 3),
        lambda h: nn.Hardtanh(-5, 5)(20 * h),
        lambda h: functional.threshold(20 * h, -3.5, 0),
        lambda h: torch.fake_quantize_per_tensor_affine(3 * h, 0.5, 0, -3, 7),
        lambda h: torch.remainder(3 * h, 1),
        lambda h: torch.fmod(3 * h, 1),
        lambda h: (3 * h).int().float(),
    ],
    ids=[
        *("floor", "round", "trunc", "hardshrink", "wide hardshrink", "clamp", "Hardtanh", "threshold"),
        *("quantised", "remainder", "fmod", "int"),
    ],
)
def test_functions_are_read_by_their_formulas_and_not_at_whole_numbers(function: Callable[[Any], Any]) -> None:
    make = lambda: Model(lambda m, h: function(m.inner(h)))  # noqa: E731 - it makes models
    assert far(make, X) < FAR
    told = repr(igb.from_torch(make, X.numpy()))
    assert told != repr(igb.from_torch(lambda: Model(lambda m, h: m.inner(h)), X.numpy()))


@pytest.mark.parametrize(
    "function",
    [lambda h: h.double().float(), lambda h: h.half().float(), lambda h: h.bfloat16().float(), nn.Identity(), abs],
    ids=["double", "half", "bfloat16", "identity", "abs of a ReLU"],
)
def test_a_change_of_the_type_of_numbers_is_no_function(function: Callable[[Any], Any]) -> None:
    found = igb.from_torch(lambda: Model(lambda _, h: function(h)), X.numpy())
    expected = igb.from_torch(lambda: Model(lambda _, h: h), X.numpy())
    assert found.predict(X.numpy()).gamma == pytest.approx(expected.predict(X.numpy()).gamma, rel=1e-12)


def zeros(kind: Any) -> Make:
    """Return a function that makes norms whose weights start at 0."""

    def make() -> Any:
        norm = kind(WIDTH)
        nn.init.zeros_(norm.weight)
        return norm

    return make


def biased() -> Any:
    """Return a layer whose biases outweigh the stream."""
    layer = nn.Linear(WIDTH, WIDTH)
    nn.init.normal_(layer.bias, std=0.5)
    return layer


@pytest.mark.parametrize(
    ("function", "parts"),
    [
        (lambda m, h: h + m.biased(m.norm(h)), {"norm": zeros(nn.LayerNorm), "biased": biased}),
        (lambda m, h: m.biased(m.norm(h)).relu() - h, {"norm": zeros(nn.LayerNorm), "biased": biased}),
        (lambda m, h: h + torch.sigmoid(m.norm(h)), {"norm": zeros(nn.BatchNorm1d)}),
        (lambda m, h: torch.sigmoid(m.norm(h)) - 2 * h, {"norm": zeros(nn.BatchNorm1d)}),
        (lambda m, h: h + functional.softplus(m.alpha * m.inner(h)), {"alpha": lambda: nn.Parameter(torch.zeros(1))}),
        (lambda m, h: h * torch.cos(m.alpha * m.inner(h)), {"alpha": lambda: nn.Parameter(torch.zeros(1))}),
        (lambda m, h: h + m.inner(m.norm(h).relu()).sin() + 1, {"norm": zeros(nn.LayerNorm)}),
    ],
    ids=["Linear", "minus", "sigmoid", "difference", "softplus", "product", "biases"],
)
def test_a_branch_that_starts_at_0_adds_what_stands_behind_the_0(function: Any, parts: dict[str, Make]) -> None:
    assert far(lambda: Model(function, parts), X) < FAR


@pytest.mark.parametrize(
    "function",
    [lambda m, h: h + m.norm(h).relu().tanh(), lambda m, h: h - functional.layer_norm(m.norm(h), (WIDTH,))],
    ids=["functions", "a norm"],
)
def test_a_branch_that_stays_0_is_left_out(function: Any) -> None:
    found = igb.from_torch(lambda: Model(function, {"norm": zeros(nn.LayerNorm)}), X.numpy())
    assert repr(found) == repr(igb.from_torch(lambda: Model(lambda _, h: h), X.numpy()))


def vector(*shape: int, of: Callable[..., Any] = torch.randn) -> dict[str, Make]:
    """Return vectors that a model draws, as its part v."""
    return {"v": lambda: nn.Parameter(of(*shape))}


def averaged(h: Any) -> Any:
    return torch.relu(h).mean(1)


@pytest.mark.parametrize(
    ("function", "parts", "text"),
    [
        (lambda m, h: averaged(m.inner(h + m.v)), vector(1, 1, WIDTH), "SharedVector(variance=1.0)"),
        (lambda m, h: averaged(m.inner(h + m.v)), vector(6, WIDTH), "PositionEmbedding(1.0)"),
        (
            lambda m, h: averaged(m.inner(h + m.v.repeat_interleave(3, dim=0))),
            vector(2, WIDTH),
            "Marks(6 positions)",
        ),
        (
            lambda m, h: averaged(m.inner(h + m.v * torch.arange(1.0, 7)[:, None] / 6)),
            vector(1, WIDTH),
            "Computed((), 'add')",
        ),
    ],
    ids=["one", "each", "two", "multiples"],
)
def test_vectors_that_are_added_are_drawn_in_every_model(function: Any, parts: dict[str, Make], text: str) -> None:
    make = lambda: Model(function, parts, 8)  # noqa: E731 - it makes models
    assert text in repr(igb.from_torch(make, TOKENS.numpy()))
    assert far(make, TOKENS) < FAR


@pytest.mark.parametrize("width", [20, 48])
def test_the_shape_of_a_vector_tells_that_all_positions_share_it(width: int) -> None:
    """Their products scatter by 1/sqrt(width), so that a test of independence would depend on the width."""
    found = [
        igb.from_torch(
            lambda: Model(lambda m, h: averaged(h + m.v), vector(1, 1, width), 8, width), TOKENS.numpy(), seed=seed
        )
        for seed in (0, 1)
    ]
    assert repr(found[0]) == repr(found[1])
    assert "SharedVector(variance=1.0)" in repr(found[0])


def test_the_variance_of_a_vector_that_no_initialiser_tells_has_an_error() -> None:
    parts = vector(1, 1, 24, of=lambda *shape: 0.77 * torch.randn(*shape))
    with pytest.warns(igb.EstimateWarning, match=r"variance of add is 0\.587 ± 0\.062"):
        igb.from_torch(lambda: Model(lambda m, h: averaged(h + m.v), parts, 8, 24), TOKENS.numpy())


def test_numbers_of_each_model_are_not_those_of_one() -> None:
    """A factor that each model draws multiplies second moments by its mean square, not by that of one model."""
    parts = {"v": lambda: nn.Parameter(3 * torch.randn(1))}
    found = igb.from_torch(lambda: Model(lambda m, h: h + m.v * m.inner(h), parts), X.numpy())
    assert "Computed" in repr(found)


class Grouped(torch.nn.Module):  # type: ignore[misc, name-defined] # PyTorch is an extra
    """A convolution, ReLUs and convolutions in groups, and the average over all positions."""

    def __init__(self, kind: Any, channels: int, *sizes: tuple[int, int]) -> None:
        super().__init__()
        layers, width = [kind(channels, 120, 3, padding=1)], 120
        for reads, makes in sizes:
            behind = width // reads * makes
            layers += [nn.ReLU(), kind(width, behind, 3, padding=1, groups=width // reads)]
            width = behind
        for layer in layers[::2]:
            nn.init.kaiming_normal_(layer.weight)
            nn.init.normal_(layer.bias, std=0.1)
        self.layers, self.last = nn.Sequential(*layers, nn.ReLU()), nn.Linear(width, OUTPUTS)

    def forward(self, x: Any) -> Any:
        return self.last(self.layers(x).flatten(2).mean(2))


@pytest.mark.usefixtures("few_draws")
@pytest.mark.parametrize(
    ("kind", "data", "sizes", "text"),
    [
        (nn.Conv2d, IMAGES, [(2, 2)] * 2, "GroupedConv2d(3"),
        (nn.Conv1d, SEQUENCES, [(1, 1)] * 2, "GroupedConv1d(3"),
        (nn.Conv1d, SEQUENCES, [(1, 2)] * 2, "GroupedConv1d(3"),
    ],
    ids=["two", "one", "one becomes two"],
)
def test_groups_of_few_channels_stay_as_small_in_infinite_width(kind: Any, data: Any, sizes: Any, text: str) -> None:
    make = lambda: Grouped(kind, data.shape[1], *sizes)  # noqa: E731 - it makes models
    network = igb.from_torch(make, data.numpy())
    gamma, error = in_a_loop(make, data)
    found = network.predict(data.numpy())
    assert text in repr(network)
    assert abs(float(found.gamma) - gamma) < FAR * error
    whole = igb.from_torch(lambda: Grouped(kind, data.shape[1], *[(120, 120)] * len(sizes)), data.numpy())
    assert float(whole.predict(data.numpy()).gamma) > gamma + 2 * FAR * error
    # at its own widths it has the same groups
    drawn = network.predict(data.numpy(), width=network.widths, networks=60)
    assert abs(drawn.gamma - gamma) < FAR * np.hypot(error, drawn.gamma_error)


def attending(weights: Callable[[Any, Any], Any]) -> Make:
    """Return a function that makes models of four heads of attention, whose weights a function makes of the scores."""

    def attended(m: Any, h: Any) -> Any:
        data, tokens, units = h.shape
        q, k, v = m.three(h).view(data, tokens, 3, 4, units // 4).permute(2, 0, 3, 1, 4)
        heads = weights(m, q @ k.transpose(-1, -2) / 4) @ v
        return m.inner(heads.transpose(1, 2).reshape(data, tokens, units))[:, 1].relu()

    def three() -> Any:
        layer = nn.Linear(64, 192)
        nn.init.normal_(layer.weight, std=0.2)  # scores that tell tokens apart
        return layer

    parts = {"three": three, "bias": lambda: nn.Parameter(torch.randn(4, 6, 6))}
    return lambda: Model(attended, parts, 8, 64)


BEFORE = torch.ones(6, 6).tril().bool()
DISTANCE = (torch.arange(6)[:, None] - torch.arange(6)).abs()
OF_HEADS = torch.stack([BEFORE, BEFORE, torch.eye(6).bool(), BEFORE.T | BEFORE])


@pytest.mark.parametrize(
    ("weights", "known"),
    [
        (lambda _, s: (2 * s.masked_fill(~BEFORE, -1e9)).softmax(-1), True),
        (lambda m, s: (s + m.bias).softmax(-1), True),
        (lambda _, s: s.softmax(-1).masked_fill(~BEFORE, 0), False),
        (lambda _, s: s.masked_fill(~BEFORE, 0).softmax(-1), False),
        (lambda _, s: 3 * s.softmax(-1), False),
        (lambda _, s: (s - 2 * DISTANCE).softmax(-1), False),
        (lambda _, s: s.masked_fill(~OF_HEADS, -1e9).softmax(-1), False),
        (lambda _, s: s.softmax(-2), False),
        (lambda _, s: (2 / (1 + s.exp())).softmax(-1), False),
    ],
    ids=["causal", "drawn biases", "cut", "filled", "scaled", "distances", "heads", "other axis", "quotient"],
)
def test_steps_between_scores_and_values_are_attention_or_drawn(weights: Any, *, known: bool) -> None:
    """Drawn steps and attention agree with the loop; that other attention does not is told by the cases beside."""
    make = attending(weights)
    network = igb.from_torch(make, TOKENS[:12].numpy())
    assert ("Attention(" in repr(network)) == known
    drawn = network.predict(TOKENS[:12].numpy(), width=network.widths, networks=150)
    gamma, error = in_a_loop(make, TOKENS[:12], 100)
    assert abs(drawn.gamma - gamma) < FAR * np.hypot(error, drawn.gamma_error)


def drawn_weight() -> Any:
    norm = nn.LayerNorm(WIDTH)
    nn.init.constant_(norm.weight, float(torch.randn(1)))
    return norm


@pytest.mark.parametrize(
    ("function", "parts"),
    [
        (lambda m, h: (y := m.inner(h)) * torch.sigmoid(m.v * y), {"v": lambda: nn.Parameter(torch.randn(1))}),
        (lambda m, h: m.v(m.inner(h)), {"v": lambda: nn.PReLU(init=float(torch.randn(1)))}),
        (lambda m, h: h + m.v(m.inner(h)), {"v": drawn_weight}),
    ],
    ids=["swish", "PReLU", "norm"],
)
def test_functions_with_numbers_of_each_model_are_drawn(function: Any, parts: dict[str, Make]) -> None:
    assert "Computed" in repr(igb.from_torch(lambda: Model(function, parts), X.numpy()))


def test_a_vector_that_is_added_twice_is_the_same_one() -> None:
    """Units behind weights of their own are uncorrelated with it; others are drawn with it, or refused."""
    parts = {**vector(WIDTH), "other": lambda: nn.Linear(WIDTH, WIDTH)}
    apart = lambda: Model(lambda m, h: averaged(torch.tanh(h + m.v) + m.inner(h + m.v)), parts, 8)  # noqa: E731
    assert repr(igb.from_torch(apart, TOKENS.numpy())).count("SharedVector(variance=1.0)") == 2
    assert far(apart, TOKENS) < FAR
    joined = lambda: Model(lambda m, h: averaged(torch.tanh(m.inner(h) + m.v) - (m.other(h) + m.v)), parts, 8)  # noqa: E731
    network = igb.from_torch(joined, TOKENS.numpy())
    drawn = network.predict(TOKENS.numpy(), width=network.widths, networks=150)
    gamma, error = in_a_loop(joined, TOKENS)
    assert abs(drawn.gamma - gamma) < FAR * np.hypot(error, drawn.gamma_error)
    again = lambda: Model(lambda m, h: averaged(m.inner(torch.sin(h + m.v) + m.v)), parts, 8)  # noqa: E731
    with pytest.raises(ValueError, match="adds a vector again to units that hold it"):
        igb.from_torch(again, TOKENS.numpy())


class TwoTokens(torch.nn.Module):  # type: ignore[misc, name-defined] # PyTorch is an extra
    """Two class tokens of unlike size in front of the others; the outputs read the first."""

    def __init__(self) -> None:
        super().__init__()
        self.embed, self.head = nn.Linear(6, 16), nn.Linear(16, 3)
        self.tokens = nn.Parameter(torch.cat([torch.randn(1, 1, 16), 0.1 * torch.randn(1, 1, 16)], 1))
        self.block = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)

    def forward(self, x: Any) -> Any:
        h = self.block(torch.cat([self.tokens.expand(len(x), -1, -1), self.embed(x)], 1))
        return self.head(h[:, 0])


def test_the_first_of_several_class_tokens_stands_in_front() -> None:
    data = np.random.default_rng(0).standard_normal((6, 5, 6)).astype(np.float32)
    layers: Any = igb.from_torch(TwoTokens, data).layers
    variances = [layer.variance for layer in layers if type(layer).__name__ == "ClassToken"]
    assert variances == pytest.approx([0.01, 1.0], rel=0.3)
