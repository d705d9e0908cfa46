"""The relative errors of second moments at pairs of data."""

from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True)
class Errors:
    """Relative errors of second moments at pairs of data, by what has them and where they come from.

    product: of q_ab to sqrt(q_a q_b), but for that of draws. square: of q_a and q_b, None if it is that of the product;
    behind a norm it is smaller. mean: of the means to the roots of q_a and q_b, if draws make it larger than the first.
    draws: of the mean of q - q_ab over all pairs of data, from draws; functions do not magnify it, since their kernels
    are convex for q_ab > 0. pools: the same of means of units over all positions. rank: the smallest effective rank of
    a batch whose norm was estimated from draws, which sets its error, or inf if there is none.
    """

    product: float = 0.0
    square: float | None = None
    mean: float = 0.0
    draws: float = 0.0
    pools: float = 0.0
    rank: float = float("inf")

    @property
    def of_square(self) -> float:
        """The error of q_a and q_b."""
        return self.product if self.square is None else self.square

    def plus(self, other: "Errors") -> "Errors":
        """Return the errors of the moments of a product of two independent units."""
        return Errors(
            self.product + other.product,
            None,
            self.mean + other.mean,
            self.draws + other.draws,
            self.pools + other.pools,
            min(self.rank, other.rank),
        )

    def largest(self, other: "Errors") -> "Errors":
        """Return the errors of mean moments of units of two kinds."""
        return Errors(
            max(self.product, other.product),
            None,
            max(self.mean, other.mean),
            max(self.draws, other.draws),
            max(self.pools, other.pools),
            min(self.rank, other.rank),
        )
