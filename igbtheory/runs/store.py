"""The store of a run: the results of its finished pieces, in one SQLite file.

SQLite is in the standard library, its file outlives a killed process, several processes may use it at once, and every
language reads it. The results are .npy and .npz files, or JSON, which nothing executes.
"""

import hashlib
import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from io import BytesIO
from pathlib import Path
from typing import Any, Self, final

import numpy as np

from igbtheory.numbers.threads import one_thread
from igbtheory.runs.executors import refuse_unfit
from igbtheory.runs.versions import versions
from igbtheory.saved import json_of, tree_of, value_of

TABLES = (
    "CREATE TABLE configuration (text TEXT)",
    "CREATE TABLE pieces (number INTEGER PRIMARY KEY, sum BLOB, data BLOB)",
)
PATIENCE = 60.0
"""Seconds to wait for another run that writes into the same file."""


@final
class Store:
    """Results of the pieces of one run, by their numbers.

    A result is an array, a dict of arrays and numbers, or what igbtheory saves as JSON: plain values, results, and
    tuples of them.

    path: the file, made where there is none. configuration: what the results depend on, plain values with names. Two
    runs may use one store at once. The file must lie on a disk of this machine, since network file systems do not
    support WAL. As a context, it says of an interruption what it keeps.

    ValueError: the file is of another configuration or version, or it is damaged. OSError: it cannot be written.
    """

    def __init__(self, path: str | Path, configuration: Mapping[str, Any]) -> None:
        self.path = Path(path)
        text = json.dumps({**versions(), **configuration})
        with self._told():
            self._file = sqlite3.connect(self.path, PATIENCE, isolation_level=None, check_same_thread=False)
        try:
            with self._told():
                held = json.loads(self._held(text))
            self._refuse_another(held, json.loads(text))
        except BaseException:
            self.close()
            raise

    def _held(self, text: str) -> str:
        """Return the configuration of the file, which is `text` where the file is new."""
        self._turn_into_wal()
        # what was written outlives a killed run; a power failure may take the last pieces, which are done again
        self._file.execute("PRAGMA synchronous = NORMAL")
        if self._file.execute("PRAGMA quick_check").fetchone() != ("ok",):
            raise sqlite3.DatabaseError("its pages do not fit together")
        self._file.execute("BEGIN IMMEDIATE")
        if not self._file.execute("SELECT 1 FROM sqlite_master").fetchone():
            for table in TABLES:
                self._file.execute(table)
            self._file.execute("INSERT INTO configuration VALUES (?)", (text,))
        held: tuple[str] = self._file.execute("SELECT text FROM configuration").fetchone()
        self._file.execute("COMMIT")
        return held[0]

    def _turn_into_wal(self) -> None:
        """Let readers and a writer work side by side; SQLite refuses at once where another run is doing the same."""
        started = time.monotonic()
        while True:
            try:
                self._file.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > started + PATIENCE:
                    raise
                time.sleep(0.01)
            else:
                return

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is KeyboardInterrupt:
                count = len(self.numbers())
                raise KeyboardInterrupt(f"{self.path} keeps {count} finished pieces; repeat the command to go on")
        finally:
            self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def numbers(self) -> set[int]:
        """Return the numbers of the pieces that are there."""
        with self._told():
            return {number for (number,) in self._file.execute("SELECT number FROM pieces")}

    def get(self, number: int) -> Any:
        """Return the result of a piece that is there."""
        with self._told():
            checksum, data = self._file.execute("SELECT sum, data FROM pieces WHERE number = ?", (number,)).fetchone()
            if checksum != _checksum(number, data):
                raise sqlite3.DatabaseError(f"the result of piece {number} is not what was written")
        return _unpacked(data)

    def put(self, number: int, result: Any) -> None:
        """Keep the result of a piece, at once; where another run was faster, its result, which is the same, stays."""
        data = _packed(result)
        with self._told():
            row = number, _checksum(number, data), data
            self._file.execute("INSERT OR IGNORE INTO pieces VALUES (?, ?, ?)", row)

    def once(self, what: Any, work: Callable[[], Any]) -> Any:
        """Return the kept result of a piece, or do its work and keep the result. what: see `number_of`."""
        number = number_of(what)
        if number not in self.numbers():
            self.put(number, work())
        return self.get(number)

    def _refuse_another(self, held: dict[str, Any], wanted: dict[str, Any]) -> None:
        nothing = object()
        for name in held | wanted:
            there, here = held.get(name, nothing), wanted.get(name, nothing)
            if there != here:
                said = (f"{name} = {value}" if value is not nothing else f"no {name}" for value in (there, here))
                raise ValueError(
                    f"{self.path} keeps a run with {next(said)}, and this one has {next(said)}; name another store, or "
                    "repeat the command that made it"
                )

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Say of what goes wrong with the file what it means."""
        try:
            yield
        except (sqlite3.DatabaseError, TypeError, json.JSONDecodeError) as error:
            # what the disk refuses has a code of its own; SQLITE_ERROR are tables that are not there
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
            if isinstance(error, sqlite3.OperationalError) and code != sqlite3.SQLITE_ERROR:
                raise OSError(
                    f"cannot use the store {self.path}: {error}; what it keeps is safe: make room or name a file in a "
                    "folder of this machine that you may write to, and repeat the command"
                ) from error
            raise ValueError(
                f"{self.path} is damaged, or no store of igbtheory: {error}; delete it, or name another"
            ) from error


def kept(
    path: str | Path | None,
    configuration: Mapping[str, Any],
    first: Callable[[], Any],
    what: str = "numbers of the first network",
    executor: Executor | str | None = None,
) -> AbstractContextManager[Store | None]:
    """Open the store of a run, None where none is named, after its executor has shown that it can do the run.

    first: a part of the work, whose result belongs to the configuration: its very numbers tell other data, other code
    and another processor. what: how an error names them.
    """
    if path is None:
        return nullcontext()
    refuse_unfit(executor)
    with one_thread():
        numbers = hashlib.blake2b(_packed(first()), digest_size=8).hexdigest()
    return Store(path, {**configuration, what: numbers})


def number_of(what: Any) -> int:
    """Return the number in the store of a piece that plain values identify."""
    return int.from_bytes(hashlib.blake2b(json.dumps(what).encode(), digest_size=7).digest())


def _checksum(number: int, data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16, salt=number.to_bytes(8, "little")).digest()


def _packed(result: Any) -> bytes:
    """Return an array as a .npy file, a dict as a .npz file, and what else igbtheory saves as JSON, which is longer."""
    file = BytesIO()
    if isinstance(result, dict):
        np.savez(file, allow_pickle=False, **result)
    elif isinstance(result, np.ndarray):
        np.save(file, result, allow_pickle=False)
    else:
        return json_of(tree_of(result)).encode()
    return file.getvalue()


def _unpacked(data: bytes) -> Any:
    if not data.startswith((b"\x93NUMPY", b"PK")):
        return value_of(json.loads(data))
    found = np.load(BytesIO(data), allow_pickle=False)
    if isinstance(found, np.ndarray):
        return found
    return {name: value if value.ndim else value.item() for name, value in found.items()}
