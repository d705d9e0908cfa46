"""Runs under fire: a run killed fifty times, and a cluster of three workers that loses one, against one process.

    python benchmarks/faults.py kills [times]          # SIGKILL at random moments, then what is left, in one store
    python benchmarks/faults.py cluster [networks]     # dask on the loopback, one of three workers killed in the middle
    python benchmarks/faults.py scaling                # one and two processes, and what a piece costs besides
    python benchmarks/faults.py thousand               # the schedule of 1,000 workers, simulated with measured costs

The second one needs dask (the extra `dask`). All print what they saw, and end with an error if numbers differ.
"""

import heapq
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
from igbtheory.runs import Store, in_order

SMALL = "--depth 2 --width 64 --samples 100"


def command(networks: int, *more: str) -> list[str]:
    """Command that simulates small networks and prints JSON."""
    return [sys.executable, "-m", "igbtheory", "simulate", *SMALL.split(), f"--networks={networks}", "--json", *more]


def answer(words: list[str]) -> str:
    """Return what a command prints."""
    return subprocess.run(words, stdout=subprocess.PIPE, check=True, text=True).stdout  # noqa: S603


def refuse_another(found: str, expected: str) -> None:
    """Refuse numbers that are not the expected ones, bit for bit."""
    if json.loads(found) != json.loads(expected):
        raise SystemExit("FAILED: the numbers differ")


def kills(times: int = 50) -> None:
    """Kill a run at random moments until it has been killed so often or has ended; then let it end."""
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
                file.unlink()  # begin again
            except subprocess.TimeoutExpired:
                run.kill()
                run.wait()
        refuse_another(answer(words), expected)
    print(f"{times} runs, {times - ended} killed, {ended} at their end before; the numbers are those of one process")


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
    """Return how many networks a store has."""
    with suppress(sqlite3.OperationalError), closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as store:
        return sum(len(np.load(BytesIO(data))["guesses"]) for (data,) in store.execute("SELECT data FROM pieces"))
    return 0


def empty() -> dict[str, int]:
    """Do nothing: a piece whose costs are those of the run alone."""
    return {"number": 0}


def spent() -> float:
    """Return the seconds of this process and of those that it waited for, on all cores."""
    both = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return sum(one.ru_utime + one.ru_stime for one in both)


def timed(work: Callable[[], Any]) -> tuple[float, float]:
    """Return the seconds that some work takes: by the clock, and on all cores."""
    clock, cores = time.perf_counter(), spent()
    work()
    return time.perf_counter() - clock, spent() - cores


def scaling() -> None:
    """Print how long one and two processes take for the same networks, and what a piece costs besides."""
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


def thousand(pieces: int = 100_000, workers: int = 1000, costs: tuple[float, ...] = (3e-4, 3e-3)) -> None:
    """Simulate the schedule: pieces that take 0.5 to 5 s, and a run that hands them out and keeps them one by one."""
    for seconds in (0.5, 2.0, 5.0):
        for cost in costs:
            draw = random.Random(0)  # noqa: S311 - no secret
            free, clock = [0.0] * workers, 0.0
            for _ in range(pieces):
                clock = max(clock + cost, heapq.heappop(free))
                heapq.heappush(free, clock + seconds * draw.uniform(0.7, 1.3))
            whole = max(free)
            busy_part = pieces * seconds / whole / workers
            print(f"pieces of {seconds} s, {cost * 1e3:g} ms to hand out and keep: {busy_part:.0%} of {workers} busy")


if __name__ == "__main__":
    what, *numbers = sys.argv[1:] or ["scaling"]
    {"kills": kills, "cluster": cluster, "scaling": scaling, "thousand": thousand}[what](*map(int, numbers))
