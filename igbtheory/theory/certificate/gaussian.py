"""Moments of phi(h), h = mean + sqrt(var_mu) u + sqrt(var_chi) z, for any formula, with proven error bounds.

phi is set to 0 outside [low, high], where it has the norm eta. Mean and second moment are integrals over panels. With
c = var_mu/q and m(u) = E_z phi(h), the covariance is E m^2 - (E phi)^2. m is entire, even if phi has kinks, and
|m(u + iv)| <= exp(c v^2/(2 (1 - c))) E_z |phi|, so that the trapezoidal rule of step h for E m^2 errs by at most
2 exp(k d^2) E phi^2/(exp(2 pi d/h) - 1) for every d > 0, k = 1/2 + c/(1 - c) (Trefethen and Weideman 2014, Theorem 5.1;
Jensen). The operator phi -> E[phi(h_b) | h_a] does not increase norms: cutting phi off changes E m^2 by at most
eta (2 |phi| + eta).
"""

from bisect import bisect_left
from typing import Any

from flint import arb

from igbtheory.mathematics.averages.state import Moments
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.numbers.certified import Certified
from igbtheory.theory.certificate.bounds import growth
from igbtheory.theory.certificate.proven_panels import MOST, Layout, TooWideError, between, too_many
from igbtheory.theory.certificate.rules import Rule


def moments(n: Certified, phi: Function, h: Moments) -> Moments:
    """Return the moments of phi(h)."""
    mean, scale = standard(n, h, phi.name)
    low, high, eta = cut(n, phi, mean, scale)
    alike = h.var_mu.is_zero() or h.var_chi.is_zero()
    narrow = scale if alike else h.var_chi.sqrt()
    layout = Layout(n, phi.name, 4 * length(narrow, phi.name), n.bits + 10, lambda y: normal_bound(n, y, narrow))
    ends, pieces, _ = between(n, phi, low, high)
    rule = layout.rule(ends, phi.pieces.formulas[pieces])
    average, second = rule.averages(lambda x: n.npdf((x - mean) / scale) / scale, lambda y: normal_bound(n, y, scale))
    average, second = average + arb(0, eta), second + arb(0, eta * eta)
    if h.centred and phi.parity < 0:
        average = arb(0)
    total = second - average * average
    if h.var_mu.is_zero():
        return Moments(average, arb(0), total)
    if h.var_chi.is_zero():
        return Moments(average, total, arb(0))
    norm = second.abs_upper()
    most = growth(phi).at(abs(low).max(abs(high)))
    shared = _mean_square(n, rule, h, norm, most) + arb(0, (eta * (2 * norm.sqrt() + eta)).abs_upper())
    covariance = shared - average * average
    return Moments(average, covariance, total - covariance)


def cut(n: Certified, phi: Function, mean: Any, scale: Any, factor: Any = 1) -> tuple[Any, Any, Any]:
    """Return the ends of the interval of integration, and sqrt(factor) times a bound of the norm of phi outside."""
    bound = growth(phi)
    reach = bound.reach(scale, 2 * n.bits)
    middle, distance = float(mean), reach * length(scale, phi.name)
    low, high = arb(middle - distance), arb(middle + distance)
    proven = ((high - mean) / scale).min((mean - low) / scale)
    eta = (factor * bound.beyond(mean, scale, proven)).abs_upper().sqrt().abs_upper()
    return low, high, eta


def standard(n: Certified, h: Moments, name: str) -> tuple[Any, Any]:
    """Return mean and standard deviation of h.

    ValueError: h does not vary. TooWideError: its balls are too wide.
    """
    if h.variance.is_zero():
        raise ValueError(f"expected a pre-activation that varies in front of {name!r}, got variance 0")
    mean, variances = n.number(h.mean), [x for x in (h.var_mu, h.var_chi) if not x.is_zero()]
    if not mean.is_finite() or not all(x.is_finite() and x > 4 * x.rad() for x in variances):
        raise TooWideError
    return mean, h.variance.sqrt()


def length(scale: Any, name: str) -> float:
    """Return the midpoint of a standard deviation. ValueError: it is outside the range of double precision."""
    value = float(scale)
    if not 1e-100 < value < 1e100:
        raise ValueError(f"expected a pre-activation of {name!r} with a standard deviation in range, got {value:.3g}")
    return value


def normal_bound(n: Certified, height: Any, scale: Any) -> Any:
    """Return a bound of the density of N(x, scale^2) at z for |Im z| <= height and any real x."""
    return ((height / scale) ** 2 / 2).exp() / (scale * (2 * n.pi).sqrt())


def _mean_square(n: Certified, rule: Rule, h: Moments, norm: Any, most: Any) -> Any:
    """Return E m(u)^2 with m(u) = E_z phi(h) and phi cut off; norm: a bound of E phi^2; most: a bound of |phi|."""
    step, count, error = trapezoid(n, h, norm, most)
    mean, root, narrow = n.number(h.mean), h.var_mu.sqrt(), h.var_chi.sqrt()
    masses = [weight * value for weight, value in zip(rule.weights, rule.values, strict=True)]
    places = [float(x) for x in rule.x]
    reach = float(narrow) * (1.39 * (n.bits + 20)) ** 0.5
    if count * sum(abs(place - float(mean)) < reach for place in places) > MOST * 400:
        raise ValueError(too_many("an activation"))
    outside = sum(map(abs, masses), start=arb(0)) * (-((arb(reach) / narrow) ** 2) / 2).exp()
    remainder = rule.remainder(lambda y: normal_bound(n, y, narrow))
    density = narrow * (2 * n.pi).sqrt()
    rate, total = -1 / (2 * h.var_chi), arb(0)
    for j in range(-count, count + 1):
        u = step * j
        centre = mean + root * u
        first = bisect_left(places, float(centre) - 1.01 * reach)
        last = bisect_left(places, float(centre) + 1.01 * reach)
        while first and not rule.x[first - 1] < centre - reach:
            first -= 1
        while last < len(places) and not rule.x[last] > centre + reach:
            last += 1
        inside = arb(0)
        for x, mass in zip(rule.x[first:last], masses[first:last], strict=True):
            distance = x - centre
            inside += mass * (distance * distance * rate).exp()
        inside = (inside + arb(0, outside.abs_upper())) / density + arb(0, remainder)
        total += inside * inside * n.npdf(u)
    return total * step + arb(0, error)


def trapezoid(n: Certified, h: Moments, norm: Any, most: Any) -> tuple[Any, int, Any]:
    """Return step, number of nodes on each side, and error of the trapezoidal rule in u: aliasing plus truncation."""
    k = arb(1) / 2 + h.var_mu / h.var_chi
    log_goal = n.bits * 0.6932 + 4
    step = arb(3.14159 / (float(k) * log_goal) ** 0.5)
    d = n.pi / (step * k)
    aliases = 2 * norm * (k * d * d).exp() / (2 * n.pi * d / step).expm1()
    reach = (2 * (log_goal + 2 * max(0.0, float(most.log())))) ** 0.5
    count = 1 + int(reach / float(step))
    beyond = most * most * (step * count / arb(2).sqrt()).erfc()
    return step, count, (aliases + beyond).abs_upper()
