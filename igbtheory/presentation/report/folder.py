"""The folder of the report, which appears whole or not at all."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from igbtheory.foundations.whole_files import workplace

MANIFEST = "report.json"
"""The file that marks a folder as a report: how it was computed, and the names of its files."""


@contextmanager
def whole_folder(target: Path, about: dict[str, Any]) -> Iterator[Path]:
    """Yield a new folder to fill, which becomes `target` at the end; an interruption leaves `target` as it was.

    about: further entries of the manifest, besides the names of the files.
    ValueError: no folder can be made there, or `target` holds something that no report wrote.
    """
    target = target.resolve()
    _refuse_foreign(target)
    remedy = "make it, or choose another with --out"
    with workplace(target.parent, f"write a folder in {target.parent}", remedy) as work:
        new = work / "new"
        new.mkdir()
        yield new
        names = sorted([path.name for path in new.iterdir()] + [MANIFEST])
        manifest = {"written by": "igb report", **about, "files": names}
        (new / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
        _replace(target, new, work / "old")


def _refuse_foreign(target: Path) -> None:
    """Refuse a target that holds anything but a report, because it would be lost."""
    if target == Path.cwd() or target in Path.cwd().parents:
        raise ValueError(f"{target} is the folder you are in; name a new folder inside it, such as --out igb-report")
    if not target.exists():
        return
    if not target.is_dir():
        raise ValueError(f"{target} is a file; choose another name with --out")
    foreign = {path.name for path in target.iterdir()} - _written(target)
    if foreign:
        raise ValueError(
            f"{target} holds {min(foreign)!r}, which no report wrote; move it away, or choose another folder with --out"
        )


def _written(target: Path) -> set[str]:
    """Return the names of the files that a report wrote into the folder."""
    try:
        manifest = json.loads((target / MANIFEST).read_text(encoding="utf-8"))
        return set(manifest["files"]) if manifest["written by"] == "igb report" else set()
    except (OSError, ValueError, KeyError, TypeError):
        return set()


def _replace(target: Path, new: Path, old: Path) -> None:
    """Move `new` to `target`; if that fails, restore the old `target`."""
    if not target.exists():
        new.rename(target)
        return
    target.rename(old)
    try:
        new.rename(target)
    except BaseException:
        old.rename(target)
        raise
