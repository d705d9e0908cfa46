"""A block as a table of Chebyshev polynomials, for millions of points of a sweep over depth, in double precision.

log E f^2 is smooth in log q, and so is, in log q and the angle theta = acos c of two data, also across kinks, the
logarithm of var_chi/(q theta^p): p = 2 as a rule, 1 where f jumps, 0 where equal data part, as behind a BatchNorm.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, final

import numpy as np

from igbtheory.numerics.chebyshev import Axis, Line
from igbtheory.phases.block import Array, Block

TOLERANCE = 1e-12
"""Coefficients left out, at most: relative errors of what the table tells."""
LONGEST = 513
"""Nodes at most in one variable."""
ENDS = np.array([-0.99, 0.0, 0.99])
"""Places of the lines on the other axis, which goes from -1 to 1."""
LEAST = 1e-7
"""Angle at which the nodes end, as var_chi/theta^p is 0/0 at 0; the series goes on."""
NEAREST = 1e-20, 1e-16
"""Shares 1 - c at which the power p is read off."""


@final
@dataclass(frozen=True)
class Surface:
    """Moments of a block for variances q between two ends.

    squares: coefficients of log E f^2; spreads: those of log var_chi/(q theta^power), (log q, theta); error: relative.
    """

    log_q: Axis
    theta: Axis
    power: int
    squares: Array
    spreads: Array
    error: float

    def holds(self, log_q: Array) -> bool:
        """Whether all these variances are between the ends."""
        return bool(np.all((log_q >= self.log_q.low) & (log_q <= self.log_q.high)))

    def __call__(self, log_q: Array, share: Array) -> tuple[Array, Array]:
        """Mean squares E f^2 and variances var_chi behind the block, at units of variance q and correlation 1 - share.

        log_q, share: shape (points,).
        """
        along, theta = self.log_q.basis(log_q), _angle(share)
        size = np.exp(along @ self.squares)
        logarithm = np.einsum("ij,ij->i", along @ self.spreads, self.theta.basis(theta))
        return size, np.exp(log_q + logarithm) * theta**self.power


def surface(block: Block, low: float, high: float) -> Surface | None:
    """Table for variances between `low` and `high`; None where more polynomials than the longest would be needed.

    The number of polynomials in each variable is found on lines: through the ends and the middle of the other.
    """
    theta, log_q = Axis(LEAST, np.pi / 2), Axis(float(np.log(low)), float(np.log(high)))
    power = _power(block, np.sqrt(low * high))
    squares_at, spreads_at = partial(_squares, block), partial(_spreads, block, power)
    along: list[Line] = [partial(_along_q, spreads_at, at) for at in theta.at(ENDS)]
    across: list[Line] = [partial(_along_theta, spreads_at, at) for at in log_q.at(ENDS)]
    log_q, theta = _resolved(log_q, [squares_at, *along]), _resolved(theta, across)
    if not (log_q.length and theta.length):
        return None
    squares = log_q.coefficients(squares_at(log_q.nodes()))
    spreads = log_q.coefficients(spreads_at(log_q.nodes(), theta.nodes()))
    spreads = np.moveaxis(theta.coefficients(np.moveaxis(spreads, 1, 0)), 0, 1)
    ends = [spreads[:, -1:]] + [squares[-1:], spreads[-1:]] * (log_q.length > 1)
    error = max(float(np.abs(end).max()) for end in ends)
    return Surface(log_q, theta, power, squares, spreads, error)


def _resolved(axis: Axis, lines: list[Line]) -> Axis:
    """Axis with as many polynomials as the lines need to the tolerance, and 0 where that is too many."""
    found = [axis.needed(line, TOLERANCE, LONGEST) for line in lines]
    enough = all(ended for _, ended in found)
    return replace(axis, length=max(length for length, _ in found) + (axis.high > axis.low) if enough else 0)


def _angle(share: Any) -> Any:
    return 2 * np.arcsin(np.sqrt(share / 2))


def _squares(block: Block, log_q: Array) -> Array:
    """Logarithm of E f^2."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(block.square(np.exp(log_q))))


def _spreads(block: Block, power: int, log_q: Array, angle: Array) -> Array:
    """Logarithm of var_chi/(q theta^p), shape (log_q, angle)."""
    share = 2 * np.sin(angle / 2) ** 2
    points = (part.ravel() for part in np.meshgrid(np.exp(log_q), share, indexing="ij"))
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(block.spread(*points).reshape(log_q.size, share.size) * share / angle**power))


def _along_q(spreads: Callable[[Array, Array], Array], angle: float, log_q: Array) -> Array:
    return np.asarray(spreads(log_q, np.full(1, angle))[:, 0])


def _along_theta(spreads: Callable[[Array, Array], Array], log_q: float, angle: Array) -> Array:
    return np.asarray(spreads(np.full(1, log_q), angle)[0])


def _power(block: Block, q: float) -> int:
    near, far = (float(block.spread(q, share)) * share for share in NEAREST)
    return int(np.round(2 * np.log(near / far) / np.log(NEAREST[0] / NEAREST[1])))
