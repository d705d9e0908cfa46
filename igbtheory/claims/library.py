"""Files of claims: those of the package, or of the user's folder."""

import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import final

from igbtheory.claims.claim import Claim, Section
from igbtheory.claims.transcription import FILE, Transcription, read
from igbtheory.foundations import checks
from igbtheory.foundations.shipped import load_file, own_folder


@final
@dataclass(frozen=True)
class Library:
    """Claims of a folder by their ids; problems: error messages by the names of the files that caused them."""

    claims: dict[str, Claim]
    problems: dict[str, str]

    def chosen(self, names: Sequence[str]) -> list[Claim]:
        """Return the claims with these ids or of these papers ("A"), or all if there are no names.

        ValueError: an id or paper is unknown; the error suggests the most similar one.
        """
        papers = sorted({name.split("-")[0] for name in self.claims})
        many = f"{len(self.claims)} claims of {', '.join(papers)}"
        wanted = [checks.known("claim", name, self._near(name, papers), many) for name in names]
        return [
            claim for name, claim in self.claims.items() if not wanted or name in wanted or name.split("-")[0] in wanted
        ]

    def _near(self, name: str, papers: list[str]) -> list[str]:
        """Return the names that an error may suggest: the claims of the same paper, or all claims and papers."""
        paper, *number = name.upper().split("-", maxsplit=1)
        of_paper = [claim for claim in self.claims if number and claim.startswith(f"{paper}-")]
        return of_paper or [*self.claims, *papers]


def library(folder: Path | None = None) -> Library:
    """Return the claims of all Python files in a folder, by default the derivations of the package.

    A file that cannot be run, or that repeats an id, is listed among the problems; the other claims are kept.
    ValueError: the folder has no claims.
    """
    root = own_folder("derivations") if folder is None else folder
    if not root.is_dir():
        raise ValueError(f"expected a folder of Python files with claims, got {root}; name one with --folder")
    claims: dict[str, Claim] = {}
    problems: dict[str, str] = {}
    sections: list[tuple[Section, str]] = []
    for path in sorted(root.glob("*.py")):
        try:
            sections += [(section, path.name) for section in _sections(load_file(path))]
        except Exception as error:  # noqa: BLE001 - a file of claims may raise anything
            problems[path.name] = f"{type(error).__name__}: {error}"
    for section, name in sorted(sections, key=lambda pair: _order(pair[0].place)):
        for claim in section.claims:
            if claim.id in claims:
                problems[name] = f"the id {claim.id!r} is used twice; the first is kept"
            else:
                claims[claim.id] = claim
    for name, transcription in _transcribed(root, claims, problems).items():
        if name in claims:
            claims[name] = replace(claims[name], transcription=transcription)
        else:
            problems[FILE] = f"there is no claim {name!r}"
    if not claims:
        why = "; ".join(f"{name}: {problem}" for name, problem in problems.items()) or "it has no Python file"
        raise ValueError(f"expected claims in the folder {root}, got none: {why}")
    return Library(claims, problems)


def _transcribed(root: Path, ids: Iterable[str], problems: dict[str, str]) -> dict[str, Transcription]:
    try:
        return read(root, ids)
    except (tomllib.TOMLDecodeError, KeyError) as error:
        problems[FILE] = f"{type(error).__name__}: {error}"
        return {}


def _order(place: str) -> list[tuple[bool, int, str]]:
    """Return the key that sorts places such as "A 5.1": sections by their numbers, then appendices by their letters."""
    tokens = re.findall(r"\d+|[A-Za-z]+", place)
    return [(not part.isdigit(), int(part) if part.isdigit() else 0, part) for part in tokens]


def _sections(module: ModuleType) -> list[Section]:
    sections = [value for value in vars(module).values() if isinstance(value, Section)]
    if not sections:
        raise ValueError("expected a Section, got none; write SECTION = Section('title') and add claims to it")
    return sections
