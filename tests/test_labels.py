"""Which arrays are class labels: one rule for training, measurement and the command line."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import igbtheory as igb
from igbtheory.presentation.cli import main

X = igb.standardised(igb.digits())[:12]
CLASSES = np.arange(12) % 3


def trained(y: Any) -> Any:
    return igb.mlp(1).train(X, y, times=[0.0, 100.0], draws=20)


@pytest.mark.parametrize("kind", [float, np.float32, np.uint8, np.int64])
@pytest.mark.parametrize("classes", [2, 3])
def test_whole_numbers_in_one_dimension_are_labels_whatever_their_type(kind: Any, classes: int) -> None:
    y = np.arange(12) % classes
    assert trained(y.astype(kind)) == trained(y)
    # the share of a class is that of its own number: as a target of one output, 0 would not be positive
    assert trained(y.astype(kind)).labels.tolist() == [1 / classes] * classes


def test_minus_one_and_one_are_targets_and_so_is_what_is_no_label() -> None:
    signs = np.where(CLASSES == 0, 1, -1)
    for y in (signs, signs.astype(float), signs[:, None].astype(float), 0.5 * signs):
        # class 0 has the positive targets
        assert trained(y).labels.tolist() == pytest.approx([1 / 3, 2 / 3])
    one_hot = np.eye(3)[CLASSES]
    for y in (one_hot, one_hot.astype(int)):
        assert trained(y).labels.tolist() == pytest.approx([1 / 3] * 3)
    # asked for by two dimensions: a target of 0 is one of class 0, as a guess is
    assert trained(CLASSES[:, None] - 1.0).labels.tolist() == pytest.approx([2 / 3, 1 / 3])
    with pytest.raises(ValueError, match="expected targets of one output on both sides of 0"):
        trained(CLASSES[:, None].astype(float))


@pytest.mark.parametrize("y", [CLASSES - 1, CLASSES - 1.0, np.where(CLASSES == 0, 2, -1), -CLASSES])
def test_other_negative_whole_numbers_are_refused(y: Any) -> None:
    with pytest.raises(ValueError, match=r"expected class labels 0, 1, \.\.\., got -"):
        trained(y)


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (CLASSES + 1, "no data have the label 0 below 3"),
        (1000.0 * CLASSES, "no data have the label 1 and 1997 other labels below 2000"),
        (np.where(CLASSES == 1, 3, CLASSES), "no data have the label 1 below 3"),
    ],
)
def test_classes_without_data_warn(y: Any, words: str) -> None:
    with pytest.warns(UserWarning, match=words) as caught:
        trained(y)
    assert caught[0].filename == __file__


def test_measured_labels_follow_the_same_rule() -> None:
    torch = pytest.importorskip("torch")

    def made() -> Any:
        return torch.nn.Linear(64, 4)

    expected = igb.measure(made, (X, CLASSES), 3).by_label
    for y in (CLASSES.astype(float), CLASSES[:, None]):
        assert np.array_equal(igb.measure(made, (X, y), 3).by_label, expected, equal_nan=True)
    # floats in two dimensions are values of outputs, as in training
    assert not igb.measure(made, (X, CLASSES[:, None].astype(float)), 3).by_label.size
    signs = np.where(CLASSES == 0, 1, -1)
    two = igb.measure(made, (X, np.where(CLASSES == 0, 0, 1)), 3).by_label
    assert np.array_equal(igb.measure(made, (X, signs), 3).by_label, two, equal_nan=True)
    with pytest.raises(ValueError, match="expected class labels"):
        igb.measure(made, (X, CLASSES - 2), 3)
    with pytest.warns(UserWarning, match="no data have the label 0 below 3"):
        igb.measure(made, (X, CLASSES + 1), 3)
    with pytest.warns(UserWarning, match="no data have the label 0 below 3"):
        igb.study(made, X, CLASSES + 1, networks=2, steps=1, batch_size=None)


def test_the_command_line_follows_the_same_rule(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save(tmp_path / "x.npy", X)
    for name, y in (("float.npy", CLASSES.astype(float)), ("column.npy", CLASSES[:, None]), ("signs.npy", 1 - CLASSES)):
        np.save(tmp_path / name, y)
    np.savetxt(tmp_path / "y.csv", CLASSES, header="label")
    tokens = ["train", "--depth", "1", "--draws", "20", "--json", "--data", str(tmp_path / "x.npy"), "--labels"]
    for name in ("float.npy", "column.npy", "y.csv"):
        assert main([*tokens, str(tmp_path / name)]) == 0
        assert json.loads(capsys.readouterr().out)["labels"] == [1 / 3] * 3
    assert main([*tokens, str(tmp_path / "signs.npy")]) == 2
    assert "expected class labels 0, 1, ..., got -1" in capsys.readouterr().err


def test_predictions_and_measurements_take_pairs_data_sets_and_loaders() -> None:
    torch = pytest.importorskip("torch")
    from torch.utils.data import DataLoader, TensorDataset  # noqa: PLC0415 - an extra

    data = TensorDataset(torch.tensor(X), torch.tensor(CLASSES))
    named = [{"image": x, "label": y} for x, y in data]
    expected, net = igb.mlp(2).predict(X), igb.mlp(2)
    for inputs in ((X, CLASSES), (X, np.eye(3)[CLASSES]), (X, None), data, DataLoader(data, 5), DataLoader(named, 5)):
        assert net.predict(inputs).gamma == expected.gamma
    measured = igb.measure(lambda: torch.nn.Linear(64, 3), (X, CLASSES), 3)
    for inputs in (data, DataLoader(data, 5), DataLoader(named, 5)):
        found = igb.measure(lambda: torch.nn.Linear(64, 3), inputs, 3)
        assert np.array_equal(found.by_label, measured.by_label)
