"""`igb simulate`: finite networks, and how they compare with the prediction."""

from typing import Any

from igbtheory.presentation.cli.options import Case, Run
from igbtheory.presentation.cli.parameters import Whole


def simulate(
    case: Case = Case(),
    *,
    networks: Whole = 1000,
    width: Whole = 256,
    samples: Whole = 1000,
    device: str | None = None,
    run: Run = Run(),
    compare: bool = False,
) -> int:
    """Draw finite networks and print their guesses and moments beside the prediction in infinite width.

    At finite width the two really differ. --compare also draws networks of two and four times the width and
    extrapolates to infinite width before it compares; the exit status is 1 if the extrapolation disagrees with the
    prediction.

    ```
    igb simulate --depth 3 --networks 200
    igb simulate --depth 3 --networks 200 --width 64 --compare
    ```

    Parameters
    ----------
    networks
        Number of networks to draw.
    width
        Number of units of every hidden layer, and the dimension of Gaussian inputs.
    samples
        Number of Gaussian data, drawn anew for every network; a data set is always used as a whole.
    device
        The PyTorch device that multiplies by the weights, such as cuda; by default NumPy multiplies.
    compare
        Compare with the prediction after extrapolation to infinite width.

    """
    options = vars(run) | {"device": device}

    def simulated(network: Any, inputs: Any) -> Any:
        if not compare:
            return network.simulate(networks, width, samples, case.seed, inputs, **options)
        prediction = network.predict(inputs)  # first, because an impossible prediction should be refused at once
        return network.simulate(networks, width, samples, case.seed, inputs, **options).compare(prediction, **options)

    outcome = case.compute(simulated)
    return int(compare and not outcome.agrees())
