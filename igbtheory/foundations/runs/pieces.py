"""Runs of pieces of work: the results come in the order of the pieces and are stored as soon as they are finished."""

import os
import platform
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from functools import partial
from queue import Empty, SimpleQueue
from types import NoneType
from typing import Any, final

from igbtheory.foundations import checks
from igbtheory.foundations.progress import counted
from igbtheory.foundations.runs.executors import PATIENCE, Piece, nth, opener, processes, refuse_silent, sent
from igbtheory.foundations.runs.store import Store, number_of
from igbtheory.foundations.runs.versions import OtherVersionsError, refuse_other, versions
from igbtheory.foundations.threads import one_thread, pinned

ATTEMPTS = 3
"""Number of times that a piece is tried if its process dies."""


def in_order(
    pieces: Sequence[Piece],
    *,
    executor: Executor | str | None = None,
    store: Store | None = None,
    names: Sequence[Any] | None = None,
    what: str = "",
    raises: bool = True,
) -> Generator[Any]:
    """Yield the result of every piece in the order of the pieces; every executor gives the same numbers.

    pieces: functions without arguments that take about 0.5 to 5 s each; for an executor of your own they must be
    picklable, such as a functools.partial of a function of a module. executor: a concurrent.futures.Executor, or
    "processes:4", "threads:4" or "dask:tcp://host:8786"; None: one process on this machine for each core. A piece whose
    process dies is tried three times. store: every finished piece is kept there at once, and is not computed again.
    names: plain values that identify the pieces in a store of several runs; by default their numbers do. what: a
    description of the pieces, for a progress bar.

    An exception of a piece is raised when its result is due; with raises=False it is the result of the piece.
    ChildProcessError: workers died. ConnectionError: a cluster is out of reach. ValueError: a worker has other
    versions.

    raises: whether an exception of a piece is raised, as above.

    >>> from functools import partial
    >>> list(igb.runs.in_order([partial(pow, 2, 3), partial(pow, 2, 4)], executor="threads:1"))
    [8, 16]
    """
    checks.of_kind("pieces in a sequence", pieces, Sequence, "[partial(work, 1), partial(work, 2)]")
    for piece in pieces:
        checks.of_kind("functions as pieces", piece, Callable, "functools.partial(work, 1)")  # type: ignore[arg-type]
    checks.of_kind("a store or None", store, (Store, NoneType), "Store('run.db', {})")
    numbers = range(len(pieces)) if names is None else [number_of(name) for name in names]
    return counted(_Run(pieces, executor, store, numbers, raises=raises).results(), len(pieces), what)


