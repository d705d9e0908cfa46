"""Files that appear whole or not at all, several together."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory


@contextmanager
def whole_files(folder: Path, option: str) -> Iterator[Path]:
    """A folder to fill, whose files move into `folder` at the end, in the order of their names.

    Whatever interrupts before leaves things as they were. ValueError: no file can be written into `folder`, which is
    made where its parents allow; `option` of the command line names another.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        work = TemporaryDirectory(prefix=".unfinished-", dir=folder)
    except OSError as error:
        raise ValueError(f"cannot write into {folder}: {error.strerror}; name another folder with {option}") from None
    with work as name:
        yield Path(name)
        for path in sorted(Path(name).iterdir()):
            path.replace(folder / path.name)
