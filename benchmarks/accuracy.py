"""Largest relative errors of one layer in double precision against 25 digits, over q and gamma."""

import warnings

import numpy as np

import igbtheory as igb

ACTIVATIONS = {
    "linear": "closed form",
    "relu": "closed form",
    "leaky_relu": "closed form",
    "erf": "closed form",
    "gelu": "closed form",
    "tanh": "Hermite series",
    "x*tanh(x)": "Hermite series",
    "where(x > 1, 1, where(x < -1, -1, x))": "panels",
    "where(x > 0, x, exp(x) - 1)": "panels",
}
Q = (1e-6, 1e-2, 1.0, 1e2, 1e6)
GAMMA = (0.0, 1e-6, 1.0, 1e6, 1e12)


def errors(activation: str, q: float, gamma: float) -> tuple[float, float]:
    """Relative error of var_mu and var_chi after phi, whichever is larger, and the estimate that came with it.

    The Dense before phi makes them: sigma_w2 = 1, inputs N(shift, variance).
    """
    net = igb.Network(igb.Dense(1.0), igb.Activation(activation), igb.Dense(1.0))
    inputs = igb.GaussianInputs(shift=float(np.sqrt(q * gamma / (1 + gamma))), variance=float(q / (1 + gamma)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", igb.AccuracyWarning)
        got, exact = net.predict(inputs), net.predict(inputs, digits=25)
    found = []
    for name in ("var_mu", "var_chi"):
        value, true = getattr(got, name), getattr(exact, name)
        found.append(float(abs(value - true) / true) if true else float(abs(value)))
    return max(found), float(got.error)


def main() -> None:
    """One line an activation: its method, its largest error and its largest estimate over the grid."""
    for activation, method in ACTIVATIONS.items():
        worst = max(errors(activation, q, gamma) for q in Q for gamma in GAMMA)
        print(f"{activation} ({method}): largest relative error {worst[0]:.1g}, estimated there {worst[1]:.1g}")
