"""Gaussian units: the base of the node behind every Dense."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, NoReturn, final

import numpy as np

from igbtheory.layers.nodes.base import Base
from igbtheory.layers.nodes.draws import Array, Draws, beside
from igbtheory.layers.nodes.places import parts
from igbtheory.mathematics.averages import constant_batches, gaussian
from igbtheory.mathematics.averages.state import Moments, Pairs, kernel_root
from igbtheory.mathematics.averages.steepness import steepness
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.numbers import Kind
from igbtheory.mathematics.numbers.first_order import first_order, is_first_order, slope_of


@final
@dataclass(frozen=True)
class Gaussian(Base[Moments]):
    """Gaussian unit h = mean + sqrt(var_mu) u + sqrt(var_chi) z: u differs between units, z also between data."""

    values: Moments

    gaussian: ClassVar[bool] = True

    def average(self, n: Kind, phi: Function | None, m: int) -> Moments:
        h = self.values
        found = gaussian.moments(n, phi, m, h)
        if h.within is None or found is h:
            return found
        if h.within_has_no_rule:
            return replace(found, within=h.within)
        pair, error = gaussian.product(n, phi, m, (h.variance, h.variance, h.within), h.mean)
        return replace(found, within=pair - found.mean * found.mean, error=found.error + error)

    def constant(self, phi: Function | None, m: int, size: int) -> Any:
        return 0 if phi is None else constant_batches.probability(phi, m, size, self.values)

    def units(self, draws: Draws, count: int) -> Array:
        h, size = self.values, draws.size
        if h.within_has_no_rule:  # data of one batch are drawn like data of different batches
            h = replace(h, within=None)
        own, across, within = (beside(part) for part in (h.own, h.var_mu, h.covariance))
        u, z = draws.of_law(count)
        mean = z.mean(axis=1, keepdims=True)
        # the mean of a batch is drawn apart: its variance is own/size + within - across, even if within < across
        scale = np.sqrt(np.maximum(own + size * (within - across), 0))
        deviations, means = (part.reshape(draws.data, count) for part in (z - mean, mean + 0 * z))
        return np.asarray(beside(h.mean) + np.sqrt(across) * u + np.sqrt(own) * deviations + scale * means)


@final
@dataclass(frozen=True)
class GaussianPairs(Base[Pairs]):
    """Unit that is Gaussian with mean 0 over the weights; `values` is a block of its covariance over the data."""

    values: Pairs

    gaussian: ClassVar[bool] = True

    def average(self, n: Kind, phi: Function | None, m: int) -> Pairs:
        h = self.values
        if phi is None and m == 1:
            return h
        if np.any(h.q_a == 0) or np.any(h.q_b == 0):
            return self._beside_constants(n, phi, m)
        if is_first_order(h.q_ab):
            return self._first_order(n, phi, m)
        # the diagonal is computed apart: at c = 1 the kernel of a jump loses half its digits
        (_, q_a), (_, q_b) = (_first_two(n, phi, m, q) for q in (h.q_a, h.q_b))
        q_ab, error = self._product(n, phi, m)
        factor = 1.0 if phi is None else steepness(n, phi, h.q_a, h.q_b, h.q_ab)
        if factor > 1:  # data that rounding makes equal stay apart: the next jump would take them for one datum
            merged = ((h.q_ab != h.q_a) | (h.q_ab != h.q_b)) & (q_ab == q_a) & (q_ab == q_b)
            q_ab = np.where(merged, (1 - 4 * n.epsilon) * q_ab, q_ab)
        # equal data stay equal, and opposite ones opposite: of c = 1 - rounding the arcsine has half the digits
        q_ab = np.where(h.same | ((h.q_ab == h.q_a) & (h.q_ab == h.q_b)), q_a, q_ab)
        parity = phi.parity if phi is not None and m == 1 else 0
        if parity:
            q_ab = np.where((h.q_ab == -h.q_a) & (h.q_ab == -h.q_b), parity * q_a, q_ab)
        return replace(h, q_a=q_a, q_b=q_b, q_ab=q_ab, error=factor * h.error + error)

    def _beside_constants(self, n: Kind, phi: Function | None, m: int) -> Pairs:
        """Return the average if some units have no variance, such as those behind windows of zeros: they are phi(0)."""
        h = self.values
        q_a, q_b = (np.where(q == 0, n.number(1), q) for q in (h.q_a, h.q_b))
        others = replace(self, values=replace(h, q_a=q_a, q_b=q_b)).average(n, phi, m)
        (mean_a, square_a), (mean_b, square_b) = (_first_two(n, phi, m, q) for q in (h.q_a, h.q_b))
        q_ab = np.where((h.q_a == 0) | (h.q_b == 0), mean_a * mean_b, others.q_ab)
        return replace(others, q_a=square_a, q_b=square_b, q_ab=q_ab)

    def _first_order(self, n: Kind, phi: Function | None, m: int) -> Pairs:
        """Return the average and its derivative, for the tangent kernel."""
        from igbtheory.mathematics.averages import slopes  # noqa: PLC0415 - training alone needs it

        h = self.values
        real = replace(self, values=replace(h, q_ab=np.real(h.q_ab)))
        slope = slopes.product(n, phi, m, (h.q_a, h.q_b, np.real(h.q_ab)))
        found = real.average(n, phi, m)
        return replace(found, q_ab=first_order(found.q_ab, slope * slope_of(h.q_ab)))

    def _product(self, n: Kind, phi: Function | None, m: int) -> tuple[Any, float]:
        """Return E phi(M_a) phi(M_b) at the pairs, and its error; closed forms take images in parts."""
        h = self.values
        if h.q_ab.ndim == 2 or phi is None or phi.closed is None:
            return gaussian.product(n, phi, m, (h.q_a, h.q_b, h.q_ab))
        found = [gaussian.product(n, phi, m, (h.q_a, h.q_b[part], h.q_ab[part])) for part in parts(h.q_ab)]
        return np.concatenate([values for values, _ in found]), max(error for _, error in found)

    def means(self, n: Kind, phi: Function | None, m: int) -> tuple[Any, Any]:
        if phi is None and m == 1:
            return 0, 0
        h = self.values
        return _first_two(n, phi, m, h.q_a)[0], _first_two(n, phi, m, h.q_b)[0]

    def units(self, draws: Draws, count: int) -> Array:
        return self._root @ draws.normal(self._root.shape[1], count)

    @cached_property
    def _root(self) -> Array:
        """Root L of the kernel, which is L L^T, shape (data, rank)."""
        if self.values.q_ab.ndim > 2:
            refuse_pairs()
        return kernel_root(self.values.q_ab.astype(float))


def _first_two(n: Kind, phi: Function | None, m: int, q: Any) -> tuple[Any, Any]:
    """Return E phi(M) and E phi(M)^2 for variances q, of which equal ones are computed once."""
    unlike, where = np.unique(q, return_inverse=True)
    constant, where = unlike == 0, where.reshape(np.shape(q))
    found = gaussian.moments(n, phi, m, Moments(0, 0 * unlike, np.where(constant, n.number(1), unlike)))
    mean = found.mean + 0 * unlike
    variance = np.where(constant, 0 * unlike, found.variance)
    if constant.any():
        mean[constant] = n.number(0) if phi is None else phi(n, n.number(0))
    return mean[where], (mean * mean + variance)[where]


class UnitsNeededError(ValueError):
    """Raised if units must be drawn, for which the kernel of all data at all positions is needed at once."""


def refuse_pairs() -> NoReturn:
    """Refuse to draw units of images if only some pairs of positions are known."""
    raise UnitsNeededError(
        "expected units of a Conv2d or a Dense in front of every activation on images, got averages of functions of "
        "units, such as pools, for which there is no rule; put a Conv2d or a Dense between them"
    )
