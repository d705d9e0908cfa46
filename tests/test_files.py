"""Data sets in files: every format is written by hand, read, and passed to a command."""

import gzip
import json
import struct
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import igbtheory as igb
from igbtheory.presentation.cli import main

RNG = np.random.default_rng(0)
BYTES = RNG.integers(0, 256, (6, 5, 4), dtype=np.uint8)
COLOURED = RNG.integers(0, 256, (6, 3, 32, 32), dtype=np.uint8)
LABELS = np.array([0, 1, 2, 0, 1, 2])


def idx(values: np.ndarray, kind: int = 8) -> bytes:
    """Return an IDX file of an array."""
    return struct.pack(f">BBBB{values.ndim}I", 0, 0, kind, values.ndim, *values.shape) + values.tobytes()


def cifar(front: int) -> bytes:
    rows = COLOURED.reshape(6, -1)
    return np.hstack([np.zeros((6, front - 1), np.uint8), LABELS[:, None].astype(np.uint8), rows]).tobytes()


def written(folder: Path, name: str) -> Path:
    """Write one of the files, and return its path."""
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    if "idx" in name:
        for file, values in ((path, BYTES), (folder / name.replace("images-idx3", "labels-idx1"), LABELS)):
            content = idx(values.astype(np.uint8))
            file.write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    elif name.endswith(".bin"):
        path.write_bytes(cifar(1 + name.endswith("train.bin")))
    elif name.endswith(".npz"):
        np.savez(path, x=COLOURED.transpose(0, 2, 3, 1), y=LABELS[:, None], other=np.zeros(3))
    else:
        for i, (image, label) in enumerate(zip(COLOURED, LABELS, strict=True)):
            (path / "abc"[label]).mkdir(parents=True, exist_ok=True)
            Image.fromarray(image.transpose(1, 2, 0)).save(path / "abc"[label] / f"{i}.png")
    return path


@pytest.mark.parametrize("name", ["t-images-idx3-ubyte", "t-images-idx3-ubyte.gz", "a.bin", "train.bin", "a.npz", "f"])
def test_images_and_labels_are_read_as_they_were_written(name: str, tmp_path: Path) -> None:
    data, labels = igb.read_data(written(tmp_path, name))
    expected, order = (BYTES[:, None] if "idx" in name else COLOURED) / 255, np.arange(6)
    if name == "f":  # label by label
        order = np.argsort(LABELS, kind="stable")
    assert data == pytest.approx(expected[order], rel=1e-6)
    assert labels is not None
    assert labels.tolist() == LABELS[order].tolist()


def test_a_folder_of_cifar_and_numbers_of_many_kinds(tmp_path: Path) -> None:
    written(tmp_path, "data_batch_1.bin")
    written(tmp_path, "data_batch_2.bin")
    data, labels = igb.read_data(tmp_path)
    assert (data.shape, labels is not None and len(labels)) == ((12, 3, 32, 32), 12)
    values = RNG.standard_normal((3, 4))
    (tmp_path / "doubles").write_bytes(idx(values.astype(">f8"), 14))
    assert np.array_equal(igb.read_data(tmp_path / "doubles")[0], values)


def test_tensors_are_read_and_objects_are_not(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    values, y = torch.randn(6, 4), torch.tensor(LABELS)
    for saved in ((values, y), {"inputs": values, "targets": y}):
        torch.save(saved, tmp_path / "a.pt")
        data, labels = igb.read_data(tmp_path / "a.pt")
        assert np.array_equal(data, values.numpy())
        assert labels is not None
        assert labels.tolist() == LABELS.tolist()
    torch.save(torch.nn.Linear(2, 2), tmp_path / "a.pt")
    with pytest.raises(ValueError, match="unpickling"):
        igb.read_data(tmp_path / "a.pt")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.bin", b"123", "3072 bytes"),
        ("labels", idx(BYTES)[:-1], "expected 120 numbers, got 119"),
        ("a.dat", b"\0\0\1\1", "got none of these"),
        ("empty.d/a.txt", b"", "folder of images"),
    ],
)
def test_other_files_are_refused(name: str, content: bytes, words: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    with pytest.raises(ValueError, match=words):
        igb.read_data(path.parent if "/" in name else path)


def test_two_arrays_of_labels_and_images_of_two_sizes_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", x=COLOURED, fine=LABELS, coarse=LABELS)
    with pytest.raises(ValueError, match="fine and coarse"):
        igb.read_data(tmp_path / "a.npz")
    for side in (4, 5):
        Image.fromarray(np.zeros((side, 4), np.uint8)).save(tmp_path / f"{side}.png")
    with pytest.raises(ValueError, match=r"4 x 4 and 4 x 5 in 4\.png and 5\.png"):
        igb.read_data(tmp_path)


def test_commands_take_files_and_their_labels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    values = RNG.standard_normal((6, 4))
    np.savez(tmp_path / "a.npz", x=values, y=LABELS)
    assert main(["predict", "--data", str(tmp_path / "a.npz"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["gamma"] == igb.mlp(3, "relu").predict(values).gamma
    assert main(["train", "--data", str(tmp_path / "a.npz"), "--draws", "10"]) == 0
    assert "accuracy" in capsys.readouterr().out
