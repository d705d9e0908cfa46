"""Moments of f(M) for two data, M the maximum of m independent units h = mean + sqrt(var_mu) u + sqrt(var_chi) z.

The data share u but not z, so that the values of a unit at two data have the correlation c = var_mu/(var_mu + var_chi).
With M in standard units and f(x) = phi(mean + scale x), for c up to 3/4 (in many digits 9/10),

    Cov = iint f'(x) f'(y) [Phi_2(x, y)^m - Phi(x)^m Phi(y)^m] dx dy,   var_chi = Var f - Cov.

For larger c, var_chi = E (f(M_b) - f(M_a))^2 1[M_a < M_b], where f(y) - f(x) is the integral of f', and Cov = Var f -
var_chi. If f increases, all terms are positive, so that both keep their digits when var_chi/var_mu is 1e-12 or 1e12.
"""

from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.mathematics.averages.maximum_law import Chart, columns, density, dependence, ends
from igbtheory.mathematics.averages.quadrature import PLAIN, gaps, orders
from igbtheory.mathematics.averages.resolved import Resolved, images, resolved
from igbtheory.mathematics.averages.state import stated
from igbtheory.mathematics.formulas.function import Function, formula
from igbtheory.mathematics.numbers import FLOAT64, Kind
from igbtheory.mathematics.numerics.limits import BLOCK, TINY
from igbtheory.mathematics.numerics.panels import Panels, before, of_rises, split

IDENTITY = formula("identity", "x", "")
MOST_GAMMA, MOST_GAMMA_OF_MANY = 3, 9
"""Largest var_mu/var_chi up to which the covariance is a series, in double precision and in many digits: var_chi then
loses less than a digit by cancellation, of which many digits have fifteen to spare and the other way takes minutes."""
_TINY = 1e-100
"""The number that stands for s = sqrt(1 - c^2) where s is 0: rules divide by s, and its square must not underflow."""


@lru_cache(maxsize=256)
def moments(n: Kind, phi: Function, m: int, mean: Any, var_mu: Any, var_chi: Any) -> tuple[Any, Any, Any, Any]:
    """Return mean, var_mu, var_chi of phi(M) and their estimated relative error, at one point of a sweep.

    The error is the difference from a coarser rule, which overstates it. Results are cached, because a deep network at
    its fixed point repeats them in every layer.
    """
    maximum = maximum_of(n, phi, m, mean, n.sqrt(var_mu + var_chi))
    coarse, fine = (_moments(maximum, var_mu, var_chi, order) for order in orders(n))
    return *fine, maximum.meshed.doubt * stated(n, fine, gaps(coarse, fine)) + 100 * n.epsilon


