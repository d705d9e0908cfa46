"""Runs of many independent pieces of work: on any executor, with finished pieces kept, resumed after interruption."""

from igbtheory.runs.blocks import blocks, chosen
from igbtheory.runs.executors import Piece, refuse_unfit
from igbtheory.runs.limit import TimeUp, limited
from igbtheory.runs.pieces import in_order
from igbtheory.runs.store import Store, kept

__all__ = ["Piece", "Store", "TimeUp", "blocks", "chosen", "in_order", "kept", "limited", "refuse_unfit"]
