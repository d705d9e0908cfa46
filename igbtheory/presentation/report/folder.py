"""The folder of the report: each of its files appears whole, and an interrupted report is what was written so far."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, final

from igbtheory.foundations.whole_files import workplace

MANIFEST = "report.json"
"""The file that marks a folder as a report: how it was computed, the names of its files, and whether it is complete."""


@final
@dataclass
class ReportFolder:
    """The folder `target`, which is made, and emptied of an earlier report, when the first files are written.

    work: a folder for unfinished files on the same disk. about: further entries of the manifest. names: of the files.
    """

    target: Path
    work: Path
    about: dict[str, Any]
    names: set[str] = field(default_factory=set)

    @contextmanager
    def filling(self, *, complete: bool = False) -> Iterator[Path]:
        """Yield an empty folder, whose files replace those of the same names in the report at the end of the block.

        complete: whether the report then has all its files.
        """
        new = Path(mkdtemp(dir=self.work))
        yield new
        if not self.names:
            self.target.mkdir(exist_ok=True)
            earlier = _written(self.target)
            for file in [file for file in self.target.iterdir() if file.name in earlier]:
                file.unlink()
        files = sorted(new.iterdir())
        self.names |= {file.name for file in files} | {MANIFEST}
        manifest = {"written by": "igb report", **self.about, "complete": complete, "files": sorted(self.names)}
        text = json.dumps(manifest, indent=2) + "\n"
        (new / MANIFEST).write_text(text, encoding="utf-8")
        for file in (new / MANIFEST, *files):  # the manifest first: a file that it does not name is foreign
            file.replace(self.target / file.name)
        new.rmdir()


@contextmanager
def report_folder(target: Path, about: dict[str, Any]) -> Iterator[ReportFolder]:
    """Yield the folder of a report; nothing changes before its first files are written.

    ValueError: no folder can be made there, or `target` holds something that no report wrote.
    """
    target = target.resolve()
    _refuse_foreign(target)
    remedy = "make it, or choose another with --out"
    with workplace(target.parent, f"write a folder in {target.parent}", remedy) as work:
        yield ReportFolder(target, work, about)


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
