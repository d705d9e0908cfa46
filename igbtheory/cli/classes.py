"""`igb classes`: the shares of several classes, and their mean softmax probabilities."""

from itertools import count
from typing import Annotated, Any

from cyclopts import Parameter

from igbtheory.cli import output
from igbtheory.cli.options import Case, Layers, Whole
from igbtheory.text import measured, table

SEED = 0
SHOWN = 10
"""Classes listed at most."""


def classes(
    layers: Layers = None,
    /,
    case: Case = Case(),
    *,
    classes: Whole = 10,
    temperature: float = 1.0,
    proportions: Annotated[list[float] | None, Parameter(consume_multiple=True)] = None,
    draws: Whole = 2000,
) -> None:
    """Print the law of the fractions of the data that the untrained network gives to each of several classes.

    Their variance is exact; what is favoured class by class is estimated from draws of initialisations, with standard
    errors. The probabilities are the means of softmax over the data.

    Parameters
    ----------
    classes
        Number of classes, from 2 to 1000.
    temperature
        Divides the outputs before softmax.
    proportions
        Proportions of the classes in the data, for the accuracy that the guesses allow; the same for each by default.
    draws
        Initialisations drawn for an estimate.

    """
    case = case.of(layers)
    values = case.values()
    prediction = case.network().predict(values)
    case.drawn(lambda: prediction.guesses(classes))
    found = as_dict(prediction, classes, temperature, proportions, draws)
    origin = case.origin(values)
    if case.json:
        output.show_json({**origin, **found})
    else:
        output.show(*origin.values(), "", _table(found), "", *_summary(found, draws))


def as_dict(
    prediction: Any, n_classes: int, temperature: float, proportions: list[float] | None, draws: int
) -> dict[str, Any]:
    """Return the laws as JSON has them: an estimate is a value and its standard error."""
    from igbtheory.guesses.accuracy import accuracy_bounds  # noqa: PLC0415 - it loads NumPy, which no help needs

    law, softmax = prediction.guesses(n_classes), prediction.softmax(n_classes, temperature)
    bounds = accuracy_bounds(law, proportions, draws, SEED)
    known = ("tight", "loose") if proportions is None else ("tight",)
    moments = {name: getattr(law, name)() for name in ("mean", "var", "collision")}
    return {
        "gamma": float(prediction.gamma),
        "n_classes": n_classes,
        "guesses": {**moments, "ranked": law.ranked(draws, SEED).mean().to_dict()},
        "accuracy": {name: getattr(bounds, name).mean().to_dict() for name in known},
        "softmax": {
            "temperature": temperature,
            "mean": softmax.mean(),
            "ranked": softmax.ranked(draws, SEED).mean().to_dict(),
        },
    }


def _table(found: dict[str, Any]) -> str:
    """Return the mean shares and probabilities by rank, the favoured class first."""
    parts = {"share": found["guesses"]["ranked"], "probability": found["softmax"]["ranked"]}
    columns = [map(measured, part["value"][:SHOWN], part["error"][:SHOWN]) for part in parts.values()]
    return table(("rank", *parts), zip(map(str, count(1)), *columns, strict=False))


def _summary(found: dict[str, Any], draws: int) -> list[str]:
    law = found["guesses"]
    bounds = {name: measured(**bound) for name, bound in found["accuracy"].items()}
    loose = f"; the looser bound 1 - (largest share - 1/classes) is {bounds['loose']}" if "loose" in bounds else ""
    listed = f"; {SHOWN} of {found['n_classes']} classes" if found["n_classes"] > SHOWN else ""
    return [
        f"gamma      {found['gamma']:.15g}",
        f"share      mean {law['mean']:.6g}, variance {law['var']:.8g} over initialisations",
        f"collision  {law['collision']:.8g}, the probability that two data are given to one class",
        f"accuracy   at most {bounds['tight']}, the mean of sum_c min(share, proportion){loose}",
        f"rank       means over {draws} initialisations drawn, the favoured class first{listed}",
    ]
