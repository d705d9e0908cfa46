"""Files and folders as other programs write them: each is read, or refused with one line of advice."""

# what is passed on purpose is of many types
# mypy: disable-error-code="arg-type"

import gzip
import json
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from PIL import Image

import igbtheory as igb
from igbtheory.presentation.cli import main

RNG = np.random.default_rng(0)
X = RNG.standard_normal((12, 3))
Y = np.arange(12) % 3
WORDS = np.array(["cat", "dog", "eel"])[Y]
IMAGES = RNG.integers(0, 256, (12, 8, 8), dtype=np.uint8)
COLOURED = RNG.integers(0, 256, (12, 8, 8, 3), dtype=np.uint8)
PLAIN = "\n".join(" ".join(map(repr, row)) for row in X.tolist())
CSV = "a,b,c,species\n" + "\n".join(f"{a!r},{b!r},{c!r},{w}" for (a, b, c), w in zip(X.tolist(), WORDS, strict=True))
RECORDS = [{"a": a, "b": b, "c": c, "species": w} for (a, b, c), w in zip(X.tolist(), WORDS.tolist(), strict=True)]


def idx(values: np.ndarray) -> bytes:
    kind = {"uint8": 8, "int32": 12}[values.dtype.name]
    head = struct.pack(f">BBBB{values.ndim}I", 0, 0, kind, values.ndim, *values.shape)
    return head + values.astype(values.dtype.newbyteorder(">")).tobytes()


def pictures(folder: Path, which: slice = slice(None)) -> None:
    """Write a folder of pictures for each class."""
    for i, label in enumerate(Y[which]):
        (folder / "abc"[label]).mkdir(parents=True, exist_ok=True)
        Image.fromarray(IMAGES[which][i]).save(folder / "abc"[label] / f"{i:02d}.png")


def torchvision(folder: Path) -> None:
    raw = folder / "MNIST" / "raw"
    raw.mkdir(parents=True)
    for part, count in (("train", 12), ("t10k", 5)):
        for name, values in (("images-idx3", IMAGES), ("labels-idx1", Y.astype(np.uint8))):
            (raw / f"{part}-{name}-ubyte").write_bytes(idx(values[:count]))
            (raw / f"{part}-{name}-ubyte.gz").write_bytes(gzip.compress(idx(values[:count])))


def qmnist(folder: Path) -> None:
    (folder / "qmnist-train-images-idx3-ubyte.gz").write_bytes(gzip.compress(idx(IMAGES)))
    eight = np.column_stack([Y, *RNG.integers(0, 99, (7, 12))]).astype(np.int32)
    (folder / "qmnist-train-labels-idx2-int.gz").write_bytes(gzip.compress(idx(eight)))


def emnist(folder: Path) -> None:
    for split, count in (("letters", 12), ("digits", 6)):
        for part, values in (("images-idx3", IMAGES), ("labels-idx1", Y.astype(np.uint8))):
            (folder / f"emnist-{split}-train-{part}-ubyte.gz").write_bytes(gzip.compress(idx(values[:count])))


def arff(values: np.ndarray, classes: str) -> str:
    head = "% from Weka\n@relation r\n" + "".join(f"@attribute {name} numeric\n" for name in "abc")
    body = "\n".join(f"{a!r},{b!r},{c!r},{w}" for (a, b, c), w in zip(values.tolist(), WORDS, strict=True))
    return f"{head}@attribute class {classes}\n@data\n{body}\n"


def zipped(folder: Path, name: str, files: dict[str, str]) -> None:
    with zipfile.ZipFile(folder / name, "w") as archive:
        for inside, text in files.items():
            archive.writestr(inside, text)


