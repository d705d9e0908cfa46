"""Runs of many pieces: the same results in the same order, whoever does them and whatever happens to it."""

import itertools
import os
import signal
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from igbtheory.runs import Store, in_order, pieces

RUN = {"width": 3, "seed": 0}


def piece(number: int, seconds: float = 0.0) -> Any:
    time.sleep(seconds)
    return {"squares": np.random.default_rng(number).standard_normal(3), "number": number}


def deadly_until(mark: Path) -> Any:
    """End the process, but for the time when it finds the mark that it left."""
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return {"number": 7}


def counted(number: int, folder: Path) -> Any:
    (folder / f"{number}-{os.getpid()}-{time.monotonic_ns()}").touch()
    return {"number": number}


def failing(number: int) -> Any:
    raise ZeroDivisionError(f"piece {number}")


def numbers(found: Sequence[Any]) -> list[int]:
    return [result["number"] for result in found]


@pytest.mark.parametrize("executor", [None, "processes:3", ThreadPoolExecutor(2)], ids=str)
def test_results_come_in_the_order_of_the_pieces(executor: Any) -> None:
    # the first pieces take longest
    work = [partial(piece, i, 0.02 * (i < 2)) for i in range(8)]
    found = list(in_order(work, executor=executor))
    assert numbers(found) == list(range(8))
    assert all(np.array_equal(a["squares"], piece(i)["squares"]) for i, a in enumerate(found))


def test_a_piece_whose_process_dies_is_done_again(tmp_path: Path) -> None:
    work = [*(partial(piece, i) for i in range(4)), partial(deadly_until, tmp_path / "mark"), partial(piece, 5)]
    assert numbers(list(in_order(work, executor="processes:2"))) == [0, 1, 2, 3, 7, 5]


def test_a_piece_that_always_kills_its_process_is_named_and_the_others_are_kept(tmp_path: Path) -> None:
    work = [partial(counted, 0, tmp_path), partial(os._exit, 3), partial(piece, 2)]
    with Store(tmp_path / "run.db", RUN) as store:
        results = in_order(work, executor="processes:2", store=store)
        assert next(results) == {"number": 0}
        with pytest.raises(ChildProcessError, match=r"piece 1 of 3 ended its process 3 times"):
            next(results)
        assert store.numbers() == {0, 2}


def test_an_exception_of_a_piece_comes_in_its_turn() -> None:
    results = in_order([partial(piece, 0, 0.05), partial(failing, 1)], executor="processes:2")
    assert next(results)["number"] == 0
    with pytest.raises(ZeroDivisionError, match="piece 1"):
        next(results)


def test_what_the_store_has_is_not_done_again(tmp_path: Path) -> None:
    work = [partial(counted, i, tmp_path) for i in range(5)]
    for part in (work[:2], work, work):
        with Store(tmp_path / "run.db", RUN) as store:
            assert numbers(list(in_order(part, executor="processes:2", store=store))) == list(range(len(part)))
    assert len(list(tmp_path.glob("?-*"))) == 5


def test_a_result_comes_back_as_it_was(tmp_path: Path) -> None:
    array = np.array([[0.1, np.nan], [np.inf, -0.0]])
    for i, result in enumerate([array, {"a": array, "b": 0.1, "c": "text"}]):
        with Store(tmp_path / "run.db", RUN) as store:
            store.put(i, result)
            store.put(i, np.zeros(1))  # another run, which is later
        with Store(tmp_path / "run.db", RUN) as store:
            np.testing.assert_equal(store.get(i), result)


@pytest.mark.parametrize(
    ("configuration", "words"),
    [
        ({"width": 4, "seed": 0}, r"keeps a run with width = 3, and this one has width = 4"),
        ({"width": 3}, "keeps a run with seed = 0, and this one has no seed"),
        (RUN | {"igbtheory": "0.0.7"}, r"igbtheory = 0\.1\.0, and this one has igbtheory = 0\.0\.7"),
    ],
)
def test_the_store_of_another_run_is_refused(tmp_path: Path, configuration: Any, words: str) -> None:
    Store(tmp_path / "run.db", RUN).close()
    with pytest.raises(ValueError, match=words):
        Store(tmp_path / "run.db", configuration)


def test_workers_of_another_version_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    told = itertools.chain([{"igbtheory": "0.0.7"}], itertools.repeat({"igbtheory": "0.1.0"}))
    monkeypatch.setattr(pieces, "versions", told.__next__)
    with ThreadPoolExecutor(1) as threads, pytest.raises(ValueError, match=r"0\.0\.7.*got.*0\.1\.0"):
        list(in_order([partial(piece, 0)], executor=threads))


def test_an_executor_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match='such as "processes:4"'):
        list(in_order([partial(piece, 0)], executor="slurm:4"))
