"""Phase diagrams: gamma over the variances of biases and weights, with the lines that part the phases."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, final

import numpy as np

from igbtheory import checks
from igbtheory.accuracy import AccuracyWarning
from igbtheory.inputs import GaussianInputs
from igbtheory.layers import Activation, Dense, Gaussian, LawNode
from igbtheory.network import Network, mlp
from igbtheory.numbers import FLOAT64
from igbtheory.phases.block import Array, Block, block_of, one_input
from igbtheory.phases.lines import edge_of_chaos, neutrality_line
from igbtheory.phases.surface import Surface, surface

WITNESSES = 3
"""Points drawn, besides that of the least gamma, at which the diagram is compared with predictions."""
SEED = 0
MARGIN = 1.1
"""Factor by which the range of variances is widened beyond that of the corners."""
SMALLEST, LARGEST = 1e-150, 1e150
"""Variances between which double precision carries the rules."""


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
        gamma = _by_table(block, dense, inputs, depth)
        if gamma is None:
            gamma = _by_layers(block, dense, inputs, depth)
    edge, no_edge = np.full(b2.shape, np.nan), ""
    try:
        edge = edge_of_chaos(activation, b2, **given)
    except ValueError as error:  # it jumps, or without biases every sigma_w2 is on the edge
        no_edge = str(error)
    return Diagram(
        title=" + ".join(layer.phi.name if isinstance(layer, Activation) else repr(layer) for layer in block.layers),
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


def _start(dense: Dense, inputs: GaussianInputs) -> tuple[Array, Array]:
    """Variances var_mu and var_chi behind the first Dense."""
    x = dense.law(LawNode(FLOAT64, Gaussian(inputs.moments(FLOAT64)))).averaged()
    return x.var_mu, x.var_chi


def _by_table(block: Block, dense: Dense, inputs: GaussianInputs, depth: int) -> Array | None:
    """Gamma at all points, from a table of the block; None where there is no such table."""
    ends = _ends(block, dense, inputs, depth)
    table = None if ends is None else surface(block, *ends)
    if table is None:
        return None
    var_mu, var_chi = _start(dense, inputs)
    log_q, share = np.log(var_mu + var_chi), var_chi / (var_mu + var_chi)
    gamma = _through(table, dense, log_q, share, depth)
    if gamma is not None and _keeps_centres(block):
        gamma[(var_mu == 0) & (dense.sigma_b2 == 0)] = 0.0  # where a table leaves rounding
    return gamma


def _keeps_centres(block: Block) -> bool:
    """Whether centres that are all 0 stay so, as for odd activations."""
    x = block.after(0.0, 1.0)
    return bool(x.mean == 0 and x.var_mu == 0)


def _through(table: Surface, dense: Dense, log_q: Array, share: Array, depth: int) -> Array | None:
    for _ in range(depth):
        if not table.holds(log_q):
            return None
        size, spread = table(log_q, share)
        q = dense.sigma_w2 * size + dense.sigma_b2
        var_mu = dense.sigma_w2 * (size - spread) + dense.sigma_b2
        log_q, share = np.log(q), dense.sigma_w2 * spread / q
    return np.asarray(var_mu / (share * q))


def _ends(block: Block, dense: Dense, inputs: GaussianInputs, depth: int) -> tuple[float, float] | None:
    """Least and largest variance in networks at the corners of the diagram; None where they leave double precision."""
    w2, b2 = ((part.min(), part.max()) for part in (dense.sigma_w2, dense.sigma_b2))
    corners = Dense(*(part.ravel() for part in np.meshgrid(w2, b2)))
    var_mu, var_chi = _start(corners, inputs)
    q = var_mu + var_chi
    low, high = q.min(), q.max()
    for _ in range(depth):
        if not (low > SMALLEST and high < LARGEST):
            return None
        try:
            q = corners.sigma_w2 * block.square(q) + corners.sigma_b2
        except ValueError:  # no quadrature resolves the formula at this variance
            return None
        low, high = min(low, q.min()), max(high, q.max())
    return low / MARGIN, high * MARGIN


def _by_layers(block: Block, dense: Dense, inputs: GaussianInputs, depth: int) -> Array:
    """Gamma at all points, layer by layer, NaN from where the variance leaves double precision."""
    var_mu, var_chi = _start(dense, inputs)
    for _ in range(depth):
        lost = ~((var_mu + var_chi > SMALLEST) & (var_mu + var_chi < LARGEST))
        var_mu, var_chi = (np.where(lost, np.nan, part) for part in (var_mu, var_chi))
        known = np.flatnonzero(~lost)
        if not known.size:
            break
        x = block.after(var_mu[known], var_chi[known])
        var_mu[known] = dense.sigma_w2[known] * (x.mean * x.mean + x.var_mu) + dense.sigma_b2[known]
        var_chi[known] = dense.sigma_w2[known] * x.var_chi
    return np.asarray(var_mu / var_chi)


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
