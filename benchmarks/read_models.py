"""Score how many models that people have are read into networks of the theory.

    python benchmarks/read_models.py              # read all models without a row in read_models.csv, and print a table
    python benchmarks/read_models.py --only timm  # those of a group alone, or one: --only timm/resnet18
    python benchmarks/read_models.py --again      # also those that have a row
    python benchmarks/read_models.py --quick      # read ten small models; the exit status is 1 if one is not read that
                                                  # the table says is read

Every model is made by a function, as users do, and stays in training mode; if it is refused, it is read in evaluation
mode, which counts as not read. Each has a process of its own, with limits of memory and of CPU time. The program may be
interrupted, and goes on when it is called again. The rows of the table are of an x86-64 machine with PyTorch 2.13,
torchvision 0.28, timm 1.0.31 and transformers 5.24. Needs: pip install -r benchmarks/read_models.txt.
"""

import argparse
import csv
import json
import os
import resource
import signal
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import NoReturn, final

import torch
from zoo.examples import QUICK, Example, examples

import igbtheory as igb
import igbtheory.torch.reading  # processes that fork off need not load it again

TABLE = Path(__file__).with_suffix(".csv")
MEMORY, SECONDS = 4 * 2**30, 60
"""Limits of the memory and the CPU time of a process, in bytes and seconds."""
LONGEST = 300
"""Largest number of characters of a reason."""
YES, EVALUATION, NO = "yes", "in evaluation mode", "no"


@final
@dataclass(frozen=True)
class Row:
    """A row of the table: whether a model was read, why not, CPU seconds and the largest memory in MiB."""

    group: str
    family: str
    model: str
    read: str
    reason: str
    seconds: str
    memory: str


def row_of(example: Example) -> Row:
    """Return the row of a model: time and memory are those of reading it in training mode."""
    reason, seconds, memory = refused_alone(example, train=True)
    read = YES if not reason else NO if refused_alone(example, train=False)[0] else EVALUATION
    return Row(example.group, example.family, example.name, read, reason, f"{seconds:.1f}", f"{memory:.0f}")


def refused_alone(example: Example, *, train: bool) -> tuple[str, float, float]:
    """Return why a process of its own does not read a model in a mode, its CPU seconds and its memory in MiB."""
    reading, writing = os.pipe()
    process = os.fork()
    if not process:
        os.close(reading)
        answer_and_leave(example, writing, train=train)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as pipe:
        answer = pipe.read()
    _, status, usage = os.wait4(process, 0)
    return json.loads(answer) if answer else ended(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def answer_and_leave(example: Example, pipe: int, *, train: bool) -> NoReturn:
    """Write why the model is not read, and leave the process."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    try:
        os.write(pipe, json.dumps(refusal(example, train=train)).encode())
    finally:
        os._exit(0)


def refusal(example: Example, *, train: bool) -> str:
    """Return why a model is not read in a mode; empty if it is read."""
    try:
        igb.from_torch(lambda: example.make().train(train), example.data(), output=example.output)
    except Exception as error:  # noqa: BLE001 - any error means that the model is not read
        kind = "" if type(error) is ValueError else f"{type(error).__name__}: "
        return (kind + " ".join(str(error).split()))[:LONGEST]
    return ""


def ended(status: int) -> str:
    """Return in words why a process ended without an answer."""
    if not os.WIFSIGNALED(status):
        return "the process ended without an answer"
    number = os.WTERMSIG(status)
    if number in {signal.SIGXCPU, signal.SIGKILL}:
        return f"took more than {SECONDS} CPU seconds"
    return f"the process ended by {signal.Signals(number).name}"


def rows_of_table() -> dict[tuple[str, str], Row]:
    """Return the rows by group and model."""
    if not TABLE.exists():
        return {}
    with TABLE.open(newline="", encoding="utf-8") as file:
        return {(row["group"], row["model"]): Row(**row) for row in csv.DictReader(file)}


def write(rows: Iterable[Row]) -> None:
    """Write the table, in the order of groups and families; it is replaced at once, so that an interrupt loses none."""
    beside = TABLE.with_suffix(".new")
    with beside.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Row)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in sorted(rows, key=lambda row: (row.group, row.family, row.model)))
    beside.replace(TABLE)


def lines_of_score(rows: Iterable[Row]) -> Iterator[str]:
    """Yield a table by family and group: how many models are read, the longest time, and the most frequent reason."""
    rows = sorted(rows, key=lambda row: (row.group, row.family))
    for group in dict.fromkeys(row.group for row in rows):
        of_group = [row for row in rows if row.group == group]
        yield line(f"{group.upper()}", of_group)
        for family in dict.fromkeys(row.family for row in of_group):
            yield line(f"  {family}", [row for row in of_group if row.family == family])


def line(name: str, rows: list[Row]) -> str:
    """Return a line of the table."""
    counts, reasons = Counter(row.read for row in rows), Counter(row.reason for row in rows if row.reason)
    longest = max(float(row.seconds) for row in rows)
    reason = reasons.most_common(1)[0][0] if reasons else ""
    read = (
        f"{counts[YES]:3} of {len(rows):3} {counts[YES] / len(rows):4.0%} ({counts[EVALUATION]:2} in evaluation mode)"
    )
    return f"{name:24} {read} {longest:5.1f} s  {reason[:90]}"


def quick() -> int:
    """Read ten models and print their rows; return 1 if one is not read that the table says is read."""
    rows, status = rows_of_table(), 0
    for example in examples():
        if example.name in QUICK and example.group == "tutorials":
            row = row_of(example)
            worse = row.read != YES and rows[row.group, row.model].read == YES
            status |= worse
            mark = "NO LONGER READ: " if worse else ""
            print(f"{mark}{row.model}: {row.read} {row.reason} {row.seconds} s", flush=True)
    return status


def main() -> int:
    """Run the program, and return its exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="GROUP[/NAME]", help="read the models of a group, or one")
    parser.add_argument("--again", action="store_true", help="also read models that have a row")
    parser.add_argument("--quick", action="store_true", help="read ten small models, and compare them with the table")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)  # a process that forks must have no other threads
    if options.quick:
        return quick()
    # the first export loads for seconds what processes that fork off need not load again
    torch.export.export(torch.nn.Linear(1, 1), (torch.zeros(1, 1),), strict=False)
    group, _, name = options.only.partition("/")
    rows = rows_of_table()
    for example in examples():
        key = example.group, example.name
        if group in {"", example.group} and name in {"", example.name} and (options.again or key not in rows):
            rows[key] = row = row_of(example)
            write(rows.values())
            print(f"{row.group}/{row.model}: {row.read} {row.reason} {row.seconds} s", file=sys.stderr, flush=True)
    print("\n".join(lines_of_score(rows.values())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
