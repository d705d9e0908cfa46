"""Compare igbtheory with plain programs that compute the same numbers: python benchmarks/speed.py [NAME ...].

A line of a case shows both times and their ratio, and how many of the numbers agree to 1e-8.
"""

import math
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import integrate, stats

import igbtheory as igb

ENOUGH = 1.0
"""Seconds after which a call is not repeated."""
AGREE = 1e-8
"""Relative difference up to which two numbers agree."""
SIGMA_W2, SIGMA_B2 = np.linspace(0.5, 4, 50)[:, None], np.linspace(0, 0.3, 50)
NETWORKS, WIDTH, SAMPLES = 16, 1000, 1000


def relu_loop() -> float:
    """Return gamma of ReLU at depth 1000 from a loop over the correlation c."""
    c = 0.0
    for _ in range(1000):
        c = (math.sqrt(1 - c * c) + (math.pi - math.acos(c)) * c) / math.pi
    return c / (1 - c)


def gauss_hermite() -> Any:
    """Return gamma of tanh at depth 100 on the grid of variances, from 40 x 40 nodes and q_aa - q_ab."""
    z, weights = np.polynomial.hermite_e.hermegauss(40)
    weights = weights / weights.sum()
    w, b = (part.ravel() for part in np.broadcast_arrays(SIGMA_W2, SIGMA_B2))
    var_mu, var_chi = b, w
    with np.errstate(invalid="ignore", divide="ignore"):
        for _ in range(100):
            u = np.sqrt(var_mu)[:, None] * z
            phi = np.tanh(u[:, :, None] + np.sqrt(var_chi)[:, None, None] * z)
            q_ab = (phi @ weights) ** 2 @ weights
            q_aa = phi**2 @ weights @ weights
            var_mu, var_chi = w * q_ab + b, w * (q_aa - q_ab)
        return (var_mu / var_chi).reshape(SIGMA_W2.size, SIGMA_B2.size)


def double_integral() -> float:
    """Return gamma of one layer of hardtanh on inputs N(1, 1), from adaptive integrals over one and two variables."""
    var_mu, q = 2.0, 4.0
    determinant = q * q - var_mu * var_mu

    def phi(x: float) -> float:
        return min(max(x, -1.0), 1.0)

    def one(x: float) -> float:
        return phi(x) ** 2 * math.exp(-x * x / (2 * q)) / math.sqrt(2 * math.pi * q)

    def two(x: float, y: float) -> float:
        exponent = -(q * (x * x + y * y) - 2 * var_mu * x * y) / (2 * determinant)
        return phi(x) * phi(y) * math.exp(exponent) / (2 * math.pi * math.sqrt(determinant))

    q_ab = integrate.dblquad(two, -18, 18, -18, 18)[0]
    return float(q_ab / (integrate.quad(one, -18, 18)[0] - q_ab))


def integrals_over_networks() -> list[float]:
    """Return the probabilities of some counts among 10,000 data at gamma = 2, from one adaptive integral each."""

    def integrand(u: float, count: int) -> float:
        return float(stats.binom.pmf(count, 10_000, stats.norm.cdf(math.sqrt(2) * u)) * stats.norm.pdf(u))

    return [integrate.quad(integrand, -9, 9, (count,), limit=500)[0] for count in (10, 3000, 5000)]


def double_precision_networks() -> None:
    """Draw ReLU networks one after the other, in double precision, and count their guesses."""
    rng = np.random.default_rng(0)
    for _ in range(NETWORKS):
        x = rng.standard_normal((SAMPLES, WIDTH))
        for _ in range(3):
            x = np.maximum(x @ (rng.standard_normal((WIDTH, WIDTH)) * np.sqrt(2 / WIDTH)), 0)
        outputs = x @ rng.standard_normal((WIDTH, 2))
        (outputs[:, 0] > outputs[:, 1]).mean()


def networks() -> None:
    """Draw the same networks with `simulate`, which measures all layers besides."""
    igb.mlp(3, "relu").simulate(NETWORKS, WIDTH, SAMPLES)


def process(*arguments: str) -> None:
    """Run this Python with the arguments."""
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - constants


CASES: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "relu": (lambda: igb.mlp(1000, "relu").predict().gamma, relu_loop),
    "tanh grid": (
        lambda: igb.mlp(100, "tanh", sigma_w2=SIGMA_W2, sigma_b2=SIGMA_B2).predict().gamma,
        gauss_hermite,
    ),
    "hardtanh": (lambda: igb.mlp(1, "hardtanh").predict(igb.GaussianInputs(shift=1.0)).gamma, double_integral),
    "counts": (lambda: igb.GuessLaw(2.0).finite(10_000).pmf(np.array([10, 3000, 5000])), integrals_over_networks),
    "networks": (networks, double_precision_networks),
    "process": (lambda: process("-m", "igbtheory", "predict"), lambda: process("-c", "import numpy, scipy.special")),
}
"""For each name, a call of igbtheory and the plain program."""


def timed(function: Callable[[], Any]) -> tuple[float, Any]:
    """Return the shortest time of a call, because other work on the machine only adds to it, and its result."""
    times: list[float] = []
    while len(times) < 2 or sum(times) < ENOUGH:  # the first call loads modules
        start = time.perf_counter()
        found = function()
        times.append(time.perf_counter() - start)
    return min(times), found


def main(names: list[str]) -> None:
    """Print a line for each case."""
    for name in names or CASES:
        (ours, value), (theirs, other) = map(timed, CASES[name])
        line = f"{name:9}  igbtheory {ours:8.2g} s   plain {theirs:8.2g} s   ratio {theirs / ours:8.3g}"
        if value is not None:
            biased = np.asarray(value) != 0
            agree = np.isclose(np.asarray(other)[biased], np.asarray(value)[biased], rtol=AGREE, atol=0)
            line += f"   {agree.mean():.0%} agree"
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
