"""Models as tutorials and libraries write them, predicted at their own widths, beside a plain loop over new models."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import igbtheory as igb

torch = pytest.importorskip("torch")

nn = torch.nn
torch.set_num_threads(1)  # the models are small, and several processes run tests

Array = Any
Make = Callable[[], Any]
NETWORKS = 60
SIGMA = 5.0
"""Standard errors that chance exceeds less than once in a million tests."""
X = np.random.default_rng(4).standard_normal((20, 16)) + 0.3
PAIRS = np.random.default_rng(5).integers(0, 8, (20, 2))
GRAPHS = np.random.default_rng(6).standard_normal((20, 5, 4)) + 0.3
EDGES = torch.tensor(np.eye(5, k=1) + np.eye(5, k=-1)).float()


def guesses(make: Callable[[], Any], data: Array) -> tuple[float, float]:
    """Return E (G0 - 1/2)^2 between neighbouring classes over new models in a plain loop, and its standard error."""
    data = torch.as_tensor(data)
    data = data.float() if data.is_floating_point() else data
    of_networks = []
    for seed in range(NETWORKS):
        torch.manual_seed(seed)
        with torch.no_grad():
            outputs = make()(data)
        shares = (outputs > outputs.roll(1, dims=1)).double().mean(dim=0)
        of_networks.append(float(((shares - 0.5) ** 2).mean()))
    return float(np.mean(of_networks)), float(np.std(of_networks, ddof=1) / NETWORKS**0.5)


class Spectrum(nn.Module):  # type: ignore[misc, name-defined] # PyTorch is an extra
    """A classifier of the logarithm of the spectrogram of a signal."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("window", torch.hann_window(8))
        self.hidden, self.out = nn.Linear(5 * 9, 16), nn.Linear(16, 30)

    def forward(self, x: Any) -> Any:
        spectrum = torch.stft(x, 8, 2, window=self.window, return_complex=True).abs()
        return self.out(torch.relu(self.hidden(torch.log1p(spectrum).flatten(1))))


class Mixing(nn.Module):  # type: ignore[misc, name-defined] # PyTorch is an extra
    """A block of FNet, which mixes tokens and units by a Fourier transform."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.norm, self.out = nn.Linear(4, 16), nn.LayerNorm(16), nn.Linear(16, 30)

    def forward(self, x: Any) -> Any:
        x = self.embedding(x.reshape(len(x), 4, 4))
        x = self.norm(x + torch.fft.fft(torch.fft.fft(x, dim=-1), dim=-2).real)
        return self.out(torch.relu(x).mean(dim=1))


class Filtered(nn.Module):  # type: ignore[misc, name-defined] # PyTorch is an extra
    """A filter of GFNet: a product with drawn numbers in the frequency domain."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.out = nn.Linear(4, 16), nn.Linear(16, 30)
        self.weight = nn.Parameter(torch.randn(3, 16, 2) * 0.5)

    def forward(self, x: Any) -> Any:
        x = torch.fft.rfft(self.embedding(x.reshape(len(x), 4, 4)), dim=1, norm="ortho")
        x = torch.fft.irfft(x * torch.view_as_complex(self.weight), n=4, dim=1, norm="ortho")
        return self.out(torch.relu(x).mean(dim=1))


class NeuMF(nn.Module):  # type: ignore[misc, name-defined] # PyTorch is an extra
    """Neural matrix factorisation: a user's and an item's id, each embedded twice."""

    def __init__(self) -> None:
        super().__init__()
        self.users, self.items = nn.Embedding(8, 12), nn.Embedding(8, 12)
        self.other_users, self.other_items = nn.Embedding(8, 12), nn.Embedding(8, 12)
        self.hidden, self.out = nn.Linear(24, 12), nn.Linear(24, 30)

    def forward(self, x: Any) -> Any:
        user, item = x[:, 0], x[:, 1]
        both = torch.cat([self.other_users(user), self.other_items(item)], dim=-1)
        product = self.users(user) * self.items(item)
        return self.out(torch.cat([product, torch.relu(self.hidden(both))], dim=-1))


