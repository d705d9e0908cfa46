"""`igb predict`: the prediction in infinite width."""

from typing import Any

import numpy as np

import igbtheory as igb
from igbtheory.cli import output
from igbtheory.cli.options import Architecture, Inputs, Whole

SHOWN = 30
"""Layers shown in full; of a deeper network a selection."""
COLUMNS = ("var_mu", "var_chi", "gamma", "c")


def predict(
    architecture: Architecture = Architecture(),  # noqa: B008 - frozen
    inputs: Inputs = Inputs(),  # noqa: B008 - frozen
    *,
    digits: Whole | None = None,
    json: bool = False,
) -> None:
    """Print the prediction in infinite width: the moments after every Dense layer, and the law of G0.

    G0 is the fraction of the data that the untrained network gives to class 0. gamma = var_mu/var_chi decides
    its law: one peak at 1/2 below 1 (neutral), two peaks at 0 and 1 above (prejudiced).

    Parameters
    ----------
    architecture
        Which network.
    inputs
        On which inputs.
    digits
        Compute with so many significant digits; the default is double precision.
    json
        Print JSON, with all layers.

    """
    values = inputs.values()
    prediction = architecture.network().predict(values, digits=digits)
    origin = {"network": str(architecture), "inputs": inputs.text(values)}
    if json:
        output.show_json({**origin, **as_dict(prediction)}, digits or 17)
    else:
        output.show(*origin.values(), "", _layers(prediction), "", *_summary(prediction, digits or 15))


def as_dict(prediction: igb.Prediction) -> dict[str, Any]:
    """The prediction as JSON has it."""
    law = prediction.G0
    moments = {"mean": law.mean(), "var": law.var(), "std": law.std()}
    if isinstance(law, igb.GuessLaw):
        moments["majority"] = law.majority()
    names = (*COLUMNS, "error")
    return {
        **{name: getattr(prediction, name) for name in (*names, "regime")},
        "G0": moments,
        "per_layer": {name: getattr(prediction.per_layer, name) for name in names},
    }


def _layers(prediction: igb.Prediction) -> Any:
    depth = len(prediction.per_layer.var_mu)
    few = np.geomspace(1, depth, SHOWN).round().astype(int) - 1
    shown = range(depth) if depth <= SHOWN else np.unique(few)
    columns = [getattr(prediction.per_layer, name) for name in COLUMNS]
    rows = (
        ["output" if i == depth - 1 else str(i + 1), *(output.number(column[i], 8) for column in columns)]
        for i in shown
    )
    return output.table(("layer", *COLUMNS), rows)


def _summary(prediction: igb.Prediction, digits: int) -> list[str]:
    law = prediction.G0
    is_formula = isinstance(law, igb.GuessLaw)
    depth = f": on average the favoured class gets {law.majority():.2%} of the data" if is_formula else ""
    return [
        f"gamma   {output.number(prediction.gamma, digits)}",
        f"c       {output.number(prediction.c, digits)}",
        f"regime  {prediction.regime}{depth}",
        f"G0      mean {law.mean():.6g}, standard deviation {law.std():.6g} over initialisations",
        f"error   {float(prediction.error):.1g} (estimated, relative, of var_mu and var_chi)",
    ]
