"""`igb train`: how training absorbs the bias, in infinite width."""

from typing import Annotated, Any

from igbtheory.presentation.cli.options import Case
from igbtheory.presentation.cli.parameters import Choice, Loss, Text, Whole


def train(
    case: Case = Case(),
    *,
    labels: Text | None = None,
    loss: Annotated[Loss, Choice] = "mse",
    draws: Whole = 1000,
) -> None:
    """Print how the guesses of infinitely wide networks change while they are trained on a data set.

    Training is gradient flow on all data at once, with the tangent kernel of infinite width. The table shows the share
    of class 0, the largest share of a class, the accuracy and the loss over time.

    ```
    igb train --data digits --first 200 --depth 1
    igb train --data table.csv --loss cross-entropy --plot training.png
    ```

    Parameters
    ----------
    labels
        FILE.npy or FILE.csv with class labels 0, 1, ... or with targets, a row for each datum; by default the labels
        that come with the data.
    loss
        What training lowers.
    draws
        Number of networks to draw.

    """
    if case.data is None:
        raise ValueError("expected a data set to train on; name one with --data, for example --data digits --first 200")
    from igbtheory.presentation.cli.data import labels_of  # noqa: PLC0415 - --help must not load NumPy

    y = labels_of(labels, case, case.taken)

    def trained(network: Any, inputs: Any) -> Any:
        return network.train(inputs, y, loss=loss, draws=draws, seed=case.seed)

    case.compute(trained)
