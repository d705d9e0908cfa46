"""Attack the package with random inputs: python benchmarks/attack.py PART|all [COUNT] [SEED].

The parts, each with COUNT cases, new ones in each run:

networks: the comparisons of `tests/faces.py`, of which the tests make about two hundred, for some more networks than
  COUNT, since each comparison takes tens of them; a network that fails is made small, which takes up to five minutes.
kernel: kernels of data with equal, opposite, tiny and zero ones, beside a plain recursion in 30 digits.
derive, certify: networks with decimals as parameters: the formula, read back from LaTeX, and the ball have the value.
formulas: each random formula must be accepted or refused within 5 CPU seconds and 1 GiB.
data, files, stores, results: random objects as data sets; damaged files of 12 kinds, stores and saved results.
commands, environments: random options and values; a command in odd environments and with closed streams.

What is wrong is printed at once, then a table of how many cases were tried and refused, and the seed; the exit status
is 1 if anything is wrong. The same seed gives the same inputs.
"""

# what is wrong is passed on purpose, and which of several types a result has is known here
# mypy: disable-error-code="arg-type, operator, union-attr"

import io
import json
import logging
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stderr, redirect_stdout
from fractions import Fraction
from math import ceil
from pathlib import Path
from random import Random
from typing import Any

import mpmath
import numpy as np
from flint import arb

import igbtheory as igb
from igbtheory.foundations.runs.store import Store
from igbtheory.presentation.cli import main as command_line

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from faces import COMPARISONS, PIECE, compared
from formula_reader import Values, read_latex
from test_hostile import FORGED, WRITTEN, forged_store, hostile, packed

SECONDS, MEMORY = 5.0, 2**30
LONGEST = 20
"""CPU seconds after which a case counts as hanging: `derive` promises them."""
LONGEST_COMMAND = 90
"""CPU seconds of a command: training on all 1,797 digits takes 33."""
PRINTED = 1e-3
"""Relative error of the sums of `formula_reader`, which meet kinks inside of a panel."""
Answer = tuple[str, str | None]
"""A word for what became of a case, which are counted, and what is wrong with it, or None."""


def networks(name: str, seed: int) -> tuple[Counter[str], str | None]:
    """Return how many networks a comparison compared and refused, and what is wrong with one of them, or None."""
    try:
        return compared(name, PIECE, seed), None
    except Exception as error:  # noqa: BLE001 - any exception is a bug
        said = "\n".join([str(error), *getattr(error, "__notes__", ())])
        return Counter(), f"{name}, seed {seed}: {type(error).__name__}: {said}"


class HungError(BaseException):
    """Raised in a case that takes too long; of this kind, no program under attack catches it."""


def answered(case: str, check: Callable[[], str | None], longest: float = LONGEST) -> Answer:
    """Return what became of a case: `check` returns what is wrong, None, or raises ValueError with a sentence.

    longest: CPU seconds after which it counts as hanging.
    """

    def stop(*_: object) -> None:
        raise HungError(f"more than {longest} CPU seconds")

    signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, longest)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            wrong = check()
    except (ValueError, TypeError) as error:
        return "refused", None if len(str(error)) > 20 else f"{case}: {error}"
    except BaseException as error:  # noqa: BLE001 - any other exception is a bug
        return "failed", f"{case}: {type(error).__name__}: {error}"
    else:
        return "answered", wrong and f"{case}: {wrong}"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def formulas(seed: int) -> Answer:
    """Attack with a random formula."""
    resource.setrlimit(resource.RLIMIT_AS, (3 * MEMORY, 3 * MEMORY))  # libraries take a part of it
    *_, text = hostile(len(WRITTEN) + 1, seed)

    def check() -> str | None:
        start = time.process_time()
        try:
            igb.Activation(text)
        finally:
            taken = time.process_time() - start
        return f"took {taken:.1f} s" if taken > SECONDS else None

    return answered(repr(text), check)


