"""Functions that make models, named on the command line."""

import importlib
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import igbtheory
from igbtheory import checks, shipped
from igbtheory.device import require_torch
from igbtheory.torch.failures import noted


@contextmanager
def loaded(source: str) -> Iterator[Any]:
    """Yield the function named by `source`, FILE.py:NAME or package.module:NAME.

    While it is in use, its folder (of a module: this one) is on the path, since it may import when it is called, and
    what it prints goes to standard error: standard output is the result's. Its errors become one sentence.
    """
    place, name = _split(source)
    path = Path(place) if place.endswith(".py") else None
    if path is not None and not path.is_file():
        raise ValueError(f"cannot read {place}: no such file")
    # before what the file or its folder may put in its place
    require_torch()
    folder = Path.cwd() if path is None else path.resolve().parent
    with _on_path(str(folder)), redirect_stdout(sys.stderr):
        function = _named(name, place, _module(place, path, folder))
        try:
            yield function
        except Exception as error:
            # a StopIteration comes as the cause of another error
            if (failed := error if noted(error) else error.__cause__) and (found := noted(failed)):
                what, remedy = found
                raise ValueError(f"{what}: {_told(failed, folder)}{remedy and '; '}{remedy}") from error
            raise


def _split(source: str) -> tuple[str, str]:
    """Return the file or module, and the name behind the colon."""
    place, colon, name = source.rpartition(":")
    if not (place and colon and name):
        raise ValueError(
            f"expected FILE.py:NAME or package.module:NAME, got {source!r}; name the function after a colon"
        )
    return place, name


@contextmanager
def _on_path(folder: str) -> Iterator[None]:
    """Put the folder first on the path while the context lasts."""
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        # the user's code may have taken it off
        with suppress(ValueError):
            sys.path.remove(folder)


def _module(place: str, path: Path | None, folder: Path) -> ModuleType:
    """Return the module, or the file as one."""
    try:
        if path is None:
            return importlib.import_module(place)
        return shipped.load_file(path, path.stem if path.stem not in sys.modules else f"_{path.stem}")
    except (Exception, SystemExit) as error:
        # else a script that ends by exit() would end the command without a word
        remedy = "; put what exits under if __name__ == '__main__'" if isinstance(error, SystemExit) else ""
        raise ValueError(f"cannot import {place}: {_told(error, folder)}{remedy}") from error


def _named(name: str, place: str, module: ModuleType) -> Any:
    """Return the object of that name; where there is none, the error lists what else may make models."""
    import torch  # noqa: PLC0415 - loaded by those who measure, no others

    names = vars(module)
    if name not in names:
        makers = [
            known
            for known, value in names.items()
            if callable(value) and not isinstance(value, torch.nn.Module) and not known.startswith("_")
        ]
        checks.known(f"name in {place}", name, makers)
    return names[name]


def _told(error: BaseException, folder: Path) -> str:
    """Return the error in words, with the last line of the user's own files that led to it."""
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_own(frame.filename, folder)]
    # a SyntaxError names its place itself
    if not own or isinstance(error, SyntaxError):
        return text
    return f"{text} ({Path(own[-1].filename).name}, line {own[-1].lineno})"


def _is_own(filename: str, folder: Path) -> bool:
    path = Path(filename)
    # names such as <frozen importlib> are no files; an environment may lie in the folder
    if not path.is_file() or "site-packages" in path.parts:
        return False
    path = path.resolve()
    return path.is_relative_to(folder) and not path.is_relative_to(Path(igbtheory.__file__).parent)
