"""`igb activation`: the verdict on an activation."""

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

import igbtheory as igb
from igbtheory.cli import output
from igbtheory.cli.options import Whole
from igbtheory.formulas.text import pieces_text
from igbtheory.phases import Course, Verdict, verdict
from igbtheory.whole_files import whole_file


def activation(  # noqa: PLR0913 - one argument an option
    activation: Annotated[str, Parameter(allow_leading_hyphen=True)],
    /,
    *,
    sigma_w2: float = 2.0,
    sigma_b2: float = 0.0,
    depth: Whole = 100,
    shift: float = 0.0,
    variance: float = 1.0,
    plot: Path | None = None,
    json: bool = False,
) -> None:
    """Print the verdict on an activation: whether it biases, why, and what depth makes of it.

    Also the law of G0 at the output, and the constant shift that removes the bias at depth 1, with its fate
    deeper down.

    Parameters
    ----------
    activation
        A name such as relu, tanh, gelu, or a formula in x such as "x*tanh(x)" or "where(x > 0, x, x/10)".
    sigma_w2
        Variance of the weights, times the units they read.
    sigma_b2
        Variance of the biases.
    depth
        Hidden layers.
    shift
        Mean of the Gaussian inputs.
    variance
        Variance of the Gaussian inputs.
    plot
        Draw the activation, gamma over depth and the law of G0 to this file, FILE.png or FILE.pdf.
    json
        Print JSON, with all depths.

    """
    with ExitStack() as stack:
        # first of all: who cannot write the picture shall not wait for it
        file = None if plot is None else stack.enter_context(whole_file(plot, (".png", ".pdf")))
        found = verdict(activation, sigma_w2, sigma_b2, depth, igb.GaussianInputs(shift, variance))
        if file is not None:
            from igbtheory.pictures.style import write  # noqa: PLC0415 - Matplotlib takes its time
            from igbtheory.pictures.verdict import picture  # noqa: PLC0415 - as above

            write(picture, found, file)
        if json:
            output.show_json(as_dict(found))
        else:
            output.show(str(found))


def as_dict(found: Verdict) -> dict[str, Any]:
    """Return the verdict as JSON has it."""
    phi = found.phi
    return {
        "activation": phi.name,
        "formula": [{"where": where, "formula": formula} for where, formula in pieces_text(phi.pieces)],
        "source": phi.source,
        "kinks": [float(kink) for kink in phi.pieces.kinks],
        "parity": phi.parity,
        "degree": None if phi.degree is None else float(phi.degree),
        "growth": phi.growth,
        "closed_forms": phi.closed is not None,
        **{name: getattr(found, name) for name in ("sigma_w2", "sigma_b2", "depth", "mean", "effect", "shift")},
        "inputs": vars(found.inputs),
        "biased": found.is_biased,
        "causes": {cause.name: cause.share for cause in found.causes},
        **_course(found.course),
        "shifted": _course(found.shifted),
    }


def _course(course: Course) -> dict[str, Any]:
    """Return a course as JSON has it: entry d of a list belongs to depth d, entry 0 to the first Dense."""
    law = course.prediction.G0
    return {
        **{name: getattr(course, name) for name in ("reached", "stopped", "still", "gamma", "q")},
        "tendency": {**vars(course.rate), "text": str(course.rate)},
        "q_tendency": {"limit": course.variance.q, "growth": course.variance.growth, "text": str(course.variance)},
        "regime": course.prediction.regime,
        "G0": {"std": law.std(), "majority": law.majority()} if isinstance(law, igb.GuessLaw) else {},
        "error": course.prediction.error,
    }
