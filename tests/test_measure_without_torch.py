"""Measuring where PyTorch is not installed: everything else works, and the sentence says what to install."""

import sys
from pathlib import Path
from typing import Any

import pytest

import igbtheory as igb
from igbtheory.presentation.cli import main


@pytest.fixture
def without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python in which torch cannot be imported."""
    monkeypatch.setitem(sys.modules, "torch", None)


@pytest.mark.usefixtures("without_torch")
def test_the_library_says_what_to_install() -> None:
    with pytest.raises(ImportError, match=r'pip install "igbtheory\[torch\]"'):
        igb.measure(object, [[1.0], [2.0]])


@pytest.mark.usefixtures("without_torch")
@pytest.mark.parametrize("data", ["digits", "data.csv"])
def test_the_command_says_what_to_install(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("models.py").write_text("import torch", encoding="utf-8")
    Path("data.csv").write_text("1,2\n3,4\n", encoding="utf-8")
    assert main(["measure", "models.py:Model", "--data", data]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert 'pip install "igbtheory[torch]"' in err


@pytest.mark.usefixtures("without_torch")
def test_a_device_needs_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "--networks=2", "--device=cpu"]) == 2
    assert 'pip install "igbtheory[torch]"' in capsys.readouterr().err


@pytest.mark.parametrize(
    ("make", "options", "error", "words"),
    [
        (3, {}, TypeError, "a function or a class, got int"),
        (object, {"networks": 1}, ValueError, "networks >= 2"),
        (object, {"networks": 2.5}, ValueError, "whole"),
        (object, {"seed": -1}, ValueError, "seed >= 0"),
    ],
)
def test_bad_input_is_refused(make: Any, options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        igb.measure(make, [[1.0], [2.0]], **options)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("models.py", "FILE.py:NAME or package.module:NAME, got 'models.py'"),
        ("models.py:", "FILE.py:NAME"),
        (":Model", "FILE.py:NAME"),
        ("missing.py:Model", "cannot read missing.py: no such file"),
    ],
)
def test_bad_names_are_one_sentence(capsys: pytest.CaptureFixture[str], source: str, words: str) -> None:
    assert main(["measure", source, "--data", "digits"]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert words in err