class GIN(nn.Module):  # type: ignore[misc, name-defined] # PyTorch is an extra
    """A graph isomorphism network: each node is added to the sum of its neighbours, at first without weights."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden = nn.ModuleList([nn.Linear(4, 16), nn.Linear(16, 16)])
        self.out = nn.Linear(16, 30)

    def forward(self, x: Any) -> Any:
        for layer in self.hidden:
            x = torch.relu(layer(x + torch.matmul(EDGES, x)))
        return self.out(x.sum(dim=1))


class Nested(nn.Module):  # type: ignore[misc, name-defined] # PyTorch is an extra
    """A model with a module named self, as the attention of BERT has one."""

    def __init__(self) -> None:
        super().__init__()
        self.add_module("self", nn.Linear(16, 16))
        self.out = nn.Linear(16, 30)

    def forward(self, x: Any) -> Any:
        return self.out(torch.relu(getattr(self, "self")(x)))  # noqa: B009 - self.self would read as a mistake


@pytest.mark.filterwarnings("ignore::igbtheory.EstimateWarning")
@pytest.mark.parametrize(
    ("make", "data"),
    [(Spectrum, X), (Mixing, X), (Filtered, X), (NeuMF, PAIRS), (GIN, GRAPHS), (Nested, X)],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_foreign_models_guess_as_theory_says_at_their_widths(make: Any, data: Array) -> None:
    network = igb.from_torch(make, data)
    predicted = network.predict(data, width=network.widths, networks=400)
    value, error = guesses(make, data)
    assert abs(predicted.var_g0 - value) < SIGMA * np.hypot(error, predicted.var_g0_error)


def test_pairs_of_ids_have_the_kernel_of_embeddings_that_are_multiplied_and_put_side_by_side() -> None:
    users, items = (np.equal.outer(ids, ids).astype(float) for ids in PAIRS.T)
    q = 1 / 3 + 1 / 72  # PyTorch's default: sigma_w2 = 1/3, and sigma_b2 = 1/(3 x 24) of 24 units
    angle = np.arccos(np.minimum(((users + items) / 6 + 1 / 72) / q, 1.0))
    hidden = q * (np.sin(angle) + (np.pi - angle) * np.cos(angle)) / (2 * np.pi)
    expected = (users * items + hidden) / 2 / 3 + 1 / 72
    np.testing.assert_allclose(igb.from_torch(NeuMF, PAIRS).predict(PAIRS).kernel(), expected, rtol=1e-12)


def test_a_module_named_self_is_called_so() -> None:
    explanation = igb.explain(Nested, X, networks=2)
    assert explanation.names == ("data", "self", "relu", "out")
    assert not explanation.unread


def test_complex_weights_are_refused_in_words() -> None:
    class Complex(nn.Module):  # type: ignore[misc, name-defined] # PyTorch is an extra
        def __init__(self) -> None:
            super().__init__()
            self.hidden = nn.Linear(16, 8, dtype=torch.cfloat)

        def forward(self, x: Any) -> Any:
            return self.hidden(x.to(torch.cfloat)).abs()

    with pytest.raises(ValueError, match=r"cannot read 'hidden' \(Linear\): has complex weights"):
        igb.from_torch(Complex, X)


def test_embeddings_beside_data_are_refused_in_words() -> None:
    ways = igb.Concat((igb.Embedding(), igb.FirstToken()), (igb.FirstToken(), igb.Dense()))
    with pytest.raises(ValueError, match="expected ways that all begin with an Embedding, or none"):
        igb.Network(ways, igb.Dense()).predict(PAIRS)
    ways = igb.Concat((igb.Embedding(), igb.FirstToken()), (igb.Embedding(padding=3), igb.FirstToken()))
    with pytest.raises(ValueError, match="give them one padding"):
        igb.Network(ways, igb.Dense()).predict(PAIRS)


def with_biases(biases: Array, *, zero: bool = False, last: Make = nn.Identity) -> Make:
    """Function that makes networks of two layers, whose last layer has these biases at first, or is 0 but for them."""

    def make() -> Any:
        out = nn.Linear(16, len(biases))
        out.bias.data = torch.tensor(biases).float()
        out.weight.data *= 1 - zero
        return nn.Sequential(nn.Linear(16, 16), nn.ReLU(), out, last())

    return make


def test_a_bias_that_all_classes_have_changes_no_guess() -> None:
    network = igb.from_torch(with_biases([-4.6] * 30), X)
    assert network.layers[2:] == igb.from_torch(with_biases([0] * 30), X).layers[2:]
    predicted = network.predict(X, width=16, networks=400)
    value, error = guesses(with_biases([-4.6] * 30), X)
    assert abs(predicted.var_g0 - value) < SIGMA * np.hypot(error, predicted.var_g0_error)
    explanation = igb.explain(with_biases([-4.6] * 30), X, networks=2)
    assert all(line.is_predicted for line in explanation.what_if)
    assert {line.change for line in explanation.what_if} >= {"gelu for relu", "no biases in '2'"}


def test_a_bias_that_labels_or_a_single_output_have_is_told() -> None:
    told = "got the bias -4.6 of '2' in every model; set it to 0"
    with pytest.raises(ValueError, match=told):
        igb.from_torch(with_biases([-4.6]), X)
    explanation = igb.explain(with_biases([-4.6, -4.6]), X, networks=2, multi_label=True)
    assert told in explanation.refused


def test_biases_that_differ_between_classes_in_every_model_are_told_and_what_helps() -> None:
    biases = np.linspace(-0.8, 0.8, 5).tolist()
    with pytest.raises(
        ValueError, match=r"'2' \(Linear\): has the same biases in every model: the theory needs biases"
    ):
        igb.from_torch(with_biases(biases), X)
    explanation = igb.explain(with_biases(biases), X, networks=4)
    assert [line.change for line in explanation.what_if] == ["no biases in '2'"]
    assert explanation.changes.remedy is explanation.what_if[0]
    expected = igb.from_torch(with_biases([0] * 5), X).predict(X).gamma
    assert explanation.what_if[0].predicted == pytest.approx(expected, rel=1e-9)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("biases", [[0, 0, 0], [-4.6, -4.6, -4.6]])
def test_a_head_of_zeros_favours_no_class(biases: Array) -> None:
    explanation = igb.explain(with_biases(biases, zero=True), X, networks=2)
    said = " ".join(explanation.sentences())
    assert "No class is favoured: the outputs tie exactly at all data in all networks" in said
    assert "One class gets" not in said
    assert not {"2"} & {cause.name for cause in explanation.causes.causes}
    assert np.isnan(explanation.majority)
    assert explanation.in_a_line(0.5).startswith("the outputs tie exactly")
    assert "100.0 %" not in f"{explanation!r}{explanation}"


def test_the_share_of_ties_is_stated_by_whoever_counts_guesses() -> None:
    make = with_biases([0] * 3, last=nn.ReLU)
    with pytest.warns(UserWarning, match="tie exactly"):
        measured = igb.measure(make, 30 * X, networks=6)
    assert 0.02 < np.mean(measured.tied) < 0.3  # three outputs of random signs are negative at an eighth of the data
    told = f"{100 * np.mean(measured.tied):.3g}% of the data tie exactly (the first of these classes gets them)"
    assert told in str(measured)
    explanation = igb.explain(make, 30 * X, networks=6)
    assert told in str(explanation)
    assert told in explanation.in_a_line(1)
    assert "measured alone, as theory has no prediction ('3' (Activation)" in explanation.in_a_line(1)


class Decoder(nn.Module):  # type: ignore[misc, name-defined] # PyTorch is an extra
    """A language model of PyTorch's own parts, whose tokens see those in front of them alone."""

    def __init__(self, *, part: str = "layer", mask: Any = None) -> None:
        super().__init__()
        hidden = torch.ones(4, 4, dtype=torch.bool).triu(1) if mask is None else mask
        self.register_buffer("hidden", hidden)
        self.embedding, self.out = nn.Linear(4, 16), nn.Linear(16, 30)
        self.layer = nn.TransformerEncoderLayer(16, 2, 16, 0.0, batch_first=True, norm_first=True)
        self.part = part

    def forward(self, x: Any) -> Any:
        x = 3 * self.embedding(x.reshape(len(x), 4, 4))
        if self.part == "layer":
            x = self.layer(x, src_mask=self.hidden, is_causal=True)
        else:
            x = self.layer.self_attn(x, x, x, attn_mask=self.hidden, need_weights=False)[0]
        return self.out(x[:, 0])


