"""The door for data: it finds what a file is, lets its reader read it, and tells what was decided."""

import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np

from igbtheory.foundations import checks
from igbtheory.foundations.files.binary import PICKLE, is_idx, of_cifar, of_idx, unzipped
from igbtheory.foundations.files.contents import Array, Choices, Contents, arranged, listed, refuse_unused, tell
from igbtheory.foundations.files.folders import PICTURES, of_folder
from igbtheory.foundations.files.frames import is_frame, of_arff, of_frame, of_json, of_parquet
from igbtheory.foundations.files.named import of_mat, of_npz, of_pt
from igbtheory.foundations.files.tables import UTF16, encoding_of, of_table
from igbtheory.foundations.guarded import LARGEST, UndecidedError, named, refuse_larger, regular

STDIN = "-"
KINDS = (
    "FILE.npy, FILE.npz, FILE.pt, FILE.mat, FILE.parquet, a table in text such as FILE.csv (also zipped), FILE.jsonl, "
    "FILE.arff, an IDX file or a CIFAR .bin file, or a folder of these two, of images, or of one folder for each class"
)
"""The readable formats in words, for messages."""
START = 4096
"""Number of bytes in which a file shows what it is."""
HDF5 = (
    "HDF5 may hold pickles, which may run any program when read; if you trust the file, convert its arrays, or a table "
    "of pandas, in Python:\n"
    "import h5py, numpy; numpy.savez('x.npz', **{name: array[()] for name, array in h5py.File('x.h5').items()})\n"
    "import pandas; pandas.read_hdf('x.h5').to_parquet('x.parquet')"
)
SHEETS = "this is a spreadsheet; save it as CSV, or call igb.read_data(pandas.read_excel({name!r}))"
LIBSVM = (
    "this is a file of libsvm; convert it in Python: from sklearn.datasets import load_svmlight_file; import numpy; "
    "X, y = load_svmlight_file({name!r}); numpy.savez('x.npz', X=X.toarray(), y=y)"
)


def read_data(  # noqa: PLR0913 - the contract of the public name
    path: Any,
    label_column: str | int | None = "ask",
    key: str | None = None,
    header: bool | None = None,  # noqa: FBT001 - as above
    drop_columns: str | Sequence[str | int] | None = None,
    separator: str | None = None,
    decimal: str | None = None,
    *,
    axes: str | None = None,
) -> tuple[Array, Array | None]:
    """Return the data of a file, folder or DataFrame, (n_samples, ...), and their labels, (n_samples, ...), or None.

    Formats: tables in text with a row for each datum (.csv, .tsv, .txt and others, also in .gz or .zip), or - for one
    from standard input; .parquet through pandas; records of JSON (.json, .jsonl); .arff; arrays in .npy, .npz (also
    sparse ones of SciPy), .pt and .mat, where names such as X and y tell the data and the labels; IDX as in MNIST, with
    labels from the file beside it; binary CIFAR; a folder of these two, such as the root folder of torchvision; a
    folder of pictures of one size, or a folder with one such folder for each class, also below train. Images get the
    shape (n_samples, channels, height, width), and pixels of one or two bytes become numbers from 0 to 1; all other
    data stay as they are. One line says what was decided, as a warning of the logger "igbtheory".

    Tables and DataFrames have one rule. A column is a feature only if nothing speaks against it: words, missing values,
    the name or the values of labels, a number for each datum. What is certain is done and told; what is in doubt raises
    an error that says what to pass. Classes are numbered from 0, in the order of numbers or of the alphabet; numbers of
    more than 20 values are those of an output, (n_samples, 1), unless each has ten data.

    path: of the file or folder, or a DataFrame. label_column: name or place of the column that has the labels; "ask":
    the rule decides; None: all columns are features. drop_columns: names or places of columns to leave out, in a list
    or with commas between them; None: the rule decides. key: the name of the array that is the data, or of data and
    labels, as in "images,fine"; of the file in an archive, or of the folder, if there are several. header: whether the
    first row has the names of the columns; None: it has if a word stands above numbers. separator, decimal: what
    separates cells, and the decimal sign; None: what is consistent over all rows. axes: what the axes of images or
    sequences are, NCHW, NHWC, NHW or NTF (data, channels, height, width; tokens, features); None: the shape decides.

    ValueError: there are no such data, there are several readings, or the file is damaged, too large when unpacked, or
    a pipe; the message names it. OSError: it cannot be opened. ImportError: what reads it, PyTorch or pandas, is not
    installed.

    >>> data, labels = igb.read_data("iris.csv", label_column="species")    # doctest: +SKIP
    """
    choices = Choices(label_column, key, header, axes, drop_columns, separator, decimal)
    if is_frame(path):
        contents, source = of_frame(path, choices), None
    else:
        checks.of_kind("the path of a file or folder, or a DataFrame", path, (str, Path), "'data.csv'")
        contents, source = read(path, choices), path
    refuse_unused(choices, contents)
    if not contents.data.size:
        raise ValueError(f"expected data of numbers, got none: {contents.told(source)}")
    if contents.decisions:
        tell(contents.told(source))
    return contents.data, contents.labels


