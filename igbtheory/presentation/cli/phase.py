"""`igb phase`: the phase of a network in the limit of depth, and phase diagrams."""

import math
import re
from pathlib import Path
from typing import Any

import igbtheory as igb
from igbtheory.presentation.cli.options import Printed, Run, with_parameters
from igbtheory.presentation.cli.parameters import Activation, Assignments, Norm, Placement, Whole

POOLS = {"maxpool": "MaxPool", "avgpool": "AvgPool"}
"""Layers by the names of the pools."""
POOLED = re.compile(rf"\+\s*({'|'.join(POOLS)})\s*(\d+)\s*$")
"""Pattern of the pool after an activation, as in relu+maxpool2."""
POINTS = 50
"""Default number of points along each axis of a diagram."""


def phase(  # noqa: PLR0913 - one argument for each option
    activation: Activation,
    /,
    printed: Printed = Printed(),
    *,
    param: Assignments = (),
    sigma_w2: float | None = None,
    sigma_b2: float | None = None,
    norm: Norm = None,
    placement: Placement = "before",
    depth: Whole = 100,
    diagram: bool = False,
    points: Whole | None = None,
    widest_w2: float = 5.0,
    widest_b2: float = 0.5,
    out: Path = Path(),
    run: Run = Run(),
) -> None:
    """Print the phase of deep networks: fixed points, gradients, the growth rate of gamma, the edge of chaos.

    At the edge of chaos the gradients neither vanish nor explode, sigma_w2 E |grad f|^2 = 1, and the variance of the
    units settles. --diagram instead computes gamma over both variances, and writes a picture and a table, NAME.png and
    NAME.csv.

    ```
    igb phase tanh --sigma-b2 0.1
    igb phase relu+maxpool2 --sigma-w2 1.5
    igb phase tanh --diagram --points 20 --out diagrams
    ```

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
        Norm of every hidden layer.
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
        from igbtheory.presentation.cli import phase_diagram  # noqa: PLC0415 - --help must not load NumPy

        w2, b2 = phase_diagram.axes(POINTS if points is None else points, widest_w2, widest_b2)
        igb.mlp(1, name, **network)  # an impossible network is refused before a folder is created
        stem = re.sub(r"\W+", "-", activation).strip("-") or "diagram"
        phase_diagram.write(printed, out, stem, lambda: igb.phases.diagram(name, w2, b2, depth, **vars(run), **network))
        return
    if (points, run) != (None, Run()):
        option = "--points" if points is not None else "--workers, --executor and --store"
        raise ValueError(f"expected --diagram with {option}, got no diagram; add --diagram")
    printed.answer({}, printed.drawn(lambda: _phase(name, sigma_w2, sigma_b2 or 0.0, network, depth)))


def _read(text: str) -> tuple[str, Any]:
    """Return the activation, and the pool after it or None."""
    match = POOLED.search(text)
    if match is None and re.search(r"\+\s*\w*pool", text):
        raise ValueError(f"expected a pool such as relu+maxpool2 or relu+avgpool2, got {text!r}")
    if match is None:
        return text, None
    return text[: match.start()].strip(), getattr(igb, POOLS[match[1]])(int(match[2]))


def _phase(name: str, sigma_w2: float | None, sigma_b2: float, network: dict[str, Any], depth: int) -> Any:
    """Return the phase of a network, at the edge of chaos if sigma_w2 is None."""
    if sigma_w2 is None:
        sigma_w2 = float(igb.phases.edge_of_chaos(name, sigma_b2, **network))
        if math.isnan(sigma_w2):
            given = "".join(f" with {key}={value}" for key, value in network.items() if value not in {None, "before"})
            why = igb.phases.no_edge_of_chaos(name, sigma_b2, **network)
            kept = (
                igb.phases.backward_line(name, sigma_b2, **network),
                *igb.phases.edges_of_chaos(name, sigma_b2, **network),
            )
            such = next((f" {value:g}" for value in kept if not math.isnan(value)), "")
            raise ValueError(
                f"expected sigma_w2, because {name!r}{given} has no edge of chaos at sigma_b2 = {sigma_b2:g}: {why}; "
                f"pass --sigma-w2{such}"
            )
    from igbtheory.phases.classify import DEPTHS  # noqa: PLC0415 - --help must not load NumPy and SciPy

    depths = sorted({min(shown, depth) for shown in DEPTHS} | {depth})
    return igb.phases.classify(name, sigma_w2, sigma_b2, **network, depths=depths)
