"""A Dense over the tokens of sequences, the same for all channels."""

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory import checks
from igbtheory.layers.data import at_data, either_way, pairs_of
from igbtheory.layers.draws import Array
from igbtheory.layers.few import Few
from igbtheory.layers.node import KernelNode
from igbtheory.layers.places import of_shape
from igbtheory.layers.spatial import OfTokens


@final
@dataclass(frozen=True)
class TokenMixing(Few, OfTokens):
    """Sums Z_i(p) = sum_u M(p, u) X_i(u) over the tokens u, with the same M for all channels i.

    M(p, u) ~ N(0, sigma_w2/tokens in front). tokens: behind the layer; None: as many as in front. q_ab behind is
    M q_ab M^T. Few numbers M do not average out: a prediction is a mean over drawn ones.
    Source: Tolstikhin et al. 2021, MLP-Mixer.
    """

    tokens: int | None = None
    sigma_w2: Any = 1.0

    def __post_init__(self) -> None:
        if self.tokens is not None:
            object.__setattr__(self, "tokens", checks.whole("tokens", self.tokens, 1))
        checks.variance("sigma_w2", self.sigma_w2, "a TokenMixing")

    def positions(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        before = self.in_front_of(shape)
        return (self.tokens or before,)

    def kernel(self, node: KernelNode) -> KernelNode:
        before = self.in_front_of(node.places.shape if node.places else ())
        x, weights = node.averaged(), self._weights(before, self.rng)
        half = mixed(weights, np.asarray(x.q_ab, dtype=float))
        mean = mixed(weights, at_data(node.means()[0], len(x.q_ab))[:, None])[:, 0]
        values = pairs_of(node.n, x, mixed(weights, half.T), x.error)
        found = node.remade(self, values, either_way(node.n, mean) if mean.any() else (0, 0))
        return replace(found.naming(self), places=of_shape((len(weights),)))

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        del width
        weights = self._weights(self.in_front_of(x.shape[2:]), rng if self.seed is None else self.rng)
        return np.asarray(x @ weights.T.astype(x.dtype))

    def _weights(self, before: int, rng: Generator) -> Array:
        weights = rng.standard_normal((self.tokens or before, before))
        weights *= np.sqrt(float(self.sigma_w2) / before)
        return weights

    def latex(self) -> str:
        return rf"M x,\; \sigma_w^2 = {self.sigma_w2}"

    def __repr__(self) -> str:
        return f"TokenMixing({self.tokens}, sigma_w2={self.sigma_w2})"


def mixed(weights: Array, values: Array) -> Array:
    """Return sums over tokens of rows (data x tokens), shape (data x tokens behind, columns)."""
    found = weights @ values.reshape(-1, weights.shape[1], values.shape[1])
    return np.asarray(found.reshape(-1, values.shape[1]))
