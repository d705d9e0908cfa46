"""Runs of many pieces: the same results in the same order, whoever does them and whatever happens to it."""

import itertools
import multiprocessing
import os
import random
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from repeated import slow

import igbtheory as igb
from igbtheory import phases
from igbtheory.claims import Finding
from igbtheory.foundations.runs import Store, chosen, in_order
from igbtheory.presentation.cli import main

RUN = {"width": 3, "seed": 0}
KEPT = "SELECT count(*) FROM pieces"


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


def interrupting(file: Path) -> Any:
    """Interrupt the run when its store has something."""
    with closing(sqlite3.connect(file)) as store:
        while not store.execute(KEPT).fetchone()[0]:
            time.sleep(0.01)
    os.kill(os.getppid(), signal.SIGINT)
    time.sleep(60)


def large(number: int) -> Any:
    return {"number": number, "values": np.full(20_000, number)}


def failing(number: int) -> Any:
    raise ZeroDivisionError(f"piece {number}")


def failing_beside(mark: Path) -> Any:
    while not mark.exists():
        time.sleep(0.01)
    raise ZeroDivisionError


def endless(mark: Path) -> Any:
    mark.touch()
    while True:
        time.sleep(0.01)


def numbers(found: Sequence[Any]) -> list[int]:
    return [result["number"] for result in found]


@pytest.mark.parametrize("executor", [None, "processes:3", ThreadPoolExecutor(2)], ids=["none", "text", "own"])
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


def test_exceptions_may_be_results_and_the_others_go_on() -> None:
    work: list[Any] = [partial(piece, 0), partial(failing, 1), partial(os._exit, 3), partial(sys.exit, 4)]
    work.append(lambda: piece(4))
    first, error, dead, left, last = in_order(work, executor="processes:2", raises=False)
    assert numbers([first, last]) == [0, 4]
    assert [type(found) for found in (error, dead, left)] == [ZeroDivisionError, ChildProcessError, ChildProcessError]
    assert "ended by exit(4)" in str(left)


def test_what_the_store_has_is_not_done_again(tmp_path: Path) -> None:
    work = [partial(counted, i, tmp_path) for i in range(5)]
    for part in (work[:2], work, work):
        with Store(tmp_path / "run.db", RUN) as store:
            assert numbers(list(in_order(part, executor="processes:2", store=store))) == list(range(len(part)))
    assert len(list(tmp_path.glob("?-*"))) == 5


def test_pieces_with_names_share_a_store(tmp_path: Path) -> None:
    with Store(tmp_path / "run.db", RUN) as store:
        for part in ([3, 0], [0, 1, 3], [1]):
            work = [partial(counted, i, tmp_path) for i in part]
            found = in_order(work, executor="threads:1", store=store, names=[("piece", i) for i in part])
            assert numbers(list(found)) == part
        assert store.once(("piece", 1), partial(failing, 1)) == {"number": 1}
    assert len(list(tmp_path.glob("?-*"))) == 3


def test_threads_give_up_the_pieces_that_they_are_at(tmp_path: Path) -> None:
    before = threading.active_count()
    with pytest.raises(ZeroDivisionError):  # and it ends
        list(in_order([partial(work, tmp_path / "mark") for work in (failing_beside, endless)], executor="threads:2"))
    assert threading.active_count() == before


def test_functions_that_are_watched_end_after_a_run_in_threads() -> None:
    """CPython 3.11 would look for ever for an exception that had been taken back."""
    threads = "from igbtheory.foundations.runs import in_order; list(in_order([dict], executor='threads:1'))"
    code = f"import sys; {threads}; sys.setprofile(lambda *_: None); (lambda: None)()"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)  # noqa: S603


def test_a_run_inside_a_thread_has_one_worker() -> None:
    (inside,) = in_order([partial(chosen, None, None, 60.0)], executor="threads:1")
    assert (inside, chosen(None, 2, 60.0)) == ("threads:1", "processes:2")


