"""Folders of data: those of MNIST and CIFAR, as torchvision and others download them, and of pictures."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from igbtheory.foundations.files.binary import CIFAR, PICKLE, of_cifar, of_idx
from igbtheory.foundations.files.contents import Array, Choices, Contents, listed, numbered
from igbtheory.foundations.guarded import UndecidedError, named, regular

PICTURES = {".png", ".jpg", ".jpeg", ".bmp", ".pgm", ".ppm", ".tif", ".tiff", ".webp"}
GREY = {"1", "L", "LA", "La"}
"""Pillow's modes of grey pictures of bytes; those of two bytes begin with I."""
PARTS = {"train", "training", "val", "valid", "validation", "test", "testing"}
"""Names of folders that are parts of a data set, and no classes."""
INSIDE = ("", "raw/", "*/raw/", "*/")
"""Where the files of a data set are in a folder: torchvision puts them into MNIST/raw."""
DATASETS = (
    "this folder is of Hugging Face's datasets; convert it in Python: import datasets, numpy; numpy.savez('x.npz', "
    "**datasets.load_from_disk({path!r}).with_format('numpy')[:])"
)


def of_folder(folder: Path, choices: Choices) -> Contents:
    """Return the data of a folder: of IDX or CIFAR files, also some folders below, or of pictures.

    choices.key: the file or the folder in it, if there are several.
    """
    if images := _idx_files(folder):
        file = _chosen(images, folder, choices.key)
        contents = of_idx(file, choices.axes)
        said = [f"{file.relative_to(folder)} of {len(images)} files"] if len(images) > 1 else []
        return replace(contents, decisions=(*said, *contents.decisions))
    for inside in (folder, *_folders(folder)):
        if any(any(inside.glob(name)) for name in CIFAR):
            return of_cifar(inside)
        if (inside / "data_batch_1").is_file():
            raise ValueError(PICKLE.replace("data_batch_1'", f"{inside / 'data_batch_1'}'", 1))
    if (folder / "dataset_dict.json").is_file():
        first = next(iter(json.loads((folder / "dataset_dict.json").read_text()).get("splits", [])), "train")
        raise ValueError(DATASETS.format(path=str(folder / str(first))))
    if (folder / "dataset_info.json").is_file() and (folder / "state.json").is_file():
        raise ValueError(DATASETS.format(path=str(folder)))
    return of_pictures(folder, choices)


def _idx_files(folder: Path) -> list[Path]:
    """Return the IDX files of images in a folder or a little below, of which zipped ones may be there twice."""
    names = ("*images*idx3*", "train-images*")
    images = {file for inside in INSIDE for name in names for file in folder.glob(inside + name) if file.is_file()}
    return sorted(file for file in images if file.suffix != ".gz" or file.with_suffix("") not in images)


def _chosen(files: list[Path], folder: Path, key: str | None) -> Path:
    """Return the file of a key, or the only file of training data, or the only one."""
    names = {str(file.relative_to(folder)): file for file in files}
    fits = [file for name, file in names.items() if key in {name, file.name}] if key else files
    if key and not fits:
        raise ValueError(f"unknown file {key!r} in the folder; known: {listed(names)}")
    if len(training := [file for file in fits if "train" in file.name]) == 1:
        return training[0]
    if len(fits) > 1:
        first = str((training or fits)[0].relative_to(folder))
        raise UndecidedError(
            f"expected one file of images, got {listed(names)}; choose one with key={first!r}", {"key": first}
        )
    return fits[0]


