"""Threads of the linear algebra library."""

import multiprocessing
import os
import threading
from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

_HERE = threading.local()


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def one_thread() -> AbstractContextManager[Any]:
    """Context in which a matrix product has one thread: those of a sweep are small, and more wait for each other."""
    limited: AbstractContextManager[Any] = _controller().limit(limits=1)
    return limited


@cache
def pinned() -> None:
    """Give matrix products one thread for good: in a process among others, which have the other cores."""
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # for libraries that are not loaded yet
    one_thread()


def shared() -> None:
    """Note that this thread works beside others, which use the other cores."""
    _HERE.shared = True


def among_others() -> bool:
    """Whether this is a process or a thread among others, which have the other cores."""
    return multiprocessing.parent_process() is not None or pinned.cache_info().currsize > 0 or hasattr(_HERE, "shared")
