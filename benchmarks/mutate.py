"""Change the rules in one place at a time, and see whether a test fails.

    python benchmarks/mutate.py draw SEED        # first: draw a random sample of mutants, and append it to mutants.csv
    python benchmarks/mutate.py map [FILE...]    # run the tests once, and note which of them reach which mutant
    python benchmarks/mutate.py run [MINUTES]    # test mutants that have no outcome yet, for about so long
    python benchmarks/mutate.py again [MINUTES]  # test those without a reason that survived some tests, against all
    python benchmarks/mutate.py                  # print the survivors with their reasons, and the share that is killed

A mutant is one changed line, which is found by its text, so that the table and the map remain valid while other lines
change. If a mutant changes nothing, its reason is written by hand into the last column. The map is kept in the folder
.mutants; all commands may be interrupted, and go on when they are called again. The rows are in random order, so that
the share of those that have an outcome is an estimate of the whole.

One process collects all tests, and forks for every mutant. In the fork, functions get the code of the mutant, then the
tests run that reach its line, the fastest first, until one fails. The process that makes the map gives functions a code
that notes when such a line is reached. Constants and bodies of classes are computed while a file is loaded: a mutant of
these takes a process of its own, and meets the tests that reach any function of the file.

The table has two samples. That of seed 0 was drawn from the rules alone, 26 November 2026: its mutants are killed or
change nothing, but tests were written for these very mutants. That of seed 2 was drawn from the whole package two
days later: 276 of 400 were killed by the tests of that day (69 %), and tests of single rules were written then.

Which changes there are is taken from cosmic-ray, a maintained tool, which knows them for all code. (mutmut leaves out
constants, defaults and every function with a decorator, such as a property.) The rest of cosmic-ray is not used: it
starts one process for every mutant, with one command for all of them. Needs: pip install cosmic-ray.
"""

import ast
import builtins
import csv
import gc
import inspect
import json
import os
import random
import resource
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.machinery import SourceFileLoader
from itertools import accumulate
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NoReturn, final

import pytest

ROOT = Path(__file__).parent.parent
TABLE, MAP = ROOT / "benchmarks" / "mutants.csv", ROOT / ".mutants" / "reached.jsonl"
COLUMNS = ("seed", "file", "line", "operator", "before", "after", "outcome", "seconds", "reason")
COUNT = 400
SWAPPED = {
    "ReplaceBinaryOperator": {"Add", "Sub", "Mul", "Div", "Pow"},  # with others, such as shifts, every number fails
    "ReplaceComparisonOperator": {"Eq", "NotEq", "Lt", "LtE", "Gt", "GtE"},
    "ReplaceUnaryOperator": {"USub", "UAdd", "Delete", "Not"},
}
OTHERS = {
    *("NumberReplacer", "AddNot", "ZeroIterationForLoop", "ReplaceAndWithOr", "ReplaceOrWithAnd"),
    *("ReplaceTrueWithFalse", "ReplaceFalseWithTrue"),
}
LONGEST = 8
"""Processor seconds, as measured for the map, of the tests that a mutant first meets; most tests reach a wide rule."""
SPARE, MEMORY = 60, 2**33
"""Processor seconds beyond twice the measured ones, and bytes, that tests may take: a mutant may never end."""
NOTED = "_note_mutant"
"""Name of the function that notes that the line of a mutant is reached."""
Row = dict[str, str]


