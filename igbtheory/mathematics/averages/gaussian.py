"""Averages of phi over Gaussian units, or over the largest of m of them: the closed form, or else one of the `rules`.

A closed form needs none of the quadrature that the rules load.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from igbtheory.mathematics.averages.state import Moments, is_centred
from igbtheory.mathematics.averages.steepness import steepness
from igbtheory.mathematics.formulas.function import ClosedForm, Function
from igbtheory.mathematics.numbers import Kind
from igbtheory.mathematics.numbers.sweeps import at_points


def moments(n: Kind, phi: Function | None, m: int, h: Moments) -> Moments:
    """Return the moments of phi(M), M the largest of m units with the moments `h`; phi = None is the identity.

    A mean that is the integer 0 marks centred units, for which closed forms hold.
    """
    if phi is None and m == 1:
        return h
    if m > 1 or phi is None or phi.closed is None or not h.centred:
        from igbtheory.mathematics.averages import rules  # noqa: PLC0415 - closed forms do not need it

        x = rules.moments(n, phi, h, m)
        return Moments(x.mean, x.var_mu, x.var_chi, _grown(h, 1.0 if phi is None else phi.power) + x.error)
    q = h.variance
    mean, (var_mu, var_chi) = phi.closed.mean(n, q), phi.closed.variances(n, h.var_mu, h.var_chi)
    return Moments(mean, var_mu, var_chi, *_errors(n, phi, phi.closed, h, q, lambda: mean * mean + var_mu + var_chi))


def for_dense(n: Kind, phi: Function | None, h: Moments) -> Moments:
    """Return moments of which a Dense makes the same as of those of phi: the square of the mean is a part of var_mu."""
    if phi is None or phi.closed is None or not h.centred:
        return moments(n, phi, 1, h)
    product, spread = phi.closed.products(n, h.var_mu, h.var_chi)
    return Moments(0, product, spread, *_errors(n, phi, phi.closed, h, h.variance, lambda: product + spread))


def product(n: Kind, phi: Function | None, m: int, pair: tuple[Any, Any, Any], mean: Any = 0) -> tuple[Any, Any]:
    """Return E phi(M_a) phi(M_b) of two data and its estimated relative error.

    pair: variances and covariance (q_a, q_b, q_ab) of the units, arrays that broadcast; mean: the mean of both units, a
    number or an array that broadcasts with them. The integer 0 marks centred units, for which closed forms hold.
    """
    if np.ndim(mean):
        values, errors = at_points(lambda *point: product(n, phi, m, point[:3], point[3]), *pair, mean)
        return values, float(np.max(errors))
    if phi is None and m == 1:
        return pair[2] + mean * mean, 0.0
    if m > 1 or phi is None or phi.closed is None or not is_centred(mean):
        from igbtheory.mathematics.averages import rules  # noqa: PLC0415 - as above

        return rules.product(n, phi, m, pair, mean)
    return phi.closed.product(n, *pair), error_of_closed(n, phi, phi.closed, pair)


def error_of_closed(n: Kind, phi: Function, form: ClosedForm, pair: tuple[Any, Any, Any]) -> float:
    """Return the relative error of a mean product in closed form."""
    return form.roundings * n.epsilon * steepness(n, phi, *pair)


def _errors(
    n: Kind, phi: Function, form: ClosedForm, h: Moments, q: Any, square: Callable[[], Any]
) -> tuple[Any, None, Any]:
    """Return the errors `error` and `of_scale` of a closed form, with None between them, as they stand in Moments.

    q: the variance of h; square: returns E phi^2.
    """
    power, rounding = phi.power, _rounding(n, form, q)
    if phi.degree is None and not n.exact:
        power = _power(n, form, q, square())
    # if E phi^2 grows with the same power everywhere, its error is not kept apart from that of the variances
    joint = n.exact or (h.of_scale is None and isinstance(power, float))
    of_scale = None if joint else abs(power) * _of_scale(h) + rounding
    return _grown(h, power) + rounding, None, of_scale


def _grown(h: Moments, power: Any) -> Any:
    """Return the relative error of the moments of phi that comes from h: a power p multiplies the scale's error."""
    if isinstance(power, float):
        return h.error if power <= 1 else h.error + (power - 1) * _of_scale(h)
    return h.error + np.maximum(0.0, power - 1) * _of_scale(h)


def _of_scale(h: Moments) -> Any:
    """Return the relative error of the mean square of h."""
    return h.error if h.of_scale is None else h.of_scale


def _power(n: Kind, form: ClosedForm, q: Any, square: Any) -> Any:
    """Return the power of q with which E phi^2 = square grows if phi is not homogeneous: of gelu, up to 1.3."""
    power = form.power(n, q, square)
    return power if isinstance(power, float) else np.asarray(power, dtype=float)[()]


def _rounding(n: Kind, form: ClosedForm, q: Any) -> Any:
    """Return the relative error of a closed form."""
    error = form.roundings * n.epsilon
    return error + n.epsilon * np.sqrt(np.asarray(q, dtype=float))[()] if form.decays else error
