"""`igb study`: how PyTorch models lose their bias in training."""

from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

import igbtheory as igb
from igbtheory.presentation.cli import output
from igbtheory.presentation.cli.given import given
from igbtheory.presentation.cli.options import Data, Printed, Run
from igbtheory.presentation.cli.parameters import Choice, DataSet, Loss, Model, Output, Text, Whole

Preset = Literal[
    "cnn", "resnet", "mixer", "mixer-shift", "vit", "blobs", "deep", "digits", "losses", "phases", "shift", "imbalance"
]
Several = Parameter(consume_multiple=True)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Trained(Data):
    """The data, losses and optimiser with which your own models are trained."""

    data: DataSet = "digits"
    labels: Text | None = None
    """FILE.npy or FILE.csv with class labels 0, 1, ...; by default the labels that come with the data."""
    losses: Annotated[tuple[Annotated[Loss, Choice], ...], Several] = ("cross-entropy",)
    """One or more losses."""
    optimiser: str = "Adam"
    """Name of a class of torch.optim."""
    rates: Annotated[tuple[float, ...], Several] = (1e-3,)
    """Learning rates."""
    networks: Whole = 20
    """Number of models for every combination of loss, learning rate and start."""
    steps: Whole = 300
    """Number of training steps."""
    batch_size: Whole = 64
    """Number of data in a step, or all if there are fewer than 64."""
    output: Output = None
    controls: bool = False
    """Also train the same models from neutral, prejudiced and centred starts."""


OF_DATA = {one.name for one in fields(Data)} - {"seed"} | {"labels"}
"""Options that name data."""


def study(
    function: Model | None = None,
    *,
    preset: Annotated[Preset | None, Choice] = None,
    quick: bool = False,
    trained: Trained = Trained(),
    run: Run = Run(),
    printed: Printed = Printed(),
) -> None:
    """Train an ensemble of PyTorch models and record how their bias is absorbed.

    Pass a function that creates your own models, or name an experiment of the papers with --preset. The picture of an
    experiment shows the claim of the papers and the result. A claim that fails does not change the exit status.

    ```
    igb study --preset blobs --quick
    igb study model.py:make --data digits --steps 100 --controls --plot study.png
    ```

    Parameters
    ----------
    preset
        An experiment of the papers, with its own models, data, controls and picture. Those with models of images, cnn,
        resnet, mixer, mixer-shift and vit, also take images of your own with --data.
    quick
        Run the experiment with fewer networks and data, in less than four minutes on two cores.

    """
    if (function is None) == (preset is None):
        raise ValueError("expected a function that makes models, or --preset NAME; for example --preset blobs --quick")
    if function is None:
        name = str(preset)
        images = _images(trained)
        plot = printed.plot or Path(f"igb-study-{name}.png")
        outcome = replace(printed, plot=plot).drawn(
            lambda: igb.studies.preset(name, quick=quick, **images, **vars(run))
        )
        printed.answer({}, outcome)
        output.tell(f"picture in {plot}")
        return
    if quick:
        raise ValueError("expected --preset with --quick, got a function; pass small --networks and --steps instead")
    printed.answer({"model": function}, _of(function, trained, run, printed))


def _images(trained: Trained) -> dict[str, Any]:
    """Return the data and labels of the user for an experiment, if options name any."""
    of_data = {f"--{name.replace('_', '-')}" for name in OF_DATA}
    if others := [option for option in given(trained, Trained) if option not in of_data]:
        raise ValueError(
            f"expected only data beside --preset, which has its own options, got {', '.join(others)}; leave it out"
        )
    if trained == Trained():
        return {}
    from igbtheory.presentation.cli.data import labels_of  # noqa: PLC0415 - --help must not load NumPy
    from igbtheory.presentation.cli.measure import model_data  # noqa: PLC0415 - as above

    taken = model_data(trained)
    return {"data": taken.values, "labels": labels_of(trained.labels, trained, taken)}


def _of(function: str, trained: Trained, run: Run, printed: Printed) -> Any:
    """Return the study of the models that a function of the user creates."""
    from igbtheory.presentation.cli.data import labels_of  # noqa: PLC0415 - --help must not load NumPy
    from igbtheory.presentation.cli.measure import model_data  # noqa: PLC0415 - as above
    from igbtheory.presentation.cli.model import loaded  # noqa: PLC0415 - as above

    options = {name: value for name, value in asdict(trained).items() if name not in OF_DATA} | vars(run)
    data = model_data(trained)
    y = labels_of(trained.labels, trained, data)
    with loaded(function) as make_model:
        return printed.drawn(lambda: igb.study(make_model, data.values, y, **options))
