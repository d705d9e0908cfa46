"""What differs in a report: simulations from predictions, and evidence from recorded verdicts."""

from collections.abc import Iterable

from igbtheory.claims.runner import Outcome as Examined
from igbtheory.presentation.report.cases import INPUTS
from igbtheory.presentation.report.study import Outcome

UNCONFIRMED = "the recorded verdict or the words of the document are not confirmed"


def differences(outcomes: Iterable[Outcome], verdicts: Iterable[Examined]) -> tuple[str, ...]:
    """Return a line for each simulation that disagrees with its prediction, and for each claim that is not confirmed.

    A claim is confirmed if its verdict is the recorded one and the document has its words.
    """
    return (
        *(_deviation(outcome) for outcome in outcomes if not outcome.comparison.agrees()),
        *(
            f"claim {outcome.claim.id}: {outcome.trouble or UNCONFIRMED}"
            for outcome in verdicts
            if not outcome.as_recorded
        ),
    )


def _deviation(outcome: Outcome) -> str:
    comparison = outcome.comparison
    largest = f"{comparison.largest_z.name} deviates by {comparison.largest_z.z:.3g} standard errors"
    return f"{outcome.case.title}, {INPUTS[outcome.case.inputs]}: {largest}; G0: {comparison.ks}"
