"""`igb train`: how training absorbs the bias, in infinite width."""

from typing import Any

import numpy as np

import igbtheory as igb
from igbtheory.cli import output
from igbtheory.cli.data import DIGITS, checked, first_rows, labelled, numbers
from igbtheory.cli.options import Case, Seed, Text, Whole


def train(
    layers: str | None = None,
    /,
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
    layers
        The network, layer by layer: "Dense(2) | LayerNorm | relu | Dense(2)". Without it, the options describe one.
    labels
        Class labels 0, 1, ... or targets, FILE.npy or FILE.csv, a row for each datum; unless named, those of the data.
    loss
        mse, cross-entropy, blurry, focal or piecewise-zero.
    draws
        Networks to draw.

    """
    case = case.of(layers)
    if case.data is None:
        raise ValueError("expected a data set to train on; name one with --data, for example --data digits --first 200")
    values, y = case.values(), labels_of(case.data, labels, case.first)

    def trained() -> Any:
        with output.working("training"):
            return case.network().train(values, y, loss=loss, draws=draws, seed=seed)

    case.answer(case.origin(values), case.drawn(trained))


def labels_of(data: str, labels: str | None, first: int | None) -> Any:
    """Return the labels of the data set, those of the digits or of a file, or targets."""
    if labels is None:
        known = igb.digit_labels() if data == DIGITS else labelled(data, "--data digits")[1]
        if known is None:
            raise ValueError(f"expected the labels of {data}; name their file with --labels")
        return first_rows(known, first, data)
    return first_rows(checked(labels, _as_labels, numbers(labels, "--labels")), first, labels)


def _as_labels(given: Any) -> Any:
    """Return a column as labels, where all of it is whole numbers from 0 on; else as targets."""
    found = given[:, 0] if given.ndim == 2 and given.shape[1] == 1 else given
    whole = found.ndim == 1 and np.all(found == np.round(found)) and np.all(found >= 0)
    return found.astype(np.int64) if whole else found
