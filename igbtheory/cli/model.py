"""Functions that make models, named on the command line."""

import importlib
import runpy
import sys
from pathlib import Path
from typing import Any

from igbtheory import checks
from igbtheory.torch.library import require_torch


def load(source: str) -> Any:
    """The function `source`: FILE.py:NAME, or package.module:NAME, read as a script or a module in this folder is."""
    place, colon, name = source.rpartition(":")
    if not (place and colon and name):
        raise ValueError(
            f"expected FILE.py:NAME or package.module:NAME, got {source!r}; name the function after a colon"
        )
    path = Path(place) if place.endswith(".py") else None
    if path is not None and not path.is_file():
        raise ValueError(f"cannot read {place}: no such file")
    # before what the file or its folder may put in its place
    require_torch()
    names = _names(place, path)
    if name not in names:
        makers = [known for known, value in names.items() if callable(value) and not known.startswith("_")]
        checks.known(f"name in {place}", name, makers)
    return names[name]


def _names(place: str, path: Path | None) -> dict[str, Any]:
    """What a file, or a module, defines."""
    # to stay: the function may import when it is called
    sys.path.insert(0, str(Path.cwd() if path is None else path.resolve().parent))
    try:
        return vars(importlib.import_module(place)) if path is None else runpy.run_path(str(path))
    except (Exception, SystemExit) as error:
        where = f"python -c 'import {place}'" if path is None else f"python {place}"
        raise ValueError(f"cannot import {place}: {type(error).__name__}: {error}; see where with: {where}") from error
