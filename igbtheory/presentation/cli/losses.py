"""`igb losses`: what losses ask of a network that favours some classes, at initialisation."""

from typing import Any

from igbtheory.presentation.cli import output
from igbtheory.presentation.cli.options import Case
from igbtheory.presentation.cli.parameters import Whole


def losses(  # noqa: PLR0913 - one argument for each option
    case: Case = Case(),
    *,
    classes: Whole = 10,
    blurry: float = 0.5,
    cut_off: float = 0.1,
    focal: float = 2.0,
    networks: Whole = 1000,
    samples: Whole = 1000,
    width: Whole | None = None,
) -> None:
    """Print what five losses ask of the favoured class and of the least favoured class before training.

    The losses are cross-entropy, blurry loss (with its weight p^a held constant, and differentiated), piecewise-zero
    loss and focal loss, for infinitely wide networks, or for finite ones with --width. The gradient at the logit of the
    favoured class, averaged over the data of all classes, says whether gradient descent reduces the share of that class
    (positive) or increases it (negative).

    ```
    igb losses --depth 20 --classes 10
    igb losses --width 100 --networks 200
    ```

    Parameters
    ----------
    classes
        Number of classes.
    blurry
        Exponent a of the blurry loss -p^a log p.
    cut_off
        Probability below which the piecewise-zero loss ignores a datum.
    focal
        Exponent g of the focal loss -(1 - p)^g log p.
    networks
        Number of networks to draw.
    samples
        Number of data for each network; a data set is always used as a whole.
    width
        Draw finite networks with this many units in every hidden layer, instead of infinitely wide ones.

    """
    # --help must not load NumPy
    from igbtheory.networks.losses import start, usual_losses  # noqa: PLC0415 - as above
    from igbtheory.networks.simulation.ensemble import outputs as finite_outputs  # noqa: PLC0415 - as above

    values, network = case.values(), case.network()
    draws = {"networks": networks, "samples": samples, "seed": case.seed}
    usual = usual_losses(blurry, cut_off, focal)
    laws: dict[str, Any] = {}

    def measured() -> Any:
        """Return the law of the cross-entropy, which is drawn, beside those of the other losses."""
        if width is None:
            outputs = start.drawn_outputs(network.predict(values), classes, **draws)
        else:
            outputs = finite_outputs(network, classes, **draws, width=width, inputs=values)
        laws.update(start.each_measured(outputs, usual))
        return laws["cross-entropy"]

    first = case.drawn(measured).value.draws
    wide = "infinitely wide" if width is None else f"of width {width}"
    drawn = f"{len(first)} networks {wide}, {first.shape[1]} classes, seed {case.seed}"
    origin = {**case.origin(values), "drawn": drawn}
    if case.json:
        output.show_json({**origin, "losses": {name: law.to_dict() for name, law in laws.items()}})
    else:
        output.show(*origin.values(), "", start.losses_table(laws))
