"""`igb activation`: the verdict on an activation."""

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from igbtheory.cli.options import Assignments, Gaussian, Printed, Variances, Whole, with_parameters
from igbtheory.phases import verdict
from igbtheory.whole_files import whole_file


def activation(
    activation: Annotated[str, Parameter(allow_leading_hyphen=True)],
    /,
    variances: Variances = Variances(),
    inputs: Gaussian = Gaussian(),
    printed: Printed = Printed(),
    *,
    param: Assignments = (),
    depth: Whole = 100,
    plot: Path | None = None,
) -> None:
    """Print the verdict on an activation: whether it biases, why, and what depth makes of it.

    Also the law of G0 at the output, and the constant shift that removes the bias at depth 1, with its effect in deeper
    networks.

    Parameters
    ----------
    activation
        A name such as relu, tanh, gelu, or a formula in x such as "x*tanh(x)" or "where(x > 0, x, x/10)".
    variances
        The variances of weights and biases.
    inputs
        The Gaussian inputs.
    printed
        How the result is printed; JSON holds all depths.
    param
        The value of a parameter in the formula, as a=5 of "x + sin(a*x)**2/a"; once for each.
    depth
        Hidden layers.
    plot
        Draw the activation, gamma over depth and the law of G0 to this file, FILE.png or FILE.pdf.

    """
    # the file first: a picture that cannot be written is refused before anything is computed
    with nullcontext() if plot is None else whole_file(plot, (".png", ".pdf")) as file:
        phi = with_parameters(activation, param)
        found = verdict(phi, variances.sigma_w2, variances.sigma_b2, depth, inputs.values())
        if file is not None:
            from igbtheory.pictures.style import write  # noqa: PLC0415 - Matplotlib takes its time
            from igbtheory.pictures.verdict import picture  # noqa: PLC0415 - as above

            write(picture, found, file)
        printed.answer({}, found)
