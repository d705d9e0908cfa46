"""Outputs that are drawn at data: given a network's kernel or features, one is a Gaussian vector."""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.guesses.sampled import estimate
from igbtheory.guesses.source import OfGuesses, OutputsAtData, Statistic
from igbtheory.mathematics.averages.state import pivoted_root

OUTPUTS = 2**24
"""Largest number of outputs that are held at once: 128 MiB in double precision."""
LARGEST = 8192
"""Largest number of data whose kernel is factorised: 512 MiB."""
SHIFTS = 2
"""Number of pairs for each of a thousand data of a network, among which correlations scatter less than networks."""
PAIRS = 2**17
"""Number of pairs of data whose covariances are computed at a time: 1 MiB for each number of a pair."""


@dataclass(frozen=True, eq=False, repr=False)
class RootedOutputs(OutputsAtData):
    """Outputs at data of which a network has a matrix L, (size, columns): one is L times a standard normal vector.

    The difference of two outputs has the law of one. Where it is 0 the outputs tie, and argmax returns class 0.
    """

    size: int
    variance: float

    @abstractmethod
    def roots(self) -> Sequence[NDArray[Any]]:
        """Return the matrix L of each of some networks. If one matrix serves all networks, it is the only one."""

    @cached_property
    def _roots(self) -> Sequence[NDArray[Any]]:
        return self.roots()

    @property
    def networks(self) -> int:  # type: ignore[override] # known once they are drawn
        """Number of networks whose outputs are drawn, 1 if they do not differ in their kernels."""
        return len(self._roots)

    def of_networks(self, count: int, rng: np.random.Generator, classes: int = 1) -> Iterator[NDArray[np.float64]]:
        """Yield `count` draws of the outputs of `classes` classes at all data, arrays (size, draws, classes).

        All networks have as many draws, up to one, and those of a network follow one another.
        """
        networks = min(self.networks, count)
        chosen = rng.permutation(self.networks)[:networks]
        most = max(1, OUTPUTS // (self.size * classes))
        each, more = divmod(count, max(1, networks))
        for i, network in enumerate(chosen):
            root, draws = self._roots[int(network)], each + (i < more)
            for start in range(0, draws, most):
                drawn = min(most, draws - start)
                outputs = root @ rng.standard_normal((root.shape[1], drawn * classes), dtype=root.dtype)
                yield outputs.reshape(self.size, drawn, classes)

    def blocks(self, law: Statistic, count: int, rng: np.random.Generator) -> Iterator[NDArray[Any]]:
        if self.size * law.outputs <= OUTPUTS or not isinstance(law, OfGuesses):
            for outputs in self.of_networks(count, rng, law.outputs):
                yield law.of_outputs(outputs, rng)
        else:  # the outputs of one network do not fit in memory
            for _ in range(count):
                yield law.of_guesses(guesses_of_many(self.root(rng), law.outputs, rng)[:, None], rng)

    def at_data(self, classes: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return the outputs of `classes` classes of one network at all data, shape (size, classes)."""
        (outputs,) = self.of_networks(1, rng, classes)
        return outputs[:, 0]

    def root(self, rng: np.random.Generator) -> NDArray[Any]:
        """Return the matrix L of one of the networks."""
        return self._roots[int(rng.integers(self.networks))]


@final
@dataclass(frozen=True, eq=False, repr=False)
class KernelOutputs(RootedOutputs):
    """Outputs at `size` given data, from their kernel, in infinite width.

    kernel: a function that returns an array (size, size), or (worlds, size, size) if some weights do not average out in
    infinite width, or the width is finite; every draw then takes one of these kernels.

    size, variance, ties: the number of data, Var(G0), and the share of the data at which outputs tie.

    >>> law = igb.mlp(2, "relu").predict(igb.digits()[:50] / 16).G0
    >>> print(f"{law.std():.3f}")
    0.384
    """

    kernel: Callable[[], NDArray[np.float64]] = field(repr=False)
    ties: float = 0.0

    given = True

    def roots(self) -> list[NDArray[np.float64]]:
        """Return matrices L with L L^T = kernel, one for every world."""
        return list(map(pivoted_root, self.kernels()))

    def kernels(self) -> NDArray[np.float64]:
        """Return the covariances of an output at all data, one for every world, shape (worlds, size, size).

        ValueError: they are too large for memory.
        """
        if self.size > LARGEST:
            raise ValueError(
                f"expected at most {LARGEST} data to draw G0 from their kernel, got {self.size}; predict on a "
                f"subsample, for example X[np.random.default_rng(0).choice({self.size}, {LARGEST}, replace=False)]"
            )
        return self.kernel().reshape(-1, self.size, self.size)

    def over_pairs(self, function: Callable[[Any], Any]) -> float:
        """Return the mean over all pairs of data, a datum with itself included, and over all worlds."""
        return float(np.mean([self._over_pairs_in(kernel, function) for kernel in self.kernels()]))

    def _over_pairs_in(self, kernel: NDArray[np.float64], function: Callable[[Any], Any]) -> float:
        size, variances = self.size, np.diag(kernel)
        rows = max(1, PAIRS // size)
        total = 0.0
        for start in range(0, size, rows):
            part = slice(start, start + rows)
            c = np.clip(
                kernel[part] / np.sqrt(variances[part, None] * variances), -1.0, 1.0
            )  # exactly -1 for opposite data
            c[np.arange(len(c)), np.arange(start, start + len(c))] = 1.0
            total += float(np.sum(function(np.arcsin(c))))
        return total / size**2


@final
@dataclass(frozen=True, eq=False, repr=False)
class FeatureOutputs(RootedOutputs):
    """Outputs of drawn networks, from their features, at `size` new Gaussian data.

    Laws are those of infinitely many data; but draws count `size` data, so that each scatters by up to
    1/(2 sqrt(size)). features: a function that returns the matrices of `roots`.

    size, variance, ties: as above, of infinitely many data.

    >>> law = igb.mlp(2, "relu").predict(width=3).G0
    >>> print(f"{law.mean():.2f}")
    0.62
    """

    ties: float
    features: Callable[[], Sequence[NDArray[Any]]] = field(repr=False)

    given = False

    def roots(self) -> Sequence[NDArray[Any]]:
        """Return the features of the networks, and what the bias adds, as of one more."""
        return self.features()

    def over_pairs(self, function: Callable[[Any], Any]) -> Any:
        """Return the mean over some pairs of different data, with the error of so many networks."""
        return estimate([_of_distant(root.astype(np.float64), function) for root in self._roots])


def _of_distant(root: NDArray[Any], function: Callable[[Any], Any]) -> float:
    """Return the mean of a function of arcsin(c) over data that are about half of all apart: neighbours share batches.

    The few data without features, as behind dead units, have c = 0 with all others.
    """
    lengths = np.linalg.norm(root, axis=1, keepdims=True)
    unit = np.divide(root, lengths, out=np.zeros_like(root), where=lengths > 0)
    half = len(unit) // 2
    c = [np.einsum("ij,ij->i", unit, np.roll(unit, half - i, axis=0)) for i in range(min(SHIFTS, half))]
    return float(np.mean(function(np.arcsin(np.clip(c, -1.0, 1.0)))))


def guesses_of_many(
    root: NDArray[Any],
    classes: int,
    rng: np.random.Generator,
    lifted: tuple[NDArray[np.intp], NDArray[Any], NDArray[Any]] | None = None,
) -> NDArray[np.intp]:
    """Return the class of the largest of many outputs at all data in one network, from draws in single precision.

    root: a matrix L, whose product L L^T is the covariance of an output at the data. lifted: of each datum a class, and
    a factor of its output and a number that is added to it, as by tied weights.
    """
    root, size = root.astype(np.float32), len(root)
    largest, guesses, data = np.full(size, -np.inf), np.zeros(size, dtype=np.intp), np.arange(size)
    step = max(1, OUTPUTS // size)
    for start in range(0, classes, step):
        outputs = root @ rng.standard_normal((root.shape[1], min(step, classes - start)), dtype=np.float32)
        if lifted is not None:
            ids, factors, added = lifted
            here = (ids >= start) & (ids < start + outputs.shape[1])
            outputs[here, ids[here] - start] *= factors[here]
            outputs[here, ids[here] - start] += added[here]
        best = outputs.argmax(axis=1)
        larger = outputs[data, best] > largest
        largest[larger], guesses[larger] = outputs[data, best][larger], start + best[larger]
    return guesses
