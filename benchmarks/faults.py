"""Check that runs which are killed, or lose a worker, give the same numbers as one process; and time processes.

    python benchmarks/faults.py kills [times]          # kill a run at random moments; then finish it from its store
    python benchmarks/faults.py cluster [networks]     # kill one of three dask workers on this machine
    python benchmarks/faults.py scaling                # time one and two processes, and the overhead of a piece

`cluster` needs the extra `dask`. An error ends the program if numbers differ.
"""

# what is wrong is passed on purpose, and which of several types a result has is known here
# mypy: disable-error-code="arg-type"

import json
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing, suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

import igbtheory as igb
from igbtheory.foundations.runs import Store, in_order

SMALL = "--depth 2 --width 64 --samples 100"


def command(networks: int, *more: str) -> list[str]:
    """Return the command that simulates small networks and prints JSON."""
    return [sys.executable, "-m", "igbtheory", "simulate", *SMALL.split(), f"--networks={networks}", "--json", *more]


def answer(words: list[str]) -> str:
    """Return what a command prints."""
    return subprocess.run(words, stdout=subprocess.PIPE, check=True, text=True).stdout  # noqa: S603


def refuse_another(found: str, expected: str) -> None:
    """Exit with an error unless the numbers are the expected ones, bit for bit."""
    if json.loads(found) != json.loads(expected):
        raise SystemExit("FAILED: the numbers differ")


def kills(times: int = 50) -> None:
    """Start a run many times and kill it at random moments, with one store; then let it end and compare."""
    expected = answer(command(20_000, "--executor=threads:1"))
    moments, ended = random.Random(0), 0  # noqa: S311 - no secret
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "run.db")
        words = command(20_000, f"--store={file}", "--executor=processes:2")
        for _ in range(times):
            run = subprocess.Popen(words, stdout=subprocess.DEVNULL)  # noqa: S603
            try:
                run.wait(moments.uniform(0.3, 6.0))
                ended += 1
                file.unlink()  # the next run begins from nothing
            except subprocess.TimeoutExpired:
                run.kill()
                run.wait()
        refuse_another(answer(words), expected)
    print(f"{times} runs, {times - ended} killed, {ended} ended before; the numbers are those of one process")


def cluster(networks: int = 20_000) -> None:
    """Simulate on three workers of dask, kill one in the middle, and compare with one process."""
    dask = [sys.executable, "-m", "distributed.cli.dask_{}"]
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    address = "tcp://127.0.0.1:8786"
    expected = answer(command(networks, "--executor=threads:1"))
    own = [word.format("worker") for word in dask]
    servers = [subprocess.Popen([word.format("scheduler") for word in dask], **quiet)]  # noqa: S603
    servers += [subprocess.Popen([*own, address, "--nthreads=1", "--no-nanny"], **quiet) for _ in range(3)]  # noqa: S603
    try:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "run.db")
            words = command(networks, f"--executor=dask:{address}", f"--store={file}")
            run = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)  # noqa: S603
            began = time.perf_counter()
            while done(file) < networks / 2:
                time.sleep(0.1)
            servers[1].kill()
            middle = time.perf_counter()
            found = run.communicate()[0]
    finally:
        for server in servers:
            server.kill()
    refuse_another(found, expected)
    before, after = middle - began, time.perf_counter() - middle
    print(f"{networks} networks on three workers, one killed after {before:.1f} s, {after:.1f} s before the end:")
    print("the numbers are those of one process")


def done(file: Path) -> int:
    """Return the number of networks in a store."""
    with suppress(sqlite3.OperationalError), closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as store:
        return sum(len(np.load(BytesIO(data))["guesses"]) for (data,) in store.execute("SELECT data FROM pieces"))
    return 0


def empty() -> dict[str, int]:
    """Do nothing, so that a piece costs only its overhead."""
    return {"number": 0}


def spent() -> float:
    """Return the processor time of this process and of its finished children, in seconds."""
    both = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return sum(one.ru_utime + one.ru_stime for one in both)


def timed(work: Callable[[], Any]) -> tuple[float, float]:
    """Return the wall-clock time and the processor time that some work takes, in seconds."""
    clock, cores = time.perf_counter(), spent()
    work()
    return time.perf_counter() - clock, spent() - cores


def scaling() -> None:
    """Print the time of one and of two processes for the same networks, and the overhead of a piece."""
    for networks, width, samples in ((320, 256, 1000), (4000, 32, 100)):
        for workers in (1, 2):
            options = {"executor": f"processes:{workers}"}
            clock, cores = timed(lambda: igb.mlp(3).simulate(networks, width, samples, **options))  # noqa: B023
            print(
                f"{networks} networks of width {width}, {workers} processes: {clock:.2f} s, {cores:.2f} s on all cores"
            )
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder, "run.db"), {}) as store:
        for what, file in (("an empty piece", None), ("an empty piece that is kept", store)):
            clock, _ = timed(lambda: list(in_order([empty] * 2000, executor="processes:2", store=file)))  # noqa: B023
            print(f"{what}: {clock / 2:.2f} ms")


if __name__ == "__main__":
    what, *numbers = sys.argv[1:] or ["scaling"]
    {"kills": kills, "cluster": cluster, "scaling": scaling}[what](*map(int, numbers))
