"""Packages whose public names are loaded when they are first used."""

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any


def loaded(package: str, homes: Mapping[str, str], name: str) -> Any:
    """Return the public name of a package from its module; homes: the modules in the package by public names."""
    if name not in homes:
        raise missing(package, homes, name)
    return getattr(import_module(f"{package}.{homes[name]}"), name)


def missing(package: str, names: Iterable[str], name: str) -> AttributeError:
    """Return the error for a name that a package does not have, with the nearest of its names or all of them."""
    from igbtheory.foundations.checks import nearest  # noqa: PLC0415 - it loads NumPy

    near = nearest(name, names, 0.7)
    remedy = f"did you mean {near!r}?" if near else f"it has {', '.join(names)}"
    return AttributeError(f"module {package!r} has no attribute {name!r}; {remedy}")
