"""Largest relative errors of one layer in double precision against 17 digits, over q and gamma."""

import warnings
from itertools import product

import numpy as np

import igbtheory as igb

CLOSED = ("linear", "relu", "leaky_relu", "erf", "gelu")
SERIES = ("tanh", "x*tanh(x)")
SOFTSIGN = "x/(1 + abs(x))"
TABLES = ("where(x > 1, 1, where(x < -1, -1, x))", "where(x > 0, x, exp(x) - 1)", SOFTSIGN)
PANELS = (SOFTSIGN,)
GAMMA = (1e-6, 1.0, 1e12)
DIGITS = 17


def errors(activation: str, q: float, gamma: float) -> tuple[float, float]:
    """Relative error of var_mu and var_chi after phi, whichever is larger, and the estimate that came with it.

    The Dense before phi makes them: sigma_w2 = 1, inputs N(shift, variance).
    """
    net = igb.Network(igb.Dense(1.0), igb.Activation(activation), igb.Dense(1.0))
    inputs = igb.GaussianInputs(shift=float(np.sqrt(q * gamma / (1 + gamma))), variance=float(q / (1 + gamma)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", igb.AccuracyWarning)
        got, exact = net.predict(inputs), net.predict(inputs, digits=DIGITS)
    found = []
    for name in ("var_mu", "var_chi"):
        value, true = getattr(got, name), getattr(exact, name)
        found.append(float(abs(value - true) / true))
    return max(found), float(got.error)


def main() -> None:
    """One line an activation: its largest error over the grid, and the estimate at that point."""
    # the reference of a formula without closed form takes seconds a point, and minutes at large q
    grids = (
        (CLOSED, "closed form", (1e-6, 1.0, 1e6)),
        (SERIES, "series", (1e-6, 1.0)),
        (TABLES, "table", (1e-2, 1.0)),
        (PANELS, "panels", (1e-6,)),
    )
    for activations, method, q in grids:
        for activation in activations:
            worst = max(errors(activation, *point) for point in product(q, GAMMA))
            print(
                f"{activation} ({method}), q {q[0]:g} to {q[-1]:g}: largest relative error {worst[0]:.1g}, "
                f"estimated there {worst[1]:.1g}",
                flush=True,
            )
