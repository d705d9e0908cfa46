"""Where you place the norm, appendix F, lemma F.1: mean and variance of a rectified Gaussian under scaling.

X ~ N(mu, sigma^2). Two antiderivatives do all the work, with Phi and phi taken at (y - mu)/sigma:

    int y   N(y; mu, sigma^2) dy = mu Phi - sigma phi,
    int y^2 N(y; mu, sigma^2) dy = (mu^2 + sigma^2) Phi - sigma (y + mu) phi.

Between 0 and infinity they give E ReLU(X) and E ReLU(X)^2. ReLU(alpha x) = alpha ReLU(x) for alpha >= 0 only; for
alpha < 0 it is |alpha| ReLU(-x), a function of the other half of the law.
"""

from collections.abc import Iterator
from typing import Any

import mpmath as mp
import numpy as np
import sympy as sp

from igbtheory.claims import Finding, Section, Trial, agree, identity, measured

SECTION = Section("Where you place the norm, appendix F: lemma F.1, rectified Gaussians under scaling")

mu, y = sp.symbols("mu y", real=True)
sigma, alpha = sp.symbols("sigma alpha", positive=True)


def _phi(point: Any) -> Any:
    """Standard Gaussian density."""
    return sp.exp(-(point**2) / 2) / sp.sqrt(2 * sp.pi)


def _cdf(point: Any) -> Any:
    """Phi, the Gaussian distribution function."""
    return (1 + sp.erf(point / sp.sqrt(2))) / 2


def _first(centre: Any, deviation: Any) -> Any:
    """E ReLU(X), Eq. 85."""
    ratio = centre / deviation
    return centre * (1 - _cdf(-ratio)) + deviation * _phi(ratio)


def _second(centre: Any, deviation: Any) -> Any:
    """E ReLU(X)^2, the first two terms of Eq. 86."""
    ratio = centre / deviation
    return (centre**2 + deviation**2) * (1 - _cdf(-ratio)) + centre * deviation * _phi(ratio)


def _spread(centre: Any, deviation: Any) -> Any:
    """Var ReLU(X), Eq. 86."""
    return _second(centre, deviation) - _first(centre, deviation) ** 2


def _by_quadrature(factor: Any, centre: Any, deviation: Any) -> tuple[Any, Any]:
    """Mean and variance of ReLU(factor X), integrated over X between its kink and its tails."""
    cuts = sorted({*(centre + k * deviation for k in (-14, -5, 0, 5, 14)), mp.mpf(0)})

    def expected(power: int) -> Any:
        return mp.quad(lambda x: max(factor * x, 0) ** power * mp.npdf(x, centre, deviation), cuts)

    first = expected(1)
    return first, expected(2) - first**2


def _numbers() -> tuple[Any, Any]:
    return mp.mpf("0.6"), mp.mpf("1.1")


@SECTION.fails(
    "E-LemF.1 / Eq83",
    "E ReLU(alpha X) = alpha E ReLU(X) for every real alpha",
    printed=r"E[\mathrm{ReLU}(\alpha X)] = \alpha E[\mathrm{ReLU}(X)], \quad \alpha \in \mathbb{R}",
    assumes="X ~ N(mu, sigma^2)",
    counter_example="""
from math import pi, sqrt
# alpha = -1, X ~ N(0, 1): -X has the law of X, so the left side is E ReLU(X) = 1/sqrt(2 pi) > 0; the right side is < 0
left, right = 1 / sqrt(2 * pi), -1 / sqrt(2 * pi)
assert left > 0 > right
import numpy as np
x = np.random.default_rng(0).standard_normal(1000)
assert np.maximum(-1 * x, 0).mean() > 0 > -1 * np.maximum(x, 0).mean()
""",
)
def mean_for_any_factor() -> Iterator[Finding]:
    """ReLU is nowhere negative, so its mean cannot change sign with alpha."""
    with mp.workdps(30):
        m, s = _numbers()
        for factor in (2, -2):
            direct, base = _by_quadrature(factor, m, s)[0], _by_quadrature(1, m, s)[0]
            yield agree(f"alpha = {factor}, mu = 0.6, sigma = 1.1", direct, factor * base, 20)
    yield identity("alpha = -1, mu = 0", _first(0, sigma), -_first(0, sigma))


