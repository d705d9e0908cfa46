"""What draws results, by names, so that results load no picture before one is wanted.

The package enters its own pictures; a program may enter others, such as those of another library.
"""

from importlib import import_module
from typing import Any

BACKEND: dict[str, str] = {}
"""Functions, as "module:name": "plot" draws a result into axes, and "html" returns the page that a notebook shows."""


def drawn(how: str, *arguments: Any, **look: Any) -> Any:
    """Return what the function of BACKEND under the name `how` makes of the arguments."""
    module, _, name = BACKEND[how].partition(":")
    return getattr(import_module(module), name)(*arguments, **look)
