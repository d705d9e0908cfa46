"""`igb router`: how unevenly a new router loads the experts of a mixture."""

from typing import Any

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

    def loads(network: Any, inputs: Any) -> Any:
        return (network.predict(inputs) if width is None else network.predict(inputs, width=width)).router(experts, top)

    case.compute(loads)
