"""Arrays with names, as in .npz and .pt files: which of them are the data, and which their labels."""

from igbtheory.foundations import checks
from igbtheory.foundations.files.axes import arranged
from igbtheory.foundations.files.contents import Array, Choices, Contents, as_labels, listed
from igbtheory.foundations.labels import LABELS


def of_names(arrays: dict[str, Array], choices: Choices) -> Contents:
    """Return the array that is named as data, or the only one that can be data, and its labels.

    choices.key: the name of the data, or of data and labels, separated by a comma.
    """
    if not arrays:
        raise ValueError("expected arrays, got none")
    name, *more = choices.key.split(",") if choices.key else [_data(arrays)]
    for each in (name, *more):
        checks.known("array", each, arrays)
    count = len(arrays[name]) if arrays[name].ndim else 0
    label = more[0] if more else _labels(arrays, name, count)
    said = [f"{name} of the arrays {listed(arrays)}"] if len(arrays) > 1 else []
    said += [f"labels {label}"] if label else []
    wrong = [f"{each} of shape {x.shape}" for each, x in arrays.items() if each.lower() in LABELS and each != label]
    said += [f"{wrong[0]} left out"] if wrong and not label else []
    contents = arranged(arrays[name], choices.axes)
    labels = as_labels(arrays[label]) if label else None
    return Contents(contents.data, labels, (*said, *contents.decisions), contents.treatment)


def _data(arrays: dict[str, Array]) -> str:
    """Return the name of the data: the only array named so, or else the only one of a shape as of data."""
    named = [name for name in arrays if name.lower() in checks.DATA]
    others = [name for name, x in arrays.items() if x.ndim > 1 and not _like_labels(name, x)]
    names = named or others or [*arrays]
    if len(names) > 1:
        shapes = listed(f"{name} {arrays[name].shape}" for name in names)
        raise ValueError(f"expected one array of data, got {shapes}; choose one with key={names[0]!r}")
    return names[0]


def _like_labels(name: str, array: Array) -> bool:
    return name.lower() in LABELS or (array.dtype.kind in "iub" and array.size == len(array) and array.min() >= 0)


def _labels(arrays: dict[str, Array], data: str, count: int) -> str | None:
    """Return the name of the labels, or None: an array of labels with an entry for each datum."""
    fits = [name for name, x in arrays.items() if name != data and x.ndim and len(x) == count and _like_labels(name, x)]
    named = [name for name in fits if name.lower() in LABELS]
    partner = [name for name in named if name.lower() == checks.DATA.get(data.lower())]
    fits = partner or named or fits
    if len(fits) > 1:
        raise ValueError(
            f"expected one array of labels for {data}, got {' and '.join(fits)}; choose with key='{data},{fits[0]}'"
        )
    return fits[0] if fits else None
