"""Work that stops after so much effort, in any thread and without signals."""

import sys
from collections.abc import Callable
from inspect import CO_GENERATOR
from types import FrameType
from typing import Any

EFFORT = 1_000_000
"""Calls of functions at most, about a second; counted rather than timed, so that results depend on no machine."""


class _TooLongError(BaseException):
    """Raised inside the work; no handler of `Exception` there stops it."""


def within_effort(argument: Any, work: Callable[[Any], list[Any]]) -> list[Any]:
    """Return the list that the work makes of the argument; an empty one where it takes too many calls."""
    calls = 0

    def count(frame: FrameType, event: str, _: Any) -> None:
        nonlocal calls
        if event == "call":  # most events are others, and this function a third of the work
            calls += 1
            # Python swallows what is raised in a generator that it closes
            if calls > EFFORT and not frame.f_code.co_flags & CO_GENERATOR:
                raise _TooLongError

    if sys.getprofile() is not None:  # a profiler at work keeps its place
        return work(argument)
    sys.setprofile(count)
    try:
        return work(argument)
    except _TooLongError:
        return []
    finally:
        sys.setprofile(None)
