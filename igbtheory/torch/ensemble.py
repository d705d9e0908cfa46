"""Ensembles of untrained PyTorch models."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np

from igbtheory.foundations import checks
from igbtheory.foundations.device import checked_device, require_torch
from igbtheory.foundations.labels import Labels, empty_classes
from igbtheory.foundations.progress import progress_bar
from igbtheory.torch.outputs import Outputs, Summary
from igbtheory.torch.remarks import off_centre, remarks, tied
from igbtheory.torch.result import Measurement

SOFTMAX = (
    "expected logits, got outputs in [0, 1] of the sum 1, which are probabilities; return logits, leave the softmax out"
)
SIGMOID = "expected logits, got outputs in [0, 1], which are probabilities; return logits, leave the sigmoid out"
LABELS = (
    "all outputs lie in [0, 1] and do not add up to 1: the largest one counts as the guess; if every output is a label "
    "of its own, return logits and pass multi_label=True"
)

ENOUGH = 20
"""Number of networks with one output that lie in [0, 1] by chance with a probability below one in a million: positive
and negative outputs are equally likely in each. Outputs that add up to 1 do not do so by chance in two networks."""


def measure(  # noqa: PLR0913 - the contract of the public name
    make_model: Callable[[], Any],
    X: Any,  # noqa: N803 - as scikit-learn spells data
    networks: int = 100,
    *,
    seed: int = 0,
    batch_size: int | None = None,
    device: Any = None,
    workers: int | None = None,
    executor: Executor | str | None = None,
    store: str | Path | None = None,
    progress: bool = False,
    output: str | int | None = None,
    multi_label: bool = False,
) -> Measurement:
    """Measure the bias of an untrained PyTorch model on the data X, over `networks` freshly drawn models.

    make_model: function without arguments, or class, that returns a new torch.nn.Module with random weights. The model
    stays in the mode in which it comes: new modules are in training mode, so that BatchNorm normalises by the batch
    and Dropout drops units. It returns logits: (n_samples,) or (n_samples, 1), class 0 where they are >= 0, or
    (n_samples, M), the class of the largest.
    multi_label: whether each output gives a label of its own, such as a tag, to the data where it is >= 0. Labels y are
    rows of 0 and 1 then, and the results are those of models with one output, averaged over the labels.
    output: if the model returns several outputs, the name or the place of its logits; None: the output named logits,
    or the only one.
    X: array or tensor of shape (n_samples, ...); floating-point numbers are converted to the precision of the model,
    integers stay integers. Several inputs: a dictionary of arrays, which the model takes by their names, or the pair
    ((X1, X2), None). With labels 0, 1, ... for the shares by label: a pair (X, y), as `read_data` returns it, a
    dictionary with labels, a Dataset or DataLoader of PyTorch, or an iterator of batches (X, y). Words as labels are
    numbered in alphabetical order.
    batch_size: number of data in a pass; the order is drawn anew for every network, and the last batch may be smaller.
    None: all data in one pass.
    Network i draws from the global generators of PyTorch, NumPy and Python, seeded by SeedSequence(seed,
    spawn_key=(i,)); afterwards they get their states back. Generators that make_model itself holds, such as
    numpy.random.default_rng(), are not seeded. progress: show a bar on standard error.
    device: where the passes run, such as "cuda"; None: where make_model puts its model. All networks run one after the
    other in this process, unless workers, executor or store are given, as in `Network.simulate`; then PyTorch has one
    thread in each process.

    networks: number of models. seed: the same seed gives the same models. workers, executor, store: as in
    `igbtheory.simulate`.

    ValueError, TypeError: make_model makes no models, or the same weights twice; data or outputs are not as above.
    ImportError: PyTorch is not installed.

    >>> import torch.nn as nn
    >>> def make_model():
    ...     return nn.Sequential(nn.Linear(64, 100), nn.ReLU(), nn.Linear(100, 10))
    >>> measured = igb.measure(make_model, igb.digits()[:100], networks=10)
    >>> print(f"{measured.majority:.1f} {measured.shares.shape}")
    0.7 (10, 10)
    """
    networks, seed = checks.whole("networks", networks, 2), checks.whole("seed", seed, 0)
    wanted = checks.flag("progress", progress)
    checks.makes_models(make_model)
    require_torch()
    from igbtheory.torch.data import labelled_data  # noqa: PLC0415 - it loads PyTorch
    from igbtheory.torch.models import refuse_arguments  # noqa: PLC0415 - as above
    from igbtheory.torch.passes import own_streams  # noqa: PLC0415 - as above
    from igbtheory.torch.task import Task, spread  # noqa: PLC0415 - as above

    refuse_arguments(make_model)
    multi_label = checks.flag("multi_label", multi_label)
    data, labels = labelled_data(X, multi_label=multi_label)
    batch_size = None if batch_size is None else checks.whole("batch_size", batch_size, 1, len(data))
    task = Task(make_model, data, labels, seed, batch_size, checked_device(device), output, multi_label)
    said: list[str] = []
    here = workers is None and executor is None and store is None
    drawn = task.summaries(range(networks), said) if here else spread(task, networks, said, workers, executor, store)
    with progress_bar(wanted=wanted), own_streams(), closing(drawn):  # an error ends the run of an executor at once
        summaries = list(_checked(drawn, said, multi_label=multi_label))
    said += [] if labels is None else _of_labels(labels, summaries[0])
    # all warnings are given here, so that they name the line of the caller
    for sentence in (*said, *remarks(summaries, len(data), multi_label=multi_label)):
        warnings.warn(sentence, stacklevel=2)
    return measurement(summaries, len(data), seed, multi_label=multi_label)


def _of_labels(labels: Labels, summary: Summary) -> list[str]:
    """Return warnings about labels that do not fit the outputs of a network, or are missing."""
    classes = len(summary.shares)
    if labels.ndim == 2:
        unfit = f"the loss does not use the labels: there are {labels.shape[1]}, and the model has {classes} outputs"
        return [unfit] if labels.shape[1] != classes else []
    unfit = (
        f"the shares by label are left out: labels go from {labels.min()} to {labels.max()}, and the classes of the "
        f"model from 0 to {classes - 1}"
    )
    return [*([] if summary.by_label.size else [unfit]), *empty_classes(labels)]


def measurement(summaries: Sequence[Summary], samples: int, seed: int, *, multi_label: bool = False) -> Measurement:
    """Return the measurement of networks with these outputs, without losses if all are probabilities.

    samples, seed, multi_label: as in `Measurement`.
    """
    stacked: Any = [np.array(values) for values in zip(*summaries, strict=True)]
    columns: Any = Summary(*stacked)
    return Measurement(
        samples,
        seed,
        columns.shares,
        columns.moments,
        len(summaries[0].centres),
        columns.probabilities,
        np.where(columns.alike.all(), np.nan, columns.loss),
        columns.by_label,
        np.nan * columns.guess_variance if off_centre(summaries) else columns.guess_variance,
        multi_label,
        tied(summaries, samples),
        columns.equal,
    )


@final
@dataclass(frozen=True)
class Asked:
    """What is asked of an explanation: all but `check`, whether changes are measured, is as in `measure`."""

    networks: int
    seed: int
    output: str | int | None
    multi_label: bool
    check: bool

    def summary(self, outputs: Outputs) -> Summary:
        """Return the summary of the outputs of a network."""
        return Summary.of_labels(outputs) if self.multi_label else Summary.of(outputs)

    def measurement(self, summaries: Sequence[Summary], samples: int, *, bent: bool = False) -> Measurement:
        """Return the measurement of the networks. ValueError: their outputs are probabilities of labels.

        bent: whether there is a function behind the last weights, so that few outputs in [0, 1] are no chance.
        """
        alone = self.multi_label or len(summaries[0].centres) == 1
        if alone and (bent or len(summaries) >= ENOUGH) and all(summary.alike for summary in summaries):
            raise ValueError(SIGMOID)
        return measurement(summaries, samples, self.seed, multi_label=self.multi_label)


def _checked(summaries: Iterator[tuple[Summary, bytes]], said: list[str], *, multi_label: bool) -> Iterator[Summary]:
    """Yield the summaries; refuse networks with equal weights or different outputs, and probabilities for logits."""
    from igbtheory.torch.models import refuse_repeated  # noqa: PLC0415 - it loads PyTorch

    inside, alike, count = True, True, 0
    digests: dict[bytes, int] = {}
    for i, (x, weights) in enumerate(summaries):
        refuse_repeated(weights, i, digests)
        if i and len(x.centres) != count:
            raise ValueError(
                f"expected as many outputs of every model, got {count} and then {len(x.centres)}; fix their number"
            )
        inside, alike, count = inside and x.inside, alike and x.alike, len(x.centres)
        exclusive = count > 1 and not multi_label
        if alike and i + 1 >= (2 if exclusive else ENOUGH):
            raise ValueError(SOFTMAX if exclusive else SIGMOID)
        yield x
    if inside:
        said.append(LABELS if not alike else SOFTMAX if exclusive else SIGMOID)
