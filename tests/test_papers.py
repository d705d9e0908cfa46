"""What the pages, the package and its metadata say of the papers, the version and the gallery is the same."""

import hashlib
import json
import re
import tomllib
from pathlib import Path

import pytest

import igbtheory as igb
from igbtheory.claims import PAPERS
from igbtheory.presentation.pictures import names

ROOT = Path(__file__).parent.parent


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_bibliography_is_that_of_the_package() -> None:
    assert read("docs/references.bib") == "\n".join(paper.bibtex() for paper in PAPERS.values())


@pytest.mark.parametrize("page", ["README.md", "docs/references.rst"])
def test_pages_name_the_papers(page: str) -> None:
    """An entry begins with the letter in bold print, and ends with what was read of the paper."""
    _, *parts = re.split(r"\*\*([A-E])\*\*", read(page))
    entries = {letter: part.split("\n\n")[0] for letter, part in zip(parts[::2], parts[1::2], strict=True)}
    assert entries.keys() == PAPERS.keys()
    for letter, paper in PAPERS.items():
        entry = " ".join(entries[letter].split()).removesuffix(" -")
        assert paper.title in entry
        assert paper.arxiv in entry
        assert str(paper.year or "") in entry
        assert paper.initials in entry or ", ".join(paper.authors) in entry
        assert entry.endswith(f", {paper.read or paper.venue}.")


def test_the_version_is_the_same_everywhere() -> None:
    assert tomllib.loads(read("pyproject.toml"))["project"]["version"] == igb.__version__
    assert f"\nVersion {igb.__version__} " in read("README.md")
    assert f"\nversion: {igb.__version__}\n" in read("CITATION.cff")
    assert f"\n## {igb.__version__} " in read("CHANGELOG.md")


def test_the_pictures_of_the_gallery_are_those_of_the_figures() -> None:
    """To draw what is out of date: `python docs/gallery_scripts.py`."""
    stored = json.loads(read("docs/gallery_pictures/pictures.json"))
    sources = {name: read(f"figures/{name}.py") for name in names()}
    drawing = {name: re.sub(r"^(from|import) .*\n", "", text, flags=re.MULTILINE) for name, text in sources.items()}
    digests = {name: hashlib.sha256(text.encode()).hexdigest()[:16] for name, text in drawing.items()}
    assert {name: found["digest"] for name, found in stored.items()} == digests
    listed = {picture for found in stored.values() for picture in found["pictures"]}
    assert listed == {path.name for path in (ROOT / "docs/gallery_pictures").glob("*.png")}
    assert set(stored) == {path.stem for path in (ROOT / "docs/gallery_pictures").glob("*.txt")}
