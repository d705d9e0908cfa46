"""Claims, and the sections of papers to which they belong."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from inspect import getdoc, getsourcefile, getsourcelines, signature, unwrap
from pathlib import Path
from typing import Any, final

from igbtheory.claims.finding import FAILS, HOLDS, UNDECIDED, Finding, Trial
from igbtheory.claims.formula import latex, program, relations_of
from igbtheory.claims.papers import PAPERS, Paper
from igbtheory.claims.transcription import Transcription
from igbtheory.foundations import checks

Derivation = Callable[..., Iterable[Finding]]

FALSE, LIMITED, MISPRINT = "false", "limited", "misprint"
KINDS = {
    FALSE: "False statements",
    LIMITED: "Limits of validity",
    MISPRINT: "Misprints",
}
"""The lists of claims that readers should know of, by the kinds of the claims."""
REPLACED = "Statements of a replaced version"
"""The list of the claims of any kind whose document the authors have replaced by one that was not read."""
LISTS = (*KINDS.values(), REPLACED)
INSTEAD = {FALSE: "Right", LIMITED: "Outside", MISPRINT: "Right"}
"""What introduces the correction of a claim, by its kind."""


@final
@dataclass(frozen=True)
class Claim:
    """A claim: its id, the statement in words and as a formula, its assumptions, and the derivation that tests it.

    at: its place in the document, such as "Eq. 47" or "section 5, after Theorem 5.1". document: the document, if it is
    not the one that was read of the whole paper (`Paper.document`).
    stated: one or several SymPy relations, which reports print and the derivation tests; for a definition, LaTeX.
    assumes: what the document or the evidence takes for granted, in clauses between semicolons: a quotation of the
    document with its place, or words that the evidence fills in. where: what the symbols and words of the statement
    stand for. stand_in: what the evidence puts in the place of what the document has.
    verdict: the recorded verdict. reason: why the claim is not decided. kind: "" or one of `KINDS`.
    correction: the right statement instead of a false one or a misprint; what holds outside the assumptions of a
    statement that they limit. definition: whether it leaves nothing to decide, as definitions and conventions do.
    counter_example: Python code that runs without an error because the claim is false, or false outside its
    assumptions; in it, `printed` is the right-hand side of the formula.
    transcription: what the document prints, see `transcription`.
    """

    id: str
    says: str
    section: str
    verdict: str
    derivation: Derivation | None = None
    stated: Any = ()
    assumes: str = ""
    where: str = ""
    stand_in: str = ""
    at: str = ""
    document: str = ""
    kind: str = ""
    reason: str = ""
    correction: "Claim | None" = None
    counter_example: str = ""
    transcription: Transcription | None = None
    definition: bool = False

    def __getstate__(self) -> dict[str, Any]:
        # SymPy would evaluate a wrong equation to False on loading
        relations = [
            partial(x.func, *x.args, evaluate=False) if getattr(x, "is_Relational", False) else x
            for x in relations_of(self.stated)
        ]
        return vars(self) | {"stated": (isinstance(self.stated, tuple | list), relations)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        several, relations = state["stated"]
        stated = tuple(x() if isinstance(x, partial) else x for x in relations)
        vars(self).update(state | {"stated": stated if several else stated[0]})

    @property
    def formula(self) -> str:
        """Statement in LaTeX; empty if it is only in words."""
        return latex(self.stated)

    @property
    def sentence(self) -> str:
        """The statement, with its assumptions, what its symbols stand for, and what stands in for something else."""
        behind = ("Assumed", self.assumes), ("Where", self.where), ("Tested", self.stand_in)
        return " ".join([f"{self.says}.", *(f"{name}: {text}." for name, text in behind if text)])

    @property
    def place(self) -> str:
        """The document and the place in it, such as "draft, section 5"; empty if the place is not given."""
        paper = self.paper
        return ", ".join(part for part in (self.document or (paper.document if paper else ""), self.at) if part)

    @property
    def paper(self) -> Paper | None:
        """The paper, by the letter with which the id begins; None for a claim of one's own."""
        return PAPERS.get(self.id.split("-")[0])

    @property
    def listed(self) -> str:
        """Title of the list in which readers find the claim, one of `LISTS`; "" if it is in none."""
        replaced = self.paper is not None and self.paper.replaced and not self.document
        return REPLACED if self.kind and replaced else KINDS.get(self.kind, "")

    @property
    def steps(self) -> str:
        """Docstring of the derivation."""
        return "" if self.derivation is None else getdoc(self.derivation) or ""

    @property
    def source(self) -> str:
        """File and line of the derivation; empty if there is none."""
        if self.derivation is None:
            return ""
        derivation = unwrap(self.derivation)
        return f"{Path(getsourcefile(derivation) or '').name}:{getsourcelines(derivation)[1]}"

    @property
    def program(self) -> str:
        """Counter-example as a complete program, see `formula.program`."""
        return program(self.stated, self.counter_example)

    def findings(self, trial: Trial) -> list[Finding]:
        """Return the findings of the derivation, whose parameters may be any of `trial`, `stated` and `says`, which has
        the assumptions, too.
        """
        if self.derivation is None:
            return []
        offered = {"trial": trial, "stated": self.stated, "says": self.sentence}
        return list(self.derivation(**{name: offered[name] for name in signature(self.derivation).parameters}))


