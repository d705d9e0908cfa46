"""Ensembles of finite networks, and their comparison with the theory, at their width or in infinite width."""

from typing import Any

from igbtheory.foundations.lazy import homes, loaded

_HOMES = homes(__file__)

__all__ = tuple(_HOMES)


def __getattr__(name: str) -> Any:
    return loaded(__name__, _HOMES, name)