def sample(seed: str) -> list[Row]:
    """Draw COUNT places in the code of the package with equal probabilities, and one of the changes of each."""
    from cosmic_ray.ast import ast_nodes, get_ast  # noqa: PLC0415 - only drawing needs it
    from cosmic_ray.mutating import mutate_code  # noqa: PLC0415
    from cosmic_ray.plugins import get_operator, operator_names  # noqa: PLC0415

    changes = defaultdict(list)
    for path in sorted((ROOT / "igbtheory").rglob("*.py")):
        nodes, lines = list(ast_nodes(get_ast(path.read_text()))), path.read_text().splitlines()
        for name in operator_names():
            kind, *of = name.removeprefix("core/").split("_")
            if kind in OTHERS or (kind in SWAPPED and SWAPPED[kind].issuperset(of)):
                operator = get_operator(name)()
                starts = (start for node in nodes for start, _ in operator.mutation_positions(node))
                for occurrence, (line, column) in enumerate(starts):
                    if not lines[line - 1].lstrip().startswith("@"):  # a decorator computes nothing
                        changes[path, line, column].append((name, occurrence))
    rng, rows = random.Random(int(seed)), list[Row]()  # noqa: S311 - a sample, no secret
    places = iter(rng.sample(sorted(changes), len(changes)))
    while len(rows) < COUNT:
        path, line, column = next(places)
        name, occurrence = rng.choice(changes[path, line, column])
        source = path.read_text()
        mutant = str(mutate_code(source, get_operator(name)(), occurrence))
        before, after = (code.splitlines()[line - 1] for code in (source, mutant))
        row = (seed, str(path.relative_to(ROOT)), str(line), name, before, after, "", "", "")
        with suppress(SyntaxError):  # cosmic-ray takes the star of a signature for a product
            compile(mutant, path, "exec")
            rows.append(dict(zip(COLUMNS, row, strict=True)))
    return rows


def place(row: Row) -> int | None:
    """Return the index of the row's line, or of the nearest line with its text; None: there is none any more."""
    alike = (i for i, text in enumerate(source(row["file"]).splitlines()) if text == row["before"])
    return min(alike, key=lambda i: abs(i + 1 - int(row["line"])), default=None)


@cache
def source(file: str) -> str:
    """Return the text of a file, nothing if it is gone."""
    return (ROOT / file).read_text() if (ROOT / file).exists() else ""


def mutant(row: Row) -> str:
    """Return the text of the file with the changed line."""
    lines, at = source(row["file"]).splitlines(), place(row)
    return "\n".join([*lines[:at], row["after"], *lines[(at or 0) + 1 :], ""])


def noting(rows: list[Row], file: str) -> ast.Module:
    """Return a file that notes when the lines of its mutants are reached."""
    tree = ast.parse(source(file))
    for i, row in enumerate(rows):
        at = place(row) if row["file"] == file else None
        if at is not None:
            inside = innermost(tree, at + 1)
            for body in [inside] if inside is not None else bodies(tree):
                insert(body, at + 1 if inside is not None else 0, i)
    return ast.fix_missing_locations(tree)


Body = list[ast.stmt] | ast.Lambda


def innermost(tree: ast.Module, line: int) -> Body | None:
    """Return the innermost block of a function, or lambda, that has a line; None: it belongs to no function."""
    holding = [body for body in bodies(tree) if holds(body, line)]
    return min(holding, key=lambda body: len(list(statements(body))), default=None)


