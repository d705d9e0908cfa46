"""The law of G0 on a given data set: outputs are one Gaussian vector with the kernel of the data as covariance."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NoReturn, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.guesses.law import Law, draws_in_blocks, shape_of
from igbtheory.guesses.sampled import DRAWS, Estimate, SampledLaw, checked_draws, estimate

LARGEST = 8192
"""Data whose kernel is factorised at most: 512 MiB."""


@final
@dataclass(frozen=True, eq=False)
class DatasetGuessLaw(Law):
    """Law of the fraction of `size` given data that class 0 gets, in infinite width.

    mean = 1/2, var = mean over all pairs (a, b) of asin(c_ab)/(2 pi); samples from Delta_O ~ N(0, kernel).
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
        """Return independent draws of G0, shape `size` (None: one number), each from a Gaussian vector of outputs."""
        rng = np.random.default_rng(random_state)
        return draws_in_blocks(lambda n: (self.outputs(n, rng) > 0).mean(axis=0), shape_of(size), 2**24 // self.size)

    def cdf(self, g: Any, draws: int = DRAWS, random_state: Any = 0) -> Estimate:
        """Return the probability of G0 <= g, one number, from so many draws, with its standard error."""
        return self.drawn(draws, random_state).cdf(g)

    def ppf(self, p: Any, draws: int = DRAWS, random_state: Any = 0) -> Estimate:
        """Return the quantile at p, one number inside (0, 1), from so many draws, with its standard error."""
        return self.drawn(draws, random_state).ppf(p)

    def majority(self, draws: int = DRAWS, random_state: Any = 0) -> Estimate:
        """Return the expected share of the favoured class, E max(G0, 1 - G0), from so many draws, with its error."""
        shares = self.drawn(draws, random_state).draws
        return estimate(np.maximum(shares, 1 - shares))

    def drawn(self, draws: int = DRAWS, random_state: Any = 0) -> SampledLaw:
        """Return the law as so many draws of G0 show it."""
        return SampledLaw(self.rvs(checked_draws(draws), random_state))

    def outputs(self, count: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return independent draws of an output at all data, shape (size, count): N(0, kernel)."""
        return np.asarray(self._root @ rng.standard_normal((self._root.shape[1], count)))

    @cached_property
    def _root(self) -> NDArray[np.float64]:
        """Matrix L with L L^T = kernel, by pivoted Cholesky: a kernel may have directions of no variance."""
        from scipy.linalg.lapack import dpstrf  # noqa: PLC0415 - only sampling needs it

        factor, pivots, rank, _ = dpstrf(self.checked_kernel(), lower=1)
        root = np.zeros((self.size, rank))
        root[pivots - 1] = np.tril(factor)[:, :rank]
        return root

    def checked_kernel(self) -> NDArray[np.float64]:
        """Return the covariance of an output at all data, (size, size); ValueError where it is too large to be held."""
        if self.size > LARGEST:
            raise ValueError(
                f"expected at most {LARGEST} data to draw G0 from their kernel, got {self.size}; predict on a "
                f"subsample, for example X[np.random.default_rng(0).choice({self.size}, {LARGEST}, replace=False)]"
            )
        return self.kernel()

    def __getattr__(self, name: str) -> NoReturn:
        if name in {"pdf", "logpdf", "finite"}:
            raise AttributeError(
                f"the law of G0 on a given data set has no {name}, since G0 is a multiple of 1/{self.size}; use cdf, "
                "ppf or rvs"
            )
        raise AttributeError(name)
