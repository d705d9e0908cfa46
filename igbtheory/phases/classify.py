"""The phase of a network: which row of the table of bias and gradients it belongs to, or why it belongs to none."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory import checks
from igbtheory.inputs import GaussianInputs
from igbtheory.layers import Dense, Gaussian, LawNode
from igbtheory.layers.node import moments_only
from igbtheory.numbers import FLOAT64
from igbtheory.phases.block import Block, one_input
from igbtheory.phases.points import MARGIN, FixedPoint, Variance, checked, correlations, variances, without_limit
from igbtheory.phases.rates import Rate, rate_at

Array = NDArray[np.float64]
DEPTHS = (10, 30, 100)
"""Depths whose gamma is told beside the limit."""
SHALLOWEST = 200
"""Layers followed at the least, to see where the variance goes."""
RANGE = 1e150
"""Variance at most, and its inverse at least."""
NEAR = 1e-6
"""Relative distance at which a variance has reached one that attracts."""
ROUNDING = 1e-24
"""Bias ratio that rounding leaves of 0."""
TABLE = {
    "ordered deep prejudice": "gamma -> inf, gradients vanish: the bias persists",
    "transient deep prejudice": "gamma -> inf, gradients neither grow nor vanish: the edge of chaos",
    "chaotic deep prejudice": "gamma -> inf, gradients explode",
    "prejudice": "1 < gamma < inf, gradients explode",
    "neutrality": "gamma < 1, gradients explode",
}
"""The rows of the table. Source: bias-meets-trainability, Table 1."""
OTHERS = {
    "no bias": "gamma = 0 at every depth: no biases, centred inputs, an activation of mean 0",
    "border": "gamma -> 1: between prejudice and neutrality",
    "kept bias": "the network becomes linear over depth, and gamma keeps what the first layers gave it",
    "undecided": "the variance of the units vanishes, slower than exponentially, and its limit does not decide gamma",
    "bias without chaos": "gamma settles though gradients do not explode: equal data are no fixed point",
    "no limit": "the variance of the units grows without bound or vanishes, by a factor that has no limit",
}
"""Cases that the table leaves out."""


@final
@dataclass(frozen=True, eq=False)
class Phase:
    """Phase of a network: see `classify`.

    name: a row of the table, or a case that it leaves out (in_table says which); meaning: in words. point: the fixed
    point that depth takes the network to, None where there is none; rate: how gamma goes there. depths, gamma: bias
    ratios of networks so deep, NaN where the variance leaves double precision. remark: what there is to add, or "".
    """

    name: str
    meaning: str
    point: FixedPoint | None
    rate: Rate | None
    depths: tuple[int, ...]
    gamma: Array
    remark: str = ""

    @property
    def in_table(self) -> bool:
        """Whether the table of the paper has this phase."""
        return self.name in TABLE


def classify(  # noqa: PLR0913 - the arguments of a network
    activation: Any,
    sigma_w2: float = 2.0,
    sigma_b2: float = 0.0,
    *,
    pool: Any = None,
    norm: str | None = None,
    placement: str = "before",
    inputs: GaussianInputs | None = None,
    depths: Any = DEPTHS,
) -> Phase:
    """Phase of `mlp(depth, activation, ...)` in the limit of depth, and gamma at some depths beside it.

    Arguments as those of `mlp`, single numbers; inputs: default N(0, 1), which decide where several q attract.
    The table of phases goes by gamma and by the factor of the squared gradient per layer (the backward pass): see
    `TABLE`, and `OTHERS` for what it leaves out. Source: bias-meets-trainability, Table 1.
    """
    block, sigma_w2, sigma_b2 = checked(activation, sigma_w2, sigma_b2, pool, norm, placement)
    depths = tuple(checks.whole("depths", depth, 1) for depth in depths)
    course = _course(block, Dense(sigma_w2, sigma_b2), one_input(inputs), max(SHALLOWEST, *depths))
    bias = course[0] / course[1]
    gamma = np.array([bias[depth] if depth < len(bias) else np.nan for depth in depths])
    at = _reached(variances(block, sigma_w2, sigma_b2), course.sum(axis=0))
    points = list(correlations(at, sigma_w2))
    if not points:
        return Phase("no limit", OTHERS["no limit"], None, None, depths, gamma, without_limit(at))
    point = points[0]  # c < 1 attracts where there is one
    if bias[1:].max(initial=0.0) <= ROUNDING:
        return Phase("no bias", OTHERS["no bias"], point, Rate("none"), depths, gamma)
    rate = rate_at(point, at.block or block, at.at, biased=sigma_b2 > 0)
    name = _name(point)
    return Phase(name, {**TABLE, **OTHERS}[name], point, rate, depths, gamma, _remark(at))


def _name(point: FixedPoint) -> str:
    if np.isnan(point.share):
        return "undecided" if point.q == 0 and point.growth > 1 - MARGIN else "kept bias"
    if point.share > 0:
        if point.factor <= 1 + MARGIN:
            return "bias without chaos"
        return "border" if abs(point.gamma - 1) <= MARGIN else "prejudice" if point.gamma > 1 else "neutrality"
    if abs(point.factor - 1) <= MARGIN:
        return "transient deep prejudice"
    return "ordered deep prejudice" if point.factor < 1 else "chaotic deep prejudice"


def _remark(at: Variance) -> str:
    """What becomes of the variance, where it does not settle."""
    if np.isinf(at.q):
        how = "linearly" if at.growth == 1 else f"by the factor {at.growth:.6g} a layer"
        return f"the variance of the units grows without bound, {how}"
    if at.q == 0:
        how = "slower than exponentially" if at.growth > 1 - MARGIN else f"by the factor {at.growth:.6g} a layer"
        return f"the variance of the units vanishes, {how}"
    return "every variance of the units is a fixed point" if np.isnan(at.q) else ""


def _course(block: Block, dense: Dense, inputs: GaussianInputs, depth: int) -> Array:
    """Rows var_mu and var_chi after every Dense, entry d of the output at depth d, as far as numbers carry them."""
    node = dense.law(LawNode(FLOAT64, Gaussian(inputs.moments(FLOAT64))))
    found: list[tuple[float, float]] = []
    while len(found) <= depth:
        x = node.averaged()
        if not 1 / RANGE < x.variance < RANGE:
            break
        found.append((float(x.var_mu), float(x.var_chi)))
        try:
            x = block.after(x.var_mu, x.var_chi)
        except ValueError:  # no quadrature resolves the formula at this variance
            break
        node = dense.law(moments_only(FLOAT64, x))
    if len(found) < 2 or not found[0][1] > 0:
        raise ValueError(
            "expected data that vary behind the first two Dense layers; use inputs of variance > 0, or another sigma_w2"
        )
    return np.array(found).T


def _reached(ends: list[Variance], q: Array) -> Variance:
    """Fixed point of the variance that a course goes to.

    None goes round in a cycle: sqrt(q) E f^2 grows with q, so that dq'/dq > -1/2 where q' = q.
    """
    if np.isnan(ends[0].q):
        return ends[0]
    last, step = q[-1], q[-1] - q[-2]
    nearest = min(ends, key=lambda at: abs(at.q - last) if np.isfinite(at.q) else np.inf)
    if nearest.stable and abs(nearest.q - last) <= NEAR * last:
        return nearest
    ahead = [at for at in ends if (at.q > last if step > 0 else at.q < last)]
    return min(ahead, key=lambda at: abs(at.q - last)) if ahead else nearest
