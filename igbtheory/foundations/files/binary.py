"""Binary files of images and labels: IDX, as in MNIST, and CIFAR."""

import gzip
from math import prod
from pathlib import Path

import numpy as np

from igbtheory.foundations.files.axes import arranged
from igbtheory.foundations.files.contents import Array, Contents
from igbtheory.foundations.guarded import named, refuse_larger, regular

NUMBERS = {8: "u1", 9: "i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}
"""Types of the numbers in an IDX file, by the third byte of the file."""
CIFAR = {"data_batch_*.bin": 1, "train.bin": 2}
"""File names of CIFAR-10 and CIFAR-100, and the number of bytes before each image; the last of them is the label."""
PIXELS = 3 * 32 * 32
"""Bytes of an image of CIFAR, which has three colours."""
ZIPPED, PICKLED = b"\x1f\x8b", b"\x80"
"""The first bytes of files of gzip and of pickle."""


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
    return Contents(pixels.data, np.concatenate(labels), (f"images of {len(files)} files",), pixels.treatment)


def of_idx(path: Path, kinds: str, axes: str | None) -> Contents:
    """Return the array of an IDX file, which may be zipped, and the labels in the file beside it.

    kinds: the readable formats, for the error.
    """
    images = arranged(_idx(path, kinds), axes)
    beside = [file for file in _labels_beside(path) if file.is_file()]
    if not beside:
        return images
    with named(beside[0]):
        labels = _idx(beside[0], kinds).astype(np.int64)
    count = len(images.data)
    if labels.shape != (count,):
        raise ValueError(f"expected a label for each of {count} data, got {labels.shape} in {beside[0].name}")
    return Contents(images.data, labels, (*images.decisions, f"labels from {beside[0].name}"), images.treatment)


def _labels_beside(images: Path) -> list[Path]:
    """Return the possible names of the labels of images, zipped or not."""
    if "images" not in images.name:
        return []
    name = images.name.replace("images", "labels").replace("idx3", "idx1").removesuffix(".gz")
    names = [name, f"{name}.gz", *([name.removesuffix(".idx")] if name.endswith(".idx") else [])]
    return [images.with_name(each) for each in names]


def _idx(path: Path, kinds: str) -> Array:
    with path.open("rb") as file:
        zipped = file.read(2) == ZIPPED
    with gzip.open(path) if zipped else path.open("rb") as file:
        head = file.read(4)
        if head.startswith(PICKLED):
            raise ValueError(PICKLE)
        if len(head) < 4 or head[:2] != b"\0\0" or head[2] not in NUMBERS:
            raise ValueError(f"expected {kinds}, got none of these")
        shape = tuple(np.frombuffer(file.read(4 * head[3]), dtype=">u4").tolist())
        kind = np.dtype(NUMBERS[head[2]])
        size = kind.itemsize * prod(shape)
        refuse_larger(size, path.stat().st_size)
        content = file.read(size + 1)
    if len(content) != size:
        counted = "more" if len(content) > size else len(content) // kind.itemsize
        raise ValueError(f"expected {prod(shape)} numbers, got {counted}")
    return np.frombuffer(content, dtype=kind).reshape(shape).astype(kind.newbyteorder("="))
