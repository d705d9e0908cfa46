"""Set the guesses of an untrained PyTorch model by its last layer alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.foundations.device import require_torch
from igbtheory.foundations.labels import guesses
from igbtheory.networks.control.window import counts_within

Array = NDArray[np.float64]
Counts = NDArray[np.int64]
TRIES = 1000
"""Number of last layers that are drawn before one is corrected instead."""
STEPS, MANY = 200, 100
"""The corrections end after STEPS for each class, or for MANY classes if there are fewer."""


@final
@dataclass(frozen=True)
class Initialised:
    """The result of `initialise`: the name of the layer, and the shares of all classes before and after.

    tries: number of last layers that were drawn; the last one is kept, so that it has the law of its initialiser given
    the shares. It is 0 if the layer was corrected. change: length of the change of its parameters over their length.

    layer: its name in the model. before, after: shares of the classes.

    >>> igb.initialise(model, X, G0=(0.4, 0.6)).tries    # doctest: +SKIP
    """

    layer: str
    before: Array
    after: Array
    tries: int
    change: float


def initialise(
    model: Any,
    X: Any,  # noqa: N803 - as scikit-learn spells data
    *,
    G0: tuple[float, float] | None = None,  # noqa: N803 - the papers' letter
    shares: Sequence[float] | None = None,
    neutral: bool = False,
    seed: int = 0,
    output: str | int | None = None,
) -> Initialised:
    """Change the last linear layer of an untrained model so that the model guesses on the data X as wanted.

    G0: a window (low, high) for the share of class 0. The layer is drawn anew from its initialiser until the share lies
    in the window; it then has the exact law given the window and the other layers. If TRIES draws miss the window, the
    bias of class 0 is moved by the smallest amount that reaches it. shares: the shares of all classes; neutral=True:
    equal shares. The biases are moved until every class has its share, up to one datum. A layer without biases is moved
    along the mean of its inputs. Dropout is switched off meanwhile: the shares are those without it.
    Only the parameters of this layer change, at the very end; X passes through the model in one batch. X, output: as in
    `measure`.

    model: a torch.nn.Module, which is changed. neutral: whether all classes get equal shares. seed: of the draws of the
    layer.

    ValueError: not exactly one of G0, shares and neutral is given; the wish cannot be met; G0 is given and no known
    initialiser fits the weights; or the model does not end in a linear layer.

    >>> import torch.nn as nn
    >>> model = nn.Sequential(nn.Linear(64, 100), nn.ReLU(), nn.Linear(100, 10))
    >>> igb.initialise(model, igb.digits()[:100], neutral=True).after
    array([0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1])
    """
    seed = checks.whole("seed", seed, 0)
    if (G0 is not None) + (shares is not None) + bool(neutral) != 1:
        raise ValueError("expected one of G0=(low, high), shares=[...] and neutral=True; pass exactly one")
    require_torch()
    from igbtheory.torch.last_layer import LastLayer  # noqa: PLC0415 - it loads PyTorch

    last = LastLayer(model, X, output)
    outputs = last.outputs()
    size, classes = outputs.shape
    before, tries = _counts(outputs), 0
    if G0 is None:
        least = most = _wanted(shares, size, classes)
    else:
        least, most = np.zeros(classes, dtype=np.int64), np.full(classes, size)
        least[0], most[0] = counts_within(G0, size)
        tries = last.redraw(seed, lambda x: bool(least[0] <= _counts(x)[0] <= most[0]), TRIES)
    if not tries:
        last.shift(_shifts(outputs, last.slopes(), least, most))
    after = _counts(last.outputs())
    room = 1 if G0 is None else 0
    if np.any((after < least - room) | (after > most + room)):
        raise ValueError(
            f"the shares stay {np.round(after / size, 4).tolist()}: rounding or equal data allow no others; ask for "
            "shares further away from 0 and 1, or pass more data"
        )
    change = last.keep()
    return Initialised(last.name, before / size, after / size, tries, change)


def _counts(outputs: Array) -> Counts:
    """Return the number of data that are given to every class."""
    return np.bincount(guesses(outputs), minlength=outputs.shape[1])


def _wanted(shares: Sequence[float] | None, size: int, classes: int) -> Counts:
    """Return the counts of all classes: rounded down, then one more for the classes that lose most by that."""
    wanted = np.full(classes, 1 / classes) if shares is None else np.asarray(shares, dtype=float)
    if wanted.shape != (classes,) or np.any(wanted < 0) or abs(wanted.sum() - 1) > 1e-9:
        raise ValueError(
            f"expected shares of {classes} classes that add up to 1, got {np.round(wanted, 6).tolist()}; pass one "
            "number for each class"
        )
    counts = np.floor(wanted * size + 1e-9).astype(np.int64)
    counts[np.argsort(counts - wanted * size)[: size - counts.sum()]] += 1
    return counts


def _shifts(outputs: Array, slopes: Array, least: Counts, most: Counts) -> Array:
    """Return shifts t of the classes such that outputs + slopes t give every class a count from least to most.

    Each step moves the class whose count is furthest off to its nearest allowed count, until all counts are allowed.
    """
    moved, shifts = outputs.copy(), np.zeros(outputs.shape[1])
    for _ in range(STEPS * max(len(shifts), MANY)):
        count = _counts(moved)
        off = np.clip(count, least, most) - count
        if not off.any():
            break
        j = int(np.argmax(np.abs(off)))
        steps = np.sort((np.delete(moved, j, axis=1).max(axis=1) - moved[:, j]) / slopes)
        # the class wins a datum once the shift has passed the step of this datum
        ends = np.concatenate([[2 * steps[0] - steps[-1] - 1], steps, [2 * steps[-1] - steps[0] + 1]])
        t = ends[[count[j] + off[j], count[j] + off[j] + 1]].mean()
        moved[:, j] += t * slopes
        shifts[j] += t
    return shifts if np.any(least != most) else shifts - shifts.mean()
