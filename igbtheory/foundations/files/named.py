"""Arrays with names, as in .npz, .mat and .pt files: which of them are the data, and which their labels."""

import warnings
from pathlib import Path
from pickle import UnpicklingError

import numpy as np

from igbtheory.foundations import checks
from igbtheory.foundations.device import require_torch
from igbtheory.foundations.files.contents import Array, Choices, Contents, arranged, as_labels, listed
from igbtheory.foundations.guarded import UndecidedError, refuse_larger, refuse_zip_bomb
from igbtheory.foundations.labels import named_as_labels

SPARSE = {"format", "shape", "data"}
"""Names of arrays in a file of `scipy.sparse.save_npz`, among others."""


def of_npz(path: Path, choices: Choices) -> Contents:
    """Return the data and labels of a file of `numpy.savez` or of `scipy.sparse.save_npz`."""
    packed = path.stat().st_size
    refuse_zip_bomb(path, packed)
    # NumPy leaves a file open whose archive is damaged
    with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    if not {*arrays} >= SPARSE:
        return of_names(arrays, choices)
    refuse_larger(8 * int(np.prod(arrays["shape"].astype(float))), packed)
    from scipy.sparse import load_npz  # noqa: PLC0415 - SciPy loads slowly

    dense = arranged(load_npz(path).toarray(), choices.axes)
    return Contents(dense.data, None, ("a sparse matrix of SciPy", *dense.decisions), dense.treatment)


def of_mat(path: Path, choices: Choices) -> Contents:
    """Return the data and labels of a file of MATLAB, as SciPy reads it: up to version 7.2."""
    from scipy.io import loadmat, whosmat  # noqa: PLC0415 - SciPy loads slowly

    refuse_larger(sum(8 * int(np.prod(shape, dtype=float)) for _, shape, _ in whosmat(path)), path.stat().st_size)
    saved = {name: np.asarray(x) for name, x in loadmat(path).items() if not name.startswith("__")}
    return of_names({name: x for name, x in saved.items() if x.dtype.kind in "biuf"}, choices)


def of_pt(path: Path, choices: Choices) -> Contents:
    """Return the data and labels of a file of `torch.save`, which contains only tensors."""
    require_torch()
    packed = path.stat().st_size
    refuse_zip_bomb(path, packed)
    import torch  # noqa: PLC0415 - an extra, which only such files need

    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Validating sparse tensor invariants")
            saved = torch.load(path, map_location="cpu", weights_only=True)
    except (UnpicklingError, RuntimeError):
        raise ValueError("expected only tensors, which need no unpickling; write them by torch.save((X, y))") from None
    if isinstance(saved, dict):
        if hasattr(saved, "_metadata") or any(str(name).endswith("weight") for name in saved):
            raise ValueError("this is the state of a model, its weights, and no data; save data by torch.save((X, y))")
    elif isinstance(saved, tuple | list):
        saved = dict(zip("Xy", saved, strict=True)) if len(saved) == 2 else dict(enumerate(saved))
    else:
        saved = {"X": saved}
    tensors = {str(name): x for name, x in saved.items() if isinstance(x, torch.Tensor)}
    # a view such as torch.zeros(1).expand(10**12) is stored as a single number, and a sparse tensor without its zeros
    refuse_larger(sum(x.numel() * x.element_size() for x in tensors.values()), packed)
    return of_names({name: np.asarray(checks.unmasked("data", x)) for name, x in tensors.items()}, choices)


def of_names(arrays: dict[str, Array], choices: Choices) -> Contents:
    """Return the array that is named as data, or the only one that can be data, and its labels.

    choices.key: the name of the data, or of data and labels, separated by a comma.
    """
    if not arrays:
        raise ValueError("expected arrays of numbers, got none; save data and labels as arrays with names")
    name, *more = choices.key.split(",") if choices.key else [_data(arrays)]
    for each in (name, *more):
        checks.known("array", each, arrays)
    data = arrays[name]
    label = more[0] if more else _labels(arrays, name, len(data) if data.ndim else 0)
    said = [f"{name} of the arrays {listed(arrays)}"] if len(arrays) > 1 else []
    if label is None and data.ndim > 1 and (last := _labels(arrays, name, data.shape[-1])) and named_as_labels(last):
        label, data = last, np.moveaxis(data, -1, 0)
        said += ["the data are along its last axis"]
    said += [f"labels {label}"] if label else []
    wrong = [f"{each} of shape {x.shape}" for each, x in arrays.items() if named_as_labels(each) and each != label]
    said += [f"{wrong[0]} left out"] if wrong and not label else []
    contents = arranged(data, choices.axes)
    labels = as_labels(arrays[label].reshape(-1) if _is_row(arrays[label]) else arrays[label]) if label else None
    return Contents(contents.data, labels, (*said, *contents.decisions), contents.treatment)


def _is_row(array: Array) -> bool:
    """Return whether an array has one row, as MATLAB has instead of arrays in one dimension."""
    return array.ndim == 2 and len(array) == 1


def _data(arrays: dict[str, Array]) -> str:
    """Return the name of the data: the only array named so, or else the only one of a shape as of data."""
    named = [name for name in arrays if name.lower() in checks.DATA]
    others = [name for name, x in arrays.items() if x.ndim > 1 and not _like_labels(name, x)]
    names = named or others or [*arrays]
    if len(names) > 1:
        shapes = listed(f"{name} {arrays[name].shape}" for name in names)
        raise UndecidedError(
            f"expected one array of data, got {shapes}; choose one with key={names[0]!r}", {"key": names[0]}
        )
    return names[0]


def _like_labels(name: str, array: Array) -> bool:
    return named_as_labels(name) or (
        array.dtype.kind in "iub" and array.size == max(array.shape, default=0) > 0 and array.min() >= 0
    )


def _labels(arrays: dict[str, Array], data: str, count: int) -> str | None:
    """Return the name of the labels, or None: an array of labels with an entry for each datum."""
    fits = [name for name, x in arrays.items() if name != data and _count(x) == count and _like_labels(name, x)]
    named = [name for name in fits if named_as_labels(name)]
    partner = [name for name in named if name.lower() == checks.DATA.get(data.lower())]
    fits = partner or named or fits
    if len(fits) > 1:
        raise UndecidedError(
            f"expected one array of labels for {data}, got {' and '.join(fits)}; choose with key='{data},{fits[0]}'",
            {"key": f"{data},{fits[0]}"},
        )
    return fits[0] if fits else None


def _count(array: Array) -> int:
    """Return the number of data that labels are of."""
    return array.size if _is_row(array) else len(array) if array.ndim else 0
