"""Timing of a function, and the line in which a benchmark reports a ratio."""

import time
from collections.abc import Callable


def seconds(function: Callable[[], object], repeats: int = 3) -> float:
    """Shortest wall-clock time of `repeats` calls: what the others add is the machine's other work."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def show(what: str, ours: float, other: str, theirs: float) -> None:
    """Print both times and how many times as long the other one takes."""
    print(f"{what}: {_unit(ours)}; {other}: {_unit(theirs)}; ratio {theirs / ours:.3g}")


def _unit(duration: float) -> str:
    unit, scale = ("s", 1.0) if duration >= 1 else ("ms", 1e-3) if duration >= 1e-3 else ("us", 1e-6)
    return f"{duration / scale:.3g} {unit}"
