"""`igb activation`: the verdict on an activation."""

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from igbtheory.cli.options import Gaussian, Printed, Variances, Whole
from igbtheory.phases import verdict
from igbtheory.whole_files import whole_file


def activation(
    activation: Annotated[str, Parameter(allow_leading_hyphen=True)],
    /,
    variances: Variances = Variances(),
    inputs: Gaussian = Gaussian(),
    printed: Printed = Printed(),
    *,
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
    depth
        Hidden layers.
    plot
        Draw the activation, gamma over depth and the law of G0 to this file, FILE.png or FILE.pdf.

    """
    # the file first: a picture that cannot be written is refused before anything is computed
    with nullcontext() if plot is None else whole_file(plot, (".png", ".pdf")) as file:
        found = verdict(activation, variances.sigma_w2, variances.sigma_b2, depth, inputs.values())
        if file is not None:
            from igbtheory.pictures import plots, style  # noqa: PLC0415 - Matplotlib takes its time

            style.write(plots.picture, found, file)
        printed.answer({}, found)
