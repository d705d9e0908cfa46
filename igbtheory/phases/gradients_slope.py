"""Slopes of units: what a function of a Gaussian or normalised unit does to small noise of that unit.

A function f multiplies the variance of noise by E |grad f|^2, and the covariance of the noise of two data of a batch by
E grad f_a grad f_b. Of the largest of several units the gradient is phi' at the largest. The Jacobian of a norm is
(1 - 1 1^T/n - B B^T/n)/s: noise along the mean and along the normalised values B themselves is lost.
"""

from dataclasses import dataclass, replace
from typing import Any, NoReturn, final

import numpy as np

from igbtheory.averages import gaussian
from igbtheory.averages.state import Moments
from igbtheory.formulas import FUNCTIONS
from igbtheory.formulas.function import Function
from igbtheory.formulas.tree import X, mul
from igbtheory.layers import Gaussian, LawNode
from igbtheory.layers.base import Base
from igbtheory.layers.groupnorm import Grouped
from igbtheory.layers.normalised import Normalised
from igbtheory.numbers import FLOAT64, Kind

FEWEST = 4
"""Values from which on the mean of one over their variance is finite."""


@final
@dataclass(frozen=True)
class Slope:
    """Factors of the variance of noise (`own`) and of its covariance at two data of a batch (`shared`).

    centred: whether what the noise of a batch has in common is lost first; error: relative, estimated, of own.
    """

    own: Any
    shared: Any
    centred: bool = False
    error: Any = 0.0

    def noise(self, own: Any, shared: Any) -> tuple[Any, Any]:
        """Variance and covariance of the noise behind the rule; a covariance of None is 0 and stays it."""
        if self.centred:
            own = shared = own if shared is None else own - shared
        return self.own * own, None if shared is None else self.shared * shared


def slope(node: LawNode, *, pairs: bool) -> Slope:
    """Slope of the function of a node; `pairs`: whether its factor of covariances is asked for."""
    phi, base, m = node.phi, node.base, node.maximum
    if phi is not None:
        refuse_jumps(phi)
    if isinstance(base, Gaussian):
        return _of_gaussian(node.n, phi, m, base, pairs=pairs)
    if isinstance(base, Normalised):
        if m > 1 or float(base.eps) or base.estimator != "exact":
            what = f"a maximum of {m} units" if m > 1 else "eps > 0" if float(base.eps) else f"law={base.estimator!r}"
            _refuse(f"BatchNorm({base.size}) with {what}")
        return _projected(node.n, phi or FUNCTIONS["linear"], base, base.size, base.variance)
    if isinstance(base, Grouped):
        if pairs:
            _refuse("GroupNorm behind BatchNorm in batches")
        found = _projected(node.n, phi or FUNCTIONS["linear"], base, base.size, base.values.variance)
        return replace(found, centred=False)
    return Slope(node.n.number(1), node.n.number(1))


def mean_square(n: Kind, phi: Function | None, m: int, h: Moments) -> tuple[Any, Any]:
    """Mean square E phi'(M)^2, M the largest of m Gaussian units with the moments h, and its relative error."""
    if phi is None:
        return n.number(1), 0.0
    q = h.variance
    if phi.closed is not None and h.centred and m == 1:
        return phi.closed.slope(n, q, q, q), 4 * n.epsilon
    try:
        x = gaussian.moments(n, phi.derivative, m, Moments(h.mean, 0 * q, q))
    except ValueError as error:
        raise ValueError(
            f"expected an activation whose derivative has a mean square, got {phi.name!r}: {error}; use one that is "
            "smooth, or steep nowhere"
        ) from None
    return x.mean * x.mean + x.variance, x.error


def refuse_jumps(phi: Function) -> None:
    """Refuse an activation that jumps: its derivative has no mean square."""
    pieces = phi.pieces
    places = [float(kink) for kink, jump in zip(pieces.kinks, pieces.jumps(FLOAT64), strict=True) if jump]
    if places:
        raise ValueError(
            f"expected an activation with a derivative, got {phi.name!r}, which jumps at {places[0]:g}: the mean "
            "square of its derivative is infinite; use a continuous one"
        )


def _of_gaussian(n: Kind, phi: Function | None, m: int, base: Gaussian, *, pairs: bool) -> Slope:
    h = base.values
    own, error = mean_square(n, phi, m, h)
    if not pairs:
        return Slope(own, n.number(0), error=h.error + error)
    if m > 1:
        _refuse(f"a maximum of {m} units behind BatchNorm in batches")
    if phi is None:
        return Slope(own, n.number(1), error=h.error)
    shared, _ = gaussian.product(n, phi.derivative, 1, (h.variance, h.variance, h.covariance), h.mean)
    return Slope(own, shared, error=h.error + error)


def _projected(n: Kind, phi: Function, base: Base[Moments], size: int, variance: Any) -> Slope:
    """Slope of phi behind a norm over `size` Gaussian values of that variance: with E 1/s^2 = size/(size - 3)/variance,

    own E (1 - 1/size - B^2/size) phi'^2/s^2, shared -E (1 + B_a B_b) phi'_a phi'_b/(size s^2).
    """
    if size < FEWEST:
        raise ValueError(
            f"expected a norm over at least {FEWEST} values, got one over {size}: the mean of one over their "
            "variance, and with it that of the squared gradient, is infinite; use larger batches or groups"
        )
    along = Function(f"x times the derivative of {phi.name}", mul(X, phi.derivative.tree))
    across, error = _second(base.average(n, phi.derivative, 1))
    lengthwise, more = _second(base.average(n, along, 1))
    factor = size / ((size - 3) * variance)
    own = across[0] - (across[0] + lengthwise[0]) / size
    return Slope(
        factor * own,
        -factor * (across[1] + lengthwise[1]) / size,
        centred=True,
        error=np.asarray((across[0] * error + lengthwise[0] / size * more) / own, dtype=float)[()],
    )


def _second(x: Moments) -> tuple[tuple[Any, Any], Any]:
    """Second moment and mean product at two data of a batch, and the relative error."""
    mean2 = x.mean * x.mean
    return (mean2 + x.variance, mean2 + x.covariance), x.error


def _refuse(what: str) -> NoReturn:
    raise ValueError(f"the gradients of {what} are not known; use the full batch, BatchNorm(), or LayerNorm()")
