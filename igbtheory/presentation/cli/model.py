"""Functions that create models and are named on the command line."""

import importlib
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import igbtheory
from igbtheory.foundations import checks, shipped
from igbtheory.foundations.device import require_torch
from igbtheory.torch.failures import noted


@contextmanager
def loaded(source: str) -> Iterator[Any]:
    """Yield the function named by `source`, FILE.py:NAME or package.module:NAME.

    In this context the folder of the file, or for a module the current folder, is on the path, because the function may
    import other files. Its output goes to standard error, because standard output is for the result. Errors of the
    function become ValueErrors of one sentence.
    """
    place, name = _split(source)
    path = Path(place) if place.endswith(".py") else None
    if path is not None and not path.is_file():
        raise ValueError(f"cannot read {place}: no such file")
    # before the path is extended by a folder that may contain a file torch.py
    require_torch()
    folder = Path.cwd() if path is None else path.resolve().parent
    with _on_path(str(folder)), redirect_stdout(sys.stderr):
        function = _named(name, place, _module(place, path, folder))
        try:
            yield function
        except Exception as error:
            # a StopIteration is the cause of another error
            if (failed := error if noted(error) else error.__cause__) and (note := noted(failed)):
                what, remedy = note
                raise ValueError(f"{what}: {_explained(failed, folder)}{remedy and '; '}{remedy}") from error
            raise


def _split(source: str) -> tuple[str, str]:
    """Return the file or module, and the name after the colon."""
    place, colon, name = source.rpartition(":")
    if not (place and colon and name):
        raise ValueError(
            f"expected FILE.py:NAME or package.module:NAME, got {source!r}; name the function after a colon"
        )
    return place, name


@contextmanager
def _on_path(folder: str) -> Iterator[None]:
    """Put the folder first on the path in this context."""
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        # the user's code may have removed it already
        with suppress(ValueError):
            sys.path.remove(folder)


def _module(place: str, path: Path | None, folder: Path) -> ModuleType:
    """Import the module or the file."""
    try:
        if path is None:
            return importlib.import_module(place)
        return shipped.load_file(path, path.stem if path.stem not in sys.modules else f"_{path.stem}")
    except (Exception, SystemExit) as error:
        # a script that calls exit() must not end the command silently
        remedy = "; put the call of exit() under if __name__ == '__main__'" if isinstance(error, SystemExit) else ""
        raise ValueError(f"cannot import {place}: {_explained(error, folder)}{remedy}") from error


def _named(name: str, place: str, module: ModuleType) -> Any:
    """Return the object of that name; if there is none, the error lists other objects that may create models."""
    import torch  # noqa: PLC0415 - an extra

    names = vars(module)
    if name not in names:
        makers = [
            maker
            for maker, value in names.items()
            if callable(value) and not isinstance(value, torch.nn.Module) and not maker.startswith("_")
        ]
        checks.known(f"name in {place}", name, makers)
    return names[name]


def _explained(error: BaseException, folder: Path) -> str:
    """Return the error in words, with the last line in the user's own files that led to it."""
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_own(frame.filename, folder)]
    # the text of a SyntaxError contains its place
    if not frames or isinstance(error, SyntaxError):
        return text
    return f"{text} ({Path(frames[-1].filename).name}, line {frames[-1].lineno})"


def _is_own(filename: str, folder: Path) -> bool:
    path = Path(filename)
    # names such as <frozen importlib> are not files; the folder may contain a virtual environment
    if not path.is_file() or "site-packages" in path.parts:
        return False
    path = path.resolve()
    return path.is_relative_to(folder) and not path.is_relative_to(Path(igbtheory.__file__).parent)
