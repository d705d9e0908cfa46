"""Stopping the work of a thread from another thread."""

import ctypes
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def stoppable(reason: type[BaseException]) -> Iterator[Callable[[], None]]:
    """Yield a function that other threads may call once to raise `reason` in this thread while the block runs.

    Python raises it between two bytecodes, so that a call into a library, such as a matrix product, finishes first.
    """
    here, lock, running = threading.get_ident(), threading.Lock(), True

    def stop() -> None:
        with lock:
            if running:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(here), ctypes.py_object(reason))

    try:
        yield stop
    finally:
        with lock:
            running = False
        # A pending exception is raised in this loop. It cannot be revoked: CPython would look for it for ever in a
        # function that `sys.setprofile` watches.
        for _ in range(2):
            pass
