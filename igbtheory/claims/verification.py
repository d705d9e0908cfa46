"""Claims put to the test: those of the papers, or those of a folder of one's own."""

import shutil
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from igbtheory.claims.library import library
from igbtheory.claims.report import as_dict, summary, write_reports
from igbtheory.claims.runner import Outcome, run
from igbtheory.foundations import checks


@final
@dataclass(frozen=True, repr=False)
class Verification:
    """Outcomes of claims; print it to read them.

    problems: error messages by the names of the files of claims that could not be read. seed, quick: as in `verify`.
    """

    outcomes: tuple[Outcome, ...]
    problems: dict[str, str]
    seed: int
    quick: bool

    @property
    def as_recorded(self) -> bool:
        """Whether all files could be read, and every verdict is the recorded one."""
        return not self.problems and all(outcome.as_recorded for outcome in self.outcomes)

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Return by the id of each claim what it says, its verdict and its evidence, as plain values."""
        return {outcome.claim.id: as_dict(outcome) for outcome in self.outcomes}

    def write(self, folder: str | Path) -> None:
        """Write claims.md, claims.html, claims.tex and claims.json into the folder, which is created if missing."""
        write_reports(self.outcomes, Path(folder), seed=self.seed, quick=self.quick, problems=self.problems)

    def __str__(self) -> str:
        return summary(self.outcomes, shutil.get_terminal_size().columns)

    def __repr__(self) -> str:
        standing = "all" if self.as_recorded else "not all"
        return f"Verification(of claims: {len(self.outcomes)}, {standing} as recorded)"


def verify(  # noqa: PLR0913 - the options of every run
    *names: str,
    quick: bool = False,
    seed: int = 0,
    folder: str | Path | None = None,
    seconds: float = 120.0,
    workers: int | None = None,
    executor: Executor | str | None = None,
    store: str | Path | None = None,
    progress: bool = False,
) -> Verification:
    """Put claims of the papers to the test by identities, quadrature and simulations, and return the outcomes.

    Each claim holds, fails or stays undecided; a claim that fails comes with a correction.

    names: ids of claims, such as "E-Eq47", or papers, "A" to "E"; by default all. quick: use small ensembles. folder:
    Python files with your own claims, instead of those of the papers. seconds: the time limit for each claim. workers,
    executor, store, progress: as in `simulate`. seed: of the simulations.
    ValueError: a name is unknown, or the folder has no claims.

    >>> igb.verify("A", quick=True)    # doctest: +SKIP
    """
    claims = library(None if folder is None else Path(folder))
    chosen = claims.chosen(names)
    checks.seconds(seconds)
    seed, quick = checks.whole("seed", seed, 0), checks.flag("quick", quick)
    outcomes = run(
        chosen, seed, quick=quick, seconds=seconds, workers=workers, executor=executor, store=store, progress=progress
    )
    return Verification(tuple(outcomes), claims.problems, seed, quick)
