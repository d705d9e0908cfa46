"""Residual networks of continuous depth: L blocks X + scale/sqrt(L) F(X), L to infinity.

A block adds scale^2/L times the variances of its branch, so that in the limit, for t from 0 to 1,

    d var_mu/dt = scale^2 var_mu(F),   d var_chi/dt = scale^2 var_chi(F),   d log g/dt = scale^2 g(F)

Here var_mu and var_chi are the variances of the stream X, g is the variance of small noise in it, var_mu(F) and
var_chi(F) are the variances of the branch at this stream, and g(F) is the factor by which the branch multiplies noise.
A network of L blocks differs from the limit by a term of order 1/L.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.foundations.result import Result
from igbtheory.layers.inputs import GaussianInputs
from igbtheory.layers.nodes.base import Averaged
from igbtheory.layers.nodes.gaussian import Gaussian
from igbtheory.layers.nodes.node import LawNode, no_units
from igbtheory.layers.nodes.samples import Ruled
from igbtheory.layers.residual import Residual
from igbtheory.mathematics.averages.noise import Noise
from igbtheory.mathematics.averages.state import Moments
from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.networks.network import Network
from igbtheory.phases.block import GRADIENTS
from igbtheory.phases.gradients import Gradients, gradients, of_segments, segments
from igbtheory.theory.gaussian_inputs import stacked
from igbtheory.theory.prediction import Prediction

TOLERANCES = (1e-9, 1e-12)
"""Relative tolerances of the coarse and of the fine solution, whose difference estimates the error."""
NOTHING = 1e-20
"""Absolute tolerance of a variance that may begin at 0, relative to the largest one."""
CENTRED = 1e-12
"""Mean, relative to a standard deviation, below which it is 0 up to rounding error."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class ResidualLimit(Result):
    """Prediction and gradients of a network of residual blocks in the limit of many blocks: see `residual_limit`.

    prediction, gradients: those of the limit.

    >>> block = igb.Residual(igb.Activation("relu"), igb.Dense(2.0))
    >>> limit = igb.phases.residual_limit(igb.Network(igb.Dense(), block, igb.Dense()))
    >>> print(f"{limit.prediction.var_chi:.4f}")
    8.1129
    """

    prediction: Prediction
    gradients: Gradients


def residual_limit(net: Network, inputs: GaussianInputs | None = None) -> ResidualLimit:
    """Return the limit L -> infinity of a network in which L copies with scale/sqrt(L) replace every residual block.

    net: its residual blocks are not nested; inputs: default N(0, 1). ValueError: the branch of a block has a mean other
    than 0, so that the means would add up to sqrt(L); a Dense at its end makes it 0.

    >>> block = igb.Residual(igb.Activation("relu"), igb.Dense(2.0))
    >>> limit = igb.phases.residual_limit(igb.Network(igb.Dense(), block, igb.Dense()))
    >>> print(f"{limit.prediction.gamma:.4f}")
    0.3402
    """
    blocks = [layer for layer in checks.network(net).layers if isinstance(layer, Residual)]
    if not blocks:
        raise ValueError("expected a network with a Residual block, got none: there is no depth to make continuous")
    if any(block.shortcut for block in blocks):
        raise ValueError("expected blocks that add to their stream, got one with a shortcut: leave the shortcut out")
    gradients(net, inputs)  # refuses networks without gradients
    passage = replace(GRADIENTS, applied=partial(_applied, blocks))
    node = LawNode(FLOAT64, Gaussian((inputs or GaussianInputs()).moments(FLOAT64)), passage=passage)
    moments = segments(net.layers, node)
    return ResidualLimit(Prediction(stacked(FLOAT64, moments)), of_segments(FLOAT64, moments))


def _applied(blocks: Sequence[Residual], layer: Ruled, node: LawNode) -> LawNode:
    """Return the node behind a layer, and behind infinitely many copies of it if it is one of the blocks."""
    block = next((block for block in blocks if block is layer), None)
    return _flow(block, node) if block else layer.rule(node)


def _flow(layer: Residual, node: LawNode) -> LawNode:
    before = node.averaged()
    noise = before.noise or Noise(node.n.number(1))  # a block in front of the first Dense

    def at(state: Any, error: Any) -> LawNode:
        values = Moments(before.mean, state[0], state[1], error, noise=Noise(state[2], error))
        return node.after(Gaussian(values) if node.gaussian else Averaged(values, no_units))

    def rates(state: NDArray[Any]) -> NDArray[Any]:
        share, added = layer.branch(replace(at(state, 0.0), passage=GRADIENTS))
        branch, scale2 = added.averaged(), np.square(layer.scale)
        if np.any(share != 0) or np.any(np.abs(branch.mean) > CENTRED * np.sqrt(branch.variance)):
            raise ValueError(
                f"expected a branch of mean 0 and without a multiple of its stream, got {layer!r}: over L blocks they "
                "add up to sqrt(L); end the branch with a Dense, and take inner blocks out of it"
            )
        variances = (branch.var_mu, branch.var_chi, branch.noise.variance)
        return np.stack(np.broadcast_arrays(*(scale2 * rate for rate in variances)))

    start = (before.var_mu, before.var_chi, noise.variance)
    shape = np.broadcast_shapes(*map(np.shape, (*start, *rates(np.array(np.broadcast_arrays(*start))))))
    begin = np.array([np.broadcast_to(part, shape) for part in start], dtype=float)
    rough, fine = (_solved(rates, begin, tolerance) for tolerance in TOLERANCES)
    error = np.max(np.abs(fine - rough) / (fine + NOTHING * fine.max(axis=0)), axis=0)
    return at([part[()] for part in fine], before.error + noise.error + error)


def _solved(rates: Callable[[NDArray[Any]], NDArray[Any]], begin: NDArray[Any], tolerance: float) -> NDArray[Any]:
    """Return var_mu, var_chi and the noise at t = 1, shape (3, *sweep)."""
    from scipy.integrate import solve_ivp  # noqa: PLC0415 - most verdicts need no limit

    solution = solve_ivp(
        lambda _, y: rates(y.reshape(begin.shape)).ravel(),
        (0.0, 1.0),
        begin.ravel(),
        method="DOP853",
        rtol=tolerance,
        atol=NOTHING * begin.max(),
    )
    if not solution.success:
        raise ValueError(
            f"the stream of a residual block leaves the range of numbers at t = {solution.t[-1]:.3g} of its depth: "
            f"{solution.message}; use a smaller scale or sigma_w2"
        )
    return np.asarray(solution.y[:, -1].reshape(begin.shape))
