"""Writing of files and folders that appear complete or not at all."""

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

PREFIX = ".unfinished-igb-"
YOUNG = 60.0
"""Age in seconds below which a folder is not deleted, because it may not be locked yet."""


@contextmanager
def whole_file(target: Path, suffixes: tuple[str, ...]) -> Iterator[Path]:
    """Yield a path to write; the file becomes `target` at the end, and after an interruption nothing has changed.

    ValueError, before anything is written: `target` has none of the suffixes, or its folder cannot be written to.
    """
    if target.suffix.lower() not in suffixes:
        raise ValueError(f"expected a file that ends in {' or '.join(suffixes)}, got {str(target)!r}")
    if target.is_dir():
        raise ValueError(f"{target} is a folder; name a file in it, such as {target / 'activation.png'}")
    with workplace(target.resolve().parent, f"write {target}", "make the folder, or name another file") as work:
        yield work / target.name
        (work / target.name).replace(target)


@contextmanager
def whole_files(folder: Path, option: str) -> Iterator[Path]:
    """Yield a folder to fill; its files move into `folder` at the end, in the order of their names.

    After an interruption nothing has changed. `folder` is created if it is missing. ValueError: `folder` cannot be
    written to; the error names `option`, the option of the command line that chooses the folder.
    """
    with workplace(folder, f"write into {folder}", f"name another folder with {option}", made=True) as work:
        yield work
        for path in sorted(work.iterdir()):
            path.replace(folder / path.name)


@contextmanager
def workplace(folder: Path, what: str, remedy: str, *, made: bool = False) -> Iterator[Path]:
    """Yield a new folder in `folder`, which is deleted at the end.

    made: create `folder` if it is missing; after an error or an interruption it is removed again if it is empty.
    ValueError: the new folder cannot be created; the error says that the program cannot do `what`, and the remedy.
    """
    missing = [parent for parent in (folder, *folder.parents) if not parent.exists()] if made else []
    try:
        try:
            for parent in reversed(missing):
                parent.mkdir(exist_ok=True)
            _clear(folder)
            work = TemporaryDirectory(prefix=PREFIX, dir=folder)
        except OSError as error:
            raise ValueError(f"cannot {what}: {error.strerror}; {remedy}") from None
        with work as name, _locked(Path(name)):
            yield Path(name)
    except BaseException:
        for parent in missing:
            with suppress(OSError):
                parent.rmdir()
        raise


def _clear(folder: Path) -> None:
    """Delete the folders that killed runs have left: old ones that no process has locked."""
    for left in folder.glob(f"{PREFIX}*"):
        with suppress(OSError), _locked(left) as ours:
            if ours and time.time() > left.stat().st_mtime + YOUNG:
                shutil.rmtree(left)


@contextmanager
def _locked(folder: Path) -> Iterator[bool]:
    """Lock a folder until the block or this process ends.

    Yield False if another process has locked the folder, or if the system or the disk does not support locks.
    """
    with ExitStack() as closed:
        try:
            import fcntl  # noqa: PLC0415 - Windows does not have it

            place = os.open(folder, os.O_RDONLY)
            closed.callback(os.close, place)
            fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (ImportError, OSError):
            yield False
        else:
            yield True
