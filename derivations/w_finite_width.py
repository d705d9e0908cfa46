"""Finite width: guesses depend on directions only, and what layers of finite width do to the angle of two data.

Claims of this package, whose page on finite width states them. A ReLU layer of width N at a small angle theta: n of its
units are active, n ~ Binomial(N, 1/2). On them the data are z and z + theta w with independent normal z and w, so that

    |h'|^2 = |h|^2 (2/N) chi^2_n,      theta'^2 = theta^2 chi^2_(n-1)/chi^2_n

exactly. chi^2_n is |z|^2 in both; chi^2_(n-1) is the square of the part of w across z, which is independent of z.
"""

from typing import Any

import numpy as np
import sympy as sp
from scipy.special import gammaln
from scipy.stats import binom

import igbtheory as igb
from igbtheory.claims import (
    Findings,
    Section,
    Trial,
    agree,
    equation,
    identity,
    measured,
    settings,
    shown,
    value_of,
    worded,
)
from igbtheory.claims.gaussians import kappa_1, mean_of_polynomial
from igbtheory.claims.simulated import fractions, hidden_units, mean_with_error, variance_of_guesses
from igbtheory.networks.width.expansion import expand

SECTION = Section("Finite width: the theory of this package", "W")
PAGE = "page on finite width"

N, n = sp.symbols("N n", positive=True)
p, r, theta, depth = sp.symbols(r"p r \theta L", positive=True)
u, z_a, z_b = sp.symbols("u z_a z_b", real=True)
E_W, VAR = sp.Function(r"E_W"), sp.Function(r"\mathrm{Var}_W")
G0, ARCSINE, LENGTH, LENGTH_AFTER, AFTER = sp.symbols(r"G_0 A |h| |h'| \theta'", positive=True)
RISE, FALL = sp.symbols(r"R \delta", positive=True)
NETWORK, DATUM, PAIR, WHOLE = sp.symbols(r"v_W v_a v_{ab} v", positive=True)


def chi2_moment(degrees: Any, power: Any) -> Any:
    """Return E (chi^2)^power."""
    return 2**power * sp.gamma(degrees / 2 + power) / sp.gamma(degrees / 2)


def factor(width: int, power: float, of_norm: float) -> float:
    """Return the factor of E |h|^(2 r) theta^p of a layer, without the few networks in which it is infinite or 0."""
    active = np.arange(max(2, int(power - 2 * of_norm) + 1), width + 1)
    norms, turns = active / 2 + of_norm - power / 2, (active - 1 + power) / 2
    logs = gammaln(norms) - gammaln(active / 2) + gammaln(turns) - gammaln((active - 1) / 2)
    return float((binom.pmf(active, width, 0.5) * (4 / width) ** of_norm * np.exp(logs)).sum())


@SECTION.holds(
    "W-directions",
    "At any width guesses depend on the directions of the last-layer features only",
    printed=equation(VAR(G0), E_W(ARCSINE) / (2 * sp.pi)),
    at=PAGE,
    where="weights of the outputs are Gaussian, and data are many; A = arcsin c_ab, c_ab the cosine of the features "
    "of two data, averaged over pairs",
)
def directions(trial: Trial, stated: Any, says: str) -> Findings:
    """Given the hidden weights, the difference of the outputs is a Gaussian process over the data, and two of its
    values are both positive with the probability 1/4 + arcsin(c)/(2 pi) (Sheppard), of which E G0^2 is the mean.
    """
    c = sp.Symbol("c", positive=True)
    # the density of a pair at 0 is the derivative of the probability by c
    density = 1 / (2 * sp.pi * sp.sqrt(1 - c**2))
    rise = sp.Integral(density, (c, 0, sp.Symbol("b", positive=True)))
    scale = value_of(VAR(G0), stated).coeff(E_W(ARCSINE))
    yield identity("P(both > 0) - 1/4", rise, scale * sp.asin(sp.Symbol("b", positive=True)))
    units = hidden_units(trial.rng, (trial.draws(4000), 100, 6), depth=3)
    units = units[units.max(axis=2).min(axis=1) > 0]  # without dead networks
    expected, error = variance_of_guesses(units)
    shares = fractions(trial.rng, units, 4)
    # of D data the square of the share counts a datum with itself, which adds (1/4 - Var)/(D - 1)
    squares = ((shares - 0.5) ** 2 * 100 - 0.25) / 99
    value, more = mean_with_error(squares)
    some = units[:100]
    lengths = trial.rng.exponential(size=(*some.shape[:2], 1))
    weights = trial.rng.standard_normal((len(some), some.shape[2], 4))
    kept = [np.array_equal(some @ weights > 0, (scale * some) @ weights > 0) for scale in (lengths, 2 * lengths)]
    yield worded(says, "At {} width", "any" if all(kept) else "no")
    yield measured(trial, "ReLU of width 6: Var(G0) of drawn outputs", value, float(np.hypot(error, more)), expected)


