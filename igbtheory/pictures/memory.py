"""The memory of simulations: arrays by the parameters they were computed with, so that no run begins again."""

import hashlib
import inspect
import json
import os
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, final

import numpy as np

from igbtheory.whole_files import whole_files

DRAWN_BY = ("formulas/**/*.py", "layers/*.py", "simulation/*.py")
"""Files of the package whose code decides what a simulation gives, beside that of the file that asks for it."""

Arrays = dict[str, Any]


@final
@dataclass(frozen=True)
class Memory:
    """The memory: arrays in the files of a folder, one file for each set of parameters; None remembers nothing."""

    folder: Path | None = None

    def recall(self, parameters: dict[str, Any], compute: Callable[[], Arrays]) -> Arrays:
        """Return the arrays of the parameters, computed where no file has them or the file cannot be read."""
        if self.folder is None:
            return compute()
        asking = inspect.getsourcefile(compute)
        text = json.dumps({**parameters, "code": [_code(), _digest(Path(str(asking)))]}, sort_keys=True)
        name = f"{hashlib.sha256(text.encode()).hexdigest()[:32]}.npz"
        try:
            with (self.folder / name).open("rb") as file, np.load(file) as archive:
                return dict(archive)
        except (OSError, EOFError, ValueError, zipfile.BadZipFile):
            arrays = compute()
        with whole_files(self.folder, "--cache") as work:
            np.savez(work / name, **arrays)
        return arrays


def users_folder() -> Path:
    """Return the folder of a user for what can be computed again."""
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "igbtheory"


@cache
def _code() -> str:
    """Return the digest of the code that draws networks: other code, other numbers."""
    package = Path(__file__).parents[1]
    return _digest(*(path for pattern in DRAWN_BY for path in sorted(package.glob(pattern))))


def _digest(*files: Path) -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()
