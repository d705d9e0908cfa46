"""Change the rules in one place at a time, and see whether a test fails.

    python benchmarks/mutate.py map              # first: which tests reach which line, by a run under coverage
    python benchmarks/mutate.py run [MINUTES]    # test mutants that have no outcome yet, for about so long
    python benchmarks/mutate.py again [MINUTES]  # test those once more that survived without a reason
    python benchmarks/mutate.py                  # print the survivors with their reasons, and the share that is killed

The table mutants.csv holds a random sample of mutants. A mutant is one changed line, which is found by its text, so
that the table and the map remain valid while other lines change. If a mutant changes nothing, its reason is written by
hand into the last column. Mutants are tested in a copy of the checkout. The map is kept in the folder .mutants; both
may be interrupted, and go on when they are called again.

Which changes there are is taken from cosmic-ray, a maintained tool, which knows them for all code. (mutmut leaves out
constants, defaults and every function with a decorator, such as a property.) The rest of cosmic-ray is not used: it has
one test command for all mutants of a session, which it applies in the checkout and keeps in a database. Here a mutant
meets the tests that reach its line, the fastest first, and the table is text. Needs: pip install cosmic-ray pytest-cov.
"""

import csv
import os
import random
import resource
import shutil
import subprocess
import sys
import time
from collections import defaultdict
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from xml.etree import ElementTree as ET

import pytest

ROOT = Path(__file__).parent.parent
TABLE, KEPT = ROOT / "benchmarks" / "mutants.csv", ROOT / ".mutants"
TESTS = sorted((ROOT / "tests").glob("test_*.py"))
COLUMNS = ("file", "line", "operator", "before", "after", "outcome", "reason")
FOLDERS = ("averages", "batches", "certificate", "derivation", "guesses", "layers", "nodes", "phases", "training")
COUNT, SEED = 400, 38
SWAPPED = {
    "ReplaceBinaryOperator": {"Add", "Sub", "Mul", "Div", "Pow"},  # with others, such as shifts, every number fails
    "ReplaceComparisonOperator": {"Eq", "NotEq", "Lt", "LtE", "Gt", "GtE"},
    "ReplaceUnaryOperator": {"USub", "UAdd", "Delete", "Not"},
}
OTHERS = {
    *("NumberReplacer", "AddNot", "ZeroIterationForLoop", "ReplaceAndWithOr", "ReplaceOrWithAnd"),
    *("ReplaceTrueWithFalse", "ReplaceFalseWithTrue"),
}
LONGEST = 200
"""Seconds, as measured for the map, of all tests that a mutant meets; a wide rule is reached by most tests."""
LIMIT, MEMORY = 2 * LONGEST, 2**33
"""Processor seconds and bytes that they may take: a mutant may never end, or ask for endless memory."""
Row = dict[str, str]


def sample() -> list[Row]:
    """Draw COUNT places in the code with equal probabilities, and one of the changes of each."""
    from cosmic_ray.ast import ast_nodes, get_ast  # noqa: PLC0415 - only drawing needs it
    from cosmic_ray.mutating import mutate_code  # noqa: PLC0415
    from cosmic_ray.plugins import get_operator, operator_names  # noqa: PLC0415

    changes = defaultdict(list)
    for path in sorted(path for folder in FOLDERS for path in (ROOT / "igbtheory" / folder).rglob("*.py")):
        nodes, lines = list(ast_nodes(get_ast(path.read_text()))), path.read_text().splitlines()
        for name in operator_names():
            kind, *of = name.removeprefix("core/").split("_")
            if kind in OTHERS or (kind in SWAPPED and SWAPPED[kind].issuperset(of)):
                operator = get_operator(name)()
                starts = (start for node in nodes for start, _ in operator.mutation_positions(node))
                for occurrence, (line, column) in enumerate(starts):
                    if not lines[line - 1].lstrip().startswith("@"):  # a decorator computes nothing
                        changes[path, line, column].append((name, occurrence))
    rng, rows = random.Random(SEED), list[Row]()  # noqa: S311 - a sample, no secret
    places = iter(rng.sample(sorted(changes), len(changes)))
    while len(rows) < COUNT:
        path, line, column = next(places)
        name, occurrence = rng.choice(changes[path, line, column])
        source = path.read_text()
        mutant = str(mutate_code(source, get_operator(name)(), occurrence))
        before, after = (code.splitlines()[line - 1] for code in (source, mutant))
        row = (str(path.relative_to(ROOT)), str(line), name, before, after, "", "")
        with suppress(SyntaxError):  # cosmic-ray takes the star of a signature for a product
            compile(mutant, path, "exec")
            rows.append(dict(zip(COLUMNS, row, strict=True)))
    return rows


