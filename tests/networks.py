"""Random networks from a grammar: all layers, nested three deep, with units that have means in front of every layer.

A network is a front that reads the inputs, hidden parts with a layer with weights between them, and the output Dense.
"""

# what is wrong is passed on purpose, and which of several types a result has is known here
# mypy: disable-error-code="arg-type, list-item, misc"

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
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


@dataclass(frozen=True, repr=False)
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

    def __repr__(self) -> str:
        given = f"shift={self.shift}, variance={self.variance}, seed={self.seed}, shape={self.shape}"
        return f"Case({self.net!r}.layers, {given})"

    def data(self, copies: int = 1) -> Any:
        """Return given data of unlike norms, whose units are repeated so many times: (data, units, *positions)."""
        rng = np.random.default_rng(self.seed)
        shape = (IMAGES if self.shape else DATA, COMPONENTS, *self.shape)
        sizes = np.linspace(0.6, 1.4, shape[0]).reshape(-1, *[1] * (len(shape) - 1))
        values = sizes * (self.shift + np.sqrt(self.variance) * rng.standard_normal(shape))
        if self.shape and self.seed % 2:
            values[..., :2, :] = 0  # some windows have nothing but zeros
        return np.tile(values, (1, copies, *[1] * len(self.shape)))

    def exchangeable(self) -> Any:
        """Return vectors with the second moments of Gaussian inputs: equal norms, and equal products of any two."""
        gram = self.shift**2 + self.variance * np.eye(DATA)
        return np.sqrt(DATA) * np.linalg.cholesky(gram)


DENSE: st.SearchStrategy[Layer] = st.builds(
    igb.Dense, st.sampled_from([1.0, 0.5, 1.8]), st.sampled_from([0.0, 0.0, 0.2, 0.7])
)
"""Dense layers, half of them with a bias."""


CONVOLUTIONS: st.SearchStrategy[Layer] = st.one_of(
    st.builds(
        igb.Conv2d,
        st.sampled_from([1, 2, 3]),
        st.just(1),
        st.sampled_from(["zeros", "circular"]),
        st.sampled_from([1.0, 1.8]),
        st.sampled_from([0.0, 0.2]),
    ),
    st.just(igb.Conv2d(2, dilation=2, sigma_b2=0.1, padding="circular")),
    st.just(igb.Conv2d(3, groups=2, sigma_w2=1.5)),
)
"""Convolutions that keep the positions of images."""
OF_TOKENS: st.SearchStrategy[Layer] = st.one_of(
    DENSE, st.builds(igb.Conv1d, st.just(3), st.just(1), st.sampled_from(["zeros", "circular"]))
)
"""Layers with weights that keep the tokens of sequences."""


@dataclass(frozen=True)
class Grammar:
    """What the hidden parts of networks are made of.

    activations: their names; batch: one batch size for all; weights: layers with weights that keep the positions;
    spatial: whether there are positions; exact: whether every layer has an exact rule in its place, and closed:
    whether its average has a closed form, too; norms_of_batches, random, gates: whether BatchNorm, Dropout and
    GroupNorm, and gates occur; depth: of nested residual blocks.
    """

    activations: tuple[str, ...] = (*CLOSED, *OTHERS)
    batch: int | None = None
    weights: st.SearchStrategy[Layer] = DENSE
    spatial: bool = False
    exact: bool = False
    closed: bool = False
    norms_of_batches: bool = True
    random: bool = True
    gates: bool = True
    depth: int = DEEPEST

    def activation(self) -> st.SearchStrategy[Layer]:
        """Return activations."""
        return st.builds(igb.Activation, st.sampled_from(self.activations))

    def gate(self) -> st.SearchStrategy[Layer]:
        """Return gates."""
        closed, others = [igb.ReGLU(), igb.GEGLU()], [igb.GLU(), igb.SwiGLU()]
        return st.sampled_from(closed if self.closed else closed + others)

    def norm(self) -> st.SearchStrategy[Layer]:
        """Return norms that are exact behind any layer."""
        kinds = [igb.LayerNorm(), igb.RMSNorm(), igb.LayerNorm(0.1), igb.RMSNorm(0.1)]
        return st.sampled_from([*kinds, igb.BatchNorm(law="evaluation", eps=0.1)])

    def linear(self) -> st.SearchStrategy[Layer]:
        """Return layers other than norms that are exact behind any layer."""
        kinds: list[Layer] = [igb.AvgPool(2), igb.AvgPool(3)]
        kinds += [igb.Dropout(0.3)] if self.random else []
        kinds += [igb.LayerNorm(positions_too=True), igb.PositionEmbedding(0.3)] if self.spatial else []
        return st.sampled_from(kinds)

    def batch_norm(self) -> st.SearchStrategy[Layer]:
        """Return BatchNorm."""
        return st.builds(lambda eps: igb.BatchNorm(self.batch, eps=eps), st.sampled_from([0.0, 0.1]))

    def maximum(self) -> st.SearchStrategy[Layer]:
        """Return MaxPool."""
        return st.builds(igb.MaxPool, st.sampled_from([2, 3]))


