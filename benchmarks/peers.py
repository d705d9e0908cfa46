"""Compare igbtheory with neural-tangents and with competent programs in NumPy, SciPy and PyTorch.

    python benchmarks/peers.py run [WORD ...]      # measure the works whose names contain a word, and store the ratios
    python benchmarks/peers.py compare [WORD ...]  # measure again, and print the ratios beside the stored ones
    python benchmarks/peers.py first [WORD ...]    # measure and store the first calls alone

Times are CPU times of one thread. Those of repeated calls are the smallest of several that alternate between the
programs; those of first calls, the smallest of several new processes, without the time to import the program and to
prepare data. The ratio of a peer is its time over ours in repeated calls: above 1, igbtheory is faster. Peak memory is
that of a process of its own, with the modules that the program loads. The errors are relative to numbers of 25 digits,
of tanh and silu to single predictions by another rule than that of grids. The peers need an environment of their own:
pip install . torch "neural-tangents==0.6.5" "jax<0.6" "tf2jax==0.3.7" dks autograd. A missing one leaves its place
empty.
"""

import csv
import os
import sys

ONE_THREAD = {
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "JAX_PLATFORMS": "cpu",
}
os.environ.update(ONE_THREAD)  # before the libraries load
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # new processes find compiled modules, as installed packages have them

import resource  # noqa: E402 - the threads are counted first, as above
import subprocess  # noqa: E402
import warnings  # noqa: E402
from collections.abc import Callable, Iterator, Mapping  # noqa: E402
from functools import partial  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import numpy as np  # noqa: E402
from peer_programs import WORKS, Work, fresh  # noqa: E402

STORED = Path(__file__).with_suffix(".csv")
PROCESSES = 3
"""New processes in which a first call is measured."""
ENOUGH, MOST, SLOW = 1.0, 40, 5.0
"""CPU seconds and calls of one program after which it is not called again; so is one whose first call takes SLOW."""
OURS = "igbtheory"
PEAK = (
    "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=-3, stderr=-3);"
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
)
"""Runs a command and prints its peak memory in KB; the memory of a parent counts as that of its children."""
FLOORS = ("product of 1000 x 1000 matrices", "copy of 100 MB", "1,000,000 normal numbers")


def cpu() -> float:
    """Return the CPU seconds of this process and of those that it waited for."""
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in spent)


