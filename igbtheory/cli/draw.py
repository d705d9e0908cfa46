"""`igb draw`: initialisations whose G0 lies in a window."""

from pathlib import Path

import igbtheory as igb
from igbtheory.cli.options import Case, Layers, Whole
from igbtheory.whole_files import whole_file


def draw(
    layers: Layers = None,
    /,
    case: Case = Case(),
    *,
    window: tuple[float, float],
    networks: Whole = 10,
    width: Whole = 256,
    seed: Whole = 0,
    out: Path | None = None,
) -> None:
    """Draw finite networks whose G0 on a data set lies in the window; they cost no more than any others.

    Each has a weight; with these weights they have the law of unconditional networks given the window.

    Parameters
    ----------
    window
        Smallest and largest G0, the fraction of the data given to class 0.
    networks
        Networks to draw.
    width
        Units of every hidden layer.
    seed
        The same seed gives the same networks.
    out
        FILE.npz for the matrices and biases: matrix_2_0 is that of network 2, layer 0, which makes x @ matrix + bias.

    """
    if case.data is None:
        raise ValueError('G0 is that of given data: name them with --data, for instance "--data digits --first 500"')
    case = case.of(layers)
    values = case.values()
    network = case.network()
    found = case.drawn(lambda: igb.draw(network, values, window, networks=networks, width=width, seed=seed))
    if out is not None:
        with whole_file(out, (".npz",)) as path:
            found.save(path)
    case.answer(case.origin(values), found)