@SECTION.holds(
    "W-angle",
    "A layer of ReLU conserves the mean of the angle between close data at any width",
    printed=equation(E_W(AFTER) / E_W(theta), 1),
    at=PAGE,
    where="theta -> 0; at least two units are active; N is the width",
)
def angle(stated: Any, says: str) -> Findings:
    """Given n active units, theta'/theta is the root of chi^2_(n-1)/chi^2_n, whose factors are independent."""
    ratio = chi2_moment(n - 1, sp.Rational(1, 2)) * chi2_moment(n, -sp.Rational(1, 2))
    yield identity("E theta'/theta for every n", sp.simplify(sp.gammasimp(ratio)), stated.rhs, of=r"E \theta'/\theta")
    means = []
    for width in (4, 30):
        alive = 1 - (1 + width) / 2**width
        means.append(factor(width, 1, 0) / alive)
        yield agree(f"N = {width}: the mean over n >= 2", means[-1], 1, 12)
    yield worded(says, "at {} width", "any" if np.allclose(means, 1, rtol=1e-12, atol=0) else "no")


@SECTION.holds(
    "W-moments",
    "The factor of moments of norms and of angles between close data in a layer of ReLU of width N",
    printed=equation(
        E_W(LENGTH_AFTER ** (2 * r) * AFTER**p) / E_W(LENGTH ** (2 * r) * theta**p),
        sp.exp((p * (p - 1) + sp.Rational(5, 2) * r * (r - 1) - 2 * p * r) / N),
    ),
    at=PAGE,
    where="theta -> 0, to first order in 1/N, at sigma_w^2 = 2 and sigma_b = 0",
)
def moments(stated: Any) -> Findings:
    """Gamma(x + a)/Gamma(x) = x^a (1 + a(a - 1)/(2x) + ...) at x = n/2 and (n - 1)/2, and E (2n/N)^r = 1 + r(r -
    1)/(2N). The second moment of |h|^2 is exact: it grows by the factor 1 + 5/N.
    """
    exponent = sp.log(stated.rhs).simplify() * N
    for power, of_norm in ((1, 0), (2, 0), (0, 2), (1, 1), (3, 2), (2, -1)):
        values = {p: power, r: of_norm}
        wide = [width * float(sp.log(_behind(stated.lhs.subs(values), width))) for width in (1000, 2000)]
        expected = float(exponent.subs(values))
        limit = 2 * wide[1] - wide[0]  # without the order 1/N
        yield shown(f"p = {power}, r = {of_norm}", abs(limit - expected) < 1e-3, f"{limit:.5f}, expected {expected:g}")
    active = N / 2, N / 4 + N**2 / 4  # E n and E n^2
    fourth = (4 / N**2) * (active[1] + 2 * active[0])
    yield identity("E |h'|^4/|h|^4", fourth, 1 + 5 / N, of=r"\frac{4}{N^2} E\,(n^2 + 2 n)")


def _behind(ratio: Any, width: int) -> Any:
    """Return a ratio of moments in which those behind a layer follow from the angle and the norm in front of it."""

    def moment(of: Any) -> Any:
        powers = of.as_powers_dict()
        turns, norms = powers[AFTER], powers[LENGTH_AFTER]
        passed = of.subs({AFTER: theta, LENGTH_AFTER: LENGTH})
        return passed * factor(width, float(turns), float(norms) / 2) if of.has(AFTER, LENGTH_AFTER) else of

    return ratio.replace(E_W, moment)