@pytest.mark.filterwarnings("ignore::igbtheory.EstimateWarning")
@pytest.mark.parametrize("part", ["layer", "self_attn"])
def test_tokens_that_are_hidden_are_not_attended_to(part: str) -> None:
    network = igb.from_torch(lambda: Decoder(part=part), X)
    assert "causal=True" in repr(network)
    predicted = network.predict(X, width=network.widths, networks=400)
    value, error = guesses(lambda: Decoder(part=part), X)
    assert abs(predicted.var_g0 - value) < SIGMA * np.hypot(error, predicted.var_g0_error)


@pytest.mark.parametrize("hidden", [torch.eye(4).bool(), torch.linspace(0, 1, 16).reshape(4, 4)])
def test_masks_that_the_theory_lacks_are_refused(hidden: Any) -> None:
    with pytest.raises(ValueError, match="the theory's attention has a causal mask or none"):
        igb.from_torch(lambda: Decoder(mask=hidden, part="self_attn"), X)


def test_queries_of_their_own_are_told_as_such() -> None:
    class Perceiver(Decoder):
        def forward(self, x: Any) -> Any:
            x, latents = self.embedding(x.reshape(len(x), 4, 4)), self.out.weight[:3, :].expand(len(x), -1, -1)
            return self.out(self.layer.self_attn(latents, x, x)[0].mean(dim=1))

    with pytest.raises(ValueError, match="queries, keys and values are made of the same tokens"):
        igb.from_torch(Perceiver, X)


def test_an_assertion_without_words_is_told_by_its_line() -> None:
    class Windows(nn.Linear):  # type: ignore[misc, name-defined] # PyTorch is an extra
        def forward(self, x: Any) -> Any:
            torch._assert(x.shape[1] % 3 == 0, "")  # noqa: SLF001 - as libraries write it
            return super().forward(x)

    with pytest.raises(AssertionError) as raised:
        igb.from_torch(lambda: nn.Sequential(Windows(16, 3)), X)
    (note,) = raised.value.__notes__
    assert "(test_foreign_models.py, line" in note
    assert "x.shape[1] % 3 == 0" in note
    assert "which may be data of another size than it takes" in note
