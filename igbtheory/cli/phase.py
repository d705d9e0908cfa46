"""`igb phase`: the phase of a network in the limit of depth, and phase diagrams."""

import csv
import re
from pathlib import Path
from typing import Any

import numpy as np

import igbtheory as igb
from igbtheory import checks
from igbtheory.cli import output
from igbtheory.cli.options import Assignments, Pictured, Run, Text, Whole, with_parameters
from igbtheory.phases import Diagram, Phase, classify, edge_of_chaos
from igbtheory.phases import diagram as computed
from igbtheory.phases.classify import DEPTHS
from igbtheory.whole_files import whole_files

POOLS = {"maxpool": igb.MaxPool, "avgpool": igb.AvgPool}
POOLED = re.compile(rf"\+\s*({'|'.join(POOLS)})\s*(\d+)\s*$")
"""The pool behind an activation, as in relu+maxpool2."""
POINTS = 50
"""Points of a diagram along either axis unless named."""


def phase(  # noqa: PLR0913 - one argument an option
    activation: Text,
    /,
    printed: Pictured = Pictured(),
    *,
    param: Assignments = (),
    sigma_w2: float | None = None,
    sigma_b2: float | None = None,
    norm: str | None = None,
    placement: str = "before",
    depth: Whole = 100,
    diagram: bool = False,
    points: Whole | None = None,
    widest_w2: float = 5.0,
    widest_b2: float = 0.5,
    out: Path = Path(),
    run: Run = Run(),
) -> None:
    """Print the phase of deep networks: fixed points, gradients, the rate of gamma, the edge of chaos.

    The edge of chaos is the threshold of the backward pass, sigma_w2 E |grad f|^2 = 1. --diagram computes gamma over
    the variances instead, and writes a picture and a table: NAME.png and NAME.csv.

    Parameters
    ----------
    activation
        A name such as tanh, or a formula in x; with a pool behind it as in relu+maxpool2 or tanh+avgpool2.
    param
        The value of a parameter in the formula, as a=5 of "x + sin(a*x)**2/a"; once for each.
    sigma_w2
        Variance of the weights, multiplied by the number of units that a layer reads; that of the edge of chaos
        unless named.
    sigma_b2
        Variance of the biases; 0 unless named.
    norm
        The norm of every hidden layer: batch, layer or rms.
    placement
        Where the norm stands: before the activation, or after it and its pool.
    depth
        The largest depth at which gamma is printed, in hidden layers. Of a diagram, the depth of all its networks.
    diagram
        Compute a diagram.
    points
        Points of a diagram along either axis; 50 unless named.
    widest_w2
        End of the axis of sigma_w2 of a diagram.
    widest_b2
        End of the axis of sigma_b2 of a diagram.
    out
        Folder of the files of a diagram; it is made where it is missing.

    """
    name, pool = _read(activation)
    name = with_parameters(name, param)
    network: dict[str, Any] = {"pool": pool, "norm": norm, "placement": placement}
    if not diagram:
        if (points, run) != (None, Run()):
            option = "--points" if points is not None else "--workers, --executor and --store"
            raise ValueError(f"{option} are those of a diagram; add --diagram")
        printed.answer({}, printed.drawn(lambda: _phase(name, sigma_w2, sigma_b2 or 0.0, network, depth)))
        return
    if (sigma_w2, sigma_b2) != (None, None):
        raise ValueError("--diagram varies both variances; leave --sigma-w2 and --sigma-b2 out")
    points = checks.whole("--points", POINTS if points is None else points, 2)
    for option, widest in (("--widest-w2", widest_w2), ("--widest-b2", widest_b2)):
        if not 0 < widest < np.inf:
            raise ValueError(f"expected {option} > 0 and finite, got {widest:g}")
    stem = re.sub(r"\W+", "-", activation).strip("-") or "diagram"
    w2, b2 = (np.linspace(widest / points, widest, points) for widest in (widest_w2, widest_b2))
    from igbtheory.pictures import plots, style  # noqa: PLC0415 - Matplotlib takes its time

    igb.mlp(1, name, **network)  # refuses what is no network, before a folder is made
    # first of all: who cannot write the files shall not wait for them
    with whole_files(out, "--out") as work:
        found = printed.drawn(lambda: computed(name, w2, b2, depth, **vars(run), **network))
        style.write(plots.picture, found, work / f"{stem}.png")
        _write_table(found, work / f"{stem}.csv")
    if printed.json:
        output.show_json(found.to_dict())
    else:
        why = [f"no edge of chaos: {found.no_edge}"] if found.no_edge else []
        output.show(*why, *(str(out / f"{stem}{suffix}") for suffix in (".png", ".csv")))


def _read(text: str) -> tuple[str, Any]:
    """The activation, and the pool behind it or None."""
    found = POOLED.search(text)
    if found is None and re.search(r"\+\s*\w*pool", text):
        raise ValueError(f"expected a pool such as relu+maxpool2 or relu+avgpool2, got {text!r}")
    return (text, None) if found is None else (text[: found.start()].strip(), POOLS[found[1]](int(found[2])))


def _phase(name: str, sigma_w2: float | None, sigma_b2: float, network: dict[str, Any], depth: int) -> Phase:
    """Return the phase of a network, on the edge of chaos where there is no sigma_w2."""
    if sigma_w2 is None:
        sigma_w2 = float(edge_of_chaos(name, sigma_b2, **network))
        if np.isnan(sigma_w2):
            raise ValueError(
                f"expected --sigma-w2, since {name!r} with {network} has no edge of chaos at sigma_b2 = {sigma_b2:g} "
                "to take it from"
            )
    depths = sorted({min(shown, depth) for shown in DEPTHS} | {depth})
    return classify(name, sigma_w2, sigma_b2, **network, depths=depths)


def _write_table(found: Diagram, file: Path) -> None:
    """A line a point: both variances, gamma, and the lines at this variance of the biases."""
    with file.open("w", newline="", encoding="utf-8") as stream:
        rows = csv.writer(stream, lineterminator="\n")
        columns = found.columns()
        rows.writerow(columns)
        rows.writerows([f"{value:.17g}" for value in row] for row in zip(*columns.values(), strict=True))
