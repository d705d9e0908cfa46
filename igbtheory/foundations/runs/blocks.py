"""How a run of many networks is divided into pieces, and the default executor."""

import sys
from concurrent.futures import Executor
from typing import Any

from igbtheory.foundations import checks
from igbtheory.foundations.threads import among_others, cores

PIECE = 2.0
"""Seconds that a piece should take: much longer than submitting it, and little is lost if it is interrupted."""
FEWEST = 16
"""Smallest number of pieces, so that several workers have about the same work."""
SHORT = 2.0
"""Seconds of work below which no processes are started."""


def blocks(networks: int, seconds: float) -> list[range]:
    """Return ranges of networks, each of which is a piece; `seconds`: estimated time of one network.

    The ranges do not depend on measured times, so that a store finds its pieces again.
    """
    checks.whole("networks", networks, 0)
    checks.seconds(seconds)
    size = max(1, min(round(PIECE / seconds), -(-networks // FEWEST)))
    return [range(start, min(start + size, networks)) for start in range(0, networks, size)]


def chosen(executor: Executor | str | None, workers: int | None, seconds: float, device: Any = None) -> Executor | str:
    """Return the executor of a run of `seconds` of work; by default processes, and in short runs threads.

    workers: their number; None: one for each core, but only one inside a worker of another run. device: the device on
    which PyTorch computes; a graphics card is used by one process only, with threads. ValueError: both an executor and
    a number of workers are given, or processes for a graphics card.
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
    count = cores() if workers is None else checks.whole("workers", workers, 1)
    # other systems cannot fork: a new process would run the user's script again
    threads = among_others() or card or seconds < SHORT or sys.platform != "linux"
    return f"{'threads' if threads else 'processes'}:{count}"
