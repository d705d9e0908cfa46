"""Residual networks of continuous depth: L blocks X + scale/sqrt(L) F(X), L to infinity.

A block adds scale^2/L times the variances of its branch, so that in the limit, with t from 0 to 1,

    d var_mu/dt = scale^2 var_mu(F),   d var_chi/dt = scale^2 var_chi(F),   d log g/dt = scale^2 g(F)

for the stream X and its noise g, var(F) those of the branch at this stream, g(F) what the branch multiplies noise by.
The error of L blocks is of order 1/L.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from igbtheory.averages.state import Moments
from igbtheory.inputs import GaussianInputs
from igbtheory.layers import Gaussian, LawNode, Residual
from igbtheory.layers.node import moments_only
from igbtheory.network import Network
from igbtheory.numbers import FLOAT64
from igbtheory.phases.gradients import Gradients, gradients, of_segments
from igbtheory.phases.gradients_twins import Twins, add_twins
from igbtheory.prediction import Prediction
from igbtheory.result import Result
from igbtheory.theory import stacked

TOLERANCES = (1e-9, 1e-12)
"""Relative tolerances of a rougher and of the finer solution."""
NOTHING = 1e-20
"""Share of a variance that counts as 0, as that of centres which begin at 0."""
CENTRED = 1e-12
"""Share of a standard deviation that a mean of 0 may have by rounding."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class ResidualLimit(Result):
    """Prediction and gradients of a network whose residual blocks stand for infinitely many: see `residual_limit`."""

    prediction: Prediction
    gradients: Gradients


def residual_limit(net: Network, inputs: GaussianInputs | None = None) -> ResidualLimit:
    """Limit of a network in which L copies, of scale/sqrt(L), replace every residual block, for L to infinity.

    net: residual blocks stand among its layers, not inside one another; inputs: default N(0, 1). The branch of a block
    must have the mean 0, as behind a Dense: means would add up to sqrt(L).
    """
    blocks = [layer for layer in net.layers if isinstance(layer, Residual)]
    if not blocks:
        raise ValueError("expected a network with a Residual block, got none: there is no depth to make continuous")
    if any(block.shortcut for block in blocks):
        raise ValueError("expected blocks that add to their stream, got one with a shortcut: leave the shortcut out")
    gradients(net, inputs)  # refuses what has none
    twins = Twins(LawNode(FLOAT64, Gaussian((inputs or GaussianInputs()).moments(FLOAT64))), FLOAT64.number(1))
    found: list[Twins] = []
    with np.errstate(all="ignore"):
        for layer in net.layers:
            if isinstance(layer, Residual):
                twins = _flow(layer, twins)
            elif found:
                twins = twins.through(layer)
            else:
                twins = replace(twins, node=layer.law(twins.node))
            if layer.listed:
                found.append(twins)
                twins = Twins(twins.node, FLOAT64.number(1))
    prediction = Prediction(stacked(FLOAT64, [twins.node.averaged() for twins in found]))
    return ResidualLimit(prediction, of_segments(FLOAT64, found[1:]))


def _flow(layer: Residual, twins: Twins) -> Twins:
    """Twins behind infinitely many blocks."""
    node, x, before = layer.law(twins.node), twins.node.averaged(), twins.applied()

    def at(state: Any, error: Any) -> Twins:
        values = Moments(x.mean, state[0], state[1], error)
        stream = node.after(Gaussian(values)) if node.gaussian else moments_only(node.n, values)
        return Twins(stream, state[2], error=error)

    def rates(state: NDArray[Any]) -> NDArray[Any]:
        share, added = layer.branch(at(state, 0.0), lambda inner, twins: twins.through(inner), add_twins)
        branch, scale2 = added.node.averaged(), np.square(layer.scale)
        if np.any(share != 0) or np.any(np.abs(branch.mean) > CENTRED * np.sqrt(branch.variance)):
            raise ValueError(
                f"expected a branch of mean 0 and without a multiple of its stream, got {layer!r}: over L blocks they "
                "add up to sqrt(L); end the branch with a Dense, and take inner blocks out of it"
            )
        found = (branch.var_mu, branch.var_chi, added.applied().noise)
        return np.stack(np.broadcast_arrays(*(scale2 * rate for rate in found)))

    start = (x.var_mu, x.var_chi, before.noise)
    shape = np.broadcast_shapes(*map(np.shape, (*start, *rates(np.array(np.broadcast_arrays(*start))))))
    begin = np.array([np.broadcast_to(part, shape) for part in start], dtype=float)
    rough, fine = (_solved(rates, begin, tolerance) for tolerance in TOLERANCES)
    error = np.max(np.abs(fine - rough) / (fine + NOTHING * fine.max(axis=0)), axis=0)
    return at([part[()] for part in fine], before.error + x.error + error)


def _solved(rates: Callable[[NDArray[Any]], NDArray[Any]], begin: NDArray[Any], tolerance: float) -> NDArray[Any]:
    """State at t = 1, shape (3, *sweep)."""
    found = solve_ivp(
        lambda _, y: rates(y.reshape(begin.shape)).ravel(),
        (0.0, 1.0),
        begin.ravel(),
        method="DOP853",
        rtol=tolerance,
        atol=NOTHING * begin.max(),
    )
    if not found.success:
        raise ValueError(
            f"the stream of a residual block leaves the range of numbers at t = {found.t[-1]:.3g} of its depth: "
            f"{found.message}; use a smaller scale or sigma_w2"
        )
    return np.asarray(found.y[:, -1].reshape(begin.shape))
