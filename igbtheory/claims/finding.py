"""Findings: what one piece of evidence says of a claim."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import final
from zlib import crc32

import numpy as np

HOLDS, FAILS, UNDECIDED = "holds", "fails", "undecided"
FAMILY = 1e-6
"""Probability that any test of a run rejects what is true."""


@final
@dataclass(frozen=True)
class Finding:
    """One finding: its kind, what was compared, the verdict, the numbers, and the formula in LaTeX where there is one.

    kind: symbolic, numerical, simulation or counter-example.
    """

    kind: str
    label: str
    verdict: str
    detail: str
    formula: str = ""


Findings = Iterator[Finding]
"""What a derivation yields."""


@final
@dataclass(frozen=True)
class Trial:
    """Circumstances of a run: seed of the claim's simulations, whether small ensembles must do, level of every test."""

    name: str
    run_seed: int = 0
    quick: bool = False
    level: float = FAMILY / 1000

    @cached_property
    def seed(self) -> int:
        """Seed of this claim's simulations, from its name and the seed of the run."""
        entropy = (self.run_seed, crc32(self.name.encode()))
        return int(np.random.SeedSequence(entropy).generate_state(1, np.uint64)[0])

    @cached_property
    def rng(self) -> np.random.Generator:
        """Generator of this claim's draws."""
        return np.random.default_rng(self.seed)

    def draws(self, number: int) -> int:
        """Number of networks or draws: a quarter of `number` where the run is quick."""
        return max(number // 4, 2) if self.quick else number


def combined(verdicts: list[str]) -> str:
    """Verdict of several: one that fails decides; nothing that holds, nothing decided."""
    if FAILS in verdicts:
        return FAILS
    return HOLDS if HOLDS in verdicts and UNDECIDED not in verdicts else UNDECIDED
