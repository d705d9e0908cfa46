"""Reading of files from strangers: regular files only, sizes checked before memory is taken, one kind of error."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any
from zipfile import ZipFile, is_zipfile

LARGEST = 2**31
"""Largest number of bytes of unpacked data, unless the file is as large: CIFAR-10 in double precision has 1.5e9."""
LONGEST = 400
"""Largest number of characters that a message quotes of another error, which may itself quote the file."""


class UnreadableError(ValueError):
    """A file that cannot be read; the message names it."""


class UndecidedError(ValueError):
    """Data that have several readings: `answers` are the options that choose the likeliest one."""

    def __init__(self, text: str, answers: dict[str, Any]) -> None:
        super().__init__(text)
        self.answers = answers


@contextmanager
def named(source: Any) -> Iterator[None]:
    """Turn every error of reading a file into an UnreadableError that names it.

    Errors of opening it stay OSErrors, which name the file themselves, and ImportErrors tell what to install.
    """
    try:
        yield
    except (ImportError, UnreadableError):
        raise
    except Exception as error:  # libraries raise two dozen kinds on damaged files, of which they document few
        if isinstance(error, OSError) and error.filename is not None:
            raise
        said = str(error) if isinstance(error, UndecidedError) else f"{error}".rstrip(".")[:LONGEST]
        if "allow_pickle=False" in said or "allow_pickle=`" in said:  # NumPy's two messages
            said = "it holds objects of Python, which may run any program when read; save arrays of numbers in it"
        elif not isinstance(error, ValueError):
            said = f"it is damaged ({type(error).__name__}: {said}); write or download it again"
        raise UnreadableError(f"cannot read {source}: {said}") from error


def regular(path: Path) -> Path:
    """Return the path of a regular file or a folder. ValueError: reading it might never end. OSError: it is missing."""
    path.stat()
    if not (path.is_file() or path.is_dir()):
        raise ValueError("expected a file or a folder, got a pipe or a device; write its data into a file")
    return path


def refuse_larger(size: int, packed: int = 0) -> None:
    """Refuse data of more bytes than LARGEST and than the file that holds them, which has `packed` bytes."""
    if size > max(LARGEST, packed):
        raise ValueError(
            f"expected at most {LARGEST:,} bytes of unpacked data, got {size:,}; take fewer data, or save them unpacked"
        )


def refuse_zip_bomb(file: Path | IO[bytes], packed: int) -> None:
    """Refuse a zip file whose parts declare too many bytes; NumPy and PyTorch read no more than is declared.

    packed: the number of bytes of the file.
    """
    if is_zipfile(file):
        with ZipFile(file) as archive:
            refuse_larger(sum(part.file_size for part in archive.infolist()), packed)
