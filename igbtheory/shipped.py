"""Python files that ship with the package: derivations and figures, each loaded by its path."""

import importlib.util
import sys
from importlib import resources
from pathlib import Path
from types import ModuleType


def own_folder(name: str) -> Path:
    """The folder of that name: inside an installed package, beside the package in a checkout."""
    package = Path(str(resources.files("igbtheory")))
    inside = package / name
    return inside if inside.is_dir() else package.parent / name


def loaded(path: Path) -> ModuleType:
    """The module that a Python file makes."""
    name = f"igbtheory_{path.parent.name}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
