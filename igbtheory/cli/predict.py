"""`igb predict`: the prediction in infinite width."""

import igbtheory as igb
from igbtheory.cli import output
from igbtheory.cli.options import Case, Layers, Whole


def predict(layers: Layers = None, /, case: Case = Case(), *, digits: Whole | None = None) -> None:
    """Print the prediction in infinite width: the moments after every Dense layer, and the law of G0.

    G0 is the fraction of the data that the untrained network gives to class 0. gamma = var_mu/var_chi decides
    its law: one peak at 1/2 below 1 (neutral), two peaks at 0 and 1 above (prejudiced).

    Parameters
    ----------
    digits
        Compute with so many significant digits; the default is double precision.

    """
    case = case.of(layers)
    values = case.values()

    def predicted() -> igb.Prediction:
        with output.working("predicting"):
            return case.network().predict(values, digits=digits)

    case.answer(case.origin(values), case.drawn(predicted), digits or 17)