def test_a_result_comes_back_as_it_was(tmp_path: Path) -> None:
    array = np.array([[0.1, np.nan], [np.inf, -0.0]])
    results = [array, {"a": array, "b": 0.1, "c": "text"}, 7, (Finding("simulation", "a", "holds", "b"), None, 0.1)]
    for i, result in enumerate([*results, igb.mlp(2).predict()]):
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
        (RUN | {"igbtheory": "0.0.7"}, r"igbtheory = 0\.1\.0 \(code \w+\), and this one has igbtheory = 0\.0\.7"),
    ],
)
def test_the_store_of_another_run_is_refused(tmp_path: Path, configuration: Any, words: str) -> None:
    Store(tmp_path / "run.db", RUN).close()
    with pytest.raises(ValueError, match=words):
        Store(tmp_path / "run.db", configuration)


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("CREATE TABLE plants (name TEXT)")
    (tmp_path / "text.db").write_text("plants" * 99)
    for name in ("other.db", "text.db"):
        with pytest.raises(ValueError, match="is damaged, or no store of igbtheory"):
            Store(tmp_path / name, RUN)


@pytest.mark.parametrize("raises", [True, False])
def test_workers_of_another_version_are_refused(monkeypatch: pytest.MonkeyPatch, *, raises: bool) -> None:
    told = itertools.chain([{"igbtheory": "0.0.7"}], itertools.repeat({"igbtheory": "0.1.0"}))
    monkeypatch.setattr("igbtheory.foundations.runs.pieces.versions", told.__next__)
    with ThreadPoolExecutor(1) as threads, pytest.raises(ValueError, match=r"0\.0\.7.*got.*0\.1\.0"):
        list(in_order([partial(piece, 0)], executor=threads, raises=raises))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--seed=1"], "run.db keeps a run with seed = 0, and this one has seed = 1"),
        (["--executor=slurm:4"], 'expected an executor such as "processes:4"'),
        (["--executor=dask:host"], 'expected an executor such as "processes:4" or "dask:tcp://host:8786"'),
        (["--compare"], "cannot use the store"),  # its second store, whose name a folder has
    ],
)
def test_the_command_refuses_in_one_sentence(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], options: list[str], words: str
) -> None:
    command = ["simulate", "--networks=4", "--width=4", "--samples=4", f"--store={tmp_path / 'run.db'}"]
    assert main(command) == 0
    (tmp_path / "run.db.8").mkdir()
    assert main([*command, *options]) == 2
    error = capfd.readouterr().err
    assert words in error
    assert error.count("\n") == 1


COMMANDS = ("report --out out", "figures regimes --out out", "verify A --out out", "phase tanh --diagram", "simulate")


@pytest.mark.parametrize("command", COMMANDS)
def test_workers_nobody_has_are_refused_before_anything_is_begun(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*command.split(), "--executor=slurm:4", "--store=run.db"]) == 2
    error = capfd.readouterr().err
    assert 'igb: error: expected an executor such as "processes:4"' in error
    assert error.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_the_store_of_other_code_is_refused(tmp_path: Path) -> None:
    """A function of the package is changed, the version is not."""
    shutil.copytree(Path(igb.__file__).parent, tmp_path / "igbtheory")
    shutil.copytree(Path(__file__).parent.parent / "derivations", tmp_path / "derivations")
    words = [sys.executable, "-m", "igbtheory", "verify", "E-Eq4", "--quick", "--store", str(tmp_path / "run.db")]

    def verified() -> tuple[int, str]:
        options: Any = {"cwd": tmp_path, "env": {**os.environ, "PYTHONPATH": str(tmp_path)}, "text": True}
        run = subprocess.run(words, stderr=subprocess.PIPE, check=False, timeout=120, **options)  # noqa: S603
        return run.returncode, run.stderr

    assert verified() == verified() == (0, "")
    with (tmp_path / "igbtheory" / "foundations" / "checks.py").open("a", encoding="utf-8") as file:
        file.write("# other code\n")
    status, error = verified()
    assert status == 2
    assert re.search(r"run\.db keeps a run with igbtheory = 0\.1\.0 \(code (\w+)\), .* \(code (?!\1)\w+\);", error)


# --- faults ---

