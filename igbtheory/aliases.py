"""The lasting names of the parts of the package: programs import them, and saved results name them.

`import igbtheory.formulas`, and every module below it, finds the part in its wing. `stubs/` tells type checkers so.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import final

PACKAGE = "igbtheory"
WINGS = {
    "certificate": "theory",
    "cli": "presentation",
    "control": "networks",
    "derivation": "theory",
    "formulas": "mathematics",
    "inference": "guesses",
    "inputs": "layers",
    "losses": "networks",
    "network": "networks",
    "notation": "networks",
    "numbers": "mathematics",
    "pictures": "presentation",
    "prediction": "theory",
    "result": "foundations",
    "runs": "foundations",
    "simulation": "networks",
    "studies": "torch",
    "training": "networks",
    "width": "networks",
}
"""The wing of every part that is known by a shorter name."""


@final
class _Part(ModuleType):
    """A part with a lasting name. A module below it that is found by its lasting name takes the place of no function.

    Otherwise `import igbtheory.control.design` would put this module in the place of the function `design`.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (isinstance(value, ModuleType) and name in vars(self)):
            super().__setattr__(name, value)


@final
class _Parts:
    """Finds the parts under their lasting names; both names give the same module. Its base class would load slowly."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        package, _, place = fullname.partition(".")
        ours = package == PACKAGE and place.partition(".")[0] in WINGS
        return ModuleSpec(fullname, self) if ours else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> None:
        """Let Python create a module, which `exec_module` replaces."""

    def exec_module(self, module: ModuleType) -> None:
        place = module.__name__.partition(".")[2]
        part = import_module(f"{PACKAGE}.{WINGS[place.partition('.')[0]]}.{place}")
        part.__class__ = _Part
        sys.modules[module.__name__] = part


def lasting(module: str) -> str:
    """Return the lasting name of a module of the package."""
    _, wing, *place = module.split(".") if module != PACKAGE else (PACKAGE, "")
    return ".".join((PACKAGE, *place)) if place and WINGS.get(place[0]) == wing else module


sys.meta_path.insert(0, _Parts())  # before Python's own, which would load the modules below a part a second time
