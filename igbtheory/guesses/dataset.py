"""The law of G0 on a given data set: an output is a Gaussian vector whose covariance is the kernel of the data."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NoReturn, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.guesses.law import Law, draws_in_blocks
from igbtheory.guesses.sampled import DRAWS, Estimate, SampledLaw, checked_draws, estimate
from igbtheory.mathematics.averages.state import pivoted_root

OUTPUTS = 2**24
"""Largest number of outputs that are held at once: 64 MiB in single precision."""
LARGEST = 8192
"""Largest number of data whose kernel is factorised: 512 MiB."""


@final
@dataclass(frozen=True, eq=False)
class DatasetGuessLaw(Law):
    """Law of the fraction of `size` given data that class 0 gets, in infinite width.

    The mean is 1/2, the variance is the mean of asin(c_ab)/(2 pi) over all pairs (a, b), and samples follow from
    Delta_O ~ N(0, kernel). kernel: a function that returns an array (size, size), or (worlds, size, size) if some
    weights do not average out in infinite width; every draw then takes one of these kernels at random.

    size, variance: the number of data, and Var(G0).

    >>> law = igb.mlp(2, "relu").predict(igb.digits()[:50] / 16).G0
    >>> print(f"{law.std():.3f}")
    0.384
    """

    size: int
    variance: float
    kernel: Callable[[], NDArray[np.float64]] = field(repr=False)

    def mean(self) -> float:
        """Return the mean 1/2, by the symmetry of the classes."""
        return 0.5

    def var(self) -> float:
        """Return the variance over initialisations."""
        return self.variance

    def rvs(self, size: Any = None, random_state: Any = None) -> Any:
        """Return independent draws of G0, of shape `size` (None: one number), from Gaussian vectors of outputs."""
        rng = checks.generator(random_state)
        return draws_in_blocks(
            lambda n: (self.outputs(n, rng) > 0).mean(axis=0), checks.shape_of(size), 2**24 // self.size
        )

    def cdf(self, g: Any, draws: int = DRAWS, random_state: Any = 0) -> Estimate:
        """Return the probability that G0 <= g, one number, estimated from `draws` draws."""
        return self.drawn(draws, random_state).cdf(g)

    def ppf(self, p: Any, draws: int = DRAWS, random_state: Any = 0) -> Estimate:
        """Return the quantile at p, one number with 0 < p < 1, estimated from `draws` draws."""
        return self.drawn(draws, random_state).ppf(p)

    def majority(self, draws: int = DRAWS, random_state: Any = 0) -> Estimate:
        """Return the expected share E max(G0, 1 - G0) of the favoured class, estimated from `draws` draws."""
        shares = self.drawn(draws, random_state).draws
        return estimate(np.maximum(shares, 1 - shares))

    def drawn(self, draws: int = DRAWS, random_state: Any = 0) -> SampledLaw:
        """Return the law as estimated from `draws` draws of G0."""
        return SampledLaw(self.rvs(checked_draws(draws), random_state))

    def outputs(self, count: int, rng: np.random.Generator, classes: int = 1) -> NDArray[np.float64]:
        """Return independent draws N(0, kernel) of an output at all data, shape (size, count).

        The columns of a run of `classes` columns belong to one network, and so they share one world.
        """
        outputs = np.empty((self.size, count))
        worlds = np.repeat(rng.integers(len(self._roots), size=count // classes), classes)
        for world, root in enumerate(self._roots):
            drawn = np.flatnonzero(worlds == world)
            outputs[:, drawn] = root @ rng.standard_normal((root.shape[1], drawn.size))
        return outputs

    def root(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return a matrix L with L L^T = kernel, of one of the worlds."""
        return self._roots[rng.integers(len(self._roots))]

    @cached_property
    def _roots(self) -> list[NDArray[np.float64]]:
        """Matrices L with L L^T = kernel, one for every world."""
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

    def __getattr__(self, name: str) -> NoReturn:
        if name in {"pdf", "logpdf", "finite"}:
            raise AttributeError(
                f"the law of G0 on a given data set has no {name}, since G0 is a multiple of 1/{self.size}; use cdf, "
                "ppf or rvs"
            )
        raise AttributeError(name)


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