WORK = [partial(piece, i) for i in range(12)]


@pytest.fixture(scope="module")
def whole() -> list[Any]:
    return list(in_order(WORK, executor="threads:1"))


def test_an_interruption_keeps_what_is_done_and_says_how_to_go_on(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with (
            pytest.raises(KeyboardInterrupt, match=r"run\.db keeps 1 finished pieces; repeat the command to go on"),
            Store(tmp_path / "run.db", RUN) as store,
        ):
            list(in_order([partial(piece, 0), partial(interrupting, store.path)], executor="processes:1", store=store))
    finally:
        signal.signal(signal.SIGINT, before)
    assert not multiprocessing.active_children()


@pytest.mark.slow
def test_the_command_says_how_to_go_on(tmp_path: Path) -> None:
    file = tmp_path / "run.db"
    words = f"simulate --networks 1000000 --width 4 --samples 4 --store {file} --executor processes:1".split()
    run = subprocess.Popen([sys.executable, "-m", "igbtheory", *words], stderr=subprocess.PIPE, text=True)  # noqa: S603
    while not Path(f"{file}-wal").exists():
        time.sleep(0.01)
    with closing(sqlite3.connect(file)) as store:
        while not (store.execute("SELECT 1 FROM sqlite_master").fetchone() and store.execute(KEPT).fetchone()[0]):
            time.sleep(0.05)
    run.send_signal(signal.SIGINT)
    assert re.fullmatch(r"igb: error: interrupted; .*run\.db keeps \d+ fin.* to go on\n", run.communicate()[1])
    assert run.returncode == 130
    with closing(sqlite3.connect(file)) as store:
        assert store.execute(KEPT).fetchone()[0]


SCRIPT = """
import sys, test_runs
from igbtheory.presentation.cli import main
from igbtheory.foundations.runs import Store, in_order
with Store(sys.argv[1], test_runs.RUN) as store:
    print("begun", flush=True)
    work = [test_runs.partial(test_runs.piece, i, 0.1) for i in range(12)]
    print(test_runs.text(list(in_order(work, executor="processes:2", store=store))))
"""


def text(found: Any) -> str:
    return repr([(result["number"], result["squares"].tobytes()) for result in found])


@pytest.mark.slow  # it starts again and again
def test_a_run_that_is_killed_again_and_again_ends_with_the_same_numbers(tmp_path: Path, whole: list[Any]) -> None:
    command = [sys.executable, "-c", SCRIPT, str(tmp_path / "run.db")]
    environment = {**os.environ, "PYTHONPATH": f"{Path(__file__).parent}:{os.environ.get('PYTHONPATH', '')}"}
    moments = random.Random(0)  # noqa: S311 - no secret
    for _ in range(5):
        run = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)  # noqa: S603
        assert run.stdout is not None
        run.stdout.readline()
        time.sleep(moments.uniform(0, 0.3))
        run.kill()
        run.communicate()  # comes to an end only when the processes of the run, which have its output, are gone
    done = subprocess.run(command, stdout=subprocess.PIPE, env=environment, check=True, text=True)  # noqa: S603
    assert done.stdout.splitlines()[-1] == text(whole)


BUSY = """
import sys, time
from pathlib import Path
from igbtheory.foundations.whole_files import whole_file
with whole_file(Path(sys.argv[1]), (".png",)) as path:
    print(path.parent, flush=True)
    time.sleep(60)
"""


def test_the_next_run_deletes_what_a_killed_one_left_and_nothing_else(tmp_path: Path) -> None:
    command = [sys.executable, "-c", BUSY, str(tmp_path / "picture.png")]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as killed,  # noqa: S603
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as alive,  # noqa: S603
    ):
        places = [Path(run.stdout.readline().strip()) for run in (killed, alive) if run.stdout]
        (tmp_path / ".unfinished-novel").mkdir()
        killed.kill()
        killed.wait()
        for folder in tmp_path.iterdir():
            os.utime(folder, (0, 0))
        assert main(["predict", f"--plot={tmp_path / 'picture.png'}"]) == 0
        left = {path.name for path in tmp_path.iterdir()}
        alive.kill()
    assert left == {"picture.png", ".unfinished-novel", places[1].name}