@cache
def hidden(grammar: Grammar, depth: int) -> st.SearchStrategy[Layer]:
    """Return layers that make as many units of what they read, or fewer, with residual blocks nested so deep."""
    kinds = [
        grammar.activation(),
        grammar.activation(),
        grammar.norm(),
        grammar.linear(),
        grammar.gate(),
        grammar.maximum(),
    ]
    kinds += [grammar.batch_norm()] * 2 if grammar.norms_of_batches else []
    if grammar.random:
        kinds.append(st.builds(igb.GroupNorm, st.sampled_from([2, 3]), st.sampled_from([0.0, 0.1])))
    kinds += [residual(grammar, depth)] * 3 if depth else []
    return st.one_of(kinds)


@cache
def part(grammar: Grammar, depth: int) -> st.SearchStrategy[list[Layer]]:
    """Return rows of hidden layers behind a layer with weights."""
    if not grammar.exact:
        return st.lists(hidden(grammar, depth), min_size=1, max_size=3)
    block, bare = ([residual(grammar, depth)], [residual(grammar, depth, bare=True)]) if depth else ([], [])
    most = 2 if depth == grammar.depth else 1  # the branches of blocks are short, so that networks stay small
    first = st.lists(st.one_of(grammar.norm(), *block), max_size=most)
    last = st.lists(st.one_of(grammar.norm(), grammar.linear(), *bare), max_size=most)
    bent = st.one_of(grammar.activation(), grammar.gate()) if grammar.gates else grammar.activation()
    function: list[st.SearchStrategy[tuple[Layer, ...]]] = [st.tuples(bent)]
    if grammar.norms_of_batches:  # sums, maxima and another BatchNorm have no exact rules behind it
        function.append(st.tuples(st.just(igb.BatchNorm()), bent))
    if not grammar.closed:
        function += [st.tuples(grammar.maximum()), st.tuples(grammar.activation(), grammar.gate())]
    return st.tuples(first, st.one_of(function), last).map(lambda parts: [layer for part in parts for layer in part])


@cache
def residual(grammar: Grammar, depth: int, *, bare: bool = False) -> st.SearchStrategy[Layer]:
    """Return residual blocks: of branches with weights, which may end in anything, and of blocks alone.

    bare: whether the branches have no functions, which have no exact rules behind sums that are not Gaussian.
    """
    scale = st.sampled_from([0.5, 1.0, -0.7])
    end: st.SearchStrategy[list[Layer]] = st.just([])
    if bare:
        start = st.lists(grammar.norm(), max_size=1)
    elif grammar.exact:
        start = st.one_of(end, part(grammar, depth - 1))
    else:
        start = end = st.lists(hidden(grammar, depth - 1), max_size=1)
    branch = st.tuples(start, grammar.weights, end).map(lambda row: (*row[0], row[1], *row[2]))
    way = st.tuples(grammar.linear() if bare else grammar.activation(), grammar.weights)
    shortcut = st.one_of(st.just(()), st.just(()), way)
    kinds = [st.builds(block_of, branch, scale, shortcut)]
    if depth > 1:
        inner = st.lists(residual(grammar, depth - 1, bare=bare), min_size=1, max_size=2)
        kinds.append(st.builds(block_of, inner, scale))
    return st.one_of(kinds)