ENTRIES = (0.0, 1.0, -1.5, 1e-200, 1e200, np.nan, np.inf, None, "1", 1j, True, Fraction(1, 3), 10**400, b"2")


def data(seed: int) -> Answer:
    """Attack with a random object as a data set."""
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(0, 4, size=rng.integers(0, 4)))
    entries = [ENTRIES[i] for i in rng.integers(0, rng.choice([3, len(ENTRIES)]), size=int(np.prod(shape)))]
    kind = rng.choice(["object", "list", "float", "masked", "text"])
    made: Any = np.empty(len(entries), dtype=object)
    made[:] = entries
    made = made.reshape(shape)
    try:
        if kind == "list":
            made = made.tolist()
        elif kind != "object":
            made = made.astype({"float": float, "masked": float, "text": str}[kind])
            made = np.ma.masked_array(made) if kind == "masked" else made
    except (TypeError, ValueError, OverflowError):
        return "impossible", None

    def check() -> str | None:
        found = igb.mlp(1, norm=(None, "batch", "layer")[rng.integers(3)]).predict(made)
        return None if np.isfinite(found.var_chi) and kind in {"float", "list"} else f"gave {found.var_chi}"

    return answered(f"seed {seed}: {made!r}", check)


def arc_cosine(q_a: Any, q_b: Any, q_ab: Any) -> Any:
    """Return E relu(a) relu(b)."""
    if not q_a * q_b:
        return mpmath.mpf(0)
    root = mpmath.sqrt(q_a * q_b)
    angle = mpmath.acos(max(-1, min(1, q_ab / root)))
    return root * (mpmath.sin(angle) + (mpmath.pi - angle) * mpmath.cos(angle)) / (2 * mpmath.pi)


def arc_sine(q_a: Any, q_b: Any, q_ab: Any) -> Any:
    """Return E erf(a) erf(b)."""
    return 2 / mpmath.pi * mpmath.asin(2 * q_ab / mpmath.sqrt((1 + 2 * q_a) * (1 + 2 * q_b)))


