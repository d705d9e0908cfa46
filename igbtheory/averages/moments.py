"""Gaussian moments of an activation function: the closed form where it is known, else quadrature."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.averages import mehler, octaves, panels, smoothed
from igbtheory.averages.pairwise import pairwise
from igbtheory.formulas.function import Function
from igbtheory.numbers import Float64, Kind
from igbtheory.numbers.threads import one_thread


@final
@dataclass(frozen=True)
class Moments:
    """First two moments of a node over its inputs and weights.

    mean = E x; var_mu = the variance over W of the mean over the data, the covariance of two data; var_chi = the
    variance over the data; within = the covariance of two data of one batch, None where there are no batches;
    error = estimated relative error of mean^2 + var_mu and of var_chi. Numbers or arrays of one kind that broadcast.
    The integer 0 as the mean marks a unit that is centred by construction, for which closed forms hold.
    """

    mean: Any
    var_mu: Any
    var_chi: Any
    error: Any = 0.0
    within: Any = None

    @property
    def variance(self) -> Any:
        """Variance var_mu + var_chi over inputs and weights."""
        return self.var_mu + self.var_chi

    @property
    def own(self) -> Any:
        """Variance that data of one batch do not share; without batches that of any data."""
        return self.var_chi if self.within is None else self.variance - self.within

    @property
    def centred(self) -> bool:
        """Whether the mean is zero by construction."""
        return _is_zero(self.mean)

    @property
    def covariance(self) -> Any:
        """Covariance of two data of one batch; without batches that of any two."""
        return self.var_mu if self.within is None else self.within


def moments(n: Kind, phi: Function, base: Moments) -> Moments:
    """Moments of phi(h), h Gaussian with the moments `base`.

    A mean that is the integer 0 marks a centred h, for which closed forms hold.
    """
    if phi.closed is not None and base.centred:
        q = base.variance
        return Moments(
            phi.closed.mean(n, q),
            phi.closed.shared(n, base.var_mu, base.var_chi),
            phi.closed.spread(n, base.var_mu, base.var_chi),
            base.error + _rounding(n, phi, q),
        )
    return integrated(n, phi, base)


def _rounding(n: Kind, phi: Function, q: Any) -> Any:
    """Relative error of a closed form: angles near pi/2, which inhomogeneous ones have at large q, lose sqrt(q)."""
    return 4 * n.epsilon if phi.degree is not None else n.epsilon * (4 + np.sqrt(np.asarray(q, dtype=float)))[()]


def _is_zero(mean: Any) -> bool:
    return isinstance(mean, int) and mean == 0


def integrated(n: Kind, phi: Function, base: Moments) -> Moments:
    """Moments of phi(h) by the general mechanism, for any formula: point by point of the sweep.

    The Hermite series does all points of a smooth formula at once, tables those of a simple kinked one; what they
    cannot resolve goes to panels.
    """
    h = [n.number(part) for part in (base.mean, base.var_mu, base.var_chi)]
    shape = np.broadcast_shapes(*map(np.shape, h))
    if shape:
        points = np.array([np.ravel(np.broadcast_to(part, shape)) for part in h])
        mean, var_mu, var_chi, lost = (part.reshape(shape) for part in _at_points(n, phi, points))
    else:
        mean, var_mu, var_chi, lost = _at_point(n, phi, *h)
    return Moments(mean, var_mu, var_chi, base.error + np.asarray(lost, dtype=float)[()])


@lru_cache(maxsize=256)
def _at_point(n: Kind, phi: Function, *point: Any) -> tuple[Any, ...]:
    """Mean, var_mu, var_chi and error at one point: a deep network comes back to its fixed point layer by layer."""
    return tuple(_at_points(n, phi, np.array(point)[:, None])[:, 0])


def _at_points(n: Kind, phi: Function, points: NDArray[Any]) -> NDArray[Any]:
    """Rows mean, var_mu, var_chi and error at the points, rows mean, var_mu, var_chi of h."""
    found = np.empty((4, points.shape[1]), dtype=points.dtype)
    found[3] = n.number(1)
    filled = np.zeros(points.shape[1], dtype=bool)
    if not phi.pieces.kinks:
        mehler.fill(n, phi, points, found)
        filled = found[3] <= n.goal
    elif isinstance(n, Float64):
        filled = octaves.fill(phi, points, found)
    for i in np.flatnonzero(~filled):
        with one_thread():
            found[:, i] = panels.moments(n, phi, *points[:, i])
    return found


def second_moment(n: Kind, phi: Function, q: Any, mean: Any = 0) -> Any:
    """Mean E phi(h)^2 of pre-activations of variance q, a number or an array, and one mean."""
    if (phi.closed is not None and _is_zero(mean)) or not phi.pieces.kinks:
        return product(n, phi, q, q, q, mean)[0]
    values = [panels.second_moment(n, phi, variance, n.number(mean)) for variance in np.ravel(q)]
    return np.array(values).reshape(np.shape(q))[()]


def product(n: Kind, phi: Function, q_a: Any, q_b: Any, q_ab: Any, mean: Any = 0) -> tuple[Any, float]:
    """Mean E phi(h_a) phi(h_b) and its estimated relative error.

    q_a, q_b, q_ab: variances and covariance of the pair (any sign), arrays that broadcast; mean: one number, of both.
    The same of the slope phi', for a phi without jumps, is that of `phi.derivative`.
    """
    if phi.closed is not None and _is_zero(mean):
        means = phi.closed.mean(n, q_a) * phi.closed.mean(n, q_b)
        return phi.closed.covariance(n, q_a, q_b, q_ab) + means, 4 * n.epsilon
    if not phi.pieces.kinks:
        series, error = mehler.product(n, phi, q_a, q_b, q_ab, n.number(mean))
        if error <= n.goal:
            return series, error
    elif isinstance(n, Float64) and (smooth := smoothed.smoothing(phi)) is not None:
        return smoothed.product(phi, smooth, q_a, q_b, q_ab, float(mean))
    centre = n.number(mean)
    return pairwise(
        n,
        lambda a, b, ab: panels.product(n, phi, a, b, ab, centre),
        lambda q: panels.second_moment(n, phi, q, centre),
        (q_a, q_b, q_ab),
        parity=phi.parity if _is_zero(mean) else 0,
    )


def steepness(n: Kind, phi: Function, q_a: Any, q_b: Any, q_ab: Any) -> float:
    """Factor by which phi magnifies an error of the correlation c: where it jumps, 1/sqrt(1 - c^2) at the closest pair.

    Pairs of equal data do not count, they stay equal. 1 where phi has no jumps.
    """
    if not any(phi.pieces.jumps(n)):
        return 1.0
    c = q_ab / n.sqrt(q_a * q_b)
    left = np.asarray(np.maximum(1 - c * c, n.epsilon), dtype=float)
    unlike = np.broadcast_to((q_ab != q_a) | (q_ab != q_b), left.shape)
    return float(np.max(1 / np.sqrt(left), where=unlike, initial=1.0))
