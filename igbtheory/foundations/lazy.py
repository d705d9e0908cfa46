"""Packages whose public names are loaded when they are first used."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec
from typing import Any


def loaded(package: str, homes: Mapping[str, str], name: str) -> Any:
    """Return the public name of a package from its module; homes: the modules in the package by public names."""
    if name not in homes:
        raise missing(package, homes, name)
    return getattr(import_module(f"{package}.{homes[name]}"), name)


def missing(package: str, names: Iterable[str], name: str, namespaces: Iterable[str] = ()) -> AttributeError:
    """Return the error for a name that a package does not have, with its place, the nearest of its names, or five.

    namespaces: the public modules of the package that may have the name.
    """
    if name.startswith("_"):  # Python and its tools ask for such names, often, and do not read the answer
        return AttributeError(f"module {package!r} has no attribute {name!r}")
    from igbtheory.foundations.checks import nearest  # noqa: PLC0415 - it loads NumPy

    near = _place(package, name, namespaces) or nearest(name, names, 0.7)
    some = "" if near else ", ".join(get_close_matches(name, names, n=5, cutoff=0.0))
    remedy = f"did you mean {near!r}?" if near else f"it has, among others, {some}"
    return AttributeError(f"module {package!r} has no attribute {name!r}; {remedy}")


def _place(package: str, name: str, namespaces: Iterable[str]) -> str | None:
    """Return the whole name of what a namespace has under this name; Python asks for modules before it loads them."""
    if find_spec(f"{package}.{name}"):
        return None
    for namespace in namespaces:
        if name in import_module(f"{package}.{namespace}").__all__:
            return f"{package}.{namespace}.{name}"
    return None
