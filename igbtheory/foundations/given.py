"""What a user passes as data: arrays and tensors, DataFrames, pairs of data and labels, dictionaries, batches.

Theory and measurement take the same.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from igbtheory.foundations.checks import DATA, unmasked
from igbtheory.foundations.files.contents import Choices, tell
from igbtheory.foundations.files.frames import is_frame, of_frame
from igbtheory.foundations.labels import named_as_labels
from igbtheory.foundations.orders import LAST, is_image, order


def data_set(inputs: Any) -> Any:
    """Return a data set that a user passes as `real_data`, with the channels of images in front.

    They are moved there, and this is logged, if the shape speaks for channels that come last: see `orders.order`. Where
    it speaks for neither order they are in front already, as is documented.
    """
    array = real_data(inputs)
    if array.ndim != 4 or order(array.shape) != "NHWC":
        return array
    tell(f"read images of shape {array.shape}: {LAST}")
    return np.moveaxis(array, -1, 1)


def real_data(inputs: Any) -> Any:
    """Return the data set as a float array; refuse one that is empty, not finite, or a single datum.

    inputs: as in `data_and_labels`; labels are left out.
    """
    inputs = data_and_labels(inputs)[0]
    if isinstance(inputs, Mapping | tuple):
        names = ", ".join(map(repr, inputs)) if isinstance(inputs, Mapping) else f"{len(inputs)} arrays"
        raise TypeError(f"expected one array of data, got {names}; pass one of them, or a pair (X, y)")
    inputs = unmasked("data", inputs)
    try:
        array = np.asarray(inputs)
    except ValueError:  # rows of different lengths
        array = np.asarray(None)
    if array.dtype.kind not in "biuf" or not array.ndim:
        raise TypeError(f"expected a data set of real numbers, got {_kind(inputs, array)}")
    if array.ndim == 3 and array.dtype.kind == "u" and is_image(array):
        raise ValueError(
            f"expected several data, got a single image of shape {array.shape}; pass an array of images "
            "(n_samples, channels, height, width)"
        )
    array = array.astype(float)
    if not array.size:
        raise ValueError(
            f"expected a data set, got an empty one of shape {array.shape}; pass at least two data with a feature each"
        )
    if not 2 <= array.ndim <= 4:
        raise ValueError(
            "expected a data set of shape (n_samples, n_features), (n_samples, tokens, features) or (n_samples, "
            f"channels, height, width), got shape {array.shape}; reshape it by NumPy, for example X.reshape(len(X), -1)"
        )
    if len(array) < 2:
        raise ValueError("expected at least two data, got one: with one datum there is no fraction of guesses")
    bad = np.argwhere(~np.isfinite(array))
    if bad.size:
        row, *columns = bad[0].tolist()
        raise ValueError(
            f"expected finite data, got {array[tuple(bad[0])]} in row {row}, column {', '.join(map(str, columns))}; "
            "remove or impute it"
        )
    return array


def _kind(inputs: Any, array: Any) -> str:
    """Return what was passed instead of real numbers, and what to do; `array`: the inputs as a NumPy array."""
    if array.dtype.kind == "c":
        return "complex ones; pass their real and imaginary parts as features, np.hstack([X.real, X.imag])"
    if array.ndim == 0:
        return f"{type(inputs).__name__}; pass an array"
    of = "objects" if array.dtype == object else "text" if array.dtype.kind in "US" else str(array.dtype)
    return f"an array of {of}; convert it with np.asarray(X, dtype=float)"


def data_and_labels(given: Any) -> tuple[Any, Any]:
    """Return data and what comes with them, labels or other targets, or None.

    given: an array or tensor; a DataFrame, whose columns follow the rule of `read_data`; a pair (X, y), where y may be
    None, and X may be a dictionary or a tuple of several inputs; a dictionary of inputs, with labels among them; a
    Dataset or DataLoader of PyTorch, or another iterator of batches; a list of pairs of single data, or of batches. A
    batch may be a dictionary, too, or have several inputs in front of its labels. Several inputs are returned in a
    dictionary or a tuple.
    """
    if is_frame(given):
        contents = of_frame(given, Choices())
        tell(contents.told())
        return contents.data, contents.labels
    if isinstance(given, tuple) and _is_pair(given):
        return data_and_labels(given[0])[0] if is_frame(given[0]) else given[0], given[1]
    if isinstance(given, Mapping):
        return _of_names(given)
    loaded = sys.modules.get("torch.utils.data")  # without it there are none
    if loaded is not None and isinstance(given, loaded.Dataset):
        given = loaded.DataLoader(given, batch_size=256)
    batches = isinstance(given, Iterator) or (loaded is not None and isinstance(given, loaded.DataLoader))
    if batches or _is_list_of_pairs(given):
        return _of_batches(given)
    return [*given] if isinstance(given, tuple) else given, None


def _is_pair(given: tuple[Any, ...]) -> bool:
    """Return whether a tuple has data and their labels: two data of one set have one shape, and are of one kind."""
    if len(given) != 2:
        return False
    data, labels = given
    if labels is None or isinstance(data, Mapping | tuple) or is_frame(data):
        return True
    try:
        shape, other, kind = np.shape(data), np.shape(labels), np.asarray(unmasked("labels", labels)).dtype.kind
    except ValueError:  # rows of different lengths
        return False
    classes = kind not in "fcO" and np.asarray(unmasked("data", data)).dtype.kind == "f"
    return bool(shape and other) and (shape != other or other[1:] == (1,) or classes)


def _is_list_of_pairs(given: Any) -> bool:
    if not isinstance(given, list) or not given:
        return False
    return isinstance(given[0], Mapping) or (isinstance(given[0], tuple) and np.ndim(given[0][0]) > 0)


def _of_batches(given: Iterable[Any]) -> tuple[Any, Any]:
    """Return the data of batches, or of pairs of a datum and its label, and the labels, or None if there are none."""
    try:
        batches = [batch if isinstance(batch, tuple | list | Mapping) else (batch,) for batch in given]
    except TypeError as error:
        if "collate" not in str(error):
            raise
        remedy = "give the Dataset transform=torchvision.transforms.ToTensor(), or another that returns tensors"
        raise TypeError(f"expected data of tensors or arrays: {error}; {remedy}") from None
    if not batches:
        raise ValueError("expected batches of data, got none; an iterator yields them only once, so make a new one")
    if isinstance(batches[0], Mapping):
        # columns of text, such as the words behind the tokens, are left out
        names = [name for name, x in batches[0].items() if np.ndim(x) == 0 or not isinstance(next(iter(x)), str)]
        single = any(np.ndim(batches[0][name]) == 0 for name in names)
        return _of_names({name: _joined([batch[name] for batch in batches], single=single) for name in names})
    columns = [*zip(*batches, strict=False)]
    place = next((i for i, column in enumerate(columns) if i and _one_for_each(column[0])), 0)
    single = bool(place) and not np.ndim(columns[place][0])
    # what stands in front of the labels are inputs; without labels, the second part may be what a model should return
    inputs = [_joined(column, single=single) for column in columns[: place or 1]]
    labels = columns[place or 1] if place or len(columns) == 2 else None
    return tuple(inputs) if inputs[1:] else inputs[0], None if labels is None else _joined(labels, single=single)


def _joined(pieces: Any, *, single: bool) -> Any:
    """Return the rows of all batches, or of single data, or of each of the parts of a batch."""
    if isinstance(pieces[0], tuple | list) and hasattr(pieces[0][0], "shape") and np.ndim(pieces[0][0]):
        return tuple(_joined(column, single=single) for column in zip(*pieces, strict=True))
    join: Callable[[Any], Any] = np.stack if single else np.concatenate
    if any(hasattr(piece, "detach") for piece in pieces):
        torch = sys.modules["torch"]
        join, pieces = torch.stack if single else torch.cat, [torch.as_tensor(piece) for piece in pieces]
    return join(pieces)


def _one_for_each(part: Any) -> bool:
    """Return whether a part of a batch has one number for each datum, as labels have."""
    return np.ndim(part) < 2 or np.shape(part)[1:] == (1,)


def _of_names(columns: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return the data of columns, and their labels if there are any, by their names.

    A column named image or the like has the data, unless another has more than a number for each datum: then a model
    takes them all by their names.
    """
    labels = [name for name in columns if named_as_labels(name)][:1]
    others = [name for name in columns if name not in labels]
    many = [name for name in others if np.ndim(columns[name]) > 1]
    if not many:
        named = ", ".join(map(repr, columns))
        raise TypeError(
            f"expected data and labels, got a dictionary of {named}; pass the arrays that the model takes, or (X, y)"
        )
    data = columns[many[0]] if len(many) == 1 and many[0].lower() in DATA else {x: columns[x] for x in others}
    return data, columns[labels[0]] if labels else None
