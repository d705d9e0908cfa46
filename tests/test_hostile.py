"""Hostile formulas, damaged files and forged results: each is refused in words, quickly, and nothing is executed."""

import builtins
import gzip
import hashlib
import io
import json
import os
import random
import sqlite3
import struct
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import igbtheory as igb
from igbtheory.foundations.runs import Store
from igbtheory.mathematics.formulas import function_of

ATOMS = (
    "x",
    "1",
    "0",
    "1e99",
    "1e-99",
    "1e99**4",
    "5e-324",
    "2.5",
    "pi",
    "E",
    "__import__",
    "open",
    "exec",
    "y",
    "''",
    "None",
    "x.x",
    "[]",
    "{}",
)
UNARY = (
    "-{}",
    "({})",
    "exp({})",
    "tanh({})",
    "log({})",
    "sqrt({})",
    "abs({})",
    "not {}",
    "lambda: {}",
    "*{}",
    "{}()",
    "{}[0]",
)
BINARY = (
    "{}+{}",
    "{}*{}",
    "{}/{}",
    "{}**{}",
    "max({}, {})",
    "{}<{}",
    "{};{}",
    "{}:={}",
    "({}, {})",
    "{} if x else {}",
    "{}({})",
)

WRITTEN = (
    "",
    "cot(0)*x",
    "coth(0) + x",
    "cot(x - x)",
    "x*5e-324**max(1e99, E)",
    "relu(1/(x - x))",
    f"max({', '.join(f'{k}*x' for k in range(31))})",
    "sign(sin(50*x))",
    "max(sin(20*x), cos(21*x), x)",
    " ",
    "\t",
    "\n",
    "x\n+1",
    "()",
    "__import__('os').system('touch /tmp/owned')",
    "open('/etc/passwd').read()",
    "exec('1')",
    "().__class__.__bases__[0].__subclasses__()",
    "(lambda: x)()",
    "[x for x in range(10**9)]",
    "f'{x}'",
    "x" * 4001,
    "9" * 900,
    "9**9**9**9*x",
    "((((x**64)**64)**64)**64)**64",
    "2**64**64*x",
    "(1e100**64)**64*x",
    "1e-100**64*x/1e100**64",
    "max(" * 40 + "x" + ",1)" * 40,
    "abs(" * 45 + "x-1" + ")" * 45,
    "(" * 900 + "x" + ")" * 900,
    "-" * 900 + "x",
    "x" + "+x" * 400,
    "x" + "*(x+1)" * 150,
    "exp(" * 30 + "x" + ")" * 30,
    "exp(exp(exp(x)))",
    "x**x**x**x",
    "tan(1/x)",
    "sin(1/x)",
    "1/sin(x)",
    "0**x",
    "0*x/0",
    "x/(x-x)",
    "where(x, 1, 2)",
    "where(x > 0, 1)",
    "where(x > 0, 1, 2, 3)",
    "where(x is x, 1, 2)",
    "max()",
    "max(x)",
    "tanh()",
    "tanh(x=1)",
    "tanh(*x)",
    "x.__class__",
    "φ(x)",
    "\uff58",
    "x²",
    "\x00",
    "x\x00",
    "\ud800",
    "é",
    "import os",
    "yield x",
    "await x",
    "x := 1",
    "...",
    "1j*x",
    "0x10*x",
    "1_000*x",
    "inf*x",
    "nan",
    "1e999*x",
    "-1e999",
    "max(x, 1e99**4)",
    "abs(x - 1e99**4)",
    "where(x > 0.5/5e-324, x, 1)",
    "True*x",
    "'x'*9",
    "b'x'",
)


def hostile(count: int, seed: int = 7) -> Iterator[str]:
    """The written ones, then random trees of atoms and operators, mostly nonsense."""
    yield from WRITTEN
    rng = random.Random(seed)  # noqa: S311 - nothing secret

    def grown(depth: int) -> str:
        if not depth or rng.random() < 0.2:
            return rng.choice(ATOMS)
        if rng.random() < 0.4:
            return rng.choice(UNARY).format(grown(depth - 1))
        return rng.choice(BINARY).format(grown(depth - 1), grown(depth - 1))

    for _ in range(count - len(WRITTEN)):
        yield grown(rng.randint(1, 7))


