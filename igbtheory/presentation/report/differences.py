"""What differs in a report: simulations from predictions, and evidence from recorded verdicts."""

from collections.abc import Iterable, Iterator

from igbtheory.claims.runner import Outcome as Examined
from igbtheory.presentation.report.cases import INPUTS
from igbtheory.presentation.report.study import ALIKE, Outcome

UNCONFIRMED = "the recorded verdict or the words of the document are not confirmed"


def differences(outcomes: Iterable[Outcome], verdicts: Iterable[Examined]) -> tuple[str, ...]:
    """Return a line for each case that disagrees with its prediction, and for each claim that is not confirmed.

    A claim is confirmed if its verdict is the recorded one and the document has its words.
    """
    return (
        *(
            f"{outcome.case.title}, {INPUTS[outcome.case.inputs]}: {deviation(outcome)}"
            for outcome in outcomes
            if not outcome.agrees
        ),
        *(
            f"claim {outcome.claim.id}: {outcome.trouble or UNCONFIRMED}"
            for outcome in verdicts
            if not outcome.as_recorded
        ),
    )


def deviation(outcome: Outcome) -> str:
    """Return in words how a case that disagrees does so."""
    return "; ".join(_deviations(outcome))


def _deviations(outcome: Outcome) -> Iterator[str]:
    comparison, beyond = outcome.comparison, outcome.expected.beyond
    largest = comparison.largest_z
    if not comparison.agrees():
        yield f"{largest.name} deviates by {largest.z:.3g} standard errors; G0: {comparison.ks}"
    if beyond > ALIKE:
        yield f"the theory of finite width tends to other moments than those of infinite width, by {beyond:.1e}"
