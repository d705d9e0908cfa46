"""An end of what a thread does, from outside."""

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
                _raise(here, ctypes.py_object(reason))

    try:
        yield stop
    finally:
        with lock:
            running = False
            _raise(here, None)  # takes back one that has not arrived


def _raise(thread: int, reason: "ctypes.py_object[type[BaseException]] | None") -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), reason)
