"""The law of the count of guesses among D data, beside scipy.integrate.quad for one count at a time."""

from functools import partial

import numpy as np
from scipy import integrate, stats
from timing import seconds, show

import igbtheory as igb

D = 10_000
GAMMA = 2.0
COUNTS = (0, 10, 3000, 5000)


def plain(k: int) -> float:
    """Probability of k by adaptive quadrature of the mixture of binomials."""

    def integrand(u: float) -> float:
        return float(stats.binom.pmf(k, D, stats.norm.cdf(np.sqrt(GAMMA) * u)) * stats.norm.pdf(u))

    return float(integrate.quad(integrand, -9, 9, limit=500)[0])


def main() -> None:
    """Times for each count, and whether the two agree."""
    law = igb.GuessLaw(GAMMA).finite(D)
    every = np.arange(D + 1)
    show(
        f"finite({D}).pmf, a count",
        seconds(partial(law.pmf, every)) / every.size,
        "scipy.integrate.quad",
        seconds(lambda: list(map(plain, COUNTS)), 1) / len(COUNTS),
    )
    for k in COUNTS:
        print(f"  k = {k}: pmf {law.pmf(k):.6g}, quad differs by {abs(plain(k) / law.pmf(k) - 1):.1g}")
    print(f"  sum over all counts less 1: {abs(law.pmf(every).sum() - 1):.1g}")
