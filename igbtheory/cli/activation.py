"""`igb activation`: the verdict on an activation."""

from igbtheory.cli.options import Assignments, Gaussian, Pictured, Text, Variances, Whole, with_parameters
from igbtheory.phases import verdict


def activation(
    activation: Text,
    /,
    variances: Variances = Variances(),
    inputs: Gaussian = Gaussian(),
    printed: Pictured = Pictured(),
    *,
    param: Assignments = (),
    depth: Whole = 100,
) -> None:
    """Print the verdict on an activation: whether it biases, why, and what depth makes of it.

    Also the law of G0 at the output, and the constant shift that removes the bias at depth 1, with its effect in deeper
    networks.

    Parameters
    ----------
    activation
        A name such as relu, tanh, gelu, or a formula in x such as "x*tanh(x)" or "where(x > 0, x, x/10)".
    param
        The value of a parameter in the formula, as a=5 of "x + sin(a*x)**2/a"; once for each.
    depth
        Hidden layers.

    """
    phi = with_parameters(activation, param)
    of = (phi, variances.sigma_w2, variances.sigma_b2, depth, inputs.values())
    printed.answer({}, printed.drawn(lambda: verdict(*of)))
