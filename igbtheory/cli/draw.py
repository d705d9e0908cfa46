"""`igb draw`: initialisations whose G0 lies in a window."""

from pathlib import Path

import numpy as np

import igbtheory as igb
from igbtheory.cli import output
from igbtheory.cli.options import Architecture, Inputs, Whole
from igbtheory.cli.whole_file import whole_file
from igbtheory.control import Drawn


def draw(  # noqa: PLR0913 - one argument an option
    architecture: Architecture = Architecture(),  # noqa: B008 - frozen
    inputs: Inputs = Inputs(),  # noqa: B008 - frozen
    *,
    window: tuple[float, float],
    networks: Whole = 10,
    width: Whole = 256,
    seed: Whole = 0,
    out: Path | None = None,
    json: bool = False,
) -> None:
    """Draw finite networks whose G0 on a data set lies in the window, at the cost of drawing any.

    Each has a weight; with these weights they have the law of unconditional networks given the window.

    Parameters
    ----------
    architecture
        Which network, with two outputs.
    inputs
        On which data set.
    window
        Smallest and largest G0, the share of class 0.
    networks
        Networks to draw.
    width
        Units of every hidden layer.
    seed
        The same seed gives the same networks.
    out
        FILE.npz for the matrices and biases: matrix_2_0 is that of network 2, layer 0, which makes x @ matrix + bias.
    json
        Print JSON.

    """
    if inputs.data is None:
        raise ValueError('G0 is that of given data: name them with --data, for instance "--data digits --first 500"')
    values = inputs.values()
    found = igb.draw(architecture.network(), values, window, networks=networks, width=width, seed=seed)
    if out is not None:
        _save(found, out)
    if json:
        names = ("tried", "effective", "probability", "probability_error", "log_probability", "G0", "weights")
        output.show_json({"network": str(architecture), **{name: getattr(found, name) for name in names}})
        return
    rows = ([str(i), f"{g:.6g}", f"{w:.4g}"] for i, (g, w) in enumerate(zip(found.G0, found.weights, strict=True)))
    output.show(
        str(architecture),
        inputs.text(values),
        "",
        output.table(("network", "G0", "weight"), rows),
        "",
        f"effective sample {found.effective:.1f} of {len(found.G0)}",
        f"probability of the window {found.probability:.4g} ± {found.probability_error:.1g}",
    )


def _save(found: Drawn, out: Path) -> None:
    """Write the matrices and biases of all networks."""
    arrays = {"G0": found.G0, "weights": found.weights}
    for i in range(len(found.G0)):
        for layer, (matrix, bias) in enumerate(found.drawn(i)):
            arrays |= {f"matrix_{i}_{layer}": matrix, f"bias_{i}_{layer}": bias}
    with whole_file(out, (".npz",)) as path:
        np.savez(path, allow_pickle=False, **arrays)
