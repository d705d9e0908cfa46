"""The data that are passed to a model, as a tensor, and their labels."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import torch

from igbtheory.foundations import checks
from igbtheory.foundations.given import data_and_labels
from igbtheory.foundations.labels import Labels, labels_in
from igbtheory.layers.inputs import GaussianInputs
from igbtheory.torch.inputs import Inputs, each, single


def checked_data(data: Any) -> torch.Tensor:
    """Return the tensor of the data, without their labels. ValueError: they are several inputs."""
    return single(labelled_data(data)[0])


def labelled_data(data: Any, *, multi_label: bool = False) -> tuple[torch.Tensor | Inputs, Labels | None]:
    """Return the data, (n_samples, ...), and their labels, (n_samples,), or None if there are none.

    data: as in `data_and_labels`; a model takes several inputs by their names or places. A second part is ignored if it
    has no labels. multi_label: whether a datum may have any number of labels: they are rows of 0 and 1 then,
    (n_samples, labels).
    """
    given, targets = data_and_labels(data)
    inputs, labels = _inputs(given), None if targets is None else _labels(targets)
    if labels is not None and len(labels) != len(inputs):
        raise ValueError(f"expected a label for each of {len(inputs)} data, got {len(labels)}; pass as many")
    if labels is None or multi_label == (labels.ndim == 2):
        return inputs, labels
    if multi_label:
        raise ValueError(
            f"expected rows of 0 and 1 as labels, got shape {labels.shape}; pass a column for each label, or leave "
            "multi_label out if each datum has one class"
        )
    if np.any(labels.sum(axis=1) != 1):
        raise ValueError(
            f"expected one class for each datum, got labels of shape {labels.shape} with several ones in a row; "
            "pass multi_label=True to measure or explain, or leave the labels out"
        )
    return inputs, np.asarray(labels.argmax(axis=1), dtype=np.int64)


def _inputs(data: Any) -> torch.Tensor | Inputs:
    """Return the data; a dictionary and a tuple are several inputs."""
    if isinstance(data, Mapping):
        return Inputs(names={name: _checked(x) for name, x in data.items()})
    return Inputs(tuple(map(_checked, data))) if isinstance(data, tuple) else _checked(data)


def _labels(values: Any) -> Labels | None:
    """Return class labels, (n_samples,), or rows of 0 and 1, or None if the values are neither.

    Of the values -1 and 1 of a single output, 1 is class 0, which has positive outputs. Words are numbered in
    alphabetical order.
    """
    try:
        array = np.asarray(checks.unmasked("labels", values))
    except ValueError:  # rows of different lengths
        return None
    if array.ndim == 2 and array.shape[1] == 1 and (array.dtype.kind != "f" or np.isin(array, (-1, 0, 1)).all()):
        array = array[:, 0]  # other floats are values of an output
    if array.ndim == 1 and (array.dtype.kind == "U" or (array.dtype == object and isinstance(array[0], str))):
        return np.unique(array, return_inverse=True)[1].astype(np.int64)
    if array.ndim == 2 and array.dtype.kind in "biuf" and np.isin(array, (0, 1)).all():
        return array.astype(np.int64)
    signs = array.ndim == 1 and np.array_equal(np.unique(array), (-1, 1))
    return labels_in(array < 0 if signs else array)


def _checked(data: Any) -> torch.Tensor:
    """Return the tensor of the data, refused unless it contains at least two data of finite real numbers."""
    tensor = checks.dense(data) if isinstance(data, torch.Tensor) else _tensor(data)
    if tensor.is_complex():
        raise TypeError("expected data of real numbers, got complex ones; pass real and imaginary parts as features")
    if tensor.ndim == 0 or not tensor.numel():
        raise ValueError(
            f"expected data of shape (n_samples, ...), got shape {tuple(tensor.shape)}; pass at least two data"
        )
    if len(tensor) < 2:
        raise ValueError("expected at least two data, got one: with one datum there is no fraction of guesses")
    if tensor.dtype == torch.uint8 and tensor.ndim > 2:
        raise TypeError(
            f"expected images of floating numbers, got uint8 from {int(tensor.min())} to {int(tensor.max())}; pass "
            "X / 255, or standardise them as the model's training does"
        )
    if not torch.isfinite(tensor).all():
        place = tuple(torch.nonzero(~torch.isfinite(tensor))[0].tolist())
        raise ValueError(
            f"expected finite data, got {float(tensor[place])} in datum {place[0]}; remove or impute such data"
        )
    return tensor


def _tensor(data: Any) -> torch.Tensor:
    if isinstance(data, GaussianInputs):
        raise TypeError(
            "expected data, got GaussianInputs, which is a law; draw data from it, such as numpy.random.default_rng(0)."
            f"normal({data.shift}, {data.variance} ** 0.5, (1000, 64))"
        )
    try:
        array = np.asarray(checks.unmasked("data", data))
    except ValueError:  # rows of different lengths
        array = np.asarray(None)
    if array.dtype.kind not in "biufc":
        came = f"an array of {array.dtype}" if isinstance(data, np.ndarray) else type(data).__name__
        raise TypeError(
            f"expected data in an array or a tensor of numbers, got {came}; stack the data into one, or pass data and "
            "labels 0, 1, ... as a pair (X, y)"
        )
    # PyTorch takes no foreign byte order and no more than double precision
    kind = np.float64 if array.dtype.kind == "f" and array.itemsize > 8 else array.dtype.newbyteorder("=")
    return torch.tensor(np.asarray(array, dtype=kind, order="C"))


def moved(data: Any, parameters: Iterable[torch.Tensor]) -> Any:
    """Return the data on the device of a model's parameters; floating-point data get their precision."""
    parameters = [*parameters]
    floating = (parameter.dtype for parameter in parameters if parameter.is_floating_point())
    kind = next(floating, torch.get_default_dtype())
    return each(data, lambda x: _converted(x, parameters[0].device, kind if x.is_floating_point() else x.dtype))


def _converted(data: torch.Tensor, device: torch.device, kind: torch.dtype) -> torch.Tensor:
    converted = data.to(device, kind)
    if converted.dtype != data.dtype and not torch.isfinite(converted).all():
        raise ValueError(
            f"expected data in the range of the model's {kind}, got {float(data.abs().max()):.3g}; scale the data down"
        )
    return converted
