"""igbtheory predicts, for any architecture one can write down, how an untrained network guesses.

Every public name is loaded when it is first used, so that importing the package is instant. The stub beside this file
lists them.
"""

from importlib import import_module
from typing import Any

from igbtheory.foundations.backend import BACKEND
from igbtheory.foundations.lazy import homes, missing
from igbtheory.foundations.version import VERSION

_HOMES = homes(__file__)
NAMESPACES = {name: f"{__name__}{home}.{name}".replace("..", ".") for name, home in _HOMES.items() if home[0] == "."}
"""The folders whose public names are names of `igb.` too: `igb.losses` is igbtheory.networks.losses."""

__all__ = tuple(_HOMES)
__version__ = VERSION
BACKEND.update(plot="igbtheory.presentation.pictures.plots:plot", html="igbtheory.presentation.pictures.notebook:html")


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise missing(__name__, __all__, name, NAMESPACES)
    if name in NAMESPACES:
        return import_module(NAMESPACES[name])
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
