"""`igb explain`: theory beside measurement for a PyTorch model, layer by layer."""

import igbtheory as igb
from igbtheory.presentation.cli.measure import model_data
from igbtheory.presentation.cli.options import Data, Printed
from igbtheory.presentation.cli.parameters import Model, Output, Whole


def explain(
    function: Model,
    *,
    chosen: Data = Data(),
    networks: Whole = 30,
    check: bool = False,
    output: Output = None,
    multi_label: bool = False,
    printed: Printed = Printed(),
) -> None:
    """Explain the bias of an untrained PyTorch model: measured and predicted after every layer, and what changes it.

    ```
    igb explain model.py:make --data images.npz --plot layers.png
    igb explain torchvision.models:resnet18 --data folder --networks 10 --check
    ```

    Parameters
    ----------
    networks
        Number of models to create.
    check
        Also measure every change in the what-if table.
    multi_label
        Each output gives a label of its own.

    """
    from igbtheory.presentation.cli.model import loaded  # noqa: PLC0415 - --help must not load NumPy

    data = model_data(chosen)
    with loaded(function) as make_model:
        explanation = printed.drawn(
            lambda: igb.explain(
                make_model,
                data.values,
                networks,
                seed=chosen.seed,
                check=check,
                output=output,
                multi_label=multi_label,
            )
        )
    printed.answer({"model": function, "inputs": data.text}, explanation)
