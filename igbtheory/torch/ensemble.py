"""Ensembles of untrained PyTorch models."""

import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from igbtheory import checks
from igbtheory.runs.progress import shown
from igbtheory.torch.library import require_torch
from igbtheory.torch.outputs import Summary, like_probabilities
from igbtheory.torch.remarks import remarks
from igbtheory.torch.result import Measurement

Array = NDArray[np.float64]


def measure(
    make_model: Callable[[], Any],
    X: Any,  # noqa: N803 - as scikit-learn spells data
    networks: int = 100,
    *,
    seed: int = 0,
    batch_size: int | None = None,
    progress: bool = False,
) -> Measurement:
    """Measure the bias of an untrained PyTorch model on the data X, on `networks` freshly drawn ones.

    make_model: function without arguments, or class, that returns a new torch.nn.Module with random weights. The mode
    it comes in stays: new modules train, so that BatchNorm normalises by the batch and Dropout drops. It returns
    logits, (n_samples,) or (n_samples, 1), class 0 where they are > 0, or (n_samples, M), the class of the largest.
    X: array or tensor of shape (n_samples, ...); floating numbers take the model's precision, integers stay integers.
    Or a DataLoader or Dataset of PyTorch, whose second part, where there is one, holds the labels of the data.
    batch_size: data in a pass, in an order drawn anew for every network, the last batch perhaps smaller; None: all.
    Network i draws from the global generators of PyTorch, NumPy and Python, seeded by SeedSequence(seed,
    spawn_key=(i,)); the states they had before come back. Generators that make_model holds itself, such as
    numpy.random.default_rng(), go on as they are: they are its own. progress: a bar on standard error.

    ValueError, TypeError: no model, the same model or weights twice, data or outputs that are not as above.
    ImportError: PyTorch is not installed.
    """
    networks, seed = checks.whole("networks", networks, 2), checks.whole("seed", seed, 0)
    if not callable(make_model):
        raise TypeError(
            f"expected make_model to be a function or a class, got {type(make_model).__name__}; pass the model's "
            "class, or a function that makes a new one"
        )
    require_torch()
    from igbtheory.torch.data import labelled_data  # noqa: PLC0415 - it loads PyTorch
    from igbtheory.torch.models import refuse_arguments  # noqa: PLC0415 - as above
    from igbtheory.torch.passes import drawn_outputs  # noqa: PLC0415 - as above

    refuse_arguments(make_model)
    data, labels = labelled_data(X)
    batch_size = None if batch_size is None else checks.whole("batch_size", batch_size, 1, len(data))
    said: list[str] = []
    outputs = _logits(drawn_outputs(make_model, data, networks, seed, batch_size, said), said)
    found = [Summary.of(x, _classes(labels, x)) for x in (shown(outputs, networks, "models") if progress else outputs)]
    # all of it here, in the name of the line that called
    for sentence in (*said, *remarks(found, len(data))):
        warnings.warn(sentence, stacklevel=2)
    shares, moments, _, _, *more = (np.array(values) for values in zip(*found, strict=True))
    return Measurement(len(data), seed, shares, moments, len(found[0].centres), *more)


def _classes(labels: NDArray[np.int64] | None, outputs: Array) -> NDArray[np.int64] | None:
    """Return the labels, refused where the outputs have no such class."""
    classes = max(2, outputs.shape[1])
    if labels is not None and not 0 <= labels.min() <= labels.max() < classes:
        raise ValueError(
            f"expected labels from 0 to {classes - 1}, as the model has {classes} classes, got {labels.min()} to "
            f"{labels.max()}; number the classes from 0"
        )
    return labels


def _logits(outputs: Iterable[Array], said: list[str]) -> Iterator[Array]:
    """Yield the outputs; refuse probabilities in the place of logits, and networks of different numbers of outputs."""
    alike, count = True, 0
    for i, x in enumerate(outputs):
        if i and x.shape[1] != count:
            raise ValueError(
                f"expected as many outputs of every model, got {count} and then {x.shape[1]}; fix their number"
            )
        alike, count = alike and like_probabilities(x), x.shape[1]
        # by chance one network may do it, two of them do not
        if alike and i and count > 1:
            raise ValueError(
                "expected logits, got outputs in [0, 1] of the sum 1, which are probabilities; return logits, leave "
                "the softmax out"
            )
        yield x
    if alike:
        said.append(
            "all outputs of all networks lie in [0, 1]; if they are probabilities, return logits, leave the sigmoid out"
        )
