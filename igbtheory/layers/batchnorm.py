"""BatchNorm: every unit centred and scaled over a batch of data."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory import checks
from igbtheory.averages.state import Moments
from igbtheory.layers.chain import each
from igbtheory.layers.draws import SPARE, Array, Draws, replicated, standard_error
from igbtheory.layers.gaussian import Gaussian
from igbtheory.layers.general import combined, refuse_exact
from igbtheory.layers.layer import Layer
from igbtheory.layers.node import KernelNode, LawNode, Node, Units
from igbtheory.layers.normalised import Normalised
from igbtheory.layers.residual import Residual
from igbtheory.layers.scaling import by_others, divided_pairs, norm_text, normalised, scaled_law
from igbtheory.numbers import FLOAT64

ESTIMATORS = ("exact", "proxy", "evaluation")
FULL = 2**9
"""Data that stand for the full batch where it is drawn."""
CONSTANT = 1e-13
"""Relative error of the probability that a unit does not vary over a batch, which is known in double precision."""


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
        if estimator == "proxy" and (size is None or (isinstance(size, int) and size <= 4)):
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
        return self._of_function(node)

    def kernel(self, node: KernelNode) -> KernelNode:
        if self.estimator == "evaluation":
            return node if not self.eps else divided_pairs(node, self, 1 + node.n.number(self.eps))
        x = node.averaged()
        size = self.divides(len(x.q_ab))
        if self.estimator == "proxy":
            raise ValueError(
                f'expected law="exact" on a given data set, got {self!r}: the proxy is a law of Gaussian data'
            )
        from igbtheory.layers.given_batches import NormalisedPairs, Scaling, of_function  # noqa: PLC0415 - a law needs none

        scaling = Scaling(x, size, float(self.eps))
        return node.after(NormalisedPairs(scaling)) if node.gaussian else of_function(self, node, scaling)

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
    def whole(self) -> bool:
        return self.trains

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
            return node.after(Gaussian(Moments(0, 0 * x.own, x.own / (x.own + eps), x.error)))
        lost = x.error if self.eps else 0.0  # without eps the scale of a unit counts for nothing
        unit = Normalised(self.batch_size, self.estimator, x.own, eps, node.draws_within, lost)
        return replace(node.after(unit), batch=self.batch_size)

    def _of_function(self, node: LawNode) -> LawNode:
        """A function of a unit: its values in a batch have the mean 0 and the mean square V/(V + eps), or 0.

        V is their variance over the batch. Data of different batches share nothing, by symmetry.
        """
        size = self.batch_size
        if self.estimator == "proxy":
            raise ValueError(
                f"expected a Gaussian unit in front of {self!r}, got an activation: the proxy has a law for Gaussian "
                'units alone; use law="exact"'
            )
        q, error, estimated = self._mean_square(node)
        values = Moments(0, 0 * q, q, error, None if size is None else -q / (size - 1))
        found = replace(node.with_moments(self, values, constant=node.constant), batch=size or node.batch)
        return found.naming(self) if estimated else found

    def _mean_square(self, node: LawNode) -> tuple[Any, Any, bool]:
        """Mean of V/(V + eps), its relative error, and whether it was estimated from draws."""
        n, size = node.n, self.batch_size
        one, eps = n.number(1), n.number(self.eps)
        if size is None and not self.eps:
            return one, 0.0, False
        if size is None and isinstance(node.base, Gaussian) and not np.any(node.base.values.var_mu != 0):
            x = node.averaged()  # data share nothing, so that all units have the same variance over them
            return x.var_chi / (x.var_chi + eps), x.error, False
        constant = None if size is None else node.constant(size)
        if constant is not None and not self.eps:
            rounding = 0.0 if n is FLOAT64 else CONSTANT * float(np.any(constant != 0))
            return one - n.number(constant), rounding, False
        refuse_exact(self, n)
        q, error = mean_square_in_batches(super().behind(node), size, constant)
        return n.number(q), error + node.base.error, True

    def behind(self, node: Node[Any]) -> Units:
        """Return what draws units behind the layer; a full batch is drawn with many data, of which some are kept."""
        drawn = super().behind(node)
        if self.batch_size is not None or not self.trains:
            return drawn

        def kept(draws: Draws, count: int) -> Array:
            many = replace(draws, batches=max(FULL, draws.batches))
            found = drawn(many, count)
            groups = found.reshape(*found.shape[:-2], many.groups, -1, count)
            return groups[..., : draws.batches // draws.groups, :].reshape(*found.shape[:-2], -1, count)

        return kept

    def divides(self, data: int) -> int:
        """Data in a batch, refused where that does not divide the number of data."""
        size = self.batch_size or data
        if data % size:
            raise ValueError(
                f"expected a number of data that batches of {size} divide, got {data}; take "
                f"{max(size, data // size * size)} of them, or the full batch: BatchNorm()"
            )
        return size


def mean_square_in_batches(units: Units, size: int | None, constant: Any) -> tuple[Any, Any]:
    """Return the mean square of normalised units over batches of `size` data, None for all, and its relative error.

    constant: the known probability that a unit does not vary over its batch, which makes it 0; None counts the chance
    of what no draw has seen, SPARE units of all that were drawn.
    """

    def squares(draws: Draws) -> Array:
        square = np.mean(np.square(units(draws, draws.points)), axis=-2)
        varies = (square > 0).mean(axis=-1)
        return np.stack([square.mean(axis=-1), varies, np.full_like(varies, draws.points)], axis=-1)

    found = replicated(squares, 1, size) if size else replicated(squares, FULL, 1, 1)
    square, varies = found[..., 0], found[..., 1]
    if size is None:
        value, error = combined(replicated(squares, FULL // 4, 1, 1)[..., 0], square, 4)
    elif constant is None:
        value, error = square.mean(axis=0), SPARE * standard_error(square)
    else:  # the mean over the units that vary, whose share of all is known
        share = np.maximum(varies.mean(axis=0), 1 / found[..., 2].sum(axis=0))
        ratio = square.mean(axis=0) / share
        value = (1 - constant) * ratio
        error = SPARE * (1 - constant) * standard_error(square - ratio * varies) / share
    unseen = 0.0 if size is None or constant is not None else SPARE / found[..., 2].sum(axis=0)
    relative = np.where(value > 0, error / np.where(value > 0, value, 1), 1.0)
    return np.clip(value, 0, 1)[()], (relative + unseen + 8 * FLOAT64.epsilon)[()]


def batch_of(layers: Iterable[Layer]) -> BatchNorm | None:
    """The BatchNorm that says which batches there are; refused where two disagree."""
    found = {layer.batch_size: layer for layer in each(layers) if isinstance(layer, BatchNorm) and layer.trains}
    if len(found) > 1:
        first, second, *_ = found.values()
        raise ValueError(f"expected the same batches in a whole network, got {first!r} and {second!r}")
    return next(iter(found.values()), None)


def sees_batches(layers: Iterable[Layer]) -> bool:
    """Return whether a BatchNorm with eps > 0 sees how data of a batch vary together in front of it."""
    found = (layer for layer in each(layers) if isinstance(layer, BatchNorm) and layer.trains)
    return any(layer.batch_size is not None and bool(np.any(layer.eps)) for layer in found)


def in_batches(layers: Sequence[Layer], size: int) -> tuple[Layer, ...]:
    """Layers whose full batch has `size` data."""
    return tuple(_in_batch(layer, size) for layer in layers)


def _in_batch(layer: Layer, size: int) -> Layer:
    if isinstance(layer, BatchNorm) and layer.trains and layer.batch_size is None:
        return BatchNorm(size, layer.estimator, layer.eps)
    if isinstance(layer, Residual):
        return Residual(*in_batches(layer.layers, size), scale=layer.scale)
    return layer
