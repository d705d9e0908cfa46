"""The door for data: it chooses the reader of a file or folder, and tells what the reader decided."""

import gzip
import logging
import sys
from dataclasses import replace
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import numpy as np

from igbtheory.foundations import checks
from igbtheory.foundations.device import require_torch
from igbtheory.foundations.files.axes import arranged
from igbtheory.foundations.files.binary import CIFAR, of_cifar, of_idx
from igbtheory.foundations.files.contents import Array, Choices, Contents
from igbtheory.foundations.files.named import of_names
from igbtheory.foundations.files.pictures import of_pictures
from igbtheory.foundations.files.tables import of_table
from igbtheory.foundations.guarded import LARGEST, named, refuse_larger, refuse_zip_bomb, regular

STDIN = "-"
KINDS = (
    "FILE.npy, FILE.npz, FILE.csv, FILE.tsv, FILE.pt, an IDX file, a CIFAR .bin file or their folder, a folder of "
    "images"
)
"""The readable formats in words, for messages."""
SEPARATORS = {".csv": ",", ".tsv": "\t"}
ROWS = 1024
"""Number of rows of a Parquet file that are unpacked at a time; after each time the size of all is checked."""
HDF5 = (
    "HDF5 may hold pickles, which may run any program when read; if you trust the file, convert its arrays, or a table "
    "of pandas, in Python:\n"
    "import h5py, numpy; numpy.savez('x.npz', **{name: array[()] for name, array in h5py.File('x.h5').items()})\n"
    "import pandas; pandas.read_hdf('x.h5').to_parquet('x.parquet')"
)


def read_data(
    path: str | Path,
    label_column: str | int | None = "ask",
    key: str | None = None,
    *,
    header: bool | None = None,
    axes: str | None = None,
) -> tuple[Array, Array | None]:
    """Return the data of a file or folder, (n_samples, ...), and their labels, (n_samples, ...), or None.

    Formats: .npy; .npz and .pt, where names such as X and y tell the data and the labels; .csv and .tsv, also .csv.gz,
    with a row for each datum and at most one header, or - for a CSV from standard input; .parquet through pandas;
    IDX as in MNIST, also gzipped, with labels from the file beside it, or the folder of MNIST; a binary file of
    CIFAR-10 or CIFAR-100, or the folder of these files; a folder of pictures of one size, or a folder with one
    such folder for each label. Images get the shape (n_samples, channels, height, width), and pixels of one or two
    bytes become numbers from 0 to 1; all other data stay as they are. What the reader decided is logged in one line,
    as a warning of the logger "igbtheory".

    label_column: name or place of the column of a table that has the labels; "ask" refuses a column that looks like
    labels or an index; None: all columns are features. key: the name of the array that is the data, or of data and
    labels, as in "images,fine". header: whether the first row of a table has the names of the columns; None: it has
    if there are words in it. axes: what the axes of images or sequences are, NCHW, NHWC, NHW or NTF (data, channels,
    height, width; tokens, features); None: the shape decides.

    path: of the file or folder.

    ValueError: the file contains no such data, does not say which of several readings is meant, is damaged, too large
    when unpacked, or a pipe; the message names it. OSError: it cannot be opened. ImportError: what reads it, PyTorch or
    pandas, is not installed.

    >>> data, labels = igb.read_data("iris.csv", label_column="species")    # doctest: +SKIP
    """
    checks.of_kind("the path of a file or folder", path, (str, Path), "'data.csv'")
    contents = read(path, Choices(label_column, key, header, axes))
    if contents.decisions:
        logging.getLogger("igbtheory").warning(told(path, contents))
    return contents.data, contents.labels


def told(path: str | Path, contents: Contents) -> str:
    """Return what the reader decided, in one line."""
    return f"read {path}: {'; '.join(contents.decisions)}; values {contents.treatment}"


def read(source: str | Path, choices: Choices) -> Contents:
    """Return what a file or folder contains: see `read_data`."""
    if str(source) == STDIN:
        with named("standard input"):
            text = sys.stdin.read(LARGEST + 1)
            refuse_larger(len(text))
            return of_table(text, ",", choices)
    with named(source):
        return _read(regular(Path(source)), choices)


def _read(path: Path, choices: Choices) -> Contents:
    if path.is_dir():
        if digits := sorted(path.glob("train-images*")):
            return of_idx(digits[0], KINDS, choices.axes)
        return of_cifar(path) if any(any(path.glob(name)) for name in CIFAR) else of_pictures(path)
    suffix = path.suffix.lower()
    table = SEPARATORS.get(Path(path.stem).suffix.lower() if suffix == ".gz" else suffix)
    if table:
        with gzip.open(path) if suffix == ".gz" else path.open("rb") as file:
            content = file.read(LARGEST + 1)
        refuse_larger(len(content))
        return of_table(content.decode("utf-8-sig"), table, choices)
    match suffix:
        case ".npy":
            # a map is refused if the file is smaller than its header says; the copy outlives changes of the file
            return arranged(np.array(np.lib.format.open_memmap(path, mode="r")), choices.axes)
        case ".npz":
            refuse_zip_bomb(path, path.stat().st_size)
            # NumPy leaves a file open whose archive is damaged
            with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
                return of_names({each: archive[each] for each in archive.files}, choices)
        case ".pt" | ".pth":
            return of_names(_tensors(path), choices)
        case ".bin":
            return of_cifar(path)
        case ".h5" | ".hdf5":
            raise ValueError(HDF5)
        case ".parquet":
            # the text of a number is exact
            return of_table(_frame(path).to_csv(index=False, na_rep="nan"), ",", replace(choices, header=True))
    return of_idx(path, KINDS, choices.axes)


def _frame(path: Path) -> Any:
    """Return the table of a Parquet file, by declared and by real size at most as large as other data."""
    try:
        import pandas  # noqa: ICN001, F401, PLC0415 - an extra, which only such files need, and which to_pandas needs
        import pyarrow as pa  # noqa: PLC0415 - as above
        from pyarrow import parquet  # noqa: PLC0415 - as above
    except ImportError:
        raise ImportError('expected pandas and pyarrow: pip install "igbtheory[pandas]" pyarrow') from None
    packed, unpacked, batches = path.stat().st_size, 0, []
    with parquet.ParquetFile(path) as file:
        refuse_larger(8 * file.metadata.num_rows * file.metadata.num_columns, packed)
        for batch in file.iter_batches(ROWS):
            unpacked += batch.nbytes
            refuse_larger(unpacked, packed)
            batches.append(batch)
        frame = pa.Table.from_batches(batches, file.schema_arrow).to_pandas()
    return frame.reset_index() if any(frame.index.names) else frame  # an index with a name is a column, too


def _tensors(path: Path) -> dict[str, Array]:
    require_torch()
    refuse_zip_bomb(path, path.stat().st_size)
    import torch  # noqa: PLC0415 - an extra, which only such files need

    try:
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
    # a view such as torch.zeros(1).expand(10**12) is stored as a single number
    refuse_larger(sum(x.numel() * x.element_size() for x in tensors.values()), path.stat().st_size)
    return {name: x.numpy(force=True) for name, x in tensors.items()}
