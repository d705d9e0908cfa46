"""Moments of phi(h), h = mean + sqrt(var_mu) u + sqrt(var_chi) z, for any formula, with proven error bounds.

phi is set to 0 outside [low, high], where it has the norm eta. Mean and second moment are integrals over panels. The
covariance is their difference from the spread of `smooth`, or, if phi has kinks, a sum whose terms grow in number as
the correlation c = var_mu/q of the data approaches 1: with m(u) = E_z phi(h), it is E m^2 - (E phi)^2. m is entire, and
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
from igbtheory.theory.certificate.smooth import spread
from igbtheory.theory.certificate.varied import Varied, middles

LOW = Certified(64)
"""Precision of slopes, which are multiplied by radii."""
SHORTER = 1 - 2.0**-40
"""Factor of a step that makes it, as a float, shorter than the one of a rule."""


def moments(n: Certified, phi: Function, h: Moments) -> Moments:
    """Return the moments of phi(h)."""
    mean, scale = standard(n, h, phi.name)
    low, high, eta = cut(n, phi, mean, scale)
    average, second = _of_one_datum(n, phi, h, (low, high, eta))
    square = average.squared(h)
    total = (second - square).on(h)
    if h.var_mu.is_zero():
        return Moments(average.on(h), arb(0), total)
    if h.var_chi.is_zero():
        return Moments(average.on(h), total, arb(0))
    apart = spread(n, phi, h)
    if apart is not None:
        return Moments(average.on(h), (second - square - apart).on(h), apart.on(h))
    shared = _mean_square(n, phi, h, second.on(h).abs_upper(), (low, high, eta))
    return Moments(average.on(h), (shared - square).on(h), (second - shared).on(h))


def _of_one_datum(n: Certified, phi: Function, h: Moments, cut_off: tuple[Any, Any, Any]) -> tuple[Varied, Varied]:
    """Return E phi(h) and E phi(h)^2."""
    (low, high, eta), (mean, scale) = cut_off, standard(n, h, phi.name)

    def bound(height: Any) -> Any:
        return normal_bound(n, height, scale)

    layout = Layout(n, phi.name, 4 * length(scale, phi.name), n.bits + 10, bound)
    ends, pieces, _ = between(n, phi, low, high)
    rule = layout.rule(ends, phi.pieces.formulas[pieces])

    def density(x: Any, deviation: Any) -> Any:
        return n.npdf((x - mean) / deviation) / deviation

    def slope(x: Any) -> Any:
        """Return the derivative of the density by the variance."""
        return density(x, scale) * (((x - mean) / scale) ** 2 - 1) / (2 * h.variance)

    middle = middles(h).variance.sqrt()
    values = rule.averages(lambda x: density(x, middle), bound)
    slopes = rule.averages(slope, bound)
    errors = eta, eta * eta
    average, second = (
        Varied(value + arb(0, error), by, by) for value, by, error in zip(values, slopes, errors, strict=True)
    )
    return Varied(arb(0), arb(0), arb(0)) if h.centred and phi.parity < 0 else average, second


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


def _mean_square(n: Certified, phi: Function, h: Moments, norm: Any, cut_off: tuple[Any, Any, Any]) -> Varied:
    """Return E m(u)^2 with m(u) = E_z phi(h), as a sum over fixed values of mean + sqrt(var_mu) u.

    norm: a bound of E phi^2.
    """
    low, high, eta = cut_off
    mean, root, narrow = n.number(h.mean), h.var_mu.sqrt(), h.var_chi.sqrt()
    layout = Layout(n, phi.name, 4 * length(narrow, phi.name), n.bits + 10, lambda y: normal_bound(n, y, narrow))
    ends, pieces, _ = between(n, phi, low, high)
    rule = layout.rule(ends, phi.pieces.formulas[pieces])
    step, count, error = trapezoid(n, h, norm, growth(phi).at(abs(low).max(abs(high))))
    centre, apart, farthest = float(mean), float((step * root).lower()) * SHORTER, step * count * root
    count = 2 + int(float(farthest.upper()) / apart)
    if not (apart < step * root and apart * count - abs(centre - mean) > farthest):
        raise TooWideError
    masses = [weight * value for weight, value in zip(rule.weights, rule.values, strict=True)]
    places = [float(x) for x in rule.x]
    reach = float(narrow) * (1.39 * (n.bits + 20)) ** 0.5
    if count * sum(abs(place - centre) < reach for place in places) > MOST * 400:
        raise ValueError(too_many("an activation"))
    outside = sum(map(abs, masses), start=arb(0)) * (-((arb(reach) / narrow) ** 2) / 2).exp()
    left_out = arb(0, (outside / (narrow * (2 * n.pi).sqrt()) + rule.remainder(layout.weight)).abs_upper())
    middle, total, by_mu, by_chi = middles(h), arb(0), arb(0), arb(0)
    rate, wide_rate = -1 / (2 * middle.var_chi), -1 / (2 * h.var_chi)
    density, wide_density = ((-x / n.pi).sqrt() for x in (rate, wide_rate))
    for j in range(-count, count + 1):
        at = arb(apart) * j + centre
        first = bisect_left(places, float(at) - 1.01 * reach)
        last = bisect_left(places, float(at) + 1.01 * reach)
        while first and not rule.x[first - 1] < at - reach:
            first -= 1
        while last < len(places) and not rule.x[last] > at + reach:
            last += 1
        near = [((x - at) * (x - at), mass) for x, mass in zip(rule.x[first:last], masses[first:last], strict=True)]
        inside = arb(0)
        for square, mass in near:
            inside += mass * (square * rate).exp()
        inside = density * inside + left_out
        total += inside * inside * _density(n, at - mean, middle.var_mu)
        with LOW.precision():
            inside = squares = arb(0)
            for square, mass in near:
                part = mass * (square * wide_rate).exp()
                inside += part
                squares += part * square
            slope = wide_density * wide_rate * (2 * squares * wide_rate + inside)
            inside = wide_density * inside + left_out
            weight, distance = _density(LOW, at - mean, h.var_mu), at - mean
            by_chi += 2 * inside * slope * weight
            by_mu += inside * inside * weight * (distance * distance / h.var_mu - 1) / (2 * h.var_mu)
    cut_off_error = (eta * (2 * norm.sqrt() + eta)).abs_upper()
    return Varied(apart * total + arb(0, error) + arb(0, cut_off_error), apart * by_mu, apart * by_chi)


def _density(n: Certified, x: Any, variance: Any) -> Any:
    """Return the density of N(0, variance)."""
    return (-x * x / (2 * variance)).exp() / (2 * n.pi * variance).sqrt()


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
