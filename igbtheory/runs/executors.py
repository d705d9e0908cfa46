"""What does the pieces of a run: processes on this machine, a cluster of dask, or an executor of the user."""

import multiprocessing
import os
import pickle
import re
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from multiprocessing.connection import Connection
from threading import Thread
from typing import Any

from igbtheory.numbers.threads import pinned

TEXT = re.compile(r"(?P<kind>processes|threads)(?::(?P<workers>[1-9]\d*))?|dask:(?P<address>.+)")
PATIENCE = 10
"""Seconds in which a scheduler of dask has to answer."""


def opener(executor: Executor | str | None, pieces: int) -> tuple[Callable[[], AbstractContextManager[Executor]], int]:
    """Return what opens an executor for some pieces, and the number of its processes if they are ours to renew, else 0.

    None: processes, one a core. ValueError: a text that names none.
    """
    if isinstance(executor, Executor):
        return lambda: nullcontext(executor), 0
    # a process among others, which have the other cores, may have no processes of its own
    named = TEXT.fullmatch(executor or ("threads:1" if multiprocessing.parent_process() else "processes"))
    if named is None:
        raise ValueError(
            f'expected an executor such as "processes:4" or "dask:tcp://host:8786", got {executor!r}; in Python also a '
            "concurrent.futures.Executor"
        )
    if named["address"]:
        return partial(_dask, named["address"]), 0
    workers = min(int(named["workers"] or os.cpu_count() or 1), max(pieces, 1))
    if named["kind"] == "threads":
        return partial(ThreadPoolExecutor, workers), 0
    return partial(processes, workers), workers


def unsendable(thing: Any) -> Exception | None:
    """Return why something cannot be sent to another process, as lambdas cannot; None where it can."""
    try:
        pickle.dumps(thing)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        return error
    return None


@contextmanager
def processes(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Open processes on this machine, each with one thread for linear algebra.

    In the end they are gone at once, also amid a piece; they end by themselves where their parent does.
    """
    context = multiprocessing.get_context("fork")  # nothing to load again, and scripts need no __main__
    ears, mouth = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(workers, context, _begin, (ears, os.getpid()))
    try:
        yield pool
    finally:
        mouth.send(None)
        pool.shutdown()
        mouth.close()
        ears.close()


def _begin(ears: Connection, parent: int) -> None:
    """Prepare a process: an interruption is the parent's to handle."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    pinned()
    Thread(target=_listen, args=(ears, parent), daemon=True).start()


def _listen(ears: Connection, parent: int) -> None:
    """End this process when its parent says so, which nobody reads, or is gone."""
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
    try:
        client = Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ConnectionError(
            f"no scheduler of dask answers at {address} ({error}); start one with: dask scheduler"
        ) from None
    with client:
        yield client.get_executor(pure=False)
