"""Kinds of number: a rule is written once and runs on whatever numbers it is given.

Each kind has a module: `float64` (NumPy scalars and broadcasting arrays), `multiprecision` (mpmath, any number of
digits), `certified` (python-flint balls) and `symbolic` (SymPy expressions). Only callers that need them import the
last two. To add a kind, write a module with a subclass of `Kind`.
"""

from typing import Any

from igbtheory.foundations.lazy import homes, loaded

_HOMES = homes(__file__)

__all__ = tuple(_HOMES)


def __getattr__(name: str) -> Any:
    return loaded(__name__, _HOMES, name)
