"""A Dense over the tokens of sequences, the same for all channels."""

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.layers.few import Few
from igbtheory.layers.nodes.data import at_data, pairs_of
from igbtheory.layers.nodes.draws import Array
from igbtheory.layers.nodes.node import KernelNode
from igbtheory.layers.nodes.places import of_shape
from igbtheory.layers.spatial import OfTokens
from igbtheory.mathematics.averages.state import Pairs


@final
@dataclass(frozen=True, repr=False)
class TokenMixing(Few, OfTokens):
    """Sums Z_i(p) = sum_u M(p, u) X_i(u) + B(p) over the tokens u, with the same M and B for all channels i.

    M(p, u) ~ N(0, sigma_w2/tokens in front), B(p) ~ N(0, sigma_b2). tokens: number of tokens behind the layer; None: as
    many as in front. M and B have too few entries to average out, so that a prediction is a mean over draws of them. If
    B = 0, each draw has q_ab = M q_ab M^T.
    Source: Tolstikhin et al. 2021, MLP-Mixer.

    sigma_w2, sigma_b2: variances of the weights and biases. seed: of the draws of M and B; None: a fixed one.

    >>> net = igb.Network(igb.PatchEmbedding(4), igb.TokenMixing(), igb.Activation("gelu"), igb.Flatten(), igb.Dense())
    """

    tokens: int | None = None
    sigma_w2: Any = 1.0
    sigma_b2: Any = 0.0

    each_unit = True

    def __post_init__(self) -> None:
        if self.tokens is not None:
            object.__setattr__(self, "tokens", checks.counted("tokens", self.tokens, 1, variance="sigma_w2"))
        for name in ("sigma_w2", "sigma_b2"):
            checks.variance(name, getattr(self, name), "a TokenMixing")

    def positions(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        before = self.in_front_of(shape)
        return (self.tokens or before,)

    def kernel(self, node: KernelNode) -> KernelNode:
        before = self.in_front_of(node.shape)
        weights, biases = self._drawn(before, self.rng)
        x, mean, q_ab = moments_of_sums(node, weights)
        shift = np.tile(biases, len(mean) // len(biases))
        if not shift.any():
            behind = node.remade(self, pairs_of(node.n, x, q_ab, mean, x.error))
        else:
            q_ab = q_ab + np.outer(mean, shift) + np.outer(shift, mean + shift)
            behind = node.with_moments(self, pairs_of(node.n, x, q_ab, mean + shift, x.error))
        return replace(behind.naming(self), places=of_shape((len(weights),)))

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        weights, biases = self._drawn(self.in_front_of(x.shape[2:]), rng if self.seed is None else self.rng)
        return np.asarray(x @ weights.T.astype(x.dtype) + biases.astype(x.dtype))

    def _drawn(self, before: int, rng: Generator) -> tuple[Array, Array]:
        weights = rng.standard_normal((self.tokens or before, before))
        weights *= np.sqrt(float(self.sigma_w2) / before)
        biases = rng.standard_normal(len(weights)) * np.sqrt(float(self.sigma_b2))
        return weights, biases

    def latex(self) -> str:
        return rf"M x + B,\; \sigma_w^2 = {self.sigma_w2},\; \sigma_b^2 = {self.sigma_b2}"


def moments_of_sums(node: KernelNode, weights: Array) -> tuple[Pairs, Array, Array]:
    """Return the second moments of a node, and the means and the second moments of weighted sums over its tokens.

    weights: (tokens behind, tokens in front), the same for all data and channels.
    """
    x = node.averaged()
    mean = _sums(weights, at_data(x)[:, None])[:, 0]
    return x, mean, _sums(weights, _sums(weights, np.asarray(x.q_ab, dtype=float)).T)


def _sums(weights: Array, values: Array) -> Array:
    """Return sums over tokens of rows (data x tokens), shape (data x tokens behind, columns)."""
    sums = weights @ values.reshape(-1, weights.shape[1], values.shape[1])
    return np.asarray(sums.reshape(-1, values.shape[1]))
