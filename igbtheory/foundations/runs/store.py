"""The store of a run: the results of its finished pieces, in one SQLite file.

SQLite is in the standard library, its file survives a killed process, several processes may use it at once, and every
language can read it. The results are .npy and .npz files, or JSON, so that reading them runs no code.
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

from igbtheory.foundations import checks
from igbtheory.foundations.guarded import refuse_zip_bomb
from igbtheory.foundations.runs.executors import refuse_unfit
from igbtheory.foundations.runs.versions import versions
from igbtheory.foundations.saved import json_of, tree_in, tree_of, value_of
from igbtheory.foundations.threads import one_thread

TABLES = (
    "CREATE TABLE configuration (text TEXT)",
    "CREATE TABLE pieces (number INTEGER PRIMARY KEY, sum BLOB, data BLOB)",
)
PATIENCE = 60.0
"""Seconds to wait for another run that is writing to the same file."""


@final
class Store:
    """Results of the pieces of one run, by the numbers of the pieces.

    A result is an array, a dict of arrays and numbers, or anything that igbtheory saves as JSON: plain values, results,
    and tuples of them.

    path: the file, which is created if it is missing. configuration: plain values on which the results depend, by their
    names. Two runs may use one store at once. The file must be on a disk of this machine, because network file systems
    do not support WAL. Used as a context, the store adds to an interruption how many pieces it keeps.

    ValueError: the file belongs to another configuration or version, or it is damaged. OSError: it cannot be written.

    >>> import pathlib, tempfile
    >>> with igb.runs.Store(pathlib.Path(tempfile.mkdtemp(), "run.db"), {"seed": 0}) as store:
    ...     store.put(1, 0.5)
    """

    def __init__(self, path: str | Path, configuration: Mapping[str, Any]) -> None:
        checks.of_kind("the path of a store", path, (str, Path), "'run.db'")
        checks.of_kind("a configuration of plain values by their names", configuration, Mapping, "{'seed': 0}")
        self.path = Path(path)
        if str(path).startswith((":", "file:")):  # SQLite would keep such a store in memory, or elsewhere
            raise ValueError(f"expected the path of a file for the store, got {str(path)!r}; name one such as run.db")
        text = json.dumps({**versions(), **configuration})
        with self._explained():
            self._file = sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
        try:
            with self._explained():
                held = dict(tree_in(self._held(text)))
            self._refuse_another(held, json.loads(text))
        except BaseException:
            self.close()
            raise

    def _held(self, text: str) -> str:
        """Return the configuration in the file; a new file gets the configuration `text`."""
        self._turn_into_wal()
        # written pieces survive a killed run; a power failure may lose the last ones, which are then done again
        self._file.execute("PRAGMA synchronous = NORMAL")
        if self._file.execute("PRAGMA quick_check").fetchone() != ("ok",):
            raise sqlite3.DatabaseError("its pages do not fit together")
        self._file.execute("BEGIN IMMEDIATE")
        tables = tuple(sql for (sql,) in self._file.execute("SELECT sql FROM sqlite_master"))
        if not tables:
            for table in TABLES:
                self._file.execute(table)
            self._file.execute("INSERT INTO configuration VALUES (?)", (text,))
        elif tables != TABLES:
            raise sqlite3.DatabaseError("its tables are others")
        held: tuple[str] = self._file.execute("SELECT text FROM configuration").fetchone()
        self._file.execute("COMMIT")
        return held[0]

    def _turn_into_wal(self) -> None:
        """Allow readers beside a writer; SQLite does not wait if another run is doing the same."""
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
        """Return the numbers of the stored pieces."""
        with self._explained():
            return {number for (number,) in self._file.execute("SELECT number FROM pieces")}

    def get(self, number: int) -> Any:
        """Return the result of a stored piece."""
        with self._explained():
            checksum, data = self._file.execute("SELECT sum, data FROM pieces WHERE number = ?", (number,)).fetchone()
            if checksum != _checksum(number, data):
                raise sqlite3.DatabaseError(f"the result of piece {number} is not what was written")
            result = _unpacked(data)
            if result is None:
                raise sqlite3.DatabaseError(f"the result of piece {number} is empty")
            return result

    def put(self, number: int, result: Any) -> None:
        """Store the result of a piece at once, unless another run has already stored the same result.

        TypeError: the result is None, which a store cannot tell from nothing.
        """
        if result is None:
            raise TypeError("expected the result of a piece, got None; return what the piece computes")
        data = _packed(result)
        with self._explained():
            row = number, _checksum(number, data), data
            self._file.execute("INSERT OR IGNORE INTO pieces VALUES (?, ?, ?)", row)

    def once(self, what: Any, work: Callable[[], Any]) -> Any:
        """Return the stored result of a piece, or do the work and store its result. what: see `number_of`."""
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
    def _explained(self) -> Iterator[None]:
        """Turn errors of SQLite, and those of reading forged pieces, into errors that say what to do."""
        try:
            yield
        except Exception as error:
            # errors of the disk have codes of their own; SQLITE_ERROR means that a table is missing
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
    """Return the store of a run, or a context of None without a path, after a check that the executor is usable.

    first: a part of the work; a digest of its result becomes part of the configuration, so that other data, other code
    or another processor are noticed. what: the name of this digest in errors.
    """
    if path is None:
        return nullcontext()
    refuse_unfit(executor)
    with one_thread():
        numbers = hashlib.blake2b(_packed(first()), digest_size=8).hexdigest()
    return Store(path, {**configuration, what: numbers})


def number_of(what: Any) -> int:
    """Return the number under which a store keeps the piece that the plain value `what` identifies."""
    return int.from_bytes(hashlib.blake2b(json.dumps(what).encode(), digest_size=7).digest())


def _checksum(number: int, data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16, salt=number.to_bytes(8, "little")).digest()


def _packed(result: Any) -> bytes:
    """Return the bytes of a result: an array as a .npy file, a dict as a .npz file, anything else as JSON."""
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
        return value_of(tree_in(data.decode()))
    refuse_zip_bomb(BytesIO(data), len(data))
    arrays = np.load(BytesIO(data), allow_pickle=False)
    if isinstance(arrays, np.ndarray):
        return arrays
    return {name: value if value.ndim else value.item() for name, value in arrays.items()}