def means(phi: Function, m: int, q: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Return E phi(M) for centred units of variances q, in double precision, and its absolute error."""
    if phi.parity < 0 and m == 1:
        return 0 * q, 0.0
    maxima = [maximum_of(FLOAT64, phi, m, 0.0, float(np.sqrt(one))) for one in q]
    coarse, fine = (np.array([_mean(maximum, order)[0] for maximum in maxima]) for order in orders(FLOAT64))
    return fine, float(np.max(np.abs(coarse - fine)))


def product(n: Kind, phi: Function, m: int, mean: Any, q_a: Any, q_b: Any, q_ab: Any) -> tuple[Any, Any]:
    """Return E phi(M_a) phi(M_b) for one pair of any correlation, and its error relative to E |phi(M_a) phi(M_b)|."""
    a = maximum_of(n, phi, m, mean, n.sqrt(q_a), n.sqrt(q_b))
    coarse, fine = (_product(a, replace(a, scale=n.sqrt(q_b)), q_ab, order) for order in orders(n))
    return fine[0], a.meshed.doubt * abs(coarse[0] - fine[0]) / (fine[1] + n.number(TINY)) + 100 * n.epsilon


@final
@dataclass(frozen=True)
class Maximum:
    """Function f(x) = phi(mean + scale x) of the standardised maximum of m units."""

    meshed: Resolved
    m: int
    mean: Any
    scale: Any

    def values(self, x: Any) -> Any:
        return self.meshed.phi(self.meshed.n, self.mean + self.scale * x)

    def slopes(self, x: Any) -> Any:
        return self.scale * self.meshed.phi.slope(self.meshed.n, self.mean + self.scale * x)

    def images(self, points: list[Any]) -> Any:
        """Return points of the axis of phi in standard units."""
        return images(self.meshed.n, points, self.mean, self.scale)

    def points(self) -> Any:
        """Return ends of panels, ascending: the cuts of f, and ends that resolve the law of the maximum."""
        cuts = self.images(self.meshed.cuts)
        base = ends(self.m, self.meshed.reach, cuts.astype(float))
        first, last = self.meshed.n.number(base[0]), self.meshed.n.number(base[-1])
        inside = np.minimum(np.maximum(cuts, first), last)
        return np.sort(np.concatenate([inside, self.meshed.n.number(base)]))

    def panels(self, order: int, more: Any) -> Panels:
        """Return panels for the law of the maximum that end at the cuts of f and at `more` points."""
        points = self.points()
        return split(self.meshed.n, np.concatenate([points, more]), points[0], points[-1], order)

    def mean_square_rise(self, x: Any, chart: Chart, order: int) -> Any:
        """Return the density at x = M_a times the mean of (f(M_b) - f(M_a))^2 1[M_b > M_a] given M_a."""
        n = self.meshed.n
        v = chart.panels(n, x, self.points(), n.number(0), order)
        rise = before(n, v, chart.s * self.slopes(chart.y(x, v.x)))
        for z, jump in self.meshed.atoms(self.mean, self.scale):
            rise = rise + jump * ((x < z) & (v.left + v.half > (z - x) / chart.s))[:, None]
        total = 0 * x
        rising = np.any(rise != 0, axis=(0, 1))
        if rising.any():
            law = chart.density(n, self.m, x[rising], columns(v, rising))
            total[rising] = columns(v, rising).integral(rise[..., rising] ** 2 * law)
        return total


def maximum_of(n: Kind, phi: Function, m: int, mean: Any, *scales: Any) -> Maximum:
    """Return phi of the largest of m units; its reach is farther, because its density is m times as large."""
    meshed = resolved(n, phi, float(mean), *map(float, scales))
    # d(z^2/2) = log m at z = least
    least = np.sqrt(-2 * np.log(n.epsilon))
    return Maximum(replace(meshed, reach=meshed.reach + float(np.log(m) / least)), m, mean, scales[0])


@np.errstate(over="ignore", under="ignore", divide="ignore")
def _moments(maximum: Maximum, var_mu: Any, var_chi: Any, order: int) -> tuple[Any, Any, Any]:
    n, q = maximum.meshed.n, var_mu + var_chi
    average, total = _variance(n, maximum, order)
    if not var_chi or not var_mu:
        return average, total if var_mu else 0 * total, total if var_chi else 0 * total
    if var_mu <= (MOST_GAMMA if n is FLOAT64 else MOST_GAMMA_OF_MANY) * var_chi:
        covariance = _covariance(n, maximum, var_mu / q, order)
        return average, covariance, np.maximum(total - covariance, 0 * total)
    rule = partial(_spread, maximum.meshed.phi, maximum.m, order)
    spread = n.quickly(rule, maximum.mean, var_mu, var_chi)
    return average, np.maximum(total - spread, 0 * total), spread


def _spread(phi: Function, m: int, order: int, n: Kind, mean: Any, var_mu: Any, var_chi: Any) -> Any:
    """Return E (f(M_b) - f(M_a))^2 1[M_a < M_b]."""
    maximum = maximum_of(n, phi, m, mean, n.sqrt(var_mu + var_chi))
    chart = agreeing(n, var_mu, var_chi)
    x = maximum.panels(order, maximum.images(maximum.meshed.sides(chart.s * maximum.scale)))
    rises = [maximum.mean_square_rise(part, chart, order) for part in _blocks(maximum, x)]
    return x.weights.ravel() @ np.concatenate(rises)


def agreeing(n: Kind, var_mu: Any, var_chi: Any) -> Chart:
    """Return the chart of y around x, for data whose 1 - c = var_chi/q is never formed from c."""
    q = var_mu + var_chi
    # sqrt((1 - c)/(1 + c))
    slant = n.sqrt(var_chi / (q + var_mu))
    return Chart(var_mu / q, n.sqrt(var_chi / q * (1 + var_mu / q)), n.number(1), slant, slant)


def paired(n: Kind, c: Any) -> Chart:
    """Return the chart of y around c x, for data of any correlation."""
    s = np.maximum(n.sqrt((1 - c) * (1 + c)), n.number(_TINY))
    return Chart(c, s, c, 0 * c, s)


def _blocks(maximum: Maximum, x: Panels) -> list[Any]:
    """Return the nodes x in parts, so that all nodes y of one part fit in memory."""
    return np.array_split(x.x.ravel(), 1 + x.x.size * x.x.shape[1] * (len(maximum.meshed.cuts) + 20) // BLOCK)


def _mean(maximum: Maximum, order: int) -> tuple[Any, Panels, Any, Any]:
    """Return the mean of f(M), and the panels, the density and the values of f at the nodes."""
    x = maximum.panels(order, [])
    law = density(maximum.meshed.n, maximum.m, x.x)
    values = maximum.values(x.x)
    return x.integral(values * law), x, law, values


def _variance(n: Kind, maximum: Maximum, order: int) -> tuple[Any, Any]:
    """Return mean and variance of f(M), from the values of f, or from its slopes if it hardly varies."""
    average, x, law, values = _mean(maximum, order)
    total = x.integral((values - average) ** 2 * law)
    if total > PLAIN * (average * average + total):
        return average, total
    atoms = maximum.meshed.atoms(maximum.mean, maximum.scale)
    return average, of_rises(n, x, maximum.slopes(x.x), atoms, x.weights * law)


def _covariance(n: Kind, maximum: Maximum, c: Any, order: int) -> Any:
    """Return the covariance of f(M_a) and f(M_b) for 0 < c <= 9/10; the jumps of f are additional nodes."""
    x = maximum.panels(order, [])
    atoms = maximum.meshed.atoms(maximum.mean, maximum.scale)
    weights = np.concatenate([np.ravel(x.weights * maximum.slopes(x.x)), [jump for _, jump in atoms]])
    nodes = np.concatenate([np.ravel(x.x), [z for z, _ in atoms]])
    points = maximum.points()
    inside = (weights != 0) & (nodes >= points[0]) & (nodes <= points[-1])
    return dependence(n, maximum.m, nodes[inside], weights[inside], c)


@np.errstate(over="ignore", under="ignore", divide="ignore")
def _product(a: Maximum, b: Maximum, q_ab: Any, order: int) -> tuple[Any, Any]:
    """Return the means of the product and of its absolute value, from the density of the pair."""
    n, m = a.meshed.n, a.m
    c = n.correlation(q_ab, a.scale * b.scale + n.number(1e-290))
    chart = paired(n, c)
    # given x, y has the mean c x and the standard deviation s
    features = b.images(a.meshed.cuts + a.meshed.sides(chart.s * b.scale))
    x = a.panels(order, images(n, list(features), 0 * c, c))
    points = b.points()
    of_blocks = []
    for part in _blocks(a, x):
        v = chart.panels(n, part, points, -points[-1], order)
        values = b.values(chart.y(part, v.x)) * chart.density(n, m, part, v)
        of_blocks.append([v.integral(values), v.integral(np.abs(values))])
    given, size = np.concatenate(of_blocks, axis=1)
    values = x.weights.ravel() * a.values(x.x.ravel())
    return values @ given, np.abs(values) @ size
