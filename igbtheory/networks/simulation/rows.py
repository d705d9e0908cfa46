"""Rows of a comparison: one quantity as predicted and at every width."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.layers.few import is_few
from igbtheory.layers.nodes.draws import SPARE
from igbtheory.networks.simulation.estimates import layer_estimates, mean
from igbtheory.networks.simulation.extrapolation import RICHARDSON, SLOPE
from igbtheory.networks.simulation.theory import GuessTheory
from igbtheory.networks.simulation.values import Ensemble
from igbtheory.theory.prediction import PerLayer

Array = NDArray[np.float64]
RESOLUTION = 2.0**-23
"""Rounding error of a second moment in single precision, relative to its size: the epsilon of such numbers."""


@final
@dataclass(frozen=True)
class Row:
    """One quantity: the prediction, the values at the three widths, and their extrapolation to infinite width.

    values, errors: at the widths N, 2N and 4N. value, error: extrapolated. slope: of the least-squares line in 1/width.

    name: that of the quantity. theory: its predicted value. slope_error: the standard error of the slope.

    >>> row = igb.mlp(1, "relu").simulate(networks=20, width=32, samples=20).compare().rows[-1]
    >>> row.name
    'Var(G0)'
    """

    name: str
    theory: float
    values: tuple[float, ...]
    errors: tuple[float, ...]
    value: float
    error: float
    slope: float
    slope_error: float

    @property
    def z(self) -> float:
        """Deviation (value - theory)/error; 0 if the two are equal."""
        if self.value == self.theory:
            return 0.0
        return float(np.divide(self.value - self.theory, self.error)) if self.error else float("inf")

    def cells(self) -> tuple[str, ...]:
        """Return the cells of the printed table."""
        pairs = [*zip(self.values, self.errors, strict=True), (self.value, self.error)]
        slope = f"{self.slope:.3g} ± {self.slope_error:.1g}"
        return (
            self.name,
            f"{self.theory:.6g}",
            *(f"{v:.6g} ± {e:.1g}" for v, e in pairs),
            f"{self.z:+.2f}",
            slope,
        )


def rows(ensembles: tuple[Ensemble, ...], expected: PerLayer, guesses: GuessTheory) -> tuple[Row, ...]:
    """Return the rows of var_mu and var_chi after every Dense, of gamma at the output, and of Var(G0)."""
    # gamma is a ratio of extrapolated means, not an extrapolated ratio: see `extrapolation`
    limit = layer_estimates(np.stack([ensemble.moments for ensemble in ensembles]), RICHARDSON)
    layers = [*(ensemble.per_layer for ensemble in ensembles), limit]
    scale, width = np.asarray(expected.var_mu + expected.var_chi, dtype=float), ensembles[0].width
    last = len(scale) - 1
    places = [(name, i, scale[i]) for i in range(last + 1) for name in ("var_mu", "var_chi")]
    compared = []
    # predictions of layers with few weights have a statistical error, error/SPARE; other errors are upper bounds
    scatter = np.asarray(expected.error, dtype=float) / SPARE * any(map(is_few, ensembles[0].network.layers))
    for name, i, size in [*places, ("gamma", last, (1 + float(expected.gamma[last])) ** 2)]:
        pairs = [(getattr(part, name)[i], getattr(part, f"{name}_error")[i]) for part in layers]
        value = getattr(expected, name)[i]
        floor = np.hypot(RESOLUTION * size, scatter[i] * float(value)) if scatter[i] else RESOLUTION * size
        compared.append(_row(f"{name}[{i}]", value, pairs, floor, width))
    return *compared, _guesses_row(ensembles, guesses, width)


def _guesses_row(ensembles: tuple[Ensemble, ...], theory: GuessTheory, width: int) -> Row:
    # the mean of G0 is known at every width, as the classes are symmetric but for ties, which class 0 gets
    squares = np.stack([(ensemble.G0 - (1 + ensemble.ties) / 2) ** 2 for ensemble in ensembles])
    estimates = [mean(part[None], np.ones(1)) for part in squares] + [mean(squares, RICHARDSON)]
    # if all networks guess alike, their scatter is 0: the error is at least the one that the theory expects
    noise = np.sqrt(theory.variance_of_square / squares.shape[1] * np.array([1, 1, 1, RICHARDSON @ RICHARDSON]))
    errors = [max(float(error), least) for (_, error), least in zip(estimates, noise.tolist(), strict=True)]
    pairs = [(float(value), error) for (value, _), error in zip(estimates, errors, strict=True)]
    return _row("Var(G0)", theory.variance, pairs, RESOLUTION, width)


def _row(name: str, theory: Any, estimates: list[tuple[float, float]], floor: float, width: int) -> Row:
    *values, value = (float(v) for v, _ in estimates)
    *errors, error = (float(np.hypot(e, floor)) for _, e in estimates)
    with np.errstate(invalid="ignore"):  # gamma may be infinite at every width and then has no slope
        slope, slope_error = width * SLOPE @ values, width * np.sqrt(SLOPE**2 @ np.square(errors))
    return Row(name, float(theory), tuple(values), tuple(errors), value, error, float(slope), float(slope_error))