def place(lines: list[str], row: Row) -> int | None:
    """Return the index of the row's line, or of the nearest line with its text; None: there is none any more."""
    alike = (i for i, text in enumerate(lines) if text == row["before"])
    return min(alike, key=lambda i: abs(i + 1 - int(row["line"])), default=None)


def chosen(row: Row) -> list[str]:
    """Return the tests that reach the line of a mutant, the fastest first, up to LONGEST in all."""
    from coverage import CoverageData  # noqa: PLC0415 - printing the table does not need it

    data = CoverageData(str(KEPT / "coverage"))
    data.read()
    at = place((KEPT / row["file"]).read_text().splitlines(), row)
    if at is None:
        return []
    reached = defaultdict[int, set[str]](set)
    for path in (name for name in data.measured_files() if name.endswith(f"/{row['file']}")):
        for line, contexts in data.contexts_by_lineno(path).items():
            reached[line].update(context.split("|")[0] for context in contexts if context)
    # a statement of several lines is known by some of them; constants are computed when the file is loaded
    tests = reached[max((line for line in reached if line <= at + 1), default=0)] or set().union(*reached.values())
    cases = (case for path in KEPT.glob("*.xml") for case in ET.parse(path).iter("testcase"))  # noqa: S314 - of pytest
    names = ((f"{case.attrib['classname'].replace('.', '/')}.py::{case.attrib['name']}", case) for case in cases)
    times = {name: float(case.attrib["time"]) for name, case in names if name in tests}
    ordered, total = list[str](), 0.0
    for test in sorted(times, key=lambda test: times[test]):
        total += times[test]
        if total < LONGEST:
            ordered.append(test)
    return ordered


class Chosen:
    """Plugin of pytest that runs the chosen tests in their order, and prints which one fails."""

    def __init__(self, names: list[str]) -> None:
        self.order = {name: i for i, name in enumerate(names)}

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = sorted((x for x in items if x.nodeid in self.order), key=lambda x: self.order[x.nodeid])

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            print(f"\nKILLED {report.nodeid}", flush=True)


def tests(listed: str) -> int:
    """Run the tests that a file lists, in the copy of the checkout that is the current folder."""
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    names = Path(listed).read_text().splitlines()
    files = sorted({name.split("::")[0] for name in names})
    options = ["-xq", "--tb=no", "-p", "no:cacheprovider"]
    return pytest.main([*options, *files], plugins=[Chosen(names)]) if files else pytest.ExitCode.NO_TESTS_COLLECTED


def outcome(row: Row, copy: Path) -> str:
    """Return which test kills a mutant, or how many it survives."""
    path, names, listed = copy / row["file"], chosen(row), copy / "chosen.txt"
    source = path.read_text()
    lines = source.splitlines()
    at = place(lines, row)
    if at is None:
        return "the line is gone"
    listed.write_text("\n".join(names))
    path.write_text("\n".join([*lines[:at], row["after"], *lines[at + 1 :], ""]))
    compiled = Path(cache_from_source(str(path)))
    compiled.unlink(missing_ok=True)  # Python knows it by its size and second alone
    command = [sys.executable, str(ROOT / "benchmarks" / "mutate.py"), "tests", str(listed)]
    done = subprocess.run(command, check=False, cwd=copy, env=surroundings(copy), capture_output=True, text=True)  # noqa: S603
    path.write_text(source)
    compiled.unlink(missing_ok=True)
    if done.returncode in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}:
        return f"survived {len(names)} tests" if all(kept(file).exists() for file in TESTS) else ""
    test = next((line.removeprefix("KILLED ") for line in done.stdout.splitlines() if line.startswith("KILLED ")), "")
    return f"killed by {test or ('the limits' if done.returncode < 0 else 'loading')}"


