"""`igb design`: the value of a parameter that gives a wanted gamma."""

import igbtheory as igb
from igbtheory.presentation.cli.options import Architecture, Inputs, Printed


def design(
    gamma: float,
    architecture: Architecture = Architecture(),
    inputs: Inputs = Inputs(),
    printed: Printed = Printed(),
    *,
    vary: str,
    within: tuple[float, float] | None = None,
) -> None:
    """Find the value of one parameter that gives the network the wanted gamma = var_mu/var_chi.

    All such values are printed. If there are none, the error says which values of gamma can be reached.

    Parameters
    ----------
    gamma
        The wanted gamma.
    vary
        The parameter: sigma_w2, sigma_b2, shift (added to the inputs), batch_size, or activation_shift (a constant
        that is subtracted from the activation, chosen for each layer).
    within
        Smallest and largest value to try.

    """
    options = architecture.options()
    if vary in options and options.pop(vary) != getattr(Architecture(), vary):
        raise ValueError(f"--vary {vary} finds its value; leave --{vary.replace('_', '-')} out")
    values = inputs.values()
    printed.answer({}, printed.drawn(lambda: igb.design(gamma, vary, inputs=values, within=within, **options)))
