"""Pictures of single results, and the figures of the folder `figures/` with all their files."""

from typing import Any

from igbtheory.foundations.lazy import homes, loaded

_HOMES = homes(__file__)

__all__ = tuple(_HOMES)


def __getattr__(name: str) -> Any:
    return loaded(__name__, _HOMES, name)
