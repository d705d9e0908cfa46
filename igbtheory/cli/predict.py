"""`igb predict`: the prediction in infinite width."""

from typing import Any

import numpy as np

import igbtheory as igb
from igbtheory.cli import output
from igbtheory.cli.options import Architecture, Inputs, Whole

SHOWN = 30
"""Layers shown in full; of a deeper network a selection."""
MOST_TOLD = 307
"""Digits beyond which a double may not tell an error."""
COLUMNS = ("var_mu", "var_chi", "gamma", "c")


def predict(
    architecture: Architecture = Architecture(),  # noqa: B008 - frozen
    inputs: Inputs = Inputs(),  # noqa: B008 - frozen
    *,
    digits: Whole | None = None,
    norms: bool = False,
    json: bool = False,
) -> int:
    """Print the prediction in infinite width: the moments after every Dense layer, and the law of G0.

    G0 is the fraction of the data that the untrained network gives to class 0. gamma = var_mu/var_chi decides
    its law: one peak at 1/2 below 1 (neutral), two peaks at 0 and 1 above (prejudiced). --norms prints a table
    of norms beside finite networks instead; exit status 1 if prediction and simulation disagree in it.

    Parameters
    ----------
    architecture
        Which network.
    inputs
        On which inputs.
    digits
        Compute with so many significant digits; the default is double precision.
    norms
        Print a table over all norms, before and after the activation, at depths 1 and 20 on Gaussian inputs, beside
        simulated networks; exit status 1 if they disagree. It takes about half a minute.
    json
        Print JSON, with all layers.

    """
    if norms:
        if digits is not None:
            raise ValueError("--norms compares with simulations in double precision; leave --digits out")
        from igbtheory.cli.norms import compare_norms  # noqa: PLC0415 - no other prediction needs Matplotlib

        return compare_norms(architecture, inputs, json=json)
    values = inputs.values()
    with output.working("predicting"):
        prediction = architecture.network().predict(values, digits=digits)
    origin = {"network": str(architecture), "inputs": inputs.text(values)}
    if json:
        output.show_json({**origin, **as_dict(prediction)}, digits or 17)
    else:
        output.show(*origin.values(), "", _layers(prediction), "", *_summary(prediction, digits or 15))
    return 0


def as_dict(prediction: igb.Prediction) -> dict[str, Any]:
    """The prediction as JSON has it."""
    law = prediction.G0
    moments = {"mean": law.mean(), "var": law.var(), "std": law.std()}
    if isinstance(law, igb.GuessLaw):
        moments["majority"] = law.majority()
    names = (*COLUMNS, "c_within", "error")
    rank = {} if np.isinf(prediction.effective_rank) else {"effective_rank": prediction.effective_rank}
    return {
        **{name: getattr(prediction, name) for name in (*names, "regime")},
        **rank,
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
        *_batches(prediction, digits),
        f"regime  {prediction.regime}{depth}",
        f"G0      mean {law.mean():.6g}, standard deviation {law.std():.6g} over initialisations",
        f"error   {_error(float(prediction.error), digits)} (estimated, relative, of var_mu and var_chi)",
    ]


def _error(error: float, digits: int) -> str:
    """The estimated error, a double; in more digits than it can tell, what it is below."""
    return "below 1e-307" if not error and digits > MOST_TOLD else f"{error:.1g}"


def _batches(prediction: igb.Prediction, digits: int) -> list[str]:
    """What BatchNorm adds: the correlation within a batch, and how far its rule is approximate on a data set."""
    lines = []
    if prediction.batch is not None and prediction.batch.size is not None:
        known = not np.isnan(float(prediction.c_within))
        c_within = output.number(prediction.c_within, digits) if known else "not known"
        lines.append(f"c       {c_within} within a batch of {prediction.batch.size}")
    if np.isfinite(prediction.effective_rank):
        lines.append(f"rank    {prediction.effective_rank:.3g}, effective: BatchNorm has no exact rule here, but draws")
    return lines
