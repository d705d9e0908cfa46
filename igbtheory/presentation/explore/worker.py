"""A process that answers questions one after the other, so that no question blocks the page.

A new question stops the one before it, unless that ends within a moment, and a time limit stops any question. Results
that an answer has cached in the process serve the next one.
"""

import multiprocessing
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection
from threading import Lock
from time import monotonic
from typing import Any, final

GRACE = 0.5
"""Seconds before a newer question stops an answer: stopping takes longer than most answers."""
PATIENCE = 0.02
"""Seconds between checks for newer questions and the time limit."""


@final
class Worker:
    """The process. answer: a function of a module, whose arguments and results can be pickled."""

    def __init__(self, answer: Callable[..., Any], seconds: float) -> None:
        # a fresh process that has loaded the module: to fork this one beside the threads of a server is not safe
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload([answer.__module__])
        self._answer, self._seconds = answer, seconds
        self._asking, self._newest = Lock(), 0
        self._start()

    def ask(self, *question: Any) -> Any:
        """Return the answer, or None if a newer question came. TimeoutError: there is none within the time limit."""
        self._newest += 1
        mine = self._newest
        with self._asking:
            if mine < self._newest:
                return None
            try:
                self._connection.send(question)
                return self._answered(mine)
            except (EOFError, BrokenPipeError):
                self._restart()
                raise TimeoutError("expected an answer, but its process ended, perhaps for want of memory") from None

    def _answered(self, mine: int) -> Any:
        started = monotonic()
        while not self._connection.poll(PATIENCE):
            taken, late = monotonic() - started, mine < self._newest
            if late and taken > GRACE:
                self._restart()
                return None
            if taken > self._seconds:
                self._restart()
                raise TimeoutError(f"expected an answer within {self._seconds:g} s, got none")
        return self._connection.recv()

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()

    def _start(self) -> None:
        self._connection, other = self._context.Pipe()
        self._process = self._context.Process(target=_work, args=(self._answer, other), daemon=True)
        self._process.start()
        other.close()

    def _restart(self) -> None:
        self.close()
        self._start()


def _work(answer: Callable[..., Any], connection: Connection) -> None:
    """Answer questions until the parent process ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles interruptions
    while True:
        try:
            question = connection.recv()
        except EOFError:
            return
        connection.send(answer(*question))
