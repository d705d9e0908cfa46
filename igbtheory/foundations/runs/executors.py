"""Executors of a run: processes or threads on this machine, a dask cluster, or an executor of the user."""

import logging
import multiprocessing
import os
import pickle
import re
import signal
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from math import inf
from multiprocessing.connection import Connection
from pathlib import Path
from reprlib import repr as shortened
from threading import Thread
from typing import Any, final

from igbtheory.foundations import shipped
from igbtheory.foundations.device import free_buffers
from igbtheory.foundations.runs.blocks import chosen
from igbtheory.foundations.runs.stopping import stoppable
from igbtheory.foundations.runs.versions import refuse_other, versions
from igbtheory.foundations.threads import pinned, shared

Piece = Callable[[], Any]

TEXT = re.compile(r"(?P<kind>processes|threads)(?::(?P<workers>[1-9]\d*))?|dask:(?P<address>.+:\d+)")
PATIENCE = 10
"""Seconds to wait for an answer of a dask scheduler, and for a piece before it is asked whether it is still there."""
OWN: list[Piece] = []
"""The pieces of the run in a process that `processes` started; empty in other processes."""


def opener(
    executor: Executor | str | None, pieces: Sequence[Piece], todo: int
) -> tuple[Callable[[], AbstractContextManager[Executor]], int]:
    """Return a function that opens the executor, and the number of its processes if the run can restart them, else 0.

    executor: by default one process for each core. todo: the number of pieces to do. ValueError: the text names no
    executor.
    """
    executor = chosen(None, None, inf) if executor is None else executor
    if isinstance(executor, Executor):
        return lambda: nullcontext(executor), 0
    named = TEXT.fullmatch(executor) if isinstance(executor, str) else None
    if named is None:
        raise ValueError(
            'expected an executor such as "processes:4" or "dask:tcp://host:8786", got '
            f"{shortened(executor)}; in Python also a concurrent.futures.Executor"
        )
    if named["address"]:
        return partial(_dask, named["address"]), 0
    workers = min(int(named["workers"] or os.cpu_count() or 1), max(todo, 1))
    if named["kind"] == "threads":
        return partial(_Threads, workers), 0
    return partial(processes, workers, pieces), workers


def refuse_unfit(executor: Executor | str | None) -> None:
    """Raise an error before a run begins if its executor is unusable: an unknown text, or a cluster out of reach."""
    opened, ours = opener(executor, (), 1)
    if not ours:
        with opened():
            pass


def nth(number: int) -> Any:
    """Do the piece with that number in a process that `processes` started."""
    return OWN[number]()


def sent(piece: Piece, pool: Executor) -> Piece:
    """Return a piece in a form that the workers of a pool can load; dask workers need the files of its functions."""
    if not type(pool).__module__.startswith("distributed."):
        return piece
    import cloudpickle  # noqa: PLC0415 - it comes with dask, an extra

    data = cloudpickle.dumps(piece)
    return partial(_unpacked, data, {name: path for name, path in shipped.FILES.items() if name.encode() in data})


def _unpacked(piece: bytes, files: dict[str, Path]) -> Any:
    shipped.load_missing(files)
    return pickle.loads(piece)()  # noqa: S301 - a dask worker runs everything that it is sent


def refuse_silent(pool: Executor) -> None:
    """Raise ConnectionError if the scheduler of a dask cluster no longer answers: its pieces would wait for ever."""
    if not type(pool).__module__.startswith("distributed."):
        return
    client = pool._client  # type: ignore[attr-defined]  # noqa: SLF001 - an executor of dask has no other way to it
    try:
        client.sync(client.scheduler.identity, callback_timeout=PATIENCE)
    except Exception as error:
        raise ConnectionError(
            f"the scheduler of dask no longer answers ({type(error).__name__}: {error}); start one with: dask "
            "scheduler, and repeat the command"
        ) from error


class _Stopped(BaseException):
    """Raised in a thread when the run is over."""


@final
class _Threads(ThreadPoolExecutor):
    """Threads of this process, which stop their unfinished pieces when the executor is closed."""

    def __init__(self, workers: int) -> None:
        super().__init__(workers, initializer=shared)
        self._stops: set[Callable[[], None]] = set()

    def submit(self, work: Callable[..., Any], /, *args: Any, **more: Any) -> Future[Any]:
        return super().submit(self._done, partial(work, *args, **more))

    def _done(self, work: Piece) -> Any:
        with stoppable(_Stopped) as stop:
            self._stops.add(stop)
            try:
                return work()
            finally:
                self._stops.discard(stop)

    def __exit__(self, *_: object) -> None:
        for stop in self._stops.copy():
            stop()
        self.shutdown()


@contextmanager
def processes(workers: int, pieces: Sequence[Piece]) -> Iterator[ProcessPoolExecutor]:
    """Open processes on this machine for `nth`, each with one thread for linear algebra.

    They are forked and so inherit the pieces, which may be any functions. At the end they exit at once, even during a
    piece. They also exit if their parent does.
    """
    context = multiprocessing.get_context("fork")  # fork: modules stay loaded, and scripts need no __main__ guard
    ears, mouth = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(workers, context, _begin, (ears, os.getpid(), pieces))
    free_buffers()
    with _uninterrupted():
        pool.submit(int)  # starts the processes
    try:
        yield pool
    finally:
        mouth.send(None)
        pool.shutdown()
        mouth.close()
        ears.close()


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Defer an interruption, which Python would lose during a fork."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(ears: Connection, parent: int, pieces: Sequence[Piece]) -> None:
    """Prepare a new process, which leaves interruptions to its parent."""
    OWN[:] = pieces
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    pinned()
    Thread(target=_listen, args=(ears, parent), daemon=True).start()


def _listen(ears: Connection, parent: int) -> None:
    """End this process when its parent sends a message or has exited."""
    while os.getppid() == parent and not ears.poll(0.5):
        pass
    os._exit(1)


@contextmanager
def _dask(address: str) -> Iterator[Executor]:
    try:
        from distributed import Client  # noqa: PLC0415 - an extra
    except ModuleNotFoundError:
        raise ImportError(
            'expected dask, which works on several machines, got none; install it with: pip install "igbtheory[dask]"'
        ) from None
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # errors are raised, not logged
    try:
        client = Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ConnectionError(
            f"no scheduler of dask answers at {address} ({error}); start one with: dask scheduler"
        ) from None
    with client:
        theirs = client.run(versions, on_error="return")
        if not theirs:
            warnings.warn(f"{address} has no workers yet; start some with: dask worker {address}", stacklevel=2)
        for worker, installed in theirs.items():
            refuse_other(installed, versions(), worker)
        yield client.get_executor(pure=False)