@SECTION.holds(
    "W-curvature",
    "In infinite width a layer of ReLU lowers the angle between close data by its square over 3 pi",
    printed=equation(sp.Limit((theta - AFTER) / theta**2, theta, 0), 1 / (3 * sp.pi)),
    at=PAGE,
)
def curvature(stated: Any, says: str) -> Findings:
    """With cos theta' = kappa_1(cos theta), 1 - cos theta' = theta'^2/2 + ... at small angles."""
    after = kappa_1(sp.cos(theta))
    # (theta^2 - theta'^2)/theta^3 is twice the wanted limit
    fall = 2 * (after.subs(sp.acos(sp.cos(theta)), theta) - sp.cos(theta)) / theta**3
    fall = fall.subs(sp.sqrt(1 - sp.cos(theta) ** 2), sp.sin(theta))
    yield identity("(theta^2 - theta'^2)/(2 theta^3)", sp.Limit(fall / 2, theta, 0), stated.rhs)
    deep = igb.mlp(3000).predict()
    phrase = "In {} width a layer of ReLU {} the angle between close data by its square over {} pi"
    yield worded(says, phrase, settings.width(deep), "lowers" if stated.rhs > 0 else "raises", 1 / (stated.rhs * sp.pi))
    reached = np.arccos(deep.c) * 3000
    yield agree("the angle of the package at depth L, times L", reached, 3 * sp.pi, 1.9)


@SECTION.holds(
    "W-rise",
    "In deep networks of ReLU Var(G0) rises by 1/(2N) over that of infinite width, at any depth",
    printed=(equation(FALL, -depth / (3 * N)), equation(RISE, 1 / (2 * N))),
    at=PAGE,
    where="1 << L << N; delta is the relative change of 1/4 - Var(G0), R the rise of Var(G0)",
)
def rise(stated: Any, says: str) -> Findings:
    """With the relative variance v of theta its mean falls by theta^2 (1 + v)/(3 pi) a layer. A layer adds 2/N to v
    (`moments`), and the curvature multiplies deviations by 1 - theta/(3 pi) = 1 - 1/l more than the mean: v' = v (1 -
    2/l) + 2/N, so v = 2 l/(3 N).
    """
    layer, slope = sp.Symbol("l", positive=True), sp.Symbol("s", positive=True)
    variance = slope * layer
    found = sp.solve(sp.Derivative(variance, layer).doit() + 2 * variance / layer - 2 / N, slope)[0]
    yield identity("v/l", found, sp.Rational(2, 3) / N, of=r"v/l")
    # 1/theta grows by (1 + v)/(3 pi) a layer
    inverse = sp.Integral((1 + found * layer) / (3 * sp.pi), (layer, 0, depth)).doit()
    fall, gain = (value_of(quantity, stated) for quantity in (FALL, RISE))
    change = depth / (3 * sp.pi) / inverse - 1
    yield identity("relative change of the mean angle, times N", sp.Limit(N * change, N, sp.oo), N * fall)
    angle_at_depth = sp.Limit(depth / inverse, N, sp.oo) / depth
    yield identity("rise of 1/4 - theta/(2 pi)", -angle_at_depth * fall / (2 * sp.pi), gain)
    wide, layers = 10**6, 200
    net = igb.mlp(layers)
    prediction = net.predict()
    infinite = float(np.arcsin(prediction.c) / (2 * np.pi))
    rises = wide * (expand(net.layers, [wide] * layers, igb.GaussianInputs(), wide).var_g0[-1] - infinite)
    phrase = "Var(G0) {} by {} over that of {} width, at {} depth"
    amount, free = f"1/({sp.Rational(1) / (gain * N)}N)", not gain.has(depth)
    verb = "rises" if (gain * N) > 0 else "falls"
    yield worded(says, phrase, verb, amount, settings.width(prediction), "any" if free else "no")
    yield shown("N = 1,000,000, L = 200: N times the rise", abs(rises - 0.5) < 0.05, f"{rises:.4f}, 0.5 as L grows")


