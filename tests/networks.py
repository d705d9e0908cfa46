"""Random networks from a grammar: all layers, nested three deep, with units that have means in front of every layer.

A network is a front that reads the inputs, hidden parts with a layer with weights between them, and the output Dense.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

import igbtheory as igb
from igbtheory import Layer

DATA = 6
"""Number of given vectors, which batches of 2 and of 3 divide."""
COMPONENTS = 12
"""Components of a vector and channels of an image, which pools and groups of 2 and of 3 divide."""
SIDE, IMAGES = 4, 3
"""Side and number of given images."""
DEEPEST = 3
"""Depth of nested residual blocks."""
CLOSED = ("relu", "abs", "x + 1/3", "sin", "cos", "erf", "gelu", "step", "prelu", "gaussian")
"""Activations whose averages have closed forms."""
OTHERS = ("tanh", "sigmoid", "max(x - 1/2, 0)", "hardtanh", "elu", "silu", "x*tanh(x)", "abs(x - 1)", "softplus")
SMOOTH = ("tanh", "erf", "x + 1/3", "sigmoid", "gelu", "relu", "abs", "prelu")
"""Activations of networks whose gradients and certificates are compared: they do not jump and take little time."""


@dataclass(frozen=True)
class Case:
    """Layers and their inputs: Gaussian ones, and the seed of given data."""

    layers: tuple[Layer, ...]
    shift: float = 0.0
    variance: float = 1.0
    seed: int = 0
    shape: tuple[int, ...] = ()
    """Shape of the positions of given data; () of vectors."""

    @property
    def net(self) -> igb.Network:
        """The network."""
        return igb.Network(*self.layers)

    @property
    def inputs(self) -> igb.GaussianInputs:
        """Gaussian inputs."""
        return igb.GaussianInputs(self.shift, self.variance)

    def data(self, copies: int = 1) -> Any:
        """Return given data of unlike norms, whose units are repeated so many times: (data, units, *positions)."""
        rng = np.random.default_rng(self.seed)
        shape = (IMAGES if self.shape else DATA, COMPONENTS, *self.shape)
        sizes = np.linspace(0.6, 1.4, shape[0]).reshape(-1, *[1] * (len(shape) - 1))
        values = sizes * (self.shift + np.sqrt(self.variance) * rng.standard_normal(shape))
        return np.tile(values, (1, copies, *[1] * len(self.shape)))

    def exchangeable(self) -> Any:
        """Return vectors with the second moments of Gaussian inputs: equal norms, and equal products of any two."""
        gram = self.shift**2 + self.variance * np.eye(DATA)
        return np.sqrt(DATA) * np.linalg.cholesky(gram)


@dataclass(frozen=True)
class Grammar:
    """What the networks of a strategy are made of: names of activations, one batch size for all, and whether parts
    without exact rules, which are estimated from draws, may occur.
    """

    activations: tuple[str, ...]
    batch: int | None
    norms_of_batches: bool = True
    random: bool = True

    def hidden(self, depth: int, *, spatial: bool = False) -> st.SearchStrategy[Layer]:
        """Return layers that make as many units of what they read, or fewer, with residual blocks so deep."""
        eps = st.sampled_from([0.0, 0.1])
        kinds: list[st.SearchStrategy[Layer]] = [
            self.activation(),
            self.activation(),
            st.builds(igb.LayerNorm, eps),
            st.builds(igb.RMSNorm, eps),
            st.builds(igb.AvgPool, st.sampled_from([2, 3])),
            st.builds(igb.MaxPool, st.sampled_from([2, 3])),
            st.sampled_from([igb.GLU(), igb.ReGLU(), igb.GEGLU(), igb.SwiGLU()]),
            st.just(igb.BatchNorm(law="evaluation", eps=0.1)),
        ]
        if self.norms_of_batches:
            kinds += [st.builds(lambda eps: igb.BatchNorm(self.batch, eps=eps), eps)] * 2
        if self.random:
            kinds += [st.builds(igb.GroupNorm, st.sampled_from([2, 3]), eps), st.just(igb.Dropout(0.3))]
        if spatial:
            kinds += [st.just(igb.LayerNorm(positions_too=True)), st.just(igb.PositionEmbedding(0.3))]
        if depth:
            kinds += [self.residual(depth, spatial=spatial)] * 3
        return st.one_of(kinds)

    def activation(self) -> st.SearchStrategy[Layer]:
        """Return activations."""
        return st.builds(igb.Activation, st.sampled_from(self.activations))

    def part(self, depth: int = DEEPEST, *, spatial: bool = False) -> st.SearchStrategy[list[Layer]]:
        """Return rows of hidden layers."""
        return st.lists(self.hidden(depth, spatial=spatial), min_size=1, max_size=3)

    def residual(self, depth: int, *, spatial: bool = False) -> st.SearchStrategy[Layer]:
        """Return residual blocks: branches with weights, which may end in anything, and blocks of blocks alone."""
        scale = st.sampled_from([0.5, 1.0, -0.7])
        few = st.lists(self.hidden(depth - 1, spatial=spatial), max_size=1)
        weights = kept() if spatial else dense()
        branch = st.tuples(few, weights, few).map(lambda row: (*row[0], row[1], *row[2]))
        kinds = [
            st.builds(lambda row, scale: igb.Residual(*row, scale=scale), branch, scale),
            st.builds(
                lambda row, scale, way: igb.Residual(*row, scale=scale, shortcut=way),
                branch,
                scale,
                st.tuples(self.activation(), weights),
            ),
        ]
        if depth > 1:
            inner = st.lists(self.residual(depth - 1, spatial=spatial), min_size=1, max_size=2)
            kinds.append(st.builds(lambda row, scale: igb.Residual(*row, scale=scale), inner, scale))
        return st.one_of(kinds)


def dense() -> st.SearchStrategy[Layer]:
    """Return Dense layers, half of them with a bias."""
    return st.builds(igb.Dense, st.sampled_from([1.0, 0.5, 1.8]), st.sampled_from([0.0, 0.0, 0.2, 0.7]))


def kept() -> st.SearchStrategy[Layer]:
    """Return convolutions that keep the positions."""
    padding, variances = st.sampled_from(["zeros", "circular"]), st.sampled_from([1.0, 1.8])
    return st.one_of(
        st.builds(igb.Conv2d, st.sampled_from([1, 2, 3]), st.just(1), padding, variances, st.sampled_from([0.0, 0.2])),
        st.just(igb.Conv2d(3, dilation=2, sigma_b2=0.1, padding="circular")),
        st.just(igb.Conv2d(3, groups=2, sigma_w2=1.5)),
    )


@st.composite
def vectors(draw: Any, activations: tuple[str, ...] = (*CLOSED, *OTHERS), **allowed: bool) -> Case:
    """Return networks of vectors: up to two layers that read the inputs, and up to three hidden parts."""
    grammar = Grammar(activations, draw(st.sampled_from([None, 2, 3])), **allowed)
    layers = draw(st.one_of(st.just([]), st.just([]), st.lists(grammar.hidden(1), min_size=1, max_size=2)))
    for _ in range(draw(st.integers(1, 3))):
        layers = [*layers, draw(dense()), *draw(grammar.part())]
    return Case((*layers, draw(dense())), **draw(inputs()))


@st.composite
def images(draw: Any, activations: tuple[str, ...] = (*CLOSED, *OTHERS), **allowed: bool) -> Case:
    """Return networks of images: convolutions that keep the positions or not, pools of positions, and an end."""
    grammar = Grammar(activations, None, **allowed)
    layers = [draw(st.sampled_from([igb.Conv2d(3, sigma_b2=0.1), igb.Conv2d(2, 1, "circular", 1.5)]))]
    for _ in range(draw(st.integers(0, 2))):
        layers = [*layers, *draw(grammar.part(1, spatial=True)), draw(kept())]
    layers += draw(st.lists(grammar.hidden(1, spatial=True), max_size=2))
    layers.append(draw(st.one_of(narrowing(), kept())))
    layers += draw(st.lists(grammar.activation(), max_size=1))
    end = draw(st.sampled_from([igb.Flatten(), igb.GlobalAvgPool()]))
    return Case((*layers, end, *draw(behind(grammar))), **draw(inputs()), shape=(SIDE, SIDE))


@st.composite
def sequences(draw: Any, activations: tuple[str, ...] = (*CLOSED, *OTHERS), **allowed: bool) -> Case:
    """Return networks of tokens, which are patches of images: transformers and mixers among them."""
    grammar = Grammar(activations, None, **allowed)
    tokens: list[Layer] = [
        igb.Conv1d(3, sigma_b2=0.1),
        igb.Dense(1.0, 0.2),
        igb.Residual(igb.LayerNorm(), igb.Attention(4, scaling="linear"), igb.Dense(1.0, 0.1)),
        igb.Residual(igb.Activation("relu"), igb.Conv1d(3, padding="circular"), scale=0.5),
    ]
    if grammar.random:
        tokens += [igb.TokenMixing(3, sigma_b2=0.5), igb.Attention(4, 2.0)]
    layers: list[Layer] = draw(st.sampled_from([[igb.PatchEmbedding(2, 1.0, 0.1)], [igb.Conv2d(3), igb.Tokens()]]))
    layers = [*layers, *draw(st.sampled_from([[], [igb.ClassToken(0.5)], [igb.PositionEmbedding(0.3)]]))]
    for _ in range(draw(st.integers(1, 2))):
        layers += draw(st.lists(grammar.hidden(1, spatial=True), max_size=2))
        layers.append(draw(st.sampled_from(tokens)))
    layers += draw(st.lists(grammar.activation(), max_size=1))
    end = draw(st.sampled_from([igb.FirstToken(), igb.GlobalAvgPool(), igb.Flatten()]))
    return Case((*layers, end, *draw(behind(grammar))), **draw(inputs()), shape=(SIDE, SIDE))


def narrowing() -> st.SearchStrategy[Layer]:
    """Return layers that read windows of images and leave fewer positions."""
    return st.sampled_from(
        [
            igb.Conv2d(3, 2, 1, sigma_b2=0.1),
            igb.Conv2d(2, 2, "circular"),
            igb.AvgPool2d(2),
            igb.AvgPool2d(3, 2, 1),
            igb.MaxPool2d(2),
            igb.DepthwiseConv2d(3, sigma_b2=0.2),
        ]
    )


def behind(grammar: Grammar) -> st.SearchStrategy[tuple[Layer, ...]]:
    """Return what reads the vectors that images or sequences become: the output, with a hidden part or none."""
    hidden = st.tuples(dense(), grammar.hidden(0), dense())
    return st.one_of(dense().map(lambda layer: (layer,)), hidden)


def inputs() -> st.SearchStrategy[dict[str, Any]]:
    """Return shift and variance of Gaussian inputs, and the seed of given data."""
    return st.fixed_dictionaries(
        {
            "shift": st.sampled_from([0.0, 0.4, -1.0]),
            "variance": st.sampled_from([1.0, 0.3]),
            "seed": st.integers(0, 99),
        }
    )
