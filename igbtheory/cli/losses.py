"""`igb losses`: what losses ask of a network that favours some classes, at initialisation."""

from collections.abc import Callable
from typing import Any

import igbtheory as igb
from igbtheory import losses as library
from igbtheory.cli import output
from igbtheory.cli.options import Architecture, Inputs, Whole
from igbtheory.guesses.estimate import Estimate
from igbtheory.losses import Loss, LossAtStart

LAWS = ("probability", "value", "silent", "own", "gradient")


def losses(  # noqa: PLR0913 - one argument an option
    architecture: Architecture = Architecture(),  # noqa: B008 - frozen
    inputs: Inputs = Inputs(),  # noqa: B008 - frozen
    *,
    classes: Whole = 10,
    blurry: float = 0.5,
    cut_off: float = 0.1,
    focal: float = 2.0,
    networks: Whole = 1000,
    samples: Whole = 1000,
    width: Whole | None = None,
    seed: Whole = 0,
    json: bool = False,
) -> int:
    """Print what five losses ask of the favoured and of the least favoured class before training.

    Cross-entropy, blurry loss (its weight p^a held constant, and differentiated), piecewise-zero loss and focal loss,
    for infinitely wide networks, or for finite ones with --width. The gradient at the logit of the favoured class, the
    mean over data of all classes, says whether descent takes that class back (positive) or further (negative).

    Parameters
    ----------
    architecture
        Which network.
    inputs
        On which inputs.
    classes
        Number of classes.
    blurry
        Exponent a of the blurry loss -p^a log p.
    cut_off
        Probability below which the piecewise-zero loss ignores a datum.
    focal
        Exponent of the focal loss -(1 - p)^g log p.
    networks
        Networks to draw.
    samples
        Data of each network; a data set is taken whole.
    width
        Draw finite networks with so many units in every hidden layer, instead of infinitely wide ones.
    seed
        The same seed gives the same numbers.
    json
        Print JSON, with means, standard deviations and standard errors of all classes.

    """
    values, network = inputs.values(), architecture.network()
    at_start = _at_start(network, values, width, {"networks": networks, "samples": samples, "seed": seed})
    found = {name: at_start(loss, classes) for name, loss in library.usual_losses(blurry, cut_off, focal).items()}
    wide = "infinitely wide" if width is None else f"of width {width}"
    first = found["cross-entropy"].value.draws
    origin = {
        "network": str(architecture),
        "inputs": inputs.text(values),
        "drawn": f"{len(first)} networks {wide}, {first.shape[1]} classes, seed {seed}",
    }
    if json:
        output.show_json({**origin, "losses": {name: as_dict(law) for name, law in found.items()}})
    else:
        output.show(*origin.values(), "", _table(found))
    return 0


def _at_start(
    network: igb.Network, values: Any, width: int | None, draws: dict[str, int]
) -> Callable[[Loss, int], LossAtStart]:
    if width is not None:
        return lambda loss, classes: library.simulated(network, loss, classes, width=width, inputs=values, **draws)
    prediction = network.predict(values)
    return lambda loss, classes: library.predicted(prediction, loss, classes, **draws)


def as_dict(law: LossAtStart) -> dict[str, Any]:
    """The laws of a loss as JSON has them: arrays over the classes, from the most to the least favoured one."""
    found: dict[str, Any] = {"loss": repr(law.loss)}
    for name in LAWS:
        drawn = getattr(law, name)
        found[name] = {"mean": _pair(drawn.mean()), "std": _pair(drawn.std())}
    return {**found, "strength": _pair(law.strength()), "steering": _pair(law.steering())}


def _pair(estimate: Estimate) -> dict[str, Any]:
    return {"value": estimate.value, "error": estimate.error}


def _table(found: dict[str, LossAtStart]) -> Any:
    columns = (
        "loss",
        "favoured: loss",
        "favoured: no gradient",
        "least: loss",
        "least: no gradient",
        "gradient at favoured logit",
        "taken back in",
    )
    return output.table(columns, ([name, *_cells(law)] for name, law in found.items()))


def _cells(law: LossAtStart) -> list[str]:
    value, silent, gradient = (getattr(law, name).mean() for name in ("value", "silent", "gradient"))
    return [
        *(cell for i in (0, -1) for cell in (f"{value.value[i]:.4g}", f"{silent.value[i]:.1%}")),
        f"{gradient.value[0]:.3g} ± {gradient.error[0]:.1g}",
        f"{law.steering().value:.1%}",
    ]
