"""Threads of the linear algebra library."""

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def one_thread() -> AbstractContextManager[Any]:
    """Context in which a matrix product has one thread: those of a sweep are small, and more wait for each other."""
    limited: AbstractContextManager[Any] = _controller().limit(limits=1)
    return limited
