"""Claims of papers: statements with evidence that anyone can run, and what they come to.

A file of claims makes a `Section` and adds functions to it, each a derivation that yields findings. `gaussians` holds
formulas that many claims share, `simulated` evidence from finite networks.
"""

from igbtheory.claims.claim import Claim, Section
from igbtheory.claims.evidence import agree, identity, measured, normal, rectified, rises, satisfies, shown
from igbtheory.claims.finding import Finding, Findings, Trial
from igbtheory.claims.formula import equation
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
]
