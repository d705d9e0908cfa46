"""The predictions of the report, and their comparison with finite networks."""

from dataclasses import dataclass
from functools import partial
from typing import Any, final

import numpy as np

from igbtheory.foundations.runs import Piece
from igbtheory.networks.simulation import Comparison
from igbtheory.networks.simulation.rows import Row
from igbtheory.networks.simulation.values import Ensemble
from igbtheory.networks.width.blocks import DoesNotHoldError
from igbtheory.networks.width.result import WidthPrediction
from igbtheory.presentation.report.cases import DATA, GAUSSIAN, WIDTH, Case, Size, input_values
from igbtheory.theory.prediction import Prediction

NEARLY_INFINITE = 10**6
"""Width at which, and at twice which, the theory of finite width is compared with that of infinite width."""
ALIKE = 1e-6
"""Largest relative difference of the two: what is left of order 1/width^2 and of rounding is below 3e-7."""


@final
@dataclass(frozen=True)
class Expected:
    """What is predicted of a case: in infinite width, and at the width WIDTH where this theory is known, or None.

    beyond: the largest relative difference of the two theories, the second extrapolated to infinite width.
    """

    case: Case
    limit: Prediction
    at_width: WidthPrediction | None
    beyond: float = 0.0

    @property
    def compared(self) -> Prediction | WidthPrediction:
        """The prediction with which networks are compared."""
        return self.at_width or self.limit


@final
@dataclass(frozen=True)
class Outcome:
    """What is predicted of a case, and the comparison with networks of the width WIDTH, or of three widths."""

    expected: Expected
    comparison: Comparison

    @property
    def case(self) -> Case:
        """The case."""
        return self.expected.case

    @property
    def widest(self) -> Ensemble:
        """The ensemble of the widest networks."""
        return self.comparison.simulations[-1]

    @property
    def gamma(self) -> Row:
        """The row of gamma at the output."""
        return self.comparison.rows[-2]

    @property
    def variance(self) -> Row:
        """The row of Var(G0)."""
        return self.comparison.rows[-1]

    @property
    def agrees(self) -> bool:
        """Whether networks agree with the prediction, and the two theories with each other."""
        return self.comparison.agrees() and self.expected.beyond <= ALIKE

    def visible(self, row: Row) -> float:
        """Return the error of the prediction of a row from which on the networks would disagree with it."""
        return self.comparison.limit() * row.uncertainty


def expectations(cases: list[Case]) -> list[Expected]:
    """Return all predictions."""
    inputs = input_values()
    return [_expected(case, inputs[case.inputs]) for case in cases]


def _expected(case: Case, inputs: Any) -> Expected:
    network = case.network()
    limit = network.predict(inputs)
    # on a data set the expansion takes data for normal, and its error does not contain all that this leaves out
    if case.inputs != GAUSSIAN:
        return Expected(case, limit, None)
    try:
        at_width, *nearly = (
            network.predict(inputs, width=width, method="expansion")
            for width in (WIDTH, NEARLY_INFINITE, 2 * NEARLY_INFINITE)
        )
    except DoesNotHoldError:
        return Expected(case, limit, None)
    return Expected(case, limit, at_width, _difference(limit, *nearly))


def _difference(limit: Prediction, wide: WidthPrediction, wider: WidthPrediction) -> float:
    """Return the largest difference of var_mu, relative to the mean square, and of var_chi, in any layer."""
    exact = limit.per_layer
    scales = exact.var_mu + exact.var_chi, exact.var_chi
    differences = [
        np.abs(2 * getattr(wider.per_layer, name) - getattr(wide.per_layer, name) - getattr(exact, name)) / scale
        for name, scale in zip(("var_mu", "var_chi"), scales, strict=True)
    ]
    return float(np.max(differences))


def comparisons(expected: list[Expected], size: Size, seed: int) -> list[Piece]:
    """Return the pieces of work that compute the outcomes of what is expected."""
    seeds = np.random.SeedSequence(seed).generate_state(len(expected), np.uint64).tolist()
    inputs = input_values()
    return [
        partial(_outcome, one, inputs[one.case.inputs], size, one_seed)
        for one, one_seed in zip(expected, seeds, strict=True)
    ]


def _outcome(expected: Expected, inputs: Any, size: Size, seed: int) -> Outcome:
    case = expected.case
    networks, width = (size.shown if case.law_shown else size.others), WIDTH
    if expected.at_width is None:
        networks, width = size.extrapolated[case.depth]
    simulation = case.network().simulate(networks, width, DATA, seed, inputs)
    return Outcome(expected, simulation.compare(expected.compared))