def kernel(seed: int) -> Answer:
    """Compare the kernel of given data with a plain recursion in many digits."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((5, 3)) * 10.0 ** rng.integers(-3, 4, (5, 1))
    x[1], x[2] = (x[0] * size for size in rng.choice([1.0, -1.0, 0.5, 1 + 1e-9, 0.0], 2))
    name, rule = (("relu", arc_cosine), ("erf(x)", arc_sine))[rng.integers(2)]
    depth, sigma_w2, sigma_b2 = int(rng.integers(1, 5)), round(rng.uniform(0.5, 3), 2), round(rng.uniform(0, 1), 1)

    def check() -> str | None:
        found = igb.mlp(depth, name, sigma_w2=sigma_w2, sigma_b2=sigma_b2).predict(x)
        with mpmath.workdps(40):
            w, b = (mpmath.mpf(str(value)) for value in (sigma_w2, sigma_b2))
            rows = [[mpmath.mpf(float(value)) for value in row] for row in x]
            k = [[w * mpmath.fdot(one, other) / 3 + b for other in rows] for one in rows]
            for _ in range(depth):
                k = [[w * rule(k[i][i], k[j][j], k[i][j]) + b for j in range(5)] for i in range(5)]
            expected = np.array(k, dtype=float)
        size = np.sqrt(np.outer(np.diagonal(expected), np.diagonal(expected)))
        apart = np.max(np.abs(found.dataset.kernels()[0] - expected) / size)
        return None if apart < 1e-11 + found.error else f"differs by {apart:.1e}"

    return answered(f"seed {seed}: mlp({depth}, {name!r}, sigma_w2={sigma_w2}, sigma_b2={sigma_b2})", check)


def with_decimals(seed: int, names: tuple[str, ...], deepest: int) -> tuple[str, Any]:
    """Return a network with decimals as variances, as text and itself."""
    rng = np.random.default_rng(seed)
    sizes = [round(rng.uniform(low, high), int(rng.integers(1, 4))) for low, high in ((0.2, 4), (0, 1))]
    norm, depth = (None, "layer", "rms")[rng.integers(3)], int(rng.integers(1, deepest + 1))
    name = str(rng.choice(names))
    options = {"norm": norm, "sigma_w2": sizes[0], "sigma_b2": sizes[1]}
    return f"seed {seed}: mlp({depth}, {name!r}, {options})", igb.mlp(depth, name, **options)


def derive(seed: int) -> Answer:
    """Compare a formula, and what its LaTeX says, with the prediction."""
    case, net = with_decimals(seed, ("relu", "abs", "erf", "sin", "cos", "step", "x*sin(x)", "x + sin(x)**2"), 2)

    def check() -> str | None:
        derived, expected = net.derive(), float(net.predict().gamma)
        read = float(Values(read_latex(derived.latex()), {"g": 0.3}).of("gamma_"))
        for value, allowed in ((derived.value(), 1e-9), (read, PRINTED)):
            if not abs(float(value) - expected) <= allowed * expected + 1e-12:
                return f"{value} for {expected}"
        return None

    return answered(case, check)


def certify(seed: int) -> Answer:
    """Check that the ball contains the value in more digits."""
    case, net = with_decimals(seed, ("relu", "abs", "erf", "sin", "cos", "gelu", "step"), 3)

    def check() -> str | None:
        ball, value = net.certify(8).gamma, net.predict(digits=20).gamma
        return None if ball.overlaps(arb(str(value), abs(float(value)) * 1e-18)) else f"{value} is not in {ball}"

    return answered(case, check)


def damaged(content: bytes, rng: Random) -> bytes:
    """Return the content as it is, cut, or with some other bytes."""
    if rng.random() < 0.2:
        return content
    found = bytearray(content[: rng.randrange(len(content))] if rng.random() < 0.3 else content)
    for _ in range(rng.choice((1, 3, 50)) if found else 0):
        found[rng.randrange(min(len(found), rng.choice((30, 200, len(found)))))] = rng.randrange(256)
    return bytes(found)


KINDS = ("npy", "npz", "pt", "csv", "gz", "png", "jpeg", "bmp", "ppm", "tiff", "webp", "gif")


def files(seed: int) -> Answer:
    """Attack with a damaged file, under the ending of its kind or of another."""
    rng = Random(seed)  # noqa: S311 - nothing secret
    kind, shape = rng.choice(KINDS), rng.choice([(12, 9), (12, 8, 8), (2, 5, 5, 3)])
    values = np.random.default_rng(seed).random((12, 9) if kind not in {"npy", "npz", "pt"} else shape)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a.{rng.choice((*[kind] * 50, *KINDS, 'bin', 'tsv', 'csv.gz', 'idx', 'h5'))}"
        path.write_bytes(damaged(packed(values, kind), rng))
        choices = {
            "label_column": rng.choice(["ask", None, "0", -1]),
            "header": rng.choice([None, True, False]),
            "drop_columns": rng.choice([None, None, "", "1", [0, -1]]),
            "separator": rng.choice([None, None, ",", ";"]),
            "decimal": rng.choice([None, None, ".", ","]),
        }
        logging.disable()  # of what the reader decides

        def check() -> str | None:
            picture = path.suffix in {f".{kind}" for kind in KINDS[5:]}
            igb.read_data(path.parent if picture else path, **choices)
            return None

        return answered(f"seed {seed}: {path.name}", check)


def stores(seed: int) -> Answer:
    """Attack with a damaged store of finished work."""
    rng = Random(seed)  # noqa: S311 - as above
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.db"
        piece = damaged(packed(np.zeros((5, 5)), "npz"), rng) if rng.random() < 0.7 else None
        forged_store(path, rng.choice([None, "[]", "{", '{"a": 1}', "[" * rng.randrange(9**5)]), piece)
        if piece is None:
            path.write_bytes(damaged(path.read_bytes(), rng))

        def check() -> str | None:
            with Store(path, {}) as store:
                store.get(1)
            return None

        return answered(f"seed {seed}", check)


def results(seed: int) -> Answer:
    """Attack with a forged result."""
    rng = Random(seed)  # noqa: S311 - as above
    made = rng.choice([igb.mlp(1).predict, igb.mlp(1).derive, igb.mlp(2, "erf").predict])()
    saved: Any = json.loads(made.to_json())
    place: Any = saved
    while True:
        key = rng.choice(list(place) if isinstance(place, dict) else range(len(place)))
        if not (isinstance(place[key], dict | list) and place[key]) or rng.random() < 0.1:
            break
        place = place[key]
    place[key] = rng.choice([*FORGED.values(), *FORGED.values(), None, "x", -1, 10**400, [], {}, place[key]])

    def check() -> str | None:
        repr(type(made).from_json(json.dumps(saved)))
        return None

    return answered(f"seed {seed}", check)


WORDS = ("1/x", "nosuch.npy", "0", "-1", "3.5", "1e9", "nan", "", "é")
OPTIONS = {
    "--depth": "2",
    "--activation": "x*tanh(x)",
    "--norm": "layer",
    "--sigma-w2": "1.5",
    "--sigma-b2": "0.1",
    "--shift": "1",
    "--variance": "2",
    "--data": "digits",
    "--first": "20",
    "--sample": "20",
    "--digits": "20",
    "--pool": "2",
    "--placement": "after",
    "--batch-size": "8",
    "--param": "a=1",
    "--seed": "3",
    "--axes": "NCHW",
    "--key": "x",
    "--vary": "sigma_b2",
    "--gamma": "2",
    "--classes": "3",
    "--label-column": "0",
    "--header": "yes",
    "--level": "0.9",
    "--plot": "a.png",
    "--json": "",
    "--standardise": "",
}
"""Options of commands, and a value of each that works somewhere."""
NETWORKS = (
    "Dense | relu | Dense",
    "Dense(2, 0.1) | BatchNorm(4) | tanh | Dense",
    "Conv2d(3) | Flatten | Dense",
    "| |",
    "x",
)
QUICK = (
    *["predict"] * 9,
    "classes",
    "derive",
    "certify",
    "activation",
    "design",
    "infer",
    "losses",
    "phase",
    "train",
    "draw",
)


def commands(seed: int) -> Answer:
    """Attack with a random command line."""
    rng = Random(seed)  # noqa: S311 - as above
    tokens = [rng.choice(QUICK), *rng.sample(NETWORKS, rng.random() < 0.4)]
    for option in rng.sample([*OPTIONS], rng.randrange(4)):
        value = OPTIONS[option] if rng.random() < 0.7 else rng.choice(WORDS)
        tokens += [option, value] if value else [option]
    out, err = io.StringIO(), io.StringIO()

    def check() -> str | None:
        with redirect_stdout(out), redirect_stderr(err):
            status = command_line(tokens)
        if status in {0, 1}:
            return None
        said = err.getvalue()
        if status != 2 or "igb: error: " not in said:
            return f"status {status}: {said}"
        raise ValueError(said)

    with tempfile.TemporaryDirectory() as folder:
        before = Path.cwd()
        os.chdir(folder)
        try:
            return answered(f"seed {seed}: igb {tokens}", check, LONGEST_COMMAND)
        finally:
            os.chdir(before)


SETTINGS: dict[str, tuple[str, ...]] = {
    "PYTHONOPTIMIZE": ("0", "1", "2"),
    "LC_ALL": ("C", "POSIX", "nosuch"),
    "PYTHONIOENCODING": ("ascii", "latin-1", "utf-16"),
    "COLUMNS": ("1", "0", "x"),
    "TERM": ("dumb", ""),
    "HOME": ("/nosuch", ""),
    "TMPDIR": ("/nosuch",),
    "PYTHONWARNINGS": ("error::UserWarning",),
    "OMP_NUM_THREADS": ("0", "1"),
    "PYTHONHASHSEED": ("0",),
    "MPLBACKEND": ("agg",),
}
STREAMS = ("", "", ">&-", "2>&-", "<&-", ">&- 2>&-", "| head -c 9", "> /dev/full", "< /dev/null")


def environments(seed: int) -> Answer:
    """Run a command in an odd environment."""
    rng = Random(seed)  # noqa: S311 - as above
    chosen = {name: rng.choice(SETTINGS[name]) for name in rng.sample(list(SETTINGS), rng.randrange(4))}
    what = rng.choice(["--help", "predict --help", "predict --depth 1", "predict --depth 1 --json", "derive --depth 1"])
    line = f"{sys.executable} -m igbtheory {what} {rng.choice(STREAMS)}"
    environment = {**os.environ, **chosen}
    try:
        done = subprocess.run(["/bin/sh", "-c", line], capture_output=True, env=environment, timeout=100, check=False)  # noqa: S603
    except subprocess.TimeoutExpired as error:
        return "failed", f"seed {seed}: {chosen} {error}"
    err = done.stderr.decode(errors="replace")
    wrong = "Traceback" in err or done.returncode not in {0, 2, 141}
    return "answered", f"seed {seed}: {chosen} {line}: {done.returncode} {err}" if wrong else None


PARTS: dict[str, tuple[Callable[[int], Answer], int]] = {
    "kernel": (kernel, 200),
    "derive": (derive, 60),
    "certify": (certify, 60),
    "formulas": (formulas, 20000),
    "data": (data, 2000),
    "files": (files, 300),
    "stores": (stores, 200),
    "results": (results, 300),
    "commands": (commands, 300),
    "environments": (environments, 40),
}
"""The parts beside networks, and how many cases each has by default."""


def attacked(pool: ProcessPoolExecutor, count: int, seed: int) -> dict[str, Counter[str]]:
    """Compare random networks, each comparison in proportion to its share of the tests; return what became of them."""
    share = count / sum(row.networks for row in COMPARISONS.values())
    pieces = [(name, seed + i) for name, row in COMPARISONS.items() for i in range(ceil(row.networks * share / PIECE))]
    counts = {name: Counter[str]() for name in COMPARISONS}
    for (name, _), (counted, wrong) in zip(pieces, pool.map(networks, *zip(*pieces, strict=True)), strict=True):
        counts[name] += counted
        if wrong:
            counts[name]["wrong"] += 1
            sys.stdout.write(f"{wrong}\n")
    return counts


def main(what: str, count: int | None = None, seed: int | None = None) -> int:
    """Print what is wrong, and a table of what was tried."""
    if what not in {"networks", "all", *PARTS}:
        sys.exit(f"unknown part {what!r}; known: all, networks, {', '.join(PARTS)}")
    seed = int(time.time()) if seed is None else seed
    table: dict[str, Counter[str]] = {}
    with ProcessPoolExecutor() as pool:
        if what in {"networks", "all"}:
            table |= attacked(pool, count or 3000, seed)
        for part in PARTS if what == "all" else set(PARTS) & {what}:
            attack, usual = PARTS[part]
            table[part] = Counter()
            for word, said in pool.map(attack, range(seed, seed + (count or usual)), chunksize=5):
                table[part][word] += 1
                if said:
                    table[part]["wrong"] += 1
                    sys.stdout.write(f"{part}: {said}\n")
                    sys.stdout.flush()
    for name, counted in table.items():
        sys.stdout.write(f"{name:26}" + ", ".join(f"{number} {word}" for word, number in counted.items()) + "\n")
    wrong = sum(counted["wrong"] for counted in table.values())
    sys.stdout.write(f"{what} {seed}: {wrong} wrong\n")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *map(int, sys.argv[2:])))
