"""What the package consists of: files of derivations and figures, each loaded by its path, and versions."""

import importlib.util
import platform
import sys
import threading
from importlib import resources
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

LIBRARIES = ("igbtheory", "numpy", "scipy", "matplotlib")
_LOADING = threading.Lock()
FILES: dict[str, Path] = {}
"""The files of the modules that were loaded by their paths, by the names of the modules."""


def versions() -> dict[str, str]:
    """Return the versions of everything that the numbers and pictures depend on."""
    return {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}}


def own_folder(name: str) -> Path:
    """The folder of that name: inside an installed package, beside the package in a checkout."""
    package = Path(str(resources.files("igbtheory")))
    inside = package / name
    return inside if inside.is_dir() else package.parent / name


def loaded(path: Path, name: str = "") -> ModuleType:
    """Return the module that a Python file makes, which Python knows by the name: dataclasses and pickle need it."""
    name = name or f"igbtheory_{path.parent.name}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
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
    """Load modules here that another process has from these files; those of the package lie where it is installed."""
    with _LOADING:  # otherwise a second thread could use a module of which the first has loaded only a part
        for name, path in files.items():
            if name not in sys.modules:
                here = path if path.is_file() else own_folder(path.parent.name) / path.name
                sys.path.append(str(here.parent))  # it may import its neighbours
                loaded(here, name)