def surroundings(copy: Path) -> dict[str, str]:
    """Return the environment of tests in a copy of the checkout, with the same random examples in each run."""
    settings = {"PYTHONPATH": str(copy), "COVERAGE_FILE": str(KEPT / "coverage"), "CI": "1", "OMP_NUM_THREADS": "1"}
    return os.environ | settings


def copied(folder: str) -> Path:
    """Return a copy of the checkout in a folder."""
    ignored = shutil.ignore_patterns(".git", ".mutants", ".venv", "__pycache__", ".*_cache", "_build")
    return Path(shutil.copytree(ROOT, Path(folder) / "copy", ignore=ignored))


def kept(file: Path) -> Path:
    """Return the file of the map that holds the times of the tests of a file."""
    return KEPT / f"{file.stem}.xml"


def survey(copy: Path, files: list[Path]) -> None:
    """Run the tests of those files that the map lacks, and keep which lines they reach, their times and the sources."""
    if not KEPT.exists():
        shutil.copytree(copy / "igbtheory", KEPT / "igbtheory")
    for file in files:
        if not kept(file).exists():
            # with processes that share the work, pytest-cov does not tell tests apart: --dist=no
            options = ("--dist=no", "--cov=igbtheory", "--cov-append", "--cov-context=test", "--cov-report=")
            command = [sys.executable, "-m", "pytest", "-q", *options, f"--junitxml={kept(file)}", f"tests/{file.name}"]
            subprocess.run(command, check=True, cwd=copy, env=surroundings(copy))  # noqa: S603


def run(copy: Path, minutes: float, *, again: bool) -> None:
    """Test the mutants without an outcome, or again those that survive without a reason, and write the outcomes."""
    rows, end = read() or sample(), time.monotonic() + 60 * minutes
    for row in rows:
        waits = row["outcome"].startswith("survived") and not row["reason"] if again else not row["outcome"]
        if waits and time.monotonic() < end:
            row["outcome"] = outcome(row, copy)
            print(f"{row['file']}:{row['line']}: {row['after'].strip()}: {row['outcome']}", flush=True)
            with TABLE.open("w", newline="") as file:
                table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
                table.writeheader()
                table.writerows(rows)


def read() -> list[Row]:
    """Return the rows of the table, none if there is no table yet."""
    return list(csv.DictReader(TABLE.open(newline=""))) if TABLE.exists() else []


def report() -> None:
    """Print the survivors with their reasons, and how many mutants are killed."""
    rows = read()
    outcomes = [row["outcome"].split(":")[0].split()[0] for row in rows if row["outcome"]]
    for row in rows:
        if row["outcome"].startswith("survived"):
            print(f"{row['file']}:{row['line']}: {row['outcome']}: {row['reason'] or 'no reason yet'}")
            print(f"    {row['before'].strip()}\n    {row['after'].strip()}")
    killed, survived = map(outcomes.count, ("killed", "survived"))
    print(f"{len(outcomes)} of {COUNT} mutants tested: {killed} killed, {survived} not")


def main(command: str = "report", argument: str = "inf") -> int:
    """Obey a command."""
    if command == "tests":
        return tests(argument)
    if command == "report":
        report()
        return 0
    with TemporaryDirectory() as folder:
        copy = copied(folder)
        survey(copy, TESTS) if command == "map" else run(copy, float(argument), again=command == "again")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
