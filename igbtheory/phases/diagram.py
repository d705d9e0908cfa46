"""Phase diagrams: gamma over the variances of biases and weights, with the lines that separate the phases."""

from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, final

import numpy as np

from igbtheory.foundations import checks
from igbtheory.foundations.result import Result
from igbtheory.foundations.runs import Piece, chosen, in_order, kept
from igbtheory.layers.dense import Dense
from igbtheory.layers.inputs import GaussianInputs
from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.networks.network import Norm, Placement
from igbtheory.phases.block import Array, Block, block_of, one_input, units
from igbtheory.phases.critical_lines import backward_line, edge_of_chaos, neutrality_line, no_edge_of_chaos
from igbtheory.theory.refusals import RANGE

FINE = 101
"""Points of a line in the picture, which is drawn as straight lines between them."""
SECONDS = {False: 2e-5, True: 1e-2}
"""Approximate seconds for a point of the grid in a layer, without and with a pool."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class Diagram(Result):
    """Phase diagram of `mlp(depth, activation, ...)`.

    title: the network in words. sigma_w2, sigma_b2: the axes. gamma: bias ratio at the depth, shape (len(sigma_b2),
    len(sigma_w2)), NaN if the variance is beyond double precision. edge: sigma_w2 on the edge of chaos for every
    sigma_b2. backward: sigma_w2 at which squared gradients keep their size, whether the variance settles, as on the
    edge, or not. neutrality: sigma_w2 at which gamma tends to 1 with depth. All are NaN where there is none.
    fine_sigma_b2, fine_backward, fine_neutrality: the same lines at more points, for a picture. forward: threshold of
    the forward pass, NaN if it depends on the variance. error: the largest estimated relative error of the variances in
    gamma. no_edge: why there is no edge of chaos at any sigma_b2, or "".

    depth: number of hidden layers.

    >>> igb.phases.diagram("tanh", np.linspace(0.5, 4), np.linspace(0, 0.3), depth=50).plot()    # doctest: +SKIP
    """

    title: str
    depth: int
    sigma_w2: Array
    sigma_b2: Array
    gamma: Array
    edge: Array
    backward: Array
    neutrality: Array
    fine_sigma_b2: Array
    fine_backward: Array
    fine_neutrality: Array
    forward: float
    error: float
    no_edge: str = ""

    def columns(self) -> dict[str, Any]:
        """Return a row for every point: both variances, gamma, and sigma_w2 on the lines at this sigma_b2."""
        w2, b2 = np.meshgrid(self.sigma_w2, self.sigma_b2)
        lines = {"edge_of_chaos": self.edge, "backward_line": self.backward, "neutrality_line": self.neutrality}
        across = {name: np.repeat(line, len(self.sigma_w2)) for name, line in lines.items()}
        return {"sigma_b2": b2.ravel(), "sigma_w2": w2.ravel(), "gamma": self.gamma.ravel(), **across}


def diagram(  # noqa: PLR0913 - the options of every run
    activation: Any,
    sigma_w2: Any,
    sigma_b2: Any,
    depth: int = 100,
    *,
    inputs: GaussianInputs | None = None,
    workers: int | None = None,
    executor: Executor | str | None = None,
    store: str | Path | None = None,
    pool: Any = None,
    norm: Norm | None = None,
    placement: Placement = "before",
) -> Diagram:
    """Return the phase diagram over two axes, the one-dimensional arrays sigma_w2 and sigma_b2.

    pool, norm, placement: as in `mlp`; inputs: default N(0, 1), single numbers. workers, executor, store: as
    in `simulate`, for four pieces of work: gamma and the three lines. Every layer takes all points at once: 50 x 50
    points to depth 100 take 2 s for tanh. With MaxPool a point takes 2 to 20 ms in every layer, so choose a coarser
    grid: 12 x 12 points to depth 20 take 16 s for ReLU and 50 s for tanh.

    activation, depth: as in `mlp`. sigma_w2, sigma_b2: the axes.

    >>> diagram = igb.phases.diagram("relu", np.array([1.0, 2.0]), np.array([0.1, 0.2]), depth=5)
    >>> diagram.gamma.round(4)
    array([[19.6368,  3.5591],
           [32.9692,  4.2716]])
    """
    w2, b2 = _axis("sigma_w2", sigma_w2), _axis("sigma_b2", sigma_b2)
    depth = checks.whole("depth", depth, 1)
    block = block_of(activation, pool, norm, placement)
    dense = Dense(*(part.ravel() for part in np.meshgrid(w2, b2)))
    fine = near_zero(b2[-1], FINE)
    along = np.concatenate([b2, fine])
    gaussian = one_input(inputs)
    pieces: list[Piece] = [
        partial(_through, block, dense, gaussian, depth),
        partial(_edge, block, b2),
        partial(_backward, block, along),
        partial(neutrality_line, block, along),
    ]
    seconds = SECONDS[any(layer.pooled > 1 for layer in block.layers)] * depth * w2.size * b2.size
    who = chosen(executor, workers, seconds)
    configuration = {"diagram": block.title, "depth": depth, "inputs": repr(gaussian)}
    corner = partial(_through, block, Dense(w2[:1], b2[:1]), gaussian, depth)
    with kept(store, configuration, lambda: (w2, b2, corner()), "axes, and gamma in the corner", who) as file:
        (gamma, error), (edge, no_edge), backward, neutrality = in_order(pieces, executor=who, store=file)
    return Diagram(
        title=block.title,
        depth=depth,
        sigma_w2=w2,
        sigma_b2=b2,
        gamma=gamma.reshape(b2.size, w2.size),
        edge=edge,
        backward=backward[: b2.size],
        neutrality=neutrality[: b2.size],
        fine_sigma_b2=fine,
        fine_backward=backward[b2.size :],
        fine_neutrality=neutrality[b2.size :],
        forward=float(1 / block.square(1.0)) if block.homogeneous else np.nan,
        error=error,
        no_edge=no_edge,
    )


def near_zero(widest: float, count: int) -> Array:
    """Return `count` values of sigma_b2 above 0 up to `widest`, denser near 0.

    On the edge of chaos of tanh sigma_w2 - 1 grows like the third root of sigma_b2. These values draw the line in
    nearly equal steps, while evenly spaced ones would show a kink.
    """
    return np.asarray(widest * (np.arange(1, count + 1) / count) ** 3)


def _axis(name: str, values: Any) -> Array:
    checks.non_negative(name, values)
    axis = np.asarray(values, dtype=float)
    if axis.ndim != 1 or axis.size < 2 or not np.all(np.diff(axis) > 0):
        raise ValueError(
            f"expected {name} to be two or more ascending numbers, got an array of shape {axis.shape}; pass for "
            "instance np.linspace(0.5, 4, 100)"
        )
    return axis


def _edge(block: Block, sigma_b2: Array) -> tuple[Array, str]:
    """Return the edge of chaos, and why there is none at any sigma_b2, or ""."""
    try:
        edge = edge_of_chaos(block, sigma_b2)
    except ValueError as reason:  # it jumps, or without biases every sigma_w2 is on the edge
        return np.full(sigma_b2.shape, np.nan), str(reason)
    return edge, "" if np.isfinite(edge).any() else no_edge_of_chaos(block, float(sigma_b2[-1]))


def _backward(block: Block, sigma_b2: Array) -> Array:
    try:
        return np.asarray(backward_line(block, sigma_b2))
    except ValueError:  # as above
        return np.full(sigma_b2.shape, np.nan)


@np.errstate(all="ignore")  # gamma is NaN where numbers are out of range
def _through(block: Block, dense: Dense, inputs: GaussianInputs, depth: int) -> tuple[Array, float]:
    """Return gamma at every point of the sweep `dense`, NaN where the variance is out of range, and its error."""
    x = units(inputs.moments(FLOAT64)).through((dense,)).averaged()
    out_of_range = np.zeros(np.shape(x.var_chi), dtype=bool)
    for _ in range(depth):
        out_of_range |= ~((x.variance > 1 / RANGE) & (x.variance < RANGE))
        x = replace(x, var_mu=np.where(out_of_range, 1.0, x.var_mu), var_chi=np.where(out_of_range, 1.0, x.var_chi))
        x = units(x).through((*block.layers, dense)).averaged()
    error = np.where(out_of_range, 0.0, x.error)
    return np.where(out_of_range, np.nan, x.var_mu / x.var_chi), float(np.max(error))
