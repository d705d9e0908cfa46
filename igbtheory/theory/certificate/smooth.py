"""E (phi(h_a) - phi(h_b))^2/2 for formulas that are analytic near the real axis, with proven error bounds.

h_a = s + r and h_b = s - r, with independent s ~ N(mean, alpha^2), alpha^2 = var_mu + var_chi/2, and r ~ N(0, beta^2),
beta^2 = var_chi/2. All terms of the double sum over s and r are positive, and their number does not grow as the
correlation of the data approaches 1.

The trapezoidal rule of step h on [a, b], whose ends lie half a step beyond the nodes, differs from the integral of f by
integrals over the sides of the rectangle |Im z| <= d around [a, b], of f times a factor that is at most
1/(exp(2 pi d/h) - 1) on the long sides and exp(-2 pi |Im z|/h) on the short ones (residues of the cotangent). Let f be
a normal density of deviation sigma, which is exp(y^2/(2 sigma^2)) times as large at the height y, times a function that
is at most M, and let the ends be L deviations away. On the short sides the exponent y^2/(2 sigma^2) - 2 pi y/h is
convex, and at most -e y/d with -e its value at d. Together the integrals are at most

    M (2 exp(d^2/(2 sigma^2))/(exp(2 pi d/h) - 1) + 4 (d/e) npdf(L)/sigma).

Nodes are fixed numbers, so that only the normal densities depend on var_mu and var_chi: slopes of the sum are sums with
the same values of phi.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import log, log2, pi, prod
from typing import Any, final

from flint import arb, arb_mat

from igbtheory.mathematics.averages.state import Moments
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.formulas.tree import Tree, evaluate
from igbtheory.mathematics.numbers.certified import Certified
from igbtheory.theory.certificate.bounds import growth
from igbtheory.theory.certificate.boxes import analytic, rectangles, size
from igbtheory.theory.certificate.growth import Growth
from igbtheory.theory.certificate.proven_panels import between
from igbtheory.theory.certificate.varied import Varied, middles

GUARD = 10
"""Bits by which the rules are more accurate than the arithmetic."""
NARROWER = 0.88
"""Quotient of the heights of strips that are tried."""
MOST = 10
"""Largest number of pairs of nodes, in units of bits^2. tanh takes one of units of variance 1; where there are more, as
of tanh(20 x), the rule for formulas with kinks takes less time."""


@final
@dataclass(frozen=True)
class Nodes:
    """Fixed nodes centre + step j, |j| <= count, for N(mean, variance).

    variance, middle: the variance as a ball, and at the middles of var_mu and var_chi. height: d above.
    """

    mean: Any
    variance: Any
    middle: Any
    centre: float
    step: float
    count: int
    height: float

    @property
    def ends(self) -> Any:
        """The number of standard deviations from the mean to the ends."""
        return (arb(self.step) * self.count + arb(self.step) / 2 - abs(self.centre - self.mean)) / self.variance.sqrt()

    def error(self, n: Certified) -> Any:
        """Return the error of the rule for the density times a function that is at most 1."""
        d = arb(self.height)
        grown, decayed = d * d / (2 * self.variance), 2 * n.pi * d / self.step
        short = d / (decayed - grown) * n.npdf(self.ends) / self.variance.sqrt()
        return 2 * grown.exp() / decayed.expm1() + 4 * short

    def weights(self, n: Certified, *, mirrored: bool) -> Any:
        """Return three rows: the weights at the middles, the weights, and their derivatives by the variance.

        mirrored: nodes on the right stand for those on the left, too, and only they are listed.
        """
        thin, wide, slopes = list[Any](), list[Any](), list[Any]()
        for j in range(0 if mirrored else -self.count, self.count + 1):
            distance = arb(self.step) * j + self.centre - self.mean
            square, step = distance * distance, self.step * (2 if mirrored and j else 1)
            thin.append(step * (-square / (2 * self.middle)).exp() / (2 * n.pi * self.middle).sqrt())
            wide.append(step * (-square / (2 * self.variance)).exp() / (2 * n.pi * self.variance).sqrt())
            slopes.append(wide[-1] * (square / self.variance - 1) / (2 * self.variance))
        return arb_mat([thin, wide, slopes])


def spread(n: Certified, phi: Function, h: Moments) -> Varied | None:
    """Return the spread of phi(h), var_chi behind phi, or None if phi has kinks, or singularities too near."""
    mean, variances, at_middles = n.number(h.mean), _of_sum_and_difference(h), _of_sum_and_difference(middles(h))
    alpha, beta = (float(x.sqrt()) for x in variances)
    bound, centre = growth(phi), float(mean)
    bits = n.bits + GUARD + max(0.0, 2 * log2(alpha / beta))  # for the relative accuracy of a small spread
    # a step and a half are lost where whole numbers of steps end
    reaches = [(bound.reach(x.sqrt(), int(bits)) + 0.5) * float(x.sqrt()) for x in variances]
    _, pieces, kinks = between(n, phi, arb(centre - sum(reaches)), arb(centre + sum(reaches)))
    tree = phi.pieces.formulas[pieces][0]
    strip = None if kinks else _strip(analytic(tree), centre, reaches, (alpha, beta), bits)
    if strip is None:
        return None
    height, sup, nats = strip
    (step_s, height_s), (step_r, height_r) = (_step(height, x, nats) for x in (alpha, beta))
    step_s = max(1, int(step_s / step_r)) * step_r
    s, r = (
        Nodes(at, variance, middle, float(at), step, max(0, int(reach / step - 0.5)), top)
        for at, variance, middle, step, reach, top in zip(
            (mean, arb(0)), variances, at_middles, (step_s, step_r), reaches, (height_s, height_r), strict=True
        )
    )
    # (phi - phi)^2/2 is at most 2 sup^2, and the sum of the weights of r at most 1 and its error
    error = 2 * sup * sup * (s.error(n) * (1 + r.error(n)) + r.error(n)) + beyond(bound, s, r)
    even = h.centred and phi.parity != 0
    terms = _terms(n, tree, s, r, even=even)
    sums = s.weights(n, mirrored=even) * (terms * r.weights(n, mirrored=True).transpose()) / 2
    by_alpha, by_beta = sums[2, 1], sums[1, 2]
    return Varied(sums[0, 0] + arb(0, error.abs_upper()), by_alpha, (by_alpha + by_beta) / 2)


def _of_sum_and_difference(h: Moments) -> tuple[Any, Any]:
    """Return alpha^2 and beta^2."""
    return h.var_mu + h.var_chi / 2, h.var_chi / 2


def _terms(n: Certified, tree: Tree, s: Nodes, r: Nodes, *, even: bool) -> Any:
    """Return the matrix of (phi(s + r) - phi(s - r))^2; a node s is a whole number of steps of r from the centre.

    even: only for nodes s on the right.
    """
    stride, values = round(s.step / r.step), dict[int, Any]()

    def value(index: int) -> Any:
        if index not in values:
            x = arb(r.step) * index + s.centre
            values[index] = evaluate(tree, n, x) + 0 * x
        return values[index]

    rows = []
    for j in range(0 if even else -s.count, s.count + 1):
        differences = [value(stride * j + k) - value(stride * j - k) for k in range(r.count + 1)]
        rows.append([x * x for x in differences])  # x ** 2 is not finite if a ball has both signs
    return arb_mat(rows)


def _step(height: float, deviation: float, nats: float) -> tuple[float, float]:
    """Return a step with an error of exp(-nats), and the height at which it has it, at most the height of the strip."""
    d = min(height, deviation * (2 * nats) ** 0.5)
    return 2 * pi * d / (nats + (d / deviation) ** 2 / 2), d


def _strip(
    tree: Tree, centre: float, reaches: list[float], deviations: tuple[float, float], bits: float
) -> tuple[float, Any, float] | None:
    """Return the strip around the nodes with the longest steps, or None if they are too short.

    It is the height, a bound of phi on it, and minus the logarithm of the errors that the rules may have there.
    """
    best, longest, nats = None, 0.0, (bits + 2) * log(2)
    height = deviations[0] * (2 * nats) ** 0.5
    while True:
        pairs = prod(2 * y / _step(height, x, nats)[0] for x, y in zip(deviations, reaches, strict=True))
        if pairs > MOST * bits**2:
            return best
        sup = size(tree, _boxes(centre, sum(reaches), height))
        if sup.is_finite():
            allowed = nats + 2 * float(sup.max(arb(1)).log())
            step, _ = _step(height, deviations[0], allowed)
            if step < longest:
                return best
            best, longest = (height, sup, allowed), step
        height *= NARROWER


def _boxes(centre: float, most: float, height: float) -> Iterator[Any]:
    """Yield boxes that cover the upper half of the strip."""
    count = int(2 * most / height) + 1
    half = arb(most) / count
    for i in range(count):
        yield from rectangles(arb(centre) + half * (2 * i + 1 - count), half, arb(height))


def beyond(bound: Growth, s: Nodes, r: Nodes) -> Any:
    """Return a bound of the mean outside the nodes.

    |phi(s +- r)| <= size f(s) f(r) if f is the growth of phi without its size, and (phi - phi)^2/2 <= 2 size^2 f^2 f^2.
    """
    one = Growth(arb(1), bound.power, bound.rate)
    (s_outside, s_whole), (r_outside, r_whole) = (
        [one.beyond(x.mean, x.variance.sqrt(), end) for end in (x.ends, arb(0))] for x in (s, r)
    )
    return 2 * bound.size**2 * (s_outside * r_whole + s_whole * r_outside)
