"""Images and sequences: kernels of pairs of positions, beside plain sums over them."""

# what is wrong is passed on purpose, and which of several types a result has is known here
# mypy: disable-error-code="assignment, operator, union-attr"

import re
from itertools import product
from typing import Any

import numpy as np
import pytest
from conftest import average_fewer
from repeated import slow

import igbtheory as igb

X = np.random.default_rng(0).standard_normal((3, 2, 4, 4)) + 0.3
RELU, OUT = igb.Activation("relu"), igb.Dense(2.0)
Kernel = dict[tuple[int, int, tuple[int, int], tuple[int, int]], float]
"""Second moments at data a, b and positions p, q."""


def points(length: int) -> list[tuple[int, int]]:
    return [(y, x) for y in range(length) for x in range(length)]


def pairs(length: int) -> list[tuple[int, int, tuple[int, int], tuple[int, int]]]:
    return list(product(range(len(X)), range(len(X)), points(length), points(length)))


def behind(layer: igb.Layer, kernel: Kernel, length: int) -> tuple[Kernel, int]:
    """Kernel behind a layer by loops over all pairs, and the new side of the images."""
    if isinstance(layer, igb.AvgPool2d):
        k, stride, side = layer.k, layer.stride or layer.k, layer.positions((length, length))[0]
        inner = [(y - layer.padding, x - layer.padding) for y, x in points(k)]
        window = list(product(inner, inner))
        found = {
            (a, b, p, q): sum(kernel.get((a, b, moved(p, stride, i), moved(q, stride, j)), 0) for i, j in window) / k**4
            for a, b, p, q in pairs(side)
        }
        return found, side
    if isinstance(layer, igb.Conv2d):
        return convolved(layer, kernel, length), layer.positions((length, length))[0]
    return {key: of_relu(kernel, *key) for key in kernel}, length


def moved(p: tuple[int, int], stride: int, by: tuple[int, int]) -> tuple[int, int]:
    return stride * p[0] + by[0], stride * p[1] + by[1]


def convolved(layer: igb.Conv2d, kernel: Kernel, length: int) -> Kernel:
    found = {}
    shift = layer.padding if isinstance(layer.padding, int) else (layer.size - 1) // 2
    for a, b, p, q in pairs(layer.positions((length, length))[0]):
        total = 0.0
        for i, j in points(layer.size):
            first, second = (moved(x, layer.stride, (i - shift, j - shift)) for x in (p, q))
            if layer.padding == "circular":
                first, second = ((y % length, x % length) for y, x in (first, second))
            total += kernel.get((a, b, first, second), 0.0)
        found[a, b, p, q] = layer.sigma_w2 * total / layer.size**2 + layer.sigma_b2
    return found


def of_relu(kernel: Kernel, a: int, b: int, p: tuple[int, int], q: tuple[int, int]) -> float:
    scale = np.sqrt(kernel[a, a, p, p] * kernel[b, b, q, q])
    angle = np.arccos(np.clip(kernel[a, b, p, q] / scale, -1, 1))
    return float(scale * (np.sin(angle) + (np.pi - angle) * np.cos(angle)) / (2 * np.pi))


CONV = {
    (k, s, padding): igb.Conv2d(k, s, padding, 1.5, 0.1)
    for k, s, padding in product((2, 3), (1, 2), ("zeros", "circular"))
}
CHAINS: list[list[igb.Layer]] = [
    [CONV[3, 1, "circular"], RELU, CONV[3, 1, "zeros"], RELU],
    [CONV[2, 1, "zeros"], RELU, CONV[3, 2, "zeros"]],
    [CONV[3, 1, "zeros"], RELU, igb.AvgPool2d(2), CONV[2, 1, "circular"], RELU],
    [CONV[3, 2, "circular"], igb.AvgPool2d(2), RELU],
    [igb.Conv2d(2, 1, 2, sigma_b2=0.1), RELU, igb.AvgPool2d(3, 2, 1), igb.Conv2d(3, 2, 0, sigma_b2=0.1)],
    [igb.Conv2d(3, 2, 1), RELU, igb.Conv2d(1, 1, 1, sigma_b2=0.1), igb.AvgPool2d(2, 1)],
]


