"""Findings: the result of one piece of evidence for or against a claim."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import final
from zlib import crc32

import numpy as np

HOLDS, FAILS, UNDECIDED = "holds", "fails", "undecided"
FAMILY = 1e-6
"""Probability that any test of a run rejects a true statement."""


@final
@dataclass(frozen=True)
class Finding:
    """One finding: its kind, a label of what was compared, the verdict, the numbers, and optional LaTeX.

    kind: symbolic, numerical, simulation, words, transcription or counter-example. filled: for words, the places in the
    label that the evidence filled in.
    """

    kind: str
    label: str
    verdict: str
    detail: str
    formula: str = ""
    filled: tuple[tuple[int, int], ...] = ()


Findings = Iterator[Finding]
"""The return type of a derivation."""


@final
@dataclass(frozen=True)
class Trial:
    """Conditions of the test of a claim: its id, the seed of the run, small ensembles, the level of every test.

    name: the id of the claim. run_seed: the seed of the run. quick: small ensembles. level: of every test.

    >>> igb.claims.Trial("an example").quick
    False
    """

    name: str
    run_seed: int = 0
    quick: bool = False
    level: float = FAMILY / 1000

    @cached_property
    def seed(self) -> int:
        """Seed of this claim's simulations, derived from its id and the seed of the run."""
        entropy = (self.run_seed, crc32(self.name.encode()))
        return int(np.random.SeedSequence(entropy).generate_state(1, np.uint64)[0])

    @cached_property
    def rng(self) -> np.random.Generator:
        """Random generator for this claim."""
        return np.random.default_rng(self.seed)

    def draws(self, number: int) -> int:
        """Return the number of networks or draws: `number`, or a quarter of it if the run is quick."""
        return max(number // 4, 2) if self.quick else number


def combined(verdicts: list[str]) -> str:
    """Return the verdict of several: fails if one fails, holds if there are any and all hold, otherwise undecided."""
    if FAILS in verdicts:
        return FAILS
    return HOLDS if HOLDS in verdicts and UNDECIDED not in verdicts else UNDECIDED
