"""`igb design`: the value of a parameter that gives a wanted gamma."""

from typing import Annotated, Literal

import igbtheory as igb
from igbtheory.presentation.cli.options import Architecture, Inputs, Printed
from igbtheory.presentation.cli.parameters import Choice


def design(
    gamma: float,
    architecture: Architecture = Architecture(),
    inputs: Inputs = Inputs(),
    printed: Printed = Printed(),
    *,
    vary: Annotated[Literal["sigma_w2", "sigma_b2", "shift", "batch_size", "activation_shift"], Choice],
    within: tuple[float, float] | None = None,
) -> None:
    """Find the value of one parameter that gives the network the wanted gamma = var_mu/var_chi.

    All such values are printed. If there are none, the error says which values of gamma can be reached.

    ```
    igb design 1.0 --vary sigma_b2 --activation tanh
    igb design 0.5 --vary activation_shift --depth 10
    ```

    Parameters
    ----------
    gamma
        The wanted gamma.
    vary
        The parameter. shift is added to the inputs; activation_shift is subtracted from the activation, a constant for
        each layer.
    within
        Smallest and largest value to try.

    """
    options = architecture.options()
    if vary in options and options.pop(vary) != getattr(Architecture(), vary):
        raise ValueError(f"--vary {vary} finds its value; leave --{vary.replace('_', '-')} out")
    values = inputs.values()
    printed.answer({}, printed.drawn(lambda: igb.design(gamma, vary, inputs=values, within=within, **options)))