@SECTION.corrects(
    "E-LemF.1 / Eq83",
    "E ReLU(alpha X) = alpha E ReLU(X) for alpha >= 0; for alpha < 0 it is |alpha| E ReLU(-X)",
    right=r"E[\mathrm{ReLU}(\alpha X)] = |\alpha| E[\mathrm{ReLU}(\mathrm{sgn}(\alpha) X)]",
    assumes="X ~ N(mu, sigma^2); LayerNorm divides by a standard deviation, so alpha > 0 is all that is used",
)
def mean_by_sign() -> Iterator[Finding]:
    """max(alpha x, 0) = alpha max(x, 0) for alpha >= 0: no property of the Gaussian enters."""
    yield identity("alpha > 0", _first(alpha * mu, alpha * sigma), alpha * _first(mu, sigma))
    with mp.workdps(30):
        m, s = _numbers()
        for factor, centre in ((2, m), (-2, -m), (mp.mpf("-0.5"), -m)):
            direct = _by_quadrature(factor, m, s)[0]
            yield agree(f"alpha = {mp.nstr(factor)}", direct, abs(factor) * _by_quadrature(1, centre, s)[0], 25)


@SECTION.fails(
    "E-Eq84",
    "Var ReLU(alpha X) = alpha^2 Var ReLU(X) for every real alpha",
    printed=r"\mathrm{Var}[\mathrm{ReLU}(\alpha X)] = \alpha^2 \mathrm{Var}[\mathrm{ReLU}(X)], "
    r"\quad \alpha \in \mathbb{R}",
    counter_example="""
import numpy as np
# alpha = -1, X ~ N(5, 1): ReLU(-X) is almost always 0, ReLU(X) is almost always X
x = 5 + np.random.default_rng(0).standard_normal(100000)
assert np.maximum(-x, 0).var() < 1e-3
assert np.maximum(x, 0).var() > 0.9
""",
)
def variance_for_any_factor() -> Iterator[Finding]:
    """For alpha < 0 it holds at mu = 0 only, where X and -X have one law."""
    with mp.workdps(30):
        m, s = _numbers()
        base = _by_quadrature(1, m, s)[1]
        for factor in (2, -2):
            yield agree(f"alpha = {factor}, mu = 0.6", _by_quadrature(factor, m, s)[1], factor**2 * base, 20)
        centred = 4 * _by_quadrature(1, mp.mpf(0), s)[1]
        yield agree("alpha = -2, mu = 0", _by_quadrature(-2, mp.mpf(0), s)[1], centred, 20)


@SECTION.corrects(
    "E-Eq84",
    "Var ReLU(alpha X) = alpha^2 Var ReLU(X) for alpha >= 0 (or mu = 0); for alpha < 0 it is alpha^2 Var ReLU(-X)",
    right=r"\mathrm{Var}[\mathrm{ReLU}(\alpha X)] = \alpha^2 \mathrm{Var}[\mathrm{ReLU}(\mathrm{sgn}(\alpha) X)]",
)
def variance_by_sign() -> Iterator[Finding]:
    """As for the mean."""
    yield identity("alpha > 0", _spread(alpha * mu, alpha * sigma), alpha**2 * _spread(mu, sigma))
    with mp.workdps(30):
        m, s = _numbers()
        for factor, centre in ((2, m), (-2, -m)):
            direct = _by_quadrature(factor, m, s)[1]
            yield agree(f"alpha = {factor}", direct, factor**2 * _by_quadrature(1, centre, s)[1], 25)


@SECTION.holds(
    "E-Eq85",
    "E ReLU(X) = mu [1 - Phi(-mu/sigma)] + sigma/sqrt(2 pi) exp(-mu^2/(2 sigma^2)) = mu Phi(mu/sigma) + sigma "
    "phi(mu/sigma)",
    printed=r"E[\mathrm{ReLU}(X)] = \mu \Phi(\mu/\sigma) + \sigma \varphi(\mu/\sigma)",
    assumes="X ~ N(mu, sigma^2)",
)
def mean_of_the_rectified(trial: Trial) -> Iterator[Finding]:
    """The antiderivative mu Phi - sigma phi between 0 and infinity."""
    u = (y - mu) / sigma
    inside = mu * _cdf(u) - sigma * _phi(u)
    yield identity("its derivative", sp.diff(inside, y), y * _phi(u) / sigma)
    yield identity("its value at infinity less that at 0", mu - inside.subs(y, 0), _first(mu, sigma))
    yield identity("1 - Phi(-x) = Phi(x)", 1 - _cdf(-y), _cdf(y))
    with mp.workdps(40):
        m, s = _numbers()
        closed = m * mp.ncdf(m / s) + s * mp.npdf(m / s)
        yield agree("mu = 0.6, sigma = 1.1 by quadrature", _by_quadrature(1, m, s)[0], closed, 30)
    draws = np.maximum(0.6 + 1.1 * trial.rng.standard_normal(trial.draws(400_000)), 0)
    error = float(draws.std() / np.sqrt(draws.size))
    yield measured(trial, "drawn", float(draws.mean()), error, float(closed), against=0.6)


