"""Warnings about models: their outputs tie, do not depend on the data, or are not centred."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from igbtheory.torch.outputs import Summary

Array = NDArray[np.float64]
TIED = 0.01
"""Fraction of tied data above which there is a warning."""
LEVEL = 1e-8
"""Level of Student's test for centred outputs. The test is exact for normal centres; for uniform centres of eight
networks or more its level is up to a hundred times as large, and for long tails it is smaller."""
FEWEST = 8
"""Smallest number of networks for the test: the centres of fewer may be equal by chance if weights are quantised."""
SMALL = 0.01
"""Centres up to this many standard deviations over the data count as 0: they move a share by less than 0.004."""


def remarks(summaries: Sequence[Summary], samples: int, *, multi_label: bool = False) -> Iterator[str]:
    """Yield warnings about a measurement on `samples` data. ValueError: all outputs of all networks tie.

    multi_label: as in `measure`.
    """
    shares, moments, centres = (np.array(values) for values in [*zip(*summaries, strict=True)][:3])
    fraction = float(tied(summaries, samples).mean())
    if fraction == 1:
        raise ValueError(
            "expected outputs that decide between classes, but the outputs tie exactly at all data in all networks, "
            "as they do if the weights of the last layer are 0, or if it returns zeros: initialise it, or remove it"
        )
    if fraction > TIED:
        ties = of_ties(fraction, one=multi_label or centres.shape[1] == 1)
        yield f"{ties}; look for layers that return zeros, or few values"
    var_mu, var_chi = moments.mean(axis=0)
    rounded = np.mean([summary.rounded for summary in summaries])
    if rounded:
        yield (
            f"in {rounded:.0%} of the networks the outputs differ between the data by rounding alone, which var_chi "
            "does not count; make the models in double precision, as by model.double()"
        )
    elif var_mu > 0 and not var_chi:
        yield (
            "the outputs do not depend on the data: var_chi = 0 and gamma is infinite; check that the weights of the "
            "last layers are not 0"
        )
    if off_centre(summaries) and not (centres.shape[1] == 1 and all(summary.alike for summary in summaries)):
        mean = shares.mean(axis=0)
        favoured = int(np.argmax(np.abs(mean - 0.5) if multi_label else mean))
        what = "label" if multi_label else "class"
        yield (
            f"the outputs are not centred: {what} {favoured} gets {mean[favoured]:.1%} of the data on "
            "average over the networks, since the mean over the weights is not 0, and var_mu contains it; gamma_guess "
            "is not defined; draw the biases of the last layer with mean 0, or set them to 0"
        )


def tied(summaries: Sequence[Summary], samples: int) -> Array:
    """Return the share of the data at which several outputs are largest, in every network."""
    return np.array([summary.ties for summary in summaries]) / samples


def of_ties(share: float, *, one: bool) -> str:
    """Return the share of tied data, and which class gets them, in words. one: whether a network has one output."""
    reason = "the output is 0, which counts for class 0" if one else "the first of these classes gets them"
    return f"{100 * share:.3g}% of the data tie exactly ({reason})"


def off_centre(summaries: Sequence[Summary]) -> bool:
    """Return whether some mean over the networks of the centres of the outputs is not 0, by Student's test.

    Then the mean of G0 is not 1/2.
    """
    centres = np.array([summary.centres for summary in summaries])
    networks, outputs = centres.shape
    if networks < FEWEST:
        return False
    var_chi = np.mean([summary.moments[1] for summary in summaries])
    means, errors = centres.mean(axis=0), centres.std(axis=0, ddof=1) / np.sqrt(networks)
    large = np.abs(means) > SMALL * np.sqrt(var_chi)
    with np.errstate(divide="ignore", invalid="ignore"):
        pvalues = 2 * stdtr(networks - 1, -np.abs(means / errors))
    return bool(np.any(large & (pvalues < LEVEL / outputs)))