def read(source: str | Path, choices: Choices) -> Contents:
    """Return what a file or folder contains: see `read_data`."""
    if str(source) == STDIN:
        with named("standard input"):
            text = sys.stdin.read(LARGEST + 1).encode()
            refuse_larger(len(text))
            return _of_content(text, STDIN, choices)
    with named(source):
        path = regular(Path(source))
        return of_folder(path, choices) if path.is_dir() else _reader(path)(path, choices)


def _reader(path: Path) -> Callable[[Path, Choices], Contents]:
    """Return the reader of a file, by its first bytes, or else by its name. ValueError: it is not read."""
    suffix = path.suffix.lower()
    with unzipped(path) as file:
        start = file.read(START)
    by_name = {".npy": _of_npy, ".npz": of_npz, ".mat": of_mat, ".parquet": of_parquet, ".bin": _of_cifar}
    by_start: dict[bytes, Callable[[Path, Choices], Contents]]
    by_start = {b"\x93NUMPY": _of_npy, b"PK\3\4": _of_zip, b"PAR1": of_parquet, b"MATLAB 5": of_mat}
    if suffix in {".pt", ".pth"}:  # of two formats, one of which starts like a pickle
        return of_pt
    if suffix in {".h5", ".hdf5"} or start.startswith((b"\x89HDF", b"MATLAB 7.3")):
        raise ValueError(HDF5)
    if start.startswith(b"\x80"):
        raise ValueError(PICKLE)
    if suffix in {".xls", ".xlsx", ".ods"}:
        raise ValueError(SHEETS.format(name=path.name))
    if suffix in PICTURES:
        raise ValueError(f"this is a single picture; name the folder of all, {str(path.parent)!r}")
    for first, reader in by_start.items():
        if start.startswith(first):
            if suffix == ".gz":
                raise ValueError("gzip packed this file; unpack it by gunzip")
            return reader
    if suffix in by_name:
        return by_name[suffix]
    if is_idx(start):
        return _of_idx
    if start[257:262] == b"ustar":
        raise ValueError("this is an archive of tar; unpack it, and name the file or folder of the data in it")
    if b"\0" in start and not start.startswith(UTF16):
        raise ValueError(f"expected {KINDS}, got none of these")
    return _of_text


def _of_npy(path: Path, choices: Choices) -> Contents:
    # a map is refused if the file is smaller than its header says; the copy outlives changes of the file
    return arranged(np.array(np.lib.format.open_memmap(path, mode="r")), choices.axes)


def _of_cifar(path: Path, _: Choices) -> Contents:
    return of_cifar(path)


def _of_idx(path: Path, choices: Choices) -> Contents:
    return of_idx(path, choices.axes)


def _of_text(path: Path, choices: Choices) -> Contents:
    with unzipped(path) as file:
        content = file.read(LARGEST + 1)
    refuse_larger(len(content))
    return _of_content(content, path.name, choices)


def _of_zip(path: Path, choices: Choices) -> Contents:
    """Return the contents of an archive: of NumPy, of PyTorch, or of a table."""
    with ZipFile(path) as archive:
        files = [part for part in archive.infolist() if not part.is_dir() and not part.filename.startswith("__MACOSX")]
        names = [part.filename for part in files]
        if any(name in {"[Content_Types].xml", "content.xml"} for name in names):
            raise ValueError(SHEETS.format(name=path.name))
        if any(name.endswith("/data.pkl") for name in names):
            return of_pt(path, choices)
        if path.suffix.lower() == ".npz" or all(name.endswith(".npy") for name in names):
            return of_npz(path, choices)
        if len(names) > 1 and choices.key is None:
            raise UndecidedError(
                f"expected one file in the archive, got {listed(names)}; choose a table with key={names[0]!r}, or "
                "unpack a folder of images",
                {"key": names[0]},
            )
        name = checks.known("file in the archive", choices.key or names[0], names)
        refuse_larger(archive.getinfo(name).file_size, path.stat().st_size)
        content = archive.read(name)
    return _of_content(content, name, choices)


def _of_content(content: bytes, name: str, choices: Choices) -> Contents:
    """Return the data of a text: JSON, ARFF, or a table."""
    start = content[:START].removeprefix(b"\xef\xbb\xbf").lstrip()
    if start[:14].lower().startswith((b"<!doctype html", b"<html")):
        raise ValueError("this is a web page; download the file that it shows")
    if re.match(rb"[-+.\w]+([ \t]+\d+:[-+.\w]+)+\s*$", start.partition(b"\n")[0]):
        raise ValueError(LIBSVM.format(name=name))
    if re.match(rb"(%.*\s+)*@relation\b", start, re.IGNORECASE):
        return of_arff(content.decode(encoding_of(content)), choices)
    if start.startswith((b"{", b"[")):
        return of_json(content.decode(encoding_of(content)), choices)
    if b"\0" in start and not start.startswith(UTF16):
        raise ValueError(f"expected {KINDS}, got none of these in {name}")
    return of_table(content, choices)
