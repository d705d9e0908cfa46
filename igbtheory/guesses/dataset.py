"""Laws of G0 from outputs that are drawn at data: given a network's kernel or features, one is a Gaussian vector."""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NoReturn, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.guesses.law import Law
from igbtheory.guesses.sampled import DRAWS, Estimate, SampledLaw, checked_draws, estimate
from igbtheory.mathematics.averages.state import pivoted_root

OUTPUTS = 2**24
"""Largest number of outputs that are held at once: 128 MiB in double precision."""
LARGEST = 8192
"""Largest number of data whose kernel is factorised: 512 MiB."""


class OutputLaw(Law):
    """Law of the fraction of `size` data that class 0 gets, where outputs at these data can be drawn.

    The difference of two outputs has the law of one. Where it is 0 the outputs tie, and argmax returns class 0.
    """

    size: int
    variance: float
    ties: float

    given: ClassVar[bool]
    """Whether the law is that of these very data, and not that of infinitely many, from which they are drawn."""

    def mean(self) -> float:
        """Return the mean: 1/2 by the symmetry of the classes, and half of the share of ties, which class 0 gets."""
        return (1.0 + self.ties) / 2

    def var(self) -> float:
        """Return the variance over initialisations."""
        return self.variance

    def rvs(self, size: Any = None, random_state: Any = None) -> Any:
        """Return independent draws of G0, of shape `size` (None: one number), from Gaussian vectors of outputs."""
        rng, shape = checks.generator(random_state), checks.shape_of(size)
        shares = self._shares(int(np.prod(shape)), rng)
        return (shares if self.networks == 1 else rng.permutation(shares)).reshape(shape)[()]

    def _shares(self, count: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return draws of G0, network by network."""
        return np.concatenate([(x[..., 0] >= 0).mean(axis=0) for x in self.of_networks(count, rng)] or [np.empty(0)])

    def cdf(self, g: Any, draws: int = DRAWS, random_state: Any = 0) -> Estimate:
        """Return the probability that G0 <= g, one number, estimated from `draws` draws."""
        return self.drawn(draws, random_state).cdf(g)

    def ppf(self, p: Any, draws: int = DRAWS, random_state: Any = 0) -> Estimate:
        """Return the quantile at p, one number with 0 < p < 1, estimated from `draws` draws."""
        return self.drawn(draws, random_state).ppf(p)

    def majority(self, draws: int = DRAWS, random_state: Any = 0) -> Estimate:
        """Return the expected share E max(G0, 1 - G0) of the favoured class, estimated from `draws` draws."""
        law = self.drawn(draws, random_state)
        return estimate(np.maximum(law.draws, 1 - law.draws), law.networks)

    def drawn(self, draws: int = DRAWS, random_state: Any = 0) -> SampledLaw:
        """Return the law as estimated from `draws` draws of G0."""
        return SampledLaw(self._shares(checked_draws(draws), checks.generator(random_state)), self.networks)

    @abstractmethod
    def roots(self) -> Sequence[NDArray[Any]]:
        """Return of each of some networks a matrix L, (size, columns): an output is L times a standard normal vector.

        If one matrix serves all networks, it is the only one.
        """

    @cached_property
    def _roots(self) -> Sequence[NDArray[Any]]:
        return self.roots()

    @property
    def networks(self) -> int:
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

    def outputs(self, classes: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return the outputs of `classes` classes of one network at all data, shape (size, classes)."""
        (outputs,) = self.of_networks(1, rng, classes)
        return outputs[:, 0]

    def root(self, rng: np.random.Generator) -> NDArray[Any]:
        """Return the matrix L of one of the networks."""
        return self._roots[int(rng.integers(self.networks))]

    def __getattr__(self, name: str) -> NoReturn:
        if name in {"pdf", "logpdf", "finite"}:
            raise AttributeError(
                f"the law of G0 from outputs at {self.size} data has no {name}, since its shares are multiples of "
                f"1/{self.size}; use cdf, ppf or rvs"
            )
        raise AttributeError(name)


@final
@dataclass(frozen=True, eq=False)
class DatasetGuessLaw(OutputLaw):
    """Law of the fraction of `size` given data that class 0 gets, in infinite width.

    The mean is 1/2, the variance is the mean of asin(c_ab)/(2 pi) over all pairs (a, b), and samples follow from
    Delta_O ~ N(0, kernel). kernel: a function that returns an array (size, size), or (worlds, size, size) if some
    weights do not average out in infinite width, or the width is finite; every draw then takes one of these kernels.

    size, variance, ties: the number of data, Var(G0), and the share of the data at which outputs tie.

    >>> law = igb.mlp(2, "relu").predict(igb.digits()[:50] / 16).G0
    >>> print(f"{law.std():.3f}")
    0.384
    """

    size: int
    variance: float
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


@final
@dataclass(frozen=True, eq=False)
class DrawnGuessLaw(OutputLaw):
    """Law of the fraction of Gaussian data that class 0 gets, from the features of drawn networks at `size` new data.

    It is that of infinitely many data; but draws count `size` data, so that each scatters by up to 1/(2 sqrt(size)).
    features: a function that returns the matrices of `roots`.

    size, variance, ties: as above, of infinitely many data.

    >>> law = igb.mlp(2, "relu").predict(width=3).G0
    >>> print(f"{law.mean():.2f}")
    0.62
    """

    size: int
    variance: float
    ties: float
    features: Callable[[], Sequence[NDArray[Any]]] = field(repr=False)

    given = False

    def roots(self) -> Sequence[NDArray[Any]]:
        """Return the features of the networks, and what the bias adds, as of one more."""
        return self.features()


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
