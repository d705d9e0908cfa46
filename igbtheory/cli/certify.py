"""`igb certify`: the prediction in infinite width with proven digits."""

from igbtheory.cli import output
from igbtheory.cli.options import Architecture, Gaussian, Whole

NAMES = ("gamma", "var_mu", "var_chi", "c")


def certify(
    architecture: Architecture = Architecture(),  # noqa: B008 - frozen
    inputs: Gaussian = Gaussian(),  # noqa: B008 - frozen
    *,
    digits: Whole = 15,
    json: bool = False,
) -> None:
    """Print var_mu, var_chi, gamma and c of the output layer, each with a radius that is proven to hold the true value.

    [0.46694220692425986 +/- 1.7e-20] says that the number lies in that interval, whatever was rounded, cut off or left
    out on the way. What cannot be proven is refused; `igb predict --digits 30` estimates its error instead.

    Parameters
    ----------
    architecture
        Which network.
    inputs
        On which Gaussian inputs; data sets are not certified.
    digits
        Relative radii below 10^-digits.
    json
        Print JSON: every ball as text, with all layers.

    """
    values = inputs.values()
    found = architecture.network().certify(digits, inputs=values)
    origin = {"network": str(architecture), "inputs": inputs.text(values)}
    if json:
        layers = {name: [found.shown(ball) for ball in getattr(found.per_layer, name)] for name in NAMES}
        balls = {name: found.shown(getattr(found, name)) for name in NAMES}
        output.show_json({**origin, "digits": digits, "bits": found.bits, **balls, "per_layer": layers})
    else:
        output.show(*origin.values(), "", str(found), "", f"proven with {found.bits} bits")
