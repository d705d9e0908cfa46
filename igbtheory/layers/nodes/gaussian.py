"""Gaussian units: the base of the node behind every Dense."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, NoReturn, final

import numpy as np

from igbtheory.layers.nodes.base import Base
from igbtheory.layers.nodes.draws import Array, Draws, beside
from igbtheory.layers.nodes.places import cut, portions
from igbtheory.mathematics.averages import constant_batches, gaussian
from igbtheory.mathematics.averages.each import Each
from igbtheory.mathematics.averages.noise import Noise
from igbtheory.mathematics.averages.state import Moments, Pairs, kernel_root
from igbtheory.mathematics.averages.steepness import steepness
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.numbers import Kind


@final
@dataclass(frozen=True)
class Gaussian(Base[Moments]):
    """Gaussian unit h = mean + sqrt(var_mu) u + sqrt(var_chi) z: u differs between units, z also between data."""

    values: Moments

    gaussian: ClassVar[bool] = True

    def average(self, n: Kind, phi: Function | None, m: int) -> Moments:
        h = self.values
        if phi is None and m == 1:
            return h
        if not n.exact and h.noise is None and not h.varies:
            return self._beside_constants(n, phi, m)
        moments = gaussian.moments(n, phi, m, h)
        if h.noise is not None:
            moments = replace(moments, noise=self._noise(h.noise, n, phi, m))
        if h.within is None:
            return moments
        if h.within_has_no_rule:
            return replace(moments, within=h.within)
        pair, error = gaussian.product(n, phi, m, (h.variance, h.variance, h.within), h.mean)
        return replace(moments, within=pair - moments.mean * moments.mean, error=moments.error + error)

    def _beside_constants(self, n: Kind, phi: Function | None, m: int) -> Moments:
        """Return the average if units have no variance, such as a pool over a normalised pair: they are phi(mean)."""
        h = self.values
        constant = h.variance == 0
        others = replace(h, var_chi=np.where(constant, n.number(1), h.var_chi)[()])
        moments = replace(self, values=others).average(n, phi, m)
        mean = h.mean if phi is None else phi(n, n.number(h.mean))
        zero = 0 * h.variance
        return replace(
            moments,
            mean=np.where(constant, mean, moments.mean)[()],
            var_mu=np.where(constant, zero, moments.var_mu)[()],
            var_chi=np.where(constant, zero, moments.var_chi)[()],
            within=None if moments.within is None else np.where(constant, zero, moments.within)[()],
        )

    def _noise(self, noise: Noise, n: Kind, phi: Function | None, m: int) -> Noise:
        """Return the noise behind phi(M), by the mean square of its slope."""
        from igbtheory.mathematics.averages import slopes  # noqa: PLC0415 - gradients alone need it

        if phi is not None:
            slopes.refuse_jumps(phi)
        factor, error = slopes.mean_square(n, phi, m, self.values)
        return noise.times(factor, self.values.error + error)

    def constant(self, n: Kind, phi: Function | None, m: int, size: int) -> Any:
        return 0 if phi is None else constant_batches.probability(n, phi, m, size, self.values)

    def units(self, draws: Draws, count: int) -> Array:
        h, size = self.values, draws.size
        if h.within_has_no_rule:  # data of one batch are drawn like data of different batches
            h = replace(h, within=None)
        unshared, across, within = (beside(part) for part in (h.unshared, h.var_mu, h.covariance))
        u, z = draws.of_law(count)
        mean = z.mean(axis=1, keepdims=True)
        # the mean of a batch is drawn apart: its variance is unshared/size + within - across, even if within < across
        scale = np.sqrt(np.maximum(unshared + size * (within - across), 0))
        deviations, means = (part.reshape(draws.data, count) for part in (z - mean, mean + 0 * z))
        return np.asarray(beside(h.mean) + np.sqrt(across) * u + np.sqrt(unshared) * deviations + scale * means)


@final
@dataclass(frozen=True)
class GaussianPairs(Base[Pairs]):
    """Unit that is Gaussian with mean 0 over the weights; `values` is a block of its covariance over the data."""

    values: Pairs

    gaussian: ClassVar[bool] = True
    on_data: ClassVar[bool] = True

    def average(self, n: Kind, phi: Function | None, m: int) -> Pairs:
        h = self.values
        if phi is None and m == 1:
            return h
        if np.any(h.q_a == 0) or np.any(h.q_b == 0):
            return self._beside_constants(n, phi, m)
        # the diagonal is computed apart: at c = 1 the kernel of a jump loses half its digits
        (mean_a, q_a), (mean_b, q_b) = (_first_two(n, phi, m, q) for q in (h.q_a, h.q_b))
        power = 1.0 if phi is None else phi.power
        factor = 1.0 if phi is None else steepness(n, phi, h.q_a, h.q_b, h.q_ab)
        slope = np.empty_like(h.q_ab) if h.tangent is not None or power > 1 else None
        q_ab, error = self._at_pairs(n, phi, m, Each(q_a, q_b), slope, jumps=factor > 1)
        behind = replace(h, q_a=q_a, q_b=q_b, q_ab=q_ab, mean=Each(mean_a, mean_b))
        grown = self._grown(power, slope, behind) if power > 1 else factor * h.error
        draws, pools = (max(1.0, power) * of for of in (h.errors.draws, h.errors.pools))
        behind = replace(behind, errors=replace(h.errors, product=error + grown, square=None, draws=draws, pools=pools))
        return behind if h.tangent is None else replace(behind, tangent=slope * h.tangent)

    def _beside_constants(self, n: Kind, phi: Function | None, m: int) -> Pairs:
        """Return the average if some units have no variance, such as those behind windows of zeros: they are phi(0)."""
        h, value = self.values, n.number(0) if phi is None else phi(n, n.number(0))
        silent = Each(h.q_a == 0, h.q_b == 0)
        q = silent.map(lambda none, of_unit: np.where(none, n.number(1), of_unit), Each(h.q_a, h.q_b))
        others = replace(self, values=replace(h, q_a=q.a, q_b=q.b)).average(n, phi, m)
        mean = silent.map(lambda none, of_unit: np.where(none, value, of_unit), others.mean)
        square = silent.map(lambda none, of_unit: np.where(none, value * value, of_unit), others.square)
        q_ab = np.where(silent.a | silent.b, mean.product, others.q_ab)
        return replace(others, q_a=square.a, q_b=square.b, q_ab=q_ab, mean=mean)

    def _grown(self, power: float, slope: Any, behind: Pairs) -> float:
        """Return the error of q_ab behind phi(M) that comes from the error of h, if phi is a power p.

        With q_ab = q^p K(c), errors of the scale q and of the correlation c add up.
        """
        h, same = self.values, np.asarray(self.values.same)
        roots = (behind.q_a * behind.q_b) ** 0.5
        by_scale = np.where(same, power, abs(power * behind.q_ab - h.q_ab * slope) / roots)
        by_angle = np.where(same, 0.0, abs(slope) * (h.q_a * h.q_b) ** 0.5 / roots)
        errors = by_scale * h.errors.of_square + by_angle * h.errors.product
        return float(np.max(np.asarray(errors, dtype=float)))

    def _at_pairs(
        self, n: Kind, phi: Function | None, m: int, q: Each, slope: Any, *, jumps: bool
    ) -> tuple[Any, float]:
        """Return the averages of phi(M) at two data, and their error; closed forms take the pairs in portions.

        q: the mean squares of phi(M). slope: is filled with the derivatives by the covariances, if it is not None.
        jumps: whether phi magnifies errors of the covariances.
        """
        h, q_ab, errors = self.values, np.empty_like(self.values.q_ab), []
        parity = phi.parity if phi is not None and m == 1 else 0
        for part in portions(q_ab.shape) if phi is not None and phi.closed is not None else [()]:
            at_a, at_b, at_ab, same, of_a, of_b = (cut(x, part) for x in (h.q_a, h.q_b, h.q_ab, h.same, q.a, q.b))
            behind = q_ab[part]
            if slope is None:
                behind[...], error = gaussian.product(n, phi, m, (at_a, at_b, at_ab))
            else:
                from igbtheory.mathematics.averages import slopes  # noqa: PLC0415 - training alone needs it

                # of a datum with itself, rounding would cost half the digits of an angle
                pair = at_a, at_b, np.where(same, at_a, at_ab)
                slope[part], behind[...], error = slopes.with_product(n, phi, m, pair)
            equal = (at_ab == at_a) & (at_ab == at_b)
            if jumps:  # data that rounding makes equal stay apart: the next jump would take them for one datum
                behind[~equal & (behind == of_a) & (behind == of_b)] *= 1 - 4 * n.epsilon
            # equal data stay equal, and opposite ones opposite: of c = 1 - rounding the arcsine has half the digits
            np.copyto(behind, of_a, where=equal | same)
            if parity:
                np.copyto(behind, parity * of_a, where=(at_ab == -at_a) & (at_ab == -at_b))
            errors.append(error)
        return q_ab, max(errors)

    def units(self, draws: Draws, count: int) -> Array:
        return self._root @ draws.normal(self._root.shape[1], count)

    @cached_property
    def _root(self) -> Array:
        """Root L of the kernel, which is L L^T, shape (data, rank)."""
        if self.values.q_ab.ndim > 2:
            refuse_pairs()
        return kernel_root(self.values.q_ab.astype(float))


def _first_two(n: Kind, phi: Function | None, m: int, q: Any) -> tuple[Any, Any]:
    """Return E phi(M) and E phi(M)^2 for variances q, of which equal ones are computed once without a closed form."""
    if m == 1 and phi is not None and phi.closed is not None and np.all(q):
        return phi.closed.mean(n, q) + 0 * q, phi.closed.square(n, q)
    unlike, where = np.unique(q, return_inverse=True)
    constant, where = unlike == 0, where.reshape(np.shape(q))
    moments = gaussian.moments(n, phi, m, Moments(0, 0 * unlike, np.where(constant, n.number(1), unlike)))
    mean = moments.mean + 0 * unlike
    variance = np.where(constant, 0 * unlike, moments.variance)
    if constant.any():
        mean[constant] = n.number(0) if phi is None else phi(n, n.number(0))
    return mean[where], (mean * mean + variance)[where]


def of_gaussian(values: Any) -> Base[Any]:
    """Return the base of Gaussian units with these moments."""
    return GaussianPairs(values) if isinstance(values, Pairs) else Gaussian(values)


class UnitsNeededError(ValueError):
    """Raised if units must be drawn, for which the kernel of all data at all positions is needed at once."""


def refuse_pairs() -> NoReturn:
    """Refuse to draw units of images if only some pairs of positions are known."""
    raise UnitsNeededError(
        "expected units of a Conv2d or a Dense in front of every activation on images, got averages of functions of "
        "units, such as pools, for which there is no rule; put a Conv2d or a Dense between them"
    )
