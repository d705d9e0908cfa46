"""Folders of pictures, or of one folder of pictures for each class."""

from pathlib import Path
from typing import Any

import numpy as np

from igbtheory.foundations.files.contents import Array, Contents, listed, numbered
from igbtheory.foundations.guarded import named, regular

PICTURES = {".png", ".jpg", ".jpeg", ".bmp", ".pgm", ".ppm", ".tif", ".tiff", ".webp"}
GREY = {"1", "L", "LA", "La"}
"""Pillow's modes of grey pictures of bytes; those of two bytes begin with I."""


def of_pictures(folder: Path) -> Contents:
    """Return pictures of one size as (n_samples, channels, height, width), black 0 and white 1, in colour if any is.

    The labels number the folders that contain pictures, in the order of their names. Hidden files and folders are
    skipped.
    """
    classes = [(part, files) for part in _shown(folder) if part.is_dir() and (files := _pictures(part))]
    loose = _pictures(folder)
    files = [file for _, inside in classes for file in inside] or loose
    if not files:
        raise ValueError(f"expected a folder of images ({', '.join(sorted(PICTURES))}), got none in it")
    modes = [_mode(file) for file in files]
    colour = any(mode not in GREY and not mode.startswith("I") for mode in modes)
    pixels = [_pixels(file, colour=colour) for file in files]
    for file, each in zip(files, pixels, strict=True):
        if each.shape != pixels[0].shape:
            sizes = " and ".join(f"{x.shape[2]} x {x.shape[1]}" for x in (pixels[0], each))
            raise ValueError(f"expected images of one size, got {sizes} in {files[0].name} and {file.name}")
    said = [f"{len(files)} pictures in {'colour' if colour else 'grey'}"]
    if any("A" in mode.upper() for mode in modes):
        said.append("without their opacity")
    if not classes:
        return Contents(np.stack(pixels), None, tuple(said), "with black 0 and white 1")
    said.append(numbered(part.name for part, _ in classes))
    if loose:
        said.append(f"{listed(file.name for file in loose)} beside the folders left out")
    labels = np.repeat(np.arange(len(classes)), [len(inside) for _, inside in classes])
    return Contents(np.stack(pixels), labels, tuple(said), "with black 0 and white 1")


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