def bodies(tree: ast.Module) -> list[Body]:
    """Return all blocks of functions, and lambdas."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    inside = [node for function in functions for node in ast.walk(function)]
    blocks = [getattr(node, name, None) for node in inside for name in ("body", "orelse", "finalbody")]
    lambdas: list[Body] = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda)]
    return lambdas + [block for block in blocks if isinstance(block, list) and block]


def statements(body: Body) -> Iterator[ast.AST]:
    """Yield all nodes of a block or of a lambda."""
    for node in body if isinstance(body, list) else [body.body]:
        yield from ast.walk(node)


def holds(body: Body, line: int) -> bool:
    """Return whether a block or a lambda has a line."""
    first, last = (body[0], body[-1]) if isinstance(body, list) else (body.body, body.body)
    return first.lineno <= line <= (last.end_lineno or line)


def insert(body: Body, line: int, number: int) -> None:
    """Insert a note of a mutant in front of the statement of a block that has the line, or of the first one."""
    note = ast.Expr(ast.parse(f"{NOTED}({number})", mode="eval").body)
    if isinstance(body, ast.Lambda):
        pair = ast.Tuple([note.value, body.body], ast.Load())
        body.body = ast.copy_location(ast.Subscript(pair, ast.Constant(1), ast.Load()), body.body)
    else:
        at = next((i for i, part in enumerate(body) if (part.end_lineno or 0) >= line), 0)
        body.insert(at, ast.copy_location(note, body[at]))


@final
@dataclass
class Functions:
    """All functions of the package, by their file and code; `files` are loaded first, as many are only when used."""

    files: set[str]
    of_code: dict[tuple[str, CodeType], list[FunctionType]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        for file in filter(source, self.files):
            import_module(file.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
        gc.unfreeze()  # `conftest.py` freezes all objects, and frozen ones are not listed
        gc.collect()
        for function in gc.get_objects():
            if type(function) is FunctionType and "igbtheory" in function.__code__.co_filename:
                self.of_code[function.__code__.co_filename, function.__code__].append(function)

    def swap(self, file: str, new: str | ast.Module) -> bool:
        """Give the functions of a file the code that they have in a new text; return whether that is all of it."""
        path = str(ROOT / file)
        return self._swap(path, *(compile(text, path, "exec", dont_inherit=True) for text in (source(file), new)))

    def _swap(self, path: str, old: CodeType, new: CodeType) -> bool:
        inside = ([part for part in code.co_consts if isinstance(part, CodeType)] for code in (old, new))
        inner = list(zip(*inside, strict=False))  # a mutant may leave out a function
        if old.co_flags & inspect.CO_OPTIMIZED:  # of a function
            functions = self.of_code.get((path, old), []) if old != new else []
            for function in functions:
                function.__code__ = new
            for pair in inner:  # functions inside may exist already
                self._swap(path, *pair)
            return old == new or bool(functions)
        return computed(old) == computed(new) and all(self._swap(path, *pair) for pair in inner)


def computed(code: CodeType) -> tuple[Any, ...]:
    """Return what is computed while a module or the body of a class is loaded, without the functions."""
    constants = [repr(part) for part in code.co_consts if not isinstance(part, CodeType)]
    return code.co_code, code.co_names, constants


@final
@dataclass
class Mapped:
    """Plugin of pytest that runs tests, and appends to the map how long each takes and which mutants it reaches."""

    rows: list[Row]
    reached: set[int] = field(default_factory=set)
    passed: bool = True

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        setattr(builtins, NOTED, self.reached.add)
        known, files = seen(), {row["file"] for row in self.rows}
        items, functions = [item for item in session.items if item.nodeid not in known], Functions(files)
        for file in filter(source, files):
            functions.swap(file, noting(self.rows, file))
        MAP.parent.mkdir(exist_ok=True)
        for item, after in zip(items, [*items[1:], None], strict=True):
            self.reached.clear()
            self.passed, start = True, time.process_time()
            session.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
            taken = time.process_time() - start
            with MAP.open("a") as kept:
                kept.write(json.dumps([item.nodeid, taken, sorted(self.reached) if self.passed else []]) + "\n")
        refuse_empty_map()
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.passed = self.passed and not report.failed


def seen() -> dict[str, tuple[float, list[int]]]:
    """Return the map: of each test the processor seconds and the mutants that it reaches."""
    lines = map(json.loads, MAP.read_text().splitlines()) if MAP.exists() else ()
    return {name: (taken, reached) for name, taken, reached in lines}


def refuse_empty_map() -> None:
    """End with a message if the tests of the map reach no mutant, so that none could be killed."""
    if not any(reached for _, reached in seen().values()):
        raise SystemExit(
            f"expected a map of tests that reach mutants in {MAP}, got none; run python benchmarks/mutate.py map"
        )


def chosen(number: int, longest: float) -> tuple[list[str], float]:
    """Return the tests that reach a mutant, up to `longest` in all, and how long they take.

    The fastest come first, but the n-th case of a test counts n times its time: unlike tests notice more.
    """
    times = {name: taken for name, (taken, reached) in seen().items() if number in reached}
    cases, costs = Counter[str](), dict[str, float]()
    for name in sorted(times, key=lambda name: times[name]):
        cases[name.split("[")[0]] += 1
        costs[name] = times[name] * cases[name.split("[")[0]]
    names, total = list[str](), 0.0
    for name in sorted(costs, key=lambda name: costs[name]):
        if total + times[name] <= longest:
            names.append(name)
            total += times[name]
    return names, total


def of_file(rows: list[Row], file: str, longest: float) -> tuple[list[str], float]:
    """Return the fastest tests that reach mutants of a file, up to `longest` in all, and how long they take."""
    numbers = {i for i, row in enumerate(rows) if row["file"] == file}
    times = sorted((taken, name) for name, (taken, reached) in seen().items() if numbers & {*reached})
    ends = zip(accumulate(taken for taken, _ in times), times, strict=True)
    names = [name for end, (_, name) in ends if end <= longest]
    return names, sum(taken for taken, _ in times[: len(names)])


@final
@dataclass
class Tested:
    """Plugin of pytest that tests mutants in forks, until a time of `time.monotonic`."""

    rows: list[Row]
    numbers: list[int]
    longest: float
    end: float

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        refuse_empty_map()
        items, functions = {item.nodeid: item for item in session.items}, Functions({row["file"] for row in self.rows})
        gc.freeze()
        for number in self.numbers:
            if time.monotonic() < self.end:
                row = self.rows[number]
                names, total = chosen(number, self.longest)
                tests = [items[name] for name in names if name in items]
                start = sum(os.times()[2:4])
                outcome = in_fork(lambda: self._meets(row, functions, tests), total)  # noqa: B023 - called at once
                if not names:  # what runs while modules are loaded, no test reaches
                    names, total = of_file(self.rows, row["file"], self.longest)
                    outcome = "loaded"
                if outcome == "loaded":
                    outcome = in_process(number, names, total)
                row["outcome"], row["seconds"] = outcome, f"{sum(os.times()[2:4]) - start:.0f}"
                print(f"{row['file']}:{row['line']}: {row['after'].strip()}: {outcome}", flush=True)
                write(self.rows)
        return True

    def _meets(self, row: Row, functions: Functions, tests: list[pytest.Item]) -> str:
        """Return how a mutant fares in this process."""
        if place(row) is None:
            return "the line is gone"
        return survives(tests) if functions.swap(row["file"], mutant(row)) else "loaded"


@final
class Killed:
    """Plugin of pytest that ends the process when a test fails."""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            say(f"killed by {report.nodeid}")


def survives(tests: list[pytest.Item]) -> str:
    """Run tests in the process of a mutant, which the first failure ends; return that it survives them."""
    for i, test in enumerate(tests):
        if not test.config.pluginmanager.has_plugin("killed"):
            test.config.pluginmanager.register(Killed(), "killed")
        test.config.hook.pytest_runtest_protocol(item=test, nextitem=tests[i + 1] if i + 1 < len(tests) else None)
    return f"survived {len(tests)} tests"


def say(text: str) -> NoReturn:
    """End this process, and tell the one that waits for it."""
    os.write(ANSWER, text.encode())
    os._exit(0)


ANSWER = 3
"""Number of the file into which the process of a mutant writes its outcome."""


def limit(total: float) -> None:
    """Limit this process, and let nothing that it prints be seen."""
    resource.setrlimit(resource.RLIMIT_CPU, (int(2 * total) + SPARE,) * 2)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)


def in_fork(outcome: Callable[[], str], total: float) -> str:
    """Return an outcome that is computed in a fork of this process."""
    reads, writes = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(writes, ANSWER)
        limit(total)
        try:
            say(outcome())
        except BaseException as error:  # noqa: BLE001 - a fork must not go on with the work of its parent
            say(f"failed: {error!r}")
    os.close(writes)
    with os.fdopen(reads) as file:
        text = file.read()
    os.waitpid(child, 0)
    return text or "killed by the limits"


def in_process(number: int, names: list[str], total: float) -> str:
    """Return the outcome of a mutant that a process of its own loads."""
    command = [sys.executable, __file__, "load", str(number), str(total), *names]
    return in_fork(lambda: os.execv(sys.executable, command), total) if names else "survived 0 tests"  # noqa: S606


@final
@dataclass
class Loaded:
    """Plugin of pytest that runs tests of a mutant in their order, in the process that has loaded it."""

    names: list[str]

    def pytest_runtestloop(self, session: pytest.Session) -> None:
        items = {item.nodeid: item for item in session.items}
        say(survives([items[name] for name in self.names if name in items]))


def load(row: Row, names: list[str]) -> None:
    """Run tests in this process, for which a file is loaded as the mutant."""

    def code_of(self: SourceFileLoader, name: str) -> CodeType | None:
        same = Path(self.path) == ROOT / row["file"]
        return compile(mutant(row), self.path, "exec", dont_inherit=True) if same else usual(self, name)

    usual = SourceFileLoader.get_code
    SourceFileLoader.get_code = code_of  # type: ignore[assignment, method-assign]
    collected([Loaded(names)], sorted({name.split("::")[0] for name in names}))
    say("killed by loading")


def collected(plugins: list[Any], files: list[str]) -> None:
    """Let pytest collect the tests of files, and a plugin do the rest."""
    os.environ |= {"OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg"}
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    pytest.main(["-q", "--dist=no", "-p", "no:cacheprovider", *files], plugins=plugins)


def read() -> list[Row]:
    """Return the rows of the table."""
    return list(csv.DictReader(TABLE.open(newline="")))


def write(rows: list[Row]) -> None:
    """Write the table."""
    with TABLE.open("w", newline="") as file:
        table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


def test(minutes: float, *, again: bool) -> None:
    """Test the mutants without an outcome, or against all tests those that survive without a reason."""
    rows = read()
    waiting = [
        i
        for i, row in enumerate(rows)
        if (row["outcome"].startswith("survived") and not row["reason"] if again else not row["outcome"])
    ]
    files = sorted({name.split("::")[0] for name in seen()})
    longest = float("inf") if again else LONGEST
    collected([Tested(rows, waiting, longest, time.monotonic() + 60 * minutes)], files)


def report() -> None:
    """Print the survivors with their reasons, and how many mutants are killed."""
    from scipy.stats import binomtest  # noqa: PLC0415 - only printing needs it

    rows = read()
    for row in rows:
        if row["outcome"].startswith("survived"):
            print(f"{row['file']}:{row['line']}: {row['outcome']}: {row['reason'] or 'no reason yet'}")
            print(f"    {row['before'].strip()}\n    {row['after'].strip()}")
    killed, survived = (sum(row["outcome"].startswith(word) for row in rows) for word in ("killed", "survived"))
    explained = sum(bool(row["reason"]) for row in rows)
    share = binomtest(killed, killed + survived).proportion_ci()
    print(f"{killed + survived} of {len(rows)} mutants tested: {killed} killed, {survived} not ({explained} explained)")
    print(f"share killed, with a probability of 95 %: {share.low:.1%} to {share.high:.1%}")


def main(command: str = "report", *arguments: str) -> int:
    """Obey a command."""
    if command == "draw":
        write([*read(), *sample(next(iter(arguments)))])
    elif command == "map":
        collected([Mapped(read())], list(arguments) or ["tests"])
    elif command == "load":
        limit(float(arguments[1]))
        load(read()[int(arguments[0])], list(arguments[2:]))
    elif command in {"run", "again"}:
        test(float(next(iter(arguments), "inf")), again=command == "again")
    else:
        report()
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
