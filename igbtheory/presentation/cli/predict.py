"""`igb predict`: the prediction in infinite width."""

from typing import Any

from igbtheory.presentation.cli import output
from igbtheory.presentation.cli.options import Case, Whole


def predict(case: Case = Case(), *, digits: Whole | None = None) -> None:
    """Print the prediction in infinite width: the moments after every Dense layer, and the law of G0.

    G0 is the fraction of the data that the untrained network assigns to class 0. gamma = var_mu/var_chi determines
    its law: one peak at 1/2 if gamma < 1 (neutral), two peaks at 0 and 1 if gamma > 1 (prejudiced).

    Parameters
    ----------
    digits
        Compute with this many significant digits; by default in double precision.

    """

    def predicted(network: Any, inputs: Any) -> Any:
        with output.working("predicting"):
            return network.predict(inputs, digits=digits)

    case.compute(predicted, digits or 17)
