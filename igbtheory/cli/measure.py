"""`igb measure`: the bias of a real, untrained PyTorch model."""

from typing import Any

import igbtheory as igb
from igbtheory.cli.options import DataSet, Output, Pictured, Rows, Run, Text, Whole
from igbtheory.cli.output import show, show_json


def measure(  # noqa: PLR0913 - one argument an option
    function: str,
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
    printed: Pictured = Pictured(),
) -> None:
    """Measure the bias of an untrained PyTorch model, from the guesses and outputs of freshly drawn ones.

    FUNCTION is FILE.py:NAME or package.module:NAME: a class, or a function without arguments, that makes a
    torch.nn.Module with random weights. It stays in the mode in which it comes, training mode when new.

    Parameters
    ----------
    function
        What makes a model.
    networks
        Models to draw.
    seed
        The same seed gives the same numbers, where the models draw from the global generators of PyTorch, NumPy and
        Python, or from none.
    batch_size
        Data in a pass, in an order drawn anew for every model; all data at once unless named.
    labels
        Class labels 0, 1, ..., FILE.npy or FILE.csv; unless named, those of the data, where they have any.
    device
        Where the passes run, such as cuda; where the function puts its models unless named.

    """
    from igbtheory.cli.data import first_rows, text  # noqa: PLC0415 - it loads NumPy, which no help needs
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
    """Return the data set `source`, also of integers and of more than one axis a datum, and its labels, if any."""
    from igbtheory.cli.data import DIGITS, checked, labelled, read  # noqa: PLC0415 - as above
    from igbtheory.device import require_torch  # noqa: PLC0415 - as above

    if source == DIGITS:
        return read(source), igb.digit_labels()
    require_torch()
    from igbtheory.torch.data import checked_data  # noqa: PLC0415 - it loads PyTorch

    values, labels = labelled(source, "--data digits")
    return checked(source, checked_data, values), labels