def unpack_at_most(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse data that unpack to more bytes."""
    monkeypatch.setattr("igbtheory.foundations.guarded.LARGEST", size)


def test_hostile_formulas_are_refused_or_harmless(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: Any) -> None:
        raise AssertionError("a formula was executed")

    with suppress(ValueError):  # loads mpmath, with Python's own exec and open
        function_of("tan(1/x)")
    for name in ("eval", "exec", "open", "__import__"):
        if name != "__import__":  # Python's own lazy imports use it
            monkeypatch.setattr(builtins, name, forbidden)
    refused = 0
    for text in hostile(1000):
        try:
            function_of(text)
        except ValueError as error:
            refused += len(str(error)) > 20  # a sentence, not a word
    assert refused > 900


@pytest.mark.parametrize("text", ["where(x/1e99 > 1e99**3, x, tanh(x))", "where(x*5e-324 > 1e99, x, tanh(x))"])
def test_kinks_that_no_double_reaches_change_nothing(text: str) -> None:
    phi = function_of(text)
    assert (phi.kinks, igb.mlp(1, text).predict().gamma) == ((), igb.mlp(1, "tanh").predict().gamma)


def packed(values: Any, suffix: str) -> bytes:
    """Return the bytes of a file with these values."""
    file = io.BytesIO()
    match suffix:
        case "npy":
            np.save(file, values)
        case "npz":
            np.savez_compressed(file, x=values, y=np.arange(len(values)))
        case "pt":
            torch = pytest.importorskip("torch")
            torch.save((torch.tensor(values), torch.arange(len(values))), file)
        case "csv":
            np.savetxt(file, values, delimiter=",")
        case "gz":
            file.write(gzip.compress(struct.pack(">4B2I", 0, 0, 14, 2, *values.shape) + values.astype(">f8").tobytes()))
        case _:
            Image.fromarray((values * 255).astype(np.uint8)).save(file, suffix)
    return file.getvalue()


@pytest.mark.parametrize("suffix", ["npy", "npz", "pt", "csv", "gz", "png", "jpeg", "bmp", "ppm"])
@pytest.mark.filterwarnings("ignore:Detected pickle protocol")
def test_damaged_files_are_read_or_refused_by_name(suffix: str, tmp_path: Path) -> None:
    rng = random.Random(3)  # noqa: S311 - nothing secret
    whole = packed(np.random.default_rng(0).random((12, 9)), suffix)
    path = tmp_path / f"a.{suffix}"
    source = tmp_path if suffix in {"png", "jpeg", "bmp", "ppm"} else path
    refused = 0
    for i in range(60):
        content = bytearray(whole[: rng.randrange(len(whole))] if i % 3 == 0 else whole)
        for _ in range(rng.choice((1, 3, 50)) if content else 0):
            content[rng.randrange(min(len(content), rng.choice((30, 200, len(content)))))] = rng.randrange(256)
        path.write_bytes(content)
        try:
            igb.read_data(source)
        except ValueError as error:
            refused += 1
            assert f"cannot read {path}: " in str(error)  # noqa: PT017 - an undamaged file raises none
    assert refused > 20


def test_data_that_unpack_to_more_than_fits_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    zeros = np.zeros((200, 100))
    for suffix in ("npz", "gz"):
        (tmp_path / f"a.{suffix}").write_bytes(packed(zeros, suffix))
        assert igb.read_data(tmp_path / f"a.{suffix}")[0].shape == zeros.shape
    unpack_at_most(zeros.nbytes - 1, monkeypatch)
    for suffix in ("npz", "gz"):
        with pytest.raises(ValueError, match=r"expected at most 159,999 bytes of unpacked data, got 16\d,\d{3}; take"):
            igb.read_data(tmp_path / f"a.{suffix}")
    (tmp_path / "a.npy").write_bytes(packed(zeros, "npy"))  # takes no more memory than disk
    assert igb.read_data(tmp_path / "a.npy")[0].shape == zeros.shape


def test_files_that_hold_more_or_less_than_they_declare_are_refused(tmp_path: Path) -> None:
    head = struct.pack(">4B2I", 0, 0, 8, 2, 2, 3)
    (tmp_path / "a.gz").write_bytes(gzip.compress(head + bytes(10**7)))
    with pytest.raises(ValueError, match=r"a\.gz: expected 6 numbers, got more"):
        igb.read_data(tmp_path / "a.gz")
    (tmp_path / "a.gz").write_bytes(gzip.compress(struct.pack(">4B3I", 0, 0, 8, 3, *[2**32 - 1] * 3)))
    with pytest.raises(ValueError, match=r"a\.gz: expected at most 2,147,483,648 bytes"):
        igb.read_data(tmp_path / "a.gz")
    content = packed(np.zeros((1, 3)), "npy").replace(b"(1, 3), }" + b" " * 13, b"(10000000000000, 3), }")
    (tmp_path / "a.npy").write_bytes(content)
    with pytest.raises(ValueError, match=r"cannot read .*a\.npy: mmap length is greater than file size"):
        igb.read_data(tmp_path / "a.npy")


def test_one_number_is_not_read_as_many(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    torch.save(torch.zeros(1).expand(10**6, 10**6), tmp_path / "a.pt")
    with pytest.raises(ValueError, match=r"a\.pt: expected at most .* got 4,000,000,000,000; take fewer data"):
        igb.read_data(tmp_path / "a.pt")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_pipes_and_devices_are_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.png")
    for path in (tmp_path / "a.png", tmp_path, Path("/dev/zero")):
        with pytest.raises(ValueError, match=r"cannot read .*: expected a file or a folder, got a pipe or a device"):
            igb.read_data(path)


def rational(p: int, q: int = 1) -> dict[str, Any]:
    return {"make": "sympy.core.numbers:Rational", "of": [p, q]}


def sympy_call(name: str, *parts: Any) -> dict[str, Any]:
    return {"make": f"sympy.{name}", "of": list(parts)}


def nested(value: Any, levels: int) -> Any:
    for _ in range(levels):
        value = {"tuple": [value]}
    return value


POWER = "core.power:Pow"
FORGED = {
    "a power": sympy_call(POWER, rational(10), rational(10**9)),
    "a tower": sympy_call(POWER, rational(10), sympy_call(POWER, rational(10), rational(100))),
    "a factorial": sympy_call("functions.combinatorial.factorials:factorial", rational(10**8)),
    "a division by zero": {"fraction": "1/0"},
    "a long fraction": {"fraction": "1e1000000000"},
    "a missing module": {"type": "igbtheory.nosuch:X", "fields": {}},
    "a missing name": {"type": "igbtheory.layers.inputs:Nosuch", "fields": {}},
    "a function": {"type": "igbtheory.layers.inputs:dataclass", "fields": {}},
    "another module": {"make": "sympy.physics.mechanics:Point", "of": []},
    "many digits": {"make": "igbtheory.mathematics.numbers.multiprecision:Multiprecision", "of": [10**9]},
    "many digits as a float": {"make": "igbtheory.mathematics.numbers.multiprecision:Multiprecision", "of": [1e7]},
    "digits below 0": {"make": "igbtheory.mathematics.numbers.multiprecision:Multiprecision", "of": [-3]},
    "many bits": {"make": "igbtheory.mathematics.numbers.certified:Certified", "of": [1e9]},
    "long texts": {"array": ["x"], "dtype": "U1000000000", "shape": [1]},
    "a wrong shape": {"array": [1.0, 2.0], "dtype": "float64", "shape": [3]},
    "a list as a key": {"items": [[[], 1]]},
    "a text for parts": {"make": "igbtheory.theory.prediction:PerLayer", "of": 1},
    "a number for a name": {"make": 1, "of": []},
    "many levels": nested(1.0, 400),
}


@pytest.mark.parametrize("state", FORGED.values(), ids=FORGED)
def test_forged_results_are_refused(state: Any) -> None:
    saved = json.loads(igb.mlp(1).predict().to_json())
    for forged in (state, {**saved["state"], "fields": {**saved["state"]["fields"], "per_layer": state}}):
        with pytest.raises(ValueError, match=r"^expected|^cannot|^Exceeds"):
            igb.Prediction.from_json(json.dumps({**saved, "state": forged}))
    assert "sympy.physics.mechanics" not in sys.modules


def places_in(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the places in a tree: what contains them, and the key or the index there; of a list the first and last."""
    for key in list(tree) if isinstance(tree, dict) else {0, len(tree) - 1} if isinstance(tree, list) and tree else ():
        yield tree, key
        yield from places_in(tree[key])


@pytest.mark.parametrize("part", [None, "x", {}], ids=repr)
def test_forged_fields_are_refused_or_can_be_shown(part: Any) -> None:
    """One place after the other of saved results holds something else: every field has its type, or it is refused."""
    data = igb.digits()[:4] / 16
    results = [
        igb.mlp(1).predict(),
        igb.mlp(1).predict(data),
        igb.mlp(1).simulate(networks=2, width=4, samples=4, inputs=data[:, 20:24]),
        igb.mlp(1).train(data, np.arange(4) % 2, draws=2, times=[1.0]),
    ]
    refused = 0
    for result in results:
        saved = json.loads(result.to_json())
        for holder, key in [*places_in(saved["state"])]:
            kept, holder[key] = holder[key], part
            try:
                shown = type(result).from_json(json.dumps(saved))
                assert repr(shown)
                assert shown.to_dict()
            except ValueError:
                refused += 1
            holder[key] = kept
    assert refused > 100


def test_a_field_of_another_type_is_refused_by_name() -> None:
    saved = json.loads(igb.mlp(1).predict().to_json())
    saved["state"]["fields"]["per_layer"] = 5
    with pytest.raises(ValueError, match="expected per_layer of Prediction to be of the type PerLayer, got 5"):
        igb.Prediction.from_json(json.dumps(saved))


def test_a_text_of_brackets_is_no_result() -> None:
    with pytest.raises(ValueError, match=r"expected the text of to_json\(\)"):
        igb.Prediction.from_json("[" * 100_000)


@pytest.mark.parametrize("name", [":memory:", "file:run.db?mode=memory"])
def test_a_store_that_keeps_nothing_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="expected the path of a file for the store"):
        Store(name, {})


