"""What an ensemble says of its models: outputs that tie, that do not depend on the data, that are not centred."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from igbtheory.torch.outputs import Summary

Array = NDArray[np.float64]
TIED = 0.01
"""Fraction of tied data above which a warning says so."""
LEVEL = 1e-8
"""Level of the test for centred outputs: Student's law is exact for normal centres; a level a hundred times as large
holds for uniform ones of eight networks or more, and long tails make the test more cautious."""
FEWEST = 8
"""Networks from which on centres are tested: among fewer those of coarsely quantised weights coincide by chance."""
SMALL = 0.01
"""Centre, in standard deviations over the data, that rounding may leave and that hardly changes a share."""


def remarks(found: Sequence[Summary], samples: int) -> Iterator[str]:
    """Return sentences on what a measurement of `samples` data found; refused where no guess is decided."""
    shares, moments, centres, ties = (np.array(values) for values in [*zip(*found, strict=True)][:4])
    yield from _of_ties(ties.mean() / samples, one=centres.shape[1] == 1)
    var_mu, var_chi = moments.mean(axis=0)
    if var_mu > 0 and not var_chi:
        yield (
            "the outputs do not depend on the data: var_chi = 0 and gamma is infinite; check that the weights of the "
            "last layers are not 0"
        )
    if _off_centre(centres, var_chi):
        favoured = int(shares.mean(axis=0).argmax())
        yield (
            f"the outputs are not centred, class {favoured} gets {shares[:, favoured].mean():.1%} of the data in the "
            "mean over the networks: the mean over the weights is not 0, and var_mu contains it; draw the biases of "
            "the last layer with mean 0, or set them to 0"
        )


def _of_ties(fraction: float, *, one: bool) -> Iterator[str]:
    """Return a sentence on tied data, where they are many; `one`: a network has one output."""
    if fraction == 1:
        raise ValueError(
            "expected outputs that decide between classes, but the outputs tie exactly at all data in all networks, "
            "as they do where the weights of the last layer are 0, or where it returns zeros: initialise it, or "
            "remove it"
        )
    if fraction > TIED:
        reason = "the output is 0, which counts for class 1" if one else "the lowest of these classes gets them"
        yield f"{fraction:.1%} of the data tie exactly ({reason}); look for layers that return zeros, or few values"


def _off_centre(centres: Array, var_chi: float) -> bool:
    """Whether the mean over the networks of a centre, (networks, outputs), is not 0, by Student's t, Bonferroni."""
    networks, outputs = centres.shape
    if networks < FEWEST:
        return False
    means, errors = centres.mean(axis=0), centres.std(axis=0, ddof=1) / np.sqrt(networks)
    large = np.abs(means) > SMALL * np.sqrt(var_chi)
    with np.errstate(divide="ignore", invalid="ignore"):
        pvalues = 2 * stdtr(networks - 1, -np.abs(means / errors))
    return bool(np.any(large & (pvalues < LEVEL / outputs)))
