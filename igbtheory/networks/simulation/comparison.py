"""Comparison of a simulation with a prediction, after extrapolation to infinite width: z-scores and a test of G0."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, final

import numpy as np
import scipy

from igbtheory.foundations.result import Result
from igbtheory.foundations.text import table
from igbtheory.networks.simulation.extrapolation import RICHARDSON
from igbtheory.networks.simulation.kolmogorov import KolmogorovSmirnov, kolmogorov_smirnov
from igbtheory.networks.simulation.rows import Row, rows
from igbtheory.networks.simulation.theory import guess_theory, observable
from igbtheory.networks.simulation.values import Ensemble
from igbtheory.theory.prediction import Prediction


@final
@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """Comparison of a prediction with finite networks of the widths N, 2N and 4N, extrapolated to infinite width.

    rows: var_mu and var_chi after every Dense, and gamma and Var(G0) of the output. ks: the test of the extrapolated
    law of G0. ks_widest: this test of the widest networks without extrapolation, which differ from infinitely wide
    networks. simulations: the three ensembles.

    prediction: what the theory predicts.

    >>> comparison = igb.mlp(1, "relu").simulate(networks=20, width=32, samples=20).compare()
    >>> comparison.agrees()
    True
    """

    prediction: Prediction
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
        p_values = [2 * scipy.special.ndtr(-abs(row.z)) for row in self.rows] + [self.ks.pvalue]
        return all(p >= family_wise / len(p_values) for p in p_values)

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
        widths = [str(simulation.width) for simulation in self.simulations]
        head = ("", "theory", *(f"width {width}" for width in widths), "width -> inf", "z", "slope in 1/width")
        return "\n".join(
            [
                table(head, (row.cells() for row in self.rows), words=True),
                f"G0, Kolmogorov-Smirnov, width -> inf: {self.ks}",
                f"G0, Kolmogorov-Smirnov, width {widths[-1]}: {self.ks_widest}",
                f"agreement at family-wise level 1e-6: {'yes' if self.agrees() else 'no'}",
            ]
        )

    def __repr__(self) -> str:
        spec = self.simulations[0]
        agreement = "agrees" if self.agrees() else f"deviates: {self.largest_z.name}, z = {self.largest_z.z:+.2f}"
        return f"Comparison({spec.network!r}: {spec.networks} networks a width, samples={spec.samples}; {agreement})"


def compare(simulation: Ensemble, prediction: Prediction | None, wider: Callable[[], Sequence[Ensemble]]) -> Comparison:
    """Return the comparison of an ensemble, and of ensembles at two and four times its width, with a prediction.

    wider: returns the two wider ensembles; it is called after the prediction has been checked.
    """
    expected = simulation.network.predict(simulation.inputs) if prediction is None else prediction
    _check(simulation, expected)
    theory = guess_theory(simulation, expected)
    ensembles = (simulation, *wider())
    counts = np.rint([ensemble.G0 * ensemble.samples for ensemble in ensembles]).astype(np.int64)
    return Comparison(
        expected,
        ensembles,
        rows(ensembles, observable(expected, simulation.samples), theory),
        kolmogorov_smirnov(counts, RICHARDSON, theory.cdf, theory.draws),
        kolmogorov_smirnov(counts[-1:], np.ones(1), theory.cdf, theory.draws),
    )


def _check(simulation: Ensemble, prediction: Any) -> None:
    if not isinstance(prediction, Prediction):
        raise TypeError(f"expected a Prediction, got {prediction!r}; pass what Network.predict returns, or None")
    expected, got = simulation.per_layer.var_mu.shape, prediction.per_layer.var_mu.shape
    if got != expected:
        raise ValueError(
            f"expected a prediction of one network with {expected[0]} Dense layers, got per-layer values of shape {got}"
        )
    if simulation.gaussian != (prediction.dataset is None):
        kind = "Gaussian inputs" if simulation.gaussian else "the very data set"
        raise ValueError(f"expected the prediction for {kind} that was simulated, got {prediction!r}")
