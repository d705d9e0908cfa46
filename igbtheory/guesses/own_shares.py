"""Shares that were simulated or measured beside a law: a test whether they have this law, and one sentence."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.foundations.labels import guesses
from igbtheory.foundations.result import Result
from igbtheory.foundations.text import measured
from igbtheory.guesses.accuracy import parts_of_one
from igbtheory.guesses.arguments import checked_data_count, float64_array
from igbtheory.guesses.inference.observed import Test
from igbtheory.guesses.sampled import SampledLaw

Array = NDArray[np.float64]
DRAWS, TIMES = 4000, 4
"""Least number of draws of the law, and their least number for each network: they add an eighth to a distance."""
PERMUTED = 999
"""Number of permutations of the test: p-values are multiples of 1/1000."""
UNLIKELY = 0.05
"""P-value below which shares are said not to have the law."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class SharesComparison(Result):
    """Shares of the data in networks of your own beside a law: do they have this law?

    shares: of class 0 in each network, or of the favoured class if there are more than two. drawn: draws of the same
    from the law. n_classes: number of classes. D: number of data that were counted, None: infinitely many, or those of
    the prediction. statistic: the largest distance of the two distribution functions. pvalue: the probability of such a
    distance, or of a larger one, if the networks have the law.

    >>> outputs = np.random.default_rng(0).standard_normal((100, 50, 10))
    >>> print(f"{igb.mlp(1, 'relu').predict().compare(outputs).pvalue:.3f}")
    0.001
    """

    shares: Array
    drawn: Array
    n_classes: int
    D: int | None
    statistic: float
    pvalue: float

    @property
    def simulated(self) -> SampledLaw:
        """The law of these shares, as estimated from the networks."""
        return SampledLaw(self.shares)

    @property
    def law(self) -> SampledLaw:
        """The law, as estimated from draws."""
        return SampledLaw(self.drawn)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers, and the means and deviations of the shares and of the law."""
        laws = {"simulated": self.simulated.to_dict(), "law": self.law.to_dict()}
        head = {"networks": len(self.shares), "n_classes": self.n_classes, "D": self.D}
        return {**head, **laws, "statistic": self.statistic, "pvalue": self.pvalue}

    def __str__(self) -> str:
        simulated, told = (measured(**law.mean().to_dict()) for law in (self.simulated, self.law))
        what = "class 0" if self.n_classes == 2 else "the favoured class"
        verdict = "these shares do not have this law" if self.pvalue < UNLIKELY else "nothing speaks against this law"
        return (
            f"The mean share of {what} is {simulated} in {len(self.shares)} networks and {told} in theory; a distance "
            f"of {self.statistic:.3g} between the laws has p = {self.pvalue:.3g}: {verdict}."
        )

    def __repr__(self) -> str:
        return (
            f"SharesComparison({len(self.shares)} networks, statistic={self.statistic:.3g}, pvalue={self.pvalue:.3g})"
        )


def compare_shares(prediction: Any, shares: Any, D: Any, seed: Any) -> SharesComparison:  # noqa: N803 - papers' letter
    """Return shares of independent networks beside the law of the guesses of a prediction, as `compare` takes them."""
    of_classes, size = shares_of(float64_array("shares", shares))
    # not the generator of this seed, from which the user may have drawn
    own_seed = np.random.SeedSequence(checks.whole("seed", seed, 0)).spawn(1)[0]
    rng, n_classes = np.random.default_rng(own_seed), of_classes.shape[1]
    law: Any = prediction.G0 if n_classes == 2 else prediction.guesses(n_classes)
    if law.source.shape:
        raise ValueError(f"expected a prediction of one network, got a sweep {law.source.shape}; loop over its values")
    data = size if D is None else checked_data_count(D)
    given = getattr(law.source, "size", None) if getattr(law.source, "given", False) else None
    if given is not None and size not in {None, given}:
        raise ValueError(
            f"shares: expected outputs at the {given} data of the prediction, got {size}; pass outputs at these data"
        )
    # draws of one network are alike, so that there is one of each
    count = max(DRAWS, TIMES * len(of_classes)) if law.source.networks == 1 else law.source.networks
    drawn = law.rvs(count, rng) if data in {None, given} else law.finite(data).rvs(count, rng) / data
    shown = of_classes[:, 0] if n_classes == 2 else of_classes.max(axis=1)
    drawn = np.asarray(drawn if n_classes == 2 else drawn.max(axis=1))
    test = of_permutations(shown, drawn, rng)
    return SharesComparison(shown, drawn, n_classes, data, test.statistic, test.pvalue)


def shares_of(shares: Array) -> tuple[Array, int | None]:
    """Return the shares of all classes, (networks, M), and the number of data if outputs tell it."""
    if shares.ndim == 3:
        size, classes = shares.shape[1:]
        chosen = guesses(shares)
        return np.stack([(chosen == c).mean(axis=1) for c in range(max(classes, 2))], axis=1), size
    if shares.ndim == 1:
        shares = np.stack([shares, 1.0 - shares], axis=1)
    if shares.ndim != 2 or not len(shares):
        raise ValueError(
            f"shares: expected shape (networks,), (networks, classes), or outputs (networks, data, classes), got "
            f"{shares.shape}; pass shares of class 0, one for each network"
        )
    return parts_of_one("shares", shares), None


def of_permutations(first: Array, second: Array, rng: np.random.Generator) -> Test:
    """Test the Kolmogorov-Smirnov distance of two samples by permutations: exact, also where values are equal."""
    both = np.concatenate([first, second])
    order = np.argsort(both, kind="stable")
    last = np.append(np.diff(both[order]) > 0, True)  # the distribution functions have a step at equal values
    weights = np.concatenate([np.full(len(first), 1.0 / len(first)), np.full(len(second), -1.0 / len(second))])

    def distance(weights: Array) -> float:
        return float(np.abs(weights.cumsum()[last]).max())

    return Test.ranked(distance(weights[order]), [distance(rng.permutation(weights)) for _ in range(PERMUTED)])
