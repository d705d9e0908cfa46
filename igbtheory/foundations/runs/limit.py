"""A time limit for a piece of work."""

import faulthandler
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, final

from igbtheory.foundations import checks
from igbtheory.foundations.runs.stopping import stoppable


@final
class TimeUp(BaseException):
    """Raised when the time limit is exceeded."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise TimeUp in the block after that many seconds, and end the process if the block still runs after twice that.

    In a thread other than the main one, TimeUp is raised only after a running call into a library returns, and the
    process is not ended.
    """
    checks.seconds(seconds)
    if threading.current_thread() is not threading.main_thread():
        with stoppable(TimeUp) as stop:
            timer = threading.Timer(seconds, stop)
            timer.daemon = True
            timer.start()
            try:
                yield
            finally:
                timer.cancel()
        return
    before = signal.signal(signal.SIGALRM, _up)
    with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123 - no file
        faulthandler.dump_traceback_later(2 * seconds, exit=True, file=nowhere)
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)  # repeatedly, in case the block catches it
            try:
                yield
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        finally:
            signal.signal(signal.SIGALRM, before)
            faulthandler.cancel_dump_traceback_later()


def _up(*_: Any) -> None:
    raise TimeUp
