"""`igb design`: the value of a parameter that gives a wanted gamma."""

from dataclasses import fields

import igbtheory as igb
from igbtheory.cli import output
from igbtheory.cli.options import Architecture, Inputs


def design(
    gamma: float,
    architecture: Architecture = Architecture(),  # noqa: B008 - frozen
    inputs: Inputs = Inputs(),  # noqa: B008 - frozen
    *,
    vary: str,
    within: tuple[float, float] | None = None,
    json: bool = False,
) -> None:
    """Find the value of one parameter that gives the network the wanted gamma = var_mu/var_chi.

    All values that do are printed; where none does, the error says which gamma can be had.

    Parameters
    ----------
    gamma
        The wanted gamma.
    architecture
        Which network, but for the parameter.
    inputs
        On which inputs.
    vary
        The parameter: sigma_w2, sigma_b2, shift (added to the inputs), batch_size, or activation_shift (a constant
        taken from the activation, matched at each layer).
    within
        Smallest and largest value to try.
    json
        Print JSON.

    """
    options = {field.name: getattr(architecture, field.name) for field in fields(architecture)}
    if vary in options and options.pop(vary) != getattr(Architecture(), vary):
        raise ValueError(f"--vary {vary} finds its value; leave --{vary.replace('_', '-')} out")
    found = igb.design(gamma, vary, inputs=inputs.values(), within=within, **options)
    reached = float(found.prediction.gamma)
    if json:
        values = {"vary": vary, "value": found.value, "values": found.values, "target": found.target, "gamma": reached}
        output.show_json(values)
        return
    shown = found.value if isinstance(found.value, tuple) else found.values
    layer = "hidden layer {}: " if isinstance(found.value, tuple) else ""
    lines = [f"{layer.format(i + 1)}{vary} = {value:.17g}" for i, value in enumerate(shown)]
    output.show(*lines, "", f"gamma   {output.number(reached, 15)}")
