"""`igb vocabulary`: the first predictions of a language model."""

from igbtheory.presentation.cli.options import Case
from igbtheory.presentation.cli.parameters import Whole


def vocabulary(
    case: Case = Case(),
    *,
    size: Whole = 50257,
    tied: Whole | None = None,
    positions: Whole = 1000,
    draws: Whole | None = None,
    width: Whole | None = None,
) -> None:
    """Print which tokens an untrained language model predicts, and the loss and the entropy of its softmax.

    Pass the ids of tokens with --data, whole numbers of shape (texts, tokens), and the layers of the model.

    ```
    igb vocabulary --depth 2 --size 50257 --positions 100
    ```

    Parameters
    ----------
    size
        Number of tokens in the vocabulary, up to a million.
    tied
        Width of the model if its output has the weights of its embedding; by default it has weights of its own.
    positions
        Number of positions with Gaussian inputs; a data set has its own.
    draws
        Number of initialisations drawn for an estimate; by default as many as take a few seconds.
    width
        Number of units that every layer reads; by default infinitely many, which predict more tokens.

    """
    case.compute(
        lambda network, inputs: network.predict(inputs, width=width).vocabulary(
            size, tied=tied, positions=positions, draws=draws
        )
    )
