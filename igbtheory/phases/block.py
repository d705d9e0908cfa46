"""The block f of a multilayer perceptron, from one Dense to the next, as a function of the variance of its units.

For two data a, b, whose units have the variance q and the correlation c = 1 - share:

    square(q) = E f^2,    spread(q, share) = E (f_a - f_b)^2/(2 share q),    slope(q) = E |grad f|^2 = spread(q, 0),

so that f and a Dense(sigma_w2, sigma_b2) map q to sigma_w2 square + sigma_b2, and share q to sigma_w2 spread share q.
The spread never increases with the share, because E f_a f_b is a power series in c without negative coefficients.
"""

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.layers.activation import phi_of
from igbtheory.layers.batch_sizes import batch_of
from igbtheory.layers.chain import functions
from igbtheory.layers.dense import Dense
from igbtheory.layers.inputs import GaussianInputs
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.gaussian import Gaussian
from igbtheory.layers.nodes.node import USUAL, LawNode, Passage
from igbtheory.mathematics.averages.noise import Noise
from igbtheory.mathematics.averages.state import Moments
from igbtheory.mathematics.formulas import function_of
from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.networks.network import Norm, Placement, mlp

Array = NDArray[np.float64]
GRADIENTS = Passage(gradients=True)
"""The passage of two data that are infinitely close."""
SCALES = np.array([0.37, 1.0, 5.3])
"""Ratios of variances at which a test for a power law in q evaluates a function: their logarithms have no simple ratio,
so that an oscillation in log q is no power."""
EXACT = 1e-12
"""Relative difference below which two numbers count as equal."""
STEP = 5e-3
"""Step in a logarithm for difference quotients: those of fourth order have the error STEP^4/30 = 2e-11 times a
derivative, far above the rounding error epsilon/STEP."""


@final
@dataclass(frozen=True)
class Block:
    """Layers between two Dense: activation, pool and norm."""

    layers: tuple[Layer, ...]

    def __post_init__(self) -> None:
        for layer in self.layers:
            if phi_of(layer) is not None:
                function_of(layer).refuse_doubt()

    @property
    def title(self) -> str:
        """The layers in words."""
        return " + ".join(phi.name if (phi := phi_of(layer)) else repr(layer) for layer in self.layers)

    def after(self, var_mu: Any, var_chi: Any) -> Moments:
        """Return the moments behind the block for Gaussian units of mean 0 with these variances, or with sweeps."""
        with np.errstate(all="ignore"):
            return units(Moments(0, var_mu, var_chi)).through(self.layers).averaged()

    def square(self, q: Any) -> Any:
        """Return the mean square E f^2."""
        x = self.after(0 * q, q)
        return x.square + 0 * q  # behind a norm it does not depend on q

    def biases(self, q: Any, sigma_w2: Any) -> Any:
        """Return q - sigma_w2 E f^2, the variance of the biases at which q is a fixed point."""
        return q - sigma_w2 * self.square(q)

    def square_slope(self, q: Any) -> Any:
        """Return the derivative of E f^2 by q, a difference quotient with a relative error of about 1e-9."""
        places = np.multiply.outer(np.exp(STEP * np.array([-2, -1, 1, 2])), q)
        return np.tensordot([1, -8, 8, -1], self.square(places), 1) / (12 * STEP * q)

    def spread(self, q: Any, share: Any) -> Any:
        """Return the spread E (f_a - f_b)^2/(2 share q) for 0 < share <= 1."""
        return self.after((1 - share) * q, share * q).var_chi / (share * q)

    def slope(self, q: Any, share: float = 1.0) -> Any:
        """Return E |grad f|^2, which depends on the share only behind a BatchNorm. ValueError: the activation jumps."""
        node = with_noise(units(Moments(0, (1 - share) * q, share * q), GRADIENTS))
        with np.errstate(all="ignore"):
            noise: Any = node.through((*self.layers, Dense(1.0))).averaged().noise
        return noise.variance + 0 * q

    @property
    def forgets(self) -> bool:
        """True if a BatchNorm removes what all data have in common, so that c = 1 is not a fixed point."""
        return batch_of(self.layers) is not None

    @property
    def proportional(self) -> bool:
        """True if E f^2 is proportional to q, as for f(a x) = a f(x), but also for x sign(x - 1)."""
        return abs(self.power(1.0, EXACT) - 1) <= EXACT

    @property
    def homogeneous(self) -> bool:
        """True if f(a x) = a f(x) for all a > 0: then slope and spread do not depend on q."""
        return all(phi.degree == 1 for phi in functions(self.layers)) and self.proportional

    @property
    def jumps(self) -> bool:
        """True if an activation jumps."""
        return any(jump != 0 for phi in functions(self.layers) for jump in phi.pieces.jumps(FLOAT64))

    def power(self, q: float, accuracy: float) -> float:
        """Return p with E f^2 ~ q^p around this q, where correlations do not depend on q, or NaN if there is no p."""
        with np.errstate(divide="ignore", invalid="ignore"):
            powers = np.diff(np.log(self.square(q * SCALES))) / np.diff(np.log(SCALES))
        return float(powers[0]) if abs(powers[1] - powers[0]) <= accuracy else np.nan


def units(values: Moments, passage: Passage = USUAL) -> LawNode:
    """Return the node of Gaussian units with these moments, on a passage."""
    return LawNode(FLOAT64, Gaussian(values), passage=passage)


def with_noise(node: LawNode) -> LawNode:
    """Return the node with noise of variance 1 at its units, which is a mean over kinds if they have unlike noise."""
    one, total = Noise(node.n.number(1)), node.averaged().noise

    def noisy(kind: LawNode) -> LawNode:
        x = kind.averaged()
        noise = one if kind is node or total is None or x.noise is None else x.noise.times(1 / total.variance)
        return kind.remade(kind.units, replace(x, noise=noise))

    behind: LawNode = node.base.changed(node, noisy)
    return behind


def block_of(activation: Any, pool: Any = None, norm: Norm | None = None, placement: Placement = "before") -> Block:
    """Return the block of `mlp` with an activation and pool, norm and placement; a Block is returned unchanged."""
    if isinstance(activation, Block):
        return activation
    return Block(mlp(1, activation, pool=pool, norm=norm, placement=placement).layers[1:-1])


def one_dense(sigma_w2: Any, sigma_b2: Any) -> Dense:
    """Return the Dense layer with these variances. ValueError, TypeError: they are no single numbers, or wrong ones."""
    for name, value in (("sigma_w2", sigma_w2), ("sigma_b2", sigma_b2)):
        checks.numeric(name, value)
        checks.non_negative(name, value)
        if np.ndim(value):
            raise TypeError(f"expected one {name}, got an array; loop over its values, or draw a diagram")
    if not sigma_w2 > 0:
        raise ValueError("expected sigma_w2 > 0, got 0, where no datum reaches the output; pass a variance such as 2.0")
    return Dense(float(sigma_w2), float(sigma_b2))


def one_input(inputs: Any) -> GaussianInputs:
    """Return the inputs, N(0, 1) for None. TypeError: they are no GaussianInputs, or a sweep."""
    inputs = GaussianInputs() if inputs is None else inputs
    if not isinstance(inputs, GaussianInputs):
        raise TypeError(f"expected GaussianInputs, got {type(inputs).__name__}; pass a data set to Network.predict")
    for name, value in vars(inputs).items():
        if np.ndim(value):
            raise TypeError(f"expected one {name} of the inputs, got an array; loop over its values")
    return inputs
