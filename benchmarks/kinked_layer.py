"""One hidden layer of a formula with kinks (hardtanh), beside scipy.integrate.dblquad."""

import math
from typing import Any

from scipy import integrate
from timing import seconds, show

import igbtheory as igb

FORMULA = "where(x > 1, 1, where(x < -1, -1, x))"
SHIFT = 1.0
SIGMA_W2 = 2.0


def ours(digits: int | None = None) -> Any:
    """Gamma after one hidden layer, on inputs N(1, 1)."""
    net = igb.mlp(1, FORMULA, sigma_w2=SIGMA_W2)
    return net.predict(igb.GaussianInputs(shift=SHIFT), digits=digits).gamma


def plain() -> float:
    """Gamma from q_aa, one integral, and q_ab, a double one over the joint density of a pair; default tolerances."""
    var_mu = SIGMA_W2 * SHIFT**2
    q = var_mu + SIGMA_W2
    c, width = var_mu / q, 9 * math.sqrt(q)
    determinant = q * q * (1 - c * c)

    def phi(x: float) -> float:
        return min(max(x, -1.0), 1.0)

    def square(x: float) -> float:
        return phi(x) ** 2 * math.exp(-x * x / (2 * q)) / math.sqrt(2 * math.pi * q)

    def pair(x: float, y: float) -> float:
        exponent = -q * (x * x + y * y - 2 * c * x * y) / (2 * determinant)
        return phi(x) * phi(y) * math.exp(exponent) / (2 * math.pi * math.sqrt(determinant))

    q_aa = integrate.quad(square, -width, width)[0]
    q_ab = integrate.dblquad(pair, -width, width, -width, width)[0]
    return q_ab / (q_aa - q_ab)


def main() -> None:
    """Times of both, and their errors against 20 digits."""
    show("hardtanh, one hidden layer", seconds(ours), "scipy.integrate.dblquad", seconds(plain, 1))
    exact = float(ours(20))
    errors = (abs(gamma / exact - 1) for gamma in (ours(), plain()))
    print("  gamma {:.6g}: relative errors {:.1g} (igbtheory), {:.1g} (dblquad)".format(exact, *errors))
