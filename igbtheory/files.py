"""Data sets in files: arrays, tables, IDX and CIFAR files, folders of images. Nothing is unpickled."""

import gzip
import sys
import warnings
from io import StringIO
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Labelled = tuple[Array, NDArray[np.int64] | None]
STDIN = "-"
KINDS = "FILE.npy, FILE.npz, FILE.csv, FILE.pt, an IDX file, a CIFAR .bin file or their folder, a folder of images"
"""What can be read, in words."""
NUMBERS = {8: "u1", 9: "i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}
"""Types of an IDX file by the third byte."""
CIFAR = {"data_batch_*.bin": 1, "train.bin": 2}
"""Files of CIFAR-10 and CIFAR-100, and the bytes in front of each image, the last of which is its label."""
PIXELS = 3 * 32 * 32
PICTURES = {".png", ".jpg", ".jpeg", ".bmp", ".pgm", ".ppm"}


def read_data(path: str | Path) -> Labelled:
    """Return the data of a file or folder, (n_samples, ...), and their labels, (n_samples,), None where it has none.

    Files: .npy; .npz and .pt, the largest array and the integers that are as many; .csv, a row for each datum, with one
    header at most, - for standard input; IDX as of MNIST, also gzipped, with the labels of the file beside it; binary
    CIFAR-10 and CIFAR-100, a file or their folder; a folder of images of one size, or of such folders, one for a label.
    Images of bytes become numbers from 0 to 1 of shape (n_samples, channels, height, width); else all is as it is.

    ValueError: no such data; OSError: no such file; ImportError: PyTorch, which reads .pt, is not installed.
    """
    path = Path(path)
    if path.is_dir():
        found = [(batch, front) for name, front in CIFAR.items() for batch in sorted(path.glob(name))]
        if not found:
            return _folder(path)
        parts = [_cifar(*each) for each in found]
        return np.concatenate([data for data, _ in parts]), np.concatenate([labels for _, labels in parts])
    match path.suffix:
        case ".npy":
            return _scaled(np.load(path, allow_pickle=False)), None
        case ".npz":
            with np.load(path, allow_pickle=False) as archive:
                return _largest({name: archive[name] for name in archive.files})
        case ".pt" | ".pth":
            return _tensors(path)
        case ".bin":
            return _cifar(path, 1 if path.stat().st_size % (1 + PIXELS) == 0 else 2)
        case ".csv":
            return _table(path.read_text(encoding="utf-8-sig")), None
        case _ if str(path) == STDIN:
            return _table(sys.stdin.read()), None
    return _idx(path)


def _scaled(array: Array) -> Array:
    """Return images of bytes as numbers from 0 to 1, channels first; other arrays as they are."""
    if array.dtype != np.uint8 or array.ndim not in {3, 4}:
        return array
    if array.ndim == 3:
        array = array[:, None]
    elif array.shape[-1] in {1, 3, 4} and array.shape[1] not in {1, 3, 4}:
        array = np.moveaxis(array, -1, 1)
    return array.astype(np.float32) / np.float32(255)


def _largest(parts: dict[str, Array]) -> Labelled:
    """Return the largest of named arrays, and the integers that are as many."""
    if not parts:
        raise ValueError("expected arrays, got none")
    name = max(parts, key=lambda part: parts[part].size)
    count = len(np.atleast_1d(parts[name]))
    fits = [part for part, x in parts.items() if part != name and x.size == count and x.dtype.kind in "iu"]
    if len(fits) > 1:
        raise ValueError(f"expected one array of labels for {name}, got {' and '.join(fits)}; save one of them")
    return _scaled(parts[name]), parts[fits[0]].ravel().astype(np.int64) if fits else None


def _tensors(path: Path) -> Labelled:
    from pickle import UnpicklingError  # noqa: PLC0415 - its error alone

    try:
        import torch  # noqa: PLC0415 - an extra, which only such files need
    except ModuleNotFoundError:
        raise ImportError('expected PyTorch, which reads .pt, got none; pip install "igbtheory[torch]"') from None
    try:
        found = torch.load(path, map_location="cpu", weights_only=True)
    except (UnpicklingError, RuntimeError):
        raise ValueError("expected tensors alone, which need no unpickling; write them by torch.save((X, y))") from None
    parts = found if isinstance(found, dict) else dict(enumerate(found if isinstance(found, tuple | list) else [found]))
    return _largest({str(name): x.numpy(force=True) for name, x in parts.items() if isinstance(x, torch.Tensor)})


def _cifar(path: Path, front: int) -> Labelled:
    rows = np.fromfile(path, dtype=np.uint8)
    if not rows.size or rows.size % (front + PIXELS):
        raise ValueError(f"expected images of {PIXELS} bytes with a label in front, as of CIFAR, got {rows.size} bytes")
    rows = rows.reshape(-1, front + PIXELS)
    return _scaled(rows[:, front:].reshape(-1, 3, 32, 32)), rows[:, front - 1].astype(np.int64)


def _idx(path: Path) -> Labelled:
    with path.open("rb") as file:
        zipped = file.read(2) == b"\x1f\x8b"
    content = gzip.decompress(path.read_bytes()) if zipped else path.read_bytes()
    if len(content) < 4 or content[:2] != b"\0\0" or content[2] not in NUMBERS:
        raise ValueError(f"expected {KINDS}, got none of these")
    start = 4 + 4 * content[3]
    shape = tuple(np.frombuffer(content[4:start], dtype=">u4").tolist())
    kind = np.dtype(NUMBERS[content[2]])
    if len(content) != start + kind.itemsize * prod(shape):
        raise ValueError(f"expected {prod(shape)} numbers, got {(len(content) - start) // kind.itemsize}")
    found = np.frombuffer(content[start:], dtype=kind).reshape(shape)
    beside = path.with_name(path.name.replace("images", "labels").replace("idx3", "idx1"))
    labels = _idx(beside)[0] if beside != path and beside.is_file() else None
    return _scaled(found.astype(kind.newbyteorder("="))), None if labels is None else labels.astype(np.int64)


def _folder(path: Path) -> Labelled:
    from PIL import Image  # noqa: PLC0415 - Matplotlib brings it

    folders = sorted(part for part in path.iterdir() if part.is_dir())
    files = [(file, i) for i, part in enumerate(folders or [path]) for file in sorted(part.iterdir())]
    files = [(file, label) for file, label in files if file.suffix.lower() in PICTURES]
    if not files:
        raise ValueError(f"expected a folder of images ({', '.join(sorted(PICTURES))}), got none in it")
    found: list[Array] = []
    mode = ""
    for file, _ in files:
        with Image.open(file) as image:
            mode = mode or ("L" if image.mode in {"1", "L"} else "RGB")
            found.append(np.asarray(image.convert(mode)))
        if found[-1].shape != found[0].shape:
            sizes = " and ".join(f"{x.shape[1]} x {x.shape[0]}" for x in (found[0], found[-1]))
            raise ValueError(f"expected images of one size, got {sizes} in {files[0][0].name} and {file.name}")
    return _scaled(np.stack(found)), np.array([label for _, label in files]) if folders else None


def _table(text: str) -> Array:
    with warnings.catch_warnings():
        # an empty file is refused below with a sentence of its own
        warnings.filterwarnings("ignore", "loadtxt: input contained no data")
        return np.loadtxt(StringIO(text), delimiter=",", ndmin=2, skiprows=_headers(text))


def _headers(table: str) -> int:
    """Return 1 where the first line names columns, none of which is a number; else 0."""
    cells = table.partition("\n")[0].split(",")
    return int(not any(map(_is_number, cells)) and any(cell.strip() for cell in cells))


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
