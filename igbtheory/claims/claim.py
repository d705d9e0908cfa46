"""Claims, and the sections of papers that hold them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from inspect import getdoc, getsourcefile, getsourcelines, signature, unwrap
from pathlib import Path
from typing import Any, final

from igbtheory import checks
from igbtheory.claims.finding import FAILS, HOLDS, UNDECIDED, Finding, Trial
from igbtheory.claims.formula import latex, parts, program

Derivation = Callable[..., Iterable[Finding]]


@final
@dataclass(frozen=True)
class Claim:
    """A claim: its id, the statement in words and as a formula, what it presumes, and the derivation that tests it.

    stated: one SymPy relation or several, which the text prints and the derivation tests; of a definition LaTeX.
    verdict: the recorded one; reason: why it is not decided; correction: what is right instead; counter_example:
    Python that runs without error because the claim is false, in which `printed` is what the formula states.
    """

    id: str
    says: str
    section: str
    verdict: str
    derivation: Derivation | None = None
    stated: Any = ()
    assumes: str = ""
    reason: str = ""
    correction: "Claim | None" = None
    counter_example: str = ""

    def __getstate__(self) -> dict[str, Any]:
        # SymPy would make False of a wrong equation that it loads
        relations = [
            partial(x.func, *x.args, evaluate=False) if getattr(x, "is_Relational", False) else x
            for x in parts(self.stated)
        ]
        return vars(self) | {"stated": (isinstance(self.stated, tuple | list), relations)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        several, relations = state["stated"]
        stated = tuple(x() if isinstance(x, partial) else x for x in relations)
        vars(self).update(state | {"stated": stated if several else stated[0]})

    @property
    def formula(self) -> str:
        """The statement in LaTeX, empty where it is in words alone."""
        return latex(self.stated)

    @property
    def steps(self) -> str:
        """The derivation in words."""
        return "" if self.derivation is None else getdoc(self.derivation) or ""

    @property
    def source(self) -> str:
        """The file and the line of the derivation, empty where there is none."""
        if self.derivation is None:
            return ""
        derivation = unwrap(self.derivation)
        return f"{Path(getsourcefile(derivation) or '').name}:{getsourcelines(derivation)[1]}"

    @property
    def program(self) -> str:
        """The counter-example as a whole program: it begins with the formula as printed, where it uses it."""
        return program(self.stated, self.counter_example)

    def findings(self, trial: Trial) -> list[Finding]:
        """Findings of the derivation, in order; it takes `trial`, `stated`, both or neither."""
        if self.derivation is None:
            return []
        offered = {"trial": trial, "stated": self.stated}
        return list(self.derivation(**{name: offered[name] for name in signature(self.derivation).parameters}))


@final
@dataclass(eq=False)
class Section:
    """A section of a paper, to which a file of claims adds what it derives.

    place: the letter of the paper and the number of the section, such as "A 5.1" or "E F.2", which orders reports.
    """

    title: str
    place: str = ""
    claims: list[Claim] = field(default_factory=list)

    def holds(self, name: str, says: str, printed: Any = (), **more: Any) -> Callable[[Derivation], Derivation]:
        """Decorator of the derivation of a claim that is right as printed."""
        return partial(self._add, Claim(name, says, self.title, HOLDS, stated=printed, **more))

    def fails(
        self,
        name: str,
        says: str,
        printed: Any = (),
        *,
        counter_example: str,
        correction: str = "",
        right: Any = (),
        right_assumes: str = "",
        **more: Any,
    ) -> Callable[[Derivation], Derivation]:
        """Decorator of the derivation that shows a claim to be wrong as printed.

        correction, right, right_assumes: the right statement, which the same derivation shows to hold. If that takes
        another derivation, add it by `corrects`.
        """
        other = Claim(f"{name}, corrected", correction, self.title, HOLDS, stated=right, assumes=right_assumes)
        more |= {"counter_example": counter_example, "correction": other if correction else None}
        return partial(self._add, Claim(name, says, self.title, FAILS, stated=printed, **more))

    def corrects(self, name: str, says: str, right: Any = (), **more: Any) -> Callable[[Derivation], Derivation]:
        """Decorator of the derivation of what is right instead of the claim `name`, which was added before."""
        checks.known("claim to correct", name, [claim.id for claim in self.claims])
        place = next(i for i, claim in enumerate(self.claims) if claim.id == name)

        def add(derivation: Derivation) -> Derivation:
            other = Claim(f"{name}, corrected", says, self.title, HOLDS, derivation, stated=right, **more)
            self.claims[place] = replace(self.claims[place], correction=other)
            return derivation

        return add

    def untested(self, reason: str, *listed: tuple[str, ...]) -> None:
        """Add claims that are listed and not tested, all for one reason: of each the id, the text, and any LaTeX."""
        for name, says, *printed in listed:
            self.claims.append(Claim(name, says, self.title, UNDECIDED, reason=reason, stated=tuple(printed)))

    def _add(self, claim: Claim, derivation: Derivation) -> Derivation:
        other = claim.correction and replace(claim.correction, derivation=derivation)
        self.claims.append(replace(claim, derivation=derivation, correction=other))
        return derivation