@pytest.mark.parametrize("way", ["truncated", "flipped", "zeroed"])
def test_a_damaged_store_gives_the_same_numbers_or_an_error(tmp_path: Path, whole: list[Any], way: str) -> None:
    file = tmp_path / "run.db"
    with Store(file, RUN) as store:
        list(in_order(WORK, executor="threads:1", store=store))
    sound, refused = file.read_bytes(), 0
    for place in np.linspace(0, len(sound) - 1, 23, dtype=int):
        damaged = bytearray(sound)
        if way == "truncated":
            del damaged[place:]
        elif way == "flipped":
            damaged[place] ^= 255
        else:
            damaged[place : place + 512] = bytes(len(damaged[place : place + 512]))
        file.write_bytes(damaged)
        try:
            with Store(file, RUN) as store:
                assert text(in_order(WORK, executor="threads:1", store=store)) == text(whole)
        except ValueError as error:
            assert re.search(r"run\.db (is damaged|keeps a run with)", str(error))  # noqa: PT017 - one of two ends
            refused += 1
    assert refused > 3


def test_a_full_disk_is_told_and_what_is_kept_is_used(tmp_path: Path) -> None:
    work = [partial(large, i) for i in range(4)]
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, before[1]))
    try:
        with (
            Store(tmp_path / "run.db", RUN) as store,
            pytest.raises(OSError, match=r"cannot use the store .* what it keeps is safe: make room"),
        ):
            list(in_order(work, executor="threads:1", store=store))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    with Store(tmp_path / "run.db", RUN) as store:
        assert 0 < len(store.numbers()) < 4
        assert numbers(list(in_order(work, executor="threads:1", store=store))) == [0, 1, 2, 3]


@pytest.mark.parametrize("folder", ["/proc", "/nowhere"])
def test_a_folder_that_takes_no_file_is_refused(folder: str) -> None:
    with pytest.raises(OSError, match=r"unable to open database file; .* a folder of this machine that you may write"):
        Store(Path(folder) / "run.db", RUN)


def test_a_folder_that_may_only_be_read_is_refused_and_stays_as_it_was() -> None:
    before = os.geteuid()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "run.db")
        Store(file, RUN).close()
        file.chmod(0o444)
        Path(folder).chmod(0o555)
        if before == 0:  # who may write everywhere
            os.seteuid(65534)
        try:
            for name, words in ((file, "attempt to write a readonly database"), (f"{file}2", "unable to open")):
                with pytest.raises(OSError, match=f"{words}.* that you may write to, and repeat the command"):
                    Store(name, RUN)
        finally:
            os.seteuid(before)
        assert list(Path(folder).iterdir()) == [file]
        Path(folder).chmod(0o755)


def test_two_runs_on_one_store_do_not_harm_each_other(tmp_path: Path, whole: list[Any]) -> None:
    def run() -> str:
        with Store(tmp_path / "run.db", RUN) as store:
            return text(in_order(WORK, executor="threads:2", store=store))

    with ThreadPoolExecutor(2) as two:
        assert [future.result() for future in [two.submit(run), two.submit(run)]] == [text(whole)] * 2


def test_runs_that_make_one_store_at_the_same_time_wait_for_each_other(tmp_path: Path) -> None:
    def opened(path: Path, start: threading.Barrier) -> set[int]:
        start.wait()
        with Store(path, RUN) as store:
            return store.numbers()

    with ThreadPoolExecutor(4) as four:
        for i in range(50):
            start = threading.Barrier(4)
            tasks = [four.submit(opened, tmp_path / f"{i}.db", start) for _ in range(4)]
            assert [task.result() for task in tasks] == [set()] * 4


def mapped(executor: str, store: Path | None = None) -> list[Any]:
    """The numbers of a phase diagram."""
    found = phases.diagram("gelu", [1.0, 2.0], [0.1, 0.2], 3, executor=executor, store=store)
    return [*found.columns().values(), found.fine_backward]


