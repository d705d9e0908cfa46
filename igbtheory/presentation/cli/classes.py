"""`igb classes`: the shares of several classes, and their mean softmax probabilities."""

from typing import Annotated

from cyclopts import Parameter

import igbtheory as igb
from igbtheory.presentation.cli.options import Case
from igbtheory.presentation.cli.parameters import Whole


def classes(
    case: Case = Case(),
    *,
    classes: Whole = 10,
    temperature: float = 1.0,
    proportions: Annotated[list[float] | None, Parameter(consume_multiple=True)] = None,
    draws: Whole = 2000,
) -> None:
    """Print the law of the fractions of the data that the untrained network assigns to each of several classes.

    Their variance is exact. The shares and probabilities of the favoured class, the second, and so on are estimated
    from random initialisations, with standard errors. The probabilities are the means of softmax over the data.

    ```
    igb classes --depth 20 --classes 100
    igb classes --data digits --first 200 --proportions 0.5 0.3 0.2 --classes 3
    ```

    Parameters
    ----------
    classes
        Number of classes, from 2 to 1000.
    temperature
        The outputs are divided by it before softmax.
    proportions
        Proportions of the classes in the data, for the accuracy that the guesses allow; by default all are equal.
    draws
        Number of initialisations drawn for an estimate.

    """
    case.compute(lambda network, inputs: igb.classes(network.predict(inputs), classes, temperature, proportions, draws))
