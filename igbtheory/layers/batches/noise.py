"""Noise behind a BatchNorm: what becomes of the distance of two data that are infinitely close."""

from typing import Any

import numpy as np

from igbtheory.layers.nodes.gaussian import Gaussian
from igbtheory.layers.nodes.node import LawNode
from igbtheory.mathematics.averages import gaussian
from igbtheory.mathematics.averages.noise import Noise
from igbtheory.mathematics.averages.state import Moments
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.numbers import Kind

ALIKE = 64
"""Variance var_mu of the centres of units, in rounding errors of their whole variance, below which it is 0."""
COARSEST, FRACTION = 0.125, 0.25
"""Largest step of the rule over the centres, in units of sqrt(var_mu) and of sqrt(var_chi)."""
ROUNDINGS = 100
"""Number of rounding errors of a sum over the centres."""


def normalised_noise(norm: Any, node: LawNode) -> Noise | None:
    """Return the noise behind a full-batch norm, a BatchNorm, of a node; None if no gradients are asked for.

    The norm multiplies the noise by E_u of E_z |grad f|^2/(V + eps), where V = Var_z f is the variance over the data of
    one unit.
    """
    x = node.averaged() if node.passage.gradients else None
    if x is None or x.noise is None:
        return None
    n, base, eps = node.n, node.base, node.n.number(norm.eps)
    if node.gaussian or np.all(np.asarray(x.var_mu <= ALIKE * n.epsilon * x.variance, dtype=bool)):
        return x.noise.times(1 / (x.var_chi + eps), x.error)
    if not isinstance(base, Gaussian) or base.values.noise is None or node.maximum > 1 or node.phi is None:
        raise ValueError(
            f"{norm!r} behind pooled or dropped units of different centres: how their variance over the data varies "
            "from unit to unit is not known; use sigma_b2=0 and centred inputs, or put the norm in front of the "
            "activation"
        )
    coarse, fine = _over_centres(n, node.phi, base.values, eps)
    error = np.asarray(abs(coarse - fine) / fine, dtype=float)[()] + ROUNDINGS * n.epsilon
    return base.values.noise.times(fine, base.values.error + error)


def noise_over_scale(size: int, x: Moments) -> Noise | None:
    """Return the noise of Gaussian units over their mean squared deviations in a batch, None without gradients.

    They are v chi^2/size, chi^2 of size - 1 degrees of freedom and v the variance of a unit over its batch.
    """
    if x.noise is None:
        return None
    if size <= 3:
        raise ValueError(
            f"expected batches of more than 3 data for gradients, got BatchNorm({size}), where their mean square is "
            "infinite; use BatchNorm(4)"
        )
    return x.noise.times(size / ((size - 3) * x.unshared), x.error)


@np.errstate(all="ignore")
def _over_centres(n: Kind, phi: Function, h: Moments, eps: Any) -> tuple[Any, Any]:
    """Return the mean over the centres of units of E_z phi'^2/(Var_z phi + eps), by a coarse and a fine rule.

    The trapezoidal rule converges exponentially here, because the integrand is analytic on the scale of sqrt(var_chi).
    """
    from igbtheory.mathematics.averages import slopes  # noqa: PLC0415 - gradients alone need it

    ratio = float(np.min(np.asarray(h.var_chi / h.var_mu, dtype=float)))
    step = min(COARSEST, FRACTION * ratio**0.5)
    count = int(np.ceil((-2 * np.log(n.epsilon)) ** 0.5 / step))
    u = n.number(step) * n.number(np.arange(-count, count + 1))
    mean, var_mu, var_chi = (np.asarray(n.number(part))[..., None] for part in (h.mean, h.var_mu, h.var_chi))
    given = Moments(mean + n.sqrt(var_mu) * u, 0 * var_mu, var_chi)
    square, _ = slopes.mean_square(n, phi, 1, given)
    values = square / (gaussian.moments(n, phi, 1, given).var_chi + eps) * n.npdf(u) * n.number(step)
    return 2 * values[..., count % 2 :: 2].sum(axis=-1), values.sum(axis=-1)
