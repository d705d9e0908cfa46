"""BatchNorm: every unit centred and scaled over a batch of data."""

from dataclasses import dataclass, replace
from math import prod
from typing import Any, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.layers.batches.kernel import NormalisedPairs, Scaling, of_function
from igbtheory.layers.batches.mean_square import FULL, drawn_square, known_square
from igbtheory.layers.batches.noise import noise_over_scale, normalised_noise
from igbtheory.layers.batches.normalised import Normalised
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.base import Units
from igbtheory.layers.nodes.draws import Array, Draws
from igbtheory.layers.nodes.gaussian import Gaussian
from igbtheory.layers.nodes.node import KernelNode, LawNode, Node, refuse_draws
from igbtheory.layers.nodes.places import at_positions, images
from igbtheory.layers.nodes.samples import behind, drawing
from igbtheory.layers.nodes.scaling import by_others, normalised
from igbtheory.mathematics.averages.state import Moments

ESTIMATORS = ("exact", "proxy", "evaluation")


@final
@dataclass(frozen=True, init=False, repr=False)
class BatchNorm(Layer):
    """BatchNorm (X_a - <X>)/sqrt(<(X - <X>)^2> + eps), averages over the batch of datum a, unit by unit.

    For images, averages include the positions.

    batch_size: data in a batch, None for the full batch. law="exact": averages include the datum itself, as in
    PyTorch's training mode; a Gaussian unit has B^2/(n - 1) ~ Beta(1/2, (n - 2)/2), N(0, 1) in the full batch.
    law="proxy": averages over the n - 1 other data, n > 4. law="evaluation": PyTorch's evaluation mode with
    fresh running statistics 0 and 1, X/sqrt(1 + eps). A unit that does not vary over its batch becomes 0.
    `estimator` is what `law` was given. Source: where-you-place-the-norm, Eq. 4, appendix E (proxy: Eqs. 27 to 61).

    law: "exact", "proxy" or "evaluation", as above. eps: what is added to the variance.

    >>> net = igb.Network(igb.Dense(), igb.BatchNorm(batch_size=16), igb.Activation("relu"), igb.Dense())
    >>> print(f"{net.predict().gamma:.4f}")
    0.4905
    """

    batch_size: int | None
    estimator: str
    eps: Any

    each_unit = True

    def __init__(self, batch_size: int | None = None, law: str = "exact", eps: Any = 0.0) -> None:
        checks.epsilon(eps)
        estimator = checks.known("law of BatchNorm", law, ESTIMATORS)
        size = None if batch_size is None else checks.counted("batch_size", batch_size, 2, checks.LARGEST)
        if estimator == "proxy" and (size is None or (isinstance(size, int) and size <= 4)):
            raise ValueError(
                f'expected batch_size > 4 with law="proxy", whose variance n/(n - 4) ends there, got {batch_size}; use '
                'law="exact"'
            )
        for name, value in (("batch_size", size), ("estimator", estimator), ("eps", eps)):
            object.__setattr__(self, name, value)

    def rule(self, node: Node[Any]) -> Node[Any]:
        if not self.trains:
            return node.over_root(1 + node.n.number(self.eps)) if self.eps else node
        if self.batch_size is None and node.passage.batch_size is not None:
            return self.in_batches(node.passage.batch_size).rule(node)
        return self._on_data(node) if node.base.on_data else self._of_law(node)

    def _of_law(self, node: LawNode) -> LawNode:
        h = node.base.values if isinstance(node.base, Gaussian) else None
        divides_by_0 = self.batch_size or not np.any(self.eps)
        if divides_by_0 and h is not None and np.any(h.unshared == 0):
            raise ValueError(
                f"expected units that vary over the data in front of {self!r}, got units without var_chi, of which it "
                "makes 0; use sigma_w2 > 0 and inputs that vary, such as GaussianInputs(0, 1)"
            )
        if node.gaussian:
            return self._of_gaussian(node)
        return self._of_function(node)

    def _on_data(self, node: KernelNode) -> KernelNode:
        x = node.averaged()
        count = prod(node.shape)
        size = count * self.divides(len(x.q_ab) // count)
        if self.estimator == "proxy":
            raise ValueError(
                f'expected law="exact" on a given data set, got {self!r}: the proxy is a law of Gaussian data'
            )
        if node.components:  # they stay as they are for the layers behind, which read all of them
            return super().rule(node)
        scaling = Scaling(node, x, size, float(self.eps))
        return node.after(NormalisedPairs(scaling)) if node.gaussian else of_function(self, scaling)

    def in_batches(self, size: int) -> "BatchNorm":
        """Return the layer with batches of `size` data where it has the full batch."""
        return BatchNorm(self.batch_size or size, self.estimator, self.eps) if self.trains else self

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        if self.estimator == "evaluation":
            return np.asarray(x / np.sqrt(1 + x.dtype.type(self.eps)))
        units = at_positions(x)  # a batch of images has the positions of all of them
        batches = units.reshape(-1, self.divides(len(x)) * (len(units) // len(x)), x.shape[1])
        of_batches = normalised if self.estimator == "exact" else by_others
        return images(of_batches(batches, self.eps, axis=1).reshape(units.shape), x.shape[2:])

    def latex(self) -> str:
        size = "" if self.batch_size is None else f"_{{{self.batch_size}}}"
        return rf"\mathrm{{BN}}{size}(x)"

    def __repr__(self) -> str:
        size = [] if self.batch_size is None else [str(self.batch_size)]
        law = [] if self.estimator == "exact" else [f"law={self.estimator!r}"]
        eps = [f"eps={self.eps}"] if self.eps else []
        return f"BatchNorm({', '.join([*size, *law, *eps])})"

    @property
    def whole(self) -> bool:
        return self.trains

    @property
    def trains(self) -> bool:
        """Whether data of a batch depend on one another: not in evaluation mode."""
        return self.estimator != "evaluation"

    def _of_gaussian(self, node: LawNode) -> LawNode:
        """Return the law of a Gaussian unit: in the full batch N(0, v/(v + eps)), v its variance over the batch."""
        x, eps = node.averaged(), node.n.number(self.eps)
        if self.batch_size is None:
            noise = normalised_noise(self, node)
            v = x.unshared
            return node.after(Gaussian(Moments(0, 0 * v, v / (v + eps), x.error, noise=noise)))
        # without eps the scale of a unit counts for nothing, and x.unshared may have no rule
        variance, error = (x.unshared, x.error) if self.eps else (x.variance, 0.0)
        noise = noise_over_scale(self.batch_size, x)
        unit = Normalised(self.batch_size, self.estimator, variance, eps, error, noise)
        return replace(node.after(unit), batch=self.batch_size)

    def _of_function(self, node: LawNode) -> LawNode:
        """Return the law of a unit that is not Gaussian: it has the mean 0 and the mean square E V/(V + eps).

        V is its variance over the batch. Data of different batches are uncorrelated, by symmetry.
        """
        size = self.batch_size
        if self.estimator == "proxy":
            raise ValueError(
                f"expected a Gaussian unit in front of {self!r}, got an activation: the proxy has a law for Gaussian "
                'units alone; use law="exact"'
            )
        square = known_square(node, size, self.eps)
        q, error = square or self._drawn_square(node)
        noise = None if size else normalised_noise(self, node)
        values = Moments(0, 0 * q, q, error, None if size is None else -q / (size - 1), noise=noise)
        behind = replace(node.with_moments(self, values), batch=size or node.batch)
        return behind if square else behind.naming(self)

    def _drawn_square(self, node: LawNode) -> tuple[Any, Any]:
        """Return the mean square behind the layer and its relative error, from draws."""
        if node.n.exact:  # gradients may go on from a mean square that is drawn: the noise itself has an exact rule
            refuse_draws(self, node)
        q, error = drawn_square(drawing(self, node), self.batch_size)
        return node.n.number(q), error + node.base.error

    def divides(self, data: int) -> int:
        """Return the number of data in a batch. A number of data that it does not divide is refused."""
        size = self.batch_size or data
        if data % size:
            raise ValueError(
                f"expected a number of data that batches of {size} divide, got {data}; take "
                f"{max(size, data // size * size)} of them, or the full batch: BatchNorm()"
            )
        return size


@behind.register
def _(layer: BatchNorm, node: Node[Any]) -> Units:
    """Return the function that draws units; for a full batch it draws many data, of which it returns some."""
    drawn = drawing(layer, node)
    if layer.batch_size is not None or not layer.trains:
        return drawn

    def kept(draws: Draws, count: int) -> Array:
        many = replace(draws, batches=max(FULL, draws.batches))
        units = drawn(many, count)
        groups = units.reshape(*units.shape[:-2], many.groups, -1, count)
        return groups[..., : draws.batches // draws.groups, :].reshape(*units.shape[:-2], -1, count)

    return kept