def forged_store(path: Path, configuration: str | None, data: Any) -> None:
    """Write into a store, with a right checksum, what no run has written."""
    with Store(path, {}) as store:
        store.put(1, np.zeros(3))
    file = sqlite3.connect(path)
    with file:
        if configuration is not None:
            file.execute("UPDATE configuration SET text = ?", (configuration,))
        if data is not None:
            checksum = hashlib.blake2b(data, digest_size=16, salt=(1).to_bytes(8, "little")).digest()
            file.execute("UPDATE pieces SET sum = ?, data = ?", (checksum, data))
    file.close()


@pytest.mark.parametrize(
    "configuration", ["[" * 100_000, "[1, 2]", "5", "not JSON"], ids=["brackets", "list", "5", "text"]
)
def test_a_store_with_another_configuration_is_refused(configuration: str, tmp_path: Path) -> None:
    forged_store(tmp_path / "run.db", configuration, None)
    with pytest.raises(ValueError, match=r"run\.db is damaged, or no store of igbtheory"):
        Store(tmp_path / "run.db", {})


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 100_000,
        b"null",
        b"\x93NUMPY",
        b"PK",
        b"\xff",
        b'{"make": "os:system", "of": ["true"]}',
        packed(np.zeros(1), "npz")[:99],
    ],
    ids=["brackets", "null", "no array", "no archive", "no text", "a command", "half an archive"],
)
def test_forged_pieces_are_refused(data: bytes, tmp_path: Path) -> None:
    forged_store(tmp_path / "run.db", None, data)
    with (
        Store(tmp_path / "run.db", {}) as store,
        pytest.raises(ValueError, match=r"run\.db is damaged, or no store of igbtheory"),
    ):
        store.get(1)


