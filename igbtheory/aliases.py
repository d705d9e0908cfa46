"""The lasting names of the parts of the package: programs import them, and saved results name them.

`import igbtheory.formulas`, and every module below it, finds the part in its wing. `stubs/` tells type checkers so.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import final

PACKAGE = "igbtheory"
WINGS: dict[str, str] = {}
"""The wing of every part that is known by a shorter name."""


@final
class _Parts(MetaPathFinder, Loader):
    """Finds the parts under their lasting names; both names give the same module."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        package, _, place = fullname.partition(".")
        return ModuleSpec(fullname, self) if package == PACKAGE and place.partition(".")[0] in WINGS else None

    def exec_module(self, module: ModuleType) -> None:
        place = module.__name__.partition(".")[2]
        sys.modules[module.__name__] = import_module(f"{PACKAGE}.{WINGS[place.partition('.')[0]]}.{place}")


def lasting(module: str) -> str:
    """Return the lasting name of a module of the package."""
    _, wing, *place = module.split(".") if module != PACKAGE else (PACKAGE, "")
    return ".".join((PACKAGE, *place)) if place and WINGS.get(place[0]) == wing else module


sys.meta_path.insert(0, _Parts())  # before Python's own, which would load the modules below a part a second time