def write(folder: Path, name: str) -> Path:  # noqa: PLR0912 - a case for each form
    """Write a file or folder of this name, and return its path."""
    path = folder / name
    match name:
        case "plain.txt":
            path.write_text(PLAIN)
        case "iris.data":
            path.write_text(CSV.partition("\n")[2])
        case "a.zip":
            zipped(folder, name, {"table.csv": CSV})
        case "several.zip":
            zipped(folder, name, {"test.csv": "a\n1", "train.csv": CSV})
        case "a.csv.gz":
            path.write_bytes(gzip.compress(CSV.encode()))
        case "a.jsonl":
            path.write_text("\n".join(map(json.dumps, RECORDS)))
        case "records.json":
            path.write_text(json.dumps(RECORDS))
        case "columns.json":
            path.write_text(json.dumps({one: [record[one] for record in RECORDS] for one in RECORDS[0]}))
        case "nested.jsonl":
            path.write_text(
                "\n".join(json.dumps({"x": x, "label": int(y)}) for x, y in zip(X.tolist(), Y, strict=True))
            )
        case "a.arff":
            path.write_text(arff(X, "{cat,dog,eel}"))
        case "a.mat":
            scipy.io.savemat(path, {"X": X, "y": Y[:, None].astype(np.uint8), "note": "text"})
        case "svhn.mat":
            scipy.io.savemat(path, {"X": np.moveaxis(COLOURED, 0, -1), "y": Y[:, None].astype(np.uint8)})
        case "mldata.mat":
            scipy.io.savemat(path, {"data": X.T, "label": Y[None].astype(float)})
        case "sparse.npz":
            scipy.sparse.save_npz(path, scipy.sparse.csr_matrix(X))
        case "root":
            torchvision(path)
        case "qmnist":
            path.mkdir()
            qmnist(path)
        case "emnist":
            path.mkdir()
            emnist(path)
        case "tree":
            pictures(path / "train")
            pictures(path / "val", slice(0, 6))
        case "parts":  # of one data set without labels
            for part in ("train", "test"):
                pictures(path / part, slice(0, 12, 3))
                (path / part / "a").rename(path / part / "x")
                for file in [*(path / part / "x").iterdir()]:
                    file.rename(path / part / file.name)
                (path / part / "x").rmdir()
    return path


READ: dict[str, tuple[str, dict[str, Any], Any, Any]] = {
    # name: data, labels; options
    "plain.txt": ("no labels: 2 is a feature", {}, X, None),
    "iris.data": ("labels: 3 (3 classes); 0 = cat, 1 = dog, 2 = eel", {}, X, Y),
    "a.zip": ("3 features (a, b, c); labels: species", {}, X, Y),
    "several.zip": ("labels: species", {"key": "train.csv"}, X, Y),
    "a.csv.gz": ("labels: species", {}, X, Y),
    "a.jsonl": ("labels: species", {}, X, Y),
    "records.json": ("labels: species", {}, X, Y),
    "columns.json": ("labels: species", {}, X, Y),
    "nested.jsonl": ("3 features (x.0, x.1, x.2); labels: label (3 classes)", {}, X, Y),
    "a.arff": ("labels: class (3 classes)", {}, X, Y),
    "a.mat": ("X of the arrays X, y; labels y", {}, X, Y),
    "svhn.mat": ("along its last axis; labels y; the channels came last", {}, np.moveaxis(COLOURED, -1, 1) / 255, Y),
    "mldata.mat": ("along its last axis; labels label", {}, X, Y),
    "sparse.npz": ("a sparse matrix of SciPy", {}, X, None),
    "root": ("train-images-idx3-ubyte of 2 files", {}, IMAGES[:, None] / 255, Y),
    "qmnist": ("labels from qmnist-train-labels-idx2-int.gz", {}, IMAGES[:, None] / 255, Y),
    "emnist": ("letters", {"key": "emnist-letters-train-images-idx3-ubyte.gz"}, IMAGES[:, None] / 255, Y),
    "tree": ("train of the folders train, val", {}, IMAGES[np.argsort(Y, kind="stable"), None] / 255, np.sort(Y)),
    "parts": ("train of the folders test, train", {}, IMAGES[::3, None] / 255, None),
}


