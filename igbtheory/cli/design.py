"""`igb design`: the value of a parameter that gives a wanted gamma."""

import igbtheory as igb
from igbtheory.cli.options import Case


def design(gamma: float, case: Case = Case(), *, vary: str, within: tuple[float, float] | None = None) -> None:
    """Find the value of one parameter that gives the network the wanted gamma = var_mu/var_chi.

    All values that do are printed; where none does, the error says which gamma can be had.

    Parameters
    ----------
    gamma
        The wanted gamma.
    vary
        The parameter: sigma_w2, sigma_b2, shift (added to the inputs), batch_size, or activation_shift (a constant
        taken from the activation, matched at each layer).
    within
        Smallest and largest value to try.

    """
    if case.layers is not None:
        raise ValueError("expected options such as --depth and --activation, got layers; igb design varies one option")
    options = case.options()
    if vary in options and options.pop(vary) != getattr(Case(), vary):
        raise ValueError(f"--vary {vary} finds its value; leave --{vary.replace('_', '-')} out")
    values = case.values()
    found = case.drawn(lambda: igb.design(gamma, vary, inputs=values, within=within, **options))
    case.answer({}, found)
