"""A 50 x 50 grid of (sigma_w2, sigma_b2) for tanh to depth 100, beside a plain double Gauss-Hermite recursion."""

from typing import Any

import numpy as np
from timing import seconds, show

import igbtheory as igb

DEPTH = 100
NODES = 40
SIGMA_W2 = np.linspace(0.5, 4, 50)[:, None]
SIGMA_B2 = np.linspace(0, 0.3, 50)


def plain() -> Any:
    """Gamma from the recursion of q_aa and q_ab with one fixed rule, and var_chi = q_aa - q_ab."""
    z, weights = np.polynomial.hermite_e.hermegauss(NODES)
    weights = weights / weights.sum()
    w, b = (part.ravel() for part in np.broadcast_arrays(SIGMA_W2, SIGMA_B2))
    var_mu, var_chi = b, w
    with np.errstate(invalid="ignore", divide="ignore"):
        for _ in range(DEPTH):
            u = np.sqrt(var_mu)[:, None] * z
            phi = np.tanh(u[:, :, None] + np.sqrt(var_chi)[:, None, None] * z)
            q_ab = (phi @ weights) ** 2 @ weights
            q_aa = phi**2 @ weights @ weights
            var_mu, var_chi = w * q_ab + b, w * (q_aa - q_ab)
        return (var_mu / var_chi).reshape(SIGMA_W2.size, SIGMA_B2.size)


def main() -> None:
    """Times of both, and their errors against 20 digits at three corners and against each other on the grid."""
    net = igb.mlp(DEPTH, "tanh", sigma_w2=SIGMA_W2, sigma_b2=SIGMA_B2)
    show(
        f"tanh, 50 x 50, depth {DEPTH}",
        seconds(net.predict),
        f"Gauss-Hermite {NODES} x {NODES}",
        seconds(plain, 1),
    )
    ours, theirs = net.predict().gamma, plain()
    for i, j in ((0, -1), (25, 7), (-1, -1)):
        one = igb.mlp(DEPTH, "tanh", sigma_w2=float(SIGMA_W2[i, 0]), sigma_b2=float(SIGMA_B2[j]))
        exact = float(one.predict(digits=20).gamma)
        errors = (abs(gamma[i, j] / exact - 1) for gamma in (ours, theirs))
        print("  gamma {:.6g}: relative errors {:.1g} (igbtheory), {:.1g} (plain)".format(exact, *errors))
    random = ours > 0
    near = np.abs(theirs[random] / ours[random] - 1) <= 1e-8
    print(f"  the plain recursion agrees to 1e-8 at {near.mean():.1%} of the points with gamma > 0")
