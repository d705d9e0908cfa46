"""Binary files of images and labels: IDX, as in MNIST, and CIFAR."""

import gzip
from math import prod
from pathlib import Path
from typing import IO, cast

import numpy as np

from igbtheory.foundations.files.contents import Array, Contents, arranged
from igbtheory.foundations.guarded import named, refuse_larger, regular

NUMBERS = {8: "u1", 9: "i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}
"""Types of the numbers in an IDX file, by the third byte of the file."""
CIFAR = {"data_batch_*.bin": 1, "train.bin": 2}
"""File names of CIFAR-10 and CIFAR-100, and the number of bytes before each image; the last of them is the label."""
PIXELS = 3 * 32 * 32
"""Bytes of an image of CIFAR, which has three colours."""
ZIPPED = b"\x1f\x8b"
"""The first bytes of a file of gzip."""
PICKLE = (
    "this is a pickle, which may run any program when it is read; if you trust it, convert it in Python, a batch of "
    "CIFAR-10 by:\n"
    "import numpy; d = numpy.load('data_batch_1', allow_pickle=True, encoding='latin1'); "
    "numpy.savez('data_batch_1.npz', x=d['data'].reshape(-1, 3, 32, 32), y=d['labels'])"
)


def of_cifar(path: Path) -> Contents:
    """Return the images of a binary file of CIFAR-10 or CIFAR-100, or of all such files in a folder."""
    if not path.is_dir():
        return _cifar([(path, 1 if path.stat().st_size % (1 + PIXELS) == 0 else 2)])
    return _cifar([(file, front) for name, front in CIFAR.items() for file in sorted(path.glob(name))])


def _cifar(files: list[tuple[Path, int]]) -> Contents:
    images, labels = [], []
    for path, front in files:
        rows = np.fromfile(regular(path), dtype=np.uint8)
        if not rows.size or rows.size % (front + PIXELS):
            raise ValueError(
                f"expected images of {PIXELS} bytes, each after its label, as in CIFAR, got {rows.size} in {path.name}"
            )
        rows = rows.reshape(-1, front + PIXELS)
        images.append(rows[:, front:].reshape(-1, 3, 32, 32))
        labels.append(rows[:, front - 1].astype(np.int64))
    pixels = arranged(np.concatenate(images), "NCHW")
    said = [f"images of {len(files)} files"] if len(files) > 1 else []
    return Contents(pixels.data, np.concatenate(labels), (*said, "labels in the bytes before"), pixels.treatment)


def of_idx(path: Path, axes: str | None) -> Contents:
    """Return the array of an IDX file, which may be zipped, and the labels in the file beside it.

    QMNIST has the class of a datum in front of seven other numbers.
    """
    images = arranged(_idx(path), axes)
    beside = [file for file in _labels_beside(path) if file.is_file()]
    if not beside:
        return images
    with named(beside[0]):
        labels = _idx(beside[0]).astype(np.int64)
    count = len(images.data)
    labels = labels[:, 0] if labels.ndim == 2 else labels
    if labels.shape != (count,):
        raise ValueError(f"expected a label for each of {count} data, got {labels.shape} in {beside[0].name}")
    return Contents(images.data, labels, (*images.decisions, f"labels from {beside[0].name}"), images.treatment)


def _labels_beside(images: Path) -> list[Path]:
    """Return the possible names of the labels of images, zipped or not."""
    if "images" not in images.name:
        return []
    name = images.name.replace("images", "labels").removesuffix(".gz")
    of_qmnist = name.replace("idx3-ubyte", "idx2-int")
    name = name.replace("idx3", "idx1")
    names = [name, f"{name}.gz", *([name.removesuffix(".idx")] if name.endswith(".idx") else [])]
    names += [of_qmnist, f"{of_qmnist}.gz"] if of_qmnist != name else []
    return [images.with_name(each) for each in names]


def is_idx(start: bytes) -> bool:
    """Return whether a file that starts so is an IDX file."""
    return len(start) > 3 and start[:2] == b"\0\0" and start[2] in NUMBERS


def unzipped(path: Path) -> IO[bytes]:
    """Return the open file, or what is in it if gzip packed it."""
    with path.open("rb") as file:
        zipped = file.read(2) == ZIPPED
    return cast("IO[bytes]", gzip.open(path)) if zipped else path.open("rb")


def _idx(path: Path) -> Array:
    with unzipped(path) as file:
        head = file.read(4)
        if not is_idx(head):
            raise ValueError("expected an IDX file, got none, as its first bytes show; download it again")
        shape = tuple(np.frombuffer(file.read(4 * head[3]), dtype=">u4").tolist())
        kind = np.dtype(NUMBERS[head[2]])
        size = kind.itemsize * prod(shape)
        refuse_larger(size, path.stat().st_size)
        content = file.read(size + 1)
    if len(content) != size:
        counted = "more" if len(content) > size else len(content) // kind.itemsize
        raise ValueError(f"expected {prod(shape)} numbers, got {counted}")
    return np.frombuffer(content, dtype=kind).reshape(shape).astype(kind.newbyteorder("="))
