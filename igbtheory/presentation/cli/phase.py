"""`igb phase`: the phase of a network in the limit of depth, and phase diagrams."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import igbtheory as igb
from igbtheory.foundations import checks
from igbtheory.foundations.whole_files import whole_files
from igbtheory.phases import Diagram, Phase, classify, edge_of_chaos, edges_of_chaos
from igbtheory.phases import diagram as computed
from igbtheory.phases.classify import DEPTHS
from igbtheory.presentation.cli import output
from igbtheory.presentation.cli.options import Printed, Run, with_parameters
from igbtheory.presentation.cli.parameters import Assignments, Text, Whole

POOLS = {"maxpool": igb.MaxPool, "avgpool": igb.AvgPool}
POOLED = re.compile(rf"\+\s*({'|'.join(POOLS)})\s*(\d+)\s*$")
"""Pattern of the pool after an activation, as in relu+maxpool2."""
POINTS = 50
"""Default number of points along each axis of a diagram."""


def phase(  # noqa: PLR0913 - one argument for each option
    activation: Text,
    /,
    printed: Printed = Printed(),
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
    """Print the phase of deep networks: fixed points, gradients, the growth rate of gamma, the edge of chaos.

    At the edge of chaos the gradients neither vanish nor explode: sigma_w2 E |grad f|^2 = 1. --diagram instead computes
    gamma over both variances, and writes a picture and a table, NAME.png and NAME.csv.

    Parameters
    ----------
    activation
        A name such as tanh, or a formula in x, optionally with a pool as in relu+maxpool2 or tanh+avgpool2.
    sigma_w2
        Variance of the weights, multiplied by the number of units that a layer reads; by default its value at the edge
        of chaos.
    sigma_b2
        Variance of the biases; 0 by default.
    norm
        Norm of every hidden layer: batch, layer or rms.
    placement
        Place of the norm: before the activation, or after the activation and its pool.
    depth
        Largest number of hidden layers for which gamma is printed; in a diagram, the number of hidden layers.
    diagram
        Compute a diagram.
    points
        Number of points along each axis of a diagram; 50 by default.
    widest_w2
        Largest sigma_w2 of a diagram.
    widest_b2
        Largest sigma_b2 of a diagram.
    out
        Folder for the files of a diagram; it is created if it is missing.

    """
    name, pool = _read(activation)
    name = with_parameters(name, param)
    network: dict[str, Any] = {"pool": pool, "norm": norm, "placement": placement}
    if diagram:
        if (sigma_w2, sigma_b2) != (None, None):
            raise ValueError("--diagram varies both variances; leave --sigma-w2 and --sigma-b2 out")
        w2, b2 = _axes(POINTS if points is None else points, widest_w2, widest_b2)
        igb.mlp(1, name, **network)  # an impossible network is refused before a folder is created
        stem = re.sub(r"\W+", "-", activation).strip("-") or "diagram"
        _write(printed, out, stem, lambda: computed(name, w2, b2, depth, **vars(run), **network))
        return
    if (points, run) != (None, Run()):
        option = "--points" if points is not None else "--workers, --executor and --store"
        raise ValueError(f"expected --diagram with {option}, got no diagram; add --diagram")
    printed.answer({}, printed.drawn(lambda: _phase(name, sigma_w2, sigma_b2 or 0.0, network, depth)))


def _axes(points: int, widest_w2: float, widest_b2: float) -> list[NDArray[np.float64]]:
    """Return the values of sigma_w2 and of sigma_b2 along the axes of a diagram."""
    points = checks.whole("--points", points, 2)
    for option, widest in (("--widest-w2", widest_w2), ("--widest-b2", widest_b2)):
        if not 0 < widest < np.inf:
            raise ValueError(f"expected {option} > 0 and finite, got {widest:g}")
    return [np.linspace(widest / points, widest, points) for widest in (widest_w2, widest_b2)]


def _write(printed: Printed, out: Path, stem: str, diagram: Callable[[], Diagram]) -> None:
    """Compute a diagram and write its picture and its table, `stem`.png and `stem`.csv."""
    from igbtheory.presentation.pictures import plots, style  # noqa: PLC0415 - Matplotlib loads slowly

    # an unwritable folder is refused before the diagram is computed
    with whole_files(out, "--out") as work:
        phases = printed.drawn(diagram)
        style.write(plots.picture, phases, work / f"{stem}.png")
        table = phases.columns()
        rows = np.column_stack(list(table.values()))
        np.savetxt(work / f"{stem}.csv", rows, "%.17g", ",", header=",".join(table), comments="")
    if printed.json:
        output.show_json(phases.to_dict())
    else:
        why = [f"no edge of chaos: {phases.no_edge}"] if phases.no_edge else []
        output.show(*why, *(str(out / f"{stem}{suffix}") for suffix in (".png", ".csv")))


def _read(text: str) -> tuple[str, Any]:
    """Return the activation, and the pool after it or None."""
    match = POOLED.search(text)
    if match is None and re.search(r"\+\s*\w*pool", text):
        raise ValueError(f"expected a pool such as relu+maxpool2 or relu+avgpool2, got {text!r}")
    return (text, None) if match is None else (text[: match.start()].strip(), POOLS[match[1]](int(match[2])))


def _phase(name: str, sigma_w2: float | None, sigma_b2: float, network: dict[str, Any], depth: int) -> Phase:
    """Return the phase of a network, at the edge of chaos if sigma_w2 is None."""
    if sigma_w2 is None:
        sigma_w2 = float(edge_of_chaos(name, sigma_b2, **network))
        if np.isnan(sigma_w2):
            given = "".join(f" with {key}={value}" for key, value in network.items() if value not in {None, "before"})
            unsettled = "".join(
                f" at which the variance settles; gradients also keep their size at --sigma-w2 {edge:g}"
                for edge in edges_of_chaos(name, sigma_b2, **network)[:1].tolist()
            )
            raise ValueError(
                f"expected sigma_w2, because {name!r}{given} has no edge of chaos at sigma_b2 = {sigma_b2:g}{unsettled}"
            )
    depths = sorted({min(shown, depth) for shown in DEPTHS} | {depth})
    return classify(name, sigma_w2, sigma_b2, **network, depths=depths)