@final
@dataclass(eq=False)
class Section:
    """A section of a paper, to which a file of claims adds its claims.

    place: the letter of the paper and the number of the section, such as "A 5.1" or "E F.2"; reports are in this order.

    title: that of the section. claims: those that were added.

    >>> section = igb.claims.Section("An example", "A 5.1")
    >>> section.claims
    []
    """

    title: str
    place: str = ""
    claims: list[Claim] = field(default_factory=list)

    def holds(self, name: str, says: str, printed: Any = (), **more: Any) -> Callable[[Derivation], Derivation]:
        """Return a decorator for the derivation of a claim that is right as printed."""
        return partial(self._add, Claim(name, says, self.title, HOLDS, stated=printed, **more))

    def fails(  # noqa: PLR0913 - a claim and its correction stand together
        self,
        name: str,
        says: str,
        printed: Any = (),
        *,
        counter_example: str,
        misprint: bool = False,
        correction: str = "",
        right: Any = (),
        right_assumes: str = "",
        **more: Any,
    ) -> Callable[[Derivation], Derivation]:
        """Return a decorator for the derivation that shows a claim to be wrong as printed.

        misprint: whether only its printing is wrong. correction, right, right_assumes: the right statement in words, as
        a formula, and its assumptions. The same derivation must show that it holds; if another derivation is needed,
        add that with `corrects`.
        """
        other = self._other(name, correction, right, right_assumes)
        more |= {"counter_example": counter_example, "correction": other, "kind": MISPRINT if misprint else FALSE}
        return partial(self._add, Claim(name, says, self.title, FAILS, stated=printed, **more))

    def limited(  # noqa: PLR0913 - as `fails`
        self,
        name: str,
        says: str,
        printed: Any = (),
        *,
        assumes: str,
        counter_example: str,
        outside: str = "",
        beyond: Any = (),
        beyond_assumes: str = "",
        **more: Any,
    ) -> Callable[[Derivation], Derivation]:
        """Return a decorator for the derivation of a claim that holds under its assumptions, and not far beyond them.

        outside, beyond, beyond_assumes: what happens outside, in words and as a formula, and the assumptions there. The
        same derivation must show that it holds; if another derivation is needed, add that with `corrects`.
        counter_example: a program that shows the claim to be wrong outside its assumptions.
        """
        other = self._other(name, outside, beyond, beyond_assumes)
        more |= {"counter_example": counter_example, "correction": other, "kind": LIMITED, "assumes": assumes}
        return partial(self._add, Claim(name, says, self.title, HOLDS, stated=printed, **more))

    def corrects(self, name: str, says: str, right: Any = (), **more: Any) -> Callable[[Derivation], Derivation]:
        """Return a decorator for the derivation of the correction of the claim `name`, which was added before, or of
        what holds outside the assumptions of a limited claim.
        """
        checks.known("claim to correct", name, [claim.id for claim in self.claims])
        place = next(i for i, claim in enumerate(self.claims) if claim.id == name)

        def add(derivation: Derivation) -> Derivation:
            other = Claim(f"{name}, corrected", says, self.title, HOLDS, derivation, stated=right, **more)
            self.claims[place] = replace(self.claims[place], correction=other)
            return derivation

        return add

    def untested(self, reason: str, *listed: tuple[str, ...]) -> None:
        """Add claims that are listed but not tested, with the reason; each has an id, its place in the document, the
        text, and optional LaTeX.
        """
        for name, at, says, *printed in listed:
            self.claims.append(Claim(name, says, self.title, UNDECIDED, reason=reason, stated=tuple(printed), at=at))

    def definitions(self, reason: str, *listed: tuple[str, ...]) -> None:
        """Add claims that leave nothing to decide, such as definitions and conventions; arguments as in `untested`."""
        self.untested(reason, *listed)
        count = len(self.claims) - len(listed)
        self.claims[count:] = [replace(claim, definition=True) for claim in self.claims[count:]]

    def _other(self, name: str, says: str, stated: Any, assumes: str) -> Claim | None:
        """Return what is right instead, or outside; None if there are no words for it."""
        return Claim(f"{name}, corrected", says, self.title, HOLDS, stated=stated, assumes=assumes) if says else None

    def _add(self, claim: Claim, derivation: Derivation) -> Derivation:
        other = claim.correction and replace(claim.correction, derivation=derivation)
        self.claims.append(replace(claim, derivation=derivation, correction=other))
        return derivation
