"""`igb draw`: initialisations whose G0 lies in a window."""

from pathlib import Path
from typing import Any

import igbtheory as igb
from igbtheory.foundations.whole_files import whole_file
from igbtheory.presentation.cli.options import Case
from igbtheory.presentation.cli.parameters import Whole


def draw(
    case: Case = Case(),
    *,
    window: tuple[float, float],
    networks: Whole = 10,
    width: Whole = 256,
    out: Path | None = None,
) -> None:
    """Draw finite networks whose G0 on a data set lies in a window; they cost no more than other networks.

    Each network has a weight. With these weights the networks follow the law of random networks, given that G0 lies in
    the window.

    ```
    igb draw --data digits --first 200 --window 0.45 0.55 --out weights.npz
    ```

    Parameters
    ----------
    window
        Smallest and largest G0, the fraction of the data that the network assigns to class 0.
    networks
        Number of networks.
    width
        Number of units of every hidden layer.
    out
        FILE.npz for the weights and biases: matrix_2_0 is the matrix of layer 0 of network 2, in x @ matrix + bias.

    """
    if case.data is None:
        raise ValueError('expected the data on which G0 is counted; name them, for example "--data digits --first 500"')

    def drawn(network: Any, inputs: Any) -> Any:
        ensemble = igb.draw(network, inputs, window, networks=networks, width=width, seed=case.seed)
        if out is not None:
            with whole_file(out, (".npz",)) as path:
                ensemble.save(path)
        return ensemble

    case.compute(drawn)
