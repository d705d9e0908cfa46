"""Tasks in several processes at once, each with a time limit; a task that breaks its process harms no other."""

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from time import monotonic
from typing import Any, final

from igbtheory.numbers.threads import pinned

Task = Callable[[], Any]
PATIENCE = 0.1
"""Seconds after which the time limits are looked at again."""


@final
class TaskLost(RuntimeError):  # noqa: N818 - it is a result as much as an error
    """The result of a task whose process ended before it, or was ended at the time limit."""


def results(tasks: Sequence[Task], workers: int | None = None, seconds: float = 120.0) -> Iterator[tuple[int, Any]]:
    """Yield the number of each task and its result, or the exception that it raised, in the order of their ends.

    workers: the number of processes, by default one a core. Tasks begin in their order, and a process goes on with the
    next one without waiting for the caller; what it has loaded or stored for one task is there for the next. seconds:
    the time limit of one task. A TaskLost stands for the result of a task that was stopped or ended its process.
    """
    team = _Team(tasks)
    members = [team.member() for _ in range(min(workers or os.cpu_count() or 1, len(tasks)))]
    try:
        while members:
            wait([member.connection for member in members], PATIENCE)
            for member in list(members):
                yield from member.news(seconds)
                if member.ended:
                    members.remove(member)
                    if member.number is not None:
                        members.append(team.member())
    finally:
        for member in members:
            member.process.kill()


@final
class _Team:
    """The processes that share a list of tasks, and the counter from which each takes its next task."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        # with "fork", tasks may be any functions: a process inherits them
        self.context = multiprocessing.get_context("fork")
        self.tasks, self.counter = tasks, self.context.Value("q", 0)

    def member(self) -> "_Member":
        receiver, sender = self.context.Pipe(duplex=False)
        process = self.context.Process(target=self.work, args=(sender,), daemon=True)
        process.start()
        sender.close()
        return _Member(process, receiver)

    def work(self, sender: Connection) -> None:
        """Do one task after the other, as long as the parent lives."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interruption is the parent's to handle
        pinned()
        parent = os.getppid()
        while os.getppid() == parent and (number := self._next()) < len(self.tasks):
            sender.send((number, monotonic(), None))
            _send(sender, number, _result(self.tasks[number]))

    def _next(self) -> int:
        with self.counter.get_lock():
            self.counter.value += 1
            return int(self.counter.value) - 1


@final
@dataclass(eq=False)
class _Member:
    """A process as its parent sees it; number: the task that it is at, since the time `started`."""

    process: Any
    connection: Connection
    number: int | None = None
    started: float = 0.0
    ended: bool = False

    def news(self, seconds: float) -> Iterator[tuple[int, Any]]:
        """Yield the results that the process has sent, and a TaskLost where it has ended in the middle of a task."""
        lost = "its process ended without a result"
        with suppress(EOFError):
            while self.connection.poll():
                number, started, result = self.connection.recv()
                if started is None:
                    self.number = None
                    yield number, result
                else:
                    self.number, self.started = number, started
            if self.number is None or monotonic() < self.started + seconds:
                return
            lost = f"not finished within its time limit of {seconds:g} s"
            self.process.kill()
        self.ended = True
        self.process.join()
        if self.number is not None:
            yield self.number, TaskLost(lost)


def _result(task: Task) -> Any:
    try:
        return task()
    except Exception as error:  # noqa: BLE001 - whatever a task does wrong
        known = type(error).__module__ == "builtins"  # others may not survive the way to the parent
        return error if known else RuntimeError(f"{type(error).__name__}: {error}")


def _send(sender: Connection, number: int, result: Any) -> None:
    try:
        sender.send((number, None, result))
    except Exception as error:  # noqa: BLE001 - whatever keeps a result from being sent
        sender.send((number, None, RuntimeError(f"its result cannot be sent: {error}")))