def programs(work: Work) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the names of the programs that run here, and what is timed."""
    for name, program in ((OURS, work.ours), *work.peers.items()):
        try:
            yield name, program()
        except ImportError:
            continue


def interleaved(work: Work) -> tuple[dict[str, float], dict[str, Any]]:
    """Return the smallest CPU time of each program and its result; the programs take turns."""
    calls = dict(programs(work))
    results: dict[str, Any] = {}
    times: dict[str, list[float]] = {}
    for name, call in calls.items():
        start = cpu()
        results[name] = call()
        first = cpu() - start
        times[name] = [first] if first > SLOW else []  # a short first call mostly loads modules
    while waiting := [name for name, spent in times.items() if sum(spent) < ENOUGH and len(spent) < MOST]:
        for name in waiting:
            times[name].append(timed(calls[name]))
    return {name: min(spent) for name, spent in times.items()}, results


def errors(work: Work, results: Mapping[str, Any]) -> dict[str, float]:
    """Return the largest relative error of each program at the places whose values are known."""
    exact = work.exact()
    places, values = list(exact), np.array(list(exact.values()))
    return {
        name: float(np.max(np.abs(np.ravel(result)[places] / values - 1))) for name, result in results.items() if exact
    }


def floors() -> dict[str, float]:
    """Return what this machine needs for the operations below which no program gets."""
    rng, x = np.random.default_rng(0), np.ones((1000, 1000))
    big = np.ones(12_500_000)
    works = (lambda: x @ x, big.copy, lambda: rng.standard_normal(1_000_000))
    return {name: min(timed(work) for _ in range(5)) for name, work in zip(FLOORS, works, strict=True)}


def timed(work: Callable[[], Any]) -> float:
    """Return the CPU time of a call."""
    start = cpu()
    work()
    return cpu() - start


def peak(name: str, program: str) -> float:
    """Return the peak memory in MB of one call of a program in a process of its own, started by a small one."""
    made = {OURS: WORKS[name].ours, **WORKS[name].peers}[program]
    of_process = made.args if isinstance(made, partial) and made.func is fresh else (__file__, "call", name, program)
    command = [sys.executable, "-c", PEAK, sys.executable, *of_process]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603 - constants
    return int(printed) / 1024


def call(name: str, program: str) -> None:
    """Call a program once, and print its CPU time."""
    sys.stdout.write(f"{timed({OURS: WORKS[name].ours, **WORKS[name].peers}[program]())}\n")


def first(name: str, program: str) -> float:
    """Return the smallest CPU time of the first call of a program in a new process."""
    command = [sys.executable, "-W", "ignore", __file__, "call", name, program]
    runs = [subprocess.run(command, check=True, capture_output=True, text=True) for _ in range(PROCESSES)]  # noqa: S603
    return min(float(run.stdout.splitlines()[-1]) for run in runs)


def measured(name: str) -> list[dict[str, Any]]:
    """Return a row for each program of a work: its time, memory, error and the ratio."""
    times, results = interleaved(WORKS[name])
    wrong = errors(WORKS[name], results)
    return [
        {
            "work": name,
            "program": program,
            "seconds": f"{seconds:.3g}",
            "ratio": f"{seconds / times[OURS]:.3g}",
            "first": f"{first(name, program):.3g}",
            "megabytes": f"{peak(name, program):.0f}",
            "error": f"{wrong[program]:.1e}" if program in wrong else "",
        }
        for program, seconds in times.items()
    ]


def stored() -> dict[tuple[str, str], dict[str, str]]:
    """Return the stored rows, by work and program."""
    if not STORED.exists():
        return {}
    with STORED.open(encoding="utf-8", newline="") as file:
        return {(row["work"], row["program"]): row for row in csv.DictReader(file)}


def main(command: str, words: list[str]) -> None:
    """Measure the works whose names contain one of the words, print their rows, and store them if asked to."""
    before = stored()
    rows = dict(before)
    if command == "first":
        for name in WORKS:
            for program, _ in programs(WORKS[name]) if not words or any(word in name for word in words) else ():
                rows[name, program]["first"] = f"{first(name, program):.3g}"
                sys.stdout.write(f"{name:45} {program:16} first {rows[name, program]['first']} s\n")
                sys.stdout.flush()
        _store(rows)
        return
    for name, seconds in floors().items():
        rows["floor", name] = dict.fromkeys(next(iter(before.values()), {}), "")
        rows["floor", name] |= {"work": "floor", "program": name, "seconds": f"{seconds:.3g}"}
        sys.stdout.write(f"{name}: {seconds:.3g} s\n")
    for name in WORKS:
        if words and not any(word in name for word in words):
            continue
        for row in measured(name):
            key = row["work"], row["program"]
            was = f"   stored {before[key]['ratio']}" if key in before else ""
            line = "{work:45} {program:16} {seconds:>8} s   ratio {ratio:>6} {megabytes:>6} MB   error {error:8}"
            sys.stdout.write(line.format(**row) + was + "\n")
            sys.stdout.flush()
            rows[key] = row
        if command == "run":
            _store(rows)


def _store(rows: Mapping[tuple[str, str], Mapping[str, str]]) -> None:
    """Write the rows to the file beside this program, in the order of the works."""
    order = ["floor", *WORKS]
    with STORED.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ("work", "program", "seconds", "ratio", "first", "megabytes", "error"))
        writer.writeheader()
        writer.writerows(sorted(rows.values(), key=lambda row: order.index(row["work"])))


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # wrong results of peers are shown as errors
    if sys.argv[1] == "call":
        call(*sys.argv[2:])
    else:
        main(sys.argv[1], sys.argv[2:])
