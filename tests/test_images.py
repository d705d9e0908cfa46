"""Images and sequences: kernels of pairs of positions, beside plain sums over them and finite networks."""

from itertools import product
from typing import Any

import numpy as np
import pytest

import igbtheory as igb
from igbtheory import theory

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
        k = layer.k
        window = list(product(points(k), points(k)))
        found = {
            (a, b, p, q): sum(kernel[a, b, moved(p, k, i), moved(q, k, j)] for i, j in window) / k**4
            for a, b, p, q in pairs(length // k)
        }
        return found, length // k
    if isinstance(layer, igb.Conv2d):
        return convolved(layer, kernel, length), length // layer.stride
    return {key: of_relu(kernel, *key) for key in kernel}, length


def moved(p: tuple[int, int], stride: int, by: tuple[int, int]) -> tuple[int, int]:
    return stride * p[0] + by[0], stride * p[1] + by[1]


def convolved(layer: igb.Conv2d, kernel: Kernel, length: int) -> Kernel:
    found = {}
    shift = (layer.size - 1) // 2
    for a, b, p, q in pairs(length // layer.stride):
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
]


@pytest.mark.parametrize("chain", CHAINS, ids=repr)
@pytest.mark.parametrize("block", [theory.BLOCK, 1])
def test_kernels_are_sums_over_pairs_of_positions(
    chain: list[igb.Layer], block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(theory, "BLOCK", block)  # also with one pair of data in a block
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
        pytest.param("zeros", igb.GlobalAvgPool(), 65.3, marks=pytest.mark.slow),
    ],
    ids=repr,
)
def test_readings_of_the_prototype(padding: str, end: igb.Layer, gamma: float) -> None:
    rows = np.random.default_rng(0).choice(1797, 60, replace=False)
    digits = igb.standardised(igb.digits())[rows].reshape(60, 1, 8, 8)
    assert igb.cnn(3, padding=padding, end=end).predict(digits).gamma == pytest.approx(gamma, rel=5e-4)


IMAGES = igb.gaussian_images(4, 3, 4, 4, 1.0)
CONVOLUTION = igb.Conv2d(3)
NETWORKS = {
    "stride, norm of averages": (CONVOLUTION, RELU, igb.LayerNorm(), igb.Conv2d(3, 2), igb.GlobalAvgPool(), OUT),
    "blocks": (CONVOLUTION, igb.Residual(RELU, CONVOLUTION, scale=0.5), igb.LayerNorm(), igb.Flatten(), OUT),
    "dropout": (
        CONVOLUTION,
        RELU,
        igb.Dropout(0.3),
        igb.AvgPool2d(2),
        CONV[2, 1, "circular"],
        igb.GlobalAvgPool(),
        OUT,
    ),
    "batches": (CONVOLUTION, igb.BatchNorm(), RELU, igb.AvgPool2d(2), igb.Flatten(), OUT),
    "maximum": (CONVOLUTION, RELU, igb.MaxPool2d(2), CONV[2, 1, "zeros"], RELU, igb.GlobalAvgPool(), OUT),
}


@pytest.mark.filterwarnings("ignore::igbtheory.EstimateWarning")
@pytest.mark.parametrize("name", NETWORKS)
def test_finite_networks_agree(name: str) -> None:
    compared = igb.Network(*NETWORKS[name]).simulate(100, 12, inputs=IMAGES, workers=1).compare(workers=1)
    assert compared.agrees(), str(compared)


def test_a_dense_acts_on_every_token() -> None:
    sequences = IMAGES[:, :2].reshape(4, 8, 4)
    net = igb.Network(OUT, RELU, igb.GlobalAvgPool(), OUT)
    pixels = igb.Network(igb.Conv2d(1), RELU, igb.GlobalAvgPool(), OUT)
    as_images = sequences.swapaxes(1, 2).reshape(4, 4, 2, 4)
    assert net.predict(sequences).gamma == pytest.approx(pixels.predict(as_images).gamma, rel=1e-12)
    assert net.simulate(100, 16, inputs=sequences, workers=1).compare(workers=1).agrees()


def test_a_finite_convolution_is_that_by_hand() -> None:
    layer, rng = igb.Conv2d(3, 2, sigma_w2=1.5, sigma_b2=0.1), np.random.default_rng(3)
    found = layer.samples(X, np.random.default_rng(3), 5)
    weights = np.stack([rng.standard_normal((2, 5)) for _ in range(9)]).reshape(3, 3, 2, 5) * np.sqrt(1.5 / 18)
    biases, padded = rng.standard_normal(5) * np.sqrt(0.1), np.pad(X, [(0, 0), (0, 0), (1, 1), (1, 1)])
    for y, x in points(2):
        window = padded[:, :, 2 * y : 2 * y + 3, 2 * x : 2 * x + 3]
        assert found[:, :, y, x] == pytest.approx(np.einsum("ncij,ijcu->nu", window, weights) + biases)


def test_digits() -> None:
    net, small = igb.Network(igb.Conv2d(2), RELU, igb.AvgPool2d(2), igb.GlobalAvgPool(), OUT), X[:2, :, :2, :2]
    assert net.predict(small).gamma == pytest.approx(float(net.predict(small, digits=25).gamma), rel=1e-12)


@pytest.mark.parametrize("name", ["tanh", "silu", "elu"])  # by series, by an interpolant for all positions, by moments
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
        ((CONVOLUTION, igb.GroupNorm(4), igb.Flatten(), OUT), X, "LayerNorm"),
        ((CONVOLUTION, RELU, igb.Flatten(), OUT), X * (np.arange(4) > 1), "standardised"),
    ],
)
def test_bad_input_is_named_with_the_remedy(layers: Any, inputs: Any, message: str) -> None:
    net = igb.Network(*layers)
    with pytest.raises(ValueError, match=message):
        net.predict(inputs)
    if message != "standardised":  # finite networks have no trouble with it
        with pytest.raises(ValueError, match=message):
            net.simulate(2, 4, 8, inputs=inputs)


def test_what_does_not_fit_is_refused_before_it_starts() -> None:
    images = np.ones((200, 1, 32, 32)) + np.arange(32)
    pooled = igb.cnn(1, end=igb.GlobalAvgPool())
    with pytest.raises(ValueError, match="at most 128 data"):
        pooled.predict(images)
    with pytest.raises(ValueError, match="at most 3 data"):
        igb.Network(CONVOLUTION, igb.MaxPool2d(2), igb.Flatten(), OUT).predict(images)
    with pytest.raises(ValueError, match="fewer positions"):
        pooled.predict(np.pad(images[:3], [(0, 0), (0, 0), (16, 16), (16, 16)]))


@pytest.mark.parametrize("layers", [(igb.AvgPool2d(2), RELU, igb.Flatten()), (igb.Flatten(), RELU)])
def test_functions_of_averages_are_refused(layers: tuple[igb.Layer, ...]) -> None:
    with pytest.raises(ValueError, match="put a Conv2d or a Dense between"):
        igb.Network(CONVOLUTION, RELU, *layers, OUT).predict(IMAGES)


def test_gaussian_images_and_notation() -> None:
    images = igb.gaussian_images(400, 1, 16, 16, correlation_length=2.0)
    assert images.std() == pytest.approx(1, abs=0.03)
    assert np.mean(images * np.roll(images, 1, axis=3)) == pytest.approx(np.exp(-1 / 4), abs=0.03)
    text = '(Conv2d(3, padding="circular") | relu) * 2 | GlobalAvgPool | Dense'
    assert igb.Network.read(text) == igb.cnn(2, padding="circular", end=igb.GlobalAvgPool())