def of_pictures(folder: Path, choices: Choices) -> Contents:
    """Return pictures of one size as (n_samples, channels, height, width), black 0 and white 1, in colour if any is.

    The labels number the folders that contain pictures, in the order of their names. Hidden files and folders are
    skipped.
    """
    folder, said = _part(folder, choices.key)
    classes = [(part, files) for part in _folders(folder) if (files := _pictures(part))]
    loose = _pictures(folder)
    files = [file for _, inside in classes for file in inside] or loose
    if not files:
        others = [file.name for file in _shown(folder) if file.is_file()]
        remedy = f"; name one of its files, such as {others[0]}" if others else ""
        raise ValueError(f"expected a folder of images ({', '.join(sorted(PICTURES))}), got none in it{remedy}")
    modes = [_mode(file) for file in files]
    colour = any(mode not in GREY and not mode.startswith("I") for mode in modes)
    pixels = [_pixels(file, colour=colour) for file in files]
    for file, each in zip(files, pixels, strict=True):
        if each.shape != pixels[0].shape:
            sizes = " and ".join(f"{x.shape[2]} x {x.shape[1]}" for x in (pixels[0], each))
            raise ValueError(f"expected images of one size, got {sizes} in {files[0].name} and {file.name}")
    said.append(f"pictures in {'colour' if colour else 'grey'}")
    if any("A" in mode.upper() for mode in modes):
        said.append("without their opacity")
    labels = None
    if classes:
        labels = np.repeat(np.arange(len(classes)), [len(inside) for _, inside in classes])
        said += [f"labels: folders ({len(classes)} classes)", numbered(part.name for part, _ in classes)]
        said += [f"{listed(file.name for file in loose)} beside the folders left out"] if loose else []
    return Contents(np.stack(pixels), labels, tuple(said), "with black 0 and white 1")


def _part(folder: Path, key: str | None) -> tuple[Path, list[str]]:
    """Return the folder of training data, or of the key, of a folder of several, and what to tell; or the folder."""
    below = _folders(folder)
    several = [part for part in below if part.name.lower() in PARTS or (not _pictures(part) and _trees(part))]
    with_pictures = [part for part in below if _pictures(part) or _trees(part)]
    if _pictures(folder) or not several or len(several) < len(with_pictures):
        return folder, []
    fits = [part for part in several if part.name == key or (key is None and part.name.lower().startswith("train"))]
    fits = fits or (several if key is None else [])
    if len(fits) != 1:
        raise UndecidedError(
            f"expected one folder of data, got {listed(part.name for part in several)}; choose one with "
            f"key={several[0].name!r}",
            {"key": several[0].name},
        )
    return fits[0], [f"{fits[0].name} of the folders {listed(part.name for part in several)}"] if several[1:] else []


def _trees(folder: Path) -> bool:
    """Return whether a folder has folders of pictures."""
    return any(map(_pictures, _folders(folder)))


def _folders(folder: Path) -> list[Path]:
    return [part for part in _shown(folder) if part.is_dir()]


def _shown(folder: Path) -> list[Path]:
    return sorted(part for part in folder.iterdir() if not part.name.startswith("."))


def _pictures(folder: Path) -> list[Path]:
    return [file for file in _shown(folder) if file.suffix.lower() in PICTURES]


def _opened(file: Path) -> Any:
    from PIL import Image  # noqa: PLC0415 - only folders of pictures need it

    return Image.open(regular(file))


def _mode(file: Path) -> str:
    with named(file), _opened(file) as picture:
        return str(picture.mode)


def _pixels(file: Path, *, colour: bool) -> Array:
    """Return the pixels of a picture, (channels, height, width), from 0 to 1."""
    with named(file), _opened(file) as picture:
        # Pillow cuts pixels of more than a byte off at 255 when it converts them
        if picture.mode.startswith(("I", "F")):
            grey = np.asarray(picture, dtype=np.float32)[None] / np.float32(65535)
            if picture.mode == "F" or grey.max() > 1:
                raise ValueError("expected pixels of one or two bytes, got larger ones; save the images as FILE.npy")
            return np.repeat(grey, 3, axis=0) if colour else grey
        pixels = np.asarray(picture.convert("RGB" if colour else "L"), dtype=np.float32) / np.float32(255)
    return np.moveaxis(pixels, -1, 0) if colour else pixels[None]
