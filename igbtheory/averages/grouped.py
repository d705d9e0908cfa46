"""Moments of functions of a group-normalised Gaussian unit: two data are directions at a random angle theta.

A group of s units of two data with correlation c gives two normalised vectors of d = s - 1 dimensions with the inner
product r = cos theta, the sample correlation of s normal pairs. With the kernel K(r) of directions and D = K(1) - K(r)
the sums var_chi = E_r D and cov = E_0 D - E_c D cancel nowhere.
"""

from typing import Any

import numpy as np

from igbtheory.averages.angles import Angles
from igbtheory.averages.kernel_slope import kernel_slope, tangent
from igbtheory.averages.panels import orders
from igbtheory.averages.spherical import has_closed_form, one, radial
from igbtheory.formulas.function import Function
from igbtheory.numbers import Kind
from igbtheory.numerics.panels import Panels, cumulative


def grouped(n: Kind, phi: Function, size: int, c: Any, less: Any) -> tuple[Any, Any, Any, float]:
    """Mean, covariance of two data, var_chi = E f^2 - E f_a f_b of phi over groups, and their estimated relative error.

    c: correlation of two data over the weights, -1 to 1; less = 1 - c, given apart because rounding c would lose it.
    """
    c, less = n.number(c), n.number(less)
    mean, variance, error = one(n, phi, size)
    if size == 2:
        # r = 1 with probability 1/2 + asin(c)/pi, else -1; the variance is (f(1) - f(-1))^2/4
        apart = 2 * n.asin(n.sqrt(less / 2)) / n.pi
        return mean, variance * 2 * n.asin(c) / n.pi, 2 * variance * apart, error
    if not less:
        return mean, variance, 0 * variance, error
    coarse, fine = (_parts(n, phi, size, c, less, variance, order) for order in orders(n))
    lost = max(float(abs(a - b) / abs(b)) for a, b in zip(coarse, fine, strict=True) if b)
    return mean, *fine, lost + error


@np.errstate(over="ignore", under="ignore")
def _parts(n: Kind, phi: Function, size: int, c: Any, less: Any, variance: Any, order: int) -> tuple[Any, Any]:
    """Covariance and var_chi by rules of one order: one is integrated, the other is the rest of the variance."""
    law = Angles(n, size - 1, c, less)
    panels = law.panels(tangent(n, phi, size - 1), order)
    if float(c) > 0.5:
        inside = _rise(phi, law, panels, law.density(panels), order)
        return variance - inside, inside
    shared = _rise(phi, law, panels, -law.change(panels), order) if c else 0 * variance
    return shared, variance - shared


def _rise(phi: Function, law: Angles, panels: Panels, weights: Any, order: int) -> Any:
    """Mean of D = K(1) - K(cos theta) with these weights at the nodes."""
    n, theta = law.n, law.theta(panels.x)
    if has_closed_form(phi):
        assert phi.closed is not None  # noqa: S101 - for the type checker: `has_closed_form` says so
        less = 2 * n.sin(theta / 2) ** 2
        return (weights * phi.closed.spread(n, 1 - less, less)).sum() / radial(n, phi, law.free)
    # by parts: D(theta) is the integral of K' sin up to theta
    legendre = n.legendre(2 * order)[1]
    inside = weights.sum(axis=1)
    beyond = inside[::-1].cumsum(axis=0)[::-1]
    beyond = beyond[:, None] - (weights / legendre) @ cumulative(n, 2 * order).T
    slope = kernel_slope(n, phi, law.free + 1, order)
    turned = n.sqrt(law.less * law.more) / law.spread(panels.x)
    return panels.integral(slope(theta) * turned * beyond)
