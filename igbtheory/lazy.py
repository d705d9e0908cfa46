"""Packages whose public names are loaded when they are first used."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any


def loaded(package: str, homes: Mapping[str, str], name: str) -> Any:
    """Return the public name of a package from its module; homes: the modules in the package by public names."""
    if name not in homes:
        raise AttributeError(f"module {package!r} has no attribute {name!r}; it has {', '.join(homes)}")
    return getattr(import_module(f"{package}.{homes[name]}"), name)