@SECTION.holds(
    "W-split",
    "The variance of log(1 - c) of ReLU grows by 8/N a layer: 4 of the network, 1 of each datum and 2 of the pair",
    printed=(
        equation(NETWORK, 4 / N),
        equation(DATUM, 1 / N),
        equation(PAIR, 2 / N),
        equation(WHOLE, NETWORK + 2 * DATUM + PAIR),
    ),
    at=PAGE,
    where="c -> 1, to first order in 1/N; the parts are those of the variance that a layer adds",
)
def split(stated: Any, says: str) -> Findings:
    """At an active unit a datum is u plus a small multiple of z_a. Of log |h_a - h_b|^2 - log |h_a + h_b|^2, which is
    log(1 - c) up to a constant, a unit has the term (z_a - z_b)^2 - 2 u^2, and half of the units are active. Given u it
    is a mean, a part of each datum, z_a^2 - 1, and -2 z_a z_b of the pair.
    """
    term, given = (z_a - z_b) ** 2 - 2 * u**2, 2 - 2 * u**2
    own = z_a**2 - 1
    pair = sp.expand(term - given - own - own.subs(z_a, z_b))
    parts = [(NETWORK, given), (DATUM, own), (PAIR, pair), (WHOLE, term)]
    sizes = []
    for quantity, part in parts:
        variance = mean_of_polynomial(part**2, u, z_a, z_b) / 2 / N
        wanted = value_of(quantity, stated).subs({name: value_of(name, stated[:3]) for name, _ in parts[:3]})
        sizes.append(sp.expand(variance * N))
        yield identity(f"variance of {sp.sstr(part)}", variance, wanted, of=quantity)
    network, datum, own_pair, whole = sizes
    phrase = "{} by {}/N a layer: {} of the network, {} of each datum and {} of the pair"
    yield worded(says, phrase, "grows" if whole > 0 else "shrinks", whole, network, datum, own_pair)


@SECTION.holds(
    "W-gamma",
    "Width lowers gamma of deep networks of ReLU far more than it changes the guesses: at width 100 and depth 20 gamma "
    "is 8 where infinite width says 18, and Var(G0) is 0.202 where it says 0.199",
    at=PAGE,
    where="sigma_w^2 = 2 and sigma_b = 0, on Gaussian data of 100 features",
)
def gamma(trial: Trial, says: str) -> Findings:
    """A chain of Gram matrices of two data: given G, the units of the next layer are draws of N(0, 2 G), which uses no
    expansion.
    """
    width, layers, networks = 100, 20, trial.draws(4000)
    h = trial.rng.standard_normal((networks, 2, width))
    for _ in range(layers):
        a, b = h[:, 0], h[:, 1]
        length = np.sqrt((a * a).sum(axis=1))
        along = (a * b).sum(axis=1) / length
        across = np.sqrt(((b - (along / length)[:, None] * a) ** 2).sum(axis=1))
        first, second = trial.rng.standard_normal((2, networks, width)) * np.sqrt(2 / width)
        z = np.stack([length[:, None] * first, along[:, None] * first + across[:, None] * second], axis=1)
        h = np.maximum(z, 0)
    a, b = h[:, 0], h[:, 1]
    cosines = (a * b).sum(axis=1) / np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
    net = igb.mlp(layers)
    found, infinite = expand(net.layers, [width] * layers, igb.GaussianInputs(), width), net.predict()
    flat = np.arcsin(infinite.c) / (2 * np.pi)
    value, error = mean_with_error(np.arcsin(cosines) / (2 * np.pi))
    # chance, and the second order of the expansion
    error = float(np.hypot(error, found.error[-1] * found.var_g0[-1]))
    yield measured(trial, "Var(G0) of the chain", value, error, found.var_g0[-1])
    lowered, moved = 1 - found.gamma[-1] / infinite.gamma, abs(found.var_g0[-1] / flat - 1)
    words = (
        "lowers" if lowered > 0 else "raises",
        *(("more", "changes") if lowered > 5 * moved else ("less", "changes")),
    )
    yield worded(says, "Width {} gamma of deep networks of ReLU far {} than it {} the guesses", *words)
    phrase = "at width {} and depth {} gamma is {:.0f} where {} width says {:.0f}"
    kind = settings.width(infinite)
    yield worded(says, phrase, width, layers, found.gamma[-1], kind, infinite.gamma)
    yield worded(says, "Var(G0) is {:.3f} where it says {:.3f}", found.var_g0[-1], flat)
