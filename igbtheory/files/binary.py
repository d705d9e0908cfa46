"""Binary files of images and labels: IDX, as in MNIST, and CIFAR."""

import gzip
from math import prod
from pathlib import Path

import numpy as np

from igbtheory.files.axes import arranged
from igbtheory.files.contents import Array, Contents

NUMBERS = {8: "u1", 9: "i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}
"""Types of the numbers in an IDX file, by the third byte of the file."""
CIFAR = {"data_batch_*.bin": 1, "train.bin": 2}
"""File names of CIFAR-10 and CIFAR-100, and the number of bytes before each image; the last of them is the label."""
PIXELS = 3 * 32 * 32
ZIPPED, PICKLED = b"\x1f\x8b", b"\x80"
"""The first bytes of files of gzip and of pickle."""


def of_cifar(path: Path) -> Contents:
    """Return the images of a binary file of CIFAR-10 or CIFAR-100, or of all such files in a folder."""
    if not path.is_dir():
        return _cifar([(path, 1 if path.stat().st_size % (1 + PIXELS) == 0 else 2)])
    return _cifar([(file, front) for name, front in CIFAR.items() for file in sorted(path.glob(name))])


def _cifar(files: list[tuple[Path, int]]) -> Contents:
    images, labels = [], []
    for path, front in files:
        rows = np.fromfile(path, dtype=np.uint8)
        if not rows.size or rows.size % (front + PIXELS):
            raise ValueError(
                f"expected images of {PIXELS} bytes, each after its label, as in CIFAR, got {rows.size} bytes"
            )
        rows = rows.reshape(-1, front + PIXELS)
        images.append(rows[:, front:].reshape(-1, 3, 32, 32))
        labels.append(rows[:, front - 1].astype(np.int64))
    found = arranged(np.concatenate(images), "NCHW")
    return Contents(found.data, np.concatenate(labels), (f"images of {len(files)} files",), found.treatment)


def of_idx(path: Path, kinds: str, axes: str | None) -> Contents:
    """Return the array of an IDX file, which may be zipped, and the labels in the file beside it.

    kinds: the readable formats, for the error.
    """
    found = arranged(_idx(path, kinds), axes)
    beside = [file for file in _labels_beside(path) if file.is_file()]
    if not beside:
        return found
    labels = _idx(beside[0], kinds).astype(np.int64)
    if labels.shape != (len(found.data),):
        raise ValueError(f"expected a label for each of {len(found.data)} data, got {labels.shape} in {beside[0].name}")
    return Contents(found.data, labels, (*found.decisions, f"labels from {beside[0].name}"), found.treatment)


def _labels_beside(images: Path) -> list[Path]:
    """Return the possible names of the labels of images, zipped or not."""
    if "images" not in images.name:
        return []
    name = images.name.replace("images", "labels").replace("idx3", "idx1").removesuffix(".gz")
    names = [name, f"{name}.gz", *([name.removesuffix(".idx")] if name.endswith(".idx") else [])]
    return [images.with_name(each) for each in names]


def _idx(path: Path, kinds: str) -> Array:
    content = path.read_bytes()
    content = gzip.decompress(content) if content.startswith(ZIPPED) else content
    if content.startswith(PICKLED):
        raise ValueError(
            "this is a pickle, which may run any program when it is read; if you trust it, convert it to .npz, a batch "
            "of CIFAR for example by:\n"
            "import pickle, numpy; d = pickle.load(open('data_batch_1', 'rb'), encoding='latin1'); "
            "numpy.savez('data_batch_1.npz', x=d['data'].reshape(-1, 3, 32, 32), y=d['labels'])"
        )
    if len(content) < 4 or content[:2] != b"\0\0" or content[2] not in NUMBERS:
        raise ValueError(f"expected {kinds}, got none of these")
    start = 4 + 4 * content[3]
    shape = tuple(np.frombuffer(content[4:start], dtype=">u4").tolist())
    kind = np.dtype(NUMBERS[content[2]])
    if len(content) != start + kind.itemsize * prod(shape):
        raise ValueError(f"expected {prod(shape)} numbers, got {(len(content) - start) // kind.itemsize}")
    return np.frombuffer(content[start:], dtype=kind).reshape(shape).astype(kind.newbyteorder("="))
