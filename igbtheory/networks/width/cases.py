"""Gaussian inputs and data sets: which networks are drawn for their moments, how these are read, and for their law."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

import numpy as np

from igbtheory.foundations.threads import one_thread
from igbtheory.layers.batch_sizes import batch_of
from igbtheory.layers.chain import data_made, entering, shapes
from igbtheory.layers.inputs import GaussianInputs
from igbtheory.layers.layer import Layer
from igbtheory.networks.simulation.estimates import TIED
from igbtheory.networks.width.chain import Array, Chain, FreshDense, Precision, chain
from igbtheory.networks.width.data import GaussianData, RandomData, RandomPairs
from igbtheory.networks.width.laws import Features, Kernels, outputs_of_several, several
from igbtheory.networks.width.mixing import mixes
from igbtheory.networks.width.moments import among, moments_of

if TYPE_CHECKING:
    from igbtheory.guesses.outputs_at_data import KernelOutputs
    from igbtheory.guesses.source import OutputsAtData, Source
    from igbtheory.networks.simulation.estimates import LayerEstimates


IMAGES = 100
"""Largest number of images or sequences of a network: of 4950 pairs the scatter is less than that of networks."""
ALONE = np.array([0]), np.array([1])
"""The pair of two data."""
PROBES = 10
"""Number of networks that decide on the precision."""
ALIKE = 1e-10
"""Least var_chi, relative to the mean square, in single precision, whose rounding errors add about 1e-14, and 1e-8 to
angles, which are of the order of its root."""
SMALL, LARGE = 1e-20, 1e20
"""Mean squares of outputs between which single precision is safe: their products keep within 1e-38 and 1e38."""


class Case(ABC):
    """Networks on some kind of inputs."""

    @property
    def positions(self) -> bool:
        """Whether the data are images or sequences."""
        return False

    @cached_property
    def precision(self) -> Precision:
        """The precision of units that a few networks in double precision need; single precision is faster.

        Networks on images and sequences take long to draw, and have single precision as in `simulate`.
        """
        if self.positions:
            return "float32"
        moments = drawn_moments(self, "float64", PROBES, np.random.SeedSequence(0))
        squares, apart, angles = moments[..., :2].sum(axis=-1), moments[..., 1], 0.25 - moments[..., 2].mean(axis=0)
        safe = squares[squares > 0].min(initial=LARGE) > SMALL and squares.max() < LARGE
        unlike = np.all(apart >= ALIKE * squares) and np.all(angles >= ALIKE**0.5)
        return "float32" if safe and unlike else "float64"

    @abstractmethod
    def drawn(self, precision: Precision) -> Chain:
        """Return the networks that give the moments."""

    @abstractmethod
    def at_positions(self, count: int) -> Chain:
        """Return networks with all data of a data set, or with about so many Gaussian data."""

    @abstractmethod
    def reading(self, x: Array, dense: FreshDense) -> Array:
        """Return four moments of every network, see `moments_of`, from what a Dense reads."""

    @abstractmethod
    def source(self, per_layer: "LayerEstimates", networks: int, seeds: np.random.SeedSequence) -> "Source":
        """Return the outputs whose law of G0 has the variance in `per_layer`, which so many networks gave."""

    @abstractmethod
    def outputs(self, per_layer: "LayerEstimates", seeds: np.random.SeedSequence) -> "OutputsAtData":
        """Return outputs that can be drawn, at given data or at new ones."""


@final
@dataclass(frozen=True)
class GaussianCase(Case):
    """Pairs of Gaussian data, or of batches where a BatchNorm mixes them.

    units: the features of the data and the units that each layer with weights makes, the output last.
    """

    layers: Sequence[Layer]
    inputs: GaussianInputs
    units: Sequence[int]

    def drawn(self, precision: Precision) -> Chain:
        return self.batches(2, precision)

    def batches(self, count: int, precision: Precision) -> Chain:
        """Return networks with so many batches."""
        rows = count * self.batch
        data = GaussianData(self.inputs, rows, self.units[0], "float64")
        return chain(self.layers, self.units, data, self.batch, precision)

    def at_positions(self, count: int) -> Chain:
        return self.batches(-(-count // self.batch), "float32")

    def reading(self, x: Array, dense: FreshDense) -> Array:
        first = np.arange(self.batch)
        pairs = first, first + self.batch
        return moments_of(x, dense.sigma_w2, dense.sigma_b2, pairs=pairs, batch=self.batch)

    def source(self, per_layer: "LayerEstimates", networks: int, seeds: np.random.SeedSequence) -> "Source":
        if per_layer.ties[-1] > TIED:
            return self.outputs(per_layer, seeds)
        count = several(self.batch)
        variance, error = float(per_layer.var_g0[-1]), float(per_layer.var_g0_error[-1])
        return outputs_of_several(variance, error, self.batches(count, self.precision), count, networks, seeds)

    def outputs(self, per_layer: "LayerEstimates", seeds: np.random.SeedSequence) -> "OutputsAtData":
        from igbtheory.guesses.outputs_at_data import FeatureOutputs  # noqa: PLC0415 - not every user needs the law
        from igbtheory.guesses.source import DATA  # noqa: PLC0415 - as above

        drawn = self.batches(-(-DATA // self.batch), self.precision)
        features = Features(drawn, int(seeds.generate_state(1)[0]))
        return FeatureOutputs(drawn.rows, float(per_layer.var_g0[-1]), float(per_layer.ties[-1]), features)

    @cached_property
    def batch(self) -> int:
        """Number of data of a batch, 1 if every datum is on its own; a batch that is not given is refused."""
        batch = batch_of(self.layers)
        if batch is not None and batch.batch_size is not None:
            return batch.batch_size
        if mixes(self.layers):
            raise ValueError(
                "expected layers that act on every datum alone, or BatchNorm with a batch_size, got "
                f"{batch or 'a layer of your own'!r}, which mixes all Gaussian data; give its batch_size, or predict "
                "on a data set"
            )
        return 1


@final
@dataclass(frozen=True)
class DataCase(Case):
    """Networks with data of a data set: a random pair of vectors, random images, or all data if a layer mixes them.

    data: with the units on the second axis; units: as above.
    """

    layers: Sequence[Layer]
    data: Array
    units: Sequence[int]

    @property
    def positions(self) -> bool:
        return any(shapes(self.layers, self.data.shape[2:]))

    def drawn(self, precision: Precision) -> Chain:
        if self._paired:
            return chain(self.layers, self.units, RandomPairs(self.data), 1, precision)
        batch = batch_of(self.layers)
        if batch is not None:
            batch.divides(len(self.data))
        return self._of(self._rows, precision)

    def at_positions(self, count: int) -> Chain:
        return self._of(len(self.data), "float32")

    def reading(self, x: Array, dense: FreshDense) -> Array:
        size = len(self.data)
        whole = not self._paired and self._rows == size
        pairs = ALONE if self._paired else None
        moments = moments_of(x, dense.sigma_w2, dense.sigma_b2, pairs=pairs, itself=whole)
        return moments if whole else among(size, moments)

    def source(self, per_layer: "LayerEstimates", networks: int, seeds: np.random.SeedSequence) -> "Source":
        return self.outputs(per_layer, seeds)

    def outputs(self, per_layer: "LayerEstimates", seeds: np.random.SeedSequence) -> "KernelOutputs":
        from igbtheory.guesses.outputs_at_data import KernelOutputs  # noqa: PLC0415 - as above

        drawn = self._of(len(self.data), self.precision)
        kernels = Kernels(drawn, int(seeds.generate_state(1)[0]))
        return KernelOutputs(drawn.rows, float(per_layer.var_g0[-1]), kernels, float(per_layer.ties[-1]))

    def _of(self, rows: int, precision: Precision) -> Chain:
        """Return networks with so many of the data."""
        # small distances of vectors keep their digits: see `FreshDense`
        given = self.data.astype(precision) if self.positions else self.data
        return chain(self.layers, self.units, RandomData(given, rows), rows, precision)

    @cached_property
    def _paired(self) -> bool:
        return not self.positions and not mixes(self.layers)

    @cached_property
    def _rows(self) -> int:
        """Number of data of a network. Tokens that become data of their own are those of all texts."""
        whole = mixes(self.layers) or data_made(self.layers, self.data.shape[2:]) > 1
        return len(self.data) if whole else min(len(self.data), IMAGES)


def case_of(layers: Sequence[Layer], inputs: Any, units: Sequence[int]) -> Case:
    """Return what is drawn on these inputs. units: as the cases take them."""
    if isinstance(inputs, GaussianInputs):
        return GaussianCase(layers, inputs, units)
    return DataCase(layers, entering(layers, inputs), units)


def drawn_moments(
    case: Case,
    precision: Precision,
    networks: int,
    seeds: np.random.SeedSequence,
    *,
    everywhere: bool = False,
) -> Array:
    """Return four moments of every network after every Dense, shape (networks, dense layers, 4).

    everywhere: behind every layer instead, of a Dense that reads the units there, and after the output.
    """
    drawn, blocks = case.drawn(precision), []
    read = drawn.everywhere if everywhere else drawn.features
    with one_thread(), np.errstate(over="ignore", invalid="ignore"):
        for seed, size in drawn.blocks(networks, seeds):
            rng = np.random.default_rng(seed)
            blocks.append(np.stack([case.reading(x, dense) for x, dense in read(rng, size)], axis=1))
    moments = np.concatenate(blocks)
    if not np.isfinite(moments).all():
        raise ValueError(
            "expected activations within double precision, got overflow; scale the inputs or the variances down"
        )
    return moments
