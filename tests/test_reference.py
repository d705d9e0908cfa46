"""What the pages use is reachable from `igb.` and stands in the reference; every command stands in its table."""

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import igbtheory as igb
from igbtheory.presentation.cli import main

DOCS = Path(__file__).parent.parent / "docs"
REFERENCE = (DOCS / "api.rst").read_text(encoding="utf-8")
PAGES = [DOCS.parent / "README.md", *DOCS.glob("*.rst"), *DOCS.glob("*.ipynb")]


def test_every_public_name_has_a_page_with_its_parameters_and_an_example(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DOCS))
    pages = import_module("reference_pages")
    listed = [name for group in pages.listed(REFERENCE).values() for name in group]
    assert {name for name in igb.__all__ if not isinstance(getattr(igb, name), ModuleType)} <= set(listed)
    for name in listed:
        thing = pages.public(name)
        assert not pages.undescribed(thing), name
        assert ">>> " in (inspect.getdoc(thing) or ""), name


def used(text: str) -> Iterator[str]:
    """Names of the package that a page uses, without the package."""
    for module, names in re.findall(r"from igbtheory(\.[\w.]+)? import ([\w, ]+)", text):
        yield from (f"{module}.{name.strip()}".strip(".") for name in names.split(","))
    yield from re.findall(r"\bigb\.([a-zA-Z]\w*(?:\.[a-zA-Z]\w*)*)", text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.name))
def test_what_a_page_uses_is_reachable_and_in_the_reference(page: Path) -> None:
    for name in set(used(page.read_text(encoding="utf-8"))):
        first, *others = name.split(".")
        assert first in igb.__all__, name
        found, path = getattr(igb, first), f"igbtheory.{first}"
        while others and isinstance(found, ModuleType):
            assert others[0] in found.__all__, name
            found, path = getattr(found, others[0]), f"{path}.{others.pop(0)}"
        assert all(hasattr(found, other) for other in others[:1]), name
        assert re.search(rf"{re.escape(path)}\b", REFERENCE), f"{path} is not in docs/api.rst"


def test_the_table_of_commands_is_complete(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--help"])
    commands = re.findall(r"^│ (\w+)(?: \((\w+)\))?  ", capsys.readouterr().out, re.MULTILINE)
    text = (DOCS / "commands.rst").read_text(encoding="utf-8")
    rows = re.findall(r"^``igb (\w+)``", text, re.MULTILINE)
    assert sorted(rows) == sorted(name for name, _ in commands)
    assert all(f"``igb {alias}``" in text for _, alias in commands if alias)
