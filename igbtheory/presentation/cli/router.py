"""`igb router`: how unevenly a new router loads the experts of a mixture."""

from igbtheory.presentation.cli.options import Case
from igbtheory.presentation.cli.parameters import Whole


def router(case: Case = Case(), *, experts: Whole = 8, top: Whole = 2, width: Whole | None = None) -> None:
    """Print how unevenly an untrained router loads the experts of a mixture, whose outputs are those of the network.

    It prints the variance of the loads, the largest load, the choices that are dropped at three capacities, and the
    experts that are starved: means over random initialisations, with standard errors.

    ```
    igb router "Dense(1)" --experts 64 --top 6
    ```

    Parameters
    ----------
    experts
        Number of experts.
    top
        Number of experts that a token takes.
    width
        Number of units that every layer reads; by default infinitely many.

    """
    case.compute(lambda network, inputs: network.predict(inputs, width=width).router(experts, top))
