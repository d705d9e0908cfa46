"""`igb predict`: the prediction in infinite width."""

from igbtheory.cli import output
from igbtheory.cli.options import Case, Whole


def predict(case: Case = Case(), *, digits: Whole | None = None, norms: bool = False) -> int:
    """Print the prediction in infinite width: the moments after every Dense layer, and the law of G0.

    G0 is the fraction of the data that the untrained network gives to class 0. gamma = var_mu/var_chi decides
    its law: one peak at 1/2 below 1 (neutral), two peaks at 0 and 1 above (prejudiced). --norms prints a table
    of norms beside finite networks instead; exit status 1 if prediction and simulation disagree in it.

    Parameters
    ----------
    case
        Which network, on which inputs.
    digits
        Compute with so many significant digits; the default is double precision.
    norms
        Print a table over all norms, before and after the activation, at depths 1 and 20 on Gaussian inputs, beside
        simulated networks; exit status 1 if they disagree. It takes about half a minute.

    """
    if norms:
        if digits is not None:
            raise ValueError("--norms compares with simulations in double precision; leave --digits out")
        from igbtheory.cli.norms import compare_norms  # noqa: PLC0415 - no other prediction needs Matplotlib

        return compare_norms(case)
    values = case.values()
    with output.working("predicting"):
        prediction = case.network().predict(values, digits=digits)
    case.answer(case.origin(values), prediction, digits or 17)
    return 0