@final
class _Run:
    """The state of a run: pieces to do, pieces that are being done, and results that wait for their turn."""

    def __init__(
        self,
        pieces: Sequence[Piece],
        executor: Executor | str | None,
        store: Store | None,
        stored: Sequence[int],
        *,
        raises: bool,
    ) -> None:
        self.pieces, self.store, self.stored, self.raises = pieces, store, stored, raises
        self.ready: dict[int, Callable[[], Any]] = {}
        if store is not None:
            there = store.numbers()
            self.ready = {i: partial(store.get, number) for i, number in enumerate(stored) if number in there}
        self.todo = deque(number for number in range(len(pieces)) if number not in self.ready)
        self.open, self.workers = opener(executor, pieces, len(self.todo))
        self.out: dict[int, Future[Any]] = {}
        self.news: SimpleQueue[int] = SimpleQueue()
        self.dropped: list[int] = []
        self.turn = 0

    def results(self) -> Generator[Any]:
        """Yield the results in order; if a process dies, the executor is opened again."""
        try:
            with one_thread():  # because an executor may use threads of this process
                while self.todo:
                    with self.open() as pool:
                        yield from self._until_broken(pool)
                    self._do_again()
                yield from self._due()
        finally:
            self._keep_finished()  # finished pieces are kept, whatever ends the run

    def _until_broken(self, pool: Executor) -> Iterator[Any]:
        """Yield results until every piece is finished, or dropped because its process died."""
        try:
            self._hand_out(pool)
            yield from self._due()
            while self.out:
                self._wait(pool)
                yield from self._due()
        finally:
            if not self.workers:  # an executor of the user continues after this run
                for future in self.out.values():
                    future.cancel()

    def _hand_out(self, pool: Executor) -> None:
        """Submit the pieces that are to do, as long as the executor accepts them."""
        while self.todo:
            number = self.todo[0]
            try:
                future = self._submitted(pool, number)
            except BrokenExecutor as error:
                if not self.workers:
                    raise ChildProcessError(f"the executor is broken: {error}; pass a new one") from None
                return
            self.todo.popleft()
            self.out[number] = future
            future.add_done_callback(partial(self._announce, number))

    def _announce(self, number: int, _: Future[Any]) -> None:
        self.news.put(number)

    def _submitted(self, pool: Executor, number: int) -> Future[Any]:
        if self.workers:
            return pool.submit(nth, number)
        return pool.submit(_done, sent(self.pieces[number], pool), versions(), (platform.node(), os.getpid()))

    def _due(self) -> Iterator[Any]:
        """Yield the results that are due."""
        while self.turn in self.ready:
            self._keep_finished()  # finished pieces are kept before the caller continues
            self.turn += 1
            yield self.ready.pop(self.turn - 1)()

    def _wait(self, pool: Executor) -> None:
        """Wait until a piece is finished, and keep it. ConnectionError: a cluster no longer answers."""
        while True:
            try:
                number = self.news.get(timeout=PATIENCE)
            except Empty:
                refuse_silent(pool)
            else:
                return self._keep(number, self.out.pop(number))

    def _keep_finished(self) -> None:
        """Keep the pieces that are already finished."""
        while not self.news.empty():
            number = self.news.get()
            self._keep(number, self.out.pop(number))

    def _keep(self, number: int, future: Future[Any]) -> None:
        """Store a result at once, and keep an exception until it is due."""
        error = CancelledError() if future.cancelled() else future.exception()
        if error is None:
            result = future.result()
            if self.store is not None:
                self.store.put(self.stored[number], result)
            self.ready[number] = lambda: result
        elif self.workers and isinstance(error, BrokenExecutor):
            self.dropped.append(number)
        else:
            self._fail(number, _explained(error, self._named(number)))

    def _fail(self, number: int, error: BaseException) -> None:
        raised = self.raises or isinstance(error, ConnectionError | OtherVersionsError)
        self.ready[number] = partial(_raise, error) if raised else lambda: error

    def _named(self, number: int) -> str:
        return f"piece {number} of {len(self.pieces)}"

    def _do_again(self) -> None:
        """Do the pieces again that a dead process dropped.

        The first of them may have been running. They are done one by one, to find those that kill their process. The
        others go back to those that are to do.
        """
        dropped, self.dropped = sorted(self.dropped), []
        self.todo.extendleft(reversed(dropped[self.workers + 1 :]))
        for number in dropped[: self.workers + 1]:
            for _ in range(ATTEMPTS - 1):
                self.dropped.clear()
                with processes(1, self.pieces) as pool:
                    self._keep(number, self._submitted(pool, number))
                if not self.dropped:
                    break
            else:
                what = f"{self._named(number)} ended its process {ATTEMPTS} times, without an exception"
                self._fail(number, ChildProcessError(f"{what}; is there memory enough for it?"))
        self.dropped.clear()


def _explained(error: BaseException, piece: str) -> BaseException:
    """Return the exception of a piece, or an exception that says how its workers were lost."""
    if isinstance(error, CancelledError):
        return ConnectionError(f"the executor gave up {piece}; it was shut down, or its scheduler is out of reach")
    if isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker":  # an exception of dask
        return ChildProcessError(f"workers died, and with them {piece}: {error}")
    if isinstance(error, SystemExit):
        return ChildProcessError(f"{piece} ended by exit({error.code!r})")
    return error


def _raise(error: BaseException) -> None:
    raise error


def _done(piece: Piece, wanted: dict[str, str], sender: tuple[str, int]) -> Any:
    """Do a piece if the versions are the sender's; in another process, limit linear algebra to one thread."""
    refuse_other(versions(), wanted, platform.node())
    if (platform.node(), os.getpid()) != sender:
        pinned()
    return piece()
