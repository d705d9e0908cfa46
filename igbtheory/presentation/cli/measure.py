"""`igb measure`: the bias of a real, untrained PyTorch model."""

from typing import TYPE_CHECKING

import igbtheory as igb
from igbtheory.presentation.cli.options import Data, Printed, Run
from igbtheory.presentation.cli.output import show, show_json
from igbtheory.presentation.cli.parameters import Model, Output, Text, Whole

if TYPE_CHECKING:
    from igbtheory.presentation.cli.data import Taken


def measure(  # noqa: PLR0913 - one argument for each option
    function: Model,
    *,
    chosen: Data = Data(),
    networks: Whole = 100,
    batch_size: Whole | None = None,
    labels: Text | None = None,
    multi_label: bool = False,
    output: Output = None,
    device: str | None = None,
    run: Run = Run(),
    printed: Printed = Printed(),
) -> None:
    """Measure the bias of an untrained PyTorch model from the guesses and outputs of newly created models.

    The models stay in the mode in which the function creates them, normally training mode. The same seed gives the
    same numbers if they draw from the global generators of PyTorch, NumPy and Python only.

    ```
    igb measure model.py:make --data images.npz --networks 50
    igb measure model.py:make --data table.csv --batch-size 64
    ```

    Parameters
    ----------
    networks
        Number of models to create.
    batch_size
        Number of data in a pass, in a new random order for every model; by default all data.
    labels
        FILE.npy or FILE.csv with class labels 0, 1, ...; by default the labels that come with the data, if any.
    multi_label
        Every output gives a label of its own to the data where it is > 0; labels are rows of 0 and 1.
    device
        The device of the passes, such as cuda; by default the device on which the function creates its models.

    """
    from igbtheory.presentation.cli.data import labels_of  # noqa: PLC0415 - --help must not load NumPy
    from igbtheory.presentation.cli.model import loaded  # noqa: PLC0415 - as above

    data = model_data(chosen)
    given = data.values, data.labels if labels is None else labels_of(labels, chosen, data)
    with loaded(function) as make_model:
        options = {"seed": chosen.seed, "batch_size": batch_size, "device": device, "output": output, **vars(run)}
        options["multi_label"] = multi_label
        measurement = printed.drawn(lambda: igb.measure(make_model, given, networks, **options))
    origin = {"model": function, "inputs": data.text}
    if printed.json:
        show_json({**origin, "batch_size": batch_size, **measurement.to_dict()})
    else:
        batches = "all data in one pass" if batch_size is None else f"batches of {batch_size}"
        kind = "labels" if multi_label else "classes"
        drawn = f"{measurement.networks} networks of {measurement.n_classes} {kind}, {batches}, seed {measurement.seed}"
        show(*origin.values(), drawn, "", str(measurement))


def model_data(chosen: Data) -> "Taken":
    """Return the chosen data, which may hold integers and data of any shape."""
    if chosen.data is None:
        raise ValueError("expected a data set to pass to the models; name one with --data, for example --data digits")
    if chosen.data == "digits":
        return chosen.taken
    from igbtheory.foundations.device import require_torch  # noqa: PLC0415 - as above
    from igbtheory.presentation.cli.data import taken  # noqa: PLC0415 - as above

    require_torch()
    from igbtheory.torch.data import checked_data  # noqa: PLC0415 - it loads PyTorch

    return taken(chosen, checked_data)
