"""Phase diagrams: gamma over the variances of biases and weights, with the lines that part the phases."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, final

import numpy as np

from igbtheory import checks
from igbtheory.accuracy import AccuracyWarning
from igbtheory.averages.state import Moments
from igbtheory.inputs import GaussianInputs
from igbtheory.layers import Dense, LawNode
from igbtheory.layers.node import moments_only
from igbtheory.network import Network, mlp
from igbtheory.numbers import FLOAT64
from igbtheory.phases.block import Array, Block, block_of, one_input, units
from igbtheory.phases.lines import edge_of_chaos, neutrality_line
from igbtheory.phases.surface import Surface, surface
from igbtheory.theory import RANGE

WITNESSES = 3
"""Points drawn, besides that of the least gamma, at which the diagram is compared with predictions."""
SEED = 0
MARGIN = 1.1
"""Factor by which the range of variances is widened beyond that of the corners."""


@final
@dataclass(frozen=True, eq=False)
class Diagram:
    """Phase diagram of `mlp(depth, activation, ...)`.

    sigma_w2, sigma_b2: the axes; gamma: bias ratio at the depth, shape (len(sigma_b2), len(sigma_w2)), NaN where the
    variance leaves double precision. edge: sigma_w2 on the edge of chaos, the threshold of the backward pass, for every
    sigma_b2; neutrality: sigma_w2 of gamma = 1 in the limit of depth; NaN: there is none. forward: threshold of the
    forward pass, NaN where it depends on the variance. title: the network in words; error: relative, of gamma, the
    largest difference from predictions at a few points, drawn at random and where gamma is least. no_edge: why there
    is no edge of chaos at any sigma_b2, or "".
    """

    title: str
    depth: int
    sigma_w2: Array
    sigma_b2: Array
    gamma: Array
    edge: Array
    neutrality: Array
    forward: float
    error: float
    no_edge: str = ""


def diagram(  # noqa: PLR0913 - the arguments of a network
    activation: Any,
    sigma_w2: Any,
    sigma_b2: Any,
    depth: int = 100,
    *,
    pool: Any = None,
    norm: str | None = None,
    placement: str = "before",
    inputs: GaussianInputs | None = None,
) -> Diagram:
    """Phase diagram over two axes, one-dimensional arrays sigma_w2 and sigma_b2; other arguments as those of `mlp`.

    inputs: default N(0, 1), single numbers. A table of the block takes its points through all layers: 100 x 100 points
    to depth 200 take seconds. Where the variances span too much for a table, layers are predicted one after another.
    """
    w2, b2 = _axis("sigma_w2", sigma_w2), _axis("sigma_b2", sigma_b2)
    depth = checks.whole("depth", depth, 1)
    given: dict[str, Any] = {"pool": pool, "norm": norm, "placement": placement}
    block = block_of(activation, **given)
    dense = Dense(*(part.ravel() for part in np.meshgrid(w2, b2)))
    inputs = one_input(inputs)
    with np.errstate(all="ignore"):  # what leaves the range of the numbers is NaN
        gamma = _gamma(block, dense, inputs, depth)
    edge, no_edge = np.full(b2.shape, np.nan), ""
    try:
        edge = edge_of_chaos(activation, b2, **given)
    except ValueError as error:  # it jumps, or without biases every sigma_w2 is on the edge
        no_edge = str(error)
    return Diagram(
        title=block.title,
        depth=depth,
        sigma_w2=w2,
        sigma_b2=b2,
        gamma=gamma.reshape(b2.size, w2.size),
        edge=edge,
        neutrality=neutrality_line(activation, b2, **given),
        forward=float(1 / block.square(1.0)) if block.homogeneous else np.nan,
        error=_missed(gamma, dense, inputs, partial(mlp, depth, activation, **given)),
        no_edge=no_edge,
    )


def _axis(name: str, values: Any) -> Array:
    checks.non_negative(name, values)
    found = np.asarray(values, dtype=float)
    if found.ndim != 1 or found.size < 2 or not np.all(np.diff(found) > 0):
        raise ValueError(
            f"expected {name} to be two or more ascending numbers, got an array of shape {found.shape}; pass for "
            "instance np.linspace(0.5, 4, 100)"
        )
    return found


def _gamma(block: Block, dense: Dense, inputs: GaussianInputs, depth: int) -> Array:
    """Gamma at all points, from a table of the block where there is one; NaN where the variance leaves the range."""
    first = dense.law(units(inputs.moments(FLOAT64))).averaged()
    gamma = np.full(np.shape(first.var_chi), np.nan)
    ends = _ends(block, dense, inputs, depth)
    table = None if ends is None else surface(block, *ends)
    if table is not None:
        gamma = _through(partial(_by_table, table), dense, first, depth)
        x = block.after(0.0, 1.0)
        if x.mean == 0 and x.var_mu == 0:  # centres that are all 0 stay so, as for odd activations
            gamma[(first.var_mu == 0) & (dense.sigma_b2 == 0)] = 0.0  # where a table leaves rounding
    left = np.isnan(gamma)
    if left.any():
        some = Dense(dense.sigma_w2[left], dense.sigma_b2[left])
        first = some.law(units(inputs.moments(FLOAT64))).averaged()
        gamma[left] = _through(lambda x: block.law(units(x)), some, first, depth)
    return gamma


def _through(hidden: Callable[[Moments], LawNode], dense: Dense, x: Moments, depth: int) -> Array:
    """Gamma at the depth from the moments x behind the first Dense, NaN where the variance leaves double precision."""
    lost = np.zeros(np.shape(x.var_chi), dtype=bool)
    for _ in range(depth):
        lost |= ~((x.variance > 1 / RANGE) & (x.variance < RANGE))
        x = Moments(0, np.where(lost, 1.0, x.var_mu), np.where(lost, 1.0, x.var_chi))
        x = dense.law(hidden(x)).averaged()
    return np.where(lost, np.nan, x.var_mu / x.var_chi)


def _by_table(table: Surface, x: Moments) -> LawNode:
    """Moments behind the block from its table, NaN beyond the ends of the table."""
    log_q = np.log(x.variance)
    square, var_chi = table(log_q, x.var_chi / x.variance)
    inside = (log_q >= table.log_q.low) & (log_q <= table.log_q.high)
    return moments_only(FLOAT64, Moments(0, np.where(inside, square - var_chi, np.nan), var_chi))


def _ends(block: Block, dense: Dense, inputs: GaussianInputs, depth: int) -> tuple[float, float] | None:
    """Least and largest variance in networks at the corners of the diagram; None where they leave double precision."""
    w2, b2 = ((part.min(), part.max()) for part in (dense.sigma_w2, dense.sigma_b2))
    corners = Dense(*(part.ravel() for part in np.meshgrid(w2, b2)))
    node = corners.law(units(inputs.moments(FLOAT64)))
    low, high = np.inf, 0.0
    for _ in range(depth + 1):
        q = node.averaged().variance
        low, high = min(low, q.min()), max(high, q.max())
        if not (low > 1 / RANGE and high < RANGE):
            return None
        try:
            node = corners.law(block.law(units(Moments(0, 0 * q, q))))
        except ValueError:  # no quadrature resolves the formula at this variance
            return None
    return low / MARGIN, high * MARGIN


def _missed(gamma: Array, dense: Dense, inputs: GaussianInputs, network: Callable[..., Network]) -> float:
    """Relative difference from predictions at points drawn at random and where gamma is least, and their own error."""
    known = np.flatnonzero(np.isfinite(gamma))
    if not known.size:
        return np.nan
    seen = np.append(np.random.default_rng(SEED).choice(known, WITNESSES), known[np.argmin(gamma[known])])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AccuracyWarning)  # the diagram tells the error
        found = network(sigma_w2=dense.sigma_w2[seen], sigma_b2=dense.sigma_b2[seen]).predict(inputs)
    with np.errstate(invalid="ignore"):
        missed = np.where(gamma[seen] == found.gamma, 0.0, np.abs(gamma[seen] - found.gamma) / found.gamma)
    return float(np.max(missed) + np.max(found.error))
