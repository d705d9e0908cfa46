"""Claims of papers: statements with evidence that anyone can run, and their verdicts.

A file of claims creates a `Section` and adds derivations to it, which are functions that yield findings. `gaussians`
contains formulas that many claims use, and `simulated` evidence from finite networks.
"""

from igbtheory.claims.claim import Claim, Section
from igbtheory.claims.evidence import agree, identity, measured, normal, rectified, rises, satisfies, shown, worded
from igbtheory.claims.finding import Finding, Findings, Trial
from igbtheory.claims.formula import equation, value_of
from igbtheory.claims.papers import PAPERS
from igbtheory.claims.runner import run

__all__ = [
    "PAPERS",
    "Claim",
    "Finding",
    "Findings",
    "Section",
    "Trial",
    "agree",
    "equation",
    "identity",
    "measured",
    "normal",
    "rectified",
    "rises",
    "run",
    "satisfies",
    "shown",
    "value_of",
    "worded",
]
