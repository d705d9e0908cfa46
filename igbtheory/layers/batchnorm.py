"""BatchNorm: every unit centred and scaled over a batch of data."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory import checks
from igbtheory.averages.state import Moments
from igbtheory.layers.chain import each
from igbtheory.layers.gaussian import Gaussian
from igbtheory.layers.layer import Layer
from igbtheory.layers.node import Averaged, KernelNode, LawNode, Node, OfNode
from igbtheory.layers.normalised import Normalised
from igbtheory.layers.normalised_pairs import NormalisedPairs, Scaling, of_function
from igbtheory.layers.residual import Residual
from igbtheory.layers.scaling import by_others, divided_pairs, norm_text, normalised, scaled_law
from igbtheory.layers.share import share
from igbtheory.layers.strata import Strata
from igbtheory.numbers import FLOAT64

ESTIMATORS = ("exact", "proxy", "evaluation")


@final
@dataclass(frozen=True, init=False, repr=False)
class BatchNorm(Layer):
    """BatchNorm (X_a - <X>)/sqrt(<(X - <X>)^2> + eps), averages over the batch of datum a, unit by unit.

    batch_size: data in a batch, None for the full batch. law="exact": the canonical estimator, a datum in its own
    batch, PyTorch's training mode: in front of an activation B^2/(n - 1) ~ Beta(1/2, (n - 2)/2), full batch N(0, 1).
    law="proxy": every datum normalised by the n - 1 others, n > 4. law="evaluation": PyTorch's evaluation mode with
    fresh running statistics 0 and 1, X/sqrt(1 + eps). A unit that does not vary over its batch gives 0.
    Source: where-you-place-the-norm, Eq. 4, appendix E (proxy: Eqs. 27 to 61).
    """

    batch_size: int | None
    estimator: str
    eps: Any

    def __init__(self, batch_size: int | None = None, law: str = "exact", eps: Any = 0.0) -> None:
        checks.epsilon(eps)
        estimator = checks.known("law of BatchNorm", law, ESTIMATORS)
        size = None if batch_size is None else checks.whole("batch_size", batch_size, 2)
        if estimator == "proxy" and (size is None or size <= 4):
            raise ValueError(
                f'expected batch_size > 4 with law="proxy", whose variance n/(n - 4) ends there, got {batch_size}; use '
                'law="exact"'
            )
        for name, value in (("batch_size", size), ("estimator", estimator), ("eps", eps)):
            object.__setattr__(self, name, value)

    def law(self, node: LawNode) -> LawNode:
        if self.estimator == "evaluation":
            return self._evaluated(node)
        h = node.base.values if isinstance(node.base, Gaussian) else None
        if self.batch_size and h is not None and np.any(h.variance == h.covariance):
            raise ValueError(
                f"expected units that vary over the data in front of {self!r}, got units without var_chi, of which it "
                "makes 0; use sigma_w2 > 0"
            )
        if node.gaussian:
            return self._of_gaussian(node)
        return self._of_activation(node)

    def kernel(self, node: KernelNode) -> KernelNode:
        if self.estimator == "evaluation":
            return node if not self.eps else divided_pairs(node, 1 + node.n.number(self.eps))
        x = node.averaged()
        size = self.divides(len(x.q_ab))
        if self.estimator == "proxy":
            raise ValueError(
                f'expected law="exact" on a given data set, got {self!r}: the proxy is a law of Gaussian data'
            )
        scaling = Scaling(x, size, float(self.eps))
        return Node(node.n, NormalisedPairs(scaling)) if node.gaussian else of_function(node, scaling)

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        del rng, width
        if self.estimator == "evaluation":
            return np.asarray(x / np.sqrt(1 + x.dtype.type(self.eps)))
        batches = x.reshape(-1, self.divides(len(x)), x.shape[1])
        if self.estimator == "exact":
            return normalised(batches, self.eps, axis=1).reshape(x.shape)
        return by_others(batches, self.eps, axis=1).reshape(x.shape)

    def latex(self) -> str:
        size = "" if self.batch_size is None else f"_{{{self.batch_size}}}"
        return rf"\mathrm{{BN}}{size}(x)"

    def __repr__(self) -> str:
        size = [] if self.batch_size is None else [self.batch_size]
        law = [] if self.estimator == "exact" else [f"law={self.estimator!r}"]
        return norm_text("BatchNorm", *size, *law, eps=self.eps)

    @property
    def trains(self) -> bool:
        """Whether data of a batch depend on one another: not in evaluation mode."""
        return self.estimator != "evaluation"

    def _evaluated(self, node: LawNode) -> LawNode:
        if not self.eps:
            return node
        return scaled_law(node, node.averaged(), 1 + node.n.number(self.eps), centred=False)

    def _of_gaussian(self, node: LawNode) -> LawNode:
        """A Gaussian unit: in a full batch N(0, v/(v + eps)), v its variance over the batch."""
        x, eps = node.averaged(), node.n.number(self.eps)
        if self.batch_size is None:
            values = Moments(0, 0 * x.own, x.own / (x.own + eps), x.error)
            return Node(node.n, Gaussian(values))
        return Node(node.n, Normalised(self.batch_size, self.estimator, x.own, eps))

    def _of_activation(self, node: LawNode) -> LawNode:
        """A function of a unit: every batch has the mean 0 and the mean square 1, or 0 where the unit is constant."""
        n, size = node.n, self.batch_size
        if self.estimator == "proxy":
            raise ValueError(
                f"expected a Gaussian unit in front of {self!r}, got an activation: the proxy has a law for Gaussian "
                'units alone; use law="exact"'
            )
        if self.eps:
            q, error = share(node, self)
        else:
            q = n.number(1) - n.number(0 if size is None else node.constant(size))
            error = 0.0 if n is FLOAT64 else 1e-13 * float(np.any(q != 1))
        values = Moments(0, 0 * q, q, error, None if size is None else -q / (size - 1))
        return Node(n, Averaged(values, (0, 0), BatchNormalised(node, self)))

    def divides(self, data: int) -> int:
        """Data in a batch, refused where that does not divide the number of data."""
        size = self.batch_size or data
        if data % size:
            raise ValueError(
                f"expected a number of data that batches of {size} divide, got {data}; take "
                f"{max(size, data // size * size)} of them, or the full batch: BatchNorm()"
            )
        return size


@final
@dataclass(frozen=True)
class BatchNormalised(OfNode[Moments]):
    """Unit of a node behind a BatchNorm `norm`; its law."""

    norm: BatchNorm

    @property
    def what(self) -> str:
        return "a batch-normalised activation"

    def units(self, rng: Generator, count: int, size: int | None) -> NDArray[Any]:
        return normalised(self.node.units(rng, count, size), float(self.norm.eps), axis=-2)

    def spread(self, strata: Strata, count: int) -> NDArray[Any]:
        variance = self.node.spread(strata, count)[..., 1:, :]
        share = np.divide(variance, variance + float(self.norm.eps), out=np.zeros_like(variance), where=variance > 0)
        return np.concatenate([0 * share, share], axis=-2)


def batch_of(layers: Iterable[Layer]) -> BatchNorm | None:
    """The BatchNorm that says which batches there are; refused where two disagree."""
    found = {layer.batch_size: layer for layer in each(layers) if isinstance(layer, BatchNorm) and layer.trains}
    if len(found) > 1:
        first, second, *_ = found.values()
        raise ValueError(f"expected the same batches in a whole network, got {first!r} and {second!r}")
    return next(iter(found.values()), None)


def in_batches(layers: Sequence[Layer], size: int) -> tuple[Layer, ...]:
    """Layers whose full batch has `size` data."""
    return tuple(_in_batch(layer, size) for layer in layers)


def _in_batch(layer: Layer, size: int) -> Layer:
    if isinstance(layer, BatchNorm) and layer.trains and layer.batch_size is None:
        return BatchNorm(size, layer.estimator, layer.eps)
    if isinstance(layer, Residual):
        return Residual(*in_batches(layer.layers, size), scale=layer.scale)
    return layer
