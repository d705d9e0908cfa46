"""Attack the package with random inputs: python benchmarks/attack.py networks|formulas|data [COUNT] [SEED].

networks: the comparisons of `tests/faces.py`, of which the tests make about two hundred, for COUNT random networks or
some more, since each comparison takes tens of them; a network that fails is made small, which takes up to five minutes.
formulas: each random formula must be accepted or refused within 5 CPU seconds and 1 GiB. data: random objects are
passed as data sets. The program prints what is wrong, how many networks were compared, and the seed, which is a new one
by default; its exit status is 1 if anything is wrong. The same seed gives the same inputs.
"""

import resource
import sys
import time
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np

import igbtheory as igb

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from faces import COMPARISONS, PIECE, compared
from test_hostile import hostile

SECONDS, MEMORY = 5.0, 2**30


def networks(name: str, seed: int) -> tuple[Counter[str], str | None]:
    """Return how many networks a comparison compared and refused, and what is wrong with one of them, or None."""
    try:
        return compared(name, PIECE, seed), None
    except Exception as error:  # noqa: BLE001 - any exception is a bug
        said = "\n".join([str(error), *getattr(error, "__notes__", ())])
        return Counter(), f"{name}, seed {seed}: {type(error).__name__}: {said}"


def formula(text: str) -> str | None:
    """Return what is wrong with the answer to a formula, or None."""
    resource.setrlimit(resource.RLIMIT_AS, (3 * MEMORY, 3 * MEMORY))  # libraries take a part of it
    start = time.process_time()
    try:
        igb.Activation(text)
    except (ValueError, TypeError) as error:
        if len(str(error)) <= 20:
            return f"{text!r}: {error}"
    except BaseException as error:  # noqa: BLE001 - any other exception is a bug
        return f"{text!r}: {type(error).__name__}: {error}"
    taken = time.process_time() - start
    return f"{text!r} took {taken:.1f} s" if taken > SECONDS else None


ENTRIES = (0.0, 1.0, -1.5, 1e-200, 1e200, np.nan, np.inf, None, "1", 1j, True, Fraction(1, 3), 10**400, b"2")


def data(seed: int) -> str | None:
    """Return what is wrong with the answer to a random object as a data set, or None."""
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(0, 4, size=rng.integers(0, 4)))
    entries = [ENTRIES[i] for i in rng.integers(0, rng.choice([3, len(ENTRIES)]), size=int(np.prod(shape)))]
    try:
        kind = rng.choice(["object", "list", "float", "masked", "text"])
        made: Any = np.empty(len(entries), dtype=object)
        made[:] = entries
        made = made.reshape(shape)
        if kind == "list":
            made = made.tolist()
        elif kind != "object":
            made = made.astype({"float": float, "masked": float, "text": str}[kind])
            made = np.ma.masked_array(made) if kind == "masked" else made
    except (TypeError, ValueError, OverflowError):
        return None  # no such object can be made
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = igb.mlp(1, norm=(None, "batch", "layer")[rng.integers(3)]).predict(made)
        return (
            None
            if np.isfinite(found.var_chi) and kind in {"float", "list"}
            else f"seed {seed}: {made!r} gave {found.var_chi}"
        )
    except (ValueError, TypeError) as error:
        return None if len(str(error)) > 20 else f"seed {seed}: {error}"
    except BaseException as error:  # noqa: BLE001 - as above
        return f"seed {seed}: {made!r}: {type(error).__name__}: {error}"


def attacked(pool: ProcessPoolExecutor, count: int, seed: int) -> int:
    """Compare random networks, each comparison in proportion to its share of the tests; return how many fail."""
    share = count / sum(row.networks for row in COMPARISONS.values())
    pieces = [(name, seed + i) for name, row in COMPARISONS.items() for i in range(ceil(row.networks * share / PIECE))]
    wrong, counts = 0, {name: Counter[str]() for name in COMPARISONS}
    for (name, _), (counted, found) in zip(pieces, pool.map(networks, *zip(*pieces, strict=True)), strict=True):
        counts[name] += counted
        if found:
            wrong += 1
            sys.stdout.write(f"{found}\n")
    for name, counted in counts.items():
        sys.stdout.write(f"{name}: {counted['compared']} networks compared, {counted['refused']} refused\n")
    return wrong


def main(what: str, count: int = 3000, seed: int | None = None) -> int:
    """Print what is wrong, and how many cases were tried."""
    seed = int(time.time()) if seed is None else seed
    with ProcessPoolExecutor() as pool:
        if what == "networks":
            wrong = attacked(pool, count, seed)
        else:
            if what == "formulas":
                found = pool.map(formula, hostile(count, seed), chunksize=20)
            else:
                found = pool.map(data, range(seed, seed + count), chunksize=20)
            said = [text for text in found if text]
            wrong = len(said)
            sys.stdout.writelines(f"{text}\n" for text in said)
    sys.stdout.write(f"{what} {count} {seed}: {wrong} wrong\n")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *map(int, sys.argv[2:])))
