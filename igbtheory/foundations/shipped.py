"""Files that come with the package (derivations and figures), which are loaded by their paths, and versions."""

import importlib.util
import platform
import sys
import threading
from importlib import resources
from importlib.abc import Loader
from pathlib import Path
from types import ModuleType

PACKAGE = Path(str(resources.files("igbtheory")))
"""The folder of the package."""
LIBRARIES = ("igbtheory", "numpy", "scipy", "matplotlib")
_LOADING = threading.Lock()
FILES: dict[str, Path] = {}
"""Paths of the modules that `load_file` has loaded, by the names of the modules."""


def versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries on which numbers and pictures depend."""
    from importlib.metadata import version  # noqa: PLC0415 - it loads the modules of e-mail

    return {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}}


def own_folder(name: str) -> Path:
    """Return the folder of that name: beside this file if it is installed, beside the package in a checkout."""
    installed = Path(__file__).parent / name
    return installed if installed.is_dir() else PACKAGE.parent / name


def load_file(path: Path, name: str = "", loader: Loader | None = None) -> ModuleType:
    """Import a Python file and return the module, registered in sys.modules for dataclasses and pickle.

    loader: what makes the module of the file, by default Python's own.
    """
    name = name or f"igbtheory_{path.parent.name}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    FILES[name] = path.resolve()
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module


def load_missing(files: dict[str, Path]) -> None:
    """Load the modules that a piece of work from another machine needs; files of the package may lie elsewhere here."""
    with _LOADING:  # otherwise a second thread could use a module that the first has only partly loaded
        for name, path in files.items():
            if name not in sys.modules:
                here = path if path.is_file() else own_folder(path.parent.name) / path.name
                sys.path.append(str(here.parent))  # the file may import its neighbours
                load_file(here, name)
