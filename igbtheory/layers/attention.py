"""Self-attention of several heads, with independent Gaussian weights of queries, keys and values."""

from dataclasses import dataclass
from math import prod
from typing import Any, final

import numpy as np
import scipy
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.foundations.device import product
from igbtheory.layers.few import Few
from igbtheory.layers.nodes.data import pairs_of
from igbtheory.layers.nodes.draws import Array
from igbtheory.layers.nodes.node import KernelNode, no_units, refuse_draws
from igbtheory.layers.nodes.places import at_positions, images
from igbtheory.layers.spatial import OfData, refuse_vectors
from igbtheory.mathematics.averages.state import pivoted_root

SCALINGS = ("sqrt", "linear")


@final
@dataclass(frozen=True, repr=False)
class Attention(Few, OfData):
    """Self-attention: a head computes sum_u A(p, u) V(u) over the positions u, A(p, .) = softmax(Q(p) K(.)/sqrt(units)).

    All `heads` together have `width` units. Queries and keys have weights N(0, sigma_qk2/units of X) each, values
    N(0, sigma_v2/units of X): q_ab(p, p') = sigma_v2 <sum_uv A_a(p, u) A_b(p', v) q_ab(u, v)>, averaged over the heads,
    whose scores are Gaussian with the covariance sigma_qk2^2 q_ab(p, p') q_ab(u, v).
    scaling="linear": scores Q K/(units of a head), which vanish in infinite width, so that all tokens have equal
    weight. causal: a position sees itself and those in front of it alone. groups: tuples of positions that see one
    another, such as the windows of a Swin transformer; None: all do. Biases: sigma_qkb2 is the variance of those of
    queries and keys as a multiple of sigma_qk2, sigma_vb2 that of values; sigma_s2 is the variance of a number that each
    head adds to each score, as for relative positions, whose sharing between pairs is left out. The output projection
    is the Dense behind the layer. Few heads do not average out: a prediction is a mean over drawn ones.
    Sources: Hron et al. 2020, Infinite attention: NNGP and NTK for deep attention networks; Liu et al. 2021, Swin
    transformer.
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

    weighs = True
    whole = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "heads", checks.whole("heads", self.heads, 1))
        for name in ("sigma_qk2", "sigma_v2", "sigma_qkb2", "sigma_vb2", "sigma_s2"):
            checks.variance(name, getattr(self, name), "an Attention")
        checks.known("scaling", self.scaling, SCALINGS)
        if self.groups is not None:
            object.__setattr__(self, "groups", tuple(tuple(map(int, group)) for group in self.groups))

    @property
    def few(self) -> bool:
        return self.scaling == "sqrt"

    def positions(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        if not shape:
            refuse_vectors(self, shape, 1)
        inside = sorted(position for group in self.groups or () for position in group)
        if self.groups is not None and inside != list(range(prod(shape))):
            raise ValueError(
                f"expected each of the {prod(shape)} positions in one of the groups of {self!r}, got {inside}; change "
                "the groups, or leave them out"
            )
        return shape

    def products(self, units: int) -> int:
        return 3 * units  # queries, keys and values

    def kernel(self, node: KernelNode) -> KernelNode:
        refuse_draws(self, node)
        before = node.averaged()
        count = prod(self.positions(node.shape))
        q_ab = np.asarray(before.q_ab, dtype=float)
        heads = [_moved(weights, _moved(weights, q_ab).T) for weights in self._weights(q_ab, count)]
        # the weights of a position add up to 1, so that biases of values stay as they are
        mixed = float(self.sigma_v2) * np.mean(heads, axis=0) + float(self.sigma_vb2)
        values = pairs_of(node.n, before, mixed, np.zeros(len(q_ab)), before.error)
        behind = node.with_moments(no_units, values)
        return behind.naming(self) if self.few else behind

    def _weights(self, q_ab: Array, count: int) -> Any:
        """Yield the weights A of every head, shape (data, positions, positions)."""
        hidden = self._hidden(count)
        if self.scaling == "linear":
            yield np.broadcast_to(scipy.special.softmax(hidden, axis=-1), (len(q_ab) // count, count, count))
            return
        # single precision is enough for random weights
        root, rng = pivoted_root(q_ab).astype(np.float32), self.rng
        bias = np.full((len(root), 1), np.sqrt(float(self.sigma_qkb2)), dtype=np.float32)
        root = np.hstack([root, bias]) if self.sigma_qkb2 else root
        by_datum = root.reshape(-1, count, root.shape[1])
        for _ in range(self.heads):
            drawn = root @ rng.standard_normal((root.shape[1],) * 2, dtype=np.float32)
            scores = float(self.sigma_qk2) * (drawn.reshape(by_datum.shape) @ by_datum.swapaxes(1, 2)).astype(float)
            yield scipy.special.softmax(scores + self._added(rng, count) + hidden, axis=-1)

    def _hidden(self, count: int) -> Array:
        """Return what hides positions from one another in the scores: 0 or -inf, shape (positions, positions)."""
        seen = np.ones((count, count), dtype=bool)
        if self.groups is not None:
            group = np.empty(count, dtype=int)
            for number, positions in enumerate(self.groups):
                group[list(positions)] = number
            seen = group[:, None] == group
        return np.where(np.tril(seen) if self.causal else seen, 0.0, -np.inf)

    def _added(self, rng: Generator, count: int) -> Array | float:
        """Return the numbers that a head adds to its scores."""
        if not self.sigma_s2:
            return 0.0
        return np.sqrt(float(self.sigma_s2)) * rng.standard_normal((count, count))

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        count, units = prod(self.positions(x.shape[2:])), x.shape[1]
        if width % self.heads:
            raise ValueError(
                f"expected a width that the {self.heads} heads of {self!r} divide, got {width}; choose another width"
            )
        scales = np.sqrt(np.array([self.sigma_qk2, self.sigma_qk2, self.sigma_v2]) / units)
        biases = np.sqrt(np.array([*[self.sigma_qk2 * self.sigma_qkb2] * 2, self.sigma_vb2], dtype=float))
        queries, keys, values = (
            self._linear(x, scale, bias, rng, width).reshape(len(x), count, self.heads, -1).swapaxes(1, 2)
            for scale, bias in zip(scales, biases, strict=True)
        )
        size = width // self.heads
        scores = queries @ keys.swapaxes(2, 3) / x.dtype.type(np.sqrt(size) if self.scaling == "sqrt" else size)
        added = np.stack([np.zeros((count, count)) + self._added(rng, count) for _ in range(self.heads)])
        weights = scipy.special.softmax(scores + (added + self._hidden(count)), axis=-1).astype(x.dtype)
        outputs = (weights @ values).swapaxes(1, 2).reshape(len(x) * count, width)
        return np.asarray(images(outputs, x.shape[2:]))

    @staticmethod
    def _linear(x: NDArray[Any], scale: float, bias: float, rng: Generator, width: int) -> NDArray[Any]:
        """Return sums of units with these standard deviations of weights and biases, (data x positions, width)."""
        weights = rng.standard_normal((x.shape[1], width), dtype=x.dtype) * x.dtype.type(scale)
        sums: NDArray[Any] = product(at_positions(x), weights)
        return sums + x.dtype.type(bias) * rng.standard_normal(width, dtype=x.dtype) if bias else sums

    def latex(self) -> str:
        return rf"\mathrm{{attention}}_{{{self.heads}}} x"


def _moved(weights: Array, q_ab: Array) -> Array:
    """Return sum_u A_a(p, u) q_ab(u, p'), for matrices over all data at all positions."""
    return np.asarray((weights @ q_ab.reshape(*weights.shape[:2], -1)).reshape(q_ab.shape))

