"""Stopping what a thread does from another thread."""

import ctypes
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def stoppable(reason: type[BaseException]) -> Iterator[Callable[[], None]]:
    """Yield a function for other threads, to call once, which raises `reason` here while the block runs.

    It arrives between two steps of Python: a call into a library, such as a matrix product, ends first.
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
        # One on its way arrives here. It cannot be taken back: CPython would look for it for ever in a function that
        # `sys.setprofile` watches.
        for _ in range(2):
            pass
