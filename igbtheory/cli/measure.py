"""`igb measure`: the bias of a real, untrained PyTorch model."""

from typing import Any

import igbtheory as igb
from igbtheory.cli.options import DataSet, Model, Output, Printed, Rows, Run, Text, Whole
from igbtheory.cli.output import show, show_json


def measure(  # noqa: PLR0913 - one argument for each option
    function: Model,
    *,
    data: DataSet,
    first: Rows = None,
    networks: Whole = 100,
    seed: Whole = 0,
    batch_size: Whole | None = None,
    labels: Text | None = None,
    output: Output = None,
    device: str | None = None,
    run: Run = Run(),
    printed: Printed = Printed(),
) -> None:
    """Measure the bias of an untrained PyTorch model from the guesses and outputs of newly created models.

    The models stay in the mode in which the function creates them, normally training mode.

    Parameters
    ----------
    networks
        Number of models to create.
    seed
        The same seed gives the same numbers if the models draw from the global generators of PyTorch, NumPy and Python
        only.
    batch_size
        Number of data in a pass, in a new random order for every model; by default all data.
    labels
        FILE.npy or FILE.csv with class labels 0, 1, ...; by default the labels that come with the data, if any.
    device
        The device of the passes, such as cuda; by default the device on which the function creates its models.

    """
    from igbtheory.cli.data import first_rows, text  # noqa: PLC0415 - --help must not load NumPy
    from igbtheory.cli.model import loaded  # noqa: PLC0415 - as above
    from igbtheory.cli.train import labels_of  # noqa: PLC0415 - as above

    values, known = (part if part is None else first_rows(part, first, data) for part in model_data(data))
    given = values, known if labels is None else labels_of(data, labels, first)
    with loaded(function) as make_model:
        options = {"seed": seed, "batch_size": batch_size, "device": device, "output": output, **run.options()}
        found = printed.drawn(lambda: igb.measure(make_model, given, networks, **options))
    origin = {"model": function, "inputs": text(data, values)}
    if printed.json:
        show_json({**origin, "batch_size": batch_size, **found.to_dict()})
    else:
        batches = "all data in one pass" if batch_size is None else f"batches of {batch_size}"
        drawn = f"{found.networks} networks of {found.n_classes} classes, {batches}, seed {found.seed}"
        show(*origin.values(), drawn, "", str(found))


def model_data(source: str) -> tuple[Any, Any]:
    """Return the data set `source`, which may hold integers and data of any shape, and its labels or None."""
    from igbtheory.cli.data import DIGITS, checked, labelled, read  # noqa: PLC0415 - as above
    from igbtheory.device import require_torch  # noqa: PLC0415 - as above

    if source == DIGITS:
        return read(source), igb.digit_labels()
    require_torch()
    from igbtheory.torch.data import checked_data  # noqa: PLC0415 - it loads PyTorch

    values, labels = labelled(source, "--data digits")
    return checked(source, checked_data, values), labels
