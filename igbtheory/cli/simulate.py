"""`igb simulate`: finite networks, and how they compare with the prediction."""

import sys
from typing import Any

import igbtheory as igb
from igbtheory.cli import output
from igbtheory.cli.options import Architecture, Inputs, Whole
from igbtheory.simulation import Comparison, Simulation
from igbtheory.simulation.theory import observable

NAMES = ("var_mu", "var_chi", "gamma")


def simulate(  # noqa: PLR0913 - one argument an option
    architecture: Architecture = Architecture(),  # noqa: B008 - frozen
    inputs: Inputs = Inputs(),  # noqa: B008 - frozen
    *,
    networks: Whole = 1000,
    width: Whole = 256,
    samples: Whole = 1000,
    seed: Whole = 0,
    workers: Whole | None = None,
    compare: bool = False,
    json: bool = False,
) -> int:
    """Draw finite networks and print what they do, beside the prediction in infinite width.

    At finite width the difference is real. --compare also draws networks of two and four times the width and
    extrapolates to infinite width before it compares; exit status 1 if that disagrees with the prediction.

    Parameters
    ----------
    architecture
        Which network.
    inputs
        On which inputs.
    networks
        Networks to draw.
    width
        Units of every hidden layer, and the dimension of Gaussian inputs.
    samples
        Gaussian data, fresh for every network; a data set is taken whole.
    seed
        The same seed gives the same numbers, whatever the number of workers.
    workers
        Threads; the default is one a core.
    compare
        Compare with the prediction, the 1/width trend taken out.
    json
        Print JSON, with G0 of every network.

    """
    values, network = inputs.values(), architecture.network()
    prediction = network.predict(values)
    progress = sys.stderr.isatty()
    simulation = network.simulate(networks, width, samples, seed, values, workers=workers, progress=progress)
    origin = {"network": str(architecture), "inputs": inputs.text(values)}
    if compare:
        return _compared(simulation.compare(prediction, workers=workers, progress=progress), origin, json=json)
    if json:
        output.show_json({**origin, **as_dict(simulation)})
    else:
        spec = f"{simulation.networks} networks of width {simulation.width}, seed {simulation.seed}"
        output.show(*origin.values(), spec, "", _table(simulation, prediction))
    return 0


def as_dict(simulation: Simulation) -> dict[str, Any]:
    """The simulation as JSON has it."""
    fields = [f"{name}{suffix}" for name in NAMES for suffix in ("", "_error")]
    return {
        **{name: getattr(simulation, name) for name in ("networks", "width", "samples", "seed", *fields)},
        "G0": simulation.G0,
        "per_layer": {name: getattr(simulation.per_layer, name) for name in fields},
    }


def _table(simulation: Simulation, prediction: igb.Prediction) -> Any:
    # a full batch has the data that were simulated, and its gamma is that of two of them
    expected = observable(prediction, simulation.samples)
    rows = [
        [
            name,
            output.number(float(getattr(expected, name)[-1]), 6),
            output.measured(getattr(simulation, name), getattr(simulation, f"{name}_error")),
        ]
        for name in NAMES
    ]
    spread = simulation.G0.std(ddof=1)
    rows.append(
        [
            f"sd of G0, {simulation.samples} data",
            output.number(_spread(prediction, simulation.samples), 6),
            f"{spread:.6g}",
        ]
    )
    return output.table(("output", "infinite width", f"width {simulation.width}"), rows)


def _spread(prediction: igb.Prediction, samples: int) -> float:
    """Standard deviation of G0 among so many data."""
    law = prediction.G0
    if not isinstance(law, igb.GuessLaw):
        return float(law.std())
    return float(law.finite(samples).std()) / samples


def _compared(comparison: Comparison, origin: dict[str, str], *, json: bool) -> int:
    agrees = comparison.agrees()
    if json:
        output.show_json({**origin, **comparison_dict(comparison), "agrees": agrees})
    else:
        output.show(*origin.values(), *repr(comparison).split("\n")[1:])
    return 0 if agrees else 1


def comparison_dict(comparison: Comparison) -> dict[str, Any]:
    """The comparison as JSON has it."""
    fields = ("name", "theory", "values", "errors", "value", "error", "z", "slope", "slope_error")
    tests = {"ks": comparison.ks, "ks_widest": comparison.ks_widest}
    return {
        "widths": [simulation.width for simulation in comparison.simulations],
        "rows": [{field: getattr(row, field) for field in fields} for row in comparison.rows],
        **{name: {"statistic": test.statistic, "pvalue": test.pvalue} for name, test in tests.items()},
    }
