"""`igb activation`: the verdict on an activation."""

import igbtheory as igb
from igbtheory.presentation.cli.options import Gaussian, Printed, Variances, with_parameters
from igbtheory.presentation.cli.parameters import Activation, Assignments, Whole


def activation(
    activation: Activation,
    /,
    variances: Variances = Variances(),
    inputs: Gaussian = Gaussian(),
    printed: Printed = Printed(),
    *,
    param: Assignments = (),
    depth: Whole = 100,
) -> None:
    """Print the verdict on an activation: whether it causes a bias, why, and how depth changes the bias.

    The verdict includes the law of G0 at the output, and the constant shift that removes the bias at depth 1 with its
    effect in deeper networks.

    ```
    igb activation gelu --plot verdict.png
    igb activation "x*tanh(a*x)" --param a=2
    ```

    Parameters
    ----------
    activation
        A name such as relu, tanh, gelu, or a formula in x such as "x*tanh(x)" or "where(x > 0, x, x/10)".
    depth
        Number of hidden layers.

    """
    phi = with_parameters(activation, param)
    network = (phi, variances.sigma_w2, variances.sigma_b2, depth, inputs.values())
    printed.answer({}, printed.drawn(lambda: igb.phases.verdict(*network)))
