"""GroupNorm, which centres and scales every datum over groups of its units."""

from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.layers.batches.normalised import Normalised
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes import samples
from igbtheory.layers.nodes.base import Base, Units
from igbtheory.layers.nodes.draws import SEED, SPARE, Array, Draws, standard_error
from igbtheory.layers.nodes.node import Node, refuse_draws
from igbtheory.layers.nodes.scaling import normalised
from igbtheory.mathematics.averages.state import Moments
from igbtheory.mathematics.formulas import FUNCTIONS
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.numbers import FLOAT64, Kind
from igbtheory.mathematics.numbers.sweeps import at_points
from igbtheory.mathematics.numerics.limits import TINY
from igbtheory.mathematics.numerics.sobol import normal_points

REPLICATES, POINTS = 16, 2**14
"""Number of independent replicates of a mean over two data, whose scatter tells its error to 18 %, and of pairs of data
in each."""


@final
@dataclass(frozen=True, repr=False)
class GroupNorm(Layer):
    """GroupNorm: LayerNorm over each group of `size` units of a datum, for images over their positions too.

    For Gaussian units, the law of one datum is exact: it is the law of a batch of `size` data. The covariance of two
    data is estimated from draws. Units of a group depend on one another. LayerNorm is the limit of large groups.

    size: number of units in a group. eps: what is added to the variance.

    >>> igb.Network(igb.Dense(), igb.GroupNorm(4), igb.Activation("relu"), igb.Dense())
    Network(Dense(2.0), GroupNorm(4), Activation('relu'), Dense(2.0))
    """

    size: int
    eps: Any = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", checks.counted("size", self.size, 2, checks.LARGEST))
        checks.epsilon(self.eps)

    whole = True

    def rule(self, node: Node[Any]) -> Node[Any]:
        if not node.gaussian or node.base.on_data:
            return super().rule(node)
        h = node.averaged()
        behind = node.after(Grouped(h, self.size, self.eps, samples.behind(self, node)))
        if not node.passage.gradients and not np.any((h.var_mu != 0) | (h.covariance != 0)):
            return behind
        refuse_draws(self, node)
        return behind.naming(self)

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        if x.shape[1] % self.size:
            raise ValueError(
                f"expected a number of units that groups of {self.size} divide, got {x.shape[1]}; choose another width "
                "or size"
            )
        groups = x.reshape(len(x), x.shape[1] // self.size, -1)  # of images, with all positions
        return normalised(groups, self.eps, axis=2).reshape(x.shape)

    def latex(self) -> str:
        return rf"\mathrm{{GN}}_{{{self.size}}}(x)"


@samples.in_front.register
def _(layer: GroupNorm, count: int) -> int:
    return -(-count // layer.size) * layer.size


@final
@dataclass(frozen=True, repr=False)
class Grouped(Base[Moments]):
    """Gaussian unit that is centred and scaled over a group of `size` units of its datum.

    values: the moments of a unit in front of the norm; drawn: draws units behind the norm.
    """

    values: Moments
    size: int
    eps: Any
    drawn: Units

    dependent = True

    def average(self, n: Kind, phi: Function | None, m: int) -> Moments:
        """Return the moments of phi: mean and variance of one datum are exact, covariances of two are estimated."""
        h, of = self.values, phi or FUNCTIONS["linear"]
        q = h.variance
        one = Normalised(self.size, "exact", q, n.number(self.eps), h.error).average(n, of, 1)
        offset = self.size * np.asarray(n.number(self.eps) / q)
        two_data = partial(at_points, partial(_two_data, of, self.size), one.var_chi, offset)
        var_mu, var_chi, error = two_data(h.var_mu / q, h.var_chi / q)
        least = np.asarray(np.minimum(one.mean * one.mean + var_mu, var_chi), dtype=float)
        error = np.minimum(error / np.maximum(least, TINY), 1.0)[()]
        within = None if h.within is None else two_data(h.within / q, 1 - h.within / q)[0]
        return Moments(one.mean, var_mu * (var_mu > 0), var_chi, one.error + error, within)

    def units(self, draws: Draws, count: int) -> Array:
        return self.drawn(draws, count)


def _two_data(phi: Function, size: int, variance: Any, offset: Any, c: Any, less: Any) -> tuple[Any, Any, float]:
    """Return the covariance of phi at two data, its variance less this covariance, and the error of both.

    c: correlation of a unit at the two data; less: 1 - c; offset: size eps/q, q the variance of a unit. The smaller one
    of both results comes from differences of phi at data that are drawn together.
    """
    if not c:
        return 0 * variance, variance, 0.0
    offset, less = float(offset), float(less)
    a, b = (_drawn(phi, size, offset, 1 - x, x) for x in (0.0, less))
    if less < 1 / 2:
        values = np.mean((a - b) ** 2, axis=1) / 2
        return variance - np.mean(values), values.mean() + 0 * variance, SPARE * float(standard_error(values))
    values = np.mean(a * (b - _drawn(phi, size, offset, 0.0, 1.0)), axis=1)
    return values.mean() + 0 * variance, variance - values.mean(), SPARE * float(standard_error(values))


def _drawn(phi: Function, size: int, offset: float, c: float, less: float) -> Array:
    """Return phi behind the norm at a datum whose correlation with a first one is c, shape (REPLICATES, POINTS).

    It depends on the centred unit and on the sum of squares over the group. The sums of squares and products of two
    data are a Wishart matrix of size - 1 degrees of freedom: one is the unit, and Bartlett's decomposition draws the
    others.
    """
    first, other, scale, turn, rest = _numbers(size)
    root = np.sqrt(less * (2 - less))
    unit = c * first + root * other
    squares = unit**2 + (c * scale + root * turn) ** 2 + root**2 * rest
    return np.asarray(phi(FLOAT64, np.sqrt(size - 1) * unit / np.sqrt(squares + offset)), dtype=float)


@lru_cache(maxsize=8)
def _numbers(size: int) -> Array:
    """Draw two normal numbers, chi of size - 2, a normal number and chi^2 of size - 3 degrees of freedom, in rows."""
    from scipy.special import gammaincinv, ndtr  # noqa: PLC0415 - loaded where something is drawn

    rngs = np.random.default_rng(SEED).spawn(REPLICATES)
    drawn = np.array([normal_points(rng, POINTS, 5) for rng in rngs]).transpose(2, 0, 1)
    for row, free in ((2, size - 2), (4, size - 3)):
        drawn[row] = 2 * gammaincinv(free / 2, ndtr(drawn[row])) if free > 0 else np.float64(0)
    drawn[2] = np.sqrt(drawn[2])
    drawn[3] *= size > 2  # a group of two has one degree of freedom, which is the unit
    return drawn