def test_a_piece_that_unpacks_to_more_than_fits_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forged_store(tmp_path / "run.db", None, packed(np.zeros((200, 100)), "npz"))
    unpack_at_most(150_000, monkeypatch)
    with (
        Store(tmp_path / "run.db", {}) as store,
        pytest.raises(ValueError, match=r"is damaged.* at most 150,000 bytes"),
    ):
        store.get(1)


def test_a_store_of_other_tables_is_refused(tmp_path: Path) -> None:
    Store(tmp_path / "run.db", {}).close()
    file = sqlite3.connect(tmp_path / "run.db")
    file.execute("DROP TABLE pieces")
    file.execute(
        "CREATE VIEW pieces AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
    )
    file.close()
    with pytest.raises(ValueError, match="its tables are others"):
        Store(tmp_path / "run.db", {})


@pytest.mark.parametrize(
    ("column", "size"),
    [
        (np.zeros(40_000), "320,000"),  # as declared, before anything is unpacked
        (["x" * 200] * 2000, "4[01][0-9],[0-9]{3}"),  # in truth: 16,000 are declared, and either of two batches fits
    ],
    ids=["declared", "real"],
)
def test_a_parquet_file_that_unpacks_to_more_than_fits_is_refused(
    column: Any, size: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    pd.DataFrame({"a": column}).to_parquet(tmp_path / "x.parquet")
    unpack_at_most(250_000, monkeypatch)
    with pytest.raises(ValueError, match=f"at most 250,000 bytes of unpacked data, got {size};"):
        igb.read_data(tmp_path / "x.parquet", label_column=None)
    numbers = np.random.default_rng(0).normal(size=40_000)
    pd.DataFrame({"a": numbers}).to_parquet(tmp_path / "x.parquet")  # as large as its numbers
    assert np.array_equal(igb.read_data(tmp_path / "x.parquet", label_column=None)[0][:, 0], numbers)
