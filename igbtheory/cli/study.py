"""`igb study`: how PyTorch models lose their bias in training."""

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

import igbtheory as igb
from igbtheory.cli import output
from igbtheory.cli.options import Pictured, Run, Text, Whole

Several = Parameter(consume_multiple=True)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Trained:
    """On what models of one's own are trained, and how."""

    data: Text = "digits"
    """The data set: "digits" (standardised), or a file or folder that igb.read_data reads; - for a CSV."""
    labels: Text | None = None
    """Class labels 0, 1, ..., FILE.npy or FILE.csv, a row for each datum; unless named, those of the data."""
    losses: Annotated[tuple[str, ...], Several] = ("cross-entropy",)
    """mse, cross-entropy, blurry, focal, piecewise-zero."""
    optimiser: str = "Adam"
    """A class of torch.optim."""
    rates: Annotated[tuple[float, ...], Several] = (1e-3,)
    """Learning rates."""
    networks: Whole = 20
    """Models to train in every arm."""
    steps: Whole = 300
    """Steps of training."""
    batch_size: Whole = 64
    """Data in a step."""
    controls: bool = False
    """Train the same models from neutral, prejudiced and centred starts, too."""
    seed: Whole = 0
    """The same seed gives the same numbers."""


def study(
    function: str | None = None,
    *,
    preset: str | None = None,
    quick: bool = False,
    trained: Trained = Trained(),
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

    """
    if (function is None) == (preset is None):
        raise ValueError("expected a function that makes models, or --preset NAME; for example --preset blobs --quick")
    if function is None:
        if trained != Trained():
            raise ValueError(
                "expected --preset alone, got options of data or training, too; an experiment brings its own"
            )
        name = str(preset)
        plot = printed.plot or Path(f"igb-study-{name}.png")
        found = replace(printed, plot=plot).drawn(lambda: igb.studies.preset(name, quick=quick, **run.options()))
        printed.answer({}, found)
        output.tell(f"picture in {plot}")
        return
    if quick:
        raise ValueError("--quick is that of an experiment; name one with --preset, or pass --networks and --steps")
    printed.answer({"model": function}, _of(function, trained, run, printed))


def _of(function: str, trained: Trained, run: Run, printed: Pictured) -> Any:
    """Return the study of the models that a function of the user makes."""
    from igbtheory.cli.measure import model_data  # noqa: PLC0415 - it loads NumPy, which no help needs
    from igbtheory.cli.model import loaded  # noqa: PLC0415 - as above
    from igbtheory.cli.train import labels_of  # noqa: PLC0415 - as above

    options = asdict(trained) | run.options()
    data, labels = options.pop("data"), options.pop("labels")
    values, known = model_data(data)
    y = labels_of(data, labels, None) if labels is not None or known is None else known
    with loaded(function) as make_model:
        return printed.drawn(lambda: igb.study(make_model, values, y, **options))
