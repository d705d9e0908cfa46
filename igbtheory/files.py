"""Reading of data sets: arrays, tables, IDX and CIFAR files, folders of images. Nothing is unpickled."""

import gzip
import sys
import warnings
from io import StringIO
from math import prod
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import numpy as np
from numpy.typing import NDArray

from igbtheory.device import require_torch
from igbtheory.guarded import LARGEST, named, refuse_larger, refuse_zip_bomb, regular

Array = NDArray[Any]
Labelled = tuple[Array, NDArray[np.int64] | None]
STDIN = "-"
KINDS = "FILE.npy, FILE.npz, FILE.csv, FILE.pt, an IDX file, a CIFAR .bin file or their folder, a folder of images"
"""The readable formats in words, for messages."""
NUMBERS = {8: "u1", 9: "i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}
"""Types of the numbers in an IDX file, by the third byte of the file."""
CIFAR = {"data_batch_*.bin": 1, "train.bin": 2}
"""File names of CIFAR-10 and CIFAR-100, and the number of bytes before each image; the last of them is the label."""
PIXELS = 3 * 32 * 32
PICTURES = {".png", ".jpg", ".jpeg", ".bmp", ".pgm", ".ppm"}


def read_data(path: str | Path) -> Labelled:
    """Return the data of a file or folder, (n_samples, ...), and their labels, (n_samples,), or None.

    Formats: .npy; .npz and .pt, of which the largest array is the data and an integer array of the same length the
    labels; .csv with a row for each datum and at most one header, or - for standard input; IDX as in MNIST, also
    gzipped, with labels from the file beside it; a binary file of CIFAR-10 or CIFAR-100, or the folder of these files;
    a folder of images of one size, or a folder with one such folder for each label. Images of bytes become numbers
    from 0 to 1 of shape (n_samples, channels, height, width); all other data stay as they are.

    ValueError: the file contains no such data, is damaged, too large when unpacked, or a pipe; the message names it.
    OSError: it cannot be opened. ImportError: it is a .pt file and PyTorch is not installed.
    """
    path = Path(path)
    if str(path) == STDIN:
        with named("standard input"):
            text = sys.stdin.read(LARGEST + 1)
            refuse_larger(len(text))
            return _table(text), None
    with named(path):
        return _read(regular(path))


def _read(path: Path) -> Labelled:
    if path.is_dir():
        found = [(batch, front) for name, front in CIFAR.items() for batch in sorted(path.glob(name))]
        if not found:
            return _folder(path)
        parts = [_cifar(*each) for each in found]
        return np.concatenate([data for data, _ in parts]), np.concatenate([labels for _, labels in parts])
    match path.suffix:
        case ".npy":
            # a map is refused if the file is smaller than its header says; the copy outlives changes of the file
            return _scaled(np.array(np.lib.format.open_memmap(path, mode="r"))), None
        case ".npz":
            refuse_zip_bomb(path, path.stat().st_size)
            # NumPy leaves a file open whose archive is damaged
            with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
                return _largest({name: archive[name] for name in archive.files})
        case ".pt" | ".pth":
            return _tensors(path)
        case ".bin":
            return _cifar(path, 1 if path.stat().st_size % (1 + PIXELS) == 0 else 2)
        case ".csv":
            return _table(path.read_text(encoding="utf-8-sig")), None
    return _idx(path)


def _scaled(array: Array) -> Array:
    """Return images of bytes as numbers from 0 to 1 with the channels first; return other arrays unchanged."""
    if array.dtype != np.uint8 or array.ndim not in {3, 4}:
        return array
    if array.ndim == 3:
        array = array[:, None]
    elif array.shape[-1] in {1, 3, 4} and array.shape[1] not in {1, 3, 4}:
        array = np.moveaxis(array, -1, 1)
    return array.astype(np.float32) / np.float32(255)


def _largest(parts: dict[str, Array]) -> Labelled:
    """Return the largest of named arrays, and as labels an integer array of the same length if there is one."""
    if not parts:
        raise ValueError("expected arrays, got none")
    name = max(parts, key=lambda part: parts[part].size)
    count = len(np.atleast_1d(parts[name]))
    fits = [part for part, x in parts.items() if part != name and x.size == count and x.dtype.kind in "iu"]
    if len(fits) > 1:
        raise ValueError(f"expected one array of labels for {name}, got {' and '.join(fits)}; save one of them")
    return _scaled(parts[name]), parts[fits[0]].ravel().astype(np.int64) if fits else None


def _tensors(path: Path) -> Labelled:
    require_torch()
    refuse_zip_bomb(path, path.stat().st_size)
    import torch  # noqa: PLC0415 - an extra, which only such files need

    try:
        found = torch.load(path, map_location="cpu", weights_only=True)
    except (UnpicklingError, RuntimeError):
        raise ValueError("expected only tensors, which need no unpickling; write them by torch.save((X, y))") from None
    parts = found if isinstance(found, dict) else dict(enumerate(found if isinstance(found, tuple | list) else [found]))
    # a view such as torch.zeros(1).expand(10**12) is stored as a single number
    sizes = (x.numel() * x.element_size() for x in parts.values() if isinstance(x, torch.Tensor))
    refuse_larger(sum(sizes), path.stat().st_size)
    return _largest({str(name): x.numpy(force=True) for name, x in parts.items() if isinstance(x, torch.Tensor)})


def _cifar(path: Path, front: int) -> Labelled:
    rows = np.fromfile(regular(path), dtype=np.uint8)
    if not rows.size or rows.size % (front + PIXELS):
        raise ValueError(
            f"expected images of {PIXELS} bytes, each after its label, as in CIFAR, got {rows.size} in {path.name}"
        )
    rows = rows.reshape(-1, front + PIXELS)
    return _scaled(rows[:, front:].reshape(-1, 3, 32, 32)), rows[:, front - 1].astype(np.int64)


def _idx(path: Path) -> Labelled:
    with path.open("rb") as file:
        zipped = file.read(2) == b"\x1f\x8b"
    with gzip.open(path) if zipped else path.open("rb") as file:
        head = file.read(4)
        if len(head) < 4 or head[:2] != b"\0\0" or head[2] not in NUMBERS:
            raise ValueError(f"expected {KINDS}, got none of these")
        shape = tuple(np.frombuffer(file.read(4 * head[3]), dtype=">u4").tolist())
        kind = np.dtype(NUMBERS[head[2]])
        size = kind.itemsize * prod(shape)
        refuse_larger(size, path.stat().st_size)
        content = file.read(size + 1)
    if len(content) != size:
        counted = "more" if len(content) > size else len(content) // kind.itemsize
        raise ValueError(f"expected {prod(shape)} numbers, got {counted}")
    found = np.frombuffer(content, dtype=kind).reshape(shape)
    beside = path.with_name(path.name.replace("images", "labels").replace("idx3", "idx1"))
    labels = None
    if beside != path and beside.is_file():
        with named(beside):
            labels = _idx(beside)[0]
    return _scaled(found.astype(kind.newbyteorder("="))), None if labels is None else labels.astype(np.int64)


def _folder(path: Path) -> Labelled:
    from PIL import Image  # noqa: PLC0415 - only folders of images need it

    folders = sorted(part for part in path.iterdir() if part.is_dir())
    files = [(file, i) for i, part in enumerate(folders or [path]) for file in sorted(part.iterdir())]
    files = [(file, label) for file, label in files if file.suffix.lower() in PICTURES]
    if not files:
        raise ValueError(f"expected a folder of images ({', '.join(sorted(PICTURES))}), got none in it")
    found: list[Array] = []
    mode = ""
    for file, _ in files:
        with named(file), Image.open(regular(file)) as image:
            mode = mode or ("L" if image.mode in {"1", "L"} else "RGB")
            found.append(np.asarray(image.convert(mode)))
        if found[-1].shape != found[0].shape:
            sizes = " and ".join(f"{x.shape[1]} x {x.shape[0]}" for x in (found[0], found[-1]))
            raise ValueError(f"expected images of one size, got {sizes} in {files[0][0].name} and {file.name}")
    return _scaled(np.stack(found)), np.array([label for _, label in files]) if folders else None


def _table(text: str) -> Array:
    with warnings.catch_warnings():
        # the check of the data refuses an empty file with its own message
        warnings.filterwarnings("ignore", "loadtxt: input contained no data")
        try:
            return np.loadtxt(StringIO(text), delimiter=",", ndmin=2, skiprows=_headers(text))
        except ValueError as error:
            why = str(error).partition("; use `usecols`")[0].rstrip(".")  # advice on an argument of NumPy
            raise ValueError(f"{why}; write rows of numbers separated by commas, below one header at most") from None


def _headers(table: str) -> int:
    """Return the number of header lines: 1 if the first line has text and no numbers, otherwise 0."""
    cells = table.partition("\n")[0].split(",")
    return int(not any(map(_is_number, cells)) and any(cell.strip() for cell in cells))


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
