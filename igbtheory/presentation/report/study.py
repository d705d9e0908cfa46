"""The comparison of theory and simulation for every case of the report."""

from dataclasses import dataclass
from functools import partial
from typing import Any, final

import numpy as np

from igbtheory.foundations.runs import Piece
from igbtheory.networks.simulation import Comparison, Simulation
from igbtheory.networks.simulation.rows import Row
from igbtheory.networks.simulation.values import Ensemble
from igbtheory.presentation.report.cases import Case, input_values
from igbtheory.theory.prediction import Prediction


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
    def widest(self) -> Ensemble:
        """The ensemble of the widest networks."""
        return self.comparison.simulations[-1]

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


def comparisons(cases: list[Case], seed: int) -> list[Piece]:
    """Return the pieces of work that compute the outcomes of the cases; this call computes all predictions."""
    inputs = input_values()
    seeds = np.random.SeedSequence(seed).generate_state(len(cases), np.uint64).tolist()
    predictions = [case.network().predict(inputs[case.inputs]) for case in cases]
    return [
        partial(_outcome, case, inputs[case.inputs], prediction, one_seed)
        for case, prediction, one_seed in zip(cases, predictions, seeds, strict=True)
    ]


def _outcome(case: Case, inputs: Any, prediction: Prediction, seed: int) -> Outcome:
    size = case.size
    simulation: Simulation = case.network().simulate(size.networks, size.width, size.samples, seed, inputs)
    return Outcome(case, simulation.compare(prediction))
