"""The wheel in an environment of its own: type checkers know its names and find the mistakes of `mistakes.py`."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow
pytest.importorskip("build")

TESTS = Path(__file__).parent
MARK = "  # type: ignore"
"""What the lines with mistakes have in the checkout, where mypy refuses a mark that ignores nothing."""
TYPES = {
    "igb.mlp(3).predict().gamma": {"float", "ndarray"},
    "igb.losses.CrossEntropy()": {"CrossEntropy"},
    "igb.phases.classify('tanh')": {"Phase"},
    "igb.GuessLaw(1.0)": {"GuessLaw"},
}
"""Words of the types that a checker must show."""


def run(folder: Path, *command: Any) -> str:
    """Return what a command prints in a folder without the checkout; type checkers that find mistakes exit with 1."""
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, cwd=folder)  # noqa: S603
    assert done.returncode in {0, 1}, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the Python of an environment that has the wheel, what it needs, and two type checkers."""
    folder = tmp_path_factory.mktemp("wheel")
    run(folder, sys.executable, "-m", "build", "--wheel", "--outdir", folder, TESTS.parent)
    run(folder, sys.executable, "-m", "venv", folder / "env")
    python = folder / "env" / "bin" / "python"
    run(folder, python, "-m", "pip", "install", "--quiet", "mypy", "basedpyright", *folder.glob("*.whl"))
    return python


@pytest.fixture
def script(tmp_path: Path) -> Path:
    lines = (TESTS / "mistakes.py").read_text(encoding="utf-8").splitlines()
    shown = [f"reveal_type({expression})" for expression in TYPES]
    script = tmp_path / "script.py"
    script.write_text("\n".join([line.partition(MARK)[0] for line in lines] + shown) + "\n", encoding="utf-8")
    return script


def checked(told: list[tuple[int, str, str]]) -> None:
    """Check what a type checker tells of the script: line, kind and sentence, of mistakes and of revealed types."""
    lines = (TESTS / "mistakes.py").read_text(encoding="utf-8").splitlines()
    wrong = {number for number, line in enumerate(lines, 1) if MARK in line}
    assert {line for line, kind, _ in told if kind == "error"} == wrong
    for number, (expression, words) in enumerate(TYPES.items(), len(lines) + 1):
        (text,) = (text for line, kind, text in told if line == number and " is " in text and kind != "warning")
        assert words <= {*re.findall(r"\w+", text.rpartition(" is ")[2])}, expression


def test_mypy_finds_the_mistakes_of_a_user_of_the_wheel(python: Path, script: Path) -> None:
    told = run(script.parent, python, "-m", "mypy", "--strict", "--cache-dir", script.parent / "cache", script)
    lines = re.findall(r"^[^:\n]*script\.py:(\d+): (\w+): (.*)$", told, re.MULTILINE)
    checked([(int(line), kind, text) for line, kind, text in lines])


def test_pyright_finds_the_mistakes_of_a_user_of_the_wheel(python: Path, script: Path) -> None:
    told = json.loads(run(script.parent, python, "-m", "basedpyright", "--outputjson", "--pythonpath", python, script))
    lines = told["generalDiagnostics"]
    checked([(one["range"]["start"]["line"] + 1, one["severity"], one["message"]) for one in lines])
