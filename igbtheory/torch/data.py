"""The data that are passed to a model, as a tensor, and their labels."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

from igbtheory.foundations import checks
from igbtheory.foundations.labels import LABELS, Labels, labels_in
from igbtheory.layers.inputs import GaussianInputs


def checked_data(data: Any) -> torch.Tensor:
    """Return the tensor of the data, without their labels."""
    return labelled_data(data)[0]


def labelled_data(data: Any) -> tuple[torch.Tensor, Labels | None]:
    """Return the data, (n_samples, ...), and their labels, or None if there are none.

    data: an array or tensor; a pair (X, y), where y may be None; a Dataset; a DataLoader or another iterator of
    batches; a list of pairs of single data or of batches. A batch may be a dictionary with names such as image and
    label. A second part is ignored if it does not have one whole number
    for each datum.
    """
    if isinstance(data, tuple) and len(data) == 2:
        labels = None if data[1] is None else _labels(data[1])
        if data[1] is None or labels is not None:
            if labels is not None and len(labels) != len(data[0]):
                raise ValueError(f"expected a label for each of {len(data[0])} data, got {len(labels)}; pass as many")
            return _checked(data[0]), labels
    if isinstance(data, Dataset):
        data = DataLoader(data, batch_size=256)
    pairs = isinstance(data, list) and data and isinstance(data[0], tuple) and np.ndim(data[0][0]) > 0
    return _of_batches(data) if isinstance(data, DataLoader | Iterator) or pairs else (_checked(data), None)


def _of_batches(data: Iterable[Any]) -> tuple[torch.Tensor, Labels | None]:
    """Return the data of batches, or of pairs of a datum and its label, and the labels, or None if there are none."""
    try:
        batches = [batch if isinstance(batch, tuple | list | Mapping) else (batch,) for batch in data]
    except TypeError as error:
        if "collate" not in str(error):
            raise
        remedy = "give the Dataset transform=torchvision.transforms.ToTensor(), or another that returns tensors"
        raise TypeError(f"expected data of tensors or arrays: {error}; {remedy}") from None
    if not batches:
        raise ValueError("expected batches of data, got none; an iterator yields them only once, so make a new one")
    if isinstance(batches[0], Mapping):
        batches = [_of_names(batch) for batch in batches]
    x, *y = ([torch.as_tensor(batch[i]) for batch in batches] for i in range(min(2, len(batches[0]))))
    join = torch.stack if y and not y[0][0].ndim else torch.cat
    for_each = bool(y) and (y[0][0].ndim < 2 or y[0][0].shape[1:] == (1,))
    return _checked(join(x)), _labels(join(y[0])) if for_each else None


def _of_names(batch: Any) -> tuple[Any, ...]:
    """Return the data of a batch, and its labels if there are any, by their names."""
    names = [name for name in batch if name.lower() in checks.DATA]
    if len(names) != 1:
        raise TypeError(_unpacked("batches (X, y)", batch))
    return batch[names[0]], *[batch[name] for name in batch if name.lower() in LABELS][:1]


def _labels(values: Any) -> Labels | None:
    """Return class labels, (n_samples,), or None if the values are not one whole number for each datum.

    Of the values -1 and 1 of a single output, 1 is class 0, which has positive outputs.
    """
    try:
        array = np.asarray(checks.unmasked("labels", values))
    except ValueError:  # rows of different lengths
        return None
    array = array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array
    signs = array.ndim == 1 and np.array_equal(np.unique(array), (-1, 1))
    return labels_in(array < 0 if signs else array)


def _unpacked(expected: str, came: Mapping[Any, Any]) -> str:
    """Return the error message for a dictionary in place of data."""
    names = ", ".join(map(repr, came))
    return f"expected {expected}, got a dictionary of {names}; pass the array that the model takes, or a pair (X, y)"


def _checked(data: Any) -> torch.Tensor:
    """Return the tensor of the data, refused unless it contains at least two data of finite real numbers."""
    tensor = data.detach() if isinstance(data, torch.Tensor) else _tensor(data)
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
    if isinstance(data, Mapping):
        raise TypeError(_unpacked("data in an array or a tensor", data))
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


def moved(data: torch.Tensor, parameters: Iterable[torch.Tensor]) -> torch.Tensor:
    """Return the data on the device of a model's parameters; floating-point data get their precision."""
    parameters = [*parameters]
    floating = (parameter.dtype for parameter in parameters if parameter.is_floating_point())
    kind = next(floating, torch.get_default_dtype()) if data.is_floating_point() else data.dtype
    converted = data.to(parameters[0].device, kind)
    if converted.dtype != data.dtype and not torch.isfinite(converted).all():
        raise ValueError(
            f"expected data in the range of the model's {kind}, got {float(data.abs().max()):.3g}; scale the data down"
        )
    return converted
