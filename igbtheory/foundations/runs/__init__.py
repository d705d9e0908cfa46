"""Runs of many independent pieces of work: on any executor, with finished pieces kept, resumed after interruption."""

from igbtheory.foundations.runs.blocks import blocks, chosen
from igbtheory.foundations.runs.executors import Piece, refuse_unfit
from igbtheory.foundations.runs.limit import TimeUp, limited
from igbtheory.foundations.runs.pieces import in_order
from igbtheory.foundations.runs.store import Store, kept

__all__ = ["Piece", "Store", "TimeUp", "blocks", "chosen", "in_order", "kept", "limited", "refuse_unfit"]