def block_of(layers: Sequence[Layer], scale: float, shortcut: Sequence[Layer] = ()) -> Layer:
    """Return a residual block."""
    block: Layer = igb.Residual(*layers, scale=scale, shortcut=shortcut)
    return block


ANY = Grammar()
"""The grammar of all networks."""


@st.composite
def vectors(draw: st.DrawFn, /, grammar: Grammar = ANY, parts: int = 2) -> Case:
    """Return networks of vectors: up to two layers that read the inputs, and up to so many hidden parts."""
    grammar = replace(grammar, batch=draw(st.sampled_from([None, 2, 3])))
    front = st.lists(hidden(grammar, 1), min_size=1, max_size=2)
    layers = [] if grammar.exact else draw(st.one_of(st.just([]), st.just([]), front))
    for _ in range(draw(st.integers(1, parts))):
        layers = [*layers, draw(DENSE), *draw(part(grammar, grammar.depth))]
    return Case((*layers, draw(DENSE)), **draw(inputs()))


@st.composite
def images(draw: st.DrawFn, /, grammar: Grammar = ANY) -> Case:
    """Return networks of images: convolutions that keep the positions or not, pools of positions, and an end."""
    grammar = replace(grammar, weights=CONVOLUTIONS, spatial=True)
    layers = [draw(st.sampled_from([igb.Conv2d(3, sigma_b2=0.1), igb.Conv2d(2, 1, "circular", 1.5)]))]
    for _ in range(draw(st.integers(0, 2))):
        layers = [*layers, *draw(part(grammar, 1)), draw(CONVOLUTIONS)]
    layers += draw(st.lists(grammar.linear() if grammar.exact else hidden(grammar, 1), max_size=1))
    layers.append(draw(st.one_of(narrowing(grammar), CONVOLUTIONS)))
    if not grammar.exact:
        layers += draw(st.lists(grammar.activation(), max_size=1))
    end = draw(st.sampled_from([igb.Flatten(), igb.GlobalAvgPool()]))
    return Case((*layers, end, *draw(behind(grammar))), **draw(inputs()), shape=(SIDE, SIDE))


@st.composite
def sequences(draw: st.DrawFn, /, grammar: Grammar = ANY) -> Case:
    """Return networks of tokens, which are patches of images: transformers and mixers among them."""
    grammar = replace(grammar, weights=OF_TOKENS, spatial=True)
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
        layers += draw(st.lists(hidden(grammar, 1), max_size=2))
        layers.append(draw(st.sampled_from(tokens)))
    layers += draw(st.lists(grammar.activation(), max_size=1))
    end = draw(st.sampled_from([igb.FirstToken(), igb.GlobalAvgPool(), igb.Flatten()]))
    return Case((*layers, end, *draw(behind(grammar))), **draw(inputs()), shape=(SIDE, SIDE))


def narrowing(grammar: Grammar) -> st.SearchStrategy[Layer]:
    """Return layers that read windows of images and may leave fewer positions."""
    drawn = [] if grammar.exact else [igb.MaxPool2d(2)]
    pools = [igb.AvgPool2d(2), igb.AvgPool2d(3, 2, 1), *drawn]
    strided = [igb.Conv2d(3, 2, 1, sigma_b2=0.1), igb.Conv2d(2, 2, "circular"), igb.DepthwiseConv2d(3, sigma_b2=0.2)]
    ways: list[Layer] = [igb.Concat(igb.Conv2d(3, 2, 1), (igb.AvgPool2d(2), igb.Conv2d(1)), shares=(1, 2))]
    return st.sampled_from([*strided, *pools, *ways])


def behind(grammar: Grammar) -> st.SearchStrategy[tuple[Layer, ...]]:
    """Return what reads the vectors that images or sequences become: the output, with a hidden part or none."""
    hidden = st.tuples(DENSE, replace(grammar, weights=DENSE, spatial=False).activation(), DENSE)
    return st.one_of(DENSE.map(lambda layer: (layer,)), hidden)


def inputs() -> st.SearchStrategy[dict[str, Any]]:
    """Return shift and variance of Gaussian inputs, and the seed of given data."""
    return st.fixed_dictionaries(
        {
            "shift": st.sampled_from([0.0, 0.4, -1.0]),
            "variance": st.sampled_from([1.0, 0.3]),
            "seed": st.integers(0, 99),
        }
    )
