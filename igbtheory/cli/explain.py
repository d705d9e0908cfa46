"""`igb explain`: theory beside measurement for a PyTorch model, layer by layer."""

import igbtheory as igb
from igbtheory.cli.measure import model_data
from igbtheory.cli.options import DataSet, Model, Output, Printed, Rows, Seed, Whole


def explain(  # noqa: PLR0913 - one argument for each option
    function: Model,
    *,
    data: DataSet,
    first: Rows = None,
    networks: Whole = 30,
    seed: Seed = 0,
    check: bool = False,
    output: Output = None,
    printed: Printed = Printed(),
) -> None:
    """Explain the bias of an untrained PyTorch model: measured and predicted after every layer, and what changes it.

    Parameters
    ----------
    networks
        Number of models to create.
    check
        Also measure every change in the what-if table.

    """
    from igbtheory.cli.data import first_rows, text  # noqa: PLC0415 - --help must not load NumPy
    from igbtheory.cli.model import loaded  # noqa: PLC0415 - as above

    values = first_rows(model_data(data)[0], first, data)
    with loaded(function) as make_model:
        options = {"seed": seed, "check": check, "output": output}
        found = printed.drawn(lambda: igb.explain(make_model, values, networks, **options))
    printed.answer({"model": function, "inputs": text(data, values)}, found)
