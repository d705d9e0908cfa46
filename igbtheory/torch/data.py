"""The data that a model is shown, as a tensor."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.utils.data import DataLoader, Dataset, TensorDataset

from igbtheory import checks
from igbtheory.inputs import GaussianInputs


def labelled_data(data: Any) -> tuple[torch.Tensor, NDArray[np.int64] | None]:
    """Return the data and, of a DataLoader, a Dataset or a pair (X, y) that has them, the labels."""
    if isinstance(data, tuple) and len(data) == 2 and np.ndim(data[1]) == 1 and len(data[0]) == len(data[1]):
        data = TensorDataset(checked_data(data[0]), torch.as_tensor(data[1]))
    if isinstance(data, Dataset):
        data = DataLoader(data, batch_size=256)
    if not isinstance(data, DataLoader):
        return checked_data(data), None
    if isinstance(first := next(iter(data)), dict):
        names = ", ".join(map(repr, first))
        raise TypeError(f"expected batches (X, y), got dictionaries of {names}; pass a pair of arrays (X, y)")
    batches = [batch if isinstance(batch, tuple | list) else (batch,) for batch in data]
    parts = [torch.cat([torch.as_tensor(batch[i]) for batch in batches]) for i in range(min(2, len(batches[0])))]
    labels = parts[1].numpy().astype(np.int64) if parts[1:] and not parts[1].is_floating_point() else None
    return checked_data(parts[0]), labels if labels is not None and labels.ndim == 1 else None


def checked_data(data: Any) -> torch.Tensor:
    """Return the tensor of the data, (n_samples, ...), refused where it is no set of at least two finite real data."""
    if isinstance(data, DataLoader | Dataset):
        return labelled_data(data)[0]
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
    wrong = torch.nonzero(~torch.isfinite(tensor))
    if len(wrong):
        place = tuple(wrong[0].tolist())
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
        raise TypeError(f"expected data in an array or a tensor of numbers, got {came}; stack the data into one")
    # PyTorch takes neither foreign byte orders nor more than double precision
    kind = np.float64 if array.dtype.kind == "f" and array.itemsize > 8 else array.dtype.newbyteorder("=")
    return torch.tensor(np.asarray(array, dtype=kind, order="C"))


def moved(data: torch.Tensor, model: torch.nn.Module) -> torch.Tensor:
    """Return the data on the model's device, numbers with a point in its precision."""
    floating = (parameter.dtype for parameter in model.parameters() if parameter.is_floating_point())
    kind = next(floating, torch.get_default_dtype()) if data.is_floating_point() else data.dtype
    found = data.to(next(model.parameters()).device, kind)
    if found.dtype != data.dtype and not torch.isfinite(found).all():
        raise ValueError(
            f"expected data in the range of the model's {kind}, got {float(data.abs().max()):.3g}; scale the data down"
        )
    return found
