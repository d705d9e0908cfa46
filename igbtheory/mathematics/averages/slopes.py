"""Mean products of slopes: of two data, the derivative of a kernel by the covariance of the units; of one, E phi'^2."""

from typing import Any

import numpy as np
from numpy.polynomial import chebyshev

from igbtheory.mathematics.averages import gaussian, mean_slopes
from igbtheory.mathematics.averages.kernel_tables import angle, span
from igbtheory.mathematics.averages.maximum import IDENTITY
from igbtheory.mathematics.averages.state import Moments
from igbtheory.mathematics.formulas.domain import square_is_infinite
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.numbers import FLOAT64, Kind
from igbtheory.mathematics.numerics.chebyshev import Axis, transform

ROUNDING = 1e-12
"""Largest jump of the values at a kink that counts as rounding."""
ANGLES = 65
"""Nodes of a series in the angle of two data: for the largest of 2 to 100 units of relu it has errors of 1e-11 to
4e-11, and twice as many nodes have the same."""
VARIANCES = 17
"""Nodes of a series in the logarithm of a variance: tanh, gelu, silu and elu have errors below 1e-9 for variances from
0.1 to 10; half as many nodes have 1e-5."""
BLOCK = 2**14
"""Number of pairs at which the series is evaluated at once: 38 MB."""


def product(n: Kind, phi: Function | None, m: int, pair: tuple[Any, Any, Any]) -> Any:
    """Return the derivative of E phi(M_a) phi(M_b) with respect to q_ab, M the largest of m centred units.

    By Price's theorem, it is the mean of phi'(M_a) phi'(M_b) over the events in which one unit is the largest for both
    data. pair: variances and covariance (q_a, q_b, q_ab), arrays that broadcast.

    ValueError: phi jumps, or m > 1, phi has a kink away from 0 and the variances differ.
    """
    if m > 1:
        return _of_maxima(phi or IDENTITY, m, pair)
    if phi is None:
        return n.number(1)
    refuse_jumps(phi)
    return phi.closed.slope(n, *pair) if phi.closed else gaussian.product(n, phi.derivative, 1, pair)[0]


def with_product(n: Kind, phi: Function | None, m: int, pair: tuple[Any, Any, Any]) -> tuple[Any, Any, float]:
    """Return the derivative, E phi(M_a) phi(M_b) and its relative error; closed forms share their terms."""
    if m > 1 or phi is None or phi.closed is None:
        return product(n, phi, m, pair), *gaussian.product(n, phi, m, pair)
    refuse_jumps(phi)
    of_pair, slope = phi.closed.product_and_slope(n, *pair)
    return slope, of_pair, gaussian.error_of_closed(n, phi, phi.closed, pair)


def mean_square(n: Kind, phi: Function | None, m: int, h: Moments) -> tuple[Any, Any]:
    """Return E phi'(M)^2, M the largest of m Gaussian units with the moments h, and its relative error."""
    if phi is None:
        return n.number(1), 0.0
    q = h.variance
    finite = phi.degree is None or 2 * phi.degree > 1
    if phi.closed is not None and h.centred and m == 1 and finite:
        return phi.closed.slope(n, q, q, q), phi.closed.roundings * n.epsilon
    try:
        x = gaussian.moments(n, phi.derivative, m, Moments(h.mean, 0 * q, q))
    except ValueError as error:
        raise ValueError(
            f"expected an activation whose derivative has a mean square, got {phi.name!r}: {error}; use one that is "
            "smooth, or steep nowhere"
        ) from None
    return x.square, x.error


def _of_maxima(phi: Function, m: int, pair: tuple[Any, Any, Any]) -> Any:
    """Return the derivative for maxima: a series in the angle, and in the variances where these do not factor out."""
    q_a, q_b, q_ab = np.broadcast_arrays(*pair)
    low, high = span(q_a, q_b)
    degree = phi.degree
    meshed = mean_slopes.on_mesh(phi, m, 1.0 if degree is not None else high)
    if meshed is None or (degree is None and low < high and any(phi.pieces.kinks)):
        raise ValueError(
            f"expected an activation that is smooth away from 0 in front of MaxPool({m}) for slopes of the kernel, got "
            f"{phi.name!r}; use AvgPool({m})"
        )
    theta = angle(q_a, q_b, q_ab)
    axis = Axis(0.0, float(theta.max()), ANGLES)
    nodes = np.maximum(axis.nodes(), 1e-9)  # circles divide by sin(theta)
    if degree is not None:
        values = mean_slopes.Slopes(meshed, m, np.ones(1)).at(nodes)
        series = chebyshev.chebval(axis.position(theta), axis.coefficients(values[0]))
        return series * np.sqrt(q_a * q_b) ** (float(degree) - 1)
    of_q = Axis(float(np.log(low)), float(np.log(high)), VARIANCES if low < high else 1)
    scales = np.exp(of_q.nodes() / 2)
    values, _ = mean_slopes.of_pairs(meshed, m, (scales, scales), nodes)
    tensor = np.einsum("ia,jb,kc,abc->ijk", *map(transform, (of_q.length, of_q.length, axis.length)), values)
    at = [x.reshape(-1) for x in (np.log(q_a), np.log(q_b), theta)]
    blocks = [_series(tensor, (of_q, of_q, axis), block) for block in zip(*(_blocks(x) for x in at), strict=True)]
    return np.concatenate(blocks).reshape(q_ab.shape)


def _blocks(x: Any) -> list[Any]:
    return np.array_split(x, 1 + x.size // BLOCK)


def _series(tensor: Any, axes: tuple[Axis, Axis, Axis], at: tuple[Any, Any, Any]) -> Any:
    """Return the values of a series in three variables with these coefficients."""
    left, right, last = (axis.basis(x) for axis, x in zip(axes, at, strict=True))
    return np.einsum("pi,pj,pij->p", left, right, np.tensordot(last, tensor, axes=(1, 2)))


def refuse_jumps(phi: Function) -> None:
    """Raise ValueError if phi jumps or is too steep somewhere, so that its derivative has no mean square."""
    phi.refuse_doubt()
    pieces = phi.pieces
    if not pieces.split and not pieces.kinks:
        raise ValueError(
            f"expected an activation with a derivative, got {phi.name!r}, which has more kinks or jumps than can be "
            "told apart; use one that is smooth"
        )
    jumps = zip(pieces.kinks, pieces.jumps(FLOAT64), strict=True)
    faults = [("jumps", kink) for kink, jump in jumps if abs(jump) > ROUNDING]
    faults += [("is too steep", kink) for kink in phi.slope.infinite if square_is_infinite(phi.slope, kink)]
    for does, kink in faults[:1]:
        raise ValueError(
            f"expected an activation with a derivative, got {phi.name!r}, which {does} at {float(kink):g}: the mean "
            "square of its derivative is infinite; use a continuous one"
        )
