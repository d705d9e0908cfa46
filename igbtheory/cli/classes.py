"""`igb classes`: the shares of several classes, and their mean softmax probabilities."""

from typing import Annotated, Any

from cyclopts import Parameter

import igbtheory as igb
from igbtheory.cli import output
from igbtheory.cli.options import Architecture, Inputs, Whole
from igbtheory.guesses import accuracy_bounds
from igbtheory.guesses.estimate import Estimate

SEED = 0
SHOWN = 10
"""Classes listed at most."""


def classes(
    architecture: Architecture = Architecture(),  # noqa: B008 - frozen
    inputs: Inputs = Inputs(),  # noqa: B008 - frozen
    *,
    classes: Whole = 10,
    temperature: float = 1.0,
    proportions: Annotated[list[float] | None, Parameter(consume_multiple=True)] = None,
    draws: Whole = 2000,
    json: bool = False,
) -> int:
    """Print the law of the fractions of the data that the untrained network gives to each of several classes.

    Their variance is exact; what is favoured class by class is estimated from draws of initialisations, with standard
    errors. The probabilities are the means of softmax over the data.

    Parameters
    ----------
    architecture
        Which network.
    inputs
        On which inputs.
    classes
        Number of classes, from 2 to 1000.
    temperature
        Divides the outputs before softmax.
    proportions
        Proportions of the classes in the data, for the accuracy that the guesses allow; the same for each by default.
    draws
        Initialisations drawn for an estimate.
    json
        Print JSON, with all classes.

    """
    values = inputs.values()
    prediction = architecture.network().predict(values)
    found = as_dict(prediction, classes, temperature, proportions, draws)
    origin = {"network": str(architecture), "inputs": inputs.text(values)}
    if json:
        output.show_json({**origin, **found})
    else:
        output.show(*origin.values(), "", _table(found), "", *_summary(found, draws))
    return 0


def as_dict(
    prediction: igb.Prediction, n_classes: int, temperature: float, proportions: list[float] | None, draws: int
) -> dict[str, Any]:
    """The laws as JSON has them: an estimate is a value and its standard error."""
    law = prediction.guesses(n_classes)
    ranked, softmax = law.ranked(draws, SEED), prediction.softmax(n_classes, temperature)
    bounds = accuracy_bounds(law, proportions, draws, SEED)
    bound_names = ("tight", "loose") if proportions is None else ("tight",)
    return {
        "gamma": float(prediction.gamma),
        "n_classes": n_classes,
        "guesses": {
            "mean": law.mean(),
            "var": law.var(),
            "collision": law.collision(),
            "ranked": _estimate(ranked.mean()),
        },
        "accuracy": {name: _estimate(getattr(bounds, name).mean()) for name in bound_names},
        "softmax": {
            "temperature": temperature,
            "mean": softmax.mean(),
            "ranked": _estimate(softmax.ranked(draws, SEED).mean()),
        },
    }


def _estimate(estimate: Estimate) -> dict[str, Any]:
    return {"value": estimate.value, "error": estimate.error}


def _table(found: dict[str, Any]) -> Any:
    """Mean shares and probabilities by rank, the favoured class first."""
    parts = {"share": found["guesses"]["ranked"], "probability": found["softmax"]["ranked"]}
    rows = (
        [str(i + 1), *(f"{part['value'][i]:.5f} ± {part['error'][i]:.5f}" for part in parts.values())]
        for i in range(min(SHOWN, found["n_classes"]))
    )
    return output.table(("rank", *parts), rows)


def _summary(found: dict[str, Any], draws: int) -> list[str]:
    law, accuracy = found["guesses"], found["accuracy"]
    loose = f"; the looser 1 - (largest share - 1/classes) is {_text(accuracy['loose'])}" if "loose" in accuracy else ""
    return [
        f"gamma      {found['gamma']:.15g}",
        f"share      mean {law['mean']:.6g}, variance {law['var']:.8g} over initialisations",
        f"collision  {law['collision']:.8g}, the probability that two data are given to one class",
        f"accuracy   at most {_text(accuracy['tight'])}, the mean of sum_c min(share, proportion){loose}",
        f"rank       means over {draws} initialisations drawn, the favoured class first"
        + (f"; {SHOWN} of {found['n_classes']} classes" if found["n_classes"] > SHOWN else ""),
    ]


def _text(value: dict[str, Any]) -> str:
    return f"{value['value']:.4g} ± {value['error']:.1g}"
