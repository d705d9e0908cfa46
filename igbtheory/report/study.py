"""What the report computes: the prediction of every case, and the finite networks beside it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, final

import numpy as np

from igbtheory.prediction import Prediction
from igbtheory.processes import Task, results
from igbtheory.report.cases import Case, input_values
from igbtheory.simulation import Comparison, Simulation
from igbtheory.simulation.rows import Row


@final
@dataclass(frozen=True)
class Outcome:
    """A case with its prediction and the comparison with networks of three widths."""

    case: Case
    comparison: Comparison

    @property
    def prediction(self) -> Prediction:
        """The prediction in infinite width."""
        return self.comparison.prediction

    @property
    def widest(self) -> Simulation:
        """The ensemble of the widest networks."""
        return self.comparison.simulations[-1]

    @property
    def unlimited(self) -> float:
        """Gamma for infinitely many data; a full batch of finitely many, as simulated, has another."""
        return float(self.prediction.gamma)

    @property
    def gamma(self) -> Row:
        """The row of gamma at the output."""
        return self.output("gamma")

    @property
    def variance(self) -> Row:
        """The row of Var(G0)."""
        return self.comparison.rows[-1]

    def output(self, name: str) -> Row:
        """Return the row of var_mu, var_chi or gamma at the output."""
        return next(row for row in self.comparison.rows if row.name == f"{name}[{self.case.depth}]")


def study(
    cases: list[Case], seed: int, progress: Callable[[str], None], inputs: dict[str, Any] | None = None
) -> list[Outcome]:
    """Return the outcomes of all cases; `progress` is told each that is done. inputs: as in `comparisons`."""
    found: dict[int, Outcome] = {}
    for number, outcome in results(comparisons(cases, seed, inputs), seconds=float("inf")):
        if isinstance(outcome, Exception):
            raise outcome
        found[number] = outcome
        progress(f"{len(found)}/{len(cases)} {cases[number].name}")
    return [found[number] for number in range(len(cases))]


def comparisons(cases: list[Case], seed: int, inputs: dict[str, Any] | None = None) -> list[Task]:
    """Return the tasks that compute the outcomes of the cases. inputs: by name, those of the report unless given.

    ValueError: a case that cannot be predicted, before anything is simulated.
    """
    inputs = input_values() if inputs is None else inputs
    seeds = np.random.SeedSequence(seed).generate_state(len(cases), np.uint64).tolist()
    predictions = [case.network().predict(inputs[case.inputs]) for case in cases]
    return [
        partial(_outcome, case, inputs[case.inputs], prediction, own)
        for case, prediction, own in zip(cases, predictions, seeds, strict=True)
    ]


def _outcome(case: Case, inputs: Any, prediction: Prediction, seed: int) -> Outcome:
    size = case.size
    simulation: Simulation = case.network().simulate(size.networks, size.width, size.samples, seed, inputs)
    return Outcome(case, simulation.compare(prediction))
