"""Rows of a comparison: one quantity as predicted, at every width, and in the limit with which it is compared."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.networks.simulation.estimates import LayerEstimates, layer_estimates
from igbtheory.networks.simulation.extrapolation import SLOPE
from igbtheory.networks.simulation.values import Ensemble

RESOLUTION = 2.0**-23
"""Rounding error of a second moment in single precision, relative to its size: the epsilon of such numbers."""
MEASURED = ("moments", "guess_variances", "tied")
"""What an ensemble measures of every network, in the order of `layer_estimates`."""


@final
@dataclass(frozen=True)
class Row:
    """One quantity: the prediction, the values at every width, and the value that is compared with the prediction.

    values, errors: what networks gave at each width, N, 2N and 4N, or the width of the prediction alone. value, error:
    these values extrapolated to infinite width; of one width, the value there. slope: that of the least-squares line in
    1/width; NaN if there is one width.

    name: that of the quantity. theory, theory_error: its predicted value, and the error of this value. slope_error: the
    standard error of the slope.

    >>> row = igb.mlp(1, "relu").simulate(networks=20, width=32, samples=20).compare().rows[-1]
    >>> row.name
    'Var(G0)'
    """

    name: str
    theory: float
    theory_error: float
    values: tuple[float, ...]
    errors: tuple[float, ...]
    value: float
    error: float
    slope: float
    slope_error: float

    @property
    def uncertainty(self) -> float:
        """Error of the difference of value and theory."""
        return float(np.hypot(self.error, self.theory_error))

    @property
    def z(self) -> float:
        """Deviation (value - theory)/uncertainty; 0 if the two are equal."""
        if self.value == self.theory:
            return 0.0
        return float(np.divide(self.value - self.theory, self.uncertainty)) if self.uncertainty else float("inf")

    def cells(self) -> tuple[str, ...]:
        """Return the cells of the printed table."""
        several = len(self.values) > 1
        pairs = [*zip(self.values, self.errors, strict=True), *[(self.value, self.error)] * several]
        slope = [f"{self.slope:.3g} ± {self.slope_error:.1g}"] * several
        return (self.name, f"{self.theory:.6g}", *(f"{v:.6g} ± {e:.1g}" for v, e in pairs), f"{self.z:+.2f}", *slope)


def rows(ensembles: tuple[Ensemble, ...], weights: NDArray[np.float64], expected: LayerEstimates) -> tuple[Row, ...]:
    """Return the rows of var_mu and var_chi after every Dense, of gamma at the output, and of Var(G0).

    weights: of the ensembles in the value that is compared; gamma is a ratio of weighted means: see `extrapolation`.
    """
    moments, squares, ties = (np.stack([getattr(e, name) for e in ensembles]) for name in MEASURED)
    layers = [*(ensemble.per_layer for ensemble in ensembles), layer_estimates(moments, weights, squares, ties)]
    scale, last = expected.var_mu + expected.var_chi, len(expected.var_mu) - 1
    places = [(f"{name}[{i}]", name, i, scale[i]) for i in range(last + 1) for name in ("var_mu", "var_chi")]
    places += [
        (f"gamma[{last}]", "gamma", last, (1 + float(expected.gamma[last])) ** 2),
        ("Var(G0)", "var_g0", last, 1),
    ]
    compared = []
    for shown, name, i, size in places:
        value, error = (float(getattr(expected, part)[i]) for part in (name, f"{name}_error"))
        pairs = [(getattr(part, name)[i], getattr(part, f"{name}_error")[i]) for part in layers]
        compared.append(_row(shown, value, error, pairs, RESOLUTION * size, ensembles[0].width))
    return tuple(compared)


def _row(
    name: str, theory: float, theory_error: float, estimates: list[tuple[Any, Any]], floor: float, width: int
) -> Row:
    *values, value = (float(v) for v, _ in estimates)
    *errors, error = (float(np.hypot(e, floor)) for _, e in estimates)
    slope = slope_error = float("nan")
    if len(values) > 1:
        with np.errstate(invalid="ignore"):  # gamma may be infinite at every width and then has no slope
            slope, slope_error = width * float(SLOPE @ values), width * float(np.sqrt(SLOPE**2 @ np.square(errors)))
    return Row(name, theory, theory_error, tuple(values), tuple(errors), value, error, slope, slope_error)