@pytest.mark.parametrize(("chain", "block"), [(CHAINS[0], 1), *((chain, 2**20) for chain in CHAINS[1:])], ids=repr)
def test_kernels_are_sums_over_pairs_of_positions(
    chain: list[igb.Layer], block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("igbtheory.theory.kernels.BLOCK", block)  # also with one pair of data in a block
    kernel, length = {(a, b, p, q): float(X[a, :, *p] @ X[b, :, *q]) / 2 for a, b, p, q in pairs(4)}, 4
    for layer in chain:
        kernel, length = behind(layer, kernel, length)
    for end in (igb.Flatten(), igb.GlobalAvgPool()):
        equal = isinstance(end, igb.Flatten)
        matrix = np.zeros((3, 3))
        for (a, b, p, q), value in kernel.items():
            matrix[a, b] += 2 * value / (length**2 if equal else length**4) * (p == q or not equal)
        found = igb.Network(*chain, end, OUT).predict(X)
        assert found.var_mu == pytest.approx(matrix.mean(), rel=1e-12)
        assert found.var_chi == pytest.approx(np.trace(matrix) / 3 - matrix.mean(), rel=1e-12)
        c = matrix / np.sqrt(np.outer(np.diag(matrix), np.diag(matrix)))
        assert found.G0.var() == pytest.approx(np.arcsin(np.minimum(c, 1)).mean() / (2 * np.pi), rel=1e-10)


@pytest.mark.parametrize(
    ("padding", "end", "gamma"),
    [
        ("circular", igb.Flatten(), 3.024),
        ("zeros", igb.Flatten(), 2.629),
        slow(("zeros", igb.GlobalAvgPool(), 65.3)),
    ],
    ids=repr,
)
def test_readings_of_the_prototype(padding: str, end: igb.Layer, gamma: float) -> None:
    rows = np.random.default_rng(0).choice(1797, 60, replace=False)
    digits = igb.standardised(igb.digits())[rows].reshape(60, 1, 8, 8)
    # the prototype printed four digits
    assert igb.cnn(3, padding=padding, end=end).predict(digits).gamma == pytest.approx(gamma, rel=5e-4)


def test_kernels_of_neural_tangents() -> None:
    """Kernels of stax.serial(Conv(8, (3, 3), padding=...), Relu(), ...) in double precision, neural-tangents 0.6.5.

    W_std = sqrt(2), b_std = 0.3 where there is a bias, Dense(1, W_std=sqrt(2)) behind; the norm is
    stax.LayerNorm(axis=(1, 2, 3)), whose eps is 1e-12.
    """
    images = np.sin(np.arange(96.0)).reshape(2, 3, 4, 4)
    for padding, end, row in (
        ("zeros", igb.Flatten(), (0.675831429626778, 0.30142792210521585, 0.6740048938652506)),
        ("zeros", igb.GlobalAvgPool(), (0.3680225615344461, 0.3625428714405574, 0.36712407148202925)),
        ("circular", igb.Flatten(), (1.1611251575233552, 0.4833561706238536, 1.1810937340664682)),
        ("circular", igb.GlobalAvgPool(), (0.6751336495368984, 0.6557406758672757, 0.6769709627304996)),
    ):
        found = igb.cnn(2, padding=padding, end=end).layers
        biased = igb.Conv2d(3, padding=padding, sigma_b2=0.09)
        law = igb.Network(biased, RELU, biased, *found[3:]).predict(images).dataset
        assert law is not None
        assert law.kernels()[0][[0, 0, 1], [0, 1, 1]] == pytest.approx(row, rel=1e-12)
    norm, end = igb.LayerNorm(positions_too=True), igb.Conv2d(2, padding="circular")
    law = igb.Network(CONVOLUTION, norm, RELU, igb.AvgPool2d(2), end, RELU, igb.Flatten(), OUT).predict(images).dataset
    assert law is not None
    row = (0.47576713263952525, 0.33853424811437843, 0.4724436437995478)
    assert law.kernels()[0][[0, 0, 1], [0, 1, 1]] == pytest.approx(row, rel=1e-8)


def test_reading_of_a_transformer_with_uniform_attention() -> None:
    """torch.nn.TransformerEncoderLayer(norm_first=True) with scores 0, class token, positions of 0.02 randn: 863."""
    rows = np.random.default_rng(0).choice(1797, 60, replace=False)
    digits = igb.standardised(igb.digits())[rows].reshape(60, 1, 8, 8)
    dense = igb.Dense(1 / 3)
    layers = (
        *(igb.PatchEmbedding(2, 1 / 3, 1 / 12), igb.ClassToken(), igb.PositionEmbedding(4e-4)),
        igb.Residual(igb.LayerNorm(), igb.Attention(4, 1 / 2, 1 / 2, "linear"), dense),
        igb.Residual(igb.LayerNorm(), dense, RELU, dense),
        *(igb.LayerNorm(), igb.FirstToken(), dense),
    )
    assert igb.Network(*layers).predict(digits).gamma == pytest.approx(863, abs=0.5)


IMAGES = igb.gaussian_images(4, 3, 4, 4, 1.0)
CONVOLUTION = igb.Conv2d(3)


@pytest.fixture
def few_worlds(few_draws: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer units and worlds, with an error that says so."""
    average_fewer(monkeypatch, 24)


def test_a_dense_acts_on_every_token() -> None:
    sequences = IMAGES[:, :2].reshape(4, 8, 4)
    net = igb.Network(OUT, RELU, igb.GlobalAvgPool(), OUT)
    pixels = igb.Network(igb.Conv2d(1), RELU, igb.GlobalAvgPool(), OUT)
    as_images = sequences.swapaxes(1, 2).reshape(4, 4, 2, 4)
    assert net.predict(sequences).gamma == pytest.approx(pixels.predict(as_images).gamma, rel=1e-12)
    assert net.simulate(30, 8, inputs=sequences, workers=1).compare(workers=1).agrees()


def kernel(*layers: igb.Layer) -> Any:
    """Kernel of the outputs of IMAGES."""
    law = igb.Network(*layers, OUT).predict(IMAGES).dataset
    assert law is not None
    return law.kernels().mean(axis=0)


@pytest.mark.parametrize(
    "branch",
    [
        (RELU, igb.Conv2d(3, padding=1)),
        (RELU, CONVOLUTION, igb.AvgPool2d(3, 1, 1)),
        (RELU, igb.Conv2d(3, padding=2), RELU, igb.Conv2d(3, padding=0)),
    ],
)
def test_branches_agree_in_pairs_of_positions_and_as_a_whole(branch: tuple[igb.Layer, ...]) -> None:
    """With a pool in the shortcut, here of one position, the kernel of all data at all positions is held at once."""
    end = (igb.LayerNorm(), RELU, igb.GlobalAvgPool())
    whole = igb.Residual(*branch, shortcut=igb.AvgPool2d(1))
    assert kernel(CONVOLUTION, igb.Residual(*branch), *end) == pytest.approx(
        kernel(CONVOLUTION, whole, *end), rel=1e-12
    )


def test_tokens_are_sums_of_patches_and_uniform_attention_is_their_mean() -> None:
    end = (RELU, igb.GlobalAvgPool())
    behind = kernel(igb.Conv2d(1, sigma_w2=1.5, sigma_b2=0.2), igb.PatchEmbedding(2, 2.0, 0.1), *end)
    assert behind == pytest.approx(kernel(igb.PatchEmbedding(2, 3.0, 0.5), *end), rel=1e-12)
    uniform = kernel(igb.PatchEmbedding(2), igb.Attention(3, 5.0, 1.5, "linear"), OUT, *end)
    means = kernel(igb.PatchEmbedding(2), igb.GlobalAvgPool(), igb.Dense(1.5), OUT, RELU)
    assert uniform == pytest.approx(means, rel=1e-12)


@pytest.mark.usefixtures("few_worlds")
def test_finite_attention_acts_on_every_datum_alone() -> None:
    """Also with as many data as heads, where axes that are exchanged have the same length."""
    x = np.random.default_rng(0).standard_normal((2, 6, 4))
    layer = igb.Attention(2)
    every, last = (layer.samples(part, np.random.default_rng(1), 8) for part in (x, x[1:]))
    np.testing.assert_allclose(every[1:], last, rtol=1e-12)


def test_scores_over_the_number_of_units_vanish_in_a_wide_head() -> None:
    x = np.random.default_rng(0).standard_normal((1, 2_000, 3))
    x /= np.sqrt(np.square(x).mean(axis=1, keepdims=True))
    found = igb.Attention(1, scaling="linear").samples(x, np.random.default_rng(1), 2_000)
    # scores have the deviation 1/sqrt(2000), and so have the differences between tokens
    assert np.ptp(found, axis=2).std() < 0.1 * found.std()


def test_worlds() -> None:
    """Attention to tokens without scores is uniform; the laws of G0 and of classes draw worlds as the variance does."""
    patches = igb.PatchEmbedding(2)
    with pytest.warns(igb.EstimateWarning, match=r"Attention\(2, sigma_qk2=1e-06, sigma_v2=1.0\) has no exact rule"):
        small = kernel(patches, igb.Attention(2, 1e-6), igb.FirstToken())
    uniform = kernel(patches, igb.Attention(2, scaling="linear"), igb.FirstToken())
    assert small == pytest.approx(uniform, rel=1e-5)
    with pytest.warns(igb.EstimateWarning, match=r"TokenMixing\(sigma_w2=3.0\) has no exact rule"):
        mixed = igb.Network(patches, igb.TokenMixing(sigma_w2=3.0), RELU, igb.Flatten(), OUT).predict(IMAGES)
    plain = igb.Network(igb.PatchEmbedding(2, 3.0), igb.Flatten(), OUT).predict(IMAGES)
    q = plain.var_mu + plain.var_chi  # the mean over M of M q_ab M^T leaves equal tokens, relu half of them
    assert mixed.var_mu + mixed.var_chi == pytest.approx(q / 2, rel=mixed.error * (1 + mixed.gamma))
    assert mixed.G0.rvs(8000, random_state=1).var() == pytest.approx(mixed.G0.var(), rel=0.1)
    shares = mixed.guesses(2).rvs(8000, random_state=1)
    assert shares[:, 0].var() == pytest.approx(mixed.G0.var(), rel=0.1)


class Tanh(igb.Layer):
    """A layer without a rule, which is estimated from draws."""

    def samples(self, x: Any, rng: np.random.Generator, width: int) -> Any:
        return np.tanh(x)


@pytest.mark.filterwarnings("ignore::igbtheory.EstimateWarning")
def test_draws_in_front_of_few_weights_differ_between_worlds() -> None:
    """Scores of attention vanish, so that worlds with the same draws would agree, and tell an error of zero."""
    layers = [igb.Dense(), Tanh(), igb.Dense(), igb.Attention(1, 1e-9), igb.Flatten(), OUT]
    known = [igb.Activation("tanh") if isinstance(layer, Tanh) else layer for layer in layers]
    drawn, exact = (igb.Network(*row).predict(X[:, 0], layers="last") for row in (layers, known))
    assert np.all(np.ptp(drawn.dataset.kernel(), axis=0) > 0)
    assert 1e-7 < abs(drawn.var_mu - exact.var_mu) < drawn.error * (drawn.var_mu + drawn.var_chi)


@pytest.mark.parametrize("groups", [1, 2])
def test_a_finite_convolution_is_that_by_hand(groups: int) -> None:
    """A group reads its own part of the channels, here of two, and its weights have the variance 1.5/9 over those."""
    layer, rng = igb.Conv2d(3, 2, sigma_w2=1.5, sigma_b2=0.1, groups=groups), np.random.default_rng(3)
    found = layer.samples(X, np.random.default_rng(3), 6)
    shape = (groups, 2 // groups, 6 // groups)
    weights = np.stack([rng.standard_normal(shape) for _ in range(9)]).reshape(3, 3, *shape)
    weights *= np.sqrt(1.5 / (9 * (2 // groups)))
    biases, padded = rng.standard_normal(6) * np.sqrt(0.1), np.pad(X, [(0, 0), (0, 0), (1, 1), (1, 1)])
    for y, x in points(2):
        window = padded[:, :, 2 * y : 2 * y + 3, 2 * x : 2 * x + 3].reshape(3, groups, 2 // groups, 3, 3)
        by_hand = np.einsum("ngcij,ijgcu->ngu", window, weights).reshape(3, 6) + biases
        assert found[:, :, y, x] == pytest.approx(by_hand)


def test_a_finite_average_pool_is_the_mean_of_windows() -> None:
    x = np.arange(32.0).reshape(1, 2, 4, 4)
    blocks = x.reshape(1, 2, 2, 2, 2, 2).mean(axis=(3, 5))
    assert igb.AvgPool2d(2).samples(x, np.random.default_rng(0), 2) == pytest.approx(blocks)


def test_a_position_has_one_vector_for_all_data() -> None:
    x = np.random.default_rng(0).standard_normal((3, 5, 4))
    added = igb.PositionEmbedding(0.3).samples(x, np.random.default_rng(1), 5) - x
    assert np.ptp(added, axis=0).max() < 1e-14
    assert np.unique(added[0].round(9)).size == added[0].size


PADDED = tuple((4 * y + x if 0 <= x < 4 > y >= 0 else -1,) for y in range(-1, 5) for x in range(-1, 5))
ROLLED = tuple((4 * ((y + 1) % 4) + (x - 1) % 4,) for y, x in points(4))
WINDOWS = tuple(tuple(4 * (y + i) + x + j for i, j in points(2)) for y in (0, 2) for x in (0, 2))
UNIFORM = igb.Attention(2, scaling="linear", groups=WINDOWS)
CIRCULAR, POOL, FLAT = igb.Conv2d(3, padding="circular"), igb.GlobalAvgPool(), igb.Flatten()


@pytest.mark.parametrize(
    ("layers", "others"),
    [
        ((igb.Gathered(PADDED, (6, 6)), igb.Conv2d(3, padding=0), FLAT), (CONVOLUTION, FLAT)),
        ((igb.Gathered(ROLLED, (4, 4)), CIRCULAR, RELU, POOL), (CIRCULAR, RELU, POOL)),
        ((igb.Gathered(WINDOWS, (2, 2)), igb.Conv2d(1), FLAT), (igb.Conv2d(2, 2, 0), FLAT)),
        (  # positions of zeros have no mean behind units that have one
            (RELU, igb.Gathered(PADDED, (6, 6)), igb.LayerNorm(), igb.Conv2d(3, padding=0), FLAT),
            (RELU, igb.LayerNorm(), CONVOLUTION, FLAT),
        ),
        ((UNIFORM, FLAT), (igb.AvgPool2d(2), FLAT)),
        ((igb.Tokens(), igb.Gathered(((0,),), ())), (igb.Tokens(), igb.FirstToken())),
        ((POOL, igb.Spread((4, 4)), CIRCULAR, RELU, FLAT), (POOL, igb.Dense(), RELU)),
        ((igb.Concat(CONVOLUTION, CONVOLUTION), RELU, POOL), (CONVOLUTION, RELU, POOL)),
        ((igb.Concat((), igb.Concat((), (), shares=(1, 2))), RELU, POOL), (RELU, POOL)),
    ],
)
def test_layers_are_others_in_other_words(layers: tuple[igb.Layer, ...], others: tuple[igb.Layer, ...]) -> None:
    assert kernel(CONVOLUTION, *layers) == pytest.approx(kernel(CONVOLUTION, *others), rel=1e-12)


@pytest.mark.parametrize("padding", [None, 1])
def test_an_embedding_tells_which_tokens_are_equal(padding: int | None) -> None:
    ids = np.array([[1, 2, 1], [1, 3, 3], [0, 2, 2]])
    net = igb.Network(igb.Embedding(0.5, padding), igb.GlobalAvgPool(), igb.Dense(1.0))
    equal = (ids[:, None, :, None] == ids[None, :, None, :]) & (ids != padding)[:, None, :, None]
    q_ab = 0.5 * equal.mean(axis=(2, 3))
    found = net.predict(ids)
    assert found.dataset is not None
    assert found.dataset.kernels()[0] == pytest.approx(q_ab)
    units = igb.Embedding(0.5, padding).samples(ids[:, None].astype(float), np.random.default_rng(0), 10_000)
    assert units[0].T @ units[1] / 10_000 == pytest.approx(0.5 * equal[0, 1], abs=0.03)  # 4 standard errors
    assert units.shape == (3, 10_000, 3)


@pytest.mark.filterwarnings("ignore::igbtheory.EstimateWarning")
def test_biases_of_attention_are_those_of_its_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    average_fewer(monkeypatch, 8)
    layer = igb.Attention(64, 1.5, 0.7, sigma_qkb2=0.8, sigma_vb2=0.3, sigma_s2=0.6, dropout=0.6, seed=1)
    x = np.random.default_rng(0).standard_normal((2, 3, 3))
    net = igb.Network(igb.Dense(1.0), layer, igb.GlobalAvgPool(), igb.Dense(1.0)).predict(x)
    units = np.sqrt(1 / 3) * np.random.default_rng(3).standard_normal((1024, 3)) @ x.swapaxes(1, 2)
    behind = [layer.samples(units, np.random.default_rng(seed), 1024).mean(axis=2) for seed in range(8)]
    q_ab = np.mean([units @ units.T / 1024 for units in behind], axis=0)
    assert net.var_mu == pytest.approx(q_ab.mean(), rel=0.1)  # the heads of either are some 64 draws
    assert net.var_mu + net.var_chi == pytest.approx(np.trace(q_ab) / 2, rel=0.1)  # 26 % less without dropout
    without = igb.Network(igb.Dense(1.0), igb.Attention(64, 1.5, 0.7, seed=1), igb.GlobalAvgPool(), igb.Dense(1.0))
    assert abs(without.predict(x).var_mu - q_ab.mean()) > 0.2


@pytest.mark.filterwarnings("ignore::igbtheory.EstimateWarning")
def test_branches_that_data_skip_at_random() -> None:
    """Means over the draws of which data skip: q_aa/(1 - p) and q_ab."""
    layer, x = igb.StochasticDepth(0.4), np.random.default_rng(0).standard_normal((4, 30))
    drawn = np.array([layer.samples(x, np.random.default_rng(i), 30) for i in range(400)])
    products = np.einsum("sau,sbu->ab", drawn, drawn) / 400 / 30
    expected = (x @ x.T) * np.where(np.eye(4) == 1, 1 / 0.6, 1) / 30
    assert products == pytest.approx(expected, abs=0.25)  # 400 draws
    found = igb.Network(igb.Dense(1.0), igb.Residual(igb.Dense(1.0), layer), igb.Dense(1.0)).predict(x)
    expected = expected + x @ x.T / 30
    assert found.var_mu == pytest.approx(expected.mean(), abs=0.1)  # of as many worlds as a prediction draws
    assert found.var_mu + found.var_chi == pytest.approx(np.diagonal(expected).mean(), rel=0.1)
    with pytest.raises(ValueError, match="0 <= p < 1"):
        igb.StochasticDepth(1.0)


def test_a_maximum_of_positions_is_no_mean() -> None:
    with pytest.warns(igb.EstimateWarning, match=r"MaxPool2d\(2\) has no exact rule"):
        found = igb.Network(igb.Conv2d(1), igb.MaxPool2d(2), igb.Flatten(), OUT).predict(X[:, :, :2, :2])
    data = np.moveaxis(X[:, :, :2, :2], 1, -1).reshape(12, 2)
    units = data @ np.random.default_rng(1).standard_normal((2, 100_000))
    largest = units.reshape(3, 4, -1).max(axis=1)  # units of variance <x^2>, twice as much in sigma_w2
    q_ab = 2 * largest @ largest.T / 100_000
    assert found.var_mu == pytest.approx(q_ab.mean(), rel=0.02)  # 100,000 draws: 0.005
    assert found.var_chi == pytest.approx(np.diagonal(q_ab).mean() - q_ab.mean(), rel=0.02)


def test_digits() -> None:
    net, small = igb.Network(igb.Conv2d(2), RELU, igb.AvgPool2d(2), igb.GlobalAvgPool(), OUT), X[:2, :, :2, :2]
    assert net.predict(small).gamma == pytest.approx(float(net.predict(small, digits=25).gamma), rel=1e-12)


ENDS = [(igb.Flatten(),), (igb.AvgPool2d(2), igb.Flatten()), (igb.GlobalAvgPool(),)]


@pytest.mark.parametrize("name", ["relu", "sign", "gelu", "relu2"])
@pytest.mark.parametrize("end", ENDS, ids=repr)
@pytest.mark.filterwarnings("ignore::igbtheory.AccuracyWarning")  # jumps cost digits
def test_a_pair_has_the_same_kernel_among_many_images(name: str, end: tuple[igb.Layer, ...]) -> None:
    """Their pairs are averaged in portions that stay in the cache."""
    images = igb.digits()[:30].reshape(30, 1, 8, 8) - 3
    images[1], images[2], images[3] = images[0], -images[0], 0  # an equal one, an opposite one, a silent one
    net = igb.Network(igb.Conv2d(3), igb.Activation(name), *end, igb.Dense(2.0, 0.1))
    few = net.predict(images[:5]).kernel()
    assert net.predict(images).kernel()[:5, :5] == pytest.approx(few, rel=1e-14, abs=1e-14)


@pytest.mark.parametrize("sigma_w2", [1.2, 2.0])
@pytest.mark.filterwarnings("ignore::igbtheory.AccuracyWarning")  # nearly equal data cost digits
def test_nearly_equal_images_part_as_chi_1_says(sigma_w2: float) -> None:
    """Convolutions average the distance of two images over windows, and a circular one keeps its sum."""
    image = np.where(np.random.default_rng(0).random((1, 8, 8)) < 0.5, -1.0, 1.0)
    near = np.stack([image, image + 1e-5 * np.random.default_rng(1).standard_normal(image.shape)])
    net = igb.cnn(9, "tanh", padding="circular", sigma_w2=sigma_w2, sigma_b2=0.1)
    *_, before, last = net.predict(near).per_layer.var_chi
    chi_1 = igb.phases.fixed_points("tanh", sigma_w2, 0.1)[0].chi_1
    assert last / before == pytest.approx(chi_1, rel=1e-3)


@pytest.mark.parametrize(
    "name", ["tanh", "silu", slow("elu")]
)  # by series, by an interpolant for all positions, by moments
def test_windows_of_one_pixel_are_vectors(name: str) -> None:
    pixels = np.moveaxis(IMAGES[:3, :, :2, :2], 1, -1).reshape(3, 4, 3)
    for end, data in (
        (igb.GlobalAvgPool(), [pixels.reshape(12, 3)]),
        (igb.Flatten(), list(pixels.swapaxes(0, 1))),
    ):
        found = igb.cnn(1, name, kernel=1, end=end).predict(IMAGES[:3, :, :2, :2]).var_mu
        expected = np.mean([igb.mlp(1, name).predict(part).var_mu for part in data])
        assert found == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize(
    ("layers", "inputs", "message"),
    [
        ((CONVOLUTION, OUT), X, "Flatten"),
        ((CONVOLUTION, igb.Flatten(), OUT), X.reshape(3, -1), "got vectors"),
        ((CONVOLUTION, igb.Flatten(), OUT), X[:, 0], "got sequences"),
        ((CONVOLUTION, igb.Flatten(), OUT), igb.GaussianInputs(), "gaussian_images"),
        ((OUT,), X[:, 0], "got sequences"),
        ((igb.Conv2d(5), igb.Flatten(), OUT), X, "smaller kernel"),
        ((igb.Conv2d(3, 3), igb.Flatten(), OUT), X, "stride"),
        ((igb.AvgPool2d(3), igb.Flatten(), OUT), X, "crop"),
        ((igb.Flatten(), CONVOLUTION, OUT), X, "got vectors"),
        ((CONVOLUTION, igb.Residual(igb.Conv2d(3, 2)), igb.Flatten(), OUT), X, "keeps the positions"),
        ((CONVOLUTION, igb.ClassToken(), igb.Flatten(), OUT), X, "PatchEmbedding"),
        ((igb.Conv2d(3, groups=2), igb.Flatten(), OUT), X, "groups=1 in the first"),
        ((igb.PatchEmbedding(3), igb.Flatten(), OUT), X, "crop"),
        ((CONVOLUTION, RELU, igb.Flatten(), OUT), X * (np.arange(3) > 0)[:, None, None, None], "datum 0 .* all zeros"),
    ],
)
def test_bad_input_is_named_with_the_remedy(layers: Any, inputs: Any, message: str) -> None:
    net = igb.Network(*layers)
    with pytest.raises(ValueError, match=message):
        net.predict(inputs)
    if message not in {"datum 0 .* all zeros", "groups=1 in the first"}:  # finite networks have no trouble with it
        with pytest.raises(ValueError, match=message):
            net.simulate(2, 4, 8, inputs=inputs)


@pytest.mark.parametrize(
    ("name", "at_0"),
    [("tanh", 0), ("sigmoid", 0.5), ("cos", 1), ("step", 1), slow(("MaxPool(2) | cos", 1)), ("RMSNorm | cos", 1)],
)
def test_windows_of_zeros_are_constants(name: str, at_0: float) -> None:
    def kernel(images: Any, sigma_b2: float = 0.0) -> Any:
        net = igb.Network.read(f"Conv2d(1, sigma_b2={sigma_b2}) | {name} | Flatten | Dense(1)")
        return net.predict(images).dataset.kernels()[0]

    lit = X[..., :1]
    dark = np.concatenate([lit, 0 * lit], axis=-1)
    assert kernel(dark) == pytest.approx((kernel(lit) + at_0**2) / 2, rel=1e-12)
    dark[0, :, 0] = 0
    if name not in {"step", "RMSNorm | cos"}:  # whose samples jump at 0
        # a slope of at most 1 moves by the standard deviation 1e-7
        assert kernel(dark) == pytest.approx(kernel(dark, 1e-14), abs=1e-7)


def test_opposite_images_get_opposite_guesses() -> None:
    net = igb.Network.read("Conv2d(3) | tanh | AvgPool2d(2) | Conv2d(2) | sin | Flatten | Dense")
    assert net.predict(np.concatenate([X, -X])).G0.var() == pytest.approx(0, abs=1e-16)  # rounding of pools


def test_what_does_not_fit_is_refused_before_it_starts() -> None:
    images = np.ones((200, 1, 32, 32)) + np.arange(32)
    pooled = igb.cnn(1, end=igb.GlobalAvgPool())
    with pytest.raises(ValueError, match="at most 128 data"):
        pooled.predict(images, digits=20)
    for net in (igb.Network(CONVOLUTION, igb.MaxPool2d(2), igb.Flatten(), OUT), igb.resnet(1, norm=None)):
        with pytest.raises(ValueError, match="at most 15 data"):
            net.predict(images[:100, :, ::2, ::2], digits=20)
    with pytest.raises(ValueError, match="fewer positions"):
        pooled.predict(np.pad(images[:3], [(0, 0), (0, 0), (16, 16), (16, 16)]), digits=20)


def test_where_a_kernel_takes_too_long_networks_of_two_widths_are_extrapolated(monkeypatch: pytest.MonkeyPatch) -> None:
    net = igb.Network(*igb.Network.read("Conv2d(3) | relu | GlobalAvgPool | Dense").layers, widths=(8,))
    exact = net.predict(X)
    monkeypatch.setattr("igbtheory.networks.network.LONGEST", 0.0)
    with pytest.warns(igb.EstimateWarning, match="1000 networks of width 8, and 1000 of twice this width"):
        found = net.predict(X)
    assert found.var_g0_error < 0.01 * exact.G0.var()  # precise enough for the next line to say something
    assert abs(found.G0.var() - exact.G0.var()) < 4 * found.var_g0_error
    assert found.gamma == pytest.approx(float(exact.gamma), rel=8 * found.error)
    assert "method  1000 networks of width 8" in str(found)


BAD = [
    (igb.Gathered(((0,), (16,)), (2,)), "positions from 0 to 15 in front of a Gathered, got 16"),
    (igb.Spread((2, 2)), "expected vectors in front of Spread((2, 2)), got 4 x 4 positions"),
    (igb.Concat((), igb.AvgPool2d(2)), "the same positions behind them, got the shapes (4, 4), (2, 2)"),
    (igb.Product(CONVOLUTION, igb.AvgPool2d(2)), "a branch with one position, or with those of its stream"),
    (igb.Attention(2, groups=WINDOWS[:3]), "each of the 16 tokens in one of the groups of an Attention"),
    (igb.Embedding(), "expected the ids of tokens in front of Embedding(1.0)"),
]


@pytest.mark.parametrize(("layer", "sentence"), BAD, ids=lambda part: repr(part)[:60])
def test_layers_that_do_not_fit_are_refused(layer: igb.Layer, sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        kernel(CONVOLUTION, layer, FLAT)


@pytest.mark.parametrize("ids", [np.full((2, 3), 0.5), np.full((2, 3), -1), np.ones((2, 3, 2))])
def test_what_is_no_id_is_refused(ids: Any) -> None:
    with pytest.raises(ValueError, match=r"whole numbers from 0 to 16777215 of shape \(n_samples, tokens\), got"):
        igb.Network(igb.Embedding(), FLAT, OUT).predict(ids)


def test_gaussian_images_and_notation() -> None:
    images = igb.gaussian_images(400, 1, 16, 16, correlation_length=2.0)
    # 0.03 are at least three standard errors: about six pixels are independent of the next six
    assert images.std() == pytest.approx(1, abs=0.03)
    assert np.mean(images * np.roll(images, 1, axis=3)) == pytest.approx(np.exp(-1 / 4), abs=0.03)
    text = '(Conv2d(3, padding="circular") | relu) * 2 | GlobalAvgPool | Dense'
    assert igb.Network.read(text) == igb.cnn(2, padding="circular", end=igb.GlobalAvgPool())


def test_few_windows_are_drawn_without_their_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.random.default_rng(0).standard_normal((2, 40, 2, 2), dtype=np.float32)
    layer = igb.Conv2d(3, padding=1, sigma_w2=1.5, sigma_b2=0.2)
    windows = np.moveaxis(layer.window.patches(x), 1, -1).reshape(8, 360)
    monkeypatch.setattr(igb.Conv2d, "sums", None)  # it draws weights
    units = np.moveaxis(layer.samples(x, np.random.default_rng(1), 20_000), 1, -1).reshape(8, 20_000)
    # 20,000 products of two units of mean square 1.6 and less have a mean with a standard error of 0.016 and less
    assert units @ units.T / 20_000 == pytest.approx(1.5 * windows @ windows.T / 360 + 0.2, abs=0.08)
