"""What is printed of a claim is bound: to the text of its document, or to what the evidence computes."""

from collections.abc import Iterator, Sequence

from igbtheory.claims.claim import Claim
from igbtheory.claims.finding import FAILS, HOLDS, Finding
from igbtheory.claims.words import QUOTED, loose, plain, weighty


def bound(claim: Claim, findings: Sequence[Finding], corrected: Sequence[Finding]) -> Iterator[Finding]:
    """Yield the findings that a claim and its correction print nothing that could be changed unnoticed.

    The numbers and the words of direction or quantity of a sentence are filled in by the evidence (`evidence.worded`),
    or stand in the text of the document; so does all that is put between quotation marks, in the place that is named
    behind it. Every clause of the assumptions has one of the two. Formulas are those that the document has. A folder
    without transcriptions, see `transcription`, is not asked for this.
    """
    document = claim.transcription
    if document is None or claim.derivation is None:
        return
    yield from document.formulas(claim.stated)
    statements = [(claim, findings, document.quote)]
    statements += [(claim.correction, corrected, "")] if claim.correction else []
    for one, evidence, quote in statements:
        said = [word for word in loose(one.says, evidence) if word.lower() not in weighty(quote)]
        assumed = [word for text in (one.assumes, one.stand_in) for word in loose(text, evidence)]
        assumed += [clause for clause in clauses(one.assumes) if not _has_a_source(clause, evidence)]
        strangers = [
            f"{part} ({place})" if place else part
            for part, place in QUOTED.findall(one.sentence)
            if plain(part) not in plain(document.setting.get(place, "") if place else document.quote)
        ]
        yield _finding("words that neither the evidence nor the document has", said + assumed)
        yield _finding("quotations that the document does not have", strangers)


def clauses(assumes: str) -> list[str]:
    """Return the single assumptions."""
    return [clause for clause in assumes.split("; ") if clause]


def _has_a_source(clause: str, findings: Sequence[Finding]) -> bool:
    """Return whether an assumption quotes the document, or has words that the evidence fills in."""
    return QUOTED.search(clause) is not None or any(finding.filled and finding.label in clause for finding in findings)


def _finding(label: str, wrong: list[str]) -> Finding:
    return Finding("transcription", label, FAILS if wrong else HOLDS, ", ".join(wrong) or "none")