@SECTION.holds(
    "E-Eq86",
    "Var ReLU(X) = (mu^2 + sigma^2)[1 - Phi(-mu/sigma)] + mu sigma/sqrt(2 pi) exp(-mu^2/(2 sigma^2)) - (E ReLU(X))^2",
    printed=r"\mathrm{Var}[\mathrm{ReLU}(X)] = (\mu^2 + \sigma^2) [1 - \Phi(-\mu/\sigma)] + "
    r"\frac{\mu\sigma}{\sqrt{2\pi}} e^{-\mu^2/(2\sigma^2)} - E[\mathrm{ReLU}(X)]^2",
    assumes="X ~ N(mu, sigma^2)",
)
def variance_of_the_rectified() -> Iterator[Finding]:
    """The antiderivative (mu^2 + sigma^2) Phi - sigma (y + mu) phi between 0 and infinity."""
    u = (y - mu) / sigma
    inside = (mu**2 + sigma**2) * _cdf(u) - sigma * (y + mu) * _phi(u)
    yield identity("its derivative", sp.diff(inside, y), y**2 * _phi(u) / sigma)
    yield identity("its value at infinity less that at 0", mu**2 + sigma**2 - inside.subs(y, 0), _second(mu, sigma))
    yield identity("mu = 0: Eq. 73", _spread(0, sigma), sigma**2 / 2 * (1 - 1 / sp.pi))
    with mp.workdps(40):
        for centre in ("0.6", "-0.8"):
            m, s = mp.mpf(centre), mp.mpf("1.1")
            first = m * mp.ncdf(m / s) + s * mp.npdf(m / s)
            closed = (m**2 + s**2) * mp.ncdf(m / s) + m * s * mp.npdf(m / s) - first**2
            yield agree(f"mu = {centre}, sigma = 1.1 by quadrature", _by_quadrature(1, m, s)[1], closed, 30)


@SECTION.fails(
    "E-Eq87",
    "E ReLU(Y) = |alpha| [ (alpha/|alpha|) mu (1 - Phi(-alpha mu/(|alpha| sigma))) + (|alpha| sigma/sqrt(2 pi)) "
    "exp(-alpha^2 mu^2/(2 alpha^2 sigma^2)) ], Y = alpha X",
    printed=r"E[\mathrm{ReLU}(Y)] = |\alpha| \left[ \frac{\alpha}{|\alpha|} \mu \left(1 - "
    r"\Phi\left(-\frac{\alpha\mu}{|\alpha|\sigma}\right)\right) + \frac{|\alpha|\sigma}{\sqrt{2\pi}} "
    r"e^{-\alpha^2\mu^2/(2\alpha^2\sigma^2)} \right]",
    counter_example="""
from math import isclose, pi, sqrt
# alpha = 2, mu = 0, sigma = 1: Y ~ N(0, 4) and E ReLU(Y) = 2/sqrt(2 pi); printed: 2 [0 + 2/sqrt(2 pi)]
assert not isclose(2 * (2 / sqrt(2 * pi)), 2 / sqrt(2 * pi))
""",
)
def printed_mean_of_the_scaled() -> Iterator[Finding]:
    """One |alpha| too many, in front of sigma; with it the next line, Eq. 88, does not follow."""
    printed = alpha * (mu * (1 - _cdf(-mu / sigma)) + alpha * sigma * _phi(mu / sigma))
    yield identity("alpha > 0: Eq. 85 for N(alpha mu, alpha^2 sigma^2)", _first(alpha * mu, alpha * sigma), printed)
    with mp.workdps(30):
        m, s = _numbers()
        for factor in (2, -2):
            sign = mp.sign(factor)
            value = 2 * (sign * m * mp.ncdf(sign * m / s) + 2 * s * mp.npdf(m / s))
            yield agree(f"alpha = {factor}, mu = 0.6, sigma = 1.1", _by_quadrature(factor, m, s)[0], value, 20)


