"""Comparison of a simulation with a prediction, in infinite width or at its own: z-scores and a test of G0."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, final

import numpy as np
import scipy

from igbtheory.foundations.result import Result
from igbtheory.foundations.text import table
from igbtheory.layers.batch_sizes import batch_of
from igbtheory.layers.inputs import GaussianInputs
from igbtheory.networks.simulation.extrapolation import RICHARDSON
from igbtheory.networks.simulation.kolmogorov import KolmogorovSmirnov, kolmogorov_smirnov
from igbtheory.networks.simulation.rows import Row, rows
from igbtheory.networks.simulation.theory import guess_theory, observable
from igbtheory.networks.simulation.values import Ensemble
from igbtheory.networks.width.predicted import units_at
from igbtheory.networks.width.result import WidthPrediction
from igbtheory.theory.prediction import Prediction


@final
@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """Comparison of a prediction with finite networks, at the width of the prediction or in infinite width.

    In infinite width it is compared with networks of the widths N, 2N and 4N, extrapolated.

    prediction: what the theory predicts. simulations: the ensembles, three or one. rows: var_mu and var_chi after every
    Dense, and gamma and Var(G0) of the output, this for infinitely many data if the inputs are Gaussian. ks: the test
    of the law of G0, extrapolated in infinite width. ks_widest: this test of the widest networks without extrapolation,
    which differ from infinitely wide networks.

    >>> comparison = igb.mlp(1, "relu").simulate(networks=20, width=32, samples=20).compare()
    >>> comparison.agrees()
    True
    """

    prediction: Prediction | WidthPrediction
    simulations: tuple[Ensemble, ...]
    rows: tuple[Row, ...]
    ks: KolmogorovSmirnov
    ks_widest: KolmogorovSmirnov

    @property
    def largest_z(self) -> Row:
        """Row with the largest deviation."""
        return max(self.rows, key=lambda row: abs(row.z))

    def agrees(self, family_wise: float = 1e-6) -> bool:
        """Return whether neither a z-score nor `ks` rejects; each test has the level family_wise/(number of tests)."""
        level = family_wise / (len(self.rows) + 1)
        # a deviation that is not a number is none that agrees
        return all(abs(row.z) <= self.limit(family_wise) for row in self.rows) and self.ks.pvalue >= level

    def limit(self, family_wise: float = 1e-6) -> float:
        """Return the largest deviation in standard errors with which a row agrees: a larger one would be seen."""
        return float(-scipy.special.ndtri(family_wise / (len(self.rows) + 1) / 2))

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain values, with the verdict of `agrees`."""
        tests = {"ks": self.ks, "ks_widest": self.ks_widest}
        return {
            "widths": [simulation.width for simulation in self.simulations],
            "rows": [asdict(row) | {"z": row.z} for row in self.rows],
            **{name: {"statistic": test.statistic, "pvalue": test.pvalue} for name, test in tests.items()},
            "agrees": self.agrees(),
        }

    def columns(self) -> dict[str, Any]:
        """Return the rows as a table, with values extrapolated to infinite width."""
        names = ("name", "theory", "value", "error", "z")
        return {name: np.array([getattr(row, name) for row in self.rows]) for name in names}

    def __str__(self) -> str:
        widths = [f"width {simulation.width}" for simulation in self.simulations]
        several = len(widths) > 1
        head = ("", "theory", *widths, *["width -> inf"] * several, "z", *["slope in 1/width"] * several)
        tests = ({"width -> inf": self.ks} if several else {}) | {widths[-1]: self.ks_widest}
        return "\n".join(
            [
                table(head, (row.cells() for row in self.rows), words=True),
                *(
                    f"G0, Kolmogorov-Smirnov, {at}: {test}"
                    for at, test in (tests | {widths[-1]: self.ks_widest}).items()
                ),
                f"agreement at family-wise level 1e-6: {'yes' if self.agrees() else 'no'}",
            ]
        )

    def __repr__(self) -> str:
        spec = self.simulations[0]
        agreement = "agrees" if self.agrees() else f"deviates: {self.largest_z.name}, z = {self.largest_z.z:+.2f}"
        return f"Comparison({spec.network!r}: {spec.networks} networks a width, samples={spec.samples}; {agreement})"


def compare(
    simulation: Ensemble, prediction: Prediction | WidthPrediction | None, wider: Callable[[], Sequence[Ensemble]]
) -> Comparison:
    """Return the comparison of an ensemble with a prediction: at its width, or with wider ensembles in infinite width.

    wider: returns the ensembles of two and four times the width; it is called after the prediction has been checked.
    """
    expected = simulation.network.predict(simulation.inputs) if prediction is None else prediction
    _check(simulation, expected)
    ensembles: tuple[Ensemble, ...] = (simulation,)
    weights = np.ones(1)
    if isinstance(expected, Prediction):
        ensembles, weights = (simulation, *wider()), RICHARDSON
    cdf, draws = guess_theory(expected, simulation)
    counts = np.rint([ensemble.G0 * ensemble.samples for ensemble in ensembles]).astype(np.int64)
    return Comparison(
        expected,
        ensembles,
        rows(ensembles, weights, observable(expected, simulation)),
        kolmogorov_smirnov(counts, weights, cdf, draws),
        kolmogorov_smirnov(counts[-1:], np.ones(1), cdf, draws),
    )


def _check(simulation: Ensemble, prediction: Any) -> None:
    """Refuse a prediction that is not of this network, its inputs, and its width or infinite width."""
    if not isinstance(prediction, Prediction | WidthPrediction):
        raise TypeError(
            f"expected a Prediction, got {prediction!r}; pass what Network.predict returns, or None for infinite width"
        )
    expected, got = simulation.per_layer.var_mu.shape, prediction.per_layer.var_mu.shape
    if got != expected:
        raise ValueError(
            f"expected a prediction of one network with {expected[0]} Dense layers, got per-layer values of shape {got}"
        )
    given = prediction.dataset is not None if isinstance(prediction, Prediction) else _of_data(prediction)
    if simulation.gaussian == given:
        kind = "Gaussian inputs" if simulation.gaussian else "the very data set"
        raise ValueError(f"expected the prediction for {kind} that was simulated, got {prediction!r}")
    if isinstance(prediction, WidthPrediction):
        _check_width(simulation, prediction)


def _of_data(prediction: WidthPrediction) -> bool:
    return not isinstance(prediction.inputs, GaussianInputs)


def _check_width(simulation: Ensemble, prediction: WidthPrediction) -> None:
    """Refuse a prediction at another width, and one of batches, whose law of counts is known in infinite width only."""
    read, (features, *_) = units_at(simulation.network, simulation.inputs, simulation.width)
    if (prediction.widths, prediction.features) != (read, features):
        raise ValueError(
            f"expected a prediction at the width that was simulated, got {prediction!r}; pass "
            f"net.predict(width={simulation.width}), or None for infinite width"
        )
    if simulation.gaussian and batch_of(simulation.network.layers) is not None:
        raise ValueError(
            "expected a prediction in infinite width of a network with BatchNorm on Gaussian inputs, got one at finite "
            "width, which has no law of finitely many data in batches; pass None"
        )
