"""igbtheory predicts, for any architecture one can write down, how an untrained network guesses.

Every public name is loaded when it is first used, so that importing the package is instant. The stub beside this file
lists them.
"""

from importlib import import_module
from typing import Any

from igbtheory import aliases as aliases
from igbtheory.foundations.backend import BACKEND
from igbtheory.foundations.lazy import homes, missing
from igbtheory.foundations.version import VERSION

_HOMES = homes(__file__)

__all__ = tuple(_HOMES)
__version__ = VERSION
BACKEND.update(plot="igbtheory.presentation.pictures.plots:plot", html="igbtheory.presentation.pictures.notebook:html")


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise missing(__name__, __all__, name, [public for public in _HOMES if _is_namespace(public)])
    if _is_namespace(name):
        return import_module(f"{__name__}.{name}")
    return getattr(import_module(_HOMES[name]), name)


def _is_namespace(name: str) -> bool:
    return _HOMES[name].startswith(".")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
