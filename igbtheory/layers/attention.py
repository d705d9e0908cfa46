"""Self-attention of several heads, with independent Gaussian weights of queries, keys and values."""

from dataclasses import dataclass, replace
from math import prod
from typing import Any, final

import numpy as np
import scipy
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.foundations.device import product
from igbtheory.layers.chain import products
from igbtheory.layers.dropout import Dropout
from igbtheory.layers.few import Few
from igbtheory.layers.nodes.data import pairs_of
from igbtheory.layers.nodes.draws import Array
from igbtheory.layers.nodes.node import KernelNode, no_units, refuse_draws
from igbtheory.layers.nodes.places import Point, at_positions, images
from igbtheory.layers.spatial import OfTokens
from igbtheory.mathematics.averages.state import pivoted_root

SCALINGS = ("sqrt", "linear")
NEGLIGIBLE = 1e-3
"""Variance of a token that scores may lack, over that between the data: var_chi then changes by about 1e-4, and tokens
of similar images need few random numbers."""


@final
@dataclass(frozen=True, repr=False)
class Attention(Few, OfTokens):
    """Self-attention: a head computes sum_u A(p, u) V(u) over the tokens u, A(p, .) = softmax(Q(p) K(.)/sqrt(units)).

    All `heads` together have `width` units. Queries and keys have weights N(0, sigma_qk2/units of X) each, values
    N(0, sigma_v2/units of X): q_ab(p, p') = sigma_v2 <sum_uv A_a(p, u) A_b(p', v) q_ab(u, v)>, averaged over the heads,
    whose scores are Gaussian with the covariance sigma_qk2^2 q_ab(p, p') q_ab(u, v). Positions of
    images are tokens in rows from the top. causal: a token attends to itself and to those in front of it. groups: sets
    of tokens that attend to one another alone, as in the windows of a Swin transformer; None: one set of all.
    scaling="linear": scores Q K/(units of a head), which vanish in infinite width, so that all tokens have equal
    weight. sigma_vb2 is the variance of the biases of values; sigma_qkb2 times sigma_qk2 is that of the biases of
    queries and keys. Each head adds to each score its own number from N(0, sigma_s2); real models share such numbers
    between pairs of tokens at the same distance. dropout: the probability with which weights A(p, u) are dropped, as
    `Dropout` drops units; it adds sum_u A(p, u)^2 v(u) dropout/(1 - dropout) to q_aa(p, p), v the variance of a value.
    The output projection is the Dense behind the layer. Few heads do not average out: a prediction is a mean over drawn
    ones.
    Source: Hron et al. 2020, Infinite attention: NNGP and NTK for deep attention networks.

    heads: number of heads. sigma_qk2, sigma_v2: variances of the weights of queries and keys, and of values. scaling:
    "sqrt" or "linear", as above. sigma_qkb2, sigma_vb2, sigma_s2: variances of biases and of scores, as above. seed: of
    the heads that a prediction draws; None: a fixed one.

    >>> net = igb.Network(igb.PatchEmbedding(4), igb.Attention(heads=4), igb.Dense(), igb.Flatten(), igb.Dense())
    """

    heads: int = 1
    sigma_qk2: Any = 1.0
    sigma_v2: Any = 1.0
    scaling: str = "sqrt"
    causal: bool = False
    groups: tuple[tuple[int, ...], ...] | None = None
    sigma_qkb2: Any = 0.0
    sigma_vb2: Any = 0.0
    sigma_s2: Any = 0.0
    dropout: float = 0.0

    weighs = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "heads", checks.counted("heads", self.heads, 1))
        for name in ("sigma_qk2", "sigma_v2", "sigma_qkb2", "sigma_vb2", "sigma_s2"):
            checks.variance(name, getattr(self, name), "an Attention")
        object.__setattr__(self, "dropout", Dropout(self.dropout).p)
        checks.known("scaling", self.scaling, SCALINGS)
        checks.of_kind("causal=True or False", self.causal, bool, "causal=True")
        if self.groups is not None:
            groups = tuple(tuple(checks.counted("groups", token, 0) for token in group) for group in self.groups)
            object.__setattr__(self, "groups", groups)

    @property
    def few(self) -> bool:
        return self.scaling == "sqrt"

    def in_front_of(self, shape: Point) -> int:
        if not shape:
            return super().in_front_of(shape)
        tokens = prod(shape)
        if self.groups is not None and sorted(token for group in self.groups for token in group) != [*range(tokens)]:
            raise ValueError(
                f"expected each of the {tokens} tokens in one of the groups of an Attention, from 0 to {tokens - 1}, "
                f"got {len(self.groups)} groups of {sum(map(len, self.groups))} tokens; change groups"
            )
        return tokens

    def positions(self, shape: Point) -> Point:
        self.in_front_of(shape)
        return shape

    def _attended(self, tokens: int) -> NDArray[np.bool_]:
        """Return which tokens u a token p attends to, shape (tokens p, tokens u)."""
        attended = np.ones((tokens, tokens), dtype=bool)
        if self.groups is not None:
            number = np.empty(tokens, dtype=int)
            for i, group in enumerate(self.groups):
                number[list(group)] = i
            attended = number[:, None] == number
        return np.tril(attended) if self.causal else attended

    def kernel(self, node: KernelNode) -> KernelNode:
        self._refuse_scores(node)
        before = node.averaged()
        tokens = self.in_front_of(node.shape)
        q_ab = np.asarray(before.q_ab, dtype=float)
        variances = float(self.sigma_v2) * np.diagonal(q_ab).reshape(-1, 1, tokens) + float(self.sigma_vb2)
        noise = self.dropout / (1 - self.dropout) if node.passage.trains else 0.0
        mixed = np.zeros(q_ab.shape)
        for weights in self._weights(q_ab, tokens):
            mixed += _moved(float(self.sigma_v2) * weights, _moved(weights, q_ab).T)
            if noise:
                mixed += np.diag(noise * (weights**2 * variances).sum(axis=2).ravel())
        mixed /= self.heads if self.few else 1
        mixed += float(self.sigma_vb2)  # the weights of a token add up to 1, so that the biases of values stay
        values = pairs_of(node.n, replace(before, tangent=None), mixed, np.zeros(len(q_ab)), before.error)
        if before.tangent is not None:  # scores vanish, so that A is constant, and training moves the values alone
            (weights,) = self._weights(q_ab, tokens)
            behind_values = _moved(weights, _moved(weights, np.asarray(before.tangent, dtype=float)).T)
            values = replace(values, tangent=mixed + float(self.sigma_v2) * behind_values)
        behind = node.with_moments(no_units, values)
        return behind.naming(self) if self.few else behind

    def _refuse_scores(self, node: KernelNode) -> None:
        """Refuse formulas, and gradients of scores that do not vanish in infinite width."""
        if self.few and node.passage.gradients:
            raise ValueError(
                f"expected Attention with scaling='linear' for gradients, got {self!r}: gradients by the scores of a "
                "head contain its outputs, so that the tangent kernel of few heads stays random in infinite width, and "
                "depends on the outputs; pass scaling='linear', or leave the layer out"
            )
        if node.n.exact:
            refuse_draws(self, node)

    def _weights(self, q_ab: Array, tokens: int) -> Any:
        """Yield the weights A of every head, shape (data, tokens, tokens)."""
        attended = self._attended(tokens)
        if self.scaling == "linear":
            yield np.tile(attended / attended.sum(axis=1, keepdims=True), (len(q_ab) // tokens, 1, 1))
            return
        # single precision is enough for random weights
        root, rng = pivoted_root(q_ab, NEGLIGIBLE * _between_data(q_ab, tokens)).astype(np.float32), self.rng
        if self.sigma_qkb2:
            root = np.hstack([root, np.full((len(root), 1), np.sqrt(self.sigma_qkb2), dtype=np.float32)])
        by_datum = root.reshape(-1, tokens, root.shape[1])
        for _ in range(self.heads):
            drawn = root @ rng.standard_normal((root.shape[1],) * 2, dtype=np.float32)
            scores = drawn.reshape(by_datum.shape) @ by_datum.swapaxes(1, 2)
            yield _softmax(float(self.sigma_qk2) * scores.astype(float) + self._added(rng, tokens), attended)

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        tokens, units = self.in_front_of(x.shape[2:]), x.shape[1]
        if width % self.heads:
            raise ValueError(
                f"expected a width that the {self.heads} heads of {self!r} divide, got {width}; choose another width"
            )
        scales = np.sqrt(np.array([self.sigma_qk2, self.sigma_qk2, self.sigma_v2], dtype=float) / units)
        biases = np.sqrt(np.array([*[self.sigma_qk2 * self.sigma_qkb2] * 2, self.sigma_vb2], dtype=float))
        queries, keys, values = (
            self._linear(x, scale, bias, rng, width).reshape(len(x), tokens, self.heads, -1).swapaxes(1, 2)
            for scale, bias in zip(scales.tolist(), biases.tolist(), strict=True)
        )
        size = width // self.heads
        scores = queries @ keys.swapaxes(2, 3) / x.dtype.type(np.sqrt(size) if self.scaling == "sqrt" else size)
        if self.sigma_s2:
            scores = scores + np.stack([self._added(rng, tokens) for _ in range(self.heads)]).astype(x.dtype)
        weights = _softmax(scores, self._attended(tokens))
        if self.dropout:
            weights = Dropout(self.dropout).samples(weights, rng, width)
        outputs = (weights @ values).swapaxes(1, 2).reshape(len(x) * tokens, width)
        return np.asarray(images(outputs, x.shape[2:]))

    def _added(self, rng: Generator, tokens: int) -> Array:
        """Return the numbers that a head adds to its scores."""
        if not self.sigma_s2:
            return np.zeros((tokens, tokens))
        return np.asarray(np.sqrt(float(self.sigma_s2)) * rng.standard_normal((tokens, tokens)))

    @staticmethod
    def _linear(x: NDArray[Any], scale: float, bias: float, rng: Generator, width: int) -> NDArray[Any]:
        """Return sums of units with these standard deviations of weights and biases, (data x tokens, width)."""
        weights = rng.standard_normal((x.shape[1], width), dtype=x.dtype) * x.dtype.type(scale)
        sums: NDArray[Any] = product(at_positions(x), weights)
        return sums + x.dtype.type(bias) * rng.standard_normal(width, dtype=x.dtype) if bias else sums

    def latex(self) -> str:
        return rf"\mathrm{{attention}}_{{{self.heads}}} x"


@products.register
def _(layer: Attention, units: int) -> int:
    return 3 * units  # queries, keys and values


def _softmax(scores: NDArray[Any], attended: NDArray[np.bool_]) -> NDArray[Any]:
    """Return the softmax of scores (..., p, u) over the tokens u to which p attends; the others have no weight."""
    weights: NDArray[Any] = scipy.special.softmax(np.where(attended, scores, -np.inf), axis=-1)
    return weights


def _between_data(q_ab: Array, tokens: int) -> float:
    """Return the variance of a unit between the data at one token, averaged over the tokens."""
    by_token = np.einsum("apbp->p", q_ab.reshape(-1, tokens, len(q_ab) // tokens, tokens))
    return float(np.diagonal(q_ab).mean() - by_token.mean() / (len(q_ab) // tokens) ** 2)


def _moved(weights: Array, q_ab: Array) -> Array:
    """Return sum_u A_a(p, u) q_ab(u, p'), for matrices over all data at all positions."""
    return np.asarray((weights @ q_ab.reshape(*weights.shape[:2], -1)).reshape(q_ab.shape))