@pytest.mark.parametrize("executor", [slow("processes:1"), "processes:2", "threads:2"])
def test_phase_diagrams_are_the_same_whoever_computes_them(tmp_path: Path, executor: str) -> None:
    expected = mapped("threads:1")
    for _ in range(2):
        np.testing.assert_equal(mapped(executor, tmp_path / "run.db"), expected)
    with pytest.raises(ValueError, match="depth = 3, and this one has depth = 4"):
        phases.diagram("gelu", [1.0, 2.0], [0.1, 0.2], 4, store=tmp_path / "run.db")
    with pytest.raises(ValueError, match="axes, and gamma in the corner"):
        phases.diagram("gelu", [1.0, 3.0], [0.1, 0.2], 3, store=tmp_path / "run.db")


# --- a cluster ---


def test_a_scheduler_out_of_reach_is_told_and_no_store_is_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("igbtheory.foundations.runs.executors.PATIENCE", 0.2)
    with pytest.raises(ConnectionError, match=r"no scheduler of dask answers at tcp://127\.0\.0\.1:1 "):
        igb.mlp(1).simulate(20, 2, 2, executor="dask:tcp://127.0.0.1:1", store=tmp_path / "run.db")
    assert not list(tmp_path.iterdir())


def test_a_cluster_of_another_version_is_refused_and_no_store_is_begun(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": ":0"}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        client.run(pytest.MonkeyPatch().setattr, "igbtheory.foundations.version.VERSION", "0.0.7")
        with pytest.raises(ValueError, match=r"expected .*'0\.1\.0 \(.*got .*'0\.0\.7 \(code \w+\)'.* on tcp://"):
            igb.mlp(1).simulate(20, 2, 2, executor=f"dask:{cluster.scheduler_address}", store=tmp_path / "run.db")
    assert not list(tmp_path.iterdir())


def test_a_piece_that_returns_nothing_is_refused(tmp_path: Path) -> None:
    with Store(tmp_path / "run.db", RUN) as store:
        with pytest.raises(TypeError, match="got None; return what the piece computes"):
            store.put(1, None)
        store.put(1, 0.5)
        assert store.get(1) == 0.5


@pytest.mark.slow
def test_a_cluster_that_falls_silent_ends_the_run_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    for module in ("executors", "pieces"):
        monkeypatch.setattr(f"igbtheory.foundations.runs.{module}.PATIENCE", 2)
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host=127.0.0.1", "--port=0", "--no-dashboard"]
    scheduler = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)  # noqa: S603
    assert scheduler.stderr
    address = next(found[0] for line in scheduler.stderr if (found := re.search(r"tcp://[\d.]+:\d+", line)))
    command = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-dashboard"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as worker:  # noqa: S603
        with distributed.Client(address) as client:
            client.wait_for_workers(1)
        results = in_order([partial(time.sleep, 0.1)] * 600, executor=f"dask:{address}")
        try:
            next(results)
            scheduler.send_signal(signal.SIGSTOP)
            with pytest.raises(ConnectionError, match="the scheduler of dask no longer answers"):
                list(results)
        finally:
            scheduler.kill()
            worker.kill()
            scheduler.wait()
            scheduler.stderr.close()


@pytest.mark.slow
def test_a_cluster_that_loses_a_worker_gives_the_same_numbers(tmp_path: Path, whole: list[Any]) -> None:
    distributed = pytest.importorskip("distributed")
    work = [*WORK[:5], partial(deadly_until, tmp_path / "mark"), *WORK[6:]]
    options = {"n_workers": 3, "threads_per_worker": 1, "dashboard_address": ":0"}
    with distributed.LocalCluster(**options) as cluster:
        who = f"dask:{cluster.scheduler_address}"
        found = list(in_order(work, executor=who))
        # claims are of files that no worker has imported
        assert main(["verify", "E-Eq4", "--quick", "--executor", who]) == 0
        np.testing.assert_equal(mapped(who), mapped("threads:1"))
    assert found[5] == {"number": 7}
    del found[5]
    assert text(found) == text(whole[:5] + whole[6:])
