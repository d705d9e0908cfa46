"""Comparison of two architectures: the ratio of their gammas."""

from dataclasses import asdict, dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq
from scipy.special import chdtrc, chdtri, fdtr, fdtrc, fdtri

from igbtheory.inference.gamma import GammaEstimate, checked_level, interval
from igbtheory.inference.infinite_data import Scores
from igbtheory.inference.several_classes import Votes
from igbtheory.inference.several_classes_ratio import WIDE, log_ratios
from igbtheory.inference.two_classes import Counts

Array = NDArray[np.float64]
STEP = 0.2
"""Step of the logarithm of gamma at which likelihoods are computed; between, a spline."""
FINE = 0.02
"""Step of the logarithm at which their sum is maximised, of one network."""
FAR = 100.0
"""Logarithm of a ratio that counts as 0 or infinite."""


@final
@dataclass(frozen=True)
class GammaComparison:
    """Ratio of the gamma of a first architecture to that of a second one, its interval, and a test of equality.

    The interval (low, high) contains the ratio with the probability `level`. statistic: the ratio itself and its F law
    among infinitely many data and of several classes counted, else twice the logarithm of the likelihood ratio.
    ratio: NaN where both are 0 or inf.
    """

    ratio: float
    low: float
    high: float
    level: float
    statistic: float
    pvalue: float

    def to_dict(self) -> dict[str, float]:
        """Return the fields by their names."""
        return asdict(self)

    def __str__(self) -> str:
        ratio = interval(self.ratio, self.low, self.high, self.level)
        return f"ratio of the gammas   {ratio}\ntest that it is 1     p = {self.pvalue:.3g}"


def compare(first: GammaEstimate, second: GammaEstimate, *, level: float = 0.95) -> GammaComparison:
    """Compare two estimates of `infer`, of independent networks.

    Infinitely many data: exact, the ratio of two mean squares over gamma1/gamma2 has an F law. Two classes, D data:
    likelihood ratio, scaled by its mean for two normal variances. M classes, D data: from the coincidences of both, by
    simulation, p-values from 0.001 on. ValueError: two estimates of different kinds.
    """
    for one in (first, second):
        if not isinstance(one, GammaEstimate):
            raise TypeError(f"expected two estimates of igbtheory.infer, got {type(one).__name__}")
    level = checked_level(level)
    match first.observed, second.observed:
        case Scores() as a, Scores() as b:
            return _of_scores(a, b, level)
        case Counts() as a, Counts() as b:
            return _of_counts(a, b, level)
        case Votes() as a, Votes() as b:
            return _of_votes(a, b, level)
    raise ValueError(
        "expected two estimates of the same kind, both without D, or both of two classes or of more with D, got "
        f"{first.observed.kind} and {second.observed.kind}"
    )


def _of_scores(a: Scores, b: Scores, level: float) -> GammaComparison:
    m, n = a.values.size, b.values.size
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = float(np.divide(a.estimate(), b.estimate()))
    tail = (1 - level) / 2
    pvalue = min(1.0, 2 * float(min(fdtr(m, n, ratio), fdtrc(m, n, ratio))))
    low, high = (float(ratio / fdtri(m, n, p)) for p in (1 - tail, tail))
    return GammaComparison(ratio, low, high, level, ratio, pvalue)


def _of_counts(a: Counts, b: Counts, level: float) -> GammaComparison:
    profile = _Profile.of(a, b)
    first, second = a.estimate(), b.estimate()
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = float(np.divide(first, second))
    centre = 0.0 if np.isnan(ratio) else float(np.clip(np.log(max(ratio, 1e-300)), -FAR / 2, FAR / 2))
    highest = profile(centre)
    # twice the logarithm of the ratio of likelihoods of two normal variances has this mean
    scale = 1 + (1 / a.networks + 1 / b.networks - 1 / (a.networks + b.networks)) / 3
    statistic = max(0.0, 2 * (highest - profile(0.0)))
    allowed = highest - 0.5 * scale * float(chdtri(1, 1 - level))
    low, high = (_end(profile, centre, side, allowed) for side in (-1, 1))
    return GammaComparison(ratio, low, high, level, statistic, float(chdtrc(1, statistic / scale)))


def _of_votes(a: Votes, b: Votes, level: float) -> GammaComparison:
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = float(np.divide(a.estimate(), b.estimate()))
    smallest, largest = log_ratios(a, b)
    tail = (1 - level) / 2
    low, high = (
        float(np.exp(np.quantile(logs, p, method="nearest"))) for logs, p in ((smallest, tail), (largest, 1 - tail))
    )
    pvalue = 2 * min(np.mean(smallest <= 0), np.mean(largest >= 0))
    return GammaComparison(ratio, low, high, level, ratio, float(np.clip(pvalue, 1 - WIDE, 1.0)))


@final
@dataclass(frozen=True)
class _Profile:
    """Largest log-likelihood of gamma_1 = r gamma_2, as a function of log r.

    splines: of both log-likelihoods over `x` = log gamma, a lattice at whose ends both are flat.
    """

    splines: tuple[CubicSpline, CubicSpline]
    x: Array

    @classmethod
    def of(cls, a: Counts, b: Counts) -> "_Profile":
        low = np.log(min(a.range[0], b.range[0]))
        high = np.log(max(a.range[1], b.range[1]))
        x = np.arange(low, high + STEP, STEP)
        splines = (CubicSpline(x, a.log_likelihood(np.exp(x))), CubicSpline(x, b.log_likelihood(np.exp(x))))
        return cls(splines, np.arange(x[0], x[-1], FINE / np.sqrt(a.networks + b.networks)))

    def __call__(self, log_ratio: float) -> float:
        first, second = self.splines
        # gamma_1 = r gamma_2 or gamma_2 = gamma_1/r may stand at an end while the other moves
        both = np.concatenate([self.x, self.x - log_ratio])
        clipped = (np.clip(part, self.x[0], self.x[-1]) for part in (both + log_ratio, both))
        return float(np.max(sum(spline(part) for spline, part in zip((first, second), clipped, strict=True))))


def _end(profile: _Profile, centre: float, side: int, allowed: float) -> float:
    """Return the end of the interval of the ratio on one side of its estimate."""
    far = side * FAR
    if profile(far) >= allowed:
        return 0.0 if side < 0 else np.inf
    return float(np.exp(brentq(lambda x: profile(x) - allowed, centre, far, xtol=1e-9)))
