"""`igb simulate`: finite networks, and how they compare with the prediction."""

from typing import Any

from igbtheory.cli.options import Case, Layers, Run, Whole


def simulate(  # noqa: PLR0913 - one argument an option
    layers: Layers = None,
    /,
    case: Case = Case(),
    *,
    networks: Whole = 1000,
    width: Whole = 256,
    samples: Whole = 1000,
    seed: Whole = 0,
    device: str | None = None,
    run: Run = Run(),
    compare: bool = False,
) -> int:
    """Draw finite networks and print what they do, beside the prediction in infinite width.

    At finite width the difference is real. --compare also draws networks of two and four times the width and
    extrapolates to infinite width before it compares; exit status 1 if that disagrees with the prediction.

    Parameters
    ----------
    networks
        Networks to draw.
    width
        Units of every hidden layer, and the dimension of Gaussian inputs.
    samples
        Gaussian data, fresh for every network; a data set is taken whole.
    seed
        The same seed gives the same numbers, whoever draws the networks.
    device
        Where PyTorch multiplies by the weights, such as cuda; NumPy does unless named.
    compare
        Compare with the prediction, the 1/width trend taken out.

    """
    case = case.of(layers)
    values, network = case.values(), case.network()
    # before the networks are drawn: what cannot be predicted is refused at once
    prediction = network.predict(values) if compare else None

    options = run.options() | {"device": device}

    def simulated() -> Any:
        found = network.simulate(networks, width, samples, seed, values, **options)
        return found.compare(prediction, **options) if compare else found

    found = case.drawn(simulated)
    case.answer(case.origin(values), found)
    return int(compare and not found.agrees())