@pytest.mark.parametrize("name", READ)
def test_a_form_is_read_and_told(name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    words, options, data, labels = READ[name]
    path = write(tmp_path, name)
    if options:
        with pytest.raises(ValueError, match="choose"):
            igb.read_data(path)
    found = igb.read_data(path, **options)
    assert found[0] == pytest.approx(data, rel=1e-6)
    assert found[1] is labels is None or np.array_equal(found[1], labels)
    assert words in caplog.text


REFUSED = {
    # name: content, advice
    "a.xlsx": (b"PK\3\4", r"pandas.read_excel\('a.xlsx'\)"),
    "a.svm": (b"1 1:0.5 3:2\n-1 2:.5\n", r"load_svmlight_file\('a.svm'\)"),
    "a.mat": (b"MATLAB 7.3 MAT-file" + bytes(600), "HDF5 may hold pickles"),
    "a.pkl": (b"\x80\x04K\x01.", "this is a pickle"),
    "a.tar": (bytes(257) + b"ustar" + bytes(250), "unpack it"),
    "a.csv": (b"<!DOCTYPE html><html>", "this is a web page"),
    "a.png": (b"\x89PNG", "this is a single picture; name the folder"),
    "a.npy.gz": (gzip.compress(b"\x93NUMPY"), "unpack it by gunzip"),
    "two.bytes": (b"\0\0", r"expected FILE\.npy, .*, got none of these"),
    "missing.json": (b'[{"a": 1.5, "b": 2.5}, {"a": null, "b": 1}]', r"column a has no number in .* first in row 1;"),
    "a.bytes": (b"abc\0def", r"expected FILE\.npy, .*FILE\.parquet.*, got none of these"),
    "a.arff": (arff(X, "string").encode(), "String attributes not supported yet by SciPy; leave them out"),
    "a.jsonl": (b'{"a": 1}\nhello', "line 2 is no JSON"),
    "state.json": (b'{"a": {"b": 1}, "c": 2}', "expected a record for each datum"),
    "bad.mat": (b"MATLAB 5.0 MAT-file" + bytes(200), "Unknown mat file type"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_form_is_refused_with_advice(name: str, tmp_path: Path) -> None:
    content, words = REFUSED[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=words) as caught:
        igb.read_data(tmp_path / name)
    assert len(str(caught.value).splitlines()) <= 3


def test_a_sparse_matrix_that_unpacks_to_more_than_fits_is_refused(tmp_path: Path) -> None:
    scipy.sparse.save_npz(tmp_path / "x.npz", scipy.sparse.csr_matrix((10**6, 10**6)))
    with pytest.raises(ValueError, match=r"expected at most 2,147,483,648 bytes of unpacked data, got 8,0"):
        igb.read_data(tmp_path / "x.npz")


def test_folders_without_data_are_refused_with_advice(tmp_path: Path) -> None:
    (tmp_path / "train_32x32.mat").touch()
    with pytest.raises(ValueError, match=r"name one of its files, such as train_32x32\.mat"):
        igb.read_data(tmp_path)
    for files, words in (
        ({"dataset_info.json": "{}", "state.json": "{}"}, r"load_from_disk\('.*saved'\)"),
        ({"dataset_dict.json": '{"splits": ["train", "test"]}'}, r"load_from_disk\('.*saved/train'\)"),
        ({"cifar-10-batches-py/data_batch_1": ""}, r"numpy.load\('.*data_batch_1', allow_pickle=True"),
    ):
        for name, text in files.items():
            (tmp_path / "saved" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "saved" / name).write_text(text)
        with pytest.raises(ValueError, match=words):
            igb.read_data(tmp_path / "saved")
        for name in files:
            (tmp_path / "saved" / name).unlink()


@pytest.mark.parametrize(
    ("shape", "kind", "refused"),
    [
        ((28, 28, 3), "float64", True),
        ((480, 640, 3), "uint8", True),
        ((3, 28, 28), "float64", True),
        ((28, 27, 3), "float64", False),
        ((6, 5, 4), "uint8", False),
    ],
)
def test_a_single_image_is_recognised(
    shape: tuple[int, ...], kind: str, *, refused: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    np.save(tmp_path / "x.npy", np.ones(shape, kind))
    if refused:
        with pytest.raises(ValueError, match="a single image"):
            igb.read_data(tmp_path / "x.npy")
        assert igb.read_data(tmp_path / "x.npy", axes="NTF")[0].shape == shape
        assert f"sequences of {shape[1]} tokens with {shape[2]} features" in caplog.text
    else:
        igb.read_data(tmp_path / "x.npy")
    if refused and kind == "uint8":
        with pytest.raises(ValueError, match="a single image"):
            igb.mlp(1).predict(np.ones(shape, kind))


def test_labels_in_a_table_of_their_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save(tmp_path / "x.npy", X)
    for text in ("species\n" + "\n".join(WORDS), "id,label\n" + "\n".join(f"{i},{w}" for i, w in enumerate(WORDS))):
        (tmp_path / "y.csv").write_text(text)
        tokens = ["--data", str(tmp_path / "x.npy"), "--labels", str(tmp_path / "y.csv"), "--draws", "9", "--json"]
        assert main(["train", "--depth", "1", *tokens]) == 0
        out, err = capsys.readouterr()
        assert "(3 classes); 0 = cat, 1 = dog, 2 = eel" in err
        assert json.loads(out)["labels"] == pytest.approx([1 / 3] * 3)
    with pytest.raises(ValueError, match="expected data of numbers, got none"):
        igb.read_data(tmp_path / "y.csv")
