"""`igb study`: how PyTorch models lose their bias in training."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

import igbtheory as igb
from igbtheory.cli import output
from igbtheory.cli.options import Pictured, Run, Whole


def study(  # noqa: PLR0913 - one argument an option
    function: str | None = None,
    *,
    preset: str | None = None,
    quick: bool = False,
    data: Annotated[str, Parameter(allow_leading_hyphen=True)] = "digits",
    labels: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    losses: tuple[str, ...] = ("cross-entropy",),
    optimiser: str = "Adam",
    rates: tuple[float, ...] = (1e-3,),
    networks: Whole = 20,
    steps: Whole = 300,
    batch_size: Whole = 64,
    controls: bool = False,
    seed: Whole = 0,
    run: Run = Run(),
    printed: Pictured = Pictured(),
) -> None:
    """Train an ensemble of PyTorch models and record how their bias is absorbed.

    FUNCTION is FILE.py:NAME or package.module:NAME: a class, or a function without arguments, that makes a
    torch.nn.Module with random weights. Or --preset names an experiment of the papers: blobs, deep, digits, losses,
    phases, shift or imbalance; its picture shows their statement and what was found. One that fails is no error.

    Parameters
    ----------
    function
        What makes a model.
    preset
        An experiment of the papers, which comes with its models, data, controls and picture.
    quick
        The experiment with fewer networks and data, in less than three minutes on two cores.
    data
        The data set: "digits" (standardised), or FILE.npy, FILE.csv, - for a CSV from standard input (as they are).
    labels
        Class labels 0, 1, ..., FILE.npy or FILE.csv, a row for each datum; of "digits" they are known.
    losses
        mse, cross-entropy, blurry, focal, piecewise-zero.
    optimiser
        A class of torch.optim.
    rates
        Learning rates.
    networks
        Models to train in every arm.
    steps
        Steps of training.
    batch_size
        Data in a step.
    controls
        Train the same models from neutral, prejudiced and centred starts, too.
    seed
        The same seed gives the same numbers.
    run
        Who trains the models, and what is kept of them.
    printed
        How the result is printed and drawn; of an experiment into igb-study-NAME.png unless named.

    """
    from igbtheory.cli.measure import model_data  # noqa: PLC0415 - it loads NumPy, which no help needs
    from igbtheory.cli.model import loaded  # noqa: PLC0415 - as above
    from igbtheory.cli.train import labels_of  # noqa: PLC0415 - as above

    if (function is None) == (preset is None):
        raise ValueError("expected a function that makes models, or --preset NAME; for example --preset blobs --quick")
    if function is None:
        name = str(preset)
        plot = printed.plot or Path(f"igb-study-{name}.png")
        found = replace(printed, plot=plot).drawn(lambda: igb.studies.preset(name, quick=quick, **run.options()))
        printed.answer({}, found)
        output.tell(f"picture in {plot}")
        return
    options: dict[str, Any] = {"losses": losses, "optimiser": optimiser, "rates": rates, "networks": networks}
    options |= {"steps": steps, "batch_size": batch_size, "controls": controls, "seed": seed, **run.options()}
    values, y = model_data(data), labels_of(data, labels, None)
    with loaded(function) as make_model:
        found = printed.drawn(lambda: igb.study(make_model, values, y, **options))
    printed.answer({"model": function}, found)
