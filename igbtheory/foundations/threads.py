"""The number of threads that the linear algebra library uses, and of cores for others."""

import os
import threading
from contextlib import AbstractContextManager
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

_HERE = threading.local()


@cache
def _controller() -> "ThreadpoolController":
    from threadpoolctl import ThreadpoolController  # noqa: PLC0415 - closed forms multiply no matrices

    return ThreadpoolController()


def one_thread() -> AbstractContextManager[Any]:
    """Return a context in which a matrix product uses one thread: on the small matrices of a sweep, more are slower."""
    limited: AbstractContextManager[Any] = _controller().limit(limits=1)
    return limited


@cache
def pinned() -> None:
    """Give matrix products one thread for good, in a process beside others that use the other cores."""
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # for libraries that are loaded later
    one_thread()


def shared() -> None:
    """Record that this thread works beside others that use the other cores."""
    _HERE.shared = True


def among_others() -> bool:
    """Return whether this process or thread works beside others that use the other cores."""
    from multiprocessing import parent_process  # noqa: PLC0415 - as above

    return parent_process() is not None or pinned.cache_info().currsize > 0 or hasattr(_HERE, "shared")


def cores() -> int:
    """Return the number of cores that this thread may use, 1 beside others that use the other cores."""
    return 1 if among_others() else os.cpu_count() or 1
