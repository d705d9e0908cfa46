"""`igb train`: how training absorbs the bias, in infinite width."""

from typing import Any

import numpy as np

import igbtheory as igb
from igbtheory.cli import output
from igbtheory.cli.data import DIGITS, checked, first_rows, labelled, numbers
from igbtheory.cli.options import Case, Seed, Text, Whole


def train(
    case: Case = Case(),
    *,
    labels: Text | None = None,
    loss: str = "mse",
    draws: Whole = 1000,
    seed: Seed = 0,
) -> None:
    """Print how the guesses of infinitely wide networks change while they are trained on a data set.

    Training is gradient flow on all data at once, with the tangent kernel of infinite width. The table shows the share
    of class 0, the largest share of a class, the accuracy and the loss over time.

    Parameters
    ----------
    labels
        FILE.npy or FILE.csv with class labels 0, 1, ... or with targets, a row for each datum; by default the labels
        that come with the data.
    loss
        mse, cross-entropy, blurry, focal or piecewise-zero.
    draws
        Number of networks to draw.

    """
    if case.data is None:
        raise ValueError("expected a data set to train on; name one with --data, for example --data digits --first 200")
    y = labels_of(case.data, labels, case.first)

    def trained(network: Any, inputs: Any) -> Any:
        with output.working("training"):
            return network.train(inputs, y, loss=loss, draws=draws, seed=seed)

    case.compute(trained)


def labels_of(data: str, labels: str | None, first: int | None) -> Any:
    """Return the labels or targets in the file `labels`, or if None the labels that come with the data set."""
    if labels is None:
        known = igb.digit_labels() if data == DIGITS else labelled(data, "--data digits")[1]
        if known is None:
            raise ValueError(f"expected the labels of {data}; name their file with --labels")
        return first_rows(known, first, data)
    return first_rows(checked(labels, _as_labels, numbers(labels, "--labels")), first, labels)


def _as_labels(given: Any) -> Any:
    """Return integer labels if the numbers are one column of whole numbers >= 0; otherwise return them as targets."""
    found = given[:, 0] if given.ndim == 2 and given.shape[1] == 1 else given
    whole = found.ndim == 1 and np.all(found == np.round(found)) and np.all(found >= 0)
    return found.astype(np.int64) if whole else found