@SECTION.corrects(
    "E-Eq87",
    "E ReLU(Y) = |alpha| [ (alpha/|alpha|) mu (1 - Phi(-alpha mu/(|alpha| sigma))) + (sigma/sqrt(2 pi)) "
    "exp(-mu^2/(2 sigma^2)) ], for every real alpha but 0",
    right=r"E[\mathrm{ReLU}(Y)] = |\alpha| \left[ \frac{\alpha}{|\alpha|} \mu \left(1 - "
    r"\Phi\left(-\frac{\alpha\mu}{|\alpha|\sigma}\right)\right) + \frac{\sigma}{\sqrt{2\pi}} "
    r"e^{-\mu^2/(2\sigma^2)} \right]",
)
def mean_of_the_scaled() -> Iterator[Finding]:
    """Eq. 85 for N(alpha mu, alpha^2 sigma^2), whose standard deviation is |alpha| sigma."""
    for sign in (1, -1):
        bracket = sign * mu * (1 - _cdf(-sign * mu / sigma)) + sigma * _phi(mu / sigma)
        yield identity(f"sign of alpha {sign:+d}", _first(sign * alpha * mu, alpha * sigma), alpha * bracket)
    with mp.workdps(30):
        m, s = _numbers()
        for factor in (2, -2):
            sign = mp.sign(factor)
            value = 2 * (sign * m * mp.ncdf(sign * m / s) + s * mp.npdf(m / s))
            yield agree(f"alpha = {factor}, mu = 0.6, sigma = 1.1", _by_quadrature(factor, m, s)[0], value, 25)


@SECTION.fails(
    "E-Eq88-90",
    "For every real alpha the last line is alpha [mu (1 - Phi(-mu/sigma)) + sigma/sqrt(2 pi) exp(-mu^2/(2 sigma^2))] = "
    "alpha E ReLU(X), and Var ReLU(Y) = alpha^2 Var ReLU(X)",
    printed=r"E[\mathrm{ReLU}(Y)] = \alpha \left[ \mu \left(1 - \Phi\left(-\frac{\mu}{\sigma}\right)\right) + "
    r"\frac{\sigma}{\sqrt{2\pi}} e^{-\mu^2/(2\sigma^2)} \right]",
    counter_example="""
from math import erf, exp, pi, sqrt
def cdf(x): return (1 + erf(x / sqrt(2))) / 2
# alpha = -1, mu = 0.6, sigma = 1: -X ~ N(-0.6, 1)
right = -(0.6 * (1 - cdf(-0.6)) + exp(-0.18) / sqrt(2 * pi))
assert right < 0  # but a rectified variable has no negative mean
# nor is it the line before, Eq. 87, at alpha = 2: that has one factor |alpha| more in its second term
line_87 = 2 * (0.6 * (1 - cdf(-0.6)) + 2 * exp(-0.18) / sqrt(2 * pi))
line_88 = 2 * (0.6 * (1 - cdf(-0.6)) + exp(-0.18) / sqrt(2 * pi))
assert line_87 - line_88 > 0.5
""",
)
def step_for_any_factor() -> Iterator[Finding]:
    """From (87) to (88) |alpha| becomes alpha, and the argument of Phi loses the sign of alpha: true for alpha > 0.

    The surplus |alpha| of Eq. 87 is dropped in the same step: two errors that cancel for alpha > 0.
    """
    right = -alpha * (mu * (1 - _cdf(-mu / sigma)) + sigma * _phi(mu / sigma))
    yield identity("Eq. 88 for a negative factor -alpha", _first(-alpha * mu, alpha * sigma), right)
    yield identity("Eq. 90 for it", _spread(-alpha * mu, alpha * sigma), alpha**2 * _spread(mu, sigma))


@SECTION.corrects(
    "E-Eq88-90",
    "For alpha > 0: E ReLU(Y) = alpha [mu (1 - Phi(-mu/sigma)) + sigma/sqrt(2 pi) exp(-mu^2/(2 sigma^2))] = alpha E "
    "ReLU(X), and Var ReLU(Y) = alpha^2 Var ReLU(X)",
    assumes="alpha > 0",
)
def step_for_a_positive_factor() -> Iterator[Finding]:
    """From the corrected Eq. 87."""
    bracket = mu * (1 - _cdf(-mu / sigma)) + sigma * _phi(mu / sigma)
    yield identity("Eq. 88", _first(alpha * mu, alpha * sigma), alpha * bracket)
    yield identity("Eq. 90", _spread(alpha * mu, alpha * sigma), alpha**2 * _spread(mu, sigma))
    with mp.workdps(30):
        m, s = _numbers()
        factor = mp.mpf("0.7")
        direct, base = _by_quadrature(factor, m, s), _by_quadrature(1, m, s)
        yield agree("mean, alpha = 0.7", direct[0], factor * base[0], 25)
        yield agree("variance, alpha = 0.7", direct[1], factor**2 * base[1], 25)
