"""Files that appear whole or not at all."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(target: Path, suffixes: tuple[str, ...]) -> Iterator[Path]:
    """Return a path to write, which becomes `target` at the end; whatever interrupts leaves things as they were.

    ValueError, before anything is written: `target` ends in none of the suffixes, or no file can be made there.
    """
    if target.suffix.lower() not in suffixes:
        raise ValueError(f"expected a file that ends in {' or '.join(suffixes)}, got {str(target)!r}")
    if target.is_dir():
        raise ValueError(f"{target} is a folder; name a file in it, such as {target / 'activation.png'}")
    try:
        work = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.resolve().parent))
    except OSError as error:
        raise ValueError(f"cannot write {target}: {error.strerror}; make the folder, or name another file") from None
    try:
        new = work / target.name
        yield new
        new.replace(target)
    finally:
        shutil.rmtree(work)
