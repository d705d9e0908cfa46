"""`igb check`: whether an untrained PyTorch model guesses evenly enough, in one line and an exit status."""

import igbtheory as igb
from igbtheory.presentation.cli.measure import model_data
from igbtheory.presentation.cli.options import Data
from igbtheory.presentation.cli.output import show, show_json
from igbtheory.presentation.cli.parameters import Model, Output, Whole


def check(
    function: Model,
    *,
    chosen: Data = Data(),
    networks: Whole = 30,
    most: float | None = None,
    output: Output = None,
    json: bool = False,
) -> int:
    """Check whether an untrained PyTorch model favours a class: one line, and exit status 1 if it does.

    The line has the share of the data that one class gets, the layers that create the bias, the first loss, and the
    change that would help most. igb explain tells more.

    ```
    igb check model.py:make --data images.npz
    igb check model.py:make --data digits --most 0.7
    ```

    Parameters
    ----------
    networks
        Number of models to create.
    most
        The largest share of one class that passes, between 0 and 1; by default the share at which gamma is 1, where
        networks begin to give most data to one class.
    json
        Print JSON with everything that is known.

    """
    from igbtheory.presentation.cli.model import loaded  # noqa: PLC0415 - --help must not load NumPy

    if most is not None and not 0 < most <= 1:
        raise ValueError(f"expected --most above 0 and at most 1, got {most:g}; pass a share such as 0.5")
    data = model_data(chosen)
    with loaded(function) as make_model:
        explained = igb.explain(make_model, data.values, networks, seed=chosen.seed, output=output, progress=True)
    limit = explained.favoured.at_gamma(1.0) if most is None else most
    passed = explained.majority <= limit
    if json:
        show_json({"passed": passed, "most": limit, **explained.to_dict()})
    else:
        show(f"{'passed' if passed else 'failed'}: {explained.in_a_line(limit)}")
    return int(not passed)
