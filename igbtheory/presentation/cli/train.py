"""`igb train`: how training absorbs the bias, in infinite width."""

from dataclasses import dataclass
from typing import Annotated, Any

from cyclopts import Parameter

from igbtheory.presentation.cli.options import Case
from igbtheory.presentation.cli.parameters import Choice, Loss, Text, Whole


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Steps:
    """Gradient descent in the place of gradient flow, and the size of the outputs."""

    step: float | None = None
    """Size of the steps of gradient descent; by default half of 1/largest eigenvalue of the tangent kernel."""
    momentum: float = 0.0
    """Factor of the last step in the next one, as in PyTorch's SGD, from 0 to below 1."""
    scale: float = 1.0
    """Factor of the outputs, such as 0.0625 for 1/sqrt(256)."""
    weight_decay: float = 0.0
    """As in PyTorch's SGD; for networks without biases and norms, and with activations such as relu."""
    batch_size: Annotated[Whole | None, Parameter(name="--step-data")] = None
    """Number of data that are drawn anew for each step and network; by default all data."""


def train(
    case: Case = Case(),
    *,
    labels: Text | None = None,
    loss: Annotated[Loss, Choice] = "mse",
    draws: Whole = 1000,
    steps: Steps = Steps(),
) -> None:
    """Print how the guesses of infinitely wide networks change while they are trained on a data set.

    Training is gradient flow on all data at once, with the tangent kernel of infinite width. With a step, a momentum, a
    weight decay or batches it is gradient descent, and times are numbers of steps. The table shows the share of class
    0, the largest share of a class, the accuracy and the loss over time.

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
    from igbtheory.foundations import checks  # noqa: PLC0415 - --help must not load NumPy
    from igbtheory.presentation.cli.data import labels_of  # noqa: PLC0415 - --help must not load NumPy

    y = labels_of(labels, case, case.taken)

    def trained(network: Any, inputs: Any) -> Any:
        if steps.batch_size is not None:  # the error names the option, which is not --batch-size of a network
            checks.whole("--step-data", steps.batch_size, 1, len(inputs))
        return network.train(inputs, y, loss=loss, draws=draws, seed=case.seed, **vars(steps))

    case.compute(trained)
