"""The layers, and the data, that change the share of the favoured class."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from igbtheory.guesses.favoured import FavouredOf
from igbtheory.networks.simulation.estimates import jackknife
from igbtheory.torch.explained_tables import percent

Array = NDArray[np.float64]
SMALL = 0.002
"""A layer creates or removes bias if it changes the favoured share by more: 2 of 1000 data."""
ERRORS = 2.0
"""Number of standard errors by which a change must differ from 0 to be named as a cause."""
SHORT = 26
"""A sentence prints layers of fewer characters, and only the class of others."""
NAMED = 3
"""Largest number of layers that a sentence names."""
RULE = (
    "These are the shares of the favoured class if a linear output layer stood in front of a layer, and behind it. A "
    f"layer is named if they differ by more than {100 * SMALL} % of the data and by more than {ERRORS:.0f} standard "
    "errors of their difference in the same {} networks; the largest change comes first."
)
"""How causes are found, for a number of networks."""


@final
@dataclass(frozen=True)
class Cause:
    """A layer that changes the share of the favoured class from `before` to `behind`; error: of the difference.

    name, layer: as in `Explanation`. For the data, `before` is the share without a bias.
    """

    name: str
    layer: str
    before: float
    behind: float
    error: float

    @property
    def change(self) -> float:
        """What the layer adds to the share."""
        return self.behind - self.before

    def __str__(self) -> str:
        """Return the layer, its kind, and both shares, as a part of a sentence."""
        kind = self.layer if len(self.layer) < SHORT else self.layer.partition("(")[0]
        what = f"{self.name} ({kind})" if kind else f"the {self.name}"
        return f"{what}, {100 * self.before:.1f} to {percent(self.behind)}"


@final
@dataclass(frozen=True)
class Causes:
    """What creates and removes bias, the largest change first; evened: the last layer behind which there is none."""

    causes: tuple[Cause, ...]
    evened: str = ""

    @property
    def created(self) -> list[Cause]:
        """The causes that create bias."""
        return [cause for cause in self.causes if cause.change > 0]

    def sentences(self) -> Iterator[str]:
        """Yield a sentence on what creates bias, one on what removes it, and one on a layer behind which is none."""
        yield _sentence("create", self.created)
        yield _sentence("remove", [cause for cause in self.causes if cause.change < 0])
        if self.evened:
            yield f"Behind {self.evened} there is no bias: what stands in front of it creates none."


def causes_of(favoured: FavouredOf, variances: Array, names: Sequence[str], layers: Sequence[str]) -> Causes:
    """Return the causes of bias behind the data and layers of these names.

    variances: Var(G0) in each network, (networks, layers). Both shares of a change are those of the same networks, so
    that its error is that of a paired comparison.
    """

    def changes(of_networks: Array) -> Array:
        return np.diff(favoured.at_variance(of_networks), axis=-1, prepend=even)

    even = favoured.even
    _, errors = jackknife(changes, np.ones(1), variances[None])
    shares = np.array([even, *favoured.at_variance(variances.mean(axis=0))])
    # the last place without a bias: nothing in front of it creates the bias behind it
    start = int(np.flatnonzero(shares < even + SMALL)[-1])
    columns = names, layers, shares[:-1].tolist(), shares[1:].tolist(), errors.tolist()
    steps = [Cause(*values) for values in zip(*columns, strict=True)]
    causes = [
        step
        for i, step in enumerate(steps)
        if abs(step.change) > max(SMALL, ERRORS * step.error) and (step.change < 0 or i >= start)
    ]
    return Causes(tuple(sorted(causes, key=lambda step: -abs(step.change))), names[start - 1] if start > 1 else "")


def _sentence(verb: str, causes: list[Cause]) -> str:
    more = f"; and {len(causes) - NAMED} more" if len(causes) > NAMED else ""
    told = "; ".join(map(str, causes[:NAMED]))
    return f"Bias is {verb}d by {told}{more}." if causes else f"No layer is named to {verb} bias."
