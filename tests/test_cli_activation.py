"""`igb activation`: what it prints, its JSON, its picture, its exit status."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from repeated import slow

import igbtheory as igb
from igbtheory.phases import verdict
from igbtheory.presentation.cli import main

Capture = pytest.CaptureFixture[str]


def printed(capsys: Capture, tokens: str) -> str:
    assert main(["activation", *shlex.split(tokens)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def as_json(capsys: Capture, tokens: str) -> Any:
    return json.loads(printed(capsys, f"{tokens} --json"))


def test_relu_in_words(capsys: Capture) -> None:
    out = printed(capsys, "relu")
    for words in (
        "homogeneous of degree 1",
        "moments in closed form",
        "At depth 1 it is biased: gamma = 0.4669422069.",
        "E phi = 0.5641895835 under the first pre-activation, N(0, 2), is not zero",
        "Depth amplifies the bias: gamma grows like 0.022515819 depth^2.",
        "s = 0.564189583547756 removes the bias at depth 1",
        "gamma exceeds 1 at depth 6.",
    ):
        assert words in out


@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        ("tanh", "Depth adds no bias: gamma stays 0."),
        ("tanh --sigma-w2 4 --sigma-b2 0.1", "phi itself does not bias"),
        ("tanh --sigma-w2 4 --sigma-b2 0.1", "Depth saturates the bias: gamma tends to 0.3996276"),
        ("tanh --sigma-w2 0.5 --sigma-b2 0.1", "gamma grows exponentially, by the factor 2.5468"),
        ("erf --sigma-w2 4 --shift 0.5", "by shifted inputs"),
        ("erf --sigma-w2 4 --shift 0.5", "Depth removes the bias"),
        ("squared_relu", "The table ends at depth 7 of 100"),
        ("sign --sigma-b2 0.1 --depth 200", "both variances stay the same to 13 digits"),
        ("relu --sigma-b2 0.1 --depth 1", "removes part of the bias at depth 1"),
        ("hardtanh --depth 2", "kinks at -1, 1"),
        ("hardtanh --depth 2", "gamma stays 0"),
        ("step --depth 20", "gamma does not exceed 0.1 down to depth 20."),
    ],
)
def test_the_verdict_in_words(capsys: Capture, tokens: str, words: str) -> None:
    assert words in printed(capsys, tokens)


@pytest.mark.parametrize("formula", ["-x*abs(x)", slow("- x + 1")])
def test_formulas_with_signs_and_blanks_are_read(capsys: Capture, formula: str) -> None:
    for tokens in ([formula, "--depth", "3", "--json"], ["--depth", "3", "--json", formula]):
        assert main(["activation", *tokens]) == 0
        got = json.loads(capsys.readouterr().out)
        assert got["gamma"] == igb.mlp(3, formula).predict().per_layer.gamma.tolist()


def test_json_is_the_library(capsys: Capture) -> None:
    got = as_json(capsys, "gelu --sigma-w2 1.5 --sigma-b2 0.1 --depth 12 --shift 0.2 --variance 0.9")
    expected = verdict("gelu", 1.5, 0.1, 12, igb.GaussianInputs(0.2, 0.9))
    assert got["gamma"] == expected.course.gamma.tolist()
    assert got["shifted"]["gamma"] == expected.shifted.gamma.tolist()
    assert got["mean"] == got["shift"] == expected.mean
    assert got["causes"] == {cause.name: cause.share for cause in expected.causes}
    assert got["tendency"]["form"] == expected.course.rate.form
    assert got["G0"]["std"] == expected.course.prediction.G0.std()
    assert got["inputs"] == {"shift": 0.2, "variance": 0.9}
    assert (got["parity"], got["degree"], got["closed_forms"], got["biased"]) == (0, None, True, True)


def test_json_holds_infinite_limits(capsys: Capture) -> None:
    assert as_json(capsys, "relu --depth 20")["tendency"]["limit"] == "inf"


@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        ("'exp(y)'", "at column 5: unknown name 'y'"),
        ("'x +'", "at column"),
        ("''", "column"),
        ("rellu", "did you mean"),
        ("--bogus", "bogus"),
        ("relu --bogus 3", "bogus"),
        ("", "requires an argument"),
        ("relu --sigma-w2 -1", "--sigma-w2 >= 0"),
        ("relu --sigma-w2 0", "--sigma-w2 > 0"),
        ("relu --depth 0", "depth >= 1"),
        ("relu --variance 0", "data that vary"),
        ("relu --plot picture.gif", ".png or .pdf or .svg"),
        ("relu --plot /nowhere/picture.png", "cannot write /nowhere/picture.png"),
    ],
)
def test_bad_input_is_one_sentence(capsys: Capture, tokens: str, words: str) -> None:
    assert main(["activation", *shlex.split(tokens)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert words in err


@pytest.mark.parametrize(
    ("tokens", "suffix"),
    [("relu --depth 3", "png"), slow(("'where(x > 0, 1, -2)' --depth 2 --sigma-b2 0.1", "pdf"))],
)
def test_the_picture_is_written_whole(capsys: Capture, tmp_path: Path, tokens: str, suffix: str) -> None:
    file = tmp_path / f"picture.{suffix}"
    file.write_text("an older one")
    printed(capsys, f"{tokens} --plot {file}")
    content = file.read_bytes()
    assert content.startswith(b"\x89PNG" if suffix == "png" else b"%PDF")
    assert content.rstrip().endswith(b"IEND\xaeB`\x82" if suffix == "png" else b"%%EOF")
    assert list(tmp_path.iterdir()) == [file]


def test_a_refused_formula_leaves_no_picture(capsys: Capture, tmp_path: Path) -> None:
    assert main(["activation", "exp(y)", "--plot", str(tmp_path / "picture.png")]) == 2
    assert list(tmp_path.iterdir()) == []
    assert "column" in capsys.readouterr().err


def test_a_folder_is_no_picture(capsys: Capture, tmp_path: Path) -> None:
    folder = tmp_path / "folder.png"
    folder.mkdir()
    assert main(["activation", "relu", "--plot", str(folder)]) == 2
    assert "is a folder" in capsys.readouterr().err


def test_the_picture_is_refused_before_anything_is_computed(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("igbtheory.phases.verdict", lambda *_: pytest.fail("computed"))
    assert main(["activation", "relu", "--plot", "/nowhere/x.png"]) == 2
    assert "cannot write" in capsys.readouterr().err
