"""How a run of many networks is cut into pieces, and who does them when nobody is named."""

import os
import sys
from concurrent.futures import Executor
from typing import Any

from igbtheory import checks
from igbtheory.numbers.threads import among_others

PIECE = 2.0
"""Seconds that a piece should take: far more than to hand it out, and little is lost where it is interrupted."""
FEWEST = 16
"""Pieces, so that several workers share them evenly."""
SHORT = 2.0
"""Seconds of work for which no processes are begun."""


def blocks(networks: int, seconds: float) -> list[range]:
    """Return ranges of networks, each of which takes some `seconds`; a store finds them again: they know no clock."""
    size = max(1, min(round(PIECE / seconds), -(-networks // FEWEST)))
    return [range(start, min(start + size, networks)) for start in range(0, networks, size)]


def chosen(executor: Executor | str | None, workers: int | None, seconds: float, device: Any = None) -> Executor | str:
    """Return the executor of a run of `seconds`; where none is named processes, in short runs threads.

    workers: how many, None: one a core, and one alone in a process among others. device: where PyTorch computes; a
    graphics card is in use by one process, so that there are threads. ValueError: both are named, or processes for it.
    """
    card = device is not None and not str(device).startswith("cpu")
    if card and str(executor).startswith("processes"):
        raise ValueError(f'expected threads for the device {device}, got "{executor}"; write "threads:4"')
    if executor is not None:
        if workers is not None:
            raise ValueError(
                f'expected workers or an executor, got both; write the number behind it: "processes:{workers}"'
            )
        return executor
    inside = among_others()
    count = (1 if inside else os.cpu_count() or 1) if workers is None else checks.whole("workers", workers, 1)
    # elsewhere a new process imports the script that made it once more
    threads = inside or card or seconds < SHORT or sys.platform != "linux"
    return f"{'threads' if threads else 'processes'}:{count}"
