"""Packages whose public names are loaded when they are first used."""

from collections.abc import Iterable, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any


def homes(file: str) -> dict[str, str]:
    """Return the modules of the public names of a package, by these names.

    file: that of the package, beside whose name stands a stub, FILE.pyi, with a line for each: from MODULE import NAME
    as NAME. So type checkers and editors read the same list.
    """
    with Path(f"{file}i").open(encoding="utf-8") as stub:
        words = [line.split() for line in stub if line.startswith("from ")]
    return {name: module for _, module, _, name, *_ in words}


def loaded(package: str, modules: Mapping[str, str], name: str) -> Any:
    """Return the public name of a package from its module; modules: as `homes` returns them."""
    if name not in modules:
        raise missing(package, modules, name)
    return getattr(import_module(modules[name]), name)


def missing(
    package: str, names: Iterable[str], name: str, namespaces: Mapping[str, str] = MappingProxyType({})
) -> AttributeError:
    """Return the error for a name that a package does not have, with its place, the nearest of its names, or five.

    namespaces: the modules of the package's public namespaces, which may have the name.
    """
    if name.startswith("_"):  # Python and its tools ask for such names, often, and do not read the answer
        return AttributeError(f"module {package!r} has no attribute {name!r}")
    from difflib import get_close_matches  # noqa: PLC0415 - the import of the package is instant

    from igbtheory.foundations.checks import nearest  # noqa: PLC0415 - it loads NumPy

    near = _place(package, name, namespaces) or nearest(name, names, 0.7)
    some = "" if near else ", ".join(get_close_matches(name, names, n=5, cutoff=0.0))
    remedy = f"did you mean {near!r}?" if near else f"it has, among others, {some}"
    return AttributeError(f"module {package!r} has no attribute {name!r}; {remedy}")


def _place(package: str, name: str, namespaces: Mapping[str, str]) -> str | None:
    """Return the whole name of what a namespace has under this name; Python asks for modules before it loads them."""
    if find_spec(f"{package}.{name}"):
        return None
    for namespace, module in namespaces.items():
        if name in import_module(module).__all__:
            return f"{package}.{namespace}.{name}"
    return None
