"""Every number of README and of the pages has a source, and a number that differs from its source is found."""

import csv
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(name="sources")
def _sources(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    return import_module("sources")


NAMES = ["README.md", *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.rst")))]


@pytest.mark.parametrize("name", NAMES)
def test_every_number_has_a_source(sources: Any, name: str) -> None:
    """A new number belongs into an example of its section, a CSV of benchmarks or a claim: see `docs/sources.py`."""
    if name not in sources.WRITTEN:
        assert sources.unsourced(name, (ROOT / name).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("README.md", "69 %", "96 %"),
        ("README.md", "28 times", "29 times"),
        ("README.md", "Of 233", "Of 232"),
        ("README.md", "[yes](docs/predict.rst)", "[no](docs/predict.rst)"),
        ("docs/model.rst", "78 of torchvision", "77 of torchvision"),
        ("docs/experts.rst", "0.462 / 0.465", "0.462 / 0.456"),
        ("docs/training.rst", ".21 instead of 1", ".12 instead of 1"),
    ],
)
def test_a_changed_number_is_noticed(sources: Any, name: str, right: str, wrong: str) -> None:
    page = (ROOT / name).read_text(encoding="utf-8")
    assert right in page
    assert sources.unsourced(name, page.replace(right, wrong, 1))


def test_a_new_number_is_noticed(sources: Any) -> None:
    first = "Title\n=====\n\nIt takes 12 steps, and 3 of `n = 4`.\n\n.. doctest::\n\n   >>> 1 + 2\n   3\n\n"
    page = f"{first}Next\n====\n\nAnd 3.\n"
    assert [re.findall(r"\d+", part)[0] for part in sources.unsourced("docs/new.rst", page)] == ["12", "3"]


def test_what_measured_a_quoted_number_is_named() -> None:
    with (ROOT / "benchmarks" / "quoted.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            assert row["by"], row
            assert row["words"].count("{}") == len(row["values"].split()), row
