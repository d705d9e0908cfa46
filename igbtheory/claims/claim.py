"""Claims, and the sections of papers that hold them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from inspect import getdoc, signature
from typing import Any, final

from igbtheory import checks
from igbtheory.claims.finding import FAILS, HOLDS, UNDECIDED, Finding, Trial

Derivation = Callable[..., Iterable[Finding]]


@final
@dataclass(frozen=True)
class Claim:
    """A claim: its id, the statement as printed, what it presumes, and the derivation that yields findings.

    formula: the statement in LaTeX, where it is one; verdict: the recorded one; reason: why it is not decided;
    correction: what is right instead; counter_example: Python that runs without error because the claim is false.
    """

    id: str
    says: str
    section: str
    verdict: str
    derivation: Derivation | None = None
    formula: str = ""
    assumes: str = ""
    reason: str = ""
    correction: "Claim | None" = None
    counter_example: str = ""

    @property
    def steps(self) -> str:
        """The derivation in words."""
        return "" if self.derivation is None else getdoc(self.derivation) or ""

    def findings(self, trial: Trial) -> list[Finding]:
        """Findings of the derivation, in order."""
        if self.derivation is None:
            return []
        wants = bool(signature(self.derivation).parameters)
        return list(self.derivation(trial) if wants else self.derivation())


@final
@dataclass(eq=False)
class Section:
    """A section of a paper, to which a file of claims adds what it derives."""

    title: str
    claims: list[Claim] = field(default_factory=list)

    def holds(self, name: str, says: str, **more: Any) -> Callable[[Derivation], Derivation]:
        """Decorator of the derivation of a claim that is right as printed."""
        return self._added(Claim(name, says, self.title, HOLDS, **more))

    def fails(self, name: str, says: str, *, counter_example: str, **more: Any) -> Callable[[Derivation], Derivation]:
        """Decorator of the derivation that shows a claim to be wrong as printed."""
        return self._added(Claim(name, says, self.title, FAILS, counter_example=counter_example, **more))

    def corrects(self, name: str, says: str, **more: Any) -> Callable[[Derivation], Derivation]:
        """Decorator of the derivation of what is right instead of the claim `name`, which was added before."""
        checks.known("claim to correct", name, [claim.id for claim in self.claims])
        place = next(i for i, claim in enumerate(self.claims) if claim.id == name)

        def add(derivation: Derivation) -> Derivation:
            right = Claim(f"{name}, corrected", says, self.title, HOLDS, derivation, **more)
            self.claims[place] = replace(self.claims[place], correction=right)
            return derivation

        return add

    def undecided(self, name: str, says: str, reason: str, **more: Any) -> None:
        """Add a claim that is listed and not decided, with the reason."""
        self.claims.append(Claim(name, says, self.title, UNDECIDED, reason=reason, **more))

    def _added(self, claim: Claim) -> Callable[[Derivation], Derivation]:
        def add(derivation: Derivation) -> Derivation:
            self.claims.append(replace(claim, derivation=derivation))
            return derivation

        return add
