"""Runs of many independent pieces of work: on any executor, with finished pieces kept, resumed where they ended."""

from igbtheory.runs.pieces import in_order
from igbtheory.runs.store import Store

__all__ = ["Store", "in_order"]
