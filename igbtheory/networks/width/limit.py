"""Infinite width from drawn networks: of images and sequences whose exact kernel is too large."""

from collections.abc import Sequence

import numpy as np

from igbtheory.foundations.progress import counted
from igbtheory.layers.chain import entering
from igbtheory.layers.layer import Layer
from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.networks.simulation.extrapolation import FROM_TWO_WIDTHS
from igbtheory.networks.width.cases import DataCase, drawn_moments
from igbtheory.networks.width.chain import Array
from igbtheory.networks.width.pairs import estimated
from igbtheory.networks.width.widths import units_made, units_read
from igbtheory.theory.prediction import PerLayer, Prediction

USUAL = 64
"""Width of networks that were not read from a model, which has widths of its own."""
LEAST, MOST, NUMBERS = 16, 1000, 10**9
"""Number of networks of each width: at least, at most, and else with so many numbers in all, about ten seconds."""


def in_the_limit(layers: tuple[Layer, ...], data: Array, widths: Sequence[int]) -> Prediction:
    """Return the prediction, whose errors are standard errors.

    widths: those of the small networks, as in `at_width`, or () for a usual one.
    """
    x = entering(layers, data)
    small = units_read(layers, widths or USUAL)
    cases = []
    for factor in (1, 2):
        made, _ = units_made(layers, [factor * width for width in small], None)
        cases.append(DataCase(layers, x, (x.shape[1], *made)))
    numbers = sum(case.drawn("float32").numbers for case in cases)
    count = int(np.clip(NUMBERS // numbers, LEAST, MOST))
    seeds = np.random.SeedSequence(0).spawn(3)
    pairs = counted(zip(cases, seeds, strict=False), len(cases))
    moments = np.stack([drawn_moments(case, "float32", count, seed) for case, seed in pairs])
    rows = estimated(moments, FROM_TWO_WIDTHS)
    total = rows.var_mu + rows.var_chi
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.maximum(rows.var_mu_error / total, rows.var_chi_error / rows.var_chi)
    variance, outputs = rows.var_g0, cases[1].outputs(rows, seeds[2])
    per_layer = PerLayer(FLOAT64, rows.var_mu, rows.var_chi, error, rows.var_mu, variance, rows.var_g0_error)
    text = f"{min(small)} to {max(small)}" if len({*small}) > 1 else str(small[0])
    drawn = f"{count} networks of width {text}, and {count} of twice this width, extrapolated"
    method = f"{drawn}: the exact kernel is too large"
    return Prediction(per_layer, outputs, layers=layers, inputs=data, method=method)
