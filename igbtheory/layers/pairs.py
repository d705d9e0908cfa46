"""Second moments of a unit at pairs of given data."""

from dataclasses import dataclass
from typing import Any, final


@final
@dataclass(frozen=True)
class Pairs:
    """Second moments over W of a unit at pairs of data: q_a, q_b of either datum, q_ab of the pair; they broadcast.

    same: True where a and b are one datum; error = estimated relative error of q_ab against sqrt(q_a q_b); rank: the
    smallest effective rank of a batch whose norm was estimated from draws, inf where none was.
    """

    q_a: Any
    q_b: Any
    q_ab: Any
    same: Any = False
    error: float = 0.0
    rank: float = float("inf")
