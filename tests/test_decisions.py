"""What a reader decides about a file, what it asks instead, and what it says: each was once silently wrong."""

# what is wrong is passed on purpose, and which of several types a result has is known here
# mypy: disable-error-code="arg-type"

import gzip
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import igbtheory as igb
from igbtheory.presentation.cli import main

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 2))
LABELS = np.arange(60) % 3
PIXELS = RNG.integers(0, 256, (6, 8, 8, 3), dtype=np.uint8)
Capture = pytest.CaptureFixture[str]


def table(header: str, *columns: Any) -> str:
    rows = [",".join(str(cell) for cell in row) for row in zip(*columns, strict=True)]
    return "\n".join([header, *rows] if header else rows)


SPECIES = np.array(["setosa", "virginica", "versicolor"])[LABELS]
TABLES: dict[str, tuple[str, str, dict[str, Any], tuple[int, int], bool]] = {
    # text, what the question says, the answer, the shape of the data then, whether there are labels then
    "no names": (table("", *X.T, LABELS), "label_column=2", {"label_column": 2}, (60, 2), True),
    "a name": (table("a,b,digit", *X.T, LABELS), "label_column='digit'", {"label_column": "digit"}, (60, 2), True),
    "a place": (table("a,b,digit", *X.T, LABELS), "'digit'", {"label_column": -1}, (60, 2), True),
    "no labels": (table("a,b,digit", *X.T, LABELS), "label_column=None", {"label_column": None}, (60, 3), False),
    "words": (
        table("a,kind,b,sex", X[:, 0], SPECIES, X[:, 1], SPECIES),
        "label_column='sex' and drop_columns='kind'",
        {"label_column": "sex", "drop_columns": "kind"},
        (60, 2),
        True,
    ),
    "a count": (table("", range(60), *X.T), "drop_columns='0'", {"drop_columns": "0"}, (60, 2), False),
    "a count as feature": (table("", range(60), *X.T), "label_column=None", {"label_column": None}, (60, 3), False),
    "numbers above": (table("0,1", *X.T), "header=True", {"header": True}, (60, 2), False),
    "first row": (table("0,1", *X.T), "header=False", {"header": False}, (61, 2), False),
    "two signs": (
        "".join(f"{a};name {i},{b}\n" for i, (a, b) in enumerate(X)),
        "separator=';'",
        {"separator": ";"},
        (60, 1),
        False,
    ),
    "thousands": (
        "".join(f"{1 + i % 7}.{400 + 3 * i};9.{900 - i * i % 61}\n" for i in range(60)),
        "decimal='.'",
        {"decimal": "."},
        (60, 2),
        False,
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_asked_about_and_the_answer_is_taken(name: str, tmp_path: Path, capsys: Capture) -> None:
    text, words, answer, shape, labelled = TABLES[name]
    path = tmp_path / "x.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=words):
        igb.read_data(path)
    data, labels = igb.read_data(path, **answer)
    assert data.shape == shape
    assert (labels is not None) == labelled
    if labels is not None:
        # words are numbered in the order of the alphabet
        assert labels.tolist() == (np.array([0, 2, 1])[LABELS] if name == "words" else LABELS).tolist()
    options = {option.replace("_", "-"): value for option, value in answer.items()}
    tokens = ["predict", "--data", str(path)]
    assert main(tokens) == 2
    assert f"--{next(iter(options))}" in capsys.readouterr().err
    assert main([*tokens, *(f"--{option}={value}" for option, value in options.items()), "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["gamma"] == igb.mlp(3).predict(data).gamma
    assert err.count("\n") == 1  # what was decided
    assert f"{path}: read {len(data)} data of {shape[1]} feature" in err


@pytest.mark.parametrize("name", ["x.tsv", "x.CSV", "x.csv.gz", "x.TSV.GZ"])
def test_tables_with_tabs_zipped_and_of_any_case(name: str, tmp_path: Path) -> None:
    text = table("a,b", *X.T)
    content = (text.replace(",", "\t") if "tsv" in name.lower() else text).encode()
    (tmp_path / name).write_bytes(gzip.compress(content) if name.lower().endswith("gz") else content)
    assert np.array_equal(igb.read_data(tmp_path / name)[0], X)


def test_a_parquet_file_is_a_table_with_names(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "kind": SPECIES}).to_parquet(tmp_path / "x.parquet")
    data, labels = igb.read_data(tmp_path / "x.parquet")
    assert np.array_equal(data, X)
    assert labels is not None
    assert labels.tolist() == np.array([0, 2, 1])[LABELS].tolist()
    pd.DataFrame({"a": [np.nan, 1.0], "b": X[:2, 1]}).to_parquet(tmp_path / "x.parquet")
    with pytest.raises(
        ValueError, match="column a has no number in 1 of 2 rows, first in row 0; pass drop_columns='a'"
    ):
        igb.read_data(tmp_path / "x.parquet")
    # without names pandas numbers the columns, which is no question here
    pd.DataFrame(X).rename(columns=str).to_parquet(tmp_path / "x.parquet")
    assert np.array_equal(igb.read_data(tmp_path / "x.parquet")[0], X)


def test_labels_in_numbers_and_words_and_missing_columns_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,b\n1.5,2\n2.5,cat\n0.5,1")
    with pytest.raises(ValueError, match="in numbers or in words; column b has 'cat' among numbers in line 3"):
        igb.read_data(tmp_path / "x.csv", label_column="b")
    for column in ("c", 2, -3):
        with pytest.raises(ValueError, match=f"unknown column '{column}'; known: a, b"):
            igb.read_data(tmp_path / "x.csv", label_column=column)
    (tmp_path / "x.csv").write_text("a,b\n1.5,inf\n2.5,inf\n0.5,1")
    assert igb.read_data(tmp_path / "x.csv", label_column="b")[1] == pytest.approx(np.array([[np.inf], [np.inf], [1]]))
    (tmp_path / "x.csv").write_text("a,b\n1.5,cat\n\n2.5,\n0.5,dog")
    with pytest.raises(ValueError, match="column b has none in 1 of 3, first in line 4; remove these rows"):
        igb.read_data(tmp_path / "x.csv", label_column="b")


@pytest.mark.parametrize(
    ("arrays", "key", "data", "labels"),
    [
        ({"X": X, "K": X @ X.T}, None, "X", None),
        ({"A": X, "K": X @ X.T}, None, "key='A'", None),
        ({"A": X, "K": X @ X.T, "n": LABELS}, "A", "A", "n"),
        ({"x_test": X[:9], "x_train": X, "y_test": LABELS[:9], "y_train": LABELS}, None, "x_train", "y_train"),
        ({"images": X, "fine": LABELS, "coarse": LABELS % 2}, None, "key='images,fine'", None),
        ({"images": X, "fine": LABELS, "coarse": LABELS % 2}, "images,coarse", "images", "coarse"),
        ({"data": X, "y": LABELS[:9]}, None, "data", None),
        ({"data": X, "y": LABELS.astype(float)}, None, "data", "y"),
        ({"data": X, "offsets": LABELS - 2}, None, "data", None),
    ],
)
def test_names_decide_which_array_is_the_data(
    arrays: dict[str, Any], key: str | None, data: str, labels: str | None, tmp_path: Path
) -> None:
    np.savez(tmp_path / "x.npz", **arrays)
    if data not in arrays:
        with pytest.raises(ValueError, match=data):
            igb.read_data(tmp_path / "x.npz")
        return
    found = igb.read_data(tmp_path / "x.npz", key=key)
    assert np.array_equal(found[0], arrays[data])
    assert np.array_equal(found[1], arrays[labels]) if labels and found[1] is not None else labels is None
    assert labels is None or (found[1] is not None and found[1].dtype == np.int64)


def test_the_weights_of_a_model_are_no_data(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    model = torch.nn.Linear(12, 50)
    model.scale = torch.nn.Parameter(torch.ones(3, 4))
    for state in (model.state_dict(), dict(model.state_dict()), {"head.weight": torch.ones(3, 4)}):
        torch.save(state, tmp_path / "x.pt")
        with pytest.raises(ValueError, match="the state of a model"):
            igb.read_data(tmp_path / "x.pt")


@pytest.mark.parametrize("kind", ["float32", "uint8", "uint16"])
@pytest.mark.parametrize("axes", [None, "NHWC"])
def test_channels_last_are_channels_whatever_the_type(kind: str, axes: str | None, tmp_path: Path) -> None:
    white = {"float32": 1, "uint8": 255, "uint16": 65535}[kind]
    given = (PIXELS.astype(np.float64) * (white / 255)).astype(kind)
    np.save(tmp_path / "x.npy", given)
    found = igb.read_data(tmp_path / "x.npy", axes=axes)[0]
    assert found == pytest.approx(np.moveaxis(given, -1, 1) / white)
    assert found == pytest.approx(np.moveaxis(PIXELS, -1, 1) / 255, rel=1e-7)  # single precision


@pytest.mark.parametrize(
    ("shape", "kind", "answer", "expected"),
    [
        ((6, 8, 8), "float64", "NHW", (6, 1, 8, 8)),
        ((6, 8, 8), "float64", "NTF", (6, 8, 8)),
        ((6, 3, 3, 3), "uint8", "NCHW", (6, 3, 3, 3)),
        ((6, 5, 6, 7), "float64", "NCHW", (6, 5, 6, 7)),
        ((6, 9, 1, 1), "float64", "NCHW", (6, 9, 1, 1)),
        ((6, 2, 4, 4), "float64", None, (6, 2, 4, 4)),
        ((6, 16, 3, 3), "float64", None, (6, 16, 3, 3)),
        ((6, 7, 5, 3), "float64", None, (6, 3, 7, 5)),
        ((6, 4, 5, 3), "float64", "NHWC", (6, 3, 4, 5)),
        ((6, 8, 5), "float64", None, (6, 8, 5)),
        ((6, 8, 8), "uint8", None, (6, 1, 8, 8)),
        ((6, 16, 8, 8), "float64", None, (6, 16, 8, 8)),
        ((6, 8, 8, 16), "float64", None, (6, 16, 8, 8)),
        ((6, 3, 4, 4), "float64", None, (6, 3, 4, 4)),
        ((6, 8, 8), "int64", None, (6, 8, 8)),
    ],
)
def test_a_shape_that_does_not_tell_its_axes_is_asked_about(
    shape: tuple[int, ...], kind: str, answer: str | None, expected: tuple[int, ...], tmp_path: Path
) -> None:
    np.save(tmp_path / "x.npy", np.ones(shape, kind))
    if answer is not None:
        with pytest.raises(ValueError, match=f"axes='{answer}'"):
            igb.read_data(tmp_path / "x.npy")
    assert igb.read_data(tmp_path / "x.npy", axes=answer)[0].shape == expected


def test_arrays_in_python_follow_the_rule_of_files(caplog: pytest.LogCaptureFixture) -> None:
    images = np.random.default_rng(0).random((6, 3, 5, 4)) + 0.1
    last, net, y = np.moveaxis(images, 1, -1), igb.cnn(1), [0, 1] * 3
    ways: list[Any] = [
        lambda x: net.predict(x).gamma,
        lambda x: net.simulate(2, 4, inputs=x, workers=1).G0.tolist(),
        lambda x: net.train(x, y, draws=2, X_test=x, y_test=y).rate,
    ]
    for way in ways:
        expected = way(images)  # its shape speaks for neither order
        assert not caplog.messages
        assert way(last) == expected
        assert caplog.messages[0] == "read images of shape (6, 5, 4, 3): the channels came last"
        caplog.clear()


def grey(path: Path, value: int, kind: str = "uint8") -> None:
    path.parent.mkdir(exist_ok=True)
    Image.fromarray(np.full((4, 4), value, kind)).save(path)


def test_pictures_of_two_bytes_are_not_clipped_and_one_in_colour_makes_all_so(tmp_path: Path) -> None:
    for suffix in ("png", "tif"):
        grey(tmp_path / f"a.{suffix}", 32600, "uint16")
    grey(tmp_path / "c.bmp", 51)
    values = igb.read_data(tmp_path)[0]
    assert values.shape == (3, 1, 4, 4)
    assert values[:2] == pytest.approx(32600 / 65535)  # 65535 is white
    assert values[2] == pytest.approx(0.2)
    Image.fromarray(PIXELS[0, :4, :4]).save(tmp_path / "d.WEBP", lossless=True)
    values = igb.read_data(tmp_path)[0]
    assert values.shape == (4, 3, 4, 4)
    assert values[0] == pytest.approx(32600 / 65535)
    assert values[3] == pytest.approx(PIXELS[0, :4, :4].transpose(2, 0, 1) / 255)
    Image.fromarray(np.full((4, 4), 1e5, "float32")).save(tmp_path / "e.tif")
    with pytest.raises(ValueError, match=r"e\.tif: expected pixels of one or two bytes"):
        igb.read_data(tmp_path)


def test_hidden_and_empty_folders_are_no_classes(tmp_path: Path) -> None:
    for i, name in enumerate((".git/a.png", ".ipynb_checkpoints/b.png", "cat/c.png", "cat/.d.png", "dog/e.png")):
        grey(tmp_path / name, i)
    (tmp_path / "bin").mkdir()
    data, labels = igb.read_data(tmp_path)
    assert (data[:, 0, 0, 0] * 255).round().tolist() == [2, 4]
    assert labels is not None
    assert labels.tolist() == [0, 1]


@pytest.mark.parametrize("name", ["labels", "labels.idx", "labels.idx.gz"])
def test_labels_beside_zipped_images_are_found_zipped_or_not(name: str, tmp_path: Path) -> None:
    def idx(values: Any) -> bytes:
        shape = b"".join(size.to_bytes(4, "big") for size in values.shape)
        return bytes([0, 0, 8, values.ndim]) + shape + bytes(values.astype(np.uint8))

    (tmp_path / "images.idx.gz").write_bytes(gzip.compress(idx(PIXELS[..., 0])))
    content = idx(LABELS[:6])
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    labels = igb.read_data(tmp_path / "images.idx.gz")[1]
    assert labels is not None
    assert labels.tolist() == LABELS[:6].tolist()
    for file, beside in (("images.idx.gz", "train-images-idx3-ubyte.gz"), (name, "train-labels-idx1-ubyte.gz")):
        (tmp_path / beside).write_bytes((tmp_path / file).read_bytes())
    folder = igb.read_data(tmp_path)
    assert folder[0].shape == (6, 1, 8, 8)
    assert np.array_equal(folder[1], labels)
    (tmp_path / name).write_bytes(idx(LABELS[:5]))
    with pytest.raises(ValueError, match="a label for each of 6 data"):
        igb.read_data(tmp_path / "images.idx.gz")


def test_a_pickled_batch_is_refused_and_the_remedy_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    batch = {"data": RNG.integers(0, 256, (10, 3072), dtype=np.uint8), "labels": [*range(10)]}
    with Path("data_batch_1").open("wb") as file:
        pickle.dump(batch, file)
    with pytest.raises(ValueError, match="a pickle, which may run any program") as caught:
        igb.read_data("data_batch_1")
    lines = str(caught.value).splitlines()
    assert len(lines) <= 3
    exec(lines[-1], {})  # noqa: S102 - the remedy
    data, labels = igb.read_data("data_batch_1.npz")
    assert data.shape == (10, 3, 32, 32)
    assert labels is not None
    assert labels.tolist() == batch["labels"]


def test_python_and_the_command_line_say_the_same_line(
    tmp_path: Path, capsys: Capture, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "x.npz"
    np.savez(path, X=PIXELS, K=X, y=LABELS[:6])
    igb.read_data(path)
    line = (
        f"{path}: read 6 data of shape (3, 8, 8); X of the arrays X, K, y; labels y; the channels came last; values "
        "divided by 255"
    )
    assert caplog.messages == [line]
    assert main(["predict", "Conv2d(3) | relu | Flatten | Dense", "--data", str(path)]) == 0
    out, err = capsys.readouterr()
    assert err.splitlines() == [line]
    assert f"6 data of shape (3, 8, 8) from {path}, divided by 255" in out


def test_rows_are_drawn_with_their_labels_and_data_are_standardised(tmp_path: Path, capsys: Capture) -> None:
    np.savez(tmp_path / "x.npz", X=X + 1, y=LABELS)
    np.save(tmp_path / "y.npy", LABELS)
    rows = np.sort(np.random.default_rng(5).choice(60, 9, replace=False))
    tokens = [
        "train",
        *["--depth", "1", "--draws", "20", "--sample", "9", "--seed", "5", "--data"],
        str(tmp_path / "x.npz"),
    ]
    expected = igb.mlp(1).train(igb.standardised(X + 1)[rows], LABELS[rows], draws=20, seed=5)
    for more in ([], ["--labels", str(tmp_path / "y.npy")]):
        assert main([*tokens, *more, "--standardise", "--json"]) == 0
        out, _ = capsys.readouterr()
        assert json.loads(out)["labels"] == expected.labels.tolist()
        assert json.loads(out)["rate"] == expected.rate
    assert main([*tokens, "--first", "3"]) == 2
    assert "--first or --sample, got both" in capsys.readouterr().err
    for option in ("--sample", "--key", "--label-column"):
        assert main(["predict", option, "2"]) == 2
        assert f"expected a data set with {option}" in capsys.readouterr().err


def test_the_plain_options_flatten_images_and_say_so(tmp_path: Path, capsys: Capture) -> None:
    np.save(tmp_path / "x.npy", PIXELS)
    assert main(["predict", "--data", str(tmp_path / "x.npy"), "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["gamma"] == igb.mlp(3).predict(igb.read_data(tmp_path / "x.npy")[0].reshape(6, -1)).gamma
    assert "images are flattened" in err
